// SPDX-License-Identifier: Apache-2.0

package term

// This file builds boolean terms, if-then-else and equality. Formulas keep the
// shape they were written in (no negation normal form, no conversion of Or to
// And): labels and guards made of them are shown to people. Negation is always
// a Not node, so that complementary literals are found by looking.

import (
	"cmp"
	"slices"
)

// flattenLimit bounds nesting removal: a conjunction (disjunction, sum, ...)
// with at least this many arguments is taken as one argument of an outer one.
// Without a bound, n steps of adding one argument would copy n*n/2 of them.
const flattenLimit = 128

// Not is the negation of t.
func (p *Pool) Not(t *Term) *Term {
	needBool("Not", t)
	switch t.op {
	case OpConst:
		return p.Bool(t.val != one)
	case OpNot:
		return t.args[0]
	}
	return p.mk(OpNot, BoolSort, Value{}, t)
}

// isNegation says whether one of a and b is the negation of the other.
func isNegation(a, b *Term) bool {
	return a.op == OpNot && a.args[0] == b || b.op == OpNot && b.args[0] == a
}

// And is the conjunction of ts, true if there are none.
func (p *Pool) And(ts ...*Term) *Term { return p.junction(OpAnd, "And", ts) }

// Or is the disjunction of ts, false if there are none.
func (p *Pool) Or(ts ...*Term) *Term { return p.junction(OpOr, "Or", ts) }

// Implies is !a || b.
func (p *Pool) Implies(a, b *Term) *Term { return p.Or(p.Not(a), b) }

// Iff is a == b on booleans.
func (p *Pool) Iff(a, b *Term) *Term {
	needBool("Iff", a, b)
	return p.Eq(a, b)
}

// Xor is a != b on booleans.
func (p *Pool) Xor(a, b *Term) *Term {
	needBool("Xor", a, b)
	return p.Not(p.Eq(a, b))
}

// junction is And or Or. The comments speak of And; Or is its dual.
func (p *Pool) junction(op Op, who string, ts []*Term) *Term {
	needBool(who, ts...)
	unit, zero := p.true, p.false
	if op == OpOr {
		unit, zero = zero, unit
	}
	// Most conjunctions are made of a long one and little else; the arguments of the
	// long one are sorted and simplified by each other already.
	long := -1
	for i, t := range ts {
		if t.op == op && len(t.args) < flattenLimit && (long < 0 || len(t.args) > len(ts[long].args)) {
			long = i
		}
	}
	args := make([]*Term, 0, len(ts))
	for i, t := range ts {
		if i != long {
			args = appendFlat(args, op, t)
		}
	}
	slices.SortFunc(args, byLiteral)
	var settled []*Term
	if long >= 0 {
		settled = ts[long].args
		args = merged(settled, args)
	}
	for {
		args = slices.Compact(args)
		args = slices.DeleteFunc(args, func(t *Term) bool { return t == unit })
		for i, t := range args {
			if t == zero || i > 0 && isNegation(args[i-1], t) {
				return zero
			}
		}
		next, changed := p.absorb(op, args, settled)
		if !changed {
			next, changed = p.bounded(op, args)
		}
		if !changed {
			break
		}
		args, settled = next, nil
		slices.SortFunc(args, byLiteral)
	}
	switch len(args) {
	case 0:
		return unit
	case 1:
		return args[0]
	}
	return p.mk(op, BoolSort, Value{}, slices.Clip(args)...)
}

// byLiteral orders by the ID of the term without its negation: a literal comes
// right before its negation, and !a || b keeps its order.
func byLiteral(a, b *Term) int {
	x, y := a, b
	if x.op == OpNot {
		x = x.args[0]
	}
	if y.op == OpNot {
		y = y.args[0]
	}
	return cmp.Or(byID(x, y), byID(a, b))
}

// merged is the sorted list of the terms of two lists that are sorted by byLiteral.
func merged(a, b []*Term) []*Term {
	out := make([]*Term, 0, len(a)+len(b))
	for _, t := range b {
		n, _ := slices.BinarySearchFunc(a, t, byLiteral)
		out = append(append(out, a[:n]...), t)
		a = a[n:]
	}
	return append(out, a...)
}

// A mark says which literals of a term are arguments of the conjunction that is
// simplified, and which of these were of one that was simplified before. It counts
// only if its round is the current one.
type mark struct {
	round uint32
	bits  uint8
}

const (
	markHolds   = 1 << iota // the term is an argument
	markFails               // its negation is
	markSettled             // the term is one that was settled
	markSettledNot
)

// literal takes a literal apart: the term without its negation, and by how many
// places a mark of the term is moved.
func literal(t *Term) (base *Term, negated int) {
	if t.op == OpNot {
		return t.args[0], 1
	}
	return t, 0
}

