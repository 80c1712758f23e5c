// SPDX-License-Identifier: Apache-2.0

package term

// This file builds the bit-vector operators that are not arithmetic modulo
// 2^width: bitwise logic, shifts, division, order, and cutting and joining.
// Rules are local and only ever make terms smaller or push an operator toward
// the leaves where it meets constants; nothing is rewritten for the benefit of
// one solver, except that division and remainder by powers of two become
// shifts and masks.

import (
	"fmt"
	"slices"
)

// BVNot is the bitwise complement.
func (p *Pool) BVNot(t *Term) *Term {
	s := sum{width: needBV("BVNot", t)}
	s.k = ones(s.width)
	s.add(p, s.k, t)
	s.norm()
	return p.build(s)
}

// complement is ~m of a monomial.
func (p *Pool) complement(m *Term) *Term {
	w := m.sort.Width
	switch m.op {
	case OpIte:
		if x, y := m.args[1], m.args[2]; x.op == OpConst && y.op == OpConst {
			return p.Ite(m.args[0], p.Const(m.sort, x.val.not(w)), p.Const(m.sort, y.val.not(w)))
		}
	case OpBVXor:
		if k := m.args[len(m.args)-1]; k.op == OpConst {
			args := slices.Clone(m.args)
			args[len(args)-1] = p.Const(m.sort, k.val.not(w))
			return p.mk(OpBVXor, m.sort, Value{}, args...)
		}
	}
	return p.mk(OpBVNot, m.sort, Value{}, m)
}

// BVAnd is the bitwise conjunction of ts, of which there must be at least one.
func (p *Pool) BVAnd(ts ...*Term) *Term {
	w := needBV("BVAnd", ts...)
	return p.bitwise(OpBVAnd, ones(w), Value{}, Value.and, ts)
}

// BVOr is the bitwise disjunction of ts, of which there must be at least one.
func (p *Pool) BVOr(ts ...*Term) *Term {
	w := needBV("BVOr", ts...)
	return p.bitwise(OpBVOr, Value{}, ones(w), Value.or, ts)
}

func (p *Pool) bitwise(op Op, unit, zero Value, fold func(v, w Value) Value, ts []*Term) *Term {
	s := ts[0].sort
	args, k := p.operands(op, unit, fold, ts)
	if k == zero {
		return p.Const(s, zero)
	}
	slices.SortFunc(args, byID)
	args = slices.Compact(args)
	for _, t := range args {
		if not := bvNotOf(t); not != nil && contains(args, not) {
			return p.Const(s, zero)
		}
	}
	if k != unit {
		args = append(args, p.Const(s, k))
	}
	switch len(args) {
	case 0:
		return p.Const(s, unit)
	case 1:
		return args[0]
	}
	return p.mk(op, s, Value{}, slices.Clip(args)...)
}

// contains searches sorted arguments.
func contains(args []*Term, t *Term) bool {
	_, ok := slices.BinarySearchFunc(args, t, byID)
	return ok
}

// bvNotOf is the argument of a complement, otherwise nil.
func bvNotOf(t *Term) *Term {
	if t.op == OpBVNot {
		return t.args[0]
	}
	return nil
}

// operands flattens ts and folds the constants among them.
func (p *Pool) operands(op Op, unit Value, fold func(v, w Value) Value, ts []*Term) (args []*Term, k Value) {
	k = unit
	var add func(t *Term)
	add = func(t *Term) {
		switch {
		case t.op == OpConst:
			k = fold(k, t.val)
		case t.op == op && len(t.args) < flattenLimit:
			for _, a := range t.args {
				add(a)
			}
		default:
			args = append(args, t)
		}
	}
	for _, t := range ts {
		add(t)
	}
	return args, k
}

// BVXor is the bitwise exclusive or of ts, of which there must be at least one.
func (p *Pool) BVXor(ts ...*Term) *Term {
	w := needBV("BVXor", ts...)
	s := ts[0].sort
	// Complements among the operands (also below a flattened complement)
	// move into the constant.
	args, k := p.operands(OpBVXor, Value{}, Value.xor, ts)
	for again := true; again; {
		again = false
		for i, t := range args {
			if t.op == OpBVNot {
				args[i] = t.args[0]
				k = k.xor(ones(w))
				again = true
			}
		}
		if again {
			var more Value
			args, more = p.operands(OpBVXor, Value{}, Value.xor, args)
			k = k.xor(more)
		}
	}
	slices.SortFunc(args, byID)
	out := args[:0]
	for _, t := range args {
		if n := len(out); n > 0 && out[n-1] == t {
			out = out[:n-1] // pairs cancel
		} else {
			out = append(out, t)
		}
	}
	args = out
	flip := k == ones(w)
	if !flip && !k.isZero() {
		args = append(args, p.Const(s, k))
	}
	var t *Term
	switch len(args) {
	case 0:
		return p.Const(s, k)
	case 1:
		t = args[0]
	default:
		t = p.mk(OpBVXor, s, Value{}, slices.Clip(args)...)
	}
	if flip {
		return p.BVNot(t)
	}
	return t
}

