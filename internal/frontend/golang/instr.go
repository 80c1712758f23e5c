// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers single instructions. Every instruction of go/ssa has a case;
// what is not modelled gives any value and is recorded.

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

func (f *frame) key(v ssa.Value) string { return f.path + "/" + v.Name() }

func (f *frame) instruction(instr ssa.Instruction) {
	switch i := instr.(type) {
	case *ssa.Jump:
		f.jump(i.Block(), i.Block().Succs[0])
	case *ssa.If:
		if to := f.c.constantWay(i.Block()); to != nil {
			f.jump(i.Block(), to)
			return
		}
		cond := f.bool(i.Cond)
		if f.c.isLeaving(i.Block()) {
			f.m.Leaving()
		}
		yes, no := f.m.Branch(cond)
		f.m.Continue(yes)
		f.jump(i.Block(), i.Block().Succs[0])
		f.m.Continue(no)
		f.jump(i.Block(), i.Block().Succs[1])
	case *ssa.Return:
		f.lateDefers()
		var vs []value
		for k, r := range i.Results {
			if f.c.rel != nil && f.up != nil && !f.c.rel.hasResult(f.fn, k) {
				vs = append(vs, value{typ: f.fn.Signature.Results().At(k).Type(), missing: f.path + "/result" + strconv.Itoa(k), solid: f.c.alwaysSolid(r, map[ssa.Value]bool{})})
				continue
			}
			vs = append(vs, f.val(r))
		}
		f.returns = append(f.returns, returning{f.m.Here(), vs})
		f.m.Stop()
	case *ssa.Panic:
		if !i.Pos().IsValid() && !f.c.overcalled(i) {
			// go/ssa's own check that an iterator function kept its protocol.
			f.c.convention(conventionIterators)
			f.m.Stop()
			return
		}
		f.panicInstr(i)
	case *ssa.Store:
		a := f.address(f.val(i.Addr))
		f.nilCheck(a, i.Pos())
		if f.m.Reachable() {
			f.store(a, f.val(i.Val))
		}
	case *ssa.MapUpdate:
		f.mapUpdate(i)
	case *ssa.Send:
		f.send(f.ref(f.val(i.Chan)), i.Pos())
		f.containValue(f.val(i.X), i.Chan.Type())
	case *ssa.Go:
		f.goroutine(i)
	case *ssa.Defer:
		f.deferCall(i)
	case *ssa.RunDefers:
		f.runDefers()
	case *ssa.DebugRef:
	case ssa.Value:
		v := f.evaluate(i)
		f.vals[i] = v
	default:
		f.c.w.Approximate(f.m.Pos(), "instruction %T", instr)
	}
}

// bool returns the term of a condition.
func (f *frame) bool(v ssa.Value) *term.Term {
	t := f.terms(f.val(v))
	if len(t) != 1 || t[0].Sort() != term.BoolSort {
		return f.any(f.path+"/cond/"+v.Name(), leaf{typ: boolType}, lower.Unmodelled)
	}
	return t[0]
}

