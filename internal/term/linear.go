// SPDX-License-Identifier: Apache-2.0

package term

// This file is arithmetic modulo 2^width: sums, products, and equations of
// them. A sum is kept as a linear combination of monomials with constant
// coefficients, a product as a sorted list of factors with one leading
// constant; a product of small sums is multiplied out. Commutativity,
// associativity and distributivity are then decided by comparing pointers,
// which a SAT solver can take for ever over (multipliers have no short
// resolution proofs). Ordering relations are left alone: adding to both sides
// of < is wrong modulo 2^width.
//
// ~x counts as the sum -x - 1, and that sum is written ~x.

import "slices"

// distributeLimit bounds the number of summands of a product that is
// multiplied out.
const distributeLimit = 16

// A sum is a linear combination k + c1*m1 + c2*m2 + ...
//
// A monomial is a term with coefficient one: neither a constant, nor a sum of
// fewer than flattenLimit summands, nor a negation or complement, nor a product
// with a constant factor.
type sum struct {
	width int
	monos []mono // after norm: sorted by the monomials' IDs, no coefficient zero
	k     Value
}

type mono struct {
	c Value
	m *Term
}

// add adds c*t.
func (s *sum) add(p *Pool, c Value, t *Term) {
	switch {
	case t.op == OpConst:
		s.k = s.k.add(c.mul(t.val, s.width), s.width)
	case t.op == OpAdd && len(t.args) < flattenLimit:
		for _, a := range t.args {
			s.add(p, c, a)
		}
	case t.op == OpNeg:
		s.add(p, c.neg(s.width), t.args[0])
	case t.op == OpBVNot:
		s.k = s.k.sub(c, s.width)
		s.add(p, c.neg(s.width), t.args[0])
	case t.op == OpMul && t.args[0].op == OpConst:
		m := t.args[1]
		if len(t.args) > 2 {
			m = p.mk(OpMul, t.sort, Value{}, t.args[1:]...)
		}
		s.monos = append(s.monos, mono{c.mul(t.args[0].val, s.width), m})
	default:
		s.monos = append(s.monos, mono{c, t})
	}
}

// norm sorts the monomials and collects like ones.
func (s *sum) norm() {
	slices.SortStableFunc(s.monos, func(a, b mono) int { return byID(a.m, b.m) })
	out := s.monos[:0]
	for _, x := range s.monos {
		if n := len(out); n > 0 && out[n-1].m == x.m {
			out[n-1].c = out[n-1].c.add(x.c, s.width)
		} else {
			out = append(out, x)
		}
	}
	s.monos = slices.DeleteFunc(out, func(x mono) bool { return x.c.isZero() })
}

// sumOf is t as a linear combination.
func (p *Pool) sumOf(t *Term) sum {
	s := sum{width: t.sort.Width}
	s.add(p, one, t)
	s.norm()
	return s
}

// parts is the number of summands.
func (s *sum) parts() int {
	if s.k.isZero() {
		return len(s.monos)
	}
	return len(s.monos) + 1
}

// build is the term of a normalized sum.
func (p *Pool) build(s sum) *Term {
	sort, minus := BV(s.width), ones(s.width)
	if len(s.monos) == 0 {
		return p.Const(sort, s.k)
	}
	if len(s.monos) == 1 && s.monos[0].c == minus && s.k == minus {
		return p.complement(s.monos[0].m)
	}
	args := make([]*Term, 0, len(s.monos)+1)
	for _, x := range s.monos {
		args = append(args, p.scale(x))
	}
	if !s.k.isZero() {
		args = append(args, p.Const(sort, s.k))
	}
	if len(args) == 1 {
		return args[0]
	}
	return p.mk(OpAdd, sort, Value{}, args...)
}

// scale is the term of one summand.
func (p *Pool) scale(x mono) *Term {
	switch {
	case x.c == one:
		return x.m
	case x.c == ones(x.m.sort.Width):
		return p.mk(OpNeg, x.m.sort, Value{}, x.m)
	}
	c := p.Const(x.m.sort, x.c)
	if x.m.op == OpMul {
		return p.mk(OpMul, x.m.sort, Value{}, append([]*Term{c}, x.m.args...)...)
	}
	return p.mk(OpMul, x.m.sort, Value{}, c, x.m)
}

// Add is the sum of ts, of which there must be at least one.
func (p *Pool) Add(ts ...*Term) *Term {
	s := sum{width: needBV("Add", ts...)}
	for _, t := range ts {
		s.add(p, one, t)
	}
	s.norm()
	return p.build(s)
}

// Sub is a - b.
func (p *Pool) Sub(a, b *Term) *Term {
	s := sum{width: needBV("Sub", a, b)}
	s.add(p, one, a)
	s.add(p, ones(s.width), b)
	s.norm()
	return p.build(s)
}