// Nand is ~(a & b).
func (p *Pool) Nand(a, b *Term) *Term { return p.BVNot(p.BVAnd(a, b)) }

// Nor is ~(a | b).
func (p *Pool) Nor(a, b *Term) *Term { return p.BVNot(p.BVOr(a, b)) }

// Xnor is ~(a ^ b).
func (p *Pool) Xnor(a, b *Term) *Term { return p.BVNot(p.BVXor(a, b)) }

// Comp is the bit-vector 1 of width 1 if a equals b, otherwise 0.
func (p *Pool) Comp(a, b *Term) *Term {
	needBV("Comp", a, b)
	return p.Ite(p.Eq(a, b), p.Int(1, 1), p.Int(1, 0))
}

// binary folds constants and otherwise builds the plain operator.
func (p *Pool) binary(op Op, a, b *Term) *Term {
	if a.op == OpConst && b.op == OpConst {
		return p.Const(a.sort, apply2(op, a.val, b.val, a.sort.Width))
	}
	return p.mk(op, a.sort, Value{}, a, b)
}

// UDiv is unsigned division; x / 0 is all ones.
func (p *Pool) UDiv(a, b *Term) *Term {
	w := needBV("UDiv", a, b)
	if b.op == OpConst {
		switch {
		case b.val.isZero():
			return p.Const(a.sort, ones(w))
		case b.val.isPow2():
			return p.LShr(a, p.Const(a.sort, Value{Lo: uint64(b.val.trailingZeros())}))
		}
	}
	return p.binary(OpUDiv, a, b)
}

// URem is the unsigned remainder; x % 0 is x.
func (p *Pool) URem(a, b *Term) *Term {
	w := needBV("URem", a, b)
	switch {
	case a == b || a.op == OpConst && a.val.isZero():
		return p.Const(a.sort, Value{})
	case b.op == OpConst && b.val.isZero():
		return a
	case b.op == OpConst && b.val.isPow2():
		return p.BVAnd(a, p.Const(a.sort, b.val.sub(one, w)))
	}
	return p.binary(OpURem, a, b)
}

// SDiv is signed division truncated toward zero; x / 0 is 1 if x is negative,
// otherwise -1.
func (p *Pool) SDiv(a, b *Term) *Term {
	w := needBV("SDiv", a, b)
	if b.op == OpConst {
		switch b.val {
		case Value{}:
			zero := p.Const(a.sort, Value{})
			return p.Ite(p.SLt(a, zero), p.Const(a.sort, one), p.Const(a.sort, ones(w)))
		case ones(w):
			return p.Neg(a)
		case one:
			return a
		}
	}
	return p.binary(OpSDiv, a, b)
}

// SRem is the signed remainder with the sign of a; x % 0 is x.
func (p *Pool) SRem(a, b *Term) *Term {
	w := needBV("SRem", a, b)
	switch {
	case a == b || a.op == OpConst && a.val.isZero():
		return p.Const(a.sort, Value{})
	case b.op == OpConst && b.val.isZero():
		return a
	case b.op == OpConst && (b.val == one || b.val == ones(w)):
		return p.Const(a.sort, Value{})
	}
	return p.binary(OpSRem, a, b)
}

// SMod is the signed remainder with the sign of b; x mod 0 is x.
func (p *Pool) SMod(a, b *Term) *Term {
	needBV("SMod", a, b)
	zero := p.Const(a.sort, Value{})
	r := p.SRem(a, b)
	same := p.Iff(p.SLt(r, zero), p.SLt(b, zero))
	return p.Ite(p.Or(p.Eq(r, zero), same), r, p.Add(r, b))
}

// Shl shifts left; shifting by a constant is a multiplication.
func (p *Pool) Shl(a, b *Term) *Term {
	w := needBV("Shl", a, b)
	switch {
	case b.op == OpConst && int(b.val.amount()) >= w:
		return p.Const(a.sort, Value{})
	case b.op == OpConst:
		return p.Mul(p.Const(a.sort, one.shl(b.val.amount())), a)
	case a.op == OpConst && a.val.isZero():
		return a
	}
	return p.binary(OpShl, a, b)
}

