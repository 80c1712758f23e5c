// SPDX-License-Identifier: Apache-2.0

package term

// This file cuts bit-vectors and joins them. A join is a nest to the right of
// binary concatenations of the fewest parts: neighbouring constants and
// neighbouring pieces of one term are merged, zeros in front
// of a part are a zero extension. A cut is moved below everything that works bit by bit or, for cuts
// at the low end, modulo a power of two; conversions between integer types are
// made of these and mostly disappear.

import "fmt"

// Concat joins ts, the high end first; there must be at least one.
func (p *Pool) Concat(ts ...*Term) *Term {
	w := 0
	var parts []*Term
	for _, t := range ts {
		w += needBV("Concat", t)
		parts = p.appendParts(parts, t)
	}
	if w > MaxWidth {
		panic(fmt.Sprintf("term.Concat: %d bits are more than %d", w, MaxWidth))
	}
	t := parts[len(parts)-1]
	for i := len(parts) - 2; i >= 0; i-- {
		h := parts[i]
		zeros := 0
		if h.op == OpConst {
			zeros = h.sort.Width - h.val.bitLen()
			if h.val.isZero() {
				t = p.ZeroExt(zeros, t)
				continue
			}
			h = p.Const(BV(h.val.bitLen()), h.val)
		}
		t = p.mk(OpConcat, BV(h.sort.Width+t.sort.Width), Value{}, h, t)
		t = p.ZeroExt(zeros, t)
	}
	return t
}

// appendParts appends the parts of t, merging the first with the last before.
func (p *Pool) appendParts(parts []*Term, t *Term) []*Term {
	for t.op == OpConcat {
		parts = p.appendParts(parts, t.args[0])
		t = t.args[1]
	}
	if t.op == OpZeroExt {
		parts = p.appendParts(parts, p.Const(BV(t.ExtBits()), Value{}))
		return p.appendParts(parts, t.args[0])
	}
	if len(parts) == 0 {
		return append(parts, t)
	}
	h := parts[len(parts)-1]
	switch {
	case h.op == OpConst && t.op == OpConst:
		tw := t.sort.Width
		s := Sort{Kind: BitVecKind, Width: h.sort.Width + tw}
		if s.Width > MaxWidth {
			break // Concat complains
		}
		parts[len(parts)-1] = p.Const(s, h.val.shl(uint(tw)).or(t.val))
		return parts
	case h.op == OpExtract && t.op == OpExtract && h.args[0] == t.args[0] && h.val.Lo == t.val.Hi+1:
		parts[len(parts)-1] = p.Extract(int(h.val.Hi), int(t.val.Lo), t.args[0])
		return parts
	}
	return append(parts, t)
}

// Extract is bits hi down to lo of t.
func (p *Pool) Extract(hi, lo int, t *Term) *Term {
	w := needBV("Extract", t)
	if lo < 0 || hi < lo || hi >= w {
		panic(fmt.Sprintf("term.Extract: bits %d to %d of %s: %s", hi, lo, t.sort, t))
	}
	switch {
	case lo == 0 && hi == w-1:
		return t
	case t.op == OpConst:
		return p.Const(BV(hi-lo+1), t.val.extract(hi, lo))
	}
	k := extractKey{t, hi, lo}
	if r := p.extracts[k]; r != nil {
		return r
	}
	r := p.cut(hi, lo, t)
	p.extracts[k] = r
	return r
}

