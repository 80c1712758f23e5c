// SPDX-License-Identifier: Apache-2.0

package cegar

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// This file names words by their letters, and writes them as formulas over initial values, arguments and choices.

// word returns the letters of the shortest word to a pair, as (call, outcome).
func (c *Run) word(at int32) [][2]int {
	var w [][2]int
	for p := c.Pairs[at]; p.Parent >= 0; p = c.Pairs[p.Parent] {
		w = append(w, c.CallOf(p.Letter))
	}
	slices.Reverse(w)
	return w
}

func (c *Run) CallOf(letter int) [2]int {
	for k := range c.Calls {
		if letter < c.Calls[k].Letter+len(c.Calls[k].Outcomes) {
			return [2]int{k, letter - c.Calls[k].Letter}
		}
	}
	panic("cegar: no such letter")
}

// wordKey names a conflict by the classes of its word, which are never used again
// for others.
func (c *Run) wordKey(conf *conflict) string {
	var ids []int
	for _, x := range c.word(conf.pair) {
		call := &c.Calls[x[0]]
		ids = append(ids, call.Class, call.Outcomes[x[1]].Id)
	}
	return fmt.Sprint(ids, c.Calls[conf.call].Class)
}

// A WordFormula is a word of calls as formulas over initial values, arguments
// and choices, each call with its own copies.
type WordFormula struct {
	Steps  []wordStep
	states [][]*term.Term // before each step, by state variable
	bound  bool           // loops were unrolled only so far
}

type wordStep struct {
	Call    int
	outcome int        // or how it ends instead
	made    *term.Term // of the call being made: its guard
	cond    *term.Term // of the step's outcome (of an error, for the last)
	Params  []*term.Term
	choices []*term.Term
	results []*term.Term // values of the results, if it returns with an outcome
	// raw conditions over the method's own variables, for predicates
	rawCond *term.Term
	rawVals []*term.Term
	rename  map[*term.Term]*term.Term
}

// How the last call of a word may end, instead of with an outcome.
const (
	EndErrs    = -1
	EndReturns = -2 // with whatever outcome
)

// Conds returns the conditions of the steps.
func (w *WordFormula) Conds() []*term.Term {
	list := make([]*term.Term, len(w.Steps))
	for i := range w.Steps {
		list[i] = w.Steps[i].cond
	}
	return list
}

// Compose builds the formula of a word whose last call errs in a run that is unrolled.
func (c *Run) Compose(word [][2]int, last int) *WordFormula {
	return c.composeWith(word, [2]int{last, EndErrs}, c.Unrolled)
}

// composeRanked is compose, with runs that rankings know of: of these the formula has no choices.
func (c *Run) composeRanked(word [][2]int, last int) *WordFormula {
	return c.composeWith(word, [2]int{last, EndErrs}, c.UnrolledOrRanked)
}

// ComposeEnd builds the formula of a word and a last call.
func (c *Run) ComposeEnd(word [][2]int, last [2]int) *WordFormula {
	return c.composeWith(word, last, c.Unrolled)
}

func (c *Run) composeWith(word [][2]int, last [2]int, unrolled func(sum *explore.Summary, errs bool) predabs.Unrolling) *WordFormula {
	w := &WordFormula{}
	state := make([]*term.Term, len(c.Sym.State))
	for i, v := range c.Sym.State {
		state[i] = v.Term
		if v.Init != nil {
			state[i] = v.Init
		} else {
			state[i] = c.Pool.Var(fmt.Sprintf("\x00init %s", v.Name), v.Type.Sort)
		}
	}
	w.states = append(w.states, state)
	for i, x := range append(slices.Clone(word), last) {
		call := &c.Calls[x[0]]
		u := unrolled(call.Sum, x[1] == EndErrs)
		cond, vals := u.Cond, u.Vals
		w.bound = w.bound || u.Bounded
		step := wordStep{Call: x[0], outcome: x[1], rawCond: c.Pool.And(call.Guard, cond), rawVals: vals}
		if x[1] >= 0 {
			step.rawCond = c.Pool.And(step.rawCond, c.Pool.Substitute(call.Outcomes[x[1]].Cond, predabs.After(call.Sum, vals)))
		}
		sub := map[*term.Term]*term.Term{}
		for k, v := range c.Sym.State {
			sub[v.Term] = state[k]
		}
		step.rename = map[*term.Term]*term.Term{}
		for _, v := range term.FreeVars(append(slices.Clone(vals), call.Guard, step.rawCond)...) {
			if sub[v] != nil {
				continue
			}
			copy := c.Pool.Var(fmt.Sprintf("%s@%d", v.Name(), i), v.Sort())
			sub[v], step.rename[v] = copy, copy
			if slices.ContainsFunc(call.Sum.Method.Params, func(p *prog.Var) bool { return p.Term == v }) {
				step.Params = append(step.Params, copy)
			} else {
				step.choices = append(step.choices, copy)
			}
		}
		step.cond, step.made = c.Pool.Substitute(step.rawCond, sub), c.Pool.Substitute(call.Guard, sub)
		if i > 0 {
			assumed := c.Pool.Substitute(c.Pool.And(c.Assumed, c.Sym.Invariant), sub)
			step.cond, step.made = c.Pool.And(step.cond, assumed), c.Pool.And(step.made, assumed)
		}
		w.Steps = append(w.Steps, step)
		if x[1] >= 0 {
			next := make([]*term.Term, len(state))
			for k := range state {
				next[k] = c.Pool.Substitute(vals[k], sub)
			}
			state = next
			w.states = append(w.states, state)
			final := predabs.After(call.Sum, vals)
			for _, r := range call.Sum.Method.Results {
				step.results = append(step.results, c.Pool.Substitute(final[r.Term], sub))
			}
			w.Steps[i].results = step.results
		}
	}
	return w
}
