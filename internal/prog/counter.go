// SPDX-License-Identifier: Apache-2.0

package prog

// This file has the conventions that an interface may list, and finds counters,
// for the convention no-wrap: a state variable of 32
// bits or more that is only ever set to constants far from the ends of its range, and
// changed by constant steps, is assumed not to reach the ends of its range. Under the convention only those
// words count of which no run is outside that range before a call after
// construction, or at a loop head: so whatever is current is in range, and what
// is known to be current stays current.

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// counterWidth is the least width of a counter that is assumed not to wrap.
const counterWidth = 32

// Counters returns the counters of p, in order.
func Counters(p *Program) []*Var {
	var out []*Var
	for _, v := range p.State {
		if v.Init != nil && v.Type.Sort.Kind == term.BitVecKind && v.Type.Sort.Width >= counterWidth && isFar(v, v.Init) && counts(p, v) {
			out = append(out, v)
		}
	}
	return out
}

// counts reports whether every assignment to v is a constant or a constant
// step, and there is a step.
func counts(p *Program, v *Var) bool {
	steps := false
	for _, m := range append(slices.Clone(p.Constructors), p.Methods...) {
		for _, e := range m.Edges {
			for i, x := range e.Vars {
				switch {
				case x != v:
				case e.Kind == HavocEdge:
					return false
				case constantStep(v, e.Exprs[i]):
					steps = true
				case e.Exprs[i].IsConst() && !isFar(v, e.Exprs[i]):
					return false
				case !e.Exprs[i].IsConst() && e.Exprs[i] != v.Term:
					return false
				}
			}
		}
	}
	return steps
}

// isFar reports whether a constant is in the middle half of the range of v, or, of an unsigned one, in the lower three quarters: a variable that
// is set to another one is near an end of its range.
func isFar(v *Var, t *term.Term) bool {
	top := t.Value().Uint64() >> (v.Type.Sort.Width - 2) // the two highest bits
	if v.Type.Signed {
		return top == 0 || top == 3
	}
	return top < 3
}

// constantStep reports whether t is v plus a constant of less than half the
// range.
func constantStep(v *Var, t *term.Term) bool {
	if t.Op() != term.OpAdd || len(t.Args()) != 2 {
		return false
	}
	a, b := t.Args()[0], t.Args()[1]
	if a.IsConst() {
		a, b = b, a
	}
	return a == v.Term && b.IsConst()
}

// InRange is the assumption that v is not near an end of its range: at least
// 2^16 steps of one away from it. An unsigned counter may be at zero.
func InRange(p *Program, v *Var) *term.Term {
	w := v.Type.Sort.Width
	const margin = 1 << 16
	pool := p.Pool
	if !v.Type.Signed {
		return pool.ULe(v.Term, pool.Sub(pool.BVNot(pool.Int(w, 0)), pool.Int(w, margin)))
	}
	half := int64(1) << (w - 2) // half of the positive range, written so that 64 bits do not overflow
	top := half - 1 + half
	return pool.And(
		pool.SLe(v.Term, pool.Int(w, top-margin)),
		pool.SLe(pool.Int(w, -top+margin), v.Term))
}

// NoWrap is the convention that counter v does not wrap, as interfaces list it.
func NoWrap(v *Var) string {
	return fmt.Sprintf("no-wrap: the counter %s stays away from the ends of %s", v.Name, v.Type)
}

// Ends is the convention that the loops of m end, as interfaces list it: a call
// that can always go on returns or errs in some run.
func Ends(m *Method) string {
	return fmt.Sprintf("ends: the loops of %s end", m.Name)
}

// Assumption is what a convention that an interface of p lists says of every
// state before a call. The error is for a convention that p does not have: then
// nothing is known of what was assumed.
func Assumption(p *Program, convention string) (*term.Term, error) {
	for _, v := range Counters(p) {
		if convention == NoWrap(v) {
			return InRange(p, v), nil
		}
	}
	for _, m := range append(slices.Clone(p.Constructors), p.Methods...) {
		if convention == Ends(m) {
			return p.Pool.True(), nil // it says nothing of states
		}
	}
	return nil, fmt.Errorf("no convention of %s is %q", p.Name, convention)
}
