// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves that indices are within bounds, in the manner of Bodik, Gupta and
// Sarkar, "ABCD: eliminating array bounds checks on demand" (PLDI 2000): a fact is
// that one number is at most another one plus a constant, where a number is an integer
// of the code, the length of a slice or string, or zero. Facts come from
//
//   - constants, lengths, the sizes of types, masks, remainders and shifts;
//   - the tests that decide whether control is here;
//   - sums with constants, and the values that meet at a join, around loops by
//     induction;
//   - slices that are made with a length or sliced;
//   - arguments and stores (obvious_memory.go), results and contracts (obvious_result.go).
//
// A sum with a constant may wrap. It does not if the other operand is known to be on
// the side of zero that the constant leads to, or below something by a test, or if it
// is a counter of 64 bits (convention no-wrap). Lowering has a better
// analysis of the same kind; this one is for what can be seen at once.

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
)

// A bound is a number: that of an integer, the length of a slice or string, or zero.
type bound struct {
	v   ssa.Value // nil: zero
	len bool
}

// maxBound bounds the constants in proofs; maxWeaker is the largest step of counters
// that are followed around a loop.
const (
	maxBound  = math.MaxInt64 / 4
	maxWeaker = 9
	maxLen    = 1 << 47 // by convention
)

// normal returns a number as another one plus a constant. Sums are not taken apart
// here.
func (p *prover) normal(v ssa.Value) (bound, int64) {
	switch x := v.(type) {
	case *ssa.Const:
		if x.Value != nil && x.Value.Kind() == constant.Int {
			if n, ok := constant.Int64Val(x.Value); ok {
				return bound{}, n
			}
		}
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
			return p.length(x.Call.Args[0])
		}
	case *ssa.Convert:
		// The value stays the same.
		from, ok1 := x.X.Type().Underlying().(*types.Basic)
		to, ok2 := x.Type().Underlying().(*types.Basic)
		if ok1 && ok2 && from.Info()&types.IsInteger != 0 && to.Info()&types.IsInteger != 0 {
			a, b := width(from), width(to)
			unsignedFrom, unsignedTo := from.Info()&types.IsUnsigned != 0, to.Info()&types.IsUnsigned != 0
			if unsignedFrom == unsignedTo && a <= b || unsignedFrom && a < b {
				return p.normal(x.X)
			}
		}
	case *ssa.ChangeType:
		return p.normal(x.X)
	}
	return bound{v: v}, 0
}

// length returns the length of a slice, string or array.
func (p *prover) length(x ssa.Value) (bound, int64) {
	t := x.Type().Underlying()
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem().Underlying()
	}
	if a, ok := t.(*types.Array); ok {
		return bound{}, a.Len()
	}
	switch x := x.(type) {
	case *ssa.Const:
		if x.Value != nil && x.Value.Kind() == constant.String {
			return bound{}, int64(len(constant.StringVal(x.Value)))
		}
		return bound{}, 0 // nil
	case *ssa.MakeSlice:
		return p.normal(x.Len)
	case *ssa.ChangeType:
		return p.length(x.X)
	case *ssa.Convert:
		if isByte(x.Type()) || isByte(x.X.Type()) {
			if _, ok := x.X.Type().Underlying().(*types.Basic); !ok || isByte(x.Type()) {
				return p.length(x.X)
			}
		}
	case *ssa.Slice:
		if x.Low == nil || isZero(x.Low) {
			if x.High != nil {
				return p.normal(x.High)
			}
			return p.length(x.X)
		}
	case *ssa.UnOp:
		if n, ok := p.tableLength(x); ok {
			return bound{}, n
		}
	}
	return bound{v: x, len: true}, 0
}

// tableLength is the length of a slice in a package variable that is not exported, and that has the value with
// which it is declared for good.
func (p *prover) tableLength(load *ssa.UnOp) (int64, bool) {
	g, ok := load.X.(*ssa.Global)
	if !ok || load.Op != token.MUL || !p.isTable(g) {
		return 0, false
	}
	if _, slice := load.Type().Underlying().(*types.Slice); !slice {
		return 0, false // the linker may be told another text
	}
	u := p.c.uses(g)
	first := u.initial[""]
	if first == nil || u.changed || u.unknown || len(u.initial) > 1 {
		return 0, false
	}
	if first, ok := first.(*ssa.UnOp); ok && first.X == load.X {
		return 0, false
	}
	n, k := p.length(first)
	return k, n.v == nil
}

