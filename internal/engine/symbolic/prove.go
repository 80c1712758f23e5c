// SPDX-License-Identifier: Apache-2.0

package symbolic

// This file proves what was learned. The predicate abstraction is started with
// the guards of the conjecture, and with the conditions that tell its states
// apart as predicates; what it synthesizes holds for words of any length and has
// a certificate. The conjecture is compared with it, as automata over guarded
// calls: a word on which they differ is put to the teacher, and learning goes on
// with it if the conjecture was wrong.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/cegar"
	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// seeds returns what the proof of a conjecture starts with. The interface is the
// one that was built of it.
func (b *symBuilder) seeds(i *typestate.Interface) *problem.Seeds {
	s := &problem.Seeds{Guards: make([][]*term.Term, len(b.teacher.calls))}
	for _, c := range b.kept {
		s.Guards[c.call] = append(s.Guards[c.call], b.teacher.pool.Or(c.parts...))
	}
	for _, st := range i.States {
		label, err := prog.ParseExprAs(b.teacher.p.Program, b.teacher.p.Program.State, st.Label, prog.Type{Sort: term.BoolSort})
		if err != nil {
			return s // a label that was too long is empty
		}
		for _, t := range describe.AtomsOf(label) {
			if !slices.Contains(s.Preds, t) {
				s.Preds = append(s.Preds, t)
			}
		}
	}
	if len(s.Preds) > maxSeeds {
		s.Preds = nil
	}
	return s
}

// prove synthesizes the interface by predicate abstraction from the seeds, with
// the given solver; nil if that leaves verdicts open.
func (t *symTeacher) prove(ctx context.Context, s *problem.Seeds, solver func() solve.Solver, st problem.Stats) (*typestate.Interface, error) {
	q := *t.p
	q.Budget, q.Seeds, q.Solver = max(1, t.p.Budget/4), s, solver
	own := problem.Stats{}
	i, err := cegar.Synthesize(ctx, &q, own)
	switch {
	case err != nil && !problem.Undecided(err):
		return nil, err
	case err != nil || !problem.Complete(i):
		return nil, nil
	}
	for _, name := range []string{"predicates", "pairs", "abstractStates", "splits", "certificateOmitted", "minimalityUnproved"} {
		if n, ok := own[name]; ok {
			st[name] = n
		}
	}
	st["proofQuestions"] = own["solverQuestions"]
	return i, nil
}

// reconcile compares a conjecture with a proved interface, and learns until
// they agree. Where results are split differently the comparison stops; what is
// proved is right all the same.
func (t *symTeacher) reconcile(ctx context.Context, learner learn.Learner, c *conjecture, proved *typestate.Interface, st problem.Stats) (*conjecture, error) {
	const most = 64
	for range most {
		word, err := t.difference(ctx, c, proved)
		if err != nil || word == nil {
			return c, err
		}
		t.extra = append(t.extra, word)
		t.depth = max(t.depth, len(word)-1)
		d, err := t.learn(ctx, learner, st)
		if err != nil {
			if problem.Undecided(err) {
				return c, nil
			}
			return nil, err
		}
		c = d
		st["refutedByProof"]++
	}
	return c, nil
}

// A provedCall is a call or constructor of a proved interface.
type provedCall struct {
	id    string
	guard *term.Term
}

// provedCalls lists the calls of a method in a proved interface. It reports false if a guard cannot be read: it may speak of registers.
func (t *symTeacher) provedCalls(proved *typestate.Interface, constructor bool, m *prog.Method) ([]provedCall, bool) {
	var out []provedCall
	read := true
	add := func(id, method, guard string) {
		if !read || method != m.Name || slices.ContainsFunc(out, func(e provedCall) bool { return e.id == id }) {
			return
		}
		g, err := prog.ParseExprAs(t.p.Program, m.Params, guard, prog.Type{Sort: term.BoolSort})
		out, read = append(out, provedCall{id, g}), err == nil
	}
	if constructor {
		for _, k := range proved.Constructors {
			add(k.ID, k.Method, k.Guard)
		}
	} else {
		for _, k := range proved.Calls {
			add(k.ID, k.Method, k.Guard)
		}
	}
	return out, read
}

// A together is a state of a conjecture and one of a proved interface, as a search comes to them.
type together struct {
	h      int32
	s      int // state of the proved interface, -1 before construction
	parent int
	letter int
}

// wordTo is the word to a node of a search, and a letter after it.
func wordTo(nodes []together, n, letter int) []int {
	word := []int{letter}
	for ; nodes[n].parent >= 0; n = nodes[n].parent {
		word = append(word, nodes[n].letter)
	}
	slices.Reverse(word)
	return word
}

// difference returns a word of letters on which the conjecture is wrong, because
// a proved interface says otherwise and so does symbolic execution; nil if there
// is none.
func (t *symTeacher) difference(ctx context.Context, c *conjecture, proved *typestate.Interface) ([]int, error) {
	type key struct {
		h int32
		s int
	}
	seen := map[key]bool{{0, -1}: true}
	nodes := []together{{0, -1, -1, -1}}
	for n := 0; n < len(nodes); n++ {
		at := nodes[n]
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for x, l := range c.letters {
			m := t.calls[l.call]
			out := c.dfa.Out[c.dfa.Step(at.h, x)]
			if m.constructor != (at.s < 0) || out == automata.Unknown || out == automata.Impossible {
				continue
			}
			entries, ok := t.provedCalls(proved, m.constructor, m.sum.Method)
			if !ok {
				return nil, nil
			}
			for _, e := range entries {
				both := t.pool.And(l.guard, e.guard)
				r, err := t.sat(ctx, t.pool.Substitute(both, t.instance(l.call, 0, both)))
				if err != nil {
					return nil, err
				}
				if r.Verdict != solve.Sat {
					continue
				}
				var res typestate.Result
				if m.constructor {
					res = proved.Start(e.id, l.outcome.name)
				} else {
					res = proved.Step(at.s, e.id, l.outcome.name)
				}
				if res.Verdict != typestate.VerdictUnknown && res.Verdict.Forbidden() != (out == automata.Reject) {
					word := wordTo(nodes, n, x)
					a, err := t.Member(ctx, word)
					if err != nil {
						return nil, err
					}
					if a.Refine != nil || a.Verdict != automata.Unknown && a.Verdict != out {
						return word, nil
					}
				}
				if res.Kind == typestate.StepNext && res.State >= 0 && out == automata.Accept {
					if k := (key{c.dfa.Step(at.h, x), res.State}); !seen[k] {
						seen[k] = true
						nodes = append(nodes, together{k.h, k.s, n, x})
					}
				}
			}
		}
	}
	return nil, nil
}
