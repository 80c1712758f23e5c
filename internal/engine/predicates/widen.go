// SPDX-License-Identifier: Apache-2.0

package predicates

// This file keeps refinement from chasing a counter. A spurious trace that ends
// with "n is 0 after being 6" is refuted by n = -1, the next one by n = -2, and so
// for ever: each predicate pushes the trace one call further. When several
// equations about one variable are predicates already, a bound is tried
// instead: one that holds in what the component has reached and excludes what
// the trace needs.

import (
	"cmp"
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// widen returns predicates instead of the literals of core, each of which
// speaks of the state before a step of a spurious trace; what the component
// has reached there is asserted, with the state's values in sub. If no bound
// does, core is returned.
func (f *Finder) widen(ctx context.Context, core []*term.Term, sub map[*term.Term]*term.Term) ([]*term.Term, error) {
	if len(core) != 1 {
		return core, nil // the bound would have to refute them all
	}
	for _, bound := range f.bounds(core) {
		// The trace needs core[0]; the bound must exclude it, and hold in what was reached.
		r, err := f.Abs.Check(ctx, bound, core[0])
		if err != nil {
			return nil, err
		}
		if r.Verdict != solve.Unsat {
			continue
		}
		r, err = f.Abs.Check(ctx, f.Abs.Pool.Substitute(f.Abs.Pool.Not(bound), sub))
		if err != nil {
			return nil, err
		}
		if r.Verdict == solve.Unsat {
			return []*term.Term{bound}, nil
		}
	}
	return core, nil
}

// widenRun is widen for a run that errs: the bound must hold in the run's state,
// given by m, and make the step certain in the abstract state.
func (f *Finder) widenRun(ctx context.Context, core []*term.Term, m term.Model, a int32, failed *term.Term) ([]*term.Term, error) {
	for _, bound := range f.bounds(core) {
		if !term.Holds(bound, m) {
			continue
		}
		r, err := f.Abs.Check(ctx, f.Abs.Region(a), bound, failed)
		if err != nil {
			return nil, err
		}
		if r.Verdict == solve.Unsat {
			return []*term.Term{bound}, nil
		}
	}
	return core, nil
}

// bounds proposes bounds, none of them a predicate yet, if the literals are all
// about the value of one counter.
func (f *Finder) bounds(core []*term.Term) []*term.Term {
	var v *prog.Var
	for _, l := range core {
		if l.Op() == term.OpNot {
			l = l.Args()[0]
		}
		w, _, ok := f.equation(l)
		if !ok || v != nil && w != v {
			return nil
		}
		v = w
	}
	if v == nil {
		return nil
	}
	var constants []term.Value
	for _, p := range f.Abs.Preds {
		if w, k, ok := f.equation(p); ok && w == v {
			constants = append(constants, k)
		}
	}
	if len(constants) < chased {
		return nil
	}
	less := f.Abs.Pool.ULe
	order := func(a, b term.Value) int { return cmp.Compare(a.Lo, b.Lo) }
	if v.Type.Signed {
		less = f.Abs.Pool.SLe
		order = func(a, b term.Value) int {
			return cmp.Compare(a.Int64(v.Type.Sort.Width), b.Int64(v.Type.Sort.Width))
		}
	}
	slices.SortFunc(constants, order)
	low := f.Abs.Pool.Const(v.Type.Sort, constants[0])
	high := f.Abs.Pool.Const(v.Type.Sort, constants[len(constants)-1])
	var out []*term.Term
	for _, b := range []*term.Term{
		less(low, v.Term), less(v.Term, high), f.Abs.Pool.Not(less(v.Term, high)), f.Abs.Pool.Not(less(low, v.Term)),
	} {
		if !slices.Contains(f.Abs.Preds, b) && !slices.Contains(f.Abs.Preds, f.Abs.Pool.Not(b)) {
			out = append(out, b)
		}
	}
	return out
}

// equation splits a literal "variable = constant" of an integer.
func (f *Finder) equation(l *term.Term) (*prog.Var, term.Value, bool) {
	if l.Op() != term.OpEq {
		return nil, term.Value{}, false
	}
	a, b := l.Args()[0], l.Args()[1]
	if a.IsConst() {
		a, b = b, a
	}
	if !b.IsConst() || a.Sort().Kind != term.BitVecKind {
		return nil, term.Value{}, false
	}
	for _, v := range f.Abs.Sym.State {
		if v.Term == a {
			return v, b.Value(), true
		}
	}
	return nil, term.Value{}, false
}

// AddLoopAtoms adds one condition of the code as a predicate: of a method with
// loops in the word, over the state alone. A trace that the abstraction takes
// through a loop many times cannot be refuted by unrolling; what the loop and
// the code around it test often can.
func (f *Finder) AddLoopAtoms(word [][2]int, last int) {
	for i := len(word); i >= 0; i-- {
		call := last
		if i < len(word) {
			call = word[i][0]
		}
		sum := f.Abs.Calls[call].Sum
		if len(sum.Heads) == 0 {
			continue
		}
		for _, t := range describe.Conditions(sum.Method) {
			if before := len(f.Abs.Preds); describe.OverVars(t, f.Abs.Sym.State) {
				f.Add([]*term.Term{t})
				if len(f.Abs.Preds) > before {
					return
				}
			}
		}
	}
}
