// SPDX-License-Identifier: Apache-2.0

package engine

// This file is the engine of Henzinger, Jhala, Majumdar, "Permissive
// interfaces" (FSE 2005). It keeps two sets of predicates, since what shows an
// interface safe and what shows it permissive may have nothing in common:
//
//	ReconstructMax: the largest automaton that the SAFETY abstraction shows to
//	    be safe, a call being prohibited where some state may err (reconstruct);
//	Check: does the PERMISSIVENESS abstraction show that every prohibited call
//	    errs? If not, a word that ends in a prohibited call is a
//	    counterexample (check);
//	Refine: if the component does not err on it, the safety abstraction must
//	    learn to allow it; if it does, the permissiveness abstraction must
//	    learn that (refine).
//
// A state of the automaton is prohibited from a call for all words that reach
// it, and of these the paper takes any. Here those that the component permits
// are taken first: they change the automaton, and whatever was learned about
// the permissiveness of the old one would be in vain. What a word does is asked
// of its formula and remembered, for it does not depend on predicates.
//
// The method needs VISIBLE DETERMINISM: on a word of calls and results either
// all runs err or none. A word that does both is refused by name; a component
// whose counterexamples all do one or the other is not searched for one.
// Answers are right in any case: "allowed" rests on what may happen only,
// "forbidden" on what must.

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A Refinement is one round of engine witness: what a word taught.
type Refinement struct {
	Abstraction string   // "safety" or "permissiveness"
	Word        []string // the counterexample, calls with outcomes
	Predicates  []string // that were added
}

func (r Refinement) String() string {
	return fmt.Sprintf("%s: %s: %s", strings.Join(r.Word, " "), r.Abstraction, strings.Join(r.Predicates, ", "))
}

// A wordClass is what a component does on a word that ends in a prohibited call.
type wordClass int

const (
	wordErrs     wordClass = iota + 1 // no run returns from the last call
	wordReturns                       // no run errs in it
	wordNotThere                      // it does not get to the last call
)

type inference struct {
	p           *Problem
	safe, perm  *cegar
	classes     map[string]wordClass
	refinements int
}

// synthesizeWitness is BuildInterface of the paper.
func synthesizeWitness(ctx context.Context, p *Problem, st stats) (*typestate.Interface, error) {
	switch {
	case p.Serial:
		return nil, &Refusal{"witness", "the infinite-word reading (-serial) is for finite components"}
	case p.Solver == nil:
		return nil, &Refusal{"witness", "it needs a solver"}
	}
	abstraction := func() (*cegar, error) {
		m := newModal(p)
		if err := m.give(p.Predicates); err != nil {
			m.close()
			return nil, err
		}
		return newPairsOf(m), nil
	}
	safe, err := abstraction()
	if err != nil {
		return nil, err
	}
	defer safe.close()
	perm, err := abstraction()
	if err != nil {
		return nil, err
	}
	defer perm.close()
	safe.mayOnly = true
	f := &inference{p: p, safe: safe, perm: perm, classes: map[string]wordClass{}}
	if err := safe.reconstruct(ctx); err != nil {
		return nil, err
	}
	for {
		cexs, err := f.check(ctx)
		if err != nil {
			return nil, err
		}
		if len(cexs) == 0 {
			break
		}
		again, err := f.refine(ctx, cexs)
		if err != nil {
			return nil, err
		}
		if again {
			if err := safe.reconstruct(ctx); err != nil {
				return nil, err
			}
		}
	}
	st["safetyPredicates"] = int64(len(safe.preds))
	st["permissivenessPredicates"] = int64(len(perm.preds))
	st["abstractStates"] = int64(len(safe.cubes) + len(perm.cubes) - 2)
	st["refinements"] = int64(f.refinements)
	st["solverQuestions"] = int64(safe.asked + perm.asked)
	if p.Tight {
		return f.tighten(ctx, st)
	}
	i, err := safe.build(ctx, st)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{OmittedCertificate, OmittedLarge} {
		delete(i.Stats, name)
	}
	i.Certificate, err = f.certificate(ctx, i.Core())
	if i.Certificate == nil {
		stats(i.Stats).omitted(OmittedLarge)
	}
	return i, err
}

