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
	"github.com/interlock-go/interlock/internal/engine/words"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A runStep is a step of a run of a word, by its number, along abstract states.
type runStep struct {
	*words.Step
	w     *words.Formula
	i     int
	along []int32
}

// stepOf is a step of a run along abstract states.
func stepOf(w *words.Formula, i int, along []int32) runStep {
	return runStep{&w.Steps[i], w, i, along}
}

// isLast reports whether it is the last step of the word.
func (s runStep) isLast() bool { return s.i == len(s.w.Steps)-1 }

// ProveRun adds the conditions that make an erring run certain, from its end:
// that the last call errs, else that the step before leads there, and so on.
func (c *finder) ProveRun(ctx context.Context, w *words.Formula, model term.Model) error {
	along := c.alongRun(w, model)
	for i := len(w.Steps) - 1; i >= 0; i-- {
		s := stepOf(w, i, along)
		ok, err := c.certain(ctx, s)
		if err != nil {
			return err
		}
		if ok {
			continue
		}
		if added, err := c.proveStep(ctx, s, model); added || err != nil {
			return err
		}
	}
	return nil
}

// proveStep adds conditions that make a step of a run certain. It reports whether there are new ones.
func (c *finder) proveStep(ctx context.Context, s runStep, model term.Model) (bool, error) {
	goal := s.RawCond
	if !s.isLast() {
		goal = c.goalOf(s.w, s.i, s.along[s.i+1])
	}
	m := s.w.StateAt(s.i, model)
	for v, copy := range s.Rename {
		m[v] = model[copy]
	}
	if p, err := c.orderProves(ctx, s, goal, m); err != nil {
		return false, err
	} else if p != nil {
		c.AddPredicates([]*term.Term{p})
		return true, nil
	}
	core, not, err := c.coreOf(ctx, s, goal, m)
	if err != nil {
		return false, err
	}
	core = c.applying(s.along[s.i], core)
	if c.addChain(core, m) {
		return true, nil
	}
	if core, err = c.widenRun(ctx, core, m, s.along[s.i], not); err != nil {
		return false, err
	}
	if len(s.Params) > 0 || c.abs.Calls[s.Call].Inexact && !s.isLast() {
		if core, err = c.generalize(ctx, s, goal, m, core); err != nil {
			return false, err
		}
	}
	before := len(c.abs.Preds)
	c.AddPredicates(core)
	return len(c.abs.Preds) > before, nil
}

// coreOf returns literals over the state that hold in m and imply the goal for the
// arguments and choices of m, and the condition that it fails for these.
func (c *finder) coreOf(ctx context.Context, s runStep, goal *term.Term, m term.Model) (core []*term.Term, not *term.Term, err error) {
	lits := c.literals(goal, m, c.abs.Sym.State)
	fixed := map[*term.Term]*term.Term{}
	for v := range s.Rename {
		fixed[v] = c.abs.Pool.Const(v.Sort(), m[v])
	}
	not = c.abs.Pool.Not(c.abs.Pool.Substitute(goal, fixed))
	c.abs.Solver.Push()
	defer c.abs.Solver.Pop()
	c.abs.Solver.Assert(not)
	core, err = c.shrink(ctx, lits, lits)
	return core, not, err
}