func (p *Pool) cut(hi, lo int, t *Term) *Term {
	w := t.sort.Width
	s := BV(hi - lo + 1)
	switch t.op {
	case OpExtract:
		l := int(t.val.Lo)
		return p.Extract(hi+l, lo+l, t.args[0])
	case OpConcat:
		h, l := t.args[0], t.args[1]
		lw := l.sort.Width
		switch {
		case hi < lw:
			return p.Extract(hi, lo, l)
		case lo >= lw:
			return p.Extract(hi-lw, lo-lw, h)
		}
		return p.Concat(p.Extract(hi-lw, 0, h), p.Extract(lw-1, lo, l))
	case OpZeroExt:
		x := t.args[0]
		switch xw := x.sort.Width; {
		case hi < xw:
			return p.Extract(hi, lo, x)
		case lo >= xw:
			return p.Const(s, Value{})
		default:
			return p.ZeroExt(hi-xw+1, p.Extract(xw-1, lo, x))
		}
	case OpSignExt:
		x := t.args[0]
		switch xw := x.sort.Width; {
		case hi < xw:
			return p.Extract(hi, lo, x)
		default:
			l := min(lo, xw-1) // all of the new bits are copies of the sign
			return p.SignExt(hi-lo-(xw-1-l), p.Extract(xw-1, l, x))
		}
	case OpBVNot:
		return p.BVNot(p.Extract(hi, lo, t.args[0]))
	case OpBVAnd:
		return p.BVAnd(p.extractAll(hi, lo, t.args)...)
	case OpBVOr:
		return p.BVOr(p.extractAll(hi, lo, t.args)...)
	case OpBVXor:
		return p.BVXor(p.extractAll(hi, lo, t.args)...)
	case OpIte:
		if constBranches(t) {
			return p.Ite(t.args[0], p.Extract(hi, lo, t.args[1]), p.Extract(hi, lo, t.args[2]))
		}
	case OpLShr:
		if k := t.args[1]; k.op == OpConst {
			n := int(k.val.amount())
			switch {
			case hi+n < w:
				return p.Extract(hi+n, lo+n, t.args[0])
			case lo+n >= w:
				return p.Const(s, Value{})
			}
			return p.ZeroExt(hi+n-w+1, p.Extract(w-1, lo+n, t.args[0]))
		}
	case OpAShr:
		if k := t.args[1]; k.op == OpConst {
			if n := int(k.val.amount()); hi+n < w {
				return p.Extract(hi+n, lo+n, t.args[0])
			}
		}
	case OpNeg:
		if lo == 0 {
			return p.Neg(p.Extract(hi, lo, t.args[0]))
		}
	case OpAdd:
		if lo == 0 {
			return p.Add(p.extractAll(hi, lo, t.args)...)
		}
	case OpMul:
		if lo == 0 {
			return p.Mul(p.extractAll(hi, lo, t.args)...)
		}
	}
	return p.mk(OpExtract, s, Value{uint64(hi), uint64(lo)}, t)
}

func (p *Pool) extractAll(hi, lo int, ts []*Term) []*Term {
	out := make([]*Term, len(ts))
	for i, t := range ts {
		out[i] = p.Extract(hi, lo, t)
	}
	return out
}

// eqSides is a == b after cancelling: equations of joined and extended terms
// are taken apart.
func (p *Pool) eqSides(a, b *Term) *Term {
	w := a.sort.Width
	if a.op == OpConst || b.op != OpConst && b.op != OpBVNot && a.op == OpBVNot {
		a, b = b, a
	}
	if t := p.eqIte(a, b); t != nil {
		return t
	}
	if b.op == OpConst {
		switch a.op {
		case OpZeroExt, OpSignExt:
			x := a.args[0]
			xw := x.sort.Width
			v := b.val.trunc(xw)
			back := v
			if a.op == OpSignExt {
				back = v.sext(xw).trunc(w)
			}
			if back != b.val {
				return p.false
			}
			return p.Eq(x, p.Const(x.sort, v))
		case OpConcat:
			h, l := a.args[0], a.args[1]
			lw := l.sort.Width
			return p.And(
				p.Eq(h, p.Const(h.sort, b.val.extract(w-1, lw))),
				p.Eq(l, p.Const(l.sort, b.val.trunc(lw))))
		}
		if w == 1 && b.val.isZero() {
			// One atom for the two values.
			return p.Not(p.mk(OpEq, BoolSort, Value{}, a, p.Const(a.sort, one)))
		}
	} else {
		switch {
		case (a.op == OpZeroExt || a.op == OpSignExt) && b.op == a.op && a.val == b.val:
			return p.Eq(a.args[0], b.args[0])
		case a.op == OpConcat && b.op == OpConcat && a.args[0].sort == b.args[0].sort:
			return p.And(p.Eq(a.args[0], b.args[0]), p.Eq(a.args[1], b.args[1]))
		case w == 1 && b.op == OpBVNot:
			return p.Not(p.Eq(a, b.args[0]))
		}
	}
	return p.mk(OpEq, BoolSort, Value{}, a, b)
}