// le reports whether a <= b + c at a point.
func (p *prover) le(a, b bound, c int64, at point) bool {
	if c > maxBound || c < -maxBound {
		return false
	}
	if a == b {
		return c >= 0
	}
	if a.v == nil && b.len && c >= 0 || b.v == nil && a.v == nil && c >= 0 {
		return true
	}
	if a.v != nil && b.v != nil && c >= 0 && p.sameNumber(a, b) {
		return true
	}
	if a.v != nil && (a.len || isCapacity(a.v)) && b.v == nil && c >= maxLen {
		p.used[conventionLengths] = true
		return true
	}
	if lo, hi, ok := p.sizeOf(a); ok && b.v == nil {
		if hi <= c {
			return true
		}
		if lo > c {
			return false
		}
	}
	if lo, _, ok := p.sizeOf(b); ok && a.v == nil && -c <= lo {
		return true
	}
	if p.leByInvariant(a, b, c) {
		return true
	}
	// A fact that is being proved, or a stronger one, holds in an earlier round of a
	// loop; in the same round it is no proof.
	f := fact{kind: atMost, v: a, k: int(c), at: at, with: b, in: p.trusted}
	for less := range maxWeaker {
		g := f
		g.k -= less
		if depth := p.active[g]; depth > 0 {
			p.low = min(p.low, depth)
			return p.rounds[g] < p.round
		}
	}
	p.rounds[f] = p.round
	return p.once(f, func() bool {
		return p.leByDown(a, b, c) || p.leByPace(a, b, c, at) || p.leByTable(a, b, c) || p.leByConsumed(a, b, c, at) || p.leByTest(a, b, c, at) || p.leByAccess(a, b, c, at) || p.leByValue(a, b, c, at) || p.leByCalls(a, b, c) || p.leByResult(a, b, c, at) || p.leAlongside(a, b, c, at) || p.leByFields(a, b, c, at) || p.leByAgain(a, b, c)
	})
}

// leByTest uses the tests that decide that control is here.
func (p *prover) leByTest(a, b bound, c int64, at point) bool {
	found := false
	// a is at most y + k
	p.tests(a, at, func(y ssa.Value, k int64, above bool) bool {
		if above {
			n, m := p.normal(y)
			found = p.le(n, b, c-k-m, at)
		}
		return found
	})
	if found {
		return true
	}
	// y is at most b + k
	p.tests(b, at, func(y ssa.Value, k int64, above bool) bool {
		if !above {
			n, m := p.normal(y)
			found = p.le(a, n, c-k+m, at)
		}
		return found
	})
	return found
}

// tests calls do for each test of a number x that decides that control is at a
// point: x <= y + k (above), or y <= x + k.
func (p *prover) tests(x bound, at point, do func(y ssa.Value, k int64, above bool) bool) {
	if x.v == nil {
		return
	}
	values := []ssa.Value{x.v}
	if load, ok := x.v.(*ssa.UnOp); ok && load.Op == token.MUL {
		for _, u := range p.sameLoads(load) {
			values = append(values, u)
		}
	}
	for _, v := range values {
		if v.Referrers() == nil {
			continue
		}
		for _, r := range *v.Referrers() {
			if p.steps++; p.steps > p.limit {
				return
			}
			if x.len {
				call, ok := r.(*ssa.Call)
				if !ok {
					continue
				}
				if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" {
					continue
				}
				if p.testsOf(call, at, do) {
					return
				}
				continue
			}
			switch r := r.(type) {
			case *ssa.BinOp:
				if p.testOf(r, v, at, do) {
					return
				}
			case *ssa.Convert:
				if n, k := p.normal(r); n.v == v && k == 0 && !n.len && p.testsOf(r, at, do) {
					return
				}
			}
		}
	}
}

func (p *prover) testsOf(v ssa.Value, at point, do func(y ssa.Value, k int64, above bool) bool) bool {
	for _, r := range *v.Referrers() {
		if b, ok := r.(*ssa.BinOp); ok && p.testOf(b, v, at, do) {
			return true
		}
	}
	return false
}

// mirrored is the comparison with its sides exchanged.
func mirrored(op token.Token) token.Token {
	switch op {
	case token.LSS:
		return token.GTR
	case token.LEQ:
		return token.GEQ
	case token.GTR:
		return token.LSS
	case token.GEQ:
		return token.LEQ
	}
	return op
}