func (f *frame) evaluate(i ssa.Value) value {
	c, w, m := f.c, f.c.w, f.m
	pool := w.Pool
	switch i := i.(type) {
	case *ssa.Alloc:
		return f.alloc(i)
	case *ssa.FieldAddr:
		base := f.address(f.val(i.X))
		f.nilCheck(base, i.Pos())
		st := deref(i.X.Type()).Underlying().(*types.Struct)
		at := &address{ref: base.ref, path: base.path + f.c.fieldPath(st, i.Field), elem: st.Field(i.Field).Type(), element: base.element, in: base.in, from: base.from, answer: f.answerField(i)}
		return f.partOf(value{typ: i.Type(), at: at}, f.key(i))
	case *ssa.Field:
		x := f.val(i.X)
		st := i.X.Type().Underlying().(*types.Struct)
		return f.passed(f.part(f.key(i), x, fieldOffset(c, st, i.Field), i.Type()), []ssa.Value{i.X})
	case *ssa.IndexAddr:
		f.bounds(i.X, i.Index, i.Pos())
		return value{typ: i.Type(), at: &address{ref: w.Outside(), elem: deref(i.Type()), element: true, in: i.X.Type(), from: f.contents(f.key(i), i.X, i, deref(i.Type()))}}
	case *ssa.Index:
		f.bounds(i.X, i.Index, i.Pos())
		v := f.computed(f.key(i), i.Type(), f.contents(f.key(i), i.X, i, i.Type()))
		f.allOfArguments(f.key(i), i.Type(), []ssa.Value{i.X}, f.int64(i.Index))
		return v
	case *ssa.UnOp:
		return f.unary(i)
	case *ssa.BinOp:
		return f.binary(i)
	case *ssa.Phi:
		return f.vals[i]
	case *ssa.Call:
		return f.callInstr(i)
	case *ssa.Extract:
		t := f.val(i.Tuple)
		offset := 0
		tuple := i.Tuple.Type().(*types.Tuple)
		for k := range i.Index {
			offset += len(c.leaves(tuple.At(k).Type()))
		}
		return f.passed(f.part(f.key(i), t, offset, i.Type()), []ssa.Value{i.Tuple})
	case *ssa.ChangeType:
		v := f.val(i.X)
		v.typ = i.Type()
		return v
	case *ssa.ChangeInterface:
		v := f.val(i.X)
		v.typ = i.Type()
		return v
	case *ssa.MakeInterface:
		return f.makeInterface(i)
	case *ssa.TypeAssert:
		return f.typeAssert(i)
	case *ssa.Convert:
		v := f.convert(i)
		f.giveNumber(i)
		return v
	case *ssa.MultiConvert:
		return f.convert(i)
	case *ssa.SliceToArrayPointer:
		s := f.terms(f.val(i.X))
		n := deref(i.Type()).Underlying().(*types.Array).Len()
		f.check(pool.SLt(s[1], pool.Int(64, n)), "slice", "slice to array: length too small", i.Pos())
		return value{typ: i.Type(), at: &address{ref: w.Outside(), elem: deref(i.Type()), element: true}}
	case *ssa.MakeClosure:
		return f.makeClosure(i)
	case *ssa.MakeMap:
		p := f.object(i, "map", i.Type())
		if !p.Summary {
			m.Set(m.Cell(p, lenPath, intType), pool.Int(64, 0))
		}
		return value{typ: i.Type(), t: []*term.Term{w.RefOf(p)}}
	case *ssa.MakeChan:
		p := f.object(i, "chan", i.Type())
		if k := constantOf(i.Size); k == nil || constant.Sign(k) != 0 {
			f.c.buffered[p.Key] = true
		}
		f.makeChan(p, i.Size)
		if f.c.channelsMade == nil {
			f.c.channelsMade = map[string]*ssa.MakeChan{}
		}
		f.c.channelsMade[p.Key] = i
		return value{typ: i.Type(), t: []*term.Term{w.RefOf(p)}}
	case *ssa.MakeSlice:
		n, k := f.int64(i.Len), f.int64(i.Cap)
		f.check(pool.Or(pool.SLt(n, pool.Int(64, 0)), pool.SLt(k, n)), "makeslice", "makeslice: len out of range", i.Pos())
		m.Assume(c.natural(k))
		return value{typ: i.Type(), t: []*term.Term{w.Outside(), n, k}}
	case *ssa.Slice:
		return f.slice(i)
	case *ssa.Lookup:
		return f.lookup(i)
	case *ssa.Range:
		return value{typ: i.Type()}
	case *ssa.Next:
		t := i.Type().(*types.Tuple)
		v := f.anyValue(f.key(i), t, lower.Unmodelled)
		if r, ok := i.Iter.(*ssa.Range); ok && i.IsString {
			f.allOfArguments(f.key(i), t, []ssa.Value{r.X})
		}
		return v
	case *ssa.Select:
		return f.selects(i)
	}
	w.Approximate(m.Pos(), "instruction %T", i)
	return f.anyValue(f.key(i), i.Type(), lower.Unmodelled)
}

// part takes a component of a struct or tuple; key is the name of what it becomes.
func (f *frame) part(key string, v value, offset int, t types.Type) value {
	n := len(f.c.leaves(t))
	ts := f.terms(v)
	if len(ts) < offset+n {
		return f.c.zero(t)
	}
	if slices.Contains(ts[offset:offset+n], nil) {
		return value{typ: t, missing: key + "/part"}
	}
	return value{typ: t, t: ts[offset : offset+n : offset+n]}
}

