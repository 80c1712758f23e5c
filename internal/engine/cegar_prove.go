// SPDX-License-Identifier: Apache-2.0

package engine

// This file makes erring runs certain: it adds predicates under which each step of
// a run can be taken whatever the arguments and results of the classes.
//
// The literals that make a step certain for the arguments of the run are tried
// first, because they are those of the code. They need not do for the other
// arguments of the class: of release(id) with the guard id != 0, that id = 5 is
// wrong says t != 5, and that every id is wrong says t == 0. So the conditions of
// the guard are tried on what the code compares the argument with, and at last the
// values of the variables themselves.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// proveRun adds the conditions that make an erring run certain, from its end:
// that the last call errs, else that the step before leads there, and so on.
func (c *cegar) proveRun(ctx context.Context, w *wordFormula, model term.Model) error {
	n := len(w.steps) - 1
	along := c.alongRun(w, model)
	for i := n; i >= 0; i-- {
		ok, err := c.certain(ctx, w, i, along)
		if err != nil {
			return err
		}
		if ok {
			continue
		}
		s := &w.steps[i]
		goal := s.rawCond
		if i < n {
			goal = c.goalOf(w, i, along[i+1])
		}
		m := term.Model{}
		for k, v := range c.sym.State {
			m[v.Term] = term.Eval(w.states[i][k], model)
		}
		for v, copy := range s.rename {
			m[v] = model[copy]
		}
		if p, err := c.orderProves(ctx, w, i, goal, m, along); err != nil {
			return err
		} else if p != nil {
			c.addPredicates([]*term.Term{p})
			return nil
		}
		core, not, err := c.coreOf(ctx, w, i, goal, m)
		if err != nil {
			return err
		}
		core = c.applying(along[i], core)
		if c.addChain(core, m) {
			return nil
		}
		if core, err = c.widenRun(ctx, core, m, along[i], not); err != nil {
			return err
		}
		if len(s.params) > 0 || c.calls[s.call].inexact && i < n {
			if core, err = c.generalize(ctx, w, i, goal, m, along, core); err != nil {
				return err
			}
		}
		before := len(c.preds)
		c.addPredicates(core)
		if len(c.preds) > before {
			return nil
		}
	}
	return nil
}

// coreOf returns literals over the state that hold in m and imply the goal for the
// arguments and choices of m, and the condition that it fails for these.
func (c *cegar) coreOf(ctx context.Context, w *wordFormula, i int, goal *term.Term, m term.Model) (core []*term.Term, not *term.Term, err error) {
	lits := c.literals(goal, m, c.sym.State)
	fixed := map[*term.Term]*term.Term{}
	for v := range w.steps[i].rename {
		fixed[v] = c.pool.Const(v.Sort(), m[v])
	}
	not = c.pool.Not(c.pool.Substitute(goal, fixed))
	c.solver.Push()
	defer c.solver.Pop()
	c.solver.Assert(not)
	core, err = c.shrink(ctx, lits, lits)
	return core, not, err
}

// generalize returns literals over the state that hold in m and make step i
// certain for the whole classes, or core if it finds none.
func (c *cegar) generalize(ctx context.Context, w *wordFormula, i int, goal *term.Term, m term.Model, along []int32, core []*term.Term) ([]*term.Term, error) {
	if ok, err := c.certain(ctx, w, i, along, core...); err != nil || ok {
		return core, err
	}
	// The least general first: these are left out first.
	var lits []*term.Term
	free := term.FreeVars(goal)
	for _, v := range c.sym.State {
		if slices.Contains(free, v.Term) {
			lits = append(lits, c.pool.Eq(v.Term, c.pool.Const(v.Type.Sort, m[v.Term])))
		}
	}
	for _, t := range append(slices.Clone(core), c.transferred(w.steps[i].call, goal)...) {
		if !term.Holds(t, m) {
			t = c.pool.Not(t)
		}
		if !t.IsConst() && !slices.Contains(lits, t) {
			lits = append(lits, t)
		}
	}
	if ok, err := c.certain(ctx, w, i, along, lits...); err != nil || !ok {
		return core, err
	}
	for k := 0; k < len(lits); {
		rest := slices.Delete(slices.Clone(lits), k, k+1)
		ok, err := c.certain(ctx, w, i, along, rest...)
		if err != nil {
			return nil, err
		}
		if ok {
			lits = rest
		} else {
			k++
		}
	}
	return lits, nil
}

