// SPDX-License-Identifier: Apache-2.0

package loops

// This file puts ranking functions together (rank.go).

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A rankStep is a block between loop heads, taken where all components so far stay the same.
type rankStep struct {
	*explore.Block
	more *term.Term
}

// component is a term of any width as a component of a ranking function.
func (x *rankSearch) component(t *term.Term) *term.Term {
	return x.abs.Pool.ZeroExt(RankWidth-t.Sort().Width, t)
}

// smaller is the condition that a list is smaller than another, lexicographically and unsigned.
func (x *rankSearch) smaller(than, list []*term.Term) *term.Term {
	less := x.abs.Pool.False()
	for k := len(list) - 1; k >= 0; k-- {
		less = x.abs.Pool.Or(x.abs.Pool.ULt(list[k], than[k]), x.abs.Pool.And(x.abs.Pool.Eq(list[k], than[k]), less))
	}
	return less
}

// measure returns a ranking function that every one of the steps between some heads decreases, whatever the choices; nil if none is found.
func (x *rankSearch) measure(ctx context.Context, steps []rankStep, heads []int, depth int) (map[int][]*term.Term, error) {
	groups := connected(heads, steps)
	out := map[int][]*term.Term{}
	longest := 0
	for n, group := range groups {
		inside := slices.DeleteFunc(slices.Clone(steps), func(t rankStep) bool {
			return !slices.Contains(group, t.From) || !slices.Contains(group, t.To)
		})
		rank := map[int][]*term.Term{}
		if len(inside) > 0 {
			var err error
			if rank, err = x.measureGroup(ctx, inside, group, depth); rank == nil || err != nil {
				return nil, err
			}
		}
		for _, h := range group {
			if out[h] = rank[h]; len(groups) > 1 {
				out[h] = append([]*term.Term{x.abs.Pool.Int(RankWidth, int64(n))}, out[h]...)
			}
			longest = max(longest, len(out[h]))
		}
	}
	for _, h := range heads {
		for len(out[h]) < longest {
			out[h] = append(out[h], x.abs.Pool.Int(RankWidth, 0))
		}
	}
	return out, nil
}

// measureGroup is measure for heads each of which leads to each other.
func (x *rankSearch) measureGroup(ctx context.Context, steps []rankStep, heads []int, depth int) (map[int][]*term.Term, error) {
	if depth == maxRankDepth {
		return nil, nil
	}
	taken := steps[:0:0] // the others are in no state with the invariant
	for _, t := range steps {
		r, err := x.abs.Check(ctx, x.abs.Assumed, x.abs.Pool.And(x.inv[t.From]...), t.Cond, t.more)
		if err != nil {
			return nil, err
		}
		if r.Verdict == solve.Sat {
			taken = append(taken, t)
		}
	}
	if len(taken) < len(steps) {
		return x.measure(ctx, taken, heads, depth)
	}
	for _, f := range x.measures() {
		if !x.decreasedInRun(f) {
			continue
		}
		var rest []rankStep
		ok, some := true, false
		for _, t := range steps {
			now := x.abs.Pool.Substitute(f, predabs.After(x.sum, t.Vals))
			here := x.abs.Pool.And(x.abs.Assumed, x.abs.Pool.And(x.inv[t.From]...), t.Cond, t.more)
			r, err := x.abs.Check(ctx, here, x.abs.Pool.ULt(f, now))
			if err != nil {
				return nil, err
			}
			if ok = r.Verdict == solve.Unsat; !ok {
				break
			}
			same := x.abs.Pool.Eq(now, f)
			if r, err = x.abs.Check(ctx, here, same); err != nil {
				return nil, err
			}
			if r.Verdict == solve.Sat {
				rest = append(rest, rankStep{t.Block, x.abs.Pool.And(t.more, same)})
			}
			if r, err = x.abs.Check(ctx, here, x.abs.Pool.Not(same)); err != nil {
				return nil, err
			}
			some = some || r.Verdict == solve.Sat
		}
		if !ok || !some {
			continue
		}
		deeper, err := x.measure(ctx, rest, heads, depth+1)
		if err != nil {
			return nil, err
		}
		if deeper == nil {
			continue
		}
		for _, h := range heads {
			deeper[h] = append([]*term.Term{x.component(f)}, deeper[h]...)
		}
		return deeper, nil
	}
	return nil, nil
}

// decreasedInRun reports whether no round of the run that was followed increases a term.
func (x *rankSearch) decreasedInRun(f *term.Term) bool {
	for _, list := range x.visited {
		for k := 1; k < len(list); k++ {
			then, now := term.Eval(f, list[k-1]), term.Eval(f, list[k])
			if then.Hi < now.Hi || then.Hi == now.Hi && then.Lo < now.Lo {
				return len(x.visited) > 1 // of a loop in a loop, a run of the outer one says little of the inner one
			}
		}
	}
	return true
}

// measureChoosing returns a ranking function of one component that some choice decreases.
func (x *rankSearch) measureChoosing(ctx context.Context) (map[int][]*term.Term, error) {
	for _, f := range x.measures() {
		rank := map[int][]*term.Term{}
		for _, h := range x.sum.Heads {
			rank[h] = []*term.Term{x.component(f)}
		}
		ok := true
		for _, h := range x.sum.Heads {
			var err error
			if ok, err = x.decreases(ctx, h, x.inv, rank); err != nil {
				return nil, err
			}
			if !ok {
				break
			}
		}
		if ok {
			return rank, nil
		}
	}
	return nil, nil
}

