// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves bounds that hang on more than the values of one function:
//
//   - a number or length that is a parameter is what it is in every call of the function;
//   - the length of what is in a variable is at least that of what was stored there, or
//     what a test of it said, on every way back to there. On the way code may take a constant
//     number of elements off its beginning: then so many more had to be there before. That is
//     the weakest precondition (Dijkstra, CACM 1975) of the one assignment that buffers with a
//     moving beginning have.
//
// A requirement goes back in time with every step, and a way on which nothing is found
// ends without a proof at the beginning of the function that clients call.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxLength bounds the lengths that are asked of variables.
const maxLength = 1 << 12

// leByCalls is about bounds that are parameters, or one and zero.
func (p *prover) leByCalls(a, b bound, c int64) bool {
	var fn *ssa.Function
	for _, x := range []bound{a, b} {
		if x.v == nil {
			continue
		}
		q, ok := x.v.(*ssa.Parameter)
		if !ok {
			return false
		}
		fn = q.Parent()
	}
	if fn == nil || !p.onlyCalled(fn) {
		return false
	}
	p.round++
	defer func() { p.round-- }()
	for _, call := range slices.Concat(p.callers[fn], p.earlyCalls(fn)) {
		x, j, ok1 := p.argument(call, fn, a)
		y, k, ok2 := p.argument(call, fn, b)
		if !ok1 || !ok2 || !p.le(x, y, c+k-j, pointAt(call)) {
			return false
		}
	}
	return true
}

// onlyCalled reports whether the calls of a function that are seen are all there are, but
// for those of the environment, which answers for what it hands over. A prover that is strict knows those, too: there are none.
func (p *prover) onlyCalled(fn *ssa.Function) bool {
	_, followed := p.abroad[fn]
	return followed && !p.entries[fn] && len(p.callers[fn]) > 0 && !p.escapes(fn) && !p.calledEarly(fn) && (!p.strict || p.isHere(fn))
}

// argument is a bound of a parameter at a call.
func (p *prover) argument(call ssa.CallInstruction, fn *ssa.Function, x bound) (bound, int64, bool) {
	if x.v == nil {
		return x, 0, true
	}
	v := argumentFor(call, fn, x.v)
	if v == nil || !types.Identical(v.Type(), x.v.Type()) {
		return bound{}, 0, false
	}
	var n bound
	var k int64
	if x.len {
		n, k = p.length(v)
	} else {
		n, k = p.normal(v)
	}
	return n, k, true
}

// argumentFor is the argument of a call for a parameter; nil if there is none.
func argumentFor(call ssa.CallInstruction, fn *ssa.Function, v ssa.Value) ssa.Value {
	for k, q := range fn.Params {
		if ssa.Value(q) == v {
			return argumentOf(call.Common(), fn, k)
		}
	}
	return nil
}

// longLoad reports whether what a load reads has at least n elements.
func (p *prover) longLoad(v *ssa.UnOp, n int64) bool {
	l := p.at(v.X)
	return v.Op == token.MUL && l != nil && p.located[v.Parent()] && p.longAt(v.X, l, n, pointAt(v))
}