// testOf is about one comparison.
func (p *prover) testOf(b *ssa.BinOp, v ssa.Value, at point, do func(y ssa.Value, k int64, above bool) bool) bool {
	op, y := b.Op, b.Y
	if b.Y == v {
		y, op = b.X, mirrored(op)
	}
	if isUnsigned(v.Type()) {
		// Numbers are signed here; a large one is not.
		if basic, ok := v.Type().Underlying().(*types.Basic); !ok || width(basic) >= 64 {
			return false
		}
	}
	yes, no := p.decides(b, true, at), p.decides(b, false, at)
	if yes == no {
		return false
	}
	switch {
	case op == token.LSS && yes || op == token.GEQ && no:
		return do(y, -1, true)
	case op == token.LEQ && yes || op == token.GTR && no:
		return do(y, 0, true)
	case op == token.GTR && yes || op == token.LEQ && no:
		return do(y, -1, false)
	case op == token.GEQ && yes || op == token.LSS && no:
		return do(y, 0, false)
	case op == token.EQL && yes || op == token.NEQ && no:
		return do(y, 0, true) || do(y, 0, false)
	case op == token.NEQ && yes || op == token.EQL && no:
		// What is not zero and not negative is positive.
		n, k := p.normal(y)
		w, m := p.normal(v)
		if n.v == nil && k == 0 && m == 0 && p.le(bound{}, w, 0, at) {
			return do(y, -1, false)
		}
	}
	return false
}

// leByValue uses where numbers come from.
func (p *prover) leByValue(a, b bound, c int64, at point) bool {
	if a.v != nil && !a.len {
		switch v := a.v.(type) {
		case *ssa.BinOp:
			if p.leBySum(v, a, b, c, at, true) {
				return true
			}
		case *ssa.Phi:
			if p.leByJoin(v, a, b, c, at) {
				return true
			}
		case *ssa.Call:
			if f, ok := v.Call.Value.(*ssa.Builtin); ok {
				switch f.Name() {
				case "min":
					for _, x := range v.Call.Args {
						if n, k := p.normal(x); p.le(n, b, c-k, at) {
							return true
						}
					}
				case "copy":
					for _, x := range v.Call.Args {
						if n, k := p.length(x); p.le(n, b, c-k, at) {
							return true
						}
					}
				}
			}
		case *ssa.Extract:
			// An index of a range over a string.
			if next, ok := v.Tuple.(*ssa.Next); ok && next.IsString && v.Index == 1 {
				if r, ok := next.Iter.(*ssa.Range); ok && b.len && b.v == r.X && c >= -1 && p.ranges(next, at) {
					return true
				}
			}
		}
	}
	if b.v != nil && !b.len {
		switch v := b.v.(type) {
		case *ssa.BinOp:
			if p.leBySum(v, b, a, c, at, false) {
				return true
			}
		case *ssa.Phi:
			if p.leByJoin(v, a, b, c, at) {
				return true
			}
		case *ssa.Call:
			if f, ok := v.Call.Value.(*ssa.Builtin); ok && a.v == nil {
				switch f.Name() {
				case "copy", "cap":
					return c >= 0
				case "max":
					for _, x := range v.Call.Args {
						if n, k := p.normal(x); p.le(a, n, c+k, at) {
							return true
						}
					}
				case "min":
					for _, x := range v.Call.Args {
						if n, k := p.normal(x); !p.le(a, n, c+k, at) {
							return false
						}
					}
					return true
				}
			}
		case *ssa.Extract:
			if next, ok := v.Tuple.(*ssa.Next); ok && next.IsString && v.Index == 1 && a.v == nil {
				return c >= 0
			}
		}
	}
	if b.len && a.v == nil {
		if load, ok := b.v.(*ssa.UnOp); ok && p.longLoad(load, -c) {
			return true
		}
	}
	// Nothing is lost by append.
	if call, ok := b.v.(*ssa.Call); ok && b.len {
		if f, ok := call.Call.Value.(*ssa.Builtin); ok && f.Name() == "append" {
			if n, k := p.length(call.Call.Args[0]); p.le(a, n, c+k, at) {
				return true
			}
		}
	}
	// Slices and strings that meet.
	if v, ok := b.v.(*ssa.Phi); ok && b.len && p.leByJoin(v, a, b, c, at) {
		return true
	}
	if v, ok := a.v.(*ssa.Phi); ok && a.len && p.leByJoin(v, a, b, c, at) {
		return true
	}
	// The length of s[lo:hi] is hi - lo; lo is not negative.
	if b.len {
		if s, ok := b.v.(*ssa.Slice); ok && s.Low != nil {
			lo, k := p.normal(s.Low)
			if lo.v == nil {
				var hi bound
				var m int64
				if s.High != nil {
					hi, m = p.normal(s.High)
				} else {
					hi, m = p.length(s.X)
				}
				return p.le(a, hi, c+m-k, at)
			}
		}
	}
	if a.len {
		if s, ok := a.v.(*ssa.Slice); ok && s.Low != nil {
			var hi bound
			var m int64
			if s.High != nil {
				hi, m = p.normal(s.High)
			} else {
				hi, m = p.length(s.X)
			}
			return p.le(hi, b, c-m, at)
		}
	}
	return false
}

