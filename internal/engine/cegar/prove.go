// SPDX-License-Identifier: Apache-2.0

package cegar

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

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// ProveRun adds the conditions that make an erring run certain, from its end:
// that the last call errs, else that the step before leads there, and so on.
func (c *Run) ProveRun(ctx context.Context, w *WordFormula, model term.Model) error {
	n := len(w.Steps) - 1
	along := c.alongRun(w, model)
	for i := n; i >= 0; i-- {
		ok, err := c.certain(ctx, w, i, along)
		if err != nil {
			return err
		}
		if ok {
			continue
		}
		s := &w.Steps[i]
		goal := s.rawCond
		if i < n {
			goal = c.goalOf(w, i, along[i+1])
		}
		m := term.Model{}
		for k, v := range c.Sym.State {
			m[v.Term] = term.Eval(w.states[i][k], model)
		}
		for v, copy := range s.rename {
			m[v] = model[copy]
		}
		if p, err := c.orderProves(ctx, w, i, goal, m, along); err != nil {
			return err
		} else if p != nil {
			c.AddPredicates([]*term.Term{p})
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
		if len(s.Params) > 0 || c.Calls[s.Call].Inexact && i < n {
			if core, err = c.generalize(ctx, w, i, goal, m, along, core); err != nil {
				return err
			}
		}
		before := len(c.Preds)
		c.AddPredicates(core)
		if len(c.Preds) > before {
			return nil
		}
	}
	return nil
}

// coreOf returns literals over the state that hold in m and imply the goal for the
// arguments and choices of m, and the condition that it fails for these.
func (c *Run) coreOf(ctx context.Context, w *WordFormula, i int, goal *term.Term, m term.Model) (core []*term.Term, not *term.Term, err error) {
	lits := c.literals(goal, m, c.Sym.State)
	fixed := map[*term.Term]*term.Term{}
	for v := range w.Steps[i].rename {
		fixed[v] = c.Pool.Const(v.Sort(), m[v])
	}
	not = c.Pool.Not(c.Pool.Substitute(goal, fixed))
	c.Solver.Push()
	defer c.Solver.Pop()
	c.Solver.Assert(not)
	core, err = c.shrink(ctx, lits, lits)
	return core, not, err
}

// generalize returns literals over the state that hold in m and make step i
// certain for the whole classes, or core if it finds none.
func (c *Run) generalize(ctx context.Context, w *WordFormula, i int, goal *term.Term, m term.Model, along []int32, core []*term.Term) ([]*term.Term, error) {
	if ok, err := c.certain(ctx, w, i, along, core...); err != nil || ok {
		return core, err
	}
	// The least general first: these are left out first.
	var lits []*term.Term
	free := term.FreeVars(goal)
	for _, v := range c.Sym.State {
		if slices.Contains(free, v.Term) {
			lits = append(lits, c.Pool.Eq(v.Term, c.Pool.Const(v.Type.Sort, m[v.Term])))
		}
	}
	for _, t := range append(slices.Clone(core), c.transferred(w.Steps[i].Call, goal)...) {
		if !term.Holds(t, m) {
			t = c.Pool.Not(t)
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
func (c *Run) transferred(call int, goal *term.Term) []*term.Term {
	guard := describe.AtomsOf(c.Calls[call].Guard)
	if len(guard) == 0 {
		return nil
	}
	var out []*term.Term
	for _, atom := range describe.AtomsOf(goal) {
		if len(atom.Args()) != 2 {
			continue
		}
		for k, p := range atom.Args() {
			e := atom.Args()[1-k]
			if !p.IsVar() || !predabs.IsVarOf(c.Calls[call].Sum.Method.Params, p) || !describe.OverVars(e, c.Sym.State) {
				continue
			}
			for _, g := range guard {
				if !slices.Contains(term.FreeVars(g), p) {
					continue
				}
				t := c.Pool.Substitute(g, map[*term.Term]*term.Term{p: e})
				if describe.OverVars(t, c.Sym.State) && !slices.Contains(out, t) {
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
func (c *Run) excludes(ctx context.Context, call int, before, goal *term.Term, sub map[*term.Term]*term.Term) (*term.Term, error) {
	for _, t := range c.transferred(call, goal) {
		for _, p := range []*term.Term{t, c.Pool.Not(t)} {
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
func (c *Run) separates(ctx context.Context, p, before, goal *term.Term, sub map[*term.Term]*term.Term) (bool, error) {
	r, err := c.Check(ctx, c.Pool.Not(c.Pool.Substitute(p, sub)))
	if err != nil || r.Verdict != solve.Unsat {
		return false, err
	}
	r, err = c.Check(ctx, before, p, goal)
	return r.Verdict == solve.Unsat, err
}

// valuation returns the truth values of the predicates in a state.
func (c *Run) valuation(m term.Model) predabs.Valuation {
	bits := make([]byte, len(c.Preds))
	for i, p := range c.Preds {
		bits[i] = '0'
		if term.Holds(p, m) {
			bits[i] = '1'
		}
	}
	return predabs.Valuation(bits)
}

// alongRun returns the abstract states along a run.
func (c *Run) alongRun(w *WordFormula, model term.Model) []int32 {
	along := make([]int32, len(w.Steps))
	for i := 1; i < len(w.Steps); i++ {
		m := term.Model{}
		for k, v := range c.Sym.State {
			m[v.Term] = term.Eval(w.states[i][k], model)
		}
		along[i] = c.Intern(c.valuation(m))
	}
	return along
}

// certain reports whether step i of a run along abstract states is certain, if more
// is known of the state: whatever the arguments and the results seen, the last call
// errs or another goes on along.
func (c *Run) certain(ctx context.Context, w *WordFormula, i int, along []int32, more ...*term.Term) (bool, error) {
	call := &c.Calls[w.Steps[i].Call]
	before := c.Pool.And(append(more, c.Region(along[i]), call.Guard)...)
	if last := i == len(w.Steps)-1; last && w.Steps[i].outcome >= 0 {
		exit := c.Unrolled(call.Sum, false)
		return c.Must(ctx, along[i], before, c.Pool.And(exit.Cond, c.Pool.Substitute(call.Outcomes[w.Steps[i].outcome].Cond, predabs.After(call.Sum, exit.Vals))))
	} else if last {
		return c.Must(ctx, along[i], before, c.UnrolledOrRanked(call.Sum, true).Cond)
	}
	given, goal := c.Returning(call, w.Steps[i].outcome)
	into := c.Cube(c.Cubes[along[i+1]], predabs.After(call.Sum, c.Unrolled(call.Sum, false).Vals))
	return c.Must(ctx, along[i], c.Pool.And(before, given), c.Pool.And(goal, into))
}
