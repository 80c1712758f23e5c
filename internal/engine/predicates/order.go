// SPDX-License-Identifier: Apache-2.0

package predicates

// This file tells positions apart by order. A SUM is an integer of the state to which
// some call adds what is no constant: how much was written, say. What a test such as
// "n is 0" says of it after a call has no weakest precondition that is worth a
// predicate: n + 30 is 0, n + 30 + k is 0 for every k. But if sums do not overflow
// (the program assumes it where it is so), what is above stays above. So where the
// predicates compare a sum with a constant, being above and being below it are tried
// as predicates before others, and as guards: a call that sets the sum to an argument
// is divided by whether that is above.
//
// They are taken only if they do what is needed, so nothing rests on the assumption
// but what the program itself assumes.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// isSum reports whether some call adds to a variable what is no constant.
func (f *Finder) isSum(v *prog.Var) bool {
	if f.sums == nil {
		f.sums = map[*prog.Var]bool{}
		for _, m := range f.Abs.Methods {
			for i := range m.Sum.Blocks {
				for k, t := range m.Sum.Blocks[i].Vals[:m.Sum.States] {
					if v := m.Sum.Vars[k]; !f.sums[v] && v.Type.Sort.Kind == term.BitVecKind && addsTo(t, v.Term) {
						f.sums[v] = true
					}
				}
			}
		}
	}
	return f.sums[v]
}

// addsTo reports whether a term has a sum of a variable and something that is no
// constant.
func addsTo(t, v *term.Term) bool {
	for x := range describe.Subterms(t) {
		if x.Op() == term.OpAdd && slices.Contains(x.Args(), v) && slices.ContainsFunc(x.Args(), func(y *term.Term) bool { return y != v && !y.IsConst() }) {
			return true
		}
	}
	return false
}

// Orders returns, for the sums that predicates compare with a constant, that they are
// above it and that they are below it.
func (f *Finder) Orders() (out []*term.Term) {
	for _, p := range f.Abs.Preds {
		v, k, ok := f.equation(p)
		if !ok || !f.isSum(v) {
			continue
		}
		less, at := f.Abs.Pool.ULt, f.Abs.Pool.Const(v.Type.Sort, k)
		if v.Type.Signed {
			less = f.Abs.Pool.SLt
		}
		for _, t := range []*term.Term{less(at, v.Term), less(v.Term, at)} {
			if !t.IsConst() {
				out = append(out, t)
			}
		}
	}
	return out
}

// isPredicate reports whether a term is known as a predicate.
func (f *Finder) isPredicate(t *term.Term) bool {
	return slices.Contains(f.Abs.Preds, t) || slices.Contains(f.Abs.Preds, f.Abs.Pool.Not(t))
}

// orderExcludes looks for an order that holds in what was reached, which is asserted
// with the values of the state in sub, and excludes the goal; before is what the
// abstraction knows.
func (f *Finder) orderExcludes(ctx context.Context, before, goal *term.Term, sub map[*term.Term]*term.Term) (*term.Term, error) {
	for _, p := range f.Orders() {
		if f.isPredicate(p) || !shareVar(p, goal) {
			continue
		}
		if ok, err := f.separates(ctx, p, before, goal, sub); err != nil || ok {
			return p, err
		}
	}
	return nil, nil
}

// orderProves looks for an order that holds in the state of a run and with which a step
// of it can lead to nothing else, or is certain.
func (f *Finder) orderProves(ctx context.Context, s RunStep, goal *term.Term, m term.Model) (*term.Term, error) {
	for _, p := range f.Orders() {
		if f.isPredicate(p) || !shareVar(p, goal) || !term.Holds(p, m) {
			continue
		}
		if !s.isLast() {
			into := f.Abs.Cube(f.Abs.Cubes[s.along[s.i+1]], predabs.After(f.Abs.Calls[s.Call].Sum, s.RawVals))
			r, err := f.Abs.Check(ctx, f.Abs.Region(s.along[s.i]), p, s.RawCond, f.Abs.Pool.Not(into))
			if err != nil {
				return nil, err
			}
			if r.Verdict == solve.Unsat {
				return p, nil
			}
		}
		if ok, err := f.Certain(ctx, s, p); err != nil || ok {
			return p, err
		}
	}
	return nil, nil
}

// shareVar reports whether two terms have a variable in common.
func shareVar(a, b *term.Term) bool {
	free := term.FreeVars(b)
	return slices.ContainsFunc(term.FreeVars(a), func(v *term.Term) bool { return slices.Contains(free, v) })
}