// ranges reports whether control is at a point only within a range.
func (p *prover) ranges(next *ssa.Next, at point) bool {
	for _, r := range *next.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == 0 && p.decides(e, true, at) {
			return true
		}
	}
	return false
}

// leBySum is about a number that is computed from others: x + k, x - k, x & k, x % k,
// x >> k, x / k. above: it is the smaller one, of which a bound from above is asked.
func (p *prover) leBySum(v *ssa.BinOp, self, other bound, c int64, at point, above bool) bool {
	basic, ok := v.Type().Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 {
		return false
	}
	unsigned := basic.Info()&types.IsUnsigned != 0
	xn, xk := p.normal(v.X)
	yn, yk := p.normal(v.Y)
	switch v.Op {
	case token.ADD, token.SUB:
		if unsigned {
			return false
		}
		n, k, step := xn, xk, yk
		if yn.v != nil {
			if xn.v != nil || v.Op == token.SUB {
				// x - y is at most x if y is not negative, and x + y at least x.
				if xn.v != nil && v.Op == token.SUB && above && p.le(bound{}, yn, yk, at) && p.le(bound{}, xn, xk, at) {
					return p.le(xn, other, c-xk, at)
				}
				// x + y, where y is the length of what follows x.
				if v.Op == token.ADD && above {
					return isLong(v.Type()) && (p.sumBelow(v.X, v.Y, other, c, at, 0) || p.sumBelow(v.Y, v.X, other, c, at, 0))
				}
				// x + y is at least x if y is not negative, and both are far from the end.
				if v.Op == token.ADD && width(basic) == 64 && p.le(bound{}, xn, xk, at) && p.le(bound{}, yn, yk, at) && p.le(xn, bound{}, 2*maxLen-xk, at) && p.le(yn, bound{}, 2*maxLen-yk, at) {
					return p.le(other, xn, c+xk, at) || p.le(other, yn, c+yk, at)
				}
				// y <= x: x - y is not negative.
				if v.Op == token.SUB && !above && other.v == nil && c >= 0 {
					return p.le(yn, xn, xk-yk, at) && p.le(bound{}, yn, yk, at)
				}
				return false
			}
			n, k, step = yn, yk, xk
		}
		if v.Op == token.SUB {
			step = -step
		}
		if width(basic) < 32 || step > 1<<16 || step < -1<<16 || !p.noWrap(n, k, step, v, basic) {
			return false
		}
		if above {
			return p.le(n, other, c-k-step, at)
		}
		return p.le(other, n, c+k+step, at)
	case token.AND:
		for _, pair := range [][2]any{{xn, xk}, {yn, yk}} {
			if m := pair[1].(int64); pair[0].(bound).v == nil && m >= 0 {
				// 0 <= x & m <= m
				if above && p.le(bound{}, other, c-m, at) || !above && p.le(other, bound{}, c, at) {
					return true
				}
			}
		}
		// x & (len(s) - 1) is at most len(s) - 1 if that is not negative.
		if above {
			for _, x := range []ssa.Value{v.X, v.Y} {
				n, k := p.normal(x)
				if p.le(bound{}, n, k, at) && p.le(n, other, c-k, at) {
					return true
				}
			}
		}
	case token.REM:
		if yn.v == nil && yk > 0 {
			if above {
				return p.le(bound{}, other, c-(yk-1), at)
			}
			return p.le(bound{}, xn, xk, at) && p.le(other, bound{}, c, at)
		}
		if above {
			// x % y is less than y if that is positive.
			return p.le(bound{}, yn, yk-1, at) && p.le(yn, other, c-yk+1, at)
		}
		return p.le(bound{}, xn, xk, at) && p.le(other, bound{}, c, at)
	case token.MUL:
		return p.leByProduct(v, other, c, at, above)
	case token.QUO, token.SHR:
		positive := v.Op == token.SHR || yn.v == nil && yk > 0
		if !positive || unsigned && width(basic) >= 64 || !p.le(bound{}, xn, xk, at) {
			return false
		}
		// 0 <= x / y <= x
		if above {
			if _, hi, ok := p.sizeOf(xn); ok && v.Op == token.SHR && yn.v == nil && yk >= 0 && yk < 64 && p.le(bound{}, other, c-(hi+xk)>>yk, at) {
				return true
			}
			return p.le(xn, other, c-xk, at)
		}
		return p.le(other, bound{}, c, at)
	}
	return false
}

