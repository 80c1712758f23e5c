// SPDX-License-Identifier: Apache-2.0

package prog

// This file checks expressions and turns them into terms, with Go's rules for
// constants, conversions, shifts and division. Expressions have no side
// effects, so an operation that may err leaves a check with the condition under
// which it is evaluated at all (the guards of && || ite around it); lowering
// places the checks before the statement in order of evaluation.

import (
	"math/big"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/term"
)

// maxConstBits bounds constants, as Go's compilers do.
const maxConstBits = 512

// An operand is a checked expression. An untyped constant has only cv.
type operand struct {
	ok  bool       // false: an error was reported
	typ Type       // unless untyped
	t   *term.Term // nil: untyped
	cv  *big.Int   // of an integer constant, typed or not
}

// String describes an operand's type in an error message.
func (o operand) String() string {
	if o.ok && o.t == nil {
		return "the constant " + o.cv.String()
	}
	return o.typ.String()
}

func (t Type) isInt() bool { return t.Sort.Kind == term.BitVecKind }

func (c *checker) lookupVar(id *ident) *Var {
	if v := c.vars[id.name]; v != nil {
		return v
	}
	switch n, ok := c.names[id.name]; {
	case !ok:
		c.errorf(id.pos, "%s is not declared", id.name)
	case strings.HasSuffix(n.what, "variable"):
		c.errorf(id.pos, "%s is not visible here (declared at %v)", id.name, n.pos)
	default:
		c.errorf(id.pos, "%s is %s, expected a variable", id.name, n.what)
	}
	return nil
}

// enumValue finds the enum constant that id names: a value's name, or qualified
// by its enum.
func (c *checker) enumValue(id *ident) (t *term.Term, enums []*term.Enum) {
	if len(id.segs) > 1 {
		last := len(id.segs) - 1
		if e := c.enums[strings.Join(id.segs[:last], ".")]; e != nil {
			if t := c.pool.EnumValue(e, id.segs[last]); t != nil {
				return t, []*term.Enum{e}
			}
		}
	}
	enums = c.values[id.name]
	if len(enums) != 1 {
		return nil, enums
	}
	return c.pool.EnumValue(enums[0], id.name), enums
}

// quietType resolves a type without reporting errors; nil if there is none.
func (c *checker) quietType(id *ident) *Type {
	if id == nil {
		return nil
	}
	n := len(c.errs)
	t, ok := c.typeNamed(id, 2*maxBits)
	c.errs = c.errs[:n]
	if !ok {
		return nil
	}
	return &t
}

// typeOf returns the type that an expression has by itself, or nil if it is an
// untyped constant (or wrong).
func (c *checker) typeOf(x *expr) *Type {
	if !x.typed {
		x.typ, x.typed = c.typeOfUncached(x), true
	}
	return x.typ
}

func (c *checker) typeOfUncached(x *expr) *Type {
	boolean := &Type{Sort: term.BoolSort}
	either := func(x, y *expr) *Type {
		if t := c.typeOf(x); t != nil {
			return t
		}
		return c.typeOf(y)
	}
	switch x.kind {
	case nameExpr:
		if o, ok := c.lets[x.id.name]; ok && o.ok {
			return &o.typ
		}
		if v := c.vars[x.id.name]; v != nil && v.Type.Sort.Kind != 0 {
			return &v.Type
		}
		if x.id.bare && (x.id.name == "true" || x.id.name == "false") {
			return boolean
		}
		if k := c.consts[x.id.name]; k != nil {
			if o := c.constant(k); o.ok && o.t != nil {
				return &o.typ
			}
			return nil
		}
		if t, _ := c.enumValue(x.id); t != nil {
			return &Type{Sort: t.Sort()}
		}
	case unaryExpr:
		return c.typeOf(x.x)
	case binaryExpr:
		switch x.op {
		case "<<", ">>":
			return c.typeOf(x.x)
		case "&&", "||", "==", "!=", "<", "<=", ">", ">=":
			return boolean
		}
		return either(x.x, x.y)
	case callExpr:
		switch {
		case (x.id.name == "quo" || x.id.name == "rem") && len(x.args) == 2:
			return either(x.args[0], x.args[1])
		case x.id.name == "ite" && len(x.args) == 3:
			return either(x.args[1], x.args[2])
		case x.id.name == "bits" && len(x.args) == 3:
			hi, lo := x.args[1].val, x.args[2].val
			if hi != nil && lo != nil && hi.IsInt64() && lo.IsInt64() && 0 <= lo.Int64() && lo.Int64() <= hi.Int64() && hi.Int64() < 2*maxBits {
				return &Type{Sort: term.BV(int(hi.Int64()-lo.Int64()) + 1)}
			}
		case x.id.name == "concat" && len(x.args) == 2:
			a, b := c.typeOf(x.args[0]), c.typeOf(x.args[1])
			if a != nil && b != nil && a.isInt() && b.isInt() && a.Sort.Width+b.Sort.Width <= 2*maxBits {
				return &Type{Sort: term.BV(a.Sort.Width + b.Sort.Width)}
			}
		default:
			return c.quietType(x.id)
		}
	}
	return nil
}

