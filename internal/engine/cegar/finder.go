// SPDX-License-Identifier: Apache-2.0

package cegar

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

// A finder finds predicates.
type finder struct {
	abs      *predabs.Abstraction
	Extended map[*term.Term]bool // predicates that were added for a whole chain
	sums     map[*prog.Var]bool  // see isSum
}

// newFinder finds predicates of an abstraction.
func newFinder(m *predabs.Abstraction) *finder {
	return &finder{abs: m, Extended: map[*term.Term]bool{}}
}

// goalOf is the condition, over the variables of step i's method, to take the
// step into an abstract state.
func (c *finder) goalOf(w *words.Formula, i int, to int32) *term.Term {
	s := &w.Steps[i]
	sum := c.abs.Calls[s.Call].Sum
	return c.abs.Pool.And(s.RawCond, c.abs.Cube(c.abs.Cubes[to], predabs.After(sum, s.RawVals)))
}

// literals returns the atoms of a formula as they are in a model, over some
// variables only: others, and choices, take their values of the model. Their
// conjunction implies the formula for these values.
func (c *finder) literals(formula *term.Term, m term.Model, over []*prog.Var) []*term.Term {
	fixed := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(formula) {
		if !predabs.IsVarOf(over, v) {
			fixed[v] = c.abs.Pool.Const(v.Sort(), m[v])
		}
	}
	formula = c.abs.Pool.Substitute(formula, fixed)
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
				lits = append(lits, c.abs.Pool.Not(t))
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
func (c *finder) shrink(ctx context.Context, lits, moved []*term.Term) ([]*term.Term, error) {
	r, err := c.abs.Check(ctx, moved...)
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
		r, err := c.abs.Check(ctx, rest...)
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

// AddPredicates adds the atoms of literals that are new.
func (c *finder) AddPredicates(lits []*term.Term) {
	var all []*term.Term
	for _, l := range lits {
		all = append(all, c.cases(l)...)
	}
	for _, l := range all {
		if l.Op() == term.OpNot {
			l = l.Args()[0]
		}
		if l.IsConst() || slices.Contains(c.abs.Preds, l) || slices.Contains(c.abs.Preds, c.abs.Pool.Not(l)) {
			continue
		}
		c.abs.Preds = append(c.abs.Preds, l)
	}
}

// AboutLast names the variables of the last predicates.
func (c *finder) AboutLast() string {
	var names []string
	for _, p := range c.abs.Preds[max(0, len(c.abs.Preds)-4):] {
		for _, v := range term.FreeVars(p) {
			if !slices.Contains(names, v.Name()) {
				names = append(names, v.Name())
			}
		}
	}
	return problem.Join(names)
}