func fieldOffset(c *compiler, st *types.Struct, field int) int {
	n := 0
	for k := range field {
		n += len(c.leaves(st.Field(k).Type()))
	}
	return n
}

// alloc makes an object.
func (f *frame) alloc(i *ssa.Alloc) value {
	elem := deref(i.Type())
	p := f.object(i, i.Comment, elem)
	f.c.variables[p.Key] = i
	if p.Summary {
		return value{typ: i.Type(), at: &address{ref: f.c.w.RefOf(p), elem: elem}}
	}
	if _, ok := p.Data.(built); ok {
		f.m.Mark(p.Key, "environment's")
	}
	var vars []*prog.Var
	var exprs []*term.Term
	for _, l := range f.c.leaves(elem) {
		if f.c.keeps(l) {
			vars = append(vars, f.m.Cell(p, l.path, l.typ))
			exprs = append(exprs, f.c.w.Zero(l.typ))
		}
	}
	f.m.Assign(vars, exprs)
	return value{typ: i.Type(), at: &address{ref: f.c.w.RefOf(p), elem: elem}, t: nil}
}

// object returns the place of an allocation and renews it if it is there
// already.
func (f *frame) object(i ssa.Value, what string, elem types.Type) *lower.Place {
	w := f.c.w
	key := f.key(i)
	data := f.mayBeError(i, elem)
	if data == nil {
		key = f.sharedKey(i)
	}
	if alias := f.c.alias[key]; alias != "" {
		key = alias
	}
	p := w.Place(key, func() *lower.Place {
		if key == receiverKey {
			return &lower.Place{Name: f.c.receiver, Type: elem}
		}
		name := typeName(elem)
		if what != "" && token.IsIdentifier(what) && what != "complit" && what != "new" {
			name = what
		}
		at := f.pos(i.Pos())
		if at.Line > 0 {
			name = fmt.Sprintf("%s@%d", name, at.Line)
		}
		return &lower.Place{Name: name, Type: elem, Summary: f.c.vague[key], Data: data}
	})
	if _, ok := p.Data.(built); f.c.isCoarse() && !ok && !f.c.follows(p) && leaks(i, 0) {
		p.Summary = true // whoever has it may change it at any time
	}
	if key != receiverKey && f.mayBeSecond(p) {
		f.renew(p)
	}
	return p
}

// mayBeSecond reports whether there may be an object already that was made at a place: by an earlier call, if the
// place is kept from call to call, or by the same one.
func (f *frame) mayBeSecond(p *lower.Place) bool {
	return !p.Summary && (p.IsState() && !f.c.once || f.again || f.at != nil && f.looping[f.at])
}

func typeName(t types.Type) string {
	return types.TypeString(t, func(*types.Package) string { return "" })
}

// nilCheck errs if an address is that of nil.
func (f *frame) nilCheck(a *address, at token.Pos) {
	if a.element || a.path != "" || !f.m.Reachable() {
		return
	}
	f.refCheck(a.ref, at)
}

// refCheck is the check that a reference is not nil.
func (f *frame) refCheck(ref *term.Term, at token.Pos) {
	if w := f.c.w; w.Holds(ref).Nil {
		f.check(w.Pool.Eq(ref, w.Nil()), "nil", "invalid memory address or nil pointer dereference", at)
	}
}

// check is an implicit check of the run time: it panics where the condition holds.
func (f *frame) check(cond *term.Term, kind, message string, at token.Pos) {
	if !f.m.Reachable() || cond.IsFalse() {
		return
	}
	if f.excluded() {
		// Runs that err here are not followed.
		if f.c.certain[f.instr] && !f.c.blamed[f.instr] {
			f.m.Assume(f.c.w.Pool.Not(cond))
		} else {
			f.m.Ignore(f.c.w.Pool.Not(cond))
		}
		return
	}
	yes, no := f.m.Branch(cond)
	f.m.Continue(yes)
	f.panics(f.pos(at), "runtime", "runtime error: "+message, f.runtimeError(kind, message), true)
	f.m.Continue(no)
}