// filter is a set with the term of one literal: a bit that other terms may have too. What
// is not in a union of such sets is not among the terms.
func filter(t *Term) uint64 {
	base, _ := literal(t)
	return 1 << (base.id * 0x9e3779b1 >> 26)
}

// marked returns the marks of a term in this round.
func (p *Pool) marked(t *Term) uint8 {
	if int(t.id) >= len(p.marks) || p.marks[t.id].round != p.round {
		return 0
	}
	return p.marks[t.id].bits
}

// setMark adds to the marks of a term.
func (p *Pool) setMark(t *Term, bits uint8) {
	if len(p.marks) < len(p.terms) {
		p.marks = append(p.marks, make([]mark, len(p.terms)-len(p.marks))...)
	}
	m := &p.marks[t.id]
	if m.round != p.round {
		*m = mark{round: p.round}
	}
	m.bits |= bits
}

// absorb simplifies the sorted arguments of a conjunction by each other: a
// disjunction with a disjunct among the arguments goes, a disjunct whose
// negation is among them goes.
//
// Sound although all arguments are changed at once: what justifies a change of
// an argument is made of a proper subterm of it, so the changes could be made
// one after the other from the largest argument to the smallest.
//
// The settled ones among the arguments are those of one conjunction: they do not
// simplify each other.
func (p *Pool) absorb(op Op, args, settled []*Term) (out []*Term, changed bool) {
	dual := OpOr
	if op == OpOr {
		dual = OpAnd
	}
	if p.round++; p.round == 0 { // all marks are of no round
		clear(p.marks)
		p.round = 1
	}
	for _, t := range settled {
		base, negated := literal(t)
		p.setMark(base, markSettled<<negated)
	}
	var all, fresh uint64
	for _, t := range args {
		base, negated := literal(t)
		p.setMark(base, markHolds<<negated)
		all |= filter(t)
		if p.marked(base)&(markSettled<<negated) == 0 {
			fresh |= filter(t)
		}
	}
	type change struct {
		at        int
		keep      []*Term
		drop, neg bool
	}
	var changes []change
	for i, t := range args {
		base, negated := literal(t)
		neg := negated == 1 && base.op == op // !(a && b) is a disjunction of negations
		if t.op != dual && !neg || len(base.args) >= flattenLimit {
			continue
		}
		others := all
		if p.marked(base)&(markSettled<<negated) != 0 {
			others = fresh
		}
		if base.filter&others == 0 {
			continue
		}
		in := base.args
		drop := false
		keep := in
		for k, d := range in {
			x, negated := literal(d)
			bits := p.marked(x)
			yes, no := bits&(markHolds<<negated) != 0, bits&(markFails>>negated) != 0
			if neg {
				yes, no = no, yes
			}
			if yes {
				drop = true
				break
			}
			switch {
			case no && len(keep) == len(in):
				keep = slices.Clone(in[:k])
			case !no && len(keep) < len(in):
				keep = append(keep, d)
			}
		}
		if drop || len(keep) < len(in) {
			changes = append(changes, change{i, keep, drop, neg})
		}
	}
	if len(changes) == 0 {
		return nil, false
	}
	// What follows makes other conjunctions, with marks of their own.
	done := 0
	for _, c := range changes {
		out = append(out, args[done:c.at]...)
		done = c.at + 1
		switch {
		case c.drop:
		case c.neg:
			out = appendFlat(out, op, p.Not(p.junction(op, "And", c.keep)))
		default:
			out = appendFlat(out, op, p.junction(dual, "And", c.keep))
		}
	}
	return append(out, args[done:]...), true
}

// appendFlat appends t, or its arguments if it has the operator op.
func appendFlat(ts []*Term, op Op, t *Term) []*Term {
	if t.op == op && len(t.args) < flattenLimit {
		return append(ts, t.args...)
	}
	return append(ts, t)
}

// Ite is a if c holds, otherwise b.
func (p *Pool) Ite(c, a, b *Term) *Term {
	needBool("Ite", c)
	needSame("Ite", a, b)
	if c.op == OpNot {
		c, a, b = c.args[0], b, a
	}
	// Inside the branches c is known.
	a, b = p.under(c, a, p.true), p.under(c, b, p.false)
	switch {
	case c.IsTrue() || a == b:
		return a
	case c.IsFalse():
		return b
	}
	if a.sort.Kind == BoolKind {
		switch {
		case a.IsTrue():
			return p.Or(c, b)
		case a.IsFalse():
			return p.And(p.Not(c), b)
		case b.IsTrue():
			return p.Or(p.Not(c), a)
		case b.IsFalse():
			return p.And(c, a)
		case isNegation(a, b):
			return p.Eq(c, a)
		}
	}
	switch {
	case a.op == OpIte && a.args[2] == b:
		return p.Ite(p.pair(OpAnd, c, a.args[0]), a.args[1], b)
	case a.op == OpIte && a.args[1] == b:
		return p.Ite(p.pair(OpAnd, c, p.Not(a.args[0])), a.args[2], b)
	case b.op == OpIte && b.args[1] == a:
		return p.Ite(p.pair(OpOr, c, b.args[0]), a, b.args[2])
	case b.op == OpIte && b.args[2] == a:
		return p.Ite(p.pair(OpOr, c, p.Not(b.args[0])), a, b.args[1])
	}
	return p.mk(OpIte, a.sort, Value{}, c, a, b)
}

