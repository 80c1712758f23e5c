// SPDX-License-Identifier: Apache-2.0

package loops

// This file proposes invariants of loops: for rankings (rank.go), and low bits of what is counted in even steps, which say that a loop
// ends where it should, or that it never does.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// suggest makes the candidates for the invariants of all heads: of what is tried, what held in the run that was followed. The most
// general come first, since the last ones are dropped first.
func (x *rankSearch) suggest(start term.Model) {
	var tried []*term.Term
	add := func(t *term.Term) {
		for _, l := range []*term.Term{t, x.abs.Pool.Not(t)} {
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
			add(x.abs.Pool.Eq(v.Term, x.abs.Pool.Const(v.Type.Sort, start[v.Term])))
		case term.BitVecKind:
			ints = append(ints, v)
			for _, k := range x.boundsOf(v) {
				compare(x.abs.Pool, v, k, add)
			}
		}
	}
	together := together(x.sum)
	for i, v := range ints {
		for _, w := range ints[:i] {
			if v.Type == w.Type && together[v] == together[w] {
				compare(x.abs.Pool, w, v.Term, add)
			}
		}
	}
	most := lowBits(countsBy(x.sum))
	for _, h := range x.sum.Heads {
		mine := slices.Clone(tried)
		if first := x.visited[h]; len(first) > 0 {
			for _, t := range counted(x.abs.Pool, x.sum) {
				for n := most; n >= 1; n-- {
					if n < t.Sort().Width {
						low := lowBitsOf(x.abs.Pool, t, n)
						mine = append(mine, x.abs.Pool.Eq(low, x.abs.Pool.Const(t.Sort(), term.Eval(low, first[0]))))
					}
				}
			}
		}
		for _, l := range mine {
			if len(x.inv[h]) < MaxCandidates && !slices.ContainsFunc(x.visited[h], func(m term.Model) bool { return !term.Holds(l, m) }) {
				x.inv[h] = append(x.inv[h], l)
			}
		}
	}
}

// boundsOf lists what an integer variable is compared with by candidates: the constants of the code, and values so near the ends of its
// type that a step of a loop would leave it.
func (x *rankSearch) boundsOf(v *prog.Var) []*term.Term {
	w := v.Type.Sort.Width
	ones := x.abs.Pool.BVNot(x.abs.Pool.Int(w, 0))
	least, most := x.abs.Pool.Int(w, 0), ones
	if v.Type.Signed {
		least = x.abs.Pool.Shl(x.abs.Pool.Int(w, 1), x.abs.Pool.Int(w, int64(w-1)))
		most = x.abs.Pool.BVNot(least)
	}
	var out []*term.Term
	for _, k := range countsBy(x.sum) {
		step := x.abs.Pool.Int(w, int64(k))
		out = append(out, x.abs.Pool.Sub(most, step), x.abs.Pool.Add(x.abs.Pool.Sub(most, step), x.abs.Pool.Int(w, 1)),
			x.abs.Pool.Add(least, step), x.abs.Pool.Sub(x.abs.Pool.Add(least, step), x.abs.Pool.Int(w, 1)))
	}
	for _, k := range constantsOf(x.sum, v) {
		out = append(out, x.abs.Pool.Const(v.Type.Sort, k))
	}
	return out
}