func (f *frame) int64(v ssa.Value) *term.Term {
	t := f.terms(f.val(v))
	if len(t) != 1 || t[0].Sort().Kind != term.BitVecKind {
		return f.any(f.path+"/int/"+v.Name(), leaf{typ: intType}, lower.Unmodelled)
	}
	return f.resize(t[0], v.Type(), 64)
}

// resize converts an integer of a type to a width.
func (f *frame) resize(t *term.Term, from types.Type, width int) *term.Term {
	p := f.c.w.Pool
	w := t.Sort().Width
	switch {
	case w == width:
		return t
	case w > width:
		return p.Extract(width-1, 0, t)
	case isUnsigned(from):
		return p.ZeroExt(width-w, t)
	}
	return p.SignExt(width-w, t)
}

func isUnsigned(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}

// bounds checks an index.
func (f *frame) bounds(x, index ssa.Value, at token.Pos) {
	if f.c.rel != nil && (f.excluded() || !f.c.rel.isNeeded(x) || !f.c.rel.isNeeded(index)) {
		return
	}
	p := f.c.w.Pool
	i := f.int64(index)
	var n *term.Term
	t := x.Type().Underlying()
	if ptr, ok := t.(*types.Pointer); ok {
		f.nilCheck(f.address(f.val(x)), at)
		t = ptr.Elem().Underlying()
	}
	switch u := t.(type) {
	case *types.Array:
		n = p.Int(64, u.Len())
	case *types.Slice:
		n = f.terms(f.val(x))[1]
	case *types.Basic:
		n = f.terms(f.val(x))[0]
	default:
		return
	}
	if isUnsigned(index.Type()) {
		f.check(p.Not(p.ULt(i, n)), "index", "index out of range", at)
		return
	}
	f.check(p.Or(p.SLt(i, p.Int(64, 0)), p.SLe(n, i)), "index", "index out of range", at)
}

func (f *frame) slice(i *ssa.Slice) value {
	p, w := f.c.w.Pool, f.c.w
	zero := p.Int(64, 0)
	var ref, n, k *term.Term
	t := i.X.Type().Underlying()
	str := false
	if ptr, ok := t.(*types.Pointer); ok {
		f.nilCheck(f.address(f.val(i.X)), i.Pos())
		n = p.Int(64, ptr.Elem().Underlying().(*types.Array).Len())
		ref, k = w.Outside(), n
	} else if b, ok := t.(*types.Basic); ok && b.Info()&types.IsString != 0 {
		str = true
		n = f.terms(f.val(i.X))[0]
		k = n
	} else {
		x := f.terms(f.val(i.X))
		if len(x) != 3 {
			return f.anyValue(f.key(i), i.Type(), lower.Unmodelled)
		}
		ref, n, k = x[0], x[1], x[2]
	}
	lo, hi, most := zero, n, k
	if i.Low != nil {
		lo = f.int64(i.Low)
	}
	if i.High != nil {
		hi = f.int64(i.High)
	}
	if i.Max != nil {
		most = f.int64(i.Max)
	}
	var wrong []*term.Term
	if i.Low != nil {
		wrong = append(wrong, p.SLt(lo, zero), p.SLt(hi, lo))
	}
	if i.High != nil {
		wrong = append(wrong, p.SLt(hi, zero), p.SLt(most, hi))
	}
	if i.Max != nil {
		wrong = append(wrong, p.SLt(k, most), p.SLt(most, zero))
	}
	f.check(p.Or(wrong...), "slice", "slice bounds out of range", i.Pos())
	if str {
		return f.passed(f.text(f.key(i), i.Type(), p.Sub(hi, lo)), []ssa.Value{i.X}, lo, hi)
	}
	return value{typ: i.Type(), t: []*term.Term{ref, p.Sub(hi, lo), p.Sub(most, lo)}}
}

