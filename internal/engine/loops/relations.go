// SPDX-License-Identifier: Apache-2.0

package loops

import (
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// Relations adds what may be invariant in the loops of a method: what its code compares, flags, and comparisons of integers with the constants of the
// code and with each other.
func Relations(pool *term.Pool, sum *explore.Summary, add func(*term.Term)) {
	for _, t := range describe.Conditions(sum.Method) {
		if describe.OverVars(t, sum.Vars) {
			add(t)
		}
	}
	ints := []*prog.Var{}
	for _, v := range sum.Vars {
		switch v.Type.Sort.Kind {
		case term.BoolKind:
			add(v.Term)
		case term.BitVecKind:
			ints = append(ints, v)
		}
	}
	together := together(sum)
	for _, v := range ints {
		for _, k := range constantsOf(sum, v) {
			compare(pool, v, pool.Const(v.Type.Sort, k), add)
		}
	}
	for i, v := range ints {
		for _, w := range ints[:i] {
			if v.Type == w.Type && together[v] == together[w] {
				compare(pool, w, v.Term, add)
			}
		}
	}
}

// compare adds the comparisons of a variable with a term.
func compare(pool *term.Pool, v *prog.Var, t *term.Term, add func(*term.Term)) {
	less := pool.ULe
	if v.Type.Signed {
		less = pool.SLe
	}
	add(pool.Eq(v.Term, t))
	add(less(v.Term, t))
	add(less(t, v.Term))
}

// together numbers the variables of a method such that those that occur in one
// edge, directly or by others, have the same number.
func together(sum *explore.Summary) map[*prog.Var]int {
	number := map[*prog.Var]int{}
	for i, v := range sum.Vars {
		number[v] = i
	}
	for changed := true; changed; {
		changed = false
		for _, e := range sum.Method.Edges {
			var here []*prog.Var
			for i, x := range e.Exprs {
				free := term.FreeVars(x)
				for _, v := range sum.Vars {
					if slices.Contains(free, v.Term) || i < len(e.Vars) && e.Vars[i] == v {
						here = append(here, v)
					}
				}
			}
			for _, v := range here {
				if n := min(number[v], number[here[0]]); number[v] != n || number[here[0]] != n {
					number[v], number[here[0]] = n, n
					changed = true
				}
			}
		}
	}
	return number
}

// constantsOf lists the constants that a variable is compared with or set to,
// zero first for those that start with it.
func constantsOf(sum *explore.Summary, v *prog.Var) []term.Value {
	var out []term.Value
	add := func(k term.Value) {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	if !slices.Contains(sum.Method.Params, v) {
		add(term.Value{})
	}
	for _, t := range describe.Conditions(sum.Method) {
		a := t.Args()
		for i := range a {
			if a[i] == v.Term && a[1-i].IsConst() {
				add(a[1-i].Value())
			}
		}
	}
	for _, e := range sum.Method.Edges {
		if e.Kind == prog.AssignEdge {
			for i, x := range e.Vars {
				if x == v && e.Exprs[i].IsConst() {
					add(e.Exprs[i].Value())
				}
			}
		}
	}
	return out
}
