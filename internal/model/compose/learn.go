// SPDX-License-Identifier: Apache-2.0

package compose

// This file learns assumptions (TACAS 2003). Membership: does the word, spelled in the context of the
// first component and the property, lead to the error? A conjecture A is checked by two oracles:
// <A> M1 <P>, whose counterexample is illegal although A allows it, and <true> M2 || ... <A>, whose
// counterexample is either illegal, and then a real one, or legal and to be allowed. So learning may end
// with an assumption that is stronger than the weakest one, or weaker than it, and suffices.
// For more than two components the second oracle is the rule itself.

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/model/judge"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/synth"
	"github.com/interlock-go/interlock/typestate"
)

// A real violation ends learning.
type realViolation struct{ trace []string }

func (r *realViolation) Error() string { return "the system violates the property" }

func (v *verifier) learned(ctx context.Context) (Result, error) {
	for _, m := range v.ordered[1:] {
		if m.CanErr() {
			return v.Result, fmt.Errorf("-learn: %s has errors of its own; only the component that is taken first (%s) may; leave out -learn", m.Name, v.ordered[0].Name)
		}
	}
	trace, err := v.learn(ctx, v.ordered, v.Properties, true)
	v.Last = v.ordered[len(v.ordered)-1].Name
	if err != nil || trace == nil {
		return v.Result, err
	}
	parts := append(slices.Clone(v.ordered), v.Properties...)
	s, err := shortest(ctx, parts, min(v.Budget, shortestBudget))
	var budget *lts.BudgetError
	switch {
	case errors.As(err, &budget):
		s.Violation = &Violation{Trace: *trace}
	case err != nil:
		return v.Result, err
	case s.Violation == nil:
		return v.Result, errors.New("internal error: a counterexample was learned, and the system has none")
	}
	s.Violation.Why = why(parts, s.Violation.Trace)
	v.Violation = s.Violation
	return v.Result, replayed(parts, s.Violation)
}

// learn gives a run of the components that errs, or nil. Only the outermost call notes its
// assumption.
func (v *verifier) learn(ctx context.Context, components, ensures []*lts.System, outer bool) (*[]string, error) {
	if len(components) == 1 {
		s, err := shortest(ctx, append(slices.Clone(components), ensures...), v.Budget)
		v.States += s.States
		if err != nil || s.Violation == nil {
			return nil, err
		}
		return &s.Violation.Trace, nil
	}
	t := &teacher{verifier: v, first: append([]*lts.System{components[0]}, ensures...), rest: components[1:]}
	t.alphabet = shared(t.first, t.rest)
	r, err := v.Learn.Run(ctx, len(t.alphabet), t, learn.Options{PrefixClosed: true, MaxStates: v.Budget})
	v.Queries += int64(r.Stats.Queries)
	var real *realViolation
	if errors.As(err, &real) {
		return &real.trace, nil
	}
	if err != nil {
		return nil, err
	}
	if outer {
		i, err := v.automaton(ctx, t, r.DFA)
		if err != nil {
			return nil, err
		}
		v.Assumptions = append(v.Assumptions, Assumption{components[0].Name, i})
	}
	return nil, nil
}

type teacher struct {
	*verifier
	first, rest []*lts.System
	alphabet    []string
}

func (t *teacher) word(letters []int) []string {
	var out []string
	for _, x := range letters {
		out = append(out, t.alphabet[x])
	}
	return out
}

func (t *teacher) letters(trace []string) []int {
	out := []int{}
	for _, a := range project(trace, t.alphabet) {
		x, _ := slices.BinarySearch(t.alphabet, a)
		out = append(out, x)
	}
	return out
}

// illegal finds an erring run of the first component with a word.
func (t *teacher) illegal(ctx context.Context, word []string) (*Violation, error) {
	s, err := shortest(ctx, append([]*lts.System{spell(word, t.alphabet)}, t.first...), t.Budget)
	t.States += s.States
	return s.Violation, err
}

// Member says whether a word is illegal for the first component.
func (t *teacher) Member(ctx context.Context, letters []int) (learn.Answer, error) {
	v, err := t.illegal(ctx, t.word(letters))
	if v != nil {
		return learn.Answer{Verdict: automata.Reject}, err
	}
	return learn.Answer{Verdict: automata.Accept}, err
}

// Refute asks both oracles.
func (t *teacher) Refute(ctx context.Context, h *automata.DFA) (none learn.Counterexample, ok bool, err error) {
	s, err := shortest(ctx, append([]*lts.System{t.system(h, false)}, t.first...), t.Budget)
	t.States += s.States
	if err != nil {
		return none, false, err
	}
	if s.Violation != nil && h.Out[0] == automata.Accept {
		return learn.Counterexample{Word: t.letters(s.Violation.Trace)}, true, nil
	}
	var trace *[]string
	if h.Out[0] == automata.Accept {
		trace, err = t.verifier.learn(ctx, t.rest, []*lts.System{t.system(h, true)}, false)
	} else {
		trace = &[]string{}
	}
	if err != nil || trace == nil {
		return none, false, err
	}
	word := project(*trace, t.alphabet)
	v, err := t.illegal(ctx, word)
	if err != nil {
		return none, false, err
	}
	if v != nil {
		return none, false, &realViolation{merge(v.Trace, *trace, t.alphabet)}
	}
	return learn.Counterexample{Word: t.letters(*trace)}, true, nil
}

// system makes a system of a conjecture: what it rejects is the error, or missing.
func (t *teacher) system(h *automata.DFA, errs bool) *lts.System {
	b := lts.NewBuilder(t.alphabet...)
	for s := range int32(h.States()) {
		for x := range t.alphabet {
			to := h.Step(s, x)
			switch {
			case h.Out[s] != automata.Accept:
			case h.Out[to] == automata.Accept:
				b.Edge(s, int32(x), to)
			case errs:
				b.Fail(s, int32(x), "the assumption is left")
			}
		}
	}
	return b.System("assumption", 0)
}

// automaton is a learned assumption as an interface, checked by the judge. It suffices, and need not
// be permissive.
func (v *verifier) automaton(ctx context.Context, t *teacher, d *automata.DFA) (*typestate.Interface, error) {
	i := synth.Plain(t.first[0].Name, t.alphabet, d)
	if err := i.Canonicalize(); err != nil {
		return nil, err
	}
	product, err := lts.Compose(ctx, t.first[0].Name, v.Budget, t.first...)
	if err != nil {
		return nil, err
	}
	r, err := judge.Judge(ctx, product, i, 0)
	if err != nil {
		return nil, err
	}
	if r.Safe.Answer != judge.Yes {
		return nil, fmt.Errorf("internal error: the learned assumption is not safe: %v: %s", r.Safe.Trace, r.Safe.Why)
	}
	i.Guarantees.Safe = typestate.GuaranteeProved
	return i, i.Validate()
}