// Neg is -t.
func (p *Pool) Neg(t *Term) *Term {
	s := sum{width: needBV("Neg", t)}
	s.add(p, ones(s.width), t)
	s.norm()
	return p.build(s)
}

// Mul is the product of ts, of which there must be at least one.
func (p *Pool) Mul(ts ...*Term) *Term {
	w := needBV("Mul", ts...)
	c := one            // the constant factor
	var factors []*Term // of the monomial
	var sums []sum
	var whole []*Term // the terms of sums
	parts := 1
	for _, t := range ts {
		s := p.sumOf(t)
		switch {
		case len(s.monos) == 0:
			c = c.mul(s.k, w)
		case len(s.monos) == 1 && s.k.isZero():
			c = c.mul(s.monos[0].c, w)
			factors = appendFactors(factors, s.monos[0].m)
		default:
			sums = append(sums, s)
			whole = append(whole, t)
			parts = min(parts*s.parts(), distributeLimit+1)
		}
	}
	if c.isZero() {
		return p.Const(BV(w), c)
	}
	if len(sums) > 0 && parts > distributeLimit && (len(sums) > 1 || len(factors) > 0) {
		factors = append(factors, whole...)
		sums = nil
	}
	acc := sum{width: w}
	if len(factors) == 0 {
		acc.k = c
	} else {
		acc.monos = []mono{{c, p.product(factors)}}
	}
	for _, s := range sums {
		acc = p.times(acc, s)
	}
	return p.build(acc)
}

// appendFactors appends the factors of a monomial.
func appendFactors(fs []*Term, m *Term) []*Term {
	if m.op == OpMul {
		return append(fs, m.args...)
	}
	return append(fs, m)
}

// product is the monomial with the given factors.
func (p *Pool) product(factors []*Term) *Term {
	if len(factors) == 1 {
		return factors[0]
	}
	fs := slices.Clone(factors)
	slices.SortFunc(fs, byID)
	return p.mk(OpMul, fs[0].sort, Value{}, fs...)
}

// times multiplies out.
func (p *Pool) times(a, b sum) sum {
	w := a.width
	out := sum{width: w, k: a.k.mul(b.k, w)}
	for _, x := range a.monos {
		out.monos = append(out.monos, mono{x.c.mul(b.k, w), x.m})
	}
	for _, y := range b.monos {
		out.monos = append(out.monos, mono{y.c.mul(a.k, w), y.m})
		for _, x := range a.monos {
			c := x.c.mul(y.c, w)
			if c.isZero() {
				continue
			}
			fs := appendFactors(appendFactors(nil, x.m), y.m)
			out.monos = append(out.monos, mono{c, p.product(fs)})
		}
	}
	out.norm()
	return out
}

// eqBV is equality of bit-vectors, not both constant. It moves everything to
// one side, cancels, and writes what is left with positive coefficients.
func (p *Pool) eqBV(a, b *Term) *Term {
	w := a.sort.Width
	d := sum{width: w}
	d.add(p, one, a)
	d.add(p, ones(w), b)
	d.norm()
	switch {
	case len(d.monos) == 0:
		return p.Bool(d.k.isZero())
	case len(d.monos) >= flattenLimit:
		// Splitting would make sums that count as one monomial the next time.
		return p.eqSides(a, b)
	}
	twos := 128
	for _, x := range d.monos {
		twos = min(twos, x.c.trailingZeros())
	}
	if d.k.trailingZeros() < twos {
		return p.false // the left is a multiple of 2^twos, the right is not
	}
	if len(d.monos) == 1 && twos == 0 {
		x := d.monos[0]
		return p.eqSides(x.m, p.Const(a.sort, d.k.neg(w).mul(x.c.inverse(w), w)))
	}
	low := minSigned(w) // its own negation
	for i, x := range d.monos {
		if x.c == low && i < len(d.monos)-1 {
			continue
		}
		if x.c != low && x.c.bit(w-1) {
			for j := range d.monos {
				d.monos[j].c = d.monos[j].c.neg(w)
			}
			d.k = d.k.neg(w)
		}
		break
	}
	if len(d.monos) == 2 && d.monos[0].c == one && d.monos[1].c == one && d.k == one {
		not := p.complement(d.monos[1].m)
		if not.op != OpBVNot {
			return p.eqBV(d.monos[0].m, not)
		}
		return p.eqSides(d.monos[0].m, not)
	}
	l, r := sum{width: w}, sum{width: w}
	for i, x := range d.monos {
		if i == 0 && x.c == low || !x.c.bit(w-1) {
			l.monos = append(l.monos, x)
		} else {
			r.monos = append(r.monos, mono{x.c.neg(w), x.m})
		}
	}
	// The first monomial is on the left.
	if len(r.monos) == 0 || d.k.bit(w-1) {
		r.k = d.k.neg(w)
	} else {
		l.k = d.k
	}
	return p.eqSides(p.build(l), p.build(r))
}