// typed returns the constant cv with type t, or an error if it does not fit.
func (c *checker) typed(cv *big.Int, t Type, pos Pos) operand {
	lo, hi := t.Range()
	if cv.Cmp(lo) < 0 || cv.Cmp(hi) > 0 {
		narrowed := ""
		if t.Sort.Width == c.opt.Width {
			narrowed = "; integers are narrowed to this width"
		}
		c.errorf(pos, "constant %v does not fit %v (%v..%v%s)", cv, t, lo, hi, narrowed)
		return operand{}
	}
	return operand{ok: true, typ: t, t: c.pool.BigInt(t.Sort.Width, cv), cv: cv}
}

// untyped returns an untyped constant.
func (c *checker) untyped(cv *big.Int, pos Pos) operand {
	if cv.BitLen() > maxConstBits {
		c.errorf(pos, "constant of more than %d bits", maxConstBits)
		return operand{}
	}
	return operand{ok: true, cv: cv}
}

// assignable gives o the type t, or reports that it cannot have it.
func (c *checker) assignable(o operand, t Type, pos Pos) operand {
	switch {
	case !o.ok || t.Sort.Kind == 0:
		return operand{}
	case o.t == nil && t.isInt():
		return c.typed(o.cv, t, pos)
	case o.t == nil || o.typ != t:
		c.errorf(pos, "expected %v, found %v", t, o)
		return operand{}
	}
	return o
}

func (c *checker) bool(t *term.Term) operand {
	return operand{ok: true, typ: Type{Sort: term.BoolSort}, t: t}
}

// under evaluates x under a further guard.
func (c *checker) under(guard operand, negated bool, x *expr, want *Type) operand {
	n := len(c.guards)
	c.guard(guard, negated)
	o := c.expr(x, want)
	c.guards = c.guards[:n]
	return o
}

func (c *checker) guard(o operand, negated bool) {
	switch {
	case o.t == nil || o.typ.Sort.Kind != term.BoolKind: // an error was reported
	case negated:
		c.guards = append(c.guards, c.pool.Not(o.t))
	default:
		c.guards = append(c.guards, o.t)
	}
}

// mayErr records that evaluation errs if bad holds.
func (c *checker) mayErr(bad *term.Term, msg string, pos Pos) {
	all := append(append([]*term.Term(nil), c.guards...), bad)
	if t := c.pool.And(all...); !t.IsFalse() {
		c.checks = append(c.checks, check{t, msg, pos})
	}
}

// expr checks x. want is the type that an untyped constant would be given by
// its use; it matters only to shifts of untyped constants.
func (c *checker) expr(x *expr, want *Type) operand {
	switch x.kind {
	case intExpr:
		return c.untyped(x.val, x.pos)
	case nameExpr:
		return c.nameExpr(x)
	case unaryExpr:
		return c.unary(x, want)
	case binaryExpr:
		switch x.op {
		case "&&", "||":
			return c.logical(x)
		case "<<", ">>":
			return c.shift(x, want)
		}
		return c.binary(x, want)
	case callExpr:
		return c.call(x, want)
	case letExpr:
		return c.let(x, want)
	case havocExpr:
		c.errorf(x.pos, "any, choose and guess stand alone on the right of one variable: x = any")
	}
	return operand{}
}

