// SPDX-License-Identifier: Apache-2.0

package golang

// This file is about loops that take a slice or string apart and count what they took:
//
//	for len(p) > limit {
//		n := copy(buf, p)
//		total += n
//		p = p[n:]
//	}
//
// The count and what is left are together as long as the slice was at first, in every round: x + len(y)
// is x₀ + len(y₀). That p[n:] did not fail says that n is neither negative nor more than what was left. So the
// count never becomes less, and is at most that sum; a number that is at most len(y) may be added to it.
// It is the one linear equality (Karr, Acta Informatica 1976) that such loops need.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A consumption is a count, x, and the slice or string of which it counts what was taken, y.
type consumption struct {
	x, y  *ssa.Phi
	first int64     // what the count begins with
	all   ssa.Value // what the slice begins with
}

// consumed finds the slice that a variable of a loop counts elements of.
func (p *prover) consumed(v ssa.Value) (consumption, bool) {
	x, ok := v.(*ssa.Phi)
	if !ok || !isLong(x.Type()) {
		return consumption{}, false
	}
	for _, i := range x.Block().Instrs {
		y, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		if c, ok := p.consumption(x, y); ok {
			return c, true
		}
	}
	return consumption{}, false
}

func (p *prover) consumption(x, y *ssa.Phi) (consumption, bool) {
	c := consumption{x: x, y: y}
	if !hasLength(y.Type()) {
		return c, false
	}
	taken := false
	for k, e := range x.Edges {
		from := y.Edges[k]
		if e == ssa.Value(x) && from == ssa.Value(y) {
			continue
		}
		if s, ok := from.(*ssa.Slice); ok && s.X == ssa.Value(y) {
			if s.Low == nil || s.High != nil || s.Max != nil || !isSumOf(e, x, s.Low) {
				return c, false
			}
			taken = true
			continue
		}
		n, ok := e.(*ssa.Const)
		if !ok || c.all != nil || y.Block().Dominates(y.Block().Preds[k]) {
			return c, false
		}
		b, first := p.normal(n)
		if b.v != nil || first < 0 || first > maxLen {
			return c, false
		}
		c.first, c.all = first, from
	}
	return c, taken && c.all != nil
}

// isSumOf reports whether a value is x + n.
func isSumOf(v ssa.Value, x, n ssa.Value) bool {
	b, ok := v.(*ssa.BinOp)
	if !ok || b.Op != token.ADD || !types.Identical(n.Type(), x.Type()) {
		return false
	}
	return b.X == x && b.Y == n || b.X == n && b.Y == x
}

// leByConsumed is about such a count, or the sum of one and something else: a <= b + c.
func (p *prover) leByConsumed(a, b bound, c int64, at point) bool {
	if a.v == nil && b.v != nil && !b.len {
		if k, ok := p.consumed(b.v); ok {
			return -k.first <= c
		}
		// With something that is not negative it is not less.
		if s, ok := b.v.(*ssa.BinOp); ok && s.Op == token.ADD {
			for _, x := range [][2]ssa.Value{{s.X, s.Y}, {s.Y, s.X}} {
				k, ok := p.consumed(x[0])
				if !ok {
					continue
				}
				n, j := p.normal(x[1])
				if -k.first <= c && p.le(bound{}, n, j, at) && p.le(n, bound{k.y, true}, -j, at) {
					return true
				}
			}
		}
		return false
	}
	if a.v == nil || a.len {
		return false
	}
	below := func(k consumption) bool {
		n, j := p.length(k.all)
		return p.le(n, b, c-k.first-j, at)
	}
	if k, ok := p.consumed(a.v); ok {
		return below(k)
	}
	s, ok := a.v.(*ssa.BinOp)
	if !ok || s.Op != token.ADD {
		return false
	}
	for _, x := range [][2]ssa.Value{{s.X, s.Y}, {s.Y, s.X}} {
		k, ok := p.consumed(x[0])
		if !ok {
			continue
		}
		if n, j := p.normal(x[1]); p.le(n, bound{k.y, true}, -j, at) && below(k) {
			return true
		}
	}
	return false
}
