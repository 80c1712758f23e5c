// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves that a number is not negative which starts as the largest one there is and is counted down:
//
//	func (t *T) All() error { return t.read(math.MaxInt64) }
//
//	func (t *T) read(most int64) error {
//		for t.next() {
//			if most--; most < 0 {
//				return errTooMany
//			}
//		}
//	}
//
// A number COUNTS DOWN if it is the largest one of 64 bits, or another one that counts down less a small constant,
// or one of several such numbers that meet at a join, or an argument that is such a number at every call. It is the
// largest number less the sum of what was taken away from it, and each part of this sum was taken away by an instruction of
// its own in one run. It is negative only if that sum overflows, as a counter would that begins with zero and
// counts up in the same steps: by convention (no-wrap) none does. Steps are so small that the convention is about more than 2^59
// of them.
//
// Only registers count down: what is kept in memory may have been counted by many calls, and by others. Nor do lengths count:
// a few steps with large ones are enough.

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxDown is the largest step of a number that counts down, maxDowns the numbers that are looked at.
const (
	maxDown  = 16
	maxDowns = 16
)

// leByDown reports whether 0 <= b + c because b counts down.
func (p *prover) leByDown(a, b bound, c int64) bool {
	if a.v != nil || b.v == nil || b.len || c < 0 {
		return false
	}
	if !p.countsDown(b.v, map[ssa.Value]bool{}) {
		return false
	}
	p.used[conventionNoWrap] = true
	return true
}

// countsDown reports whether a number counts down. One that is being looked at does: what it was before, it is less.
func (p *prover) countsDown(v ssa.Value, seen map[ssa.Value]bool) bool {
	if t, ok := v.Type().Underlying().(*types.Basic); !ok || t.Info()&types.IsInteger == 0 || t.Info()&types.IsUnsigned != 0 || width(t) != 64 {
		return false
	}
	if seen[v] {
		return true
	}
	if p.steps++; p.steps > p.limit || len(seen) > maxDowns {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return false
		}
		n, exact := constant.Int64Val(constant.ToInt(v.Value))
		return exact && n == math.MaxInt64
	case *ssa.ChangeType:
		return p.countsDown(v.X, seen)
	case *ssa.Convert:
		return p.countsDown(v.X, seen) // of the same width, with a sign
	case *ssa.Phi:
		return !slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return !p.countsDown(e, seen) })
	case *ssa.BinOp:
		n, k := p.normal(v.Y)
		if v.Op == token.ADD {
			k = -k
		}
		return (v.Op == token.SUB || v.Op == token.ADD) && n.v == nil && k >= 0 && k <= maxDown && p.countsDown(v.X, seen)
	case *ssa.Parameter:
		fn := v.Parent()
		if !p.onlyCalled(fn) {
			return false
		}
		for _, call := range slices.Concat(p.callers[fn], p.earlyCalls(fn)) {
			if x := argumentFor(call, fn, v); x == nil || !p.countsDown(x, seen) {
				return false
			}
		}
		return true
	}
	return false
}
