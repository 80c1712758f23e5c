// SPDX-License-Identifier: Apache-2.0

package words

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// This file composes formulas of words, call by call.

// Compose builds the formula of a word whose last call errs in a run that is unrolled.
func Compose(m *predabs.Abstraction, word [][2]int, last int) *Formula {
	return compose(m, word, [2]int{last, EndErrs}, m.Unrolled)
}

// ComposeFurther is Compose, with loops unrolled further.
func ComposeFurther(m *predabs.Abstraction, word [][2]int, last int) *Formula {
	return compose(m, word, [2]int{last, EndErrs}, m.UnrolledFurther)
}

// ComposeRanked is Compose, with runs that rankings know of: of these the formula has no choices.
func ComposeRanked(m *predabs.Abstraction, word [][2]int, last int) *Formula {
	return compose(m, word, [2]int{last, EndErrs}, m.UnrolledOrRanked)
}

// ComposeEnd builds the formula of a word and a last call.
func ComposeEnd(m *predabs.Abstraction, word [][2]int, last [2]int) *Formula {
	return compose(m, word, last, m.Unrolled)
}

func compose(m *predabs.Abstraction, word [][2]int, last [2]int, unrolled func(sum *explore.Summary, errs bool) predabs.Unrolling) *Formula {
	w := &Formula{abs: m}
	state := Start(m)
	w.States = append(w.States, state)
	for i, x := range append(slices.Clone(word), last) {
		call := &m.Calls[x[0]]
		u := unrolled(call.Sum, x[1] == EndErrs)
		w.Bounded = w.Bounded || u.Bounded
		step := Step{Call: x[0], Outcome: x[1], RawCond: m.Pool.And(call.Guard, u.Cond), RawVals: u.Vals}
		final := predabs.After(call.Sum, u.Vals)
		if x[1] >= 0 {
			step.RawCond = m.Pool.And(step.RawCond, m.Pool.Substitute(call.Outcomes[x[1]].Cond, final))
		}
		sub := stateIn(m, state)
		step.rename(w, i, sub, call)
		step.Cond, step.Made = m.Pool.Substitute(step.RawCond, sub), m.Pool.Substitute(call.Guard, sub)
		if i > 0 {
			assumed := m.Pool.Substitute(m.Pool.And(m.Assumed, m.Sym.Invariant), sub)
			step.Cond, step.Made = m.Pool.And(step.Cond, assumed), m.Pool.And(step.Made, assumed)
		}
		if x[1] >= 0 {
			state = m.Pool.SubstituteAll(u.Vals[:len(state)], sub)
			w.States = append(w.States, state)
			for _, r := range call.Sum.Method.Results {
				step.Results = append(step.Results, m.Pool.Substitute(final[r.Term], sub))
			}
		}
		w.Steps = append(w.Steps, step)
	}
	return w
}

// Start is the state before construction: a variable without an initial value has any.
func Start(m *predabs.Abstraction) []*term.Term {
	state := make([]*term.Term, len(m.Sym.State))
	for i, v := range m.Sym.State {
		if state[i] = v.Init; v.Init == nil {
			state[i] = m.Pool.Var(fmt.Sprintf("\x00init %s", v.Name), v.Type.Sort)
		}
	}
	return state
}

// rename gives the variables of the i-th call that are not of the state copies of their own, and adds these to sub.
func (s *Step) rename(w *Formula, i int, sub map[*term.Term]*term.Term, call *predabs.SymCall) {
	s.Rename = map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(append(slices.Clone(s.RawVals), call.Guard, s.RawCond)...) {
		if sub[v] != nil {
			continue
		}
		copy := w.Copy(v, i)
		sub[v], s.Rename[v] = copy, copy
		if slices.ContainsFunc(call.Sum.Method.Params, func(p *prog.Var) bool { return p.Term == v }) {
			s.Params = append(s.Params, copy)
		}
	}
}