// together is the abstraction by the predicates of both.
func (f *inference) together() *cegar {
	c := newPairsOf(newModal(f.p))
	c.preds = slices.Clone(f.safe.preds)
	c.addPredicates(f.perm.preds)
	for _, from := range []*cegar{f.safe, f.perm} {
		c.adoptHeads(from)
	}
	c.stale = true
	return c
}

// tighten is BuildInterface' of the paper: edges that cannot happen after all words
// that reach them give more predicates.
func (f *inference) tighten(ctx context.Context, st stats) (*typestate.Interface, error) {
	c := f.together()
	defer c.close()
	if len(c.preds) > maxPreds {
		return nil, &solve.UndecidedError{Reason: fmt.Sprintf("more than %d predicates are needed", maxPreds)}
	}
	before := len(c.preds)
	for {
		c.rounds++
		done, err := c.round(ctx)
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	st["tightnessPredicates"] = int64(len(c.preds) - before)
	st["abstractStates"] = int64(len(c.cubes) - 1)
	st["refinements"] += int64(c.rounds - 1)
	st["solverQuestions"] += int64(c.asked)
	return c.build(ctx, st)
}

// certificate returns the certificate of the interface with this core. Labels
// of the two abstractions together are the labels of the abstraction by all
// predicates, so the pairs of that one are the evidence; there is none if it
// takes too long, or if what two abstractions show one does not.
func (f *inference) certificate(ctx context.Context, core []byte) (*typestate.Certificate, error) {
	c := f.together()
	defer c.close()
	if len(c.preds) > maxPreds {
		return nil, nil
	}
	conf, err := c.explore(ctx)
	if conf != nil || Undecided(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	i, err := c.build(ctx, stats{})
	if Undecided(err) {
		return nil, nil
	}
	if err != nil || !bytes.Equal(i.Core(), core) {
		return nil, err
	}
	return i.Certificate, nil
}

// reconstruct builds the largest automaton that is safe by what may happen. Its
// states are pairs whose second part is idle.
func (c *cegar) reconstruct(ctx context.Context) error {
	c.restart()
	for at := int32(0); int(at) < len(c.pairs); at++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		row := slices.Repeat([]int32{impossible}, c.letters)
		verdicts := make([]pairVerdict, len(c.calls))
		for k := range c.calls {
			if c.calls[k].constructor != (at == 0) {
				continue
			}
			v, err := c.judge(ctx, at, k)
			if err != nil {
				return err
			}
			if v.verdict != typestate.VerdictAllowed {
				v.verdict = typestate.VerdictMayFail
			}
			verdicts[k] = v
			for o := range c.calls[k].outcomes {
				x := c.calls[k].letter + o
				if v.verdict != typestate.VerdictAllowed {
					row[x] = rejected
				} else if row[x], err = c.step2(ctx, at, k, o); err != nil {
					return err
				}
			}
		}
		c.next = append(c.next, row)
		c.verdicts = append(c.verdicts, verdicts)
	}
	return nil
}

// check searches the pairs (state of the automaton, pair of the permissiveness
// abstraction) for prohibited calls that are not shown to err, and returns the
// words to them, one for each way into such a pair. If there is none, the
// verdicts of the automaton are told whether a call always fails.
func (f *inference) check(ctx context.Context) ([][][2]int, error) {
	s, p := f.safe, f.perm
	p.restart()
	type edge struct {
		from   int
		letter [2]int
	}
	type node struct {
		s, p int32
		into []edge
	}
	nodes := []node{{}}
	index := map[[2]int32]int{{0, 0}: 0}
	type cell struct {
		node, call int
	}
	var open []cell
	mayReturn := map[[2]int32]bool{} // (state, call)
	for at := 0; at < len(nodes); at++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if at > f.p.Budget {
			return nil, &region.BudgetError{What: "pairs in a check of permissiveness", Limit: f.p.Budget}
		}
		n := nodes[at]
		for k := range s.calls {
			if s.calls[k].constructor != (at == 0) {
				continue
			}
			if s.verdicts[n.s][k].verdict != typestate.VerdictAllowed {
				v, err := p.judge(ctx, n.p, k)
				if err != nil {
					return nil, err
				}
				if !v.verdict.Forbidden() {
					open = append(open, cell{at, k})
				}
				if v.verdict != typestate.VerdictFails {
					mayReturn[[2]int32{n.s, int32(k)}] = true
				}
				continue
			}
			for o := range s.calls[k].outcomes {
				to := s.next[n.s][s.calls[k].letter+o]
				if to < 0 {
					continue
				}
				next, err := p.step2(ctx, n.p, k, o)
				if err != nil {
					return nil, err
				}
				if next == impossible {
					continue
				}
				id, ok := index[[2]int32{to, next}]
				if !ok {
					id = len(nodes)
					index[[2]int32{to, next}] = id
					nodes = append(nodes, node{s: to, p: next})
				}
				nodes[id].into = append(nodes[id].into, edge{at, [2]int{k, o}})
			}
		}
	}
	var words [][][2]int
	for _, c := range open {
		ways := nodes[c.node].into
		if len(ways) == 0 {
			words = append(words, [][2]int{{c.call, endErrs}})
		}
		for _, e := range ways {
			word := [][2]int{{c.call, endErrs}, e.letter}
			for n := e.from; n > 0; n = nodes[n].into[0].from {
				word = append(word, nodes[n].into[0].letter)
			}
			slices.Reverse(word)
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		for at := range s.verdicts {
			for k := range s.verdicts[at] {
				if v := &s.verdicts[at][k]; v.verdict == typestate.VerdictMayFail && !mayReturn[[2]int32{int32(at), int32(k)}] {
					v.verdict = typestate.VerdictFails
				}
			}
		}
	}
	return words, nil
}

// refine learns from one of the counterexamples. It reports whether the
// automaton must be built anew.
func (f *inference) refine(ctx context.Context, words [][][2]int) (bool, error) {
	choice := -1
	for i, w := range words {
		c, err := f.classify(ctx, w)
		if err != nil {
			return false, err
		}
		if c == wordReturns {
			choice = i
			break
		}
	}
	name, c := "safety", f.safe
	if choice < 0 {
		name, c = "permissiveness", f.perm
		choice = 0
	}
	word := words[choice]
	before, count := len(c.preds), c.known()
	if err := f.learn(ctx, c, word); err != nil {
		return false, err
	}
	if c.known() == count {
		return false, &solve.UndecidedError{Reason: fmt.Sprintf("no predicate decides %s%s", f.callName(word), f.after(word))}
	}
	if len(c.preds) > maxPreds || c.found() > maxPredicates {
		return false, &solve.UndecidedError{Reason: fmt.Sprintf("more than %d predicates are needed; the last were about %s", before, c.aboutLast())}
	}
	f.refinements++
	f.p.report("predicates", len(f.safe.preds)+len(f.perm.preds))
	if f.p.Refined != nil {
		r := Refinement{Abstraction: name, Word: f.calls(word)}
		for _, t := range c.preds[before:] {
			r.Predicates = append(r.Predicates, prog.FormatExpr(f.p.Program, c.sym.State, t))
		}
		f.p.Refined(r)
	}
	return name == "safety", nil
}

// learn adds predicates to an abstraction that refute its trace of the word
// that the component does not have.
func (f *inference) learn(ctx context.Context, c *cegar, word [][2]int) error {
	n := len(word) - 1
	last := word[n][0]
	w := c.compose(word[:n], last)
	if c == f.safe {
		trace, err := c.traceOf(ctx, word[:n], func(a int32) (bool, error) {
			e, err := c.effect(ctx, a, last)
			return err == nil && len(e.mayErr) > 0, err
		})
		if err != nil || trace == nil {
			return err
		}
		_, err = c.removeTrace(ctx, trace, word[:n], [2]int{last, endErrs})
		return err
	}
	trace, err := c.traceOf(ctx, word[:n], func(a int32) (bool, error) {
		e, err := c.effect(ctx, a, last)
		return err == nil && !e.mustErr && e.returns(), err
	})
	if err != nil {
		return err
	}
	before := c.known()
	if trace != nil {
		if _, err := c.removeTrace(ctx, trace, word[:n], [2]int{last, endReturns}); err != nil || c.known() > before {
			return err
		}
	}
	// No trace of the abstraction that returns is refuted by a predicate of
	// its own: make the erring run certain instead.
	r, err := c.check(ctx, w.conds()...)
	if err != nil || r.Verdict != solve.Sat {
		return err
	}
	return c.proveRun(ctx, w, r.Model)
}

// classify finds out what the component does on a word, or refuses it.
func (f *inference) classify(ctx context.Context, word [][2]int) (wordClass, error) {
	key := fmt.Sprint(word)
	if c := f.classes[key]; c != 0 {
		return c, nil
	}
	n := len(word) - 1
	c := f.perm
	errs := c.compose(word[:n], word[n][0])
	returns := c.composeEnd(word[:n], [2]int{word[n][0], endReturns})
	ask := func(ts ...*term.Term) (bool, error) {
		r, err := c.modal.check(ctx, ts...)
		return r.Verdict == solve.Sat, err
	}
	there, err := ask(errs.conds()[:n]...)
	if err != nil {
		return 0, err
	}
	mayErr, err := ask(errs.conds()...)
	if err != nil {
		return 0, err
	}
	mayReturn, err := ask(returns.conds()...)
	if err != nil {
		return 0, err
	}
	class := wordErrs
	switch {
	case mayErr && mayReturn:
		return 0, f.mixed(ctx, word, errs, returns)
	case !there:
		class = wordNotThere
	case !mayErr:
		class = wordReturns
	}
	f.classes[key] = class
	return class, nil
}

// mixed says why a component that both errs and returns on a word is refused.
func (f *inference) mixed(ctx context.Context, word [][2]int, errs, returns *wordFormula) error {
	c := f.perm
	name, after := f.callName(word), f.after(word)
	for _, x := range word[:len(word)-1] {
		if c.calls[x[0]].inexact {
			return &Refusal{"witness", fmt.Sprintf("whether %s errs%s may depend on an integer result of %s", name, after, c.calls[x[0]].sum.Method.Name)}
		}
	}
	// The same arguments, other choices.
	params := map[*term.Term]bool{}
	who := ""
	for i := range errs.steps {
		for _, s := range [][]*term.Term{errs.steps[i].params, returns.steps[i].params} {
			for _, v := range s {
				params[v] = true
				who = c.calls[errs.steps[i].call].sum.Method.Name
			}
		}
	}
	sub := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(returns.conds()...) {
		if !params[v] {
			sub[v] = c.pool.Var(v.Name()+"'", v.Sort())
		}
	}
	r, err := c.modal.check(ctx, append(errs.conds(), c.pool.SubstituteAll(returns.conds(), sub)...)...)
	switch {
	case err != nil:
		return err
	case r.Verdict == solve.Sat:
		return &Refusal{"witness", fmt.Sprintf("not visibly deterministic: %s may err and may return%s", name, after)}
	}
	return &Refusal{"witness", fmt.Sprintf("whether %s errs%s depends on the arguments of %s", name, after, who)}
}

func (f *inference) callName(word [][2]int) string {
	return f.perm.calls[word[len(word)-1][0]].sum.Method.Name
}

// after says for people what comes before the last call of a word.
func (f *inference) after(word [][2]int) string {
	if list := f.calls(word[:len(word)-1]); len(list) > 0 {
		return " after " + strings.Join(list, " ")
	}
	return ""
}

// calls writes the letters of a word; the constructor is left out if there is
// no other.
func (f *inference) calls(word [][2]int) []string {
	var out []string
	for _, x := range word {
		call := &f.perm.calls[x[0]]
		if call.constructor && len(f.p.Program.Constructors) < 2 {
			continue
		}
		name := call.sum.Method.Name
		if x[1] >= 0 && len(call.outcomes) > 1 {
			name += "=" + call.outcomes[x[1]].name
		}
		out = append(out, name)
	}
	return out
}

// traceOf returns an abstract trace of the word to a state of which last holds,
// or nil.
func (c *cegar) traceOf(ctx context.Context, word [][2]int, last func(a int32) (bool, error)) ([]int32, error) {
	sets := [][]int32{{0}}
	for i, x := range word {
		var next []int32
		for _, a := range sets[i] {
			e, err := c.effect(ctx, a, x[0])
			if err != nil {
				return nil, err
			}
			next = append(next, e.may[x[1]]...)
		}
		slices.Sort(next)
		sets = append(sets, slices.Compact(next))
	}
	n := len(word)
	for _, a := range sets[n] {
		ok, err := last(a)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		trace := make([]int32, n+1)
		trace[n] = a
		for i := n - 1; i >= 0; i-- {
			for _, b := range sets[i] {
				e, err := c.effect(ctx, b, word[i][0])
				if err != nil {
					return nil, err
				}
				if slices.Contains(e.may[word[i][1]], trace[i+1]) {
					trace[i] = b
					break
				}
			}
		}
		return trace, nil
	}
	return nil, nil
}
