// SPDX-License-Identifier: Apache-2.0

package predicates

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

// A RunStep is a step of a run of a word, by its number, along abstract states.
type RunStep struct {
	*words.Step
	w     *words.Formula
	i     int
	along []int32
}

// StepOf is a step of a run along abstract states.
func StepOf(w *words.Formula, i int, along []int32) RunStep {
	return RunStep{&w.Steps[i], w, i, along}
}

// isLast reports whether it is the last step of the word.
func (s RunStep) isLast() bool { return s.i == len(s.w.Steps)-1 }

// ProveRun adds the conditions that make an erring run certain, from its end:
// that the last call errs, else that the step before leads there, and so on.
func (f *Finder) ProveRun(ctx context.Context, w *words.Formula, model term.Model) error {
	along := f.AlongRun(w, model)
	for i := len(w.Steps) - 1; i >= 0; i-- {
		s := StepOf(w, i, along)
		ok, err := f.Certain(ctx, s)
		if err != nil {
			return err
		}
		if ok {
			continue
		}
		if added, err := f.proveStep(ctx, s, model); added || err != nil {
			return err
		}
	}
	return nil
}

// proveStep adds conditions that make a step of a run certain. It reports whether there are new ones.
func (f *Finder) proveStep(ctx context.Context, s RunStep, model term.Model) (bool, error) {
	goal := s.RawCond
	if !s.isLast() {
		goal = f.StepInto(s.w, s.i, s.along[s.i+1])
	}
	m := s.w.StateAt(s.i, model)
	for v, copy := range s.Rename {
		m[v] = model[copy]
	}
	if p, err := f.orderProves(ctx, s, goal, m); err != nil {
		return false, err
	} else if p != nil {
		f.Add([]*term.Term{p})
		return true, nil
	}
	core, not, err := f.coreOf(ctx, s, goal, m)
	if err != nil {
		return false, err
	}
	core = f.applying(s.along[s.i], core)
	if f.addChain(core, m) {
		return true, nil
	}
	if core, err = f.widenRun(ctx, core, m, s.along[s.i], not); err != nil {
		return false, err
	}
	if len(s.Params) > 0 || f.Abs.Calls[s.Call].Inexact && !s.isLast() {
		if core, err = f.generalize(ctx, s, goal, m, core); err != nil {
			return false, err
		}
	}
	before := len(f.Abs.Preds)
	f.Add(core)
	return len(f.Abs.Preds) > before, nil
}

// coreOf returns literals over the state that hold in m and imply the goal for the
// arguments and choices of m, and the condition that it fails for these.
func (f *Finder) coreOf(ctx context.Context, s RunStep, goal *term.Term, m term.Model) (core []*term.Term, not *term.Term, err error) {
	lits := f.literals(goal, m, f.Abs.Sym.State)
	fixed := map[*term.Term]*term.Term{}
	for v := range s.Rename {
		fixed[v] = f.Abs.Pool.Const(v.Sort(), m[v])
	}
	not = f.Abs.Pool.Not(f.Abs.Pool.Substitute(goal, fixed))
	f.Abs.Solver.Push()
	defer f.Abs.Solver.Pop()
	f.Abs.Solver.Assert(not)
	core, err = f.shrink(ctx, lits, lits)
	return core, not, err
}

