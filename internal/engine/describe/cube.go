// SPDX-License-Identifier: Apache-2.0

package describe

// This file finds conditions by CUBES, conjunctions of literals that hold in a model and imply a formula: the cofactor
// of a formula in a context is covered by prime cubes.

import (
	"cmp"
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// Cubes finds cubes of formulas of a pool with a solver.
type Cubes struct {
	Pool *term.Pool
	Ask  func(ctx context.Context, ts ...*term.Term) (solve.Result, error) // decides a conjunction; what it cannot decide is an error
}

// Cofactor returns a condition over vars under which the formula holds for some
// values of the variables that the given values leave open. It is that condition
// within another one, or at least a part of it that the model at is in (at is a
// model of the formula with the given values).
func (c Cubes) Cofactor(ctx context.Context, formula *term.Term, vars []*term.Term, values term.Model, within *term.Term, at term.Model) (*term.Term, error) {
	fixed := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(formula) {
		if x, ok := values[v]; ok && !slices.Contains(vars, v) {
			fixed[v] = c.Pool.Const(v.Sort(), x)
		}
	}
	formula = c.Pool.Substitute(formula, fixed)
	hidden := slices.DeleteFunc(term.FreeVars(formula), func(v *term.Term) bool { return slices.Contains(vars, v) })
	found, all, err := c.Cover(ctx, formula, hidden, within, at, fewCubes)
	if err != nil || all {
		return found, err
	}
	if len(hidden) == 0 {
		// What has many cubes may have few outside.
		r, err := c.Ask(ctx, within, c.Pool.Not(formula))
		if err != nil {
			return nil, err
		}
		if r.Verdict == solve.Sat {
			if outside, all, err := c.Cover(ctx, c.Pool.Not(formula), nil, within, r.Model, fewCubes); err != nil || all {
				return c.Pool.Not(outside), err
			}
		}
	}
	found, _, err = c.Cover(ctx, formula, hidden, within, at, manyCubes)
	return found, err
}

// Cover covers a formula within another one by cubes, the first of which the model
// at is in, and reports whether they are all. Hidden variables may have any values.
func (c Cubes) Cover(ctx context.Context, formula *term.Term, hidden []*term.Term, within *term.Term, at term.Model, limit int) (found *term.Term, all bool, err error) {
	found = c.Pool.False()
	for range limit {
		chosen := map[*term.Term]*term.Term{}
		for _, v := range hidden {
			chosen[v] = c.Pool.Const(v.Sort(), at[v])
		}
		cube, err := c.Prime(ctx, c.Pool.Substitute(formula, chosen), at)
		if err != nil {
			return nil, false, err
		}
		found = c.Pool.Or(found, cube)
		r, err := c.Ask(ctx, formula, within, c.Pool.Not(found))
		if err != nil {
			return nil, false, err
		}
		if r.Verdict == solve.Unsat {
			return found, true, nil
		}
		at = r.Model
	}
	return found, false, nil
}

// Prime returns a conjunction of literals that holds in the model and implies
// the formula, and of which none can be left out.
func (c Cubes) Prime(ctx context.Context, formula *term.Term, m term.Model) (*term.Term, error) {
	lits := implicant(c.Pool, formula, m)
	slices.SortStableFunc(lits, func(a, b *term.Term) int { return cmp.Compare(term.Size(b), term.Size(a)) })
	not := c.Pool.Not(formula)
	for i := 0; i < len(lits); {
		rest := slices.Delete(slices.Clone(lits), i, i+1)
		r, err := c.Ask(ctx, append([]*term.Term{not}, rest...)...)
		if err != nil {
			return nil, err
		}
		if r.Verdict == solve.Unsat {
			lits = rest
		} else {
			i++
		}
	}
	return c.Pool.And(lits...), nil
}

// implicant returns literals that hold in the model and together imply the
// formula, which holds in it too. If-then-else inside comparisons is resolved: its
// condition becomes a literal of its own.
func implicant(pool *term.Pool, formula *term.Term, m term.Model) []*term.Term {
	c := &collector{pool: pool, model: m, seen: map[*term.Term]bool{}, resolved: map[*term.Term]*term.Term{}}
	c.fix(formula)
	return c.lits
}

// A collector collects literals that hold in a model.
type collector struct {
	pool     *term.Pool
	model    term.Model
	lits     []*term.Term
	seen     map[*term.Term]bool       // conditions whose values the literals imply
	resolved map[*term.Term]*term.Term // what terms are as long as the literals hold
}

// fix adds literals that imply the value which a condition has in the model.
func (c *collector) fix(t *term.Term) {
	if c.seen[t] || t.IsConst() {
		return
	}
	c.seen[t] = true
	args := t.Args()
	switch t.Op() {
	case term.OpNot:
		c.fix(args[0])
		return
	case term.OpAnd, term.OpOr:
		c.fixJunction(t)
		return
	case term.OpIte:
		c.fix(args[0])
		if term.Holds(args[0], c.model) {
			c.fix(args[1])
		} else {
			c.fix(args[2])
		}
		return
	case term.OpEq:
		if args[0].Sort().Kind == term.BoolKind {
			c.fix(args[0])
			c.fix(args[1])
			return
		}
	}
	c.add(t)
}

// fixJunction fixes a conjunction or disjunction: the smallest argument that decides it, or else all.
func (c *collector) fixJunction(t *term.Term) {
	args := t.Args()
	decides := t.Op() == term.OpOr
	if term.Holds(t, c.model) != decides {
		for _, a := range args {
			c.fix(a)
		}
		return
	}
	one := args[0]
	for _, a := range args {
		if term.Holds(a, c.model) == decides && (term.Holds(one, c.model) != decides || term.Size(a) < term.Size(one)) {
			one = a
		}
	}
	c.fix(one)
}

// add adds the literal of a comparison or boolean variable.
func (c *collector) add(t *term.Term) {
	lit := t
	if !t.IsVar() {
		args := make([]*term.Term, len(t.Args()))
		for i, a := range t.Args() {
			args[i] = c.resolve(a)
		}
		lit = c.pool.Apply(t, args)
	}
	if !term.Holds(t, c.model) {
		lit = c.pool.Not(lit)
	}
	if !lit.IsConst() && !slices.Contains(c.lits, lit) {
		c.lits = append(c.lits, lit)
	}
}

// resolve returns what a term is as long as the literals hold.
func (c *collector) resolve(t *term.Term) *term.Term {
	if len(t.Args()) == 0 {
		return t
	}
	if r := c.resolved[t]; r != nil {
		return r
	}
	var r *term.Term
	switch {
	case t.Sort().Kind == term.BoolKind:
		c.fix(t)
		r = c.pool.Bool(term.Holds(t, c.model))
	case t.Op() == term.OpIte:
		c.fix(t.Args()[0])
		if term.Holds(t.Args()[0], c.model) {
			r = c.resolve(t.Args()[1])
		} else {
			r = c.resolve(t.Args()[2])
		}
	default:
		args := make([]*term.Term, len(t.Args()))
		for i, a := range t.Args() {
			args[i] = c.resolve(a)
		}
		r = c.pool.Apply(t, args)
	}
	c.resolved[t] = r
	return r
}
