// SPDX-License-Identifier: Apache-2.0

package predicates

// This file is about predicates that come one after another: n == 100, n == 99,
// n == 98, or n + 1 < 20, n + 2 < 20. They have one SHAPE, the term with its
// constants taken out. Where three of a shape are in arithmetic progression,
// and going on with it meets the state that the component has reached, all of
// the rest is added at once: a counter with a limit needs a predicate per value,
// and finding them one by one would explore everything again for each.
//
// A chain that meets nothing, because the counter has no limit or wraps far
// away, is given up after a few predicates.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/term"
)

// shape returns the shape of a term and its constants, which have the same widths in
// terms of the same shape. Of the sides of an equation and of the terms of a sum the
// constants come last, for their order depends on when they were made. A term that is
// no atom anybody wrote, but what many steps made of one, has a shape of its own:
// written out, it may be exponentially larger than it is.
func shape(t *term.Term) (string, []*term.Term) {
	if term.Size(t) > maxShape {
		return fmt.Sprintf("%d", t.ID()), nil
	}
	var b strings.Builder
	var constants []*term.Term
	var walk func(t *term.Term)
	walk = func(t *term.Term) {
		switch {
		case t.IsConst() && t.Sort().Kind == term.BitVecKind:
			fmt.Fprintf(&b, "#%d", t.Sort().Width)
			constants = append(constants, t)
		case len(t.Args()) == 0:
			fmt.Fprintf(&b, "%d", t.ID())
		default:
			fmt.Fprintf(&b, "(%v", t.Op())
			if t.Op() == term.OpExtract {
				hi, lo := t.Extract()
				fmt.Fprintf(&b, " %d:%d", hi, lo)
			}
			for _, i := range visitOrder(t) {
				b.WriteByte(' ')
				walk(t.Args()[i])
			}
			b.WriteByte(')')
		}
	}
	walk(t)
	return b.String(), constants
}

// visitOrder lists the arguments of a term, constants of commutative operations
// last.
func visitOrder(t *term.Term) []int {
	var first, last []int
	for i, a := range t.Args() {
		if a.IsConst() && (t.Op() == term.OpEq || t.Op() == term.OpAdd) {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	return append(first, last...)
}

// withConstant is a term with one of its constants, by number, replaced.
func (f *Finder) withConstant(t *term.Term, number int, k *term.Term) *term.Term {
	n := 0
	var walk func(t *term.Term) *term.Term
	walk = func(t *term.Term) *term.Term {
		switch {
		case t.IsConst() && t.Sort().Kind == term.BitVecKind:
			if n++; n-1 == number {
				return k
			}
			return t
		case len(t.Args()) == 0:
			return t
		}
		args := make([]*term.Term, len(t.Args()))
		for _, i := range visitOrder(t) {
			args[i] = walk(t.Args()[i])
		}
		return f.Abs.Pool.Apply(t, args)
	}
	return walk(t)
}

// progression returns the predicates that follow a literal in its chain, up to
// the first with another truth value in a state of the component than it has;
// none if that is the next one.
func (f *Finder) progression(lit *term.Term, state term.Model) []*term.Term {
	atom := lit
	if atom.Op() == term.OpNot {
		atom = atom.Args()[0]
	}
	form, constants := shape(atom)
	var alike [][]*term.Term // constants of the predicates of the same shape
	for _, p := range f.Abs.Preds {
		if like, ks := shape(p); like == form {
			alike = append(alike, ks)
		}
	}
	for number := range constants {
		// The constants at this place of predicates that are otherwise the same.
		var have []*term.Term
		for _, ks := range alike {
			same := true
			for i := range ks {
				same = same && (i == number || ks[i] == constants[i])
			}
			if same {
				have = append(have, ks[number])
			}
		}
		for i := len(have) - 1; i >= 0; i-- {
			step := f.Abs.Pool.Sub(constants[number], have[i])
			if have[i] == constants[number] || !slices.Contains(have, f.Abs.Pool.Sub(have[i], step)) {
				continue
			}
			var out []*term.Term
			k := constants[number]
			for range maxProgression {
				k = f.Abs.Pool.Add(k, step)
				next := f.withConstant(atom, number, k)
				if next.IsConst() {
					break
				}
				out = append(out, next)
				if term.Holds(next, state) != term.Holds(atom, state) {
					if len(out) < 2 {
						break
					}
					return out
				}
			}
		}
	}
	return nil
}

// addChain adds the predicates of literals of which one is new, and those that
// follow it in its chain, if there are any.
func (f *Finder) addChain(core []*term.Term, state term.Model) bool {
	var fresh []*term.Term
	for _, l := range core {
		if !slices.Contains(f.Abs.Preds, l) && !slices.Contains(f.Abs.Preds, f.Abs.Pool.Not(l)) {
			fresh = append(fresh, l)
		}
	}
	if len(fresh) != 1 {
		return false
	}
	rest := f.progression(fresh[0], state)
	if len(rest) == 0 {
		return false
	}
	f.Add(fresh)
	before := len(f.Abs.Preds)
	f.Add(rest)
	for _, p := range f.Abs.Preds[before:] {
		f.Extended[p] = true
	}
	return true
}

// Found counts the predicates that were found one by one.
func (f *Finder) Found() int {
	n := 0
	for _, p := range f.Abs.Preds {
		if !f.Extended[p] {
			n++
		}
	}
	return n
}

// Chases reports whether there are too many of the shape of the last one.
func (f *Finder) Chases() bool {
	last := f.Abs.Preds[len(f.Abs.Preds)-1]
	limit := maxChain
	if len(term.FreeVars(last)) > 1 {
		limit /= 2
	}
	form, _ := shape(last)
	n := 0
	for _, p := range f.Abs.Preds {
		if like, _ := shape(p); like == form && !f.Extended[p] {
			n++
		}
	}
	return n > limit
}