func (c *checker) nameExpr(x *expr) operand {
	id := x.id
	if id.bare && (id.name == "true" || id.name == "false") {
		return c.bool(c.pool.Bool(id.name == "true"))
	}
	if o, ok := c.lets[id.name]; ok {
		return o
	}
	if v := c.vars[id.name]; v != nil {
		return operand{ok: v.Term != nil, typ: v.Type, t: v.Term}
	}
	if k := c.consts[id.name]; k != nil {
		return c.constant(k)
	}
	if t, enums := c.enumValue(id); t != nil {
		return operand{ok: true, typ: Type{Sort: t.Sort()}, t: t}
	} else if len(enums) > 1 {
		c.errorf(id.pos, "%s is a value of enums %s and %s; write %s.%s", id.name, enums[0].Name, enums[1].Name, enums[0].Name, id.name)
		return operand{}
	}
	if n, ok := c.names[id.name]; ok && strings.HasSuffix(n.what, "state variable") {
		c.errorf(id.pos, "%s is a state variable, expected a constant", id.name)
	} else if ok {
		c.errorf(id.pos, "%s is not visible here (declared at %v)", id.name, n.pos)
	} else if len(id.segs) > 1 && c.enums[strings.Join(id.segs[:len(id.segs)-1], ".")] != nil {
		e := c.enums[strings.Join(id.segs[:len(id.segs)-1], ".")]
		c.errorf(id.pos, "enum %s has no value %s (values: %s)", e.Name, id.segs[len(id.segs)-1], strings.Join(e.Values, ", "))
	} else {
		c.errorf(id.pos, "%s is not declared", id.name)
	}
	return operand{}
}

// let gives names to values; each sees those before it. The values are
// evaluated in any case, so their checks have no further guard.
func (c *checker) let(x *expr, want *Type) operand {
	for i, id := range x.ids {
		o := c.expr(x.args[i], nil)
		_, taken := c.names[id.name]
		_, again := c.lets[id.name]
		switch {
		case taken || again || c.vars[id.name] != nil || len(c.values[id.name]) > 0:
			c.errorf(id.pos, "let %s: the name is already declared", id.name)
			o = operand{}
		case o.ok && o.t == nil:
			c.errorf(id.pos, "let %s: the constant %v has no type here; write a conversion such as int8(%v)", id.name, o.cv, o.cv)
			o = operand{}
		}
		if !again {
			c.lets[id.name] = o
			defer delete(c.lets, id.name)
		}
	}
	return c.expr(x.y, want)
}

func (c *checker) unary(x *expr, want *Type) operand {
	o := c.expr(x.x, want)
	if !o.ok {
		return o
	}
	if x.op == "!" {
		if o.t == nil || o.typ.Sort.Kind != term.BoolKind {
			c.errorf(x.pos, "operator ! needs bool, found %v", o)
			return operand{}
		}
		return c.bool(c.pool.Not(o.t))
	}
	if o.t != nil && !o.typ.isInt() {
		c.errorf(x.pos, "operator %s needs an integer, found %v", x.op, o)
		return operand{}
	}
	if x.op == "+" {
		return o
	}
	if o.cv != nil {
		v := new(big.Int)
		switch {
		case x.op == "-":
			v.Neg(o.cv)
		case o.t != nil && !o.typ.Signed:
			_, hi := o.typ.Range()
			v.Xor(o.cv, hi)
		default:
			v.Not(o.cv)
		}
		if o.t == nil {
			return c.untyped(v, x.pos)
		}
		return c.typed(v, o.typ, x.pos)
	}
	if x.op == "-" {
		o.t = c.pool.Neg(o.t)
	} else {
		o.t = c.pool.BVNot(o.t)
	}
	return o
}

// logical checks a chain a && b && c, whose operands are evaluated one under
// the other, as one conjunction; so for ||.
func (c *checker) logical(x *expr) operand {
	chain := []*expr{x.y}
	left := x.x
	for ; left.kind == binaryExpr && left.op == x.op && !left.paren; left = left.x {
		chain = append(chain, left.y)
	}
	chain = append(chain, left)
	slices.Reverse(chain)
	n := len(c.guards)
	terms := make([]*term.Term, 0, len(chain))
	for _, y := range chain {
		o := c.expr(y, nil)
		c.guard(o, x.op == "||")
		if o.ok && (o.t == nil || o.typ.Sort.Kind != term.BoolKind) {
			c.errorf(y.pos, "operator %s needs bool operands, found %v", x.op, o)
			o.ok = false
		}
		if o.ok {
			terms = append(terms, o.t)
		}
	}
	c.guards = c.guards[:n]
	switch {
	case len(terms) < len(chain):
		return operand{}
	case x.op == "&&":
		return c.bool(c.pool.And(terms...))
	}
	return c.bool(c.pool.Or(terms...))
}

