// SPDX-License-Identifier: Apache-2.0

package engine

// This file proposes invariants of loops: for rankings (rank.go), and low bits of what is counted in even steps, which say that a loop
// ends where it should, or that it never does.

import (
	"math/bits"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

const (
	// maxLowBits bounds the low bits that a candidate speaks of: for each number of them there are as many candidates as they have values.
	maxLowBits = 3
	// maxSteps bounds the different constants that one method counts with which are looked at.
	maxSteps = 4
)

// countsBy lists the constants that a method adds to its variables, as distances from zero.
func (m *modal) countsBy(sum *region.Summary) []uint64 {
	var out []uint64
	seen := map[*term.Term]bool{}
	var walk func(t *term.Term)
	walk = func(t *term.Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Op() == term.OpAdd {
			for _, a := range t.Args() {
				if !a.IsConst() || a.Sort().Width > 64 {
					continue
				}
				k := a.Value().Int64(a.Sort().Width)
				if k < 0 {
					k = -k
				}
				if k != 0 && !slices.Contains(out, uint64(k)) && len(out) < maxSteps {
					out = append(out, uint64(k))
				}
			}
		}
		for _, a := range t.Args() {
			walk(a)
		}
	}
	for _, e := range sum.Method.Edges {
		if e.Kind == prog.AssignEdge {
			for _, t := range e.Exprs {
				walk(t)
			}
		}
	}
	return out
}

// lowBits is the number of low bits that some of the steps leave alone, at most maxLowBits.
func lowBits(steps []uint64) int {
	n := 0
	for _, k := range steps {
		n = max(n, min(bits.TrailingZeros64(k), maxLowBits))
	}
	return n
}

// lowBitsOf is the term of the n low bits of t, the others being zero.
func (m *modal) lowBitsOf(t *term.Term, n int) *term.Term {
	return m.pool.BVAnd(t, m.pool.Int(t.Sort().Width, 1<<n-1))
}

// congruences lists what the low bits of integer variables, and of differences of those that are compared, can be, if the method counts
// in steps that leave them alone. The negation of each is a candidate, too.
func (m *modal) congruences(sum *region.Summary) []*term.Term {
	most := lowBits(m.countsBy(sum))
	var out []*term.Term
	for _, t := range m.counted(sum) {
		for n := 1; n <= most && n < t.Sort().Width; n++ {
			for k := range int64(1) << n {
				if n > 1 || k == 0 { // of one bit, the other value is the negation
					out = append(out, m.pool.Eq(m.lowBitsOf(t, n), m.pool.Int(t.Sort().Width, k)))
				}
			}
		}
	}
	return out
}

// counted lists the integer variables of a method, and the differences of what it compares.
func (m *modal) counted(sum *region.Summary) []*term.Term {
	var out []*term.Term
	add := func(t *term.Term) {
		if !t.IsConst() && !slices.Contains(out, t) && !slices.Contains(out, m.pool.Neg(t)) {
			out = append(out, t)
		}
	}
	for _, v := range sum.Vars {
		if v.Type.Sort.Kind == term.BitVecKind {
			add(v.Term)
		}
	}
	for _, t := range conditions(sum.Method) {
		a, b := t.Args()[0], t.Args()[1]
		if a.Sort().Kind == term.BitVecKind && a.IsVar() && b.IsVar() && overVars(t, sum.Vars) {
			add(m.pool.Sub(a, b))
		}
	}
	return out
}

// suggest makes the candidates for the invariants of all heads: of what is tried, what held in the run that was followed. The most
// general come first, since the last ones are dropped first.
func (x *rankSearch) suggest(start term.Model) {
	var tried []*term.Term
	add := func(t *term.Term) {
		for _, l := range []*term.Term{t, x.pool.Not(t)} {
			if !l.IsConst() && !slices.Contains(tried, l) {
				tried = append(tried, l)
			}
		}
	}
	var ints []*prog.Var
	for _, t := range conditions(x.sum.Method) {
		if overVars(t, x.sum.Vars) {
			add(t)
		}
	}
	for _, v := range x.sum.Vars {
		switch v.Type.Sort.Kind {
		case term.BoolKind:
			add(v.Term)
		case term.EnumKind:
			add(x.pool.Eq(v.Term, x.pool.Const(v.Type.Sort, start[v.Term])))
		case term.BitVecKind:
			ints = append(ints, v)
			for _, k := range x.boundsOf(v) {
				x.compare(v, k, add)
			}
		}
	}
	together := x.together(x.sum)
	for i, v := range ints {
		for _, w := range ints[:i] {
			if v.Type == w.Type && together[v] == together[w] {
				x.compare(w, v.Term, add)
			}
		}
	}
	most := lowBits(x.countsBy(x.sum))
	for _, h := range x.sum.Heads {
		mine := slices.Clone(tried)
		if first := x.visited[h]; len(first) > 0 {
			for _, t := range x.counted(x.sum) {
				for n := most; n >= 1; n-- {
					if n < t.Sort().Width {
						low := x.lowBitsOf(t, n)
						mine = append(mine, x.pool.Eq(low, x.pool.Const(t.Sort(), term.Eval(low, first[0]))))
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
	ones := x.pool.BVNot(x.pool.Int(w, 0))
	least, most := x.pool.Int(w, 0), ones
	if v.Type.Signed {
		least = x.pool.Shl(x.pool.Int(w, 1), x.pool.Int(w, int64(w-1)))
		most = x.pool.BVNot(least)
	}
	var out []*term.Term
	for _, k := range x.countsBy(x.sum) {
		step := x.pool.Int(w, int64(k))
		out = append(out, x.pool.Sub(most, step), x.pool.Add(x.pool.Sub(most, step), x.pool.Int(w, 1)),
			x.pool.Add(least, step), x.pool.Sub(x.pool.Add(least, step), x.pool.Int(w, 1)))
	}
	for _, k := range constantsOf(x.sum, v) {
		out = append(out, x.pool.Const(v.Type.Sort, k))
	}
	return out
}
