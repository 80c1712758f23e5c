// SPDX-License-Identifier: Apache-2.0

package words

import (
	"fmt"

	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A Formula is a word of calls as formulas over initial values, arguments
// and choices, each call with its own copies.
type Formula struct {
	abs     *predabs.Abstraction
	Steps   []Step
	States  [][]*term.Term // before each step, by state variable
	Bounded bool           // loops were unrolled only so far
}

// A Step is a call of a word, with the copies of its variables.
type Step struct {
	Call    int
	Outcome int        // or how it ends instead
	Made    *term.Term // of the call being made: its guard
	Cond    *term.Term // of the step's outcome (of an error, for the last)
	Params  []*term.Term
	Results []*term.Term // values of the results, if it returns with an outcome
	// Conditions and values over the method's own variables, for predicates, and the copies of these variables.
	RawCond *term.Term
	RawVals []*term.Term
	Rename  map[*term.Term]*term.Term
}

// How the last call of a word may end, instead of with an outcome.
const (
	EndErrs    = -1
	EndReturns = -2 // with whatever outcome
)

// Conds returns the conditions of the steps.
func (w *Formula) Conds() []*term.Term {
	list := make([]*term.Term, len(w.Steps))
	for i := range w.Steps {
		list[i] = w.Steps[i].Cond
	}
	return list
}

// Last is the number of the last step.
func (w *Formula) Last() int { return len(w.Steps) - 1 }

// Happens lists the conditions that the word happens up to its last call, and that this is made.
func (w *Formula) Happens() []*term.Term {
	n := w.Last()
	return append(w.Conds()[:n:n], w.Steps[n].Made)
}

// StateAt gives the state variables the values that they have before step i in a model.
func (w *Formula) StateAt(i int, model term.Model) term.Model {
	m := term.Model{}
	for k, v := range w.abs.Sym.State {
		m[v.Term] = term.Eval(w.States[i][k], model)
	}
	return m
}

// StateIn is the substitution of the state variables by what they are before step i.
func (w *Formula) StateIn(i int) map[*term.Term]*term.Term {
	return stateIn(w.abs, w.States[i])
}

func stateIn(m *predabs.Abstraction, state []*term.Term) map[*term.Term]*term.Term {
	sub := map[*term.Term]*term.Term{}
	for k, v := range m.Sym.State {
		sub[v.Term] = state[k]
	}
	return sub
}

// Copy is the copy of a variable of a method in a step of the word.
func (w *Formula) Copy(v *term.Term, i int) *term.Term {
	return w.abs.Pool.Var(fmt.Sprintf("%s@%d", v.Name(), i), v.Sort())
}

// Within is a condition over the state, parameters and choices of a method in a step of the word.
func (w *Formula) Within(i int, t *term.Term) *term.Term {
	sub := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(t) {
		sub[v] = w.Copy(v, i)
	}
	for k, v := range w.abs.Sym.State {
		sub[v.Term] = w.States[i][k]
	}
	return w.abs.Pool.Substitute(t, sub)
}

// From is the condition of the word from step i on, over the state variables before
// it and the word's copies of arguments and choices.
func (w *Formula) From(i int) *term.Term {
	m := w.abs
	state := make([]*term.Term, len(m.Sym.State))
	for k, v := range m.Sym.State {
		state[k] = v.Term
	}
	all := m.Pool.True()
	for j := i; j < len(w.Steps); j++ {
		s := &w.Steps[j]
		sub := stateIn(m, state)
		for raw, copy := range s.Rename {
			sub[raw] = copy
		}
		all = m.Pool.And(all, m.Pool.Substitute(s.RawCond, sub))
		if j < w.Last() {
			state = m.Pool.SubstituteAll(s.RawVals[:len(state)], sub)
		}
	}
	return all
}

// A Seen is an integer result of a step of a word, as the client saw it.
type Seen struct {
	Step int
	Of   *prog.Var
	Seen *term.Term // variable
	Is   *term.Term // equation with what the step returns
}

// SeenResults lists the integer results of the word.
func (w *Formula) SeenResults() (out []Seen) {
	m := w.abs
	for i, s := range w.Steps {
		for k, t := range s.Results {
			r := m.Calls[s.Call].Sum.Method.Results[k]
			if r.Type.Sort.Kind == term.BitVecKind {
				seen := m.Pool.Var(fmt.Sprintf("%s%s@%d", predabs.SeenPrefix, r.Name, i), r.Type.Sort)
				out = append(out, Seen{i, r, seen, m.Pool.Eq(seen, t)})
			}
		}
	}
	return out
}
