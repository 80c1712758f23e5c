// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves bounds of sums of two numbers, which differences cannot say: x + y is at most n if
// y is at most n - x. That is so if y counts elements of a part of a slice that begins at x,
//
//	b.n += copy(b.buf[b.n:], p)
//
// or is at most a difference, also one that a function computes that only reads:
//
//	func (b *Buffer) Len() int { return len(b.buf) - b.off }
//	if n > b.Len() { n = b.Len() }; b.off += n
//
// And it has what indices and parts of slices, strings and arrays say that were in bounds before.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// maxSum bounds how far the smaller of two numbers is followed.
const maxSum = 4

// sumBelow reports whether x + y is at most another number and a constant.
func (p *prover) sumBelow(x, y ssa.Value, other bound, c int64, at point, depth int) bool {
	if p.steps++; p.steps > p.limit || depth > maxSum {
		return false
	}
	n, k := p.normal(x)
	m, j := p.normal(y)
	below := func(v ssa.Value, more int64) bool { // y is at most len(v) + more
		s, ok := v.(*ssa.Slice)
		if !ok || s.Low == nil {
			return false
		}
		lo, l := p.normal(s.Low)
		if !p.sameNumber(lo, n) {
			return false
		}
		hi, h := p.endOf(s)
		return p.le(hi, other, c-h-(k-l)-more, at)
	}
	if m.v == nil {
		return false
	}
	if m.len {
		return below(m.v, j)
	}
	switch v := m.v.(type) {
	case *ssa.BinOp:
		if v.Op != token.SUB || !isLong(v.Type()) {
			break
		}
		// x + (z - x) is z, also if that goes around. What is at most z - x must not be so because that went around.
		if lo, l := p.normal(v.Y); p.sameNumber(lo, n) {
			hi, h := p.normal(v.X)
			if depth > 0 && !(p.le(n, bound{}, maxBound/2-k, at) && p.le(bound{}, hi, maxBound/2+h, at)) {
				break
			}
			if p.le(hi, other, c-h-(k-l)-j, at) {
				return true
			}
		}
	case *ssa.Phi:
		// Around a loop, what is computed in it is that of the round before.
		before := p.outlives(x, v.Block()) && (other.v == nil || p.outlives(other.v, v.Block()))
		if p.ways(v, at, func(w join) bool {
			return (before || !v.Block().Dominates(w.from.b)) && p.sumBelow(x, v.Edges[w.k], other, c-j, w.from, depth+1)
		}) {
			return true
		}
	case *ssa.Call:
		if f, ok := v.Call.Value.(*ssa.Builtin); ok && f.Name() == "copy" {
			if below(v.Call.Args[0], j) || below(v.Call.Args[1], j) {
				return true
			}
		}
		if p.sumByCall(v, n, k, other, c-j) {
			return true
		}
	}
	if call, r := resultAtCall(m.v); call != nil {
		if p.eachResult(call, r, false, func(n bound, i int64, rule *rule, to point) bool {
			if rule != nil {
				return p.byContract(call, *rule, r, false, func(b bound, more int64, above bool) bool {
					return above && b.len && below(b.v, more+j)
				})
			}
			// It is at most the length of an argument there, or less.
			for k, q := range to.b.Parent().Params {
				v, ok := argumentOf(&call.Call, to.b.Parent(), k).(*ssa.Slice)
				if !ok || !hasLength(q.Type()) {
					continue
				}
				for _, more := range []int64{-1, 0} {
					if p.le(n, bound{q, true}, more-i, to) && below(v, more+j) {
						return true
					}
				}
			}
			return false
		}) {
			return true
		}
	}
	found := false
	p.tests(m, at, func(z ssa.Value, more int64, above bool) bool {
		found = above && z != y && p.sumBelow(x, z, other, c-j-more, at, depth+1)
		return found
	})
	return found
}

// isLong reports whether a type is one of signed integers of 64 bits.
func isLong(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && isInteger(t) && !isUnsigned(t) && width(b) == 64
}

// sameNumber reports whether two numbers are equal wherever both are there.
func (p *prover) sameNumber(a, b bound) bool {
	return a == b || a.v != nil && b.v != nil && a.len == b.len && (p.sameValue(a.v, b.v) || a.len && p.samePart(a.v, b.v))
}

// samePart reports whether two values are the same part of the same slice or string, wherever both are there. One of them
// comes before the other: what both are made of is not computed anew between.
func (p *prover) samePart(a, b ssa.Value) bool {
	x, ok1 := a.(*ssa.Slice)
	y, ok2 := b.(*ssa.Slice)
	if !ok1 || !ok2 || x.Parent() != y.Parent() {
		return false
	}
	if !precedes(x, pointAt(y)) {
		x, y = y, x
	}
	same := func(v, w ssa.Value) bool {
		if v == nil || w == nil {
			return v == w
		}
		return p.sameOperand(v, w)
	}
	return precedes(x, pointAt(y)) && same(x.X, y.X) && same(x.Low, y.Low) && same(x.High, y.High) && same(x.Max, y.Max)
}