// generalize returns literals over the state that hold in m and make a step of a run
// certain for the whole classes, or core if it finds none.
func (f *Finder) generalize(ctx context.Context, s RunStep, goal *term.Term, m term.Model, core []*term.Term) ([]*term.Term, error) {
	if ok, err := f.Certain(ctx, s, core...); err != nil || ok {
		return core, err
	}
	// The least general first: these are left out first.
	var lits []*term.Term
	free := term.FreeVars(goal)
	for _, v := range f.Abs.Sym.State {
		if slices.Contains(free, v.Term) {
			lits = append(lits, f.Abs.Pool.Eq(v.Term, f.Abs.Pool.Const(v.Type.Sort, m[v.Term])))
		}
	}
	for _, t := range append(slices.Clone(core), f.transferred(s.Call, goal)...) {
		if !term.Holds(t, m) {
			t = f.Abs.Pool.Not(t)
		}
		if !t.IsConst() && !slices.Contains(lits, t) {
			lits = append(lits, t)
		}
	}
	if ok, err := f.Certain(ctx, s, lits...); err != nil || !ok {
		return core, err
	}
	for k := 0; k < len(lits); {
		rest := slices.Delete(slices.Clone(lits), k, k+1)
		ok, err := f.Certain(ctx, s, rest...)
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
func (f *Finder) transferred(call int, goal *term.Term) []*term.Term {
	guard := describe.AtomsOf(f.Abs.Calls[call].Guard)
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
			if !p.IsVar() || !predabs.IsVarOf(f.Abs.Calls[call].Sum.Method.Params, p) || !describe.OverVars(e, f.Abs.Sym.State) {
				continue
			}
			for _, g := range guard {
				if !slices.Contains(term.FreeVars(g), p) {
					continue
				}
				t := f.Abs.Pool.Substitute(g, map[*term.Term]*term.Term{p: e})
				if describe.OverVars(t, f.Abs.Sym.State) && !slices.Contains(out, t) {
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
func (f *Finder) excludes(ctx context.Context, b *pathBlock, goal *term.Term, sub map[*term.Term]*term.Term) (*term.Term, error) {
	before := f.Abs.At(b.a, b.call, b.part, 0)
	for _, t := range f.transferred(b.call, goal) {
		for _, p := range []*term.Term{t, f.Abs.Pool.Not(t)} {
			if ok, err := f.separates(ctx, p, before, goal, sub); err != nil || ok {
				return p, err
			}
		}
	}
	return f.orderExcludes(ctx, before, goal, sub)
}

// separates reports whether a predicate holds in what was reached, which is asserted with
// the values of the state in sub, and excludes the goal; before is what the abstraction
// knows.
func (f *Finder) separates(ctx context.Context, p, before, goal *term.Term, sub map[*term.Term]*term.Term) (bool, error) {
	r, err := f.Abs.Check(ctx, f.Abs.Pool.Not(f.Abs.Pool.Substitute(p, sub)))
	if err != nil || r.Verdict != solve.Unsat {
		return false, err
	}
	r, err = f.Abs.Check(ctx, before, p, goal)
	return r.Verdict == solve.Unsat, err
}

// valuation returns the truth values of the predicates in a state.
func (f *Finder) valuation(m term.Model) predabs.Valuation {
	bits := make([]byte, len(f.Abs.Preds))
	for i, p := range f.Abs.Preds {
		bits[i] = '0'
		if term.Holds(p, m) {
			bits[i] = '1'
		}
	}
	return predabs.Valuation(bits)
}

// AlongRun returns the abstract states along a run.
func (f *Finder) AlongRun(w *words.Formula, model term.Model) []int32 {
	along := make([]int32, len(w.Steps))
	for i := 1; i < len(w.Steps); i++ {
		along[i] = f.Abs.Intern(f.valuation(w.StateAt(i, model)))
	}
	return along
}

// Certain reports whether a step of a run is certain, if more
// is known of the state: whatever the arguments and the results seen, the last call
// errs or another goes on along.
func (f *Finder) Certain(ctx context.Context, s RunStep, more ...*term.Term) (bool, error) {
	call := &f.Abs.Calls[s.Call]
	before := f.Abs.Pool.And(append(more, f.Abs.Region(s.along[s.i]), call.Guard)...)
	if s.isLast() && s.Outcome >= 0 {
		exit := f.Abs.Unrolled(call.Sum, false)
		return f.Abs.Must(ctx, s.along[s.i], before, f.Abs.Pool.And(exit.Cond, f.Abs.Pool.Substitute(call.Outcomes[s.Outcome].Cond, predabs.After(call.Sum, exit.Vals))))
	} else if s.isLast() {
		return f.Abs.Must(ctx, s.along[s.i], before, f.Abs.UnrolledOrRanked(call.Sum, true).Cond)
	}
	given, goal := f.Abs.Returning(call, s.Outcome)
	into := f.Abs.Cube(f.Abs.Cubes[s.along[s.i+1]], predabs.After(call.Sum, f.Abs.Unrolled(call.Sum, false).Vals))
	return f.Abs.Must(ctx, s.along[s.i], f.Abs.Pool.And(before, given), f.Abs.Pool.And(goal, into))
}