// LShr shifts right and fills with zeros.
func (p *Pool) LShr(a, b *Term) *Term {
	w := needBV("LShr", a, b)
	switch {
	case a.op == OpConst && a.val.isZero():
		return a
	case b.op == OpConst && b.val.isZero():
		return a
	case b.op == OpConst:
		n := int(b.val.amount())
		if a.op == OpLShr && a.args[1].op == OpConst {
			n += int(a.args[1].val.amount())
			a = a.args[0]
		}
		if n >= w {
			return p.Const(a.sort, Value{})
		}
		b = p.Const(a.sort, Value{Lo: uint64(n)})
	}
	return p.binary(OpLShr, a, b)
}

// AShr shifts right and fills with the sign bit.
func (p *Pool) AShr(a, b *Term) *Term {
	w := needBV("AShr", a, b)
	switch {
	case a.op == OpConst && (a.val.isZero() || a.val == ones(w)):
		return a
	case b.op == OpConst && b.val.isZero():
		return a
	case b.op == OpConst:
		n := int(b.val.amount())
		if a.op == OpAShr && a.args[1].op == OpConst {
			n += int(a.args[1].val.amount())
			a = a.args[0]
		}
		if n = min(n, w-1); n == 0 {
			return a
		}
		b = p.Const(a.sort, Value{Lo: uint64(n)})
	}
	return p.binary(OpAShr, a, b)
}

// RotateLeft rotates t by n bits toward the high end.
func (p *Pool) RotateLeft(n int, t *Term) *Term {
	w := needBV("RotateLeft", t)
	if n %= w; n == 0 {
		return t
	}
	return p.Concat(p.Extract(w-n-1, 0, t), p.Extract(w-1, w-n, t))
}

// RotateRight rotates t by n bits toward the low end.
func (p *Pool) RotateRight(n int, t *Term) *Term {
	w := needBV("RotateRight", t)
	return p.RotateLeft(w-n%w, t)
}

// Repeat joins n copies of t.
func (p *Pool) Repeat(n int, t *Term) *Term {
	if n < 1 {
		panic(fmt.Sprintf("term.Repeat: %d copies", n))
	}
	return p.Concat(slices.Repeat([]*Term{t}, n)...)
}

// UGt is b <u a; the other orders are likewise one operator and Not.
func (p *Pool) UGt(a, b *Term) *Term { return p.ULt(b, a) }

// UGe is !(a <u b).
func (p *Pool) UGe(a, b *Term) *Term { return p.Not(p.ULt(a, b)) }

// ULe is !(b <u a).
func (p *Pool) ULe(a, b *Term) *Term { return p.Not(p.ULt(b, a)) }

// SGt is b < a.
func (p *Pool) SGt(a, b *Term) *Term { return p.SLt(b, a) }

// SGe is !(a < b).
func (p *Pool) SGe(a, b *Term) *Term { return p.Not(p.SLt(a, b)) }

// SLe is !(b < a).
func (p *Pool) SLe(a, b *Term) *Term { return p.Not(p.SLt(b, a)) }

// ULt is unsigned less-than.
func (p *Pool) ULt(a, b *Term) *Term {
	w := needBV("ULt", a, b)
	if t := p.less(OpULt, a, b, Value{}, ones(w)); t != nil {
		return t
	}
	switch {
	case a.op == OpZeroExt && b.op == OpZeroExt && a.val == b.val,
		a.op == OpSignExt && b.op == OpSignExt && a.val == b.val:
		return p.ULt(a.args[0], b.args[0]) // both extensions are monotone
	case a.op == OpZeroExt && b.op == OpConst:
		return p.lessExt(a, b)
	case b.op == OpZeroExt && a.op == OpConst:
		return p.greaterExt(a, b)
	}
	return p.mk(OpULt, BoolSort, Value{}, a, b)
}

// SLt is signed less-than.
func (p *Pool) SLt(a, b *Term) *Term {
	w := needBV("SLt", a, b)
	if t := p.less(OpSLt, a, b, minSigned(w), maxSigned(w)); t != nil {
		return t
	}
	switch {
	case a.op == OpZeroExt && b.op == OpZeroExt && a.val == b.val:
		return p.ULt(a.args[0], b.args[0])
	case a.op == OpSignExt && b.op == OpSignExt && a.val == b.val:
		return p.SLt(a.args[0], b.args[0])
	case a.op == OpZeroExt && b.op == OpConst:
		if b.val.bit(w - 1) {
			return p.false
		}
		return p.lessExt(a, b)
	case b.op == OpZeroExt && a.op == OpConst:
		if a.val.bit(w - 1) {
			return p.true
		}
		return p.greaterExt(a, b)
	case a.op == OpSignExt && b.op == OpConst:
		x := a.args[0]
		n := x.sort.Width
		switch lo, hi := minSigned(n).sext(n).trunc(w), maxSigned(n); {
		case !lo.slt(b.val, w):
			return p.false
		case hi.slt(b.val, w):
			return p.true
		}
		return p.SLt(x, p.Const(x.sort, b.val.trunc(n)))
	case b.op == OpSignExt && a.op == OpConst:
		x := b.args[0]
		n := x.sort.Width
		switch lo, hi := minSigned(n).sext(n).trunc(w), maxSigned(n); {
		case a.val.slt(lo, w):
			return p.true
		case !a.val.slt(hi, w):
			return p.false
		}
		return p.SLt(p.Const(x.sort, a.val.trunc(n)), x)
	}
	return p.mk(OpSLt, BoolSort, Value{}, a, b)
}