// generalize returns literals over the state that hold in m and make a step of a run
// certain for the whole classes, or core if it finds none.
func (c *finder) generalize(ctx context.Context, s runStep, goal *term.Term, m term.Model, core []*term.Term) ([]*term.Term, error) {
	if ok, err := c.certain(ctx, s, core...); err != nil || ok {
		return core, err
	}
	// The least general first: these are left out first.
	var lits []*term.Term
	free := term.FreeVars(goal)
	for _, v := range c.abs.Sym.State {
		if slices.Contains(free, v.Term) {
			lits = append(lits, c.abs.Pool.Eq(v.Term, c.abs.Pool.Const(v.Type.Sort, m[v.Term])))
		}
	}
	for _, t := range append(slices.Clone(core), c.transferred(s.Call, goal)...) {
		if !term.Holds(t, m) {
			t = c.abs.Pool.Not(t)
		}
		if !t.IsConst() && !slices.Contains(lits, t) {
			lits = append(lits, t)
		}
	}
	if ok, err := c.certain(ctx, s, lits...); err != nil || !ok {
		return core, err
	}
	for k := 0; k < len(lits); {
		rest := slices.Delete(slices.Clone(lits), k, k+1)
		ok, err := c.certain(ctx, s, rest...)
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
func (c *finder) transferred(call int, goal *term.Term) []*term.Term {
	guard := describe.AtomsOf(c.abs.Calls[call].Guard)
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
			if !p.IsVar() || !predabs.IsVarOf(c.abs.Calls[call].Sum.Method.Params, p) || !describe.OverVars(e, c.abs.Sym.State) {
				continue
			}
			for _, g := range guard {
				if !slices.Contains(term.FreeVars(g), p) {
					continue
				}
				t := c.abs.Pool.Substitute(g, map[*term.Term]*term.Term{p: e})
				if describe.OverVars(t, c.abs.Sym.State) && !slices.Contains(out, t) {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// excludes looks for one predicate that holds in what was reached, whose values of the
// state are in sub, and excludes the goal of a block at the entry of its call for all arguments: a condition of the call's guard on what the goal
// compares its parameters with, or an order. What was reached is asserted.
func (c *finder) excludes(ctx context.Context, b *pathBlock, goal *term.Term, sub map[*term.Term]*term.Term) (*term.Term, error) {
	before := c.abs.At(b.a, b.call, b.part, 0)
	for _, t := range c.transferred(b.call, goal) {
		for _, p := range []*term.Term{t, c.abs.Pool.Not(t)} {
			if ok, err := c.separates(ctx, p, before, goal, sub); err != nil || ok {
				return p, err
			}
		}
	}
	return c.orderExcludes(ctx, before, goal, sub)
}

// separates reports whether a predicate holds in what was reached, which is asserted with
// the values of the state in sub, and excludes the goal; before is what the abstraction
// knows.
func (c *finder) separates(ctx context.Context, p, before, goal *term.Term, sub map[*term.Term]*term.Term) (bool, error) {
	r, err := c.abs.Check(ctx, c.abs.Pool.Not(c.abs.Pool.Substitute(p, sub)))
	if err != nil || r.Verdict != solve.Unsat {
		return false, err
	}
	r, err = c.abs.Check(ctx, before, p, goal)
	return r.Verdict == solve.Unsat, err
}

// valuation returns the truth values of the predicates in a state.
func (c *finder) valuation(m term.Model) predabs.Valuation {
	bits := make([]byte, len(c.abs.Preds))
	for i, p := range c.abs.Preds {
		bits[i] = '0'
		if term.Holds(p, m) {
			bits[i] = '1'
		}
	}
	return predabs.Valuation(bits)
}

// alongRun returns the abstract states along a run.
func (c *finder) alongRun(w *words.Formula, model term.Model) []int32 {
	along := make([]int32, len(w.Steps))
	for i := 1; i < len(w.Steps); i++ {
		along[i] = c.abs.Intern(c.valuation(w.StateAt(i, model)))
	}
	return along
}

// certain reports whether a step of a run is certain, if more
// is known of the state: whatever the arguments and the results seen, the last call
// errs or another goes on along.
func (c *finder) certain(ctx context.Context, s runStep, more ...*term.Term) (bool, error) {
	call := &c.abs.Calls[s.Call]
	before := c.abs.Pool.And(append(more, c.abs.Region(s.along[s.i]), call.Guard)...)
	if s.isLast() && s.Outcome >= 0 {
		exit := c.abs.Unrolled(call.Sum, false)
		return c.abs.Must(ctx, s.along[s.i], before, c.abs.Pool.And(exit.Cond, c.abs.Pool.Substitute(call.Outcomes[s.Outcome].Cond, predabs.After(call.Sum, exit.Vals))))
	} else if s.isLast() {
		return c.abs.Must(ctx, s.along[s.i], before, c.abs.UnrolledOrRanked(call.Sum, true).Cond)
	}
	given, goal := c.abs.Returning(call, s.Outcome)
	into := c.abs.Cube(c.abs.Cubes[s.along[s.i+1]], predabs.After(call.Sum, c.abs.Unrolled(call.Sum, false).Vals))
	return c.abs.Must(ctx, s.along[s.i], c.abs.Pool.And(before, given), c.abs.Pool.And(goal, into))
}
