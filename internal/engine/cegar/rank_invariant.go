// SPDX-License-Identifier: Apache-2.0

package cegar

// This file proposes invariants of loops: for rankings (rank.go), and low bits of what is counted in even steps, which say that a loop
// ends where it should, or that it never does.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// suggest makes the candidates for the invariants of all heads: of what is tried, what held in the run that was followed. The most
// general come first, since the last ones are dropped first.
func (x *rankSearch) suggest(start term.Model) {
	var tried []*term.Term
	add := func(t *term.Term) {
		for _, l := range []*term.Term{t, x.Pool.Not(t)} {
			if !l.IsConst() && !slices.Contains(tried, l) {
				tried = append(tried, l)
			}
		}
	}
	var ints []*prog.Var
	for _, t := range describe.Conditions(x.sum.Method) {
		if describe.OverVars(t, x.sum.Vars) {
			add(t)
		}
	}
	for _, v := range x.sum.Vars {
		switch v.Type.Sort.Kind {
		case term.BoolKind:
			add(v.Term)
		case term.EnumKind:
			add(x.Pool.Eq(v.Term, x.Pool.Const(v.Type.Sort, start[v.Term])))
		case term.BitVecKind:
			ints = append(ints, v)
			for _, k := range x.boundsOf(v) {
				compare(x.Pool, v, k, add)
			}
		}
	}
	together := together(x.sum)
	for i, v := range ints {
		for _, w := range ints[:i] {
			if v.Type == w.Type && together[v] == together[w] {
				compare(x.Pool, w, v.Term, add)
			}
		}
	}
	most := predabs.LowBits(x.CountsBy(x.sum))
	for _, h := range x.sum.Heads {
		mine := slices.Clone(tried)
		if first := x.visited[h]; len(first) > 0 {
			for _, t := range x.Counted(x.sum) {
				for n := most; n >= 1; n-- {
					if n < t.Sort().Width {
						low := x.LowBitsOf(t, n)
						mine = append(mine, x.Pool.Eq(low, x.Pool.Const(t.Sort(), term.Eval(low, first[0]))))
					}
				}
			}
		}
		for _, l := range mine {
			if len(x.inv[h]) < maxCandidates && !slices.ContainsFunc(x.visited[h], func(m term.Model) bool { return !term.Holds(l, m) }) {
				x.inv[h] = append(x.inv[h], l)
			}
		}
	}
}

// boundsOf lists what an integer variable is compared with by candidates: the constants of the code, and values so near the ends of its
// type that a step of a loop would leave it.
func (x *rankSearch) boundsOf(v *prog.Var) []*term.Term {
	w := v.Type.Sort.Width
	ones := x.Pool.BVNot(x.Pool.Int(w, 0))
	least, most := x.Pool.Int(w, 0), ones
	if v.Type.Signed {
		least = x.Pool.Shl(x.Pool.Int(w, 1), x.Pool.Int(w, int64(w-1)))
		most = x.Pool.BVNot(least)
	}
	var out []*term.Term
	for _, k := range x.CountsBy(x.sum) {
		step := x.Pool.Int(w, int64(k))
		out = append(out, x.Pool.Sub(most, step), x.Pool.Add(x.Pool.Sub(most, step), x.Pool.Int(w, 1)),
			x.Pool.Add(least, step), x.Pool.Sub(x.Pool.Add(least, step), x.Pool.Int(w, 1)))
	}
	for _, k := range constantsOf(x.sum, v) {
		out = append(out, x.Pool.Const(v.Type.Sort, k))
	}
	return out
}