func (f *frame) unary(i *ssa.UnOp) value {
	p := f.c.w.Pool
	x := f.val(i.X)
	switch i.Op {
	case token.MUL:
		a := f.address(x)
		f.nilCheck(a, i.Pos())
		if !f.m.Reachable() {
			return f.c.zero(i.Type())
		}
		if !f.c.isFollowed(i) {
			v := f.anyValue(f.key(i)+"/any", i.Type(), lower.Unmodelled)
			for k, l := range f.c.leaves(i.Type()) {
				f.answersWith(f.key(i)+"/any/"+l.path, l, a, v.t[k])
			}
			return f.configured(i, v)
		}
		return f.configured(i, f.load(f.key(i), a, i.Type()))
	case token.ARROW:
		return f.receive(i, f.ref(x), i.CommaOk, i.Type())
	case token.NOT:
		return value{typ: i.Type(), t: []*term.Term{p.Not(f.bool(i.X))}}
	}
	t := f.terms(x)
	if len(t) != 1 || t[0].Sort().Kind != term.BitVecKind {
		return f.anyValue(f.key(i), i.Type(), lower.Unmodelled)
	}
	switch i.Op {
	case token.SUB:
		return value{typ: i.Type(), t: []*term.Term{p.Neg(t[0])}}
	case token.XOR:
		return value{typ: i.Type(), t: []*term.Term{p.BVNot(t[0])}}
	}
	return f.anyValue(f.key(i), i.Type(), lower.Unmodelled)
}

func (f *frame) binary(i *ssa.BinOp) value {
	p := f.c.w.Pool
	x, y := f.val(i.X), f.val(i.Y)
	one := func(t *term.Term) value { return value{typ: i.Type(), t: []*term.Term{t}} }
	switch i.Op {
	case token.EQL:
		return one(f.equal(i, x, y))
	case token.NEQ:
		return one(p.Not(f.equal(i, x, y)))
	}
	a, b := f.terms(x), f.terms(y)
	basic, _ := i.X.Type().Underlying().(*types.Basic)
	if basic != nil && basic.Info()&types.IsString != 0 && len(a) > 0 && len(b) > 0 {
		if i.Op == token.ADD {
			s := p.Add(a[0], b[0])
			f.m.Assume(f.c.natural(s))
			return f.text(f.key(i), i.Type(), s)
		}
		return f.anyValue(f.key(i), i.Type(), lower.Unmodelled)
	}
	if len(a) != 1 || len(b) != 1 || basic == nil || basic.Info()&types.IsInteger == 0 || a[0].Sort().Kind != term.BitVecKind {
		return f.anyValue(f.key(i), i.Type(), lower.Unmodelled)
	}
	s, t := a[0], b[0]
	unsigned := isUnsigned(i.X.Type())
	w := s.Sort().Width
	switch i.Op {
	case token.SHL, token.SHR:
		// The count has a type of its own; beyond the width everything is
		// shifted out.
		if !isUnsigned(i.Y.Type()) {
			f.check(p.SLt(t, p.Int(t.Sort().Width, 0)), "shift", "negative shift amount", i.Pos())
		}
		big := p.False()
		if cw := t.Sort().Width; cw > w {
			big = p.ULe(p.Int(cw, int64(w)), t)
			t = p.Extract(w-1, 0, t)
		} else if cw < w {
			t = p.ZeroExt(w-cw, t)
		}
		switch {
		case i.Op == token.SHL:
			return one(p.Ite(big, p.Int(w, 0), p.Shl(s, t)))
		case unsigned:
			return one(p.Ite(big, p.Int(w, 0), p.LShr(s, t)))
		}
		return one(p.Ite(big, p.AShr(s, p.Int(w, int64(w-1))), p.AShr(s, t)))
	}
	if t.Sort() != s.Sort() {
		return f.anyValue(f.key(i), i.Type(), lower.Unmodelled)
	}
	if f.c.tooHard(i.Op, s, t) {
		return one(f.product(i, s, t, unsigned))
	}
	switch i.Op {
	case token.ADD:
		return one(f.sum(i, s, t, unsigned))
	case token.SUB:
		return one(p.Sub(s, t))
	case token.MUL:
		return one(p.Mul(s, t))
	case token.QUO, token.REM:
		f.check(p.Eq(t, p.Int(w, 0)), "divide", "integer divide by zero", i.Pos())
		switch {
		case i.Op == token.QUO && unsigned:
			return one(p.UDiv(s, t))
		case i.Op == token.QUO:
			return one(p.SDiv(s, t))
		case unsigned:
			return one(p.URem(s, t))
		}
		return one(p.SRem(s, t))
	case token.AND:
		return one(p.BVAnd(s, t))
	case token.OR:
		return one(p.BVOr(s, t))
	case token.XOR:
		return one(p.BVXor(s, t))
	case token.AND_NOT:
		return one(p.BVAnd(s, p.BVNot(t)))
	case token.LSS:
		return one(less(p, s, t, unsigned))
	case token.LEQ:
		return one(p.Not(less(p, t, s, unsigned)))
	case token.GTR:
		return one(less(p, t, s, unsigned))
	case token.GEQ:
		return one(p.Not(less(p, s, t, unsigned)))
	}
	return f.anyValue(f.key(i), i.Type(), lower.Unmodelled)
}