// pair checks two operands that must have the same type. If both are untyped
// constants, so are the results.
func (c *checker) pair(x, y *expr, want *Type, op string, pos Pos) (a, b operand) {
	if t := c.typeOf(x); t != nil {
		want = t
	} else if t := c.typeOf(y); t != nil {
		want = t
	}
	a, b = c.expr(x, want), c.expr(y, want)
	return c.unify(a, b, x, y, op, pos)
}

func (c *checker) unify(a, b operand, x, y *expr, op string, pos Pos) (_, _ operand) {
	switch {
	case !a.ok || !b.ok:
		return operand{}, operand{}
	case a.t == nil && b.t == nil:
	case a.t == nil && b.typ.isInt():
		a = c.typed(a.cv, b.typ, x.pos)
	case b.t == nil && a.typ.isInt():
		b = c.typed(b.cv, a.typ, y.pos)
	case a.t == nil || b.t == nil || a.typ != b.typ:
		c.errorf(pos, "%s: mismatched types %v and %v", op, a, b)
		return operand{}, operand{}
	}
	if !a.ok || !b.ok {
		return operand{}, operand{}
	}
	return a, b
}

func (c *checker) binary(x *expr, want *Type) operand {
	switch x.op {
	case "==", "!=", "<", "<=", ">", ">=":
		return c.compare(x)
	}
	a, b := c.pair(x.x, x.y, want, "operator "+x.op, x.pos)
	if !a.ok {
		return operand{}
	}
	if a.t != nil && !a.typ.isInt() {
		c.errorf(x.pos, "operator %s needs integers, found %v", x.op, a)
		return operand{}
	}
	if (x.op == "/" || x.op == "%") && b.cv != nil && b.cv.Sign() == 0 {
		c.errorf(x.y.pos, "division by the constant zero")
		return operand{}
	}
	if a.cv != nil && b.cv != nil {
		v := constBinary(x.op, a.cv, b.cv)
		if a.t == nil {
			return c.untyped(v, x.pos)
		}
		return c.typed(v, a.typ, x.pos)
	}
	if (x.op == "/" || x.op == "%") && b.cv == nil {
		zero := c.pool.Const(a.typ.Sort, term.Value{})
		c.mayErr(c.pool.Eq(b.t, zero), "division by zero", x.pos)
	}
	return operand{ok: true, typ: a.typ, t: c.arith(x.op, a.typ.Signed, a.t, b.t)}
}

func constBinary(op string, a, b *big.Int) *big.Int {
	v := new(big.Int)
	switch op {
	case "+":
		return v.Add(a, b)
	case "-":
		return v.Sub(a, b)
	case "*":
		return v.Mul(a, b)
	case "/":
		return v.Quo(a, b)
	case "%":
		return v.Rem(a, b)
	case "&":
		return v.And(a, b)
	case "|":
		return v.Or(a, b)
	case "^":
		return v.Xor(a, b)
	case "&^":
		return v.AndNot(a, b)
	}
	panic("prog: no operator " + op)
}

func (c *checker) arith(op string, signed bool, a, b *term.Term) *term.Term {
	p := c.pool
	switch op {
	case "+":
		return p.Add(a, b)
	case "-":
		return p.Sub(a, b)
	case "*":
		return p.Mul(a, b)
	case "/":
		if signed {
			return p.SDiv(a, b)
		}
		return p.UDiv(a, b)
	case "%":
		if signed {
			return p.SRem(a, b)
		}
		return p.URem(a, b)
	case "&":
		return p.BVAnd(a, b)
	case "|":
		return p.BVOr(a, b)
	case "^":
		return p.BVXor(a, b)
	case "&^":
		return p.BVAnd(a, p.BVNot(b))
	}
	panic("prog: no operator " + op)
}