// A pairKey is a conjunction or disjunction of two.
type pairKey struct {
	op   Op
	a, b *Term
}

// pair is the conjunction or disjunction of two conditions. It remembers them: where runs meet, the same
// two decide over the value of each variable.
func (p *Pool) pair(op Op, a, b *Term) *Term {
	k := pairKey{op, a, b}
	t, ok := p.pairs[k]
	if !ok {
		t = p.junction(op, "Ite", []*Term{a, b})
		if p.pairs == nil {
			p.pairs = map[pairKey]*Term{}
		}
		p.pairs[k] = t
	}
	return t
}

// under simplifies t, of which c is known to be val, one level deep.
func (p *Pool) under(c, t, val *Term) *Term {
	for {
		switch {
		case t == c:
			return val
		case t.op == OpNot && t.args[0] == c:
			return p.Not(val)
		case t.op == OpIte && t.args[0] == c && val == p.true:
			t = t.args[1]
		case t.op == OpIte && t.args[0] == c:
			t = t.args[2]
		default:
			return t
		}
	}
}

// Ne is !(a == b).
func (p *Pool) Ne(a, b *Term) *Term { return p.Not(p.Eq(a, b)) }

// Distinct says that ts are pairwise different.
func (p *Pool) Distinct(ts ...*Term) *Term {
	var ds []*Term
	for i, a := range ts {
		for _, b := range ts[:i] {
			ds = append(ds, p.Ne(b, a))
		}
	}
	return p.And(ds...)
}

// Eq is a == b on terms of one sort.
func (p *Pool) Eq(a, b *Term) *Term {
	needSame("Eq", a, b)
	if a == b {
		return p.true
	}
	if a.op == OpConst && b.op == OpConst {
		return p.false // hash-consed, so different
	}
	if a.op == OpConst || b.op != OpConst && a.id > b.id {
		a, b = b, a
	}
	if t := p.eqIte(a, b); t != nil {
		return t
	}
	switch a.sort.Kind {
	case BoolKind:
		return p.eqBool(a, b)
	case EnumKind:
		return p.eqEnum(a, b)
	}
	return p.eqBV(a, b)
}

// eqIte simplifies an equality of which one side is an if-then-else and the
// other one of its branches, or both are constant. It returns nil if it cannot.
func (p *Pool) eqIte(a, b *Term) *Term {
	if a.op != OpIte || b.op == OpIte && (b.args[1] == a || b.args[2] == a) {
		a, b = b, a
	}
	if a.op != OpIte {
		return nil
	}
	c, x, y := a.args[0], a.args[1], a.args[2]
	switch {
	case x == b:
		return p.Or(c, p.Eq(y, b))
	case y == b:
		return p.Or(p.Not(c), p.Eq(x, b))
	case b.op == OpConst && x.op == OpConst:
		return p.And(p.Not(c), p.Eq(y, b))
	case b.op == OpConst && y.op == OpConst:
		return p.And(c, p.Eq(x, b))
	}
	return nil
}

// eqBool is equivalence: of unnegated terms, the negation moved outside.
func (p *Pool) eqBool(a, b *Term) *Term {
	if b.op == OpConst {
		if b == p.true {
			return a
		}
		return p.Not(a)
	}
	neg := false
	if a.op == OpNot {
		a, neg = a.args[0], !neg
	}
	if b.op == OpNot {
		b, neg = b.args[0], !neg
	}
	var t *Term
	switch {
	case a == b:
		t = p.true
	default:
		if a.id > b.id {
			a, b = b, a
		}
		t = p.mk(OpEq, BoolSort, Value{}, a, b)
	}
	if neg {
		return p.Not(t)
	}
	return t
}

// eqEnum is equality of enum terms, of which at least one is not constant.
func (p *Pool) eqEnum(a, b *Term) *Term {
	switch len(a.sort.Enum.Values) {
	case 1:
		return p.true
	case 2:
		// One atom for the two values: x == second is !(x == first).
		if b.op == OpConst && b.val == one {
			return p.Not(p.mk(OpEq, BoolSort, Value{}, a, p.Const(a.sort, Value{})))
		}
	}
	return p.mk(OpEq, BoolSort, Value{}, a, b)
}