func less(p *term.Pool, a, b *term.Term, unsigned bool) *term.Term {
	if unsigned {
		return p.ULt(a, b)
	}
	return p.SLt(a, b)
}

// counts reports whether a sum is of a field and something, and becomes the field.
func counts(i *ssa.BinOp) bool {
	same := func(x, y ssa.Value) bool {
		a, ok := x.(*ssa.FieldAddr)
		b, also := y.(*ssa.FieldAddr)
		return x == y || ok && also && a.X == b.X && a.Field == b.Field
	}
	for _, x := range []ssa.Value{i.X, i.Y} {
		load, ok := x.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			continue
		}
		if _, field := load.X.(*ssa.FieldAddr); field && slices.ContainsFunc(*i.Referrers(), func(r ssa.Instruction) bool {
			store, ok := r.(*ssa.Store)
			return ok && same(store.Addr, load.X)
		}) {
			return true
		}
	}
	return false
}

// sum adds. Under the convention no-wrap a 64-bit signed sum of two values that
// are not constants does not overflow: the operands are lengths and positions. A number
// that the client gives is neither: it may be the largest there is, and code that checks
// sums of it errs then, so such sums are as they are. That is fewer assumptions and no
// other ones. It does not count where a number is added to a counter of the object, which
// stays a count of what clients gave.
func (f *frame) sum(i *ssa.BinOp, s, t *term.Term, unsigned bool) *term.Term {
	p := f.c.w.Pool
	r := p.Add(s, t)
	if unsigned || s.Sort().Width < 64 || s.IsConst() || t.IsConst() || f.c.o.Wrap {
		return r
	}
	if !counts(i) && slices.ContainsFunc(f.m.M.Params, func(v *prog.Var) bool { return v.Term == s || v.Term == t }) {
		return r
	}
	f.c.convention(conventionNoWrap)
	zero := p.Int(64, 0)
	f.m.Assume(p.Iff(p.SLe(zero, t), p.SLe(s, r)))
	return r
}

// equal compares two values.
func (f *frame) equal(i *ssa.BinOp, x, y value) *term.Term {
	p := f.c.w.Pool
	xi, yi := types.IsInterface(x.typ), types.IsInterface(y.typ)
	if xi != yi {
		return f.any(f.key(i)+"/eq", leaf{typ: boolType}, lower.Unmodelled)
	}
	leaves := f.c.leaves(x.typ)
	a, b := f.terms(x), f.terms(y)
	if xi && len(a) == 1 && len(b) == 1 {
		f.c.compares(a[0])
		f.c.compares(b[0])
		f.check(f.incomparable(a[0], b[0]), "compare", incomparableText, i.Pos())
	}
	if isNilConst(i.X) || isNilConst(i.Y) {
		if len(a) > 0 && len(b) > 0 {
			return p.Eq(a[0], b[0])
		}
	}
	if len(leaves) == 0 || len(a) != len(b) {
		return f.any(f.key(i)+"/eq", leaf{typ: boolType}, lower.Unmodelled)
	}
	var parts, others []*term.Term
	vague := hasOpaque(x.typ)
	guesses := p.False() // where it is a guess that references are equal
	for k, l := range leaves {
		if a[k].Sort() != b[k].Sort() {
			return f.any(f.key(i)+"/eq", leaf{typ: boolType}, lower.Unmodelled)
		}
		if l.ref {
			same, guess := f.sameRef(l.of, a[k], b[k])
			parts = append(parts, same)
			guesses = p.Or(guesses, guess)
			continue
		}
		parts = append(parts, p.Eq(a[k], b[k]))
		if l.path == lenPath || len(l.path) > len(lenPath) && l.path[len(l.path)-len(lenPath):] == lenPath {
			zero := p.Int(64, 0)
			switch {
			case a[k] == zero || b[k] == zero:
			case k+1 < len(leaves) && isTextPath(leaves[k+1].path):
				// Two that are no constants may be different.
				if other := f.c.textAt(0); a[k+1] == b[k+1] || !a[k+1].IsConst() || !b[k+1].IsConst() {
					others = append(others, p.And(p.Eq(a[k+1], other), p.Eq(b[k+1], other), p.Ne(a[k], zero)))
				}
			default:
				vague = true
			}
		}
	}
	all := p.And(parts...)
	unsure := p.Or(p.Or(others...), guesses)
	if !vague && unsure.IsFalse() || all.IsFalse() {
		return all
	}
	if k1, k2 := constantOf(i.X), constantOf(i.Y); k1 != nil && k2 != nil {
		return p.Bool(constant.Compare(k1, token.EQL, k2))
	}
	guess := f.any(f.key(i)+"/eq", leaf{typ: boolType}, lower.Unmodelled)
	if !guesses.IsFalse() {
		// Whoever gave the references decided it.
		f.m.Computed(f.m.Local(f.key(i)+"/eq", "any", boolType), append(append(lower.From{}, a...), b...))
	}
	f.ofArguments(f.key(i)+"/eq", leaf{typ: boolType}, []ssa.Value{i.X, i.Y})
	// Where what is known differs they are different.
	if !vague {
		return p.And(all, p.Or(p.Not(unsure), guess))
	}
	return p.And(all, guess)
}

