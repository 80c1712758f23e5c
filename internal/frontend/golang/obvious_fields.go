// SPDX-License-Identifier: Apache-2.0

package golang

// This file compares a number with what is in a field at a point, where the code does not load the field next to the
// number:
//
//	m := b.grow(n)      // it made room, and returns where that begins
//	copy(b.buf[m:], p)
//
// The question goes back in time, over all ways, to the store that wrote the field, to a load of it, or to the call that
// returned the number: then it is one about each return of the function that was called, at its end. It is
// the weakest precondition (Dijkstra, CACM 1975) of a comparison with one variable in memory.

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// maxBack bounds the joins and calls on the way back.
const maxBack = 8

// A comparison is one of a number with a field of an object: the number is at most the field, or its length (above), or at
// least, up to a constant.
type comparison struct {
	base  ssa.Value
	f     *types.Var
	len   bool
	above bool
	c     int64
	// inv is an invariant of the field from which a bound of it is known when the other field is read.
	inv *invariant
}

// number is what is in the field, of a value that is loaded or stored there.
func (m *comparison) number(p *prover, v ssa.Value) (bound, int64) {
	if m.len {
		return p.length(v)
	}
	return p.normal(v)
}

// holds reports whether the comparison holds of a number and a value of the field.
func (m *comparison) holds(p *prover, x, v ssa.Value, at point) bool {
	n, k := p.normal(x)
	y, j := m.number(p, v)
	if m.above {
		return p.le(n, y, m.c+j-k, at)
	}
	return p.le(y, n, m.c+k-j, at)
}

// leByFields is about a number and a field, or its length, that is loaded: a <= b + c.
func (p *prover) leByFields(a, b bound, c int64, at point) bool {
	if load, f := fieldLoad(b.v); load != nil && a.v != nil && !a.len && p.isSettled(f, b.len) && isReturned(a.v) && known(a.v, load) {
		return p.compares(comparison{base: f.X, f: fieldVar(f), len: b.len, above: true, c: c}, a.v, pointAt(load), at, 0)
	}
	if load, f := fieldLoad(a.v); load != nil && b.v != nil && !b.len && p.isSettled(f, a.len) && isReturned(b.v) && known(b.v, load) {
		return p.compares(comparison{base: f.X, f: fieldVar(f), len: a.len, c: c}, b.v, pointAt(load), at, 0)
	}
	return false
}

// known reports whether a number was computed before a load, in the same round of a loop: whoever goes back from the load meets
// where it was computed first.
func known(v ssa.Value, load ssa.Instruction) bool {
	i, ok := v.(ssa.Instruction)
	return ok && precedes(i, pointAt(load))
}

// isReturned reports whether a number is returned by a call, on some way.
func isReturned(v ssa.Value) bool {
	if call, _ := resultAtCall(v); call != nil {
		return true
	}
	phi, ok := v.(*ssa.Phi)
	if !ok {
		return false
	}
	for _, e := range phi.Edges {
		if call, _ := resultAtCall(e); call != nil {
			return true
		}
	}
	return false
}

// isSettled reports whether a field is one that is compared: a number, or what has a length.
func (p *prover) isSettled(f *ssa.FieldAddr, length bool) bool {
	t := fieldVar(f).Type()
	return p.located[f.Parent()] && (length && hasLength(t) || !length && isLong(t))
}