// decreases reports whether from each state at a head in which the invariant holds some choice leads to an error, or to a head in which the
// invariant holds and the ranking function is smaller.
func (x *rankSearch) decreases(ctx context.Context, h int, inv, rank map[int][]*term.Term) (bool, error) {
	var any []*term.Term
	for k := range x.sum.Blocks {
		b := &x.sum.Blocks[k]
		if b.From != h || !x.good(b) {
			continue
		}
		t := b.Cond
		if slices.Contains(x.sum.Heads, b.To) {
			sub := predabs.After(x.sum, b.Vals)
			t = x.abs.Pool.And(t, x.abs.Pool.Substitute(x.abs.Pool.And(inv[b.To]...), sub), x.smaller(rank[h], x.abs.Pool.SubstituteAll(rank[b.To], sub)))
		}
		any = append(any, t)
	}
	return x.abs.Must(ctx, -1, x.abs.Pool.And(append(slices.Clone(inv[h]), x.abs.Assumed)...), x.abs.Pool.Or(any...))
}

// connected returns the strongly connected components of heads under steps, such that steps between different ones lead to an earlier one.
func connected(heads []int, steps []rankStep) [][]int {
	reach := map[[2]int]bool{}
	for _, t := range steps {
		reach[[2]int{t.From, t.To}] = true
	}
	for _, k := range heads {
		for _, i := range heads {
			for _, j := range heads {
				if reach[[2]int{i, k}] && reach[[2]int{k, j}] {
					reach[[2]int{i, j}] = true
				}
			}
		}
	}
	var out [][]int
	done := map[int]bool{}
	for len(done) < len(heads) {
		for _, h := range heads {
			// The first whose successors are all done or in its own component.
			if done[h] || slices.ContainsFunc(heads, func(g int) bool { return reach[[2]int{h, g}] && !reach[[2]int{g, h}] && !done[g] }) {
				continue
			}
			group := []int{h}
			done[h] = true
			for _, g := range heads {
				if !done[g] && reach[[2]int{h, g}] && reach[[2]int{g, h}] {
					group, done[g] = append(group, g), true
				}
			}
			out = append(out, group)
		}
	}
	return out
}

// measures lists the terms of which ranking functions are made, the likeliest first: how far apart are the sides of what the code compares
// (and one more, which a loop with <= needs), whether a condition holds, variables, and how far they are from the other end of their type.
func (x *rankSearch) measures() []*term.Term {
	var near, flags, vars []*term.Term
	for _, t := range describe.Conditions(x.sum.Method) {
		if !describe.OverVars(t, x.sum.Vars) {
			continue
		}
		flags = append(flags, x.abs.Pool.Ite(t, x.abs.Pool.Int(1, 1), x.abs.Pool.Int(1, 0)), x.abs.Pool.Ite(t, x.abs.Pool.Int(1, 0), x.abs.Pool.Int(1, 1)))
		a, b := t.Args()[0], t.Args()[1]
		if a.Sort().Kind != term.BitVecKind || a.Sort().Width > RankWidth {
			continue
		}
		zero, one := x.abs.Pool.Int(a.Sort().Width, 0), x.abs.Pool.Int(a.Sort().Width, 1)
		up, down := x.abs.Pool.Sub(b, a), x.abs.Pool.Sub(a, b)
		switch t.Op() {
		case term.OpEq:
			near = append(near, up, down)
		default:
			near = append(near, x.abs.Pool.Ite(t, up, zero), x.abs.Pool.Ite(t, zero, x.abs.Pool.Add(down, one)), up, down)
		}
	}
	for _, v := range x.sum.Vars {
		switch v.Type.Sort.Kind {
		case term.BitVecKind:
			lowest := x.abs.Pool.Int(v.Type.Sort.Width, 0)
			if v.Type.Signed {
				lowest = x.abs.Pool.Shl(x.abs.Pool.Int(v.Type.Sort.Width, 1), x.abs.Pool.Int(v.Type.Sort.Width, int64(v.Type.Sort.Width-1)))
				near = append(near, x.abs.Pool.Ite(x.abs.Pool.SLt(v.Term, x.abs.Pool.Int(v.Type.Sort.Width, 0)), x.abs.Pool.Neg(v.Term), v.Term))
			}
			above := x.abs.Pool.Sub(v.Term, lowest)
			vars = append(vars, above, x.abs.Pool.BVNot(above))
		case term.BoolKind:
			flags = append(flags, x.abs.Pool.Ite(v.Term, x.abs.Pool.Int(1, 1), x.abs.Pool.Int(1, 0)), x.abs.Pool.Ite(v.Term, x.abs.Pool.Int(1, 0), x.abs.Pool.Int(1, 1)))
		}
	}
	var out []*term.Term
	for _, t := range slices.Concat(near, vars, flags) {
		if !t.IsConst() && !slices.Contains(out, t) && len(out) < maxMeasures {
			out = append(out, t)
		}
	}
	return out
}