// incomparableText and unhashableText are what the run time says of values that cannot be compared.
const (
	incomparableText = "comparing uncomparable type"
	unhashableText   = "hash of unhashable type"
)

func vagueRef(w *lower.World, t *term.Term) bool {
	h := w.Holds(t)
	return h.Outside || anySummary(h)
}

func isNilConst(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.Value == nil && k.IsNil()
}

func constantOf(v ssa.Value) constant.Value {
	if k, ok := v.(*ssa.Const); ok {
		return k.Value
	}
	return nil
}

// hasOpaque reports whether a type has parts without scalars.
func hasOpaque(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Array:
		return true
	case *types.Struct:
		for i := range u.NumFields() {
			if hasOpaque(u.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

func (f *frame) convert(i ssa.Value) value {
	var x ssa.Value
	switch i := i.(type) {
	case *ssa.Convert:
		x = i.X
	case *ssa.MultiConvert:
		x = i.X
	}
	v := f.val(x)
	from, to := f.c.leaves(x.Type()), f.c.leaves(i.Type())
	t := f.terms(v)
	switch {
	case len(to) == 1 && len(from) == 1 && to[0].typ.Sort.Kind == term.BitVecKind && from[0].typ.Sort.Kind == term.BitVecKind && to[0].path == from[0].path:
		return value{typ: i.Type(), t: []*term.Term{f.resize(t[0], x.Type(), to[0].typ.Sort.Width)}}
	case len(to) == 1 && len(from) == 1 && to[0].ref && from[0].ref:
		// unsafe.Pointer keeps what it points to.
		v.typ = i.Type()
		if v.at != nil && deref(i.Type()) != nil {
			a := *v.at
			if a.path == "" {
				a.elem = deref(i.Type()) // the object may be of another type
			}
			v.at = &a
		}
		return v
	case len(from) == 1 && from[0].ref && len(t) == 1:
		f.c.escape(t[0])
		f.give(t[0], from[0].of) // a number that may become a pointer again
		if n, ok := f.number(t[0], to); ok {
			return value{typ: i.Type(), t: []*term.Term{n}}
		}
	case len(from) == 3 && isText(i.Type()): // string([]byte)
		if isByte(x.Type()) {
			return f.text(f.key(i), i.Type(), t[1])
		}
	case isText(x.Type()) && len(to) == 3: // []byte(string)
		if isByte(i.Type()) {
			k := f.any(f.key(i)+"/cap", leaf{typ: intType, nat: true}, lower.Unmodelled)
			f.m.Assume(f.c.w.Pool.SLe(t[0], k))
			return value{typ: i.Type(), t: []*term.Term{f.c.w.Outside(), t[0], k}}
		}
	}
	return f.anyValue(f.key(i), i.Type(), lower.Unmodelled)
}

func isByte(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}
