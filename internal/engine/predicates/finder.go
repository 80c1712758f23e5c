// SPDX-License-Identifier: Apache-2.0

package predicates

import (
	"cmp"
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/engine/words"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// This file adds predicates, and finds those of a formula.

// A Finder finds predicates.
type Finder struct {
	Abs      *predabs.Abstraction
	Extended map[*term.Term]bool // predicates that were added for a whole chain
	sums     map[*prog.Var]bool  // see isSum
}

// New finds predicates of an abstraction.
func New(m *predabs.Abstraction) *Finder {
	return &Finder{Abs: m, Extended: map[*term.Term]bool{}}
}

// StepInto is the condition, over the variables of step i's method, to take the
// step into an abstract state.
func (f *Finder) StepInto(w *words.Formula, i int, to int32) *term.Term {
	s := &w.Steps[i]
	sum := f.Abs.Calls[s.Call].Sum
	return f.Abs.Pool.And(s.RawCond, f.Abs.Cube(f.Abs.Cubes[to], predabs.After(sum, s.RawVals)))
}

// literals returns the atoms of a formula as they are in a model, over some
// variables only: others, and choices, take their values of the model. Their
// conjunction implies the formula for these values.
func (f *Finder) literals(formula *term.Term, m term.Model, over []*prog.Var) []*term.Term {
	fixed := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(formula) {
		if !predabs.IsVarOf(over, v) {
			fixed[v] = f.Abs.Pool.Const(v.Sort(), m[v])
		}
	}
	formula = f.Abs.Pool.Substitute(formula, fixed)
	var lits []*term.Term
	seen := map[*term.Term]bool{}
	var walk func(t *term.Term)
	walk = func(t *term.Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Sort().Kind == term.BoolKind {
			switch t.Op() {
			case term.OpConst:
				return
			case term.OpNot, term.OpAnd, term.OpOr, term.OpIte:
				for _, a := range t.Args() {
					walk(a)
				}
				return
			case term.OpEq:
				if t.Args()[0].Sort().Kind == term.BoolKind {
					walk(t.Args()[0])
					walk(t.Args()[1])
					return
				}
			}
			// Conditions inside the atom decide its shape.
			for _, a := range t.Args() {
				walk(a)
			}
			if term.Holds(t, m) {
				lits = append(lits, t)
			} else {
				lits = append(lits, f.Abs.Pool.Not(t))
			}
			return
		}
		for _, a := range t.Args() {
			walk(a)
		}
	}
	walk(formula)
	slices.SortStableFunc(lits, func(a, b *term.Term) int { return cmp.Compare(term.Size(b), term.Size(a)) })
	return lits
}

// shrink returns literals whose counterparts still contradict what is
// asserted; large ones are left out first.
func (f *Finder) shrink(ctx context.Context, lits, moved []*term.Term) ([]*term.Term, error) {
	r, err := f.Abs.Check(ctx, moved...)
	if err != nil {
		return nil, err
	}
	if r.Verdict != solve.Unsat {
		return lits, nil // not a contradiction: all of them
	}
	keep := slices.Repeat([]bool{true}, len(lits))
	for i := range lits {
		keep[i] = false
		var rest []*term.Term
		for k := range moved {
			if keep[k] {
				rest = append(rest, moved[k])
			}
		}
		r, err := f.Abs.Check(ctx, rest...)
		if err != nil {
			return nil, err
		}
		if r.Verdict != solve.Unsat {
			keep[i] = true
		}
	}
	var out []*term.Term
	for i, l := range lits {
		if keep[i] {
			out = append(out, l)
		}
	}
	return out, nil
}

// Add adds the atoms of literals that are new.
func (f *Finder) Add(lits []*term.Term) {
	var all []*term.Term
	for _, l := range lits {
		all = append(all, f.cases(l)...)
	}
	for _, l := range all {
		if l.Op() == term.OpNot {
			l = l.Args()[0]
		}
		if l.IsConst() || slices.Contains(f.Abs.Preds, l) || slices.Contains(f.Abs.Preds, f.Abs.Pool.Not(l)) {
			continue
		}
		f.Abs.Preds = append(f.Abs.Preds, l)
	}
}

// AboutLast names the variables of the last predicates.
func (f *Finder) AboutLast() string {
	var names []string
	for _, p := range f.Abs.Preds[max(0, len(f.Abs.Preds)-4):] {
		for _, v := range term.FreeVars(p) {
			if !slices.Contains(names, v.Name()) {
				names = append(names, v.Name())
			}
		}
	}
	return problem.Join(names)
}
