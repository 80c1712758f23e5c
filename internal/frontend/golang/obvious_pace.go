// SPDX-License-Identifier: Apache-2.0

package golang

// This file is about a counter of which a multiple goes no faster than a position in the same loop:
//
//	for i := 0; i < len(s); {
//		if s[i] == '%' {
//			n++
//			i += 3
//		} else {
//			i++
//		}
//	}
//	buf.Grow(len(s) - 2*n)
//
// Around the loop 3*n stays at most i: on each way through its body, the position grows by at least three times of what the counter does. So 2*n is at
// most i, which is at most the length.

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// maxPaces bounds the ways through a loop that are looked at.
const maxPaces = 64

// leByPace reports whether a <= b + c, where one of the two is a multiple of a counter.
func (p *prover) leByPace(a, b bound, c int64, at point) bool {
	if v, ok := a.v.(*ssa.BinOp); ok && !a.len && v.Op == token.MUL && p.isPaced(v, at, func(place bound, ahead int64) bool { return p.le(place, b, c-ahead, at) }) {
		return true
	}
	v, ok := b.v.(*ssa.BinOp)
	return ok && !b.len && v.Op == token.MUL && a.v == nil && c >= 0 && p.isPaced(v, at, func(bound, int64) bool { return true })
}

// isPaced reports whether a number is a multiple of a counter, and at most a position and a constant of which something holds. It is not negative then.
func (p *prover) isPaced(v *ssa.BinOp, at point, holds func(place bound, ahead int64) bool) bool {
	n, j := p.normal(v.X)
	y, factor := p.normal(v.Y)
	if y.v != nil {
		n, j, y, factor = y, factor, n, j
	}
	counter, ok := n.v.(*ssa.Phi)
	if !ok || n.len || j != 0 || y.v != nil || factor <= 0 || factor > maxFactor || !isLong(v.Type()) {
		return false
	}
	head := counter.Block()
	for k, i := range head.Instrs {
		place, ok := i.(*ssa.Phi)
		if !ok || k >= maxAlongside {
			break
		}
		if place == counter || !isLong(place.Type()) {
			continue
		}
		if ahead, ok := p.paces(counter, place, factor); ok && holds(bound{v: place}, ahead) && p.le(bound{v: place}, bound{}, 2*maxLen, at) {
			p.used[conventionNoWrap] = true
			return true
		}
	}
	return false
}

// paces reports whether factor times a counter is at most a position of the same loop, and a constant, in all rounds. The counter is
// not negative, and the constant is by how much it is ahead before the first round.
func (p *prover) paces(counter, place *ssa.Phi, factor int64) (ahead int64, ok bool) {
	head := counter.Block()
	starts, loops := 0, 0
	for k, from := range head.Preds {
		if head.Dominates(from) {
			loops++
			w := &pacing{p: p, counter: counter, place: place, factor: factor}
			if !w.way(counter.Edges[k], place.Edges[k], 0, 0) {
				return 0, false
			}
			continue
		}
		x, i := p.normal(counter.Edges[k])
		y, j := p.normal(place.Edges[k])
		if x.v != nil || y.v != nil || i < 0 || i > maxBound/maxFactor || j > maxBound || j < -maxBound {
			return 0, false
		}
		if d := factor*i - j; starts == 0 || d > ahead {
			ahead = d
		}
		starts++
	}
	return ahead, starts > 0 && loops > 0
}

// A pacing follows two numbers back through one round of a loop.
type pacing struct {
	p              *prover
	counter, place *ssa.Phi
	factor         int64
	ways           int
}

// way reports whether on all ways to where the counter is x plus m, and the position y plus n, the position has grown as much as the
// multiple of the counter, and neither has become less.
func (w *pacing) way(x, y ssa.Value, m, n int64) bool {
	if w.ways++; w.ways > maxPaces || m > maxBound/maxFactor || n > maxBound {
		return false
	}
	if x == ssa.Value(w.counter) && y == ssa.Value(w.place) {
		return m >= 0 && n >= w.factor*m
	}
	if v, k, ok := w.added(x, w.counter); ok {
		return w.way(v, y, m+k, n)
	}
	if v, k, ok := w.added(y, w.place); ok {
		return w.way(x, v, m, n+k)
	}
	a, _ := x.(*ssa.Phi)
	b, _ := y.(*ssa.Phi)
	if a == w.counter {
		a = nil
	}
	if b == w.place {
		b = nil
	}
	var join *ssa.BasicBlock // the later one of the two
	switch {
	case a == nil && b == nil:
		return false
	case b == nil || a != nil && b.Block().Dominates(a.Block()):
		join = a.Block()
	case a == nil || a.Block().Dominates(b.Block()):
		join = b.Block()
	default:
		return false
	}
	if !w.counter.Block().Dominates(join) || join == w.counter.Block() {
		return false
	}
	for k, from := range join.Preds {
		if join.Dominates(from) {
			return false // a loop within
		}
		u, v := x, y
		if a != nil && a.Block() == join {
			u = a.Edges[k]
		}
		if b != nil && b.Block() == join {
			v = b.Edges[k]
		}
		if !w.way(u, v, m, n) {
			return false
		}
	}
	return true
}

// added is a number to which a constant is added that is not negative.
func (w *pacing) added(v ssa.Value, until *ssa.Phi) (ssa.Value, int64, bool) {
	b, ok := v.(*ssa.BinOp)
	if !ok || v == ssa.Value(until) || b.Op != token.ADD {
		return nil, 0, false
	}
	n, k := w.p.normal(b.Y)
	return b.X, k, n.v == nil && k >= 0 && k <= maxBound/maxFactor
}