// endOf is where a part of a slice ends.
func (p *prover) endOf(s *ssa.Slice) (bound, int64) {
	if s.High != nil {
		return p.normal(s.High)
	}
	return p.length(s.X)
}

// sumByCall is about the sum of x and the result of a function that returns the difference of two
// fields, one of which is x: that is the other one, if nothing wrote them between.
func (p *prover) sumByCall(call *ssa.Call, n bound, k int64, other bound, c int64) bool {
	g := call.Call.StaticCallee()
	x, f := fieldLoad(n.v)
	z, o := fieldLoad(other.v)
	if g == nil || x == nil || z == nil || n.len || c-k < 0 || len(g.Params) == 0 || len(call.Call.Args) == 0 {
		return false
	}
	if _, ok := p.onlyReads(g); !ok || len(g.Blocks) != 1 {
		return false
	}
	r, ok := g.Blocks[0].Instrs[len(g.Blocks[0].Instrs)-1].(*ssa.Return)
	if !ok || len(r.Results) != 1 {
		return false
	}
	d, ok := r.Results[0].(*ssa.BinOp)
	if !ok || d.Op != token.SUB || !isLong(d.Type()) {
		return false
	}
	hi, h := p.normal(d.X)
	lo, l := p.normal(d.Y)
	_, a := fieldLoad(hi.v)
	_, b := fieldLoad(lo.v)
	this := ssa.Value(g.Params[0])
	if h != 0 || l != 0 || a == nil || b == nil || lo.len || hi.len != other.len || a.X != this || b.X != this || fieldVar(a) != fieldVar(o) || fieldVar(b) != fieldVar(f) {
		return false
	}
	// The fields of the object that was asked, as they were then.
	asked := func(load *ssa.UnOp, at *ssa.FieldAddr) bool {
		if !p.sameAddress(at.X, call.Call.Args[0]) {
			return false
		}
		l := p.at(at)
		if precedes(call, pointAt(load)) {
			return p.unchanged(segment{call, load, l})
		}
		return precedes(load, pointAt(call)) && p.unchanged(segment{load, call, l})
	}
	return asked(x, f) && asked(z, o)
}

// twins are the values that are equal to a number wherever both are there: other loads, and sums
// of the same.
func (p *prover) twins(v ssa.Value) []ssa.Value {
	list := []ssa.Value{v}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			for _, u := range p.sameLoads(v) {
				list = append(list, u)
			}
		}
	case *ssa.BinOp:
		if v.Y.Referrers() == nil {
			break
		}
		for _, r := range *v.Y.Referrers() {
			if b, ok := r.(*ssa.BinOp); ok && b != v && b.Op == v.Op && b.Y == v.Y && p.sameCondition(b, v) {
				list = append(list, b)
			}
		}
	}
	return list
}

// leByAccess uses indices and parts of slices, strings and arrays that were in bounds on the way here: a <= b + c.
func (p *prover) leByAccess(a, b bound, c int64, at point) bool {
	signed := func(x bound) bool { return x.v != nil && !x.len && isInteger(x.v.Type()) && !isUnsigned(x.v.Type()) }
	each := func(x bound, do func(r ssa.Instruction, v ssa.Value) bool) bool {
		for _, v := range p.twins(x.v) {
			if v.Referrers() == nil {
				continue
			}
			for _, r := range *v.Referrers() {
				if p.steps++; p.steps > p.limit {
					return false
				}
				if precedes(r, at) && do(r, v) {
					return true
				}
			}
		}
		return false
	}
	if signed(a) && each(a, func(r ssa.Instruction, v ssa.Value) bool {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			n, m := p.length(r.X)
			return r.Index == v && p.le(n, b, c-m+1, at)
		case *ssa.Index:
			n, m := p.length(r.X)
			return r.Index == v && isTextOrArray(r.X.Type()) && p.le(n, b, c-m+1, at)
		case *ssa.Slice:
			hi, h := p.endOf(r)
			return r.Low == v && p.le(hi, b, c-h, at)
		}
		return false
	}) {
		return true
	}
	return signed(b) && each(b, func(r ssa.Instruction, v ssa.Value) bool {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			return r.Index == v && p.le(a, bound{}, c, at)
		case *ssa.Index:
			return r.Index == v && isTextOrArray(r.X.Type()) && p.le(a, bound{}, c, at)
		case *ssa.Slice:
			switch {
			case r.Low == v || r.High == v && r.Low == nil:
				return p.le(a, bound{}, c, at)
			case r.High == v:
				lo, l := p.normal(r.Low)
				return p.le(a, lo, c+l, at)
			}
		}
		return false
	})
}

// isTextOrArray reports whether values of a type are strings or arrays: their elements have indices from zero on, below
// their length.
func isTextOrArray(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return true
	case *types.Basic:
		return u.Info()&types.IsString != 0
	}
	return false
}

// isCapacity reports whether a number is a capacity.
func isCapacity(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	f, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || f.Name() != "cap" {
		return false
	}
	_, slice := call.Call.Args[0].Type().Underlying().(*types.Slice)
	return slice
}
