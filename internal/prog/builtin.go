// SPDX-License-Identifier: Apache-2.0

package prog

// This file checks conversions and the built-in functions of expressions. Go
// has no such functions; they exist because terms have operators that Go lacks
// (total division, if-then-else, cutting and joining of bits) and every term
// must have a text.

import "github.com/interlock-go/interlock/internal/term"

// builtins are the functions, with their numbers of arguments. They have no
// error sites of their own.
var builtins = map[string]int{"ite": 3, "quo": 2, "rem": 2, "bits": 3, "concat": 2}

// call checks a conversion or a built-in function.
func (c *checker) call(x *expr, want *Type) operand {
	name := x.id.name
	count := builtins[name]
	if count == 0 {
		return c.conversion(x)
	}
	if len(x.args) != count {
		c.errorf(x.pos, "%s has %d arguments, expected %d", name, len(x.args), count)
		return operand{}
	}
	switch name {
	case "ite":
		return c.ite(x, want)
	case "quo", "rem":
		return c.quo(x, want)
	case "bits":
		return c.bits(x)
	}
	a, b := c.expr(x.args[0], nil), c.expr(x.args[1], nil)
	if !a.ok || !b.ok {
		return operand{}
	}
	if a.t == nil || b.t == nil || !a.typ.isInt() || !b.typ.isInt() {
		c.errorf(x.pos, "concat needs two integers with types, found %v and %v", a, b)
		return operand{}
	}
	w := a.typ.Sort.Width + b.typ.Sort.Width
	if w > 2*maxBits {
		c.errorf(x.pos, "concat gives %d bits; at most %d are possible", w, 2*maxBits)
		return operand{}
	}
	return c.folded(Type{Sort: term.BV(w)}, c.pool.Concat(a.t, b.t))
}

// folded is an operand of an integer operation that Go does not have; it is
// constant if its term is.
func (c *checker) folded(t Type, x *term.Term) operand {
	o := operand{ok: true, typ: t, t: x}
	if v, ok := x.Const(); ok {
		o.cv = v.Big(t.Sort.Width, t.Signed)
	}
	return o
}

func (c *checker) ite(x *expr, want *Type) operand {
	if t := c.typeOf(x); t != nil {
		want = t
	}
	cond := c.expr(x.args[0], nil)
	a := c.under(cond, false, x.args[1], want)
	b := c.under(cond, true, x.args[2], want)
	if !cond.ok {
		return operand{}
	}
	if cond.t == nil || cond.typ.Sort.Kind != term.BoolKind {
		c.errorf(x.args[0].pos, "condition of ite is %v, expected bool", cond)
		return operand{}
	}
	a, b = c.unify(a, b, x.args[1], x.args[2], "ite", x.pos)
	if !a.ok {
		return operand{}
	}
	if a.t == nil {
		if want == nil || !want.isInt() {
			c.errorf(x.pos, "ite of constants has no type here; write conversions such as int8(%v)", a.cv)
			return operand{}
		}
		a, b = c.typed(a.cv, *want, x.args[1].pos), c.typed(b.cv, *want, x.args[2].pos)
		if !a.ok || !b.ok {
			return operand{}
		}
	}
	return operand{ok: true, typ: a.typ, t: c.pool.Ite(cond.t, a.t, b.t)}
}

func (c *checker) quo(x *expr, want *Type) operand {
	a, b := c.pair(x.args[0], x.args[1], want, x.id.name, x.pos)
	if a.ok && a.t == nil {
		if want == nil || !want.isInt() {
			c.errorf(x.pos, "%s of constants has no type here; write conversions such as int8(%v)", x.id.name, a.cv)
			return operand{}
		}
		a, b = c.typed(a.cv, *want, x.args[0].pos), c.typed(b.cv, *want, x.args[1].pos)
	}
	if !a.ok || !b.ok {
		return operand{}
	}
	if !a.typ.isInt() {
		c.errorf(x.pos, "%s needs integers, found %v", x.id.name, a)
		return operand{}
	}
	op := map[string]string{"quo": "/", "rem": "%"}[x.id.name]
	return operand{ok: true, typ: a.typ, t: c.arith(op, a.typ.Signed, a.t, b.t)}
}

func (c *checker) bits(x *expr) operand {
	a := c.expr(x.args[0], nil)
	hi, lo := c.expr(x.args[1], nil), c.expr(x.args[2], nil)
	if !a.ok || !hi.ok || !lo.ok {
		return operand{}
	}
	if a.t == nil || !a.typ.isInt() {
		c.errorf(x.pos, "bits needs an integer with a type, found %v", a)
		return operand{}
	}
	t := c.typeOf(x)
	if t == nil || x.args[1].val.Int64() >= int64(a.typ.Sort.Width) {
		c.errorf(x.pos, "bits(x, hi, lo) needs literals with %d > hi >= lo >= 0", a.typ.Sort.Width)
		return operand{}
	}
	return c.folded(*t, c.pool.Extract(int(x.args[1].val.Int64()), int(x.args[2].val.Int64()), a.t))
}

func (c *checker) conversion(x *expr) operand {
	to, ok := Type{}, false
	if !isIntName(x.id.name) && x.id.name != "bool" && c.enums[x.id.name] == nil {
		c.errorf(x.pos, "%s is not a type or function (functions: ite, quo, rem, bits, concat)", x.id.name)
	} else {
		to, ok = c.typeNamed(x.id, 2*maxBits)
	}
	if len(x.args) != 1 {
		if ok {
			c.errorf(x.pos, "conversion to %v has %d arguments, expected 1", to, len(x.args))
		}
		for _, a := range x.args {
			c.expr(a, nil)
		}
		return operand{}
	}
	var want *Type
	if ok && to.isInt() {
		want = &to
	}
	o := c.expr(x.args[0], want)
	switch {
	case !ok || !o.ok:
		return operand{}
	case o.cv != nil && to.isInt():
		return c.typed(o.cv, to, x.args[0].pos)
	case o.t != nil && o.typ == to:
		return o
	case o.t == nil || !to.isInt() || !o.typ.isInt():
		c.errorf(x.pos, "cannot convert %v to %v", o, to)
		return operand{}
	}
	return operand{ok: true, typ: to, t: resize(c.pool, o.t, o.typ.Signed, to.Sort.Width)}
}

// resize truncates or extends t by Go's rules: the sign of the source decides.
func resize(p *term.Pool, t *term.Term, signed bool, width int) *term.Term {
	switch w := t.Sort().Width; {
	case width < w:
		return p.Extract(width-1, 0, t)
	case width > w && signed:
		return p.SignExt(width-w, t)
	case width > w:
		return p.ZeroExt(width-w, t)
	}
	return t
}