// compares reports whether a comparison holds of a number at a point. What is known where the number is used says by which ways
// control may have come.
func (p *prover) compares(m comparison, x ssa.Value, at, use point, depth int) bool {
	if depth > maxBack {
		return false
	}
	made, _ := x.(ssa.Instruction)
	if e, ok := x.(*ssa.Extract); ok {
		made, _ = e.Tuple.(ssa.Instruction)
	}
	// The length of what is loaded is known with the load.
	var length ssa.Instruction
	if n, _ := p.normal(x); n.len {
		length = made
		made, _ = n.v.(ssa.Instruction)
	}
	for n := at.n - 1; n >= 0; n-- {
		i := at.b.Instrs[n]
		if p.steps++; p.steps > p.limit {
			return false
		}
		if i == length {
			continue
		}
		switch i := i.(type) {
		case *ssa.Phi:
			continue
		case *ssa.Store:
			if f, ok := i.Addr.(*ssa.FieldAddr); ok && fieldVar(f) == m.f && p.sameAddress(f.X, m.base) {
				return m.holds(p, x, i.Val, use)
			}
		case *ssa.UnOp:
			load, f := fieldLoad(i)
			if load == nil || !p.sameAddress(f.X, m.base) {
				break
			}
			if fieldVar(f) == m.f && m.holds(p, x, i, use) {
				return true
			}
			// As long as nothing writes it, the field is at most what it was then.
			if m.inv != nil && !m.above && fieldVar(f) == m.inv.most {
				v, k := p.normal(x)
				if p.le(bound{i, true}, v, m.c+k, use) || p.emptyAt(load, use) && p.le(bound{}, v, m.c+k, use) {
					return p.keeps(deref(f.X.Type()), *m.inv)
				}
			}
		}
		if i == made {
			// Before that there was no such number, or another one.
			call, ok := i.(*ssa.Call)
			return ok && length == nil && p.comparesInside(m, call, x, use, depth)
		}
		if p.mayWriteAt(i, m.f) {
			return false
		}
	}
	if !p.definedBefore(m.base, at.b) {
		return false
	}
	if phi, ok := x.(*ssa.Phi); ok && phi.Block() == at.b {
		return p.ways(phi, use, func(j join) bool { return p.compares(m, phi.Edges[j.k], j.from, j.from, depth+1) })
	}
	for _, b := range at.b.Preds {
		from := point{b, len(b.Instrs), at.b}
		if !p.compares(m, x, from, from, depth+1) {
			return false
		}
	}
	return len(at.b.Preds) > 0
}

// comparesInside is about the end of a function that is given the object and returns the number. Returns that come
// with another flag than the one that was tested do not count.
func (p *prover) comparesInside(m comparison, call *ssa.Call, x ssa.Value, use point, depth int) bool {
	g := call.Call.StaticCallee()
	if g == nil || len(g.Blocks) == 0 || !p.located[g] || g.Recover != nil && !neverRecovers(g) || len(call.Call.Args) != len(g.Params) {
		return false
	}
	at := -1
	for k, a := range call.Call.Args {
		if p.sameAddress(a, m.base) {
			at = k
		}
	}
	if at < 0 {
		return false
	}
	_, which := resultAtCall(x)
	inside := m
	inside.base = g.Params[at]
	p.round++
	defer func() { p.round-- }()
	return p.eachReturn(g, func(r *ssa.Return, to point) bool {
		if which >= len(r.Results) {
			return false
		}
		if p.otherFlag(call, r, use) {
			return true
		}
		v := returned(r, which)
		if n, k := p.normal(v); n.v == nil && m.above && m.len && k <= m.c {
			return true // nothing is shorter
		}
		return p.compares(inside, v, to, to, depth+1)
	})
}

// otherFlag reports whether a call returned something else at a return than what a test of one of its results says.
func (p *prover) otherFlag(call *ssa.Call, r *ssa.Return, use point) bool {
	for _, u := range *call.Referrers() {
		e, ok := u.(*ssa.Extract)
		if !ok || e.Index >= len(r.Results) {
			continue
		}
		c, ok := returned(r, e.Index).(*ssa.Const)
		if ok && c.Value != nil && c.Value.Kind() == constant.Bool && p.decides(e, !constant.BoolVal(c.Value), use) {
			return true
		}
	}
	return false
}

// staysAbove reports whether a field is at most a number that is stored as the length of another one, by an invariant of both.
func (p *prover) staysAbove(base ssa.Value, v invariant, x bound, k int64, st *ssa.Store) bool {
	if x.v == nil || !v.len || !isLong(v.of.Type()) {
		return false
	}
	if x.len {
		// What a function returns that was given so much, and gives no less back.
		call, _ := resultAtCall(x.v)
		if call == nil {
			return false
		}
		for _, a := range call.Call.Args {
			if !hasLength(a.Type()) {
				continue
			}
			if n, j := p.length(a); n.v != nil && !n.len && p.le(n, x, k-j, pointAt(st)) && p.staysAbove(base, v, n, j, st) {
				return true
			}
		}
		return false
	}
	v2 := v
	m := comparison{base: base, f: v.of, c: k, inv: &v2}
	if sum, ok := x.v.(*ssa.BinOp); ok && sum.Op == token.ADD && isLong(sum.Type()) {
		for _, y := range [][2]ssa.Value{{sum.X, sum.Y}, {sum.Y, sum.X}} {
			n, j := p.normal(y[1])
			if p.le(bound{}, n, j, pointAt(st)) && p.compares(m, y[0], pointAt(st), pointAt(st), 0) {
				return true
			}
		}
		return false
	}
	return p.compares(m, x.v, pointAt(st), pointAt(st), 0)
}