func (c *checker) compare(x *expr) operand {
	a, b := c.pair(x.x, x.y, nil, "operator "+x.op, x.pos)
	if !a.ok {
		return operand{}
	}
	equality := x.op == "==" || x.op == "!="
	if a.t != nil && !a.typ.isInt() && !equality {
		c.errorf(x.pos, "operator %s needs integers, found %v", x.op, a)
		return operand{}
	}
	p := c.pool
	if a.cv != nil && b.cv != nil {
		n := a.cv.Cmp(b.cv)
		return c.bool(p.Bool(map[string]bool{"==": n == 0, "!=": n != 0, "<": n < 0, "<=": n <= 0, ">": n > 0, ">=": n >= 0}[x.op]))
	}
	l, r := a.t, b.t
	switch x.op {
	case "==":
		return c.bool(p.Eq(l, r))
	case "!=":
		return c.bool(p.Ne(l, r))
	case ">":
		return c.bool(c.less(a.typ.Signed, r, l))
	case ">=":
		return c.bool(c.lessEq(a.typ.Signed, r, l))
	case "<":
		return c.bool(c.less(a.typ.Signed, l, r))
	}
	return c.bool(c.lessEq(a.typ.Signed, l, r))
}

func (c *checker) less(signed bool, a, b *term.Term) *term.Term {
	if signed {
		return c.pool.SLt(a, b)
	}
	return c.pool.ULt(a, b)
}

func (c *checker) lessEq(signed bool, a, b *term.Term) *term.Term {
	if signed {
		return c.pool.SLe(a, b)
	}
	return c.pool.ULe(a, b)
}

// shift follows Go: the count has any integer type; an untyped constant that is
// shifted by a count that is not constant takes the type of its use.
func (c *checker) shift(x *expr, want *Type) operand {
	a := c.expr(x.x, want)
	n := c.expr(x.y, nil)
	if !a.ok || !n.ok {
		return operand{}
	}
	for _, o := range []operand{a, n} {
		if o.t != nil && !o.typ.isInt() {
			c.errorf(x.pos, "operator %s needs integers, found %v", x.op, o)
			return operand{}
		}
	}
	if n.cv != nil && n.cv.Sign() < 0 {
		c.errorf(x.y.pos, "negative shift amount %v", n.cv)
		return operand{}
	}
	if a.cv != nil && n.cv != nil {
		count := uint(maxConstBits + 1)
		if n.cv.IsUint64() && n.cv.Uint64() < uint64(count) {
			count = uint(n.cv.Uint64())
		}
		v := new(big.Int)
		switch {
		case x.op == ">>":
			v.Rsh(a.cv, count)
		case a.cv.Sign() != 0:
			v.Lsh(a.cv, count)
		}
		if a.t == nil {
			return c.untyped(v, x.pos)
		}
		if v.BitLen() > maxConstBits {
			c.errorf(x.pos, "constant shift overflows %v", a.typ)
			return operand{}
		}
		return c.typed(v, a.typ, x.pos)
	}
	if a.t == nil {
		if want == nil || !want.isInt() {
			c.errorf(x.pos, "the constant %v is shifted by a variable and has no type here; write a conversion such as int8(%v)", a.cv, a.cv)
			return operand{}
		}
		if a = c.typed(a.cv, *want, x.x.pos); !a.ok {
			return a
		}
	}
	if n.t == nil {
		// Every count from the width on means the same, and the width fits.
		w := a.typ.Sort.Width
		count := n.cv
		if count.BitLen() > w {
			count = big.NewInt(int64(w))
		}
		return operand{ok: true, typ: a.typ, t: c.shiftTerm(x.op, a.typ.Signed, a.t, c.pool.BigInt(w, count))}
	}
	if n.typ.Signed && n.cv == nil {
		zero := c.pool.Const(n.typ.Sort, term.Value{})
		c.mayErr(c.pool.SLt(n.t, zero), "negative shift amount", x.pos)
	}
	return operand{ok: true, typ: a.typ, t: c.shiftTerm(x.op, a.typ.Signed, a.t, n.t)}
}

// shiftTerm shifts by a count of any width, read without sign.
func (c *checker) shiftTerm(op string, signed bool, a, n *term.Term) *term.Term {
	p := c.pool
	w, nw := a.Sort().Width, n.Sort().Width
	if nw < w {
		n = p.ZeroExt(w-nw, n)
	} else if nw > w {
		// Shift in the count's width, so that no count is cut off.
		if op == ">>" && signed {
			a = p.SignExt(nw-w, a)
		} else {
			a = p.ZeroExt(nw-w, a)
		}
	}
	var t *term.Term
	switch {
	case op == "<<":
		t = p.Shl(a, n)
	case signed:
		t = p.AShr(a, n)
	default:
		t = p.LShr(a, n)
	}
	if nw > w {
		t = p.Extract(w-1, 0, t)
	}
	return t
}