// noWrap reports whether n + k + step does not leave the type, at the instruction
// that adds.
func (p *prover) noWrap(n bound, k, step int64, v *ssa.BinOp, t *types.Basic) bool {
	if n.v == nil {
		// A constant. Steps are small.
		most := int64(math.MaxInt32)
		if width(t) == 64 {
			most = math.MaxInt64
		}
		return k <= most-max(step, 0) && k >= -most-1-min(step, 0)
	}
	if n.len {
		return true
	}
	if _, hi, ok := p.sizeOf(n); ok && hi < math.MaxInt32-1<<17 && k <= math.MaxInt32-1<<17-max(hi, 0) && step > 0 {
		return true
	}
	if width(t) != 64 {
		return false
	}
	if phi, ok := n.v.(*ssa.Phi); ok && p.counts(phi) {
		p.used[conventionNoWrap] = true
		return true
	}
	at := pointAt(v)
	if step < 0 {
		return p.le(bound{}, n, k, at)
	}
	// Something is above it, or it is below a length: lengths are far below the end.
	bounded := false
	p.tests(n, at, func(y ssa.Value, j int64, above bool) bool {
		if above {
			m, limit := p.normal(y)
			bounded = j < 0 && step == 1 && k == 0 || m.len || m.v == nil && limit < maxBound
		}
		return bounded
	})
	return bounded || p.le(n, bound{}, 2*maxLen, at)
}

// counts reports whether a number starts at a constant or length and changes only by
// constants, also if it changes only in some rounds.
func (p *prover) counts(phi *ssa.Phi) bool {
	seen := map[*ssa.Phi]bool{}
	var counted func(v ssa.Value) bool
	counted = func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.Phi:
			if v == phi || seen[v] {
				return true
			}
			seen[v] = true
			if p.steps++; p.steps > p.limit || len(seen) > maxSum {
				return false
			}
			for _, e := range v.Edges {
				if !counted(e) {
					return false
				}
			}
			return true
		case *ssa.BinOp:
			if v.Op != token.ADD && v.Op != token.SUB {
				return false
			}
			n, k := p.normal(v.Y)
			return n.v == nil && k <= 1<<16 && k >= -1<<16 && counted(v.X)
		}
		n, k := p.normal(v)
		return (n.v == nil || n.len) && k < maxBound && k > -maxBound
	}
	for _, e := range phi.Edges {
		if n, k := p.normal(e); (n.v == nil || n.len) && k < maxBound && k > -maxBound {
			continue
		}
		if !counted(e) {
			return false
		}
	}
	return true
}

// sizeOf returns what the type of a number says about it.
func (p *prover) sizeOf(x bound) (lo, hi int64, ok bool) {
	if x.v == nil || x.len {
		return 0, 0, false
	}
	b, isBasic := x.v.Type().Underlying().(*types.Basic)
	if !isBasic || b.Info()&types.IsInteger == 0 {
		return 0, 0, false
	}
	switch w := width(b); {
	case b.Info()&types.IsUnsigned != 0 && w < 64:
		return 0, 1<<w - 1, true
	case b.Info()&types.IsUnsigned == 0 && w < 64:
		return -1 << (w - 1), 1<<(w-1) - 1, true
	}
	return 0, 0, false
}

// inBounds reports whether an index is within a slice, string or array.
func (p *prover) inBounds(x, index ssa.Value, at point) bool {
	i, k := p.normal(index)
	n, m := p.length(x)
	if isUnsigned(index.Type()) && i.v != nil {
		if b, ok := index.Type().Underlying().(*types.Basic); !ok || width(b) >= 64 {
			return p.masked(index, n, m, at)
		}
	}
	return p.le(bound{}, i, k, at) && p.le(i, n, m-k-1, at)
}

