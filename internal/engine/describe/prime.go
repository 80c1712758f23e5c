// SPDX-License-Identifier: Apache-2.0

package describe

// This file finds prime implicants. The literals are in an order, and those are kept that exclude a
// point which no later one excludes. Which literal about a variable is the last to hold at one point and not at
// another is looked up by their runs, so an implicant takes as many steps as there are points, whatever the number of
// literals. Intersections of the sets of all literals were not taken: labels of n states with n literals and n points
// took n^3 steps.

import (
	"math"
	"math/bits"
	"slices"
)

// A comparison is what a literal says of the run of a variable.
type comparison int

const (
	noComparison comparison = iota // it is a condition of the code
	equalTo
	apartFrom
	atMost
	atLeast
	comparisons
)

// An order is a list of literals, the first to be dropped first.
type order struct {
	lits []literal
	// at has the positions of literals by variable, comparison and run; -1 where there is none.
	at    [][comparisons][]int32
	conds []int // positions of conditions of the code, last first
}

func (d *describer) order(lits []literal) order {
	o := order{lits: lits, at: make([][comparisons][]int32, len(d.vars))}
	for j := range d.vars {
		n := 2 // runs; a boolean has two literals that only exist if both values do
		for _, r := range d.runs[j] {
			n = max(n, r+1)
		}
		for _, l := range lits {
			if l.of == j {
				n = max(n, l.run+1)
			}
		}
		for r := range comparisons {
			o.at[j][r] = slices.Repeat([]int32{-1}, n)
		}
	}
	for k, l := range lits {
		if l.about == noComparison {
			o.conds = append(o.conds, k)
		} else {
			o.at[l.of][l.about][l.run] = int32(k)
		}
	}
	slices.Reverse(o.conds)
	return o
}

// rename writes the literals in another way.
func (d *describer) rename(text func(literal) string) {
	for _, o := range []*order{&d.kept, &d.other} {
		for k := range o.lits {
			o.lits[k].text = text(o.lits[k])
		}
	}
}

// last returns the last literal that holds at point a and not at point b, or -1.
func (d *describer) last(o *order, a, b int) int {
	best := int32(-1)
	for j := range d.vars {
		x, y := d.runs[j][a], d.runs[j][b]
		if x == y {
			continue
		}
		at := &o.at[j]
		best = max(best, at[equalTo][x], at[apartFrom][y])
		// Of bounds between two values the loosest comes last; see literals.
		if x < y {
			best = max(best, at[atMost][y-1])
		} else {
			best = max(best, at[atLeast][y+1])
		}
	}
	for _, k := range o.conds {
		if k < int(best) {
			break
		}
		if o.lits[k].holds.has(a) && !o.lits[k].holds.has(b) {
			return k
		}
	}
	return int(best)
}

// prime returns literals that hold at the point and at no point of out, none
// of which can be left out.
func (d *describer) prime(o *order, at int, out bitset) []int {
	type excluded struct{ literal, point int }
	var list []excluded
	for w, word := range out {
		for ; word != 0; word &= word - 1 {
			p := w*64 + bits.TrailingZeros64(word)
			list = append(list, excluded{d.last(o, at, p), p})
		}
	}
	d.work += len(list) * (len(d.vars) + len(o.conds))
	slices.SortFunc(list, func(a, b excluded) int { return a.literal - b.literal })
	var kept []int
	c := d.conjoin(o.lits, nil)
	for _, e := range list {
		// If an earlier literal that is kept excludes the point, this one need not.
		if e.literal >= 0 && c.holds(e.point) {
			kept = append(kept, e.literal)
			c.add(&o.lits[e.literal])
		}
	}
	return kept
}

// A box is what some literals say together: which runs of each variable are possible, and
// the sets of the conditions.
type box struct {
	d     *describer
	vars  []span
	conds []bitset
}

// A span has the runs from low to high but those that are apart.
type span struct {
	low, high int
	apart     map[int]bool
}

func (d *describer) conjoin(lits []literal, cube []int) *box {
	c := &box{d: d, vars: make([]span, len(d.vars))}
	for j := range c.vars {
		c.vars[j] = span{high: math.MaxInt}
	}
	for _, k := range cube {
		c.add(&lits[k])
	}
	return c
}

func (c *box) add(l *literal) {
	if l.about == noComparison {
		c.conds = append(c.conds, l.holds)
		return
	}
	v := &c.vars[l.of]
	switch l.about {
	case equalTo:
		v.low, v.high = max(v.low, l.run), min(v.high, l.run)
	case atMost:
		v.high = min(v.high, l.run)
	case atLeast:
		v.low = max(v.low, l.run)
	case apartFrom:
		if v.apart == nil {
			v.apart = map[int]bool{}
		}
		v.apart[l.run] = true
	}
}

// holds reports whether all literals hold at a point.
func (c *box) holds(point int) bool {
	for j := range c.vars {
		v, r := &c.vars[j], c.d.runs[j][point]
		if r < v.low || r > v.high || v.apart != nil && v.apart[r] {
			return false
		}
	}
	return !slices.ContainsFunc(c.conds, func(b bitset) bool { return !b.has(point) })
}
