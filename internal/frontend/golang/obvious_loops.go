// SPDX-License-Identifier: Apache-2.0

package golang

// This file is about numbers that meet at a join, and so about loops. That a is at most b + c holds at a
// join if it holds on each way there of what a and b are on that way, where
//
//   - a variable of the join is what it gets by the way, also if both numbers are such variables: then both
//     get their values by the same way;
//   - any other number is what it is on the way, if it is the same after the join. It is on ways that come from before
//     the join: what is computed after the join has no value there, and nothing but what holds of all its
//     values is known of it. Around a loop it is the same if it is computed before the loop, or is loaded
//     from a variable that nothing in the loop writes, or is computed from such numbers.
//
// A number that is computed anew in each round is another one in the next:
//
//	for _, x := range list { use(x[:n]); if n >= len(x) { break }; n++ }
//
// Here n is at most len(x) at the end of a round, but it is the length of the x of that round.

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// maxSteady bounds what a number is computed from that is the same in all rounds, maxRound the blocks of a
// loop, maxAlongside the variables of a loop.
const (
	maxSteady    = 4
	maxRound     = 60
	maxAlongside = 8
)

// leByJoin reports whether a <= b + c, where one of the two is a variable of a join or its length.
func (p *prover) leByJoin(v *ssa.Phi, a, b bound, c int64, at point) bool {
	p.round++
	defer func() { p.round-- }()
	return p.ways(v, at, func(j join) bool {
		x, i, ok1 := p.onWay(a, j)
		y, k, ok2 := p.onWay(b, j)
		return ok1 && ok2 && p.le(x, y, c+k-i, j.from)
	})
}

// leAlongside is about a counter that goes no faster than another one of the same loop, which is below a limit:
//
//	for _, x := range list { if x.ok { n++ } }
//
// Here n is at most the index and so at most the length of the list. That the one goes no faster is another
// fact, of two variables of one join.
func (p *prover) leAlongside(a, b bound, c int64, at point) bool {
	v, ok := a.v.(*ssa.Phi)
	if !ok || a.len || !isLong(v.Type()) {
		return false
	}
	head := v.Block()
	for n, i := range head.Instrs {
		t, ok := i.(*ssa.Phi)
		if !ok || n >= maxAlongside {
			break
		}
		if t == v || !isLong(t.Type()) || b.v == ssa.Value(t) {
			continue
		}
		var ahead int64 // at the beginning
		starts, loops := 0, false
		for k, from := range head.Preds {
			if head.Dominates(from) {
				if step, ok := t.Edges[k].(*ssa.BinOp); !ok || step.Op != token.ADD || step.X != ssa.Value(t) {
					loops = false // it is no index
					break
				}
				loops = true
				continue
			}
			x, i := p.normal(v.Edges[k])
			y, j := p.normal(t.Edges[k])
			if d := i - j; x == y && d <= maxBound && d >= -maxBound && (starts == 0 || d > ahead) {
				ahead = d
				starts++
			} else if x != y || d > maxBound || d < -maxBound {
				loops = false
				break
			}
		}
		if loops && starts > 0 && p.le(bound{v: t}, b, c-ahead, at) && p.le(a, bound{v: t}, ahead, at) {
			return true
		}
	}
	return false
}

// onWay is what a number after a join is on a way there, plus a constant.
func (p *prover) onWay(x bound, j join) (bound, int64, bool) {
	to, from := j.phi.Block(), j.from.b
	if q, ok := x.v.(*ssa.Phi); ok && q.Block() == to {
		if x.len {
			n, k := p.length(q.Edges[j.k])
			return n, k, true
		}
		n, k := p.normal(q.Edges[j.k])
		return n, k, true
	}
	if x.v == nil || !to.Dominates(from) {
		return x, 0, true
	}
	return x, 0, p.sameInRounds(x.v, to, from, 0)
}

// sameInRounds reports whether a value is the same in all rounds of the loop that goes back to a block from
// another one.
func (p *prover) sameInRounds(v ssa.Value, head, back *ssa.BasicBlock, depth int) bool {
	if p.steps++; p.steps > p.limit || depth > maxSteady {
		return false
	}
	if p.outlives(v, head) {
		return true
	}
	all := func(list ...ssa.Value) bool {
		for _, x := range list {
			if x != nil && !p.sameInRounds(x, head, back, depth+1) {
				return false
			}
		}
		return true
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		return all(v.X, v.Y)
	case *ssa.Convert:
		return all(v.X)
	case *ssa.ChangeType:
		return all(v.X)
	case *ssa.FieldAddr:
		return all(v.X)
	case *ssa.Slice:
		return all(v.X, v.Low, v.High, v.Max)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return v.Op != token.ARROW && all(v.X)
		}
		l := p.at(v.X)
		return l != nil && p.located[v.Parent()] && all(v.X) && p.quietLoop(head, back, l)
	case *ssa.Call:
		if f, ok := v.Call.Value.(*ssa.Builtin); ok {
			switch f.Name() {
			case "len", "cap":
				return hasLength(v.Call.Args[0].Type()) && all(v.Call.Args...)
			case "min", "max":
				return all(v.Call.Args...)
			}
		}
	}
	return false
}

// quietLoop reports whether nothing writes a location in a loop.
func (p *prover) quietLoop(head, back *ssa.BasicBlock, l location) bool {
	seen := map[*ssa.BasicBlock]bool{}
	for work := []*ssa.BasicBlock{head, back}; len(work) > 0; {
		b := work[0]
		work = work[1:]
		if seen[b] {
			continue
		}
		seen[b] = true
		if len(seen) > maxRound {
			return false
		}
		for _, i := range b.Instrs {
			if p.mayWriteAt(i, l) {
				return false
			}
		}
		if b != head {
			work = append(work, b.Preds...)
		}
	}
	return true
}
