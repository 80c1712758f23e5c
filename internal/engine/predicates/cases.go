// SPDX-License-Identifier: Apache-2.0

package predicates

// This file takes predicates apart that distinguish cases by a flag. The weakest
// precondition of "n is 0" before "if !closed { n++ }" is about ite(closed, n, n+1),
// the next one about that nested in itself, and so on: in this form no chain or
// bound of a counter is seen. So a flag becomes a predicate of its own, and where
// its value is known the case that applies is taken.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/term"
)

// applying puts the values that flags have in an abstract state into literals.
func (f *Finder) applying(a int32, lits []*term.Term) []*term.Term {
	if a == 0 {
		return lits
	}
	values := map[*term.Term]*term.Term{}
	for i, p := range f.Abs.Preds {
		if p.Op() == term.OpVar {
			values[p] = f.Abs.Pool.Bool(f.Abs.Cubes[a].Holds(i))
		}
	}
	var out []*term.Term
	for _, l := range lits {
		if len(flags(l)) > 0 {
			if t := f.Abs.Pool.Substitute(l, values); !t.IsConst() {
				l = t
			}
		}
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// cases returns the flags that a predicate distinguishes cases by, and what it is
// in each case.
func (f *Finder) cases(l *term.Term) []*term.Term {
	list := flags(l)
	if len(list) == 0 || len(list) > 2 {
		return []*term.Term{l}
	}
	out := []*term.Term{l}
	for _, v := range list {
		var next []*term.Term
		for _, t := range out {
			next = append(next, f.Abs.Pool.Substitute(t, map[*term.Term]*term.Term{v: f.Abs.Pool.True()}), f.Abs.Pool.Substitute(t, map[*term.Term]*term.Term{v: f.Abs.Pool.False()}))
		}
		out = next
	}
	if len(out) > maxFlagCases {
		return []*term.Term{l}
	}
	return append(slices.Clone(list), out...)
}

// flags returns the boolean variables that are conditions in a term.
func flags(t *term.Term) []*term.Term {
	var out []*term.Term
	for x := range describe.Subterms(t) {
		if x.Op() == term.OpIte && x.Args()[0].Op() == term.OpVar && !slices.Contains(out, x.Args()[0]) {
			out = append(out, x.Args()[0])
		}
	}
	return out
}