// masked is about an index of 64 bits without sign: only masks, remainders and shifts say
// something about it.
func (p *prover) masked(index ssa.Value, n bound, m int64, at point) bool {
	b, ok := index.(*ssa.BinOp)
	if !ok || n.v != nil {
		return false
	}
	limit := func(v ssa.Value) (int64, bool) {
		k, ok := v.(*ssa.Const)
		if !ok || k.Value == nil {
			return 0, false
		}
		return constant.Int64Val(constant.ToInt(k.Value))
	}
	switch b.Op {
	case token.AND:
		for _, v := range []ssa.Value{b.X, b.Y} {
			if k, ok := limit(v); ok && k >= 0 && k < m {
				return true
			}
		}
	case token.REM:
		k, ok := limit(b.Y)
		return ok && k > 0 && k <= m
	case token.SHR:
		k, ok := limit(b.Y)
		return ok && k > 1 && k < 64 && 1<<(64-k) <= m
	}
	return false
}

// sliceable reports whether the operands of a slice expression are in order.
func (p *prover) sliceable(i *ssa.Slice, at point) bool {
	n, m := p.length(i.X) // at most the capacity
	hi, hk := n, m
	if i.Max != nil {
		return false
	}
	if i.High != nil {
		hi, hk = p.normal(i.High)
		if !(hi.v == nil && hk == 0) && !p.le(hi, n, m-hk, at) && !p.belowCapacity(i, hi, hk) {
			return false
		}
	}
	if i.Low == nil {
		return i.High == nil || p.le(bound{}, hi, hk, at)
	}
	lo, lk := p.normal(i.Low)
	return p.le(bound{}, lo, lk, at) && p.le(lo, hi, hk-lk, at)
}

// belowCapacity: a slice that was just made with the capacity.
func (p *prover) belowCapacity(i *ssa.Slice, hi bound, hk int64) bool {
	m, ok := i.X.(*ssa.MakeSlice)
	if !ok {
		return false
	}
	n, k := p.normal(m.Cap)
	return p.le(hi, n, k-hk, pointAt(i))
}

// notZero reports whether a divisor is not zero.
func (p *prover) notZero(v ssa.Value, at point) bool {
	if c, ok := v.(*ssa.Const); ok { // perhaps one that int64 does not hold
		return c.Value != nil && constant.Sign(c.Value) != 0
	}
	n, k := p.normal(v)
	if n.v == nil {
		return k != 0
	}
	if p.le(bound{}, n, k-1, at) || p.le(n, bound{}, -k-1, at) {
		return true
	}
	if v.Referrers() == nil {
		return false
	}
	for _, r := range *v.Referrers() {
		if b, ok := r.(*ssa.BinOp); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
			y := b.Y
			if y == v {
				y = b.X
			}
			if n, k := p.normal(y); n.v == nil && k == 0 && p.decides(b, b.Op == token.NEQ, at) {
				return true
			}
		}
	}
	return false
}

// maxFactor bounds the constants that lengths and positions are multiplied with.
const maxFactor = 1 << 12

// product returns a number that another one is a multiple of, by a positive constant. Both are far from where products overflow.
func (p *prover) product(v ssa.Value, at point) (n bound, k, factor int64, ok bool) {
	m, isOp := v.(*ssa.BinOp)
	if !isOp || m.Op != token.MUL || !isLong(m.Type()) {
		return bound{}, 0, 0, false
	}
	n, k = p.normal(m.X)
	y, factor := p.normal(m.Y)
	if y.v != nil {
		n, k, y, factor = y, factor, n, k
	}
	if y.v != nil || factor <= 0 || factor > maxFactor || !p.le(bound{}, n, k, at) || !p.le(n, bound{}, 2*maxLen-k, at) {
		return bound{}, 0, 0, false
	}
	return n, k, factor, true
}

// leByProduct is about a number that is a multiple of another one, which is not negative: x * k <= y * k + c if x <= y + c/k.
func (p *prover) leByProduct(v *ssa.BinOp, other bound, c int64, at point, above bool) bool {
	n, k, factor, ok := p.product(v, at)
	if !ok || other.len {
		return false
	}
	m, j := bound{}, int64(0)
	if other.v != nil {
		var same int64
		if m, j, same, ok = p.product(other.v, at); !ok || same != factor {
			return !above && p.le(other, n, c+k, at) // x is at most x * k
		}
	}
	d := c / factor
	if c%factor < 0 {
		d--
	}
	if above {
		return p.le(n, m, d+j-k, at)
	}
	return p.le(m, n, d+k-j, at)
}

// isZero reports whether a value is the constant zero.
func isZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.Int && constant.Sign(c.Value) == 0
}
