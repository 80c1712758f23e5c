// SPDX-License-Identifier: Apache-2.0

package term

// This file simplifies conjunctions and disjunctions of comparisons of one term
// with constants: x == 1 && x == 2, x < 3 && x < 5, m != a && m != b for an enum
// of three values. Labels and guards are full of them. Comparisons of two terms
// that are not constant would need a closure over a graph; that is left to
// solvers.

import "slices"

// A fact is a literal that compares a term with a constant. Strict orders are
// made weak, so that a fact is x == k, x != k, x <= k or x >= k.
type fact struct {
	arg *Term // the literal
	x   *Term
	rel relation
	k   Value
}

type relation uint8

const (
	relEq relation = iota
	relNe
	relSLe
	relSGe
	relULe
	relUGe
)

// factOf reads a literal, negated if it stands in a disjunction.
func factOf(t *Term, negate bool) (f fact, ok bool) {
	f.arg = t
	if t.op == OpNot {
		t, negate = t.args[0], !negate
	}
	if len(t.args) != 2 || t.op != OpEq && t.op != OpSLt && t.op != OpULt {
		return f, false
	}
	a, b := t.args[0], t.args[1]
	w := a.sort.Bits()
	switch {
	case t.op == OpEq && b.op == OpConst:
		f.x, f.k, f.rel = a, b.val, relEq
		if negate {
			f.rel = relNe
		}
	// The bounds of the order are not compared with, so k-1 and k+1 exist.
	case t.op != OpEq && b.op == OpConst:
		f.x, f.k, f.rel = a, b.val.sub(one, w), relSLe
		if negate {
			f.k, f.rel = b.val, relSGe
		}
	case t.op != OpEq && a.op == OpConst:
		f.x, f.k, f.rel = b, a.val.add(one, w), relSGe
		if negate {
			f.k, f.rel = a.val, relSLe
		}
	default:
		return f, false
	}
	if t.op == OpULt {
		f.rel += relULe - relSLe
	}
	return f, true
}

// holds says whether the fact is true of the value v.
func (f fact) holds(v Value) bool {
	w := f.x.sort.Bits()
	switch f.rel {
	case relEq:
		return v == f.k
	case relNe:
		return v != f.k
	case relSLe:
		return !f.k.slt(v, w)
	case relSGe:
		return !v.slt(f.k, w)
	case relULe:
		return !f.k.ult(v)
	}
	return !v.ult(f.k)
}

// bounded simplifies the arguments of a conjunction that compare one term with
// constants; in a disjunction it treats their negations in the same way. Every
// change leaves fewer arguments.
func (p *Pool) bounded(op Op, args []*Term) (out []*Term, changed bool) {
	var room [16]fact
	facts := room[:0]
	for _, t := range args {
		if f, ok := factOf(t, op == OpOr); ok {
			facts = append(facts, f)
		}
	}
	if len(facts) < 2 {
		return args, false
	}
	slices.SortStableFunc(facts, func(a, b fact) int { return byID(a.x, b.x) })
	drop := make(map[*Term]bool)
	var more []*Term
	for len(facts) > 0 {
		n := 1
		for n < len(facts) && facts[n].x == facts[0].x {
			n++
		}
		eq, ok := p.combine(facts[:n], drop)
		if !ok {
			return []*Term{p.Bool(op == OpOr)}, true
		}
		if eq != nil && op == OpOr {
			eq = p.Not(eq)
		}
		if eq != nil {
			more = append(more, eq)
		}
		facts = facts[n:]
	}
	if len(drop) == 0 {
		return args, false
	}
	out = slices.DeleteFunc(slices.Clone(args), func(t *Term) bool { return drop[t] })
	return append(out, more...), true
}

// combine marks the literals of facts about one term that follow from the
// others, and returns an equality that replaces some of them. It is not ok if
// the facts contradict each other.
func (p *Pool) combine(facts []fact, drop map[*Term]bool) (eq *Term, ok bool) {
	if len(facts) < 2 {
		return nil, true
	}
	x := facts[0].x
	if i := slices.IndexFunc(facts, func(f fact) bool { return f.rel == relEq }); i >= 0 {
		for j, f := range facts {
			if !f.holds(facts[i].k) {
				return nil, false
			}
			if i != j {
				drop[f.arg] = true
			}
		}
		return nil, true
	}
	var tight [relUGe + 1]*fact // the strongest of each order
	unequal := 0
	for i := range facts {
		f := &facts[i]
		if f.rel == relNe {
			unequal++
			continue
		}
		switch t := tight[f.rel]; {
		case t == nil:
			tight[f.rel] = f
		case f.holds(t.k): // the one before is at least as strong
			drop[f.arg] = true
		default:
			drop[t.arg] = true
			tight[f.rel] = f
		}
	}
	for _, rel := range []relation{relSLe, relULe} {
		hi, lo := tight[rel], tight[rel+1]
		switch {
		case hi == nil || lo == nil:
		case !hi.holds(lo.k):
			return nil, false
		case hi.k == lo.k && eq == nil:
			eq = p.Eq(x, p.Const(x.sort, hi.k))
			drop[hi.arg], drop[lo.arg] = true, true
		}
	}
	for _, f := range facts {
		if f.rel != relNe {
			continue
		}
		for _, t := range tight {
			if t != nil && !t.holds(f.k) {
				drop[f.arg] = true
			}
		}
	}
	if x.sort.Kind != EnumKind {
		return eq, true
	}
	switch values := len(x.sort.Enum.Values); unequal {
	case values:
		return nil, false
	case values - 1:
		left := uint64(values * (values - 1) / 2) // the sum of all codes
		for _, f := range facts {
			left -= f.k.Lo
			drop[f.arg] = true
		}
		eq = p.Eq(x, p.Const(x.sort, Value{Lo: left}))
	}
	return eq, true
}