// transferred returns the conditions of a call's guard on the expressions over the
// state that the goal compares its parameters with.
func (c *cegar) transferred(call int, goal *term.Term) []*term.Term {
	guard := atomsOf(c.calls[call].guard)
	if len(guard) == 0 {
		return nil
	}
	var out []*term.Term
	for _, atom := range atomsOf(goal) {
		if len(atom.Args()) != 2 {
			continue
		}
		for k, p := range atom.Args() {
			e := atom.Args()[1-k]
			if !p.IsVar() || !isVarOf(c.calls[call].sum.Method.Params, p) || !overVars(e, c.sym.State) {
				continue
			}
			for _, g := range guard {
				if !slices.Contains(term.FreeVars(g), p) {
					continue
				}
				t := c.pool.Substitute(g, map[*term.Term]*term.Term{p: e})
				if overVars(t, c.sym.State) && !slices.Contains(out, t) {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// excludes looks for one predicate, a condition of the call's guard on what the goal
// compares its parameters with, that holds in what was reached, whose values of the
// state are in sub, and excludes the goal for all arguments. What was reached is
// asserted; before is what the abstraction knows.
func (c *cegar) excludes(ctx context.Context, call int, before, goal *term.Term, sub map[*term.Term]*term.Term) (*term.Term, error) {
	for _, t := range c.transferred(call, goal) {
		for _, p := range []*term.Term{t, c.pool.Not(t)} {
			if ok, err := c.separates(ctx, p, before, goal, sub); err != nil || ok {
				return p, err
			}
		}
	}
	return nil, nil
}

// separates reports whether a predicate holds in what was reached, which is asserted with
// the values of the state in sub, and excludes the goal; before is what the abstraction
// knows.
func (c *cegar) separates(ctx context.Context, p, before, goal *term.Term, sub map[*term.Term]*term.Term) (bool, error) {
	r, err := c.check(ctx, c.pool.Not(c.pool.Substitute(p, sub)))
	if err != nil || r.Verdict != solve.Unsat {
		return false, err
	}
	r, err = c.check(ctx, before, p, goal)
	return r.Verdict == solve.Unsat, err
}

// valuation returns the truth values of the predicates in a state.
func (c *cegar) valuation(m term.Model) valuation {
	bits := make([]byte, len(c.preds))
	for i, p := range c.preds {
		bits[i] = '0'
		if term.Holds(p, m) {
			bits[i] = '1'
		}
	}
	return valuation(bits)
}

// alongRun returns the abstract states along a run.
func (c *cegar) alongRun(w *wordFormula, model term.Model) []int32 {
	along := make([]int32, len(w.steps))
	for i := 1; i < len(w.steps); i++ {
		m := term.Model{}
		for k, v := range c.sym.State {
			m[v.Term] = term.Eval(w.states[i][k], model)
		}
		along[i] = c.intern(c.valuation(m))
	}
	return along
}

// certain reports whether step i of a run along abstract states is certain, if more
// is known of the state: whatever the arguments and the results seen, the last call
// errs or another goes on along.
func (c *cegar) certain(ctx context.Context, w *wordFormula, i int, along []int32, more ...*term.Term) (bool, error) {
	call := &c.calls[w.steps[i].call]
	before := c.pool.And(append(more, c.region(along[i]), call.guard)...)
	if last := i == len(w.steps)-1; last && w.steps[i].outcome >= 0 {
		exit := c.unrolled(call.sum, false)
		return c.must(ctx, along[i], before, c.pool.And(exit.cond, c.pool.Substitute(call.outcomes[w.steps[i].outcome].cond, after(call.sum, exit.vals))))
	} else if last {
		return c.must(ctx, along[i], before, c.unrolledOrRanked(call.sum, true).cond)
	}
	given, goal := c.returning(call, w.steps[i].outcome)
	into := c.cube(c.cubes[along[i+1]], after(call.sum, c.unrolled(call.sum, false).vals))
	return c.must(ctx, along[i], c.pool.And(before, given), c.pool.And(goal, into))
}
