// SPDX-License-Identifier: Apache-2.0

package predabs

import (
	"math/bits"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A Ranking shows that a call of a method errs in some run if a condition holds.
type Ranking struct {
	When *term.Term           // over the state and the parameters at the entry
	Inv  map[int][]*term.Term // by head: the conjuncts of its invariant
	Rank map[int][]*term.Term // by head: the ranking function, of equal length and sorts
}

// UnrolledOrRanked is unrolled, with the runs that rankings know of. Their condition alone stands for those that it covers.
func (m *Abstraction) UnrolledOrRanked(sum *explore.Summary, errs bool) Unrolling {
	u := m.Unrolled(sum, errs)
	if !errs || len(m.Rankings[sum]) == 0 {
		return u
	}
	var any []*term.Term
	for _, r := range m.Rankings[sum] {
		any = append(any, r.When)
	}
	if !m.Covered[sum] {
		any = append(any, u.Cond)
	}
	u.Cond = m.Pool.Or(any...)
	return u
}

// CountsBy lists the constants that a method adds to its variables, as distances from zero.
func (m *Abstraction) CountsBy(sum *explore.Summary) []uint64 {
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

// LowBits is the number of low bits that some of the steps leave alone, at most maxLowBits.
func LowBits(steps []uint64) int {
	n := 0
	for _, k := range steps {
		n = max(n, min(bits.TrailingZeros64(k), maxLowBits))
	}
	return n
}

// LowBitsOf is the term of the n low bits of t, the others being zero.
func (m *Abstraction) LowBitsOf(t *term.Term, n int) *term.Term {
	return m.Pool.BVAnd(t, m.Pool.Int(t.Sort().Width, 1<<n-1))
}

// Congruences lists what the low bits of integer variables, and of differences of those that are compared, can be, if the method counts
// in steps that leave them alone. The negation of each is a candidate, too.
func (m *Abstraction) Congruences(sum *explore.Summary) []*term.Term {
	most := LowBits(m.CountsBy(sum))
	var out []*term.Term
	for _, t := range m.Counted(sum) {
		for n := 1; n <= most && n < t.Sort().Width; n++ {
			for k := range int64(1) << n {
				if n > 1 || k == 0 { // of one bit, the other value is the negation
					out = append(out, m.Pool.Eq(m.LowBitsOf(t, n), m.Pool.Int(t.Sort().Width, k)))
				}
			}
		}
	}
	return out
}

// Counted lists the integer variables of a method, and the differences of what it compares.
func (m *Abstraction) Counted(sum *explore.Summary) []*term.Term {
	var out []*term.Term
	add := func(t *term.Term) {
		if !t.IsConst() && !slices.Contains(out, t) && !slices.Contains(out, m.Pool.Neg(t)) {
			out = append(out, t)
		}
	}
	for _, v := range sum.Vars {
		if v.Type.Sort.Kind == term.BitVecKind {
			add(v.Term)
		}
	}
	for _, t := range describe.Conditions(sum.Method) {
		a, b := t.Args()[0], t.Args()[1]
		if a.Sort().Kind == term.BitVecKind && a.IsVar() && b.IsVar() && describe.OverVars(t, sum.Vars) {
			add(m.Pool.Sub(a, b))
		}
	}
	return out
}
