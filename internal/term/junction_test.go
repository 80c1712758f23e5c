// SPDX-License-Identifier: Apache-2.0

package term

// This file compares conjunctions and disjunctions with their definition: the same
// simplifications, found by looking at all pairs of arguments.

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// plainJunction is junction without what makes it fast.
func (p *Pool) plainJunction(op Op, ts []*Term) *Term {
	unit, zero := p.true, p.false
	if op == OpOr {
		unit, zero = zero, unit
	}
	var args []*Term
	for _, t := range ts {
		args = appendFlat(args, op, t)
	}
	for {
		slices.SortFunc(args, byLiteral)
		args = slices.Compact(args)
		args = slices.DeleteFunc(args, func(t *Term) bool { return t == unit })
		for _, t := range args {
			if t == zero || slices.Contains(args, p.Not(t)) {
				return zero
			}
		}
		next, changed := p.plainAbsorb(op, args)
		if !changed {
			next, changed = p.bounded(op, args)
		}
		if !changed {
			break
		}
		args = next
	}
	switch len(args) {
	case 0:
		return unit
	case 1:
		return args[0]
	}
	return p.mk(op, BoolSort, Value{}, args...)
}

func (p *Pool) plainAbsorb(op Op, args []*Term) (out []*Term, changed bool) {
	dual := OpOr
	if op == OpOr {
		dual = OpAnd
	}
	for _, t := range args {
		neg := t.op == OpNot && t.args[0].op == op
		var in []*Term
		switch {
		case t.op == dual:
			in = t.args
		case neg:
			in = t.args[0].args
		}
		if len(in) >= flattenLimit {
			in = nil
		}
		var keep []*Term
		drop := false
		for _, d := range in {
			yes, no := slices.Contains(args, d), slices.Contains(args, p.Not(d))
			if neg {
				yes, no = no, yes
			}
			drop = drop || yes
			if !no {
				keep = append(keep, d)
			}
		}
		switch {
		case !drop && len(keep) == len(in):
			out = append(out, t)
			continue
		case drop:
		case neg:
			out = appendFlat(out, op, p.Not(p.plainJunction(op, keep)))
		default:
			out = appendFlat(out, op, p.plainJunction(dual, keep))
		}
		changed = true
	}
	return out, changed
}

func TestJunctionPlain(t *testing.T) {
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		p := NewPool()
		var atoms, terms []*Term
		for i := range 4 + r.Intn(80) {
			atoms = append(atoms, p.Var(fmt.Sprintf("b%d", i), BoolSort))
		}
		x := p.Var("x", BV(8))
		for i := range int64(4) {
			atoms = append(atoms, p.ULt(x, p.Int(8, 3*i)), p.Eq(x, p.Int(8, i)))
		}
		terms = slices.Clone(atoms)
		long := p.true
		for n := range 400 {
			pick := func() *Term {
				from := terms
				if r.Intn(2) == 0 {
					from = atoms
				}
				u := from[r.Intn(len(from))]
				if r.Intn(3) == 0 {
					u = p.Not(u)
				}
				return u
			}
			var ts []*Term
			for range r.Intn(5) {
				ts = append(ts, pick())
			}
			if n%3 == 0 { // conjunctions of ever more
				ts = append(ts, long)
			}
			op := OpAnd
			if n%3 != 0 && r.Intn(2) == 0 {
				op = OpOr
			}
			got := p.junction(op, "test", ts)
			if want := p.plainJunction(op, ts); got != want {
				t.Fatalf("seed %d: %s of %v is %v, want %v", seed, op, ts, got, want)
			}
			if n%3 == 0 {
				if long = got; got.IsFalse() {
					long = p.true
				}
			}
			terms = append(terms, got)
		}
	}
}

// TestMarksWrap starts the rounds of marks anew.
func TestMarksWrap(t *testing.T) {
	p := NewPool()
	a, b, c := p.Var("a", BoolSort), p.Var("b", BoolSort), p.Var("c", BoolSort)
	p.And(a, b)
	p.round = ^uint32(0) - 1
	for range 4 {
		if got := p.And(c, p.Or(p.Not(c), b)); got != p.And(c, b) {
			t.Fatalf("got %v", got)
		}
		p.round-- // two rounds for each conjunction
	}
}
