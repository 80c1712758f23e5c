// SPDX-License-Identifier: Apache-2.0

package loops

import (
	"math/bits"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// This file looks at what methods count by.

// countsBy lists the constants that a method adds to its variables, as distances from zero.
func countsBy(sum *explore.Summary) []uint64 {
	var exprs []*term.Term
	for _, e := range sum.Method.Edges {
		if e.Kind == prog.AssignEdge {
			exprs = append(exprs, e.Exprs...)
		}
	}
	var out []uint64
	for t := range describe.Subterms(exprs...) {
		if t.Op() != term.OpAdd {
			continue
		}
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
func lowBitsOf(pool *term.Pool, t *term.Term, n int) *term.Term {
	return pool.BVAnd(t, pool.Int(t.Sort().Width, 1<<n-1))
}

// Congruences lists what the low bits of integer variables, and of differences of those that are compared, can be, if the method counts
// in steps that leave them alone. The negation of each is a candidate, too.
func Congruences(pool *term.Pool, sum *explore.Summary) []*term.Term {
	most := lowBits(countsBy(sum))
	var out []*term.Term
	for _, t := range counted(pool, sum) {
		for n := 1; n <= most && n < t.Sort().Width; n++ {
			for k := range int64(1) << n {
				if n > 1 || k == 0 { // of one bit, the other value is the negation
					out = append(out, pool.Eq(lowBitsOf(pool, t, n), pool.Int(t.Sort().Width, k)))
				}
			}
		}
	}
	return out
}

// counted lists the integer variables of a method, and the differences of what it compares.
func counted(pool *term.Pool, sum *explore.Summary) []*term.Term {
	var out []*term.Term
	add := func(t *term.Term) {
		if !t.IsConst() && !slices.Contains(out, t) && !slices.Contains(out, pool.Neg(t)) {
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
			add(pool.Sub(a, b))
		}
	}
	return out
}