// lessExt is zext(x) < k for a k that is not negative.
func (p *Pool) lessExt(a, k *Term) *Term {
	x := a.args[0]
	if ones(x.sort.Width).ult(k.val) {
		return p.true
	}
	return p.ULt(x, p.Const(x.sort, k.val))
}

// greaterExt is k < zext(x) for a k that is not negative.
func (p *Pool) greaterExt(k, b *Term) *Term {
	x := b.args[0]
	if !k.val.ult(ones(x.sort.Width)) {
		return p.false
	}
	return p.ULt(p.Const(x.sort, k.val), x)
}

// less are the rules that both orders share: constants, bounds of the order,
// and if-then-else with a constant branch against a constant. It returns nil if
// none applies.
func (p *Pool) less(op Op, a, b *Term, lo, hi Value) *Term {
	w := a.sort.Width
	lt := p.ULt
	if op == OpSLt {
		lt = p.SLt
	}
	switch {
	case a == b:
		return p.false
	case a.op == OpConst && b.op == OpConst:
		return p.Bool(apply2(op, a.val, b.val, w) == one)
	case a.op == OpConst:
		switch a.val {
		case hi:
			return p.false
		case lo:
			return p.Ne(b, a)
		case hi.sub(one, w):
			return p.Eq(b, p.Const(a.sort, hi))
		}
		if halfConst(b) {
			return p.Ite(b.args[0], lt(a, b.args[1]), lt(a, b.args[2]))
		}
	case b.op == OpConst:
		switch b.val {
		case lo:
			return p.false
		case hi:
			return p.Ne(a, b)
		case lo.add(one, w):
			return p.Eq(a, p.Const(a.sort, lo))
		}
		if halfConst(a) {
			return p.Ite(a.args[0], lt(a.args[1], b), lt(a.args[2], b))
		}
	}
	return nil
}

// halfConst says whether t is an if-then-else with a constant branch.
func halfConst(t *Term) bool {
	return t.op == OpIte && (t.args[1].op == OpConst || t.args[2].op == OpConst)
}

// ZeroExt adds n zero bits at the high end.
func (p *Pool) ZeroExt(n int, t *Term) *Term {
	s := p.extended("ZeroExt", n, t)
	switch {
	case n == 0:
		return t
	case t.op == OpConst:
		return p.Const(s, t.val)
	case t.op == OpZeroExt:
		n += t.ExtBits()
		t = t.args[0]
	case constBranches(t):
		return p.Ite(t.args[0], p.ZeroExt(n, t.args[1]), p.ZeroExt(n, t.args[2]))
	}
	return p.mk(OpZeroExt, s, Value{Lo: uint64(n)}, t)
}

// SignExt repeats the sign bit n times at the high end.
func (p *Pool) SignExt(n int, t *Term) *Term {
	s := p.extended("SignExt", n, t)
	switch {
	case n == 0:
		return t
	case t.op == OpConst:
		return p.Const(s, t.val.sext(t.sort.Width).trunc(s.Width))
	case t.op == OpSignExt:
		n += t.ExtBits()
		t = t.args[0]
	case t.op == OpZeroExt:
		return p.ZeroExt(n, t)
	case constBranches(t):
		return p.Ite(t.args[0], p.SignExt(n, t.args[1]), p.SignExt(n, t.args[2]))
	}
	return p.mk(OpSignExt, s, Value{Lo: uint64(n)}, t)
}

func constBranches(t *Term) bool {
	return t.op == OpIte && t.args[1].op == OpConst && t.args[2].op == OpConst
}

func (p *Pool) extended(who string, n int, t *Term) Sort {
	w := needBV(who, t)
	if n < 0 || w+n > MaxWidth {
		panic(fmt.Sprintf("term.%s: %d more bits on %s: %s", who, n, t.sort, t))
	}
	return BV(w + n)
}