// longAt reports whether what is at an address has at least n elements at a point.
func (p *prover) longAt(addr ssa.Value, l location, n int64, at point) bool {
	if n <= 0 {
		return true
	}
	if n > maxLength {
		return false
	}
	return p.once(fact{kind: lengthFact, v: addr, k: int(n), at: at}, func() bool {
		n := n
		for i := at.n - 1; i >= 0; i-- {
			if p.steps++; p.steps > p.limit {
				return false
			}
			switch i := at.b.Instrs[i].(type) {
			case *ssa.Store:
				if p.sameAddress(i.Addr, addr) {
					x, k := p.length(i.Val)
					return p.le(bound{}, x, k-n, at)
				}
				if distinct(i.Addr, addr) {
					continue
				}
			case *ssa.UnOp:
				if i.Op == token.MUL && p.sameAddress(i.X, addr) && p.leByTest(bound{}, bound{v: i, len: true}, -n, at) {
					return true
				}
			case *ssa.Call:
				if x, d := p.consumes(i, l); x != nil {
					if p.sameAddress(x, addr) {
						if n += d; n > maxLength {
							return false
						}
						continue
					}
					if distinct(x, addr) {
						continue
					}
				}
			}
			if p.mayWriteAt(at.b.Instrs[i], l) {
				return false
			}
		}
		if len(at.b.Preds) == 0 {
			// Where a function goes on that recovers, anything may have happened.
			return at.b.Index == 0 && p.longArgument(addr, n)
		}
		addr := p.earlier(addr, at.b)
		if addr == nil {
			return false
		}
		p.round++
		defer func() { p.round-- }()
		for _, b := range at.b.Preds {
			if !p.longAt(addr, l, n, point{b, len(b.Instrs), at.b}) {
				return false
			}
		}
		return true
	})
}

// longArgument is about the beginning of a function that is given the address.
func (p *prover) longArgument(addr ssa.Value, n int64) bool {
	q, ok := addr.(*ssa.Parameter)
	if !ok || !p.onlyCalled(q.Parent()) {
		return false
	}
	p.round++
	defer func() { p.round-- }()
	for _, call := range slices.Concat(p.callers[q.Parent()], p.earlyCalls(q.Parent())) {
		x := argumentFor(call, q.Parent(), q)
		if _, plain := call.(*ssa.Call); x == nil || !plain || !types.Identical(x.Type(), q.Type()) {
			return false
		}
		if l := p.at(x); l == nil || !p.located[call.Parent()] || !p.longAt(x, l, n, pointAt(call)) {
			return false
		}
	}
	return true
}

// distinct reports whether two addresses are those of different variables: of two that
// functions declare, or of one and a field, an element or a package variable.
func distinct(a, b ssa.Value) bool {
	if _, ok := a.(*ssa.Alloc); !ok {
		a, b = b, a
	}
	x, ok := a.(*ssa.Alloc)
	if !ok {
		return false
	}
	switch y := b.(type) {
	case *ssa.Alloc:
		return x != y
	case *ssa.FieldAddr, *ssa.IndexAddr:
		switch deref(x.Type()).Underlying().(type) {
		case *types.Struct, *types.Array:
			return false // it may be a part
		}
		return true
	case *ssa.Global:
		return true
	}
	return false
}

// consumes returns the address that a call is given of a variable of which it takes
// elements off the beginning, and how many, if that is all it writes at a location.
func (p *prover) consumes(call *ssa.Call, l location) (addr ssa.Value, n int64) {
	g := call.Call.StaticCallee()
	if g == nil || len(g.Blocks) == 0 || len(p.targets[call]) != 1 || !p.located[g] {
		return nil, 0
	}
	var store *ssa.Store
	for _, b := range g.Blocks {
		for _, i := range b.Instrs {
			if s, ok := i.(*ssa.Store); ok && p.mayWriteAt(s, l) {
				if store != nil {
					return nil, 0
				}
				store = s
			} else if p.mayWriteAt(i, l) {
				return nil, 0
			}
		}
	}
	if store == nil || g.Recover != nil || p.c.loopBlocks(g)[store.Block()] {
		return nil, 0
	}
	q, ok := store.Addr.(*ssa.Parameter)
	if !ok {
		return nil, 0
	}
	// Every way to return passes the store.
	if !p.eachReturn(g, func(_ *ssa.Return, at point) bool { return precedes(store, at) }) {
		return nil, 0
	}
	s, ok := store.Val.(*ssa.Slice)
	if !ok || s.High != nil || s.Max != nil || s.Low == nil {
		return nil, 0
	}
	from, ok := s.X.(*ssa.UnOp)
	if !ok || from.Op != token.MUL || from.X != ssa.Value(q) {
		return nil, 0
	}
	low, k := p.normal(s.Low)
	if low.v != nil || k < 0 {
		return nil, 0
	}
	return argumentFor(call, g, q), k
}
