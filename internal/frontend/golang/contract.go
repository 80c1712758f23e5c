// SPDX-License-Identifier: Apache-2.0

package golang

// This file uses contracts: it lowers calls that are not followed to what their
// clauses (clause.go) and their types allow.

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// replaced reports whether a contract stands in place of the body of a function:
// one that names it does, except in its own package, unless it says so. The body of a function that
// calls C says nothing, either.
func (c *compiler) replaced(fn *ssa.Function) bool {
	if c.isForC(fn) {
		return true
	}
	if isPromotedInterface(fn) {
		return false // the object that it is promoted from may be the component's
	}
	obj, ok := fn.Object().(*types.Func)
	if o := fn.Origin(); o != nil {
		obj, ok = o.Object().(*types.Func)
	}
	if !ok || c.contracts.of[obj] == nil || fn.Parent() != nil {
		return false
	}
	own := c.l.owns(packageOf(fn)) && !c.contracts.of[obj].has(instead)
	return len(fn.Blocks) == 0 || !own && c.chosen(fn) != follow
}

// isPromotedInterface reports whether a function is the method of an embedded interface, as one of the type that embeds it.
func isPromotedInterface(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	if !ok || !isMethodWrapper(fn) || len(fn.Blocks) == 0 || fn.Signature.Recv() == nil {
		return false
	}
	recv := obj.Type().(*types.Signature).Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// rules returns what contracts say of a function or method: the clauses that name
// it, and those of interfaces that its type implements.
func (c *compiler) rules(obj types.Object) []rule {
	fn, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	fn = fn.Origin()
	var all []rule
	own := c.contracts.of[fn]
	if own != nil {
		all = append(all, own.rules...)
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return all
	}
	for _, k := range c.contracts.methods[fn.Name()] {
		if k == own || !types.Identical(withoutReceiver(k.fn), withoutReceiver(fn)) {
			continue
		}
		if i := interfaceOf(k.fn); i != nil && types.Implements(recv.Type(), i) {
			all = append(all, k.rules...)
		}
	}
	return all
}

func withoutReceiver(fn *types.Func) *types.Signature {
	s := fn.Signature()
	return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
}

// environment is a call that is not followed: it returns what its type and its
// contract allow, and may change every object that it is given.
func (f *frame) environment(name string, obj types.Object, sig *types.Signature, args []value, key string, class lower.Class) []value {
	c, p := f.c, f.c.w.Pool
	rules := c.rules(obj)
	names := map[string]value{}
	given := args
	if n := sig.Params().Len(); len(args) == n+1 {
		names[receiverKey] = args[0]
		given = args[1:]
	}
	zero := func() (out []value) {
		for i := range sig.Results().Len() {
			out = append(out, c.zero(sig.Results().At(i).Type()))
		}
		return out
	}
	// bind gives the names of a clause their values.
	bind := func(r rule, out []value) map[string]value {
		all := map[string]value{receiverKey: names[receiverKey]}
		for i, n := range r.params {
			if i < len(given) {
				all[n] = given[i]
			}
		}
		for i, n := range r.results {
			if i < len(out) {
				all[n] = out[i]
			}
		}
		return all
	}
	each := func(do func(k int, r rule, p property)) {
		k := 0
		for _, r := range rules {
			for _, p := range r.properties {
				do(k, r, p)
				k++
			}
		}
	}
	changes, fromArguments := true, false
	kept, read := map[int]bool{}, map[int]bool{}
	made := map[int]bool{}
	described := map[int]bool{} // the contract says something of its fields
	for _, r := range rules {
		c.clauses[r.text] = true
	}
	each(func(k int, r rule, q property) {
		if !f.m.Reachable() {
			return
		}
		switch q.kind {
		case panicsIf:
			if f.refutedCall(obj) {
				return
			}
			message := q.message
			if message == "" {
				message = "call of " + name
			}
			yes, no := f.m.Branch(f.condition(r, q, bind(r, nil), key+"/contract"+strconv.Itoa(k)))
			f.m.Continue(yes)
			f.panics(f.m.Pos(), "panic", message, nil, false)
			f.m.Continue(no)
		case onlyIf:
			f.m.Wait(p.Not(f.condition(r, q, bind(r, nil), key+"/contract"+strconv.Itoa(k))))
		case blocked:
			f.waits(p.True(), token.NoPos)
		case pure:
			changes, fromArguments = false, true
		case passive:
			changes = false
		case stored:
			if class == lower.Answer {
				class = lower.Unmodelled // what it is, the component decided earlier
			}
		case keeps:
			changes = false
			for _, n := range q.names {
				kept[slices.Index(r.params, n)] = true
			}
		case reads:
			for _, n := range q.names {
				read[slices.Index(r.params, n)] = true
			}
		case fresh:
			for _, n := range q.names {
				made[slices.Index(r.results, n)] = true
			}
		case holds:
			for i, n := range r.results {
				described[i] = described[i] || slices.ContainsFunc(q.chain, func(e ast.Expr) bool { return selects(e, n) })
			}
		}
	})
	if !f.m.Reachable() {
		return zero()
	}
	if changes {
		f.givesAway(args, len(args)-len(given), read, key)
	}
	for i, a := range given {
		if kept[i] {
			f.escapeValue(a)
		}
	}
	if sig.Results().Len() > 0 && !f.wanted(sig) {
		var out []value
		for i := range sig.Results().Len() {
			out = append(out, value{typ: sig.Results().At(i).Type(), missing: key + "/result" + strconv.Itoa(i)})
		}
		return out
	}
	if c.answers != nil && class == lower.Answer && !fromArguments {
		c.answers[key] = true
	}
	// What conditions say of arguments that are not followed they say of one value, which is there before the results.
	given = slices.Clone(given)
	each(func(_ int, r rule, q property) {
		for i, n := range r.params {
			if q.kind == holds && i < len(given) && given[i].missing != "" && q.mentions(n) {
				given[i] = value{typ: given[i].typ, t: f.terms(given[i]), clean: given[i].clean}
			}
		}
	})
	var from lower.From
	if fromArguments {
		class = lower.Unmodelled
		for _, a := range args {
			from = append(from, f.terms(a)...)
		}
	}
	var out []value
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		c.exposeLeaves(t, false)
		key := key + "/result" + strconv.Itoa(i)
		switch {
		case made[i]:
			out = append(out, f.made(key, t, class, described[i]))
		case len(from) > 0:
			v := f.computed(key, t, from)
			if more, ok := f.givenValues(args); ok {
				f.givenScalars(key, t, more)
				v.given = append(more, variables(v.t)...)
			}
			out = append(out, v)
		default:
			out = append(out, f.anyValue(key, t, class))
		}
	}
	f.pointerOrError(out)
	var conds []*term.Term
	each(func(k int, r rule, q property) {
		if q.kind == holds {
			conds = append(conds, f.condition(r, q, bind(r, out), key+"/contract"+strconv.Itoa(k)))
		}
	})
	f.assumeSolved(out, conds, key)
	return out
}

// givesAway lets code that is not followed change what its arguments lead to, except for those that
// it only reads. The elements of a variadic argument are looked at one by one if they are known
// (see openArgs). The first receivers of the arguments are no parameters.
func (f *frame) givesAway(args []value, receivers int, read map[int]bool, key string) {
	one := func(v value, t types.Type, key string) {
		if f.c.isCoarse() {
			f.spoilByType(t, key)
		} else {
			f.spoil(v, key)
		}
	}
	for k, a := range args {
		if read[k-receivers] {
			continue
		}
		t := a.typ
		if f.site != nil && len(f.site.Common().Args) == len(args) && types.Identical(f.site.Common().Args[k].Type(), t) {
			t = argumentType(f.site.Common().Args[k])
			if list := givenElements(f.site.Common(), k); list != nil {
				for n, x := range list {
					one(f.val(x), argumentType(x), key+"/element"+strconv.Itoa(n))
				}
				continue
			}
		}
		one(a, t, key)
	}
}

// pointerOrError assumes that a call which returns a pointer, or an interface, and no error returns one that
// is not nil.
func (f *frame) pointerOrError(out []value) {
	c, w, p := f.c, f.c.w, f.c.w.Pool
	n := len(out)
	if n < 2 || !isErrorType(out[n-1].typ) {
		return
	}
	noError := p.Eq(f.ref(out[n-1]), w.Nil())
	for _, r := range out[:n-1] {
		if isPointer(r.typ) || types.IsInterface(r.typ) {
			c.convention(conventionPointer)
			f.m.Assume(p.Or(p.Not(noError), p.Ne(f.ref(r), w.Nil())))
		}
	}
}

// computed is any value, computed from others by code that is not followed.
func (f *frame) computed(key string, t types.Type, from lower.From) value {
	v := value{typ: t}
	for _, l := range f.c.leaves(t) {
		x := f.m.Local(key+"/"+l.path, "any", l.typ)
		if l.ref {
			f.m.AnyRef(x, lower.Unmodelled, lower.Holds{Nil: true, Outside: true, Places: f.anywhere(l.of)})
		} else {
			f.m.Havoc(x, lower.Unmodelled)
		}
		f.m.Computed(x, from)
		if l.nat {
			f.m.Assume(f.c.natural(x.Term))
		}
		v.t = append(v.t, x.Term)
	}
	f.wellFormed(v)
	return v
}

// selects reports whether an expression has a field of what a name stands for.
func selects(e ast.Expr, name string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, isName := s.X.(*ast.Ident)
			found = found || isName && x.Name == name
		}
		return !found
	})
	return found
}

// made is a new object. One of the component's package is a place, whose fields
// hold anything, and so is one of another package of whose fields something is known.
func (f *frame) made(key string, t types.Type, class lower.Class, described bool) value {
	c, w := f.c, f.c.w
	elem := deref(t)
	named, _ := elem.(*types.Named)
	if elem == nil || named == nil || !c.l.owns(named.Obj().Pkg()) && !described {
		v := f.anyValue(key, t, class)
		f.m.Assume(w.Pool.Ne(v.t[0], w.Nil()))
		return v
	}
	if alias := c.alias[key]; alias != "" {
		key = alias
	}
	p := w.Place(key, func() *lower.Place {
		name := typeName(elem)
		if at := f.m.Pos(); at.Line > 0 {
			name = fmt.Sprintf("%s@%d", name, at.Line)
		}
		return &lower.Place{Name: name, Type: elem, Summary: c.vague[key]}
	})
	if key != receiverKey && f.mayBeSecond(p) {
		f.renew(p)
	}
	if !p.Summary {
		for _, l := range c.leaves(elem) {
			if c.keeps(l) {
				f.m.Set(f.m.Cell(p, l.path, l.typ), f.any(key+"/made"+l.path, l, class))
			}
		}
	}
	return value{typ: t, at: &address{ref: w.RefOf(p), elem: elem}}
}

// condition is the condition of a property.
func (f *frame) condition(r rule, q property, names map[string]value, key string) *term.Term {
	s := &scope{f, r, names, key, 0}
	p := f.c.w.Pool
	out := s.scalar(q.chain[len(q.chain)-1], nil)
	for i := len(q.chain) - 2; i >= 0; i-- {
		out = p.Or(p.Not(s.scalar(q.chain[i], nil)), out)
	}
	return out
}

// A scope evaluates conditions of a clause.
type scope struct {
	f     *frame
	r     rule
	names map[string]value
	key   string
	n     int // loads so far
}

// value is the value of an expression that names something.
func (s *scope) value(e ast.Expr) value {
	f := s.f
	t := s.r.info.Types[e].Type
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.value(e.X)
	case *ast.Ident:
		if v, ok := s.names[e.Name]; ok && v.typ != nil {
			return v
		}
	case *ast.SelectorExpr:
		s.n++
		key := s.key + "/load" + strconv.Itoa(s.n)
		if v := s.r.variable(e); v != nil {
			if pkg := f.c.l.prog.Package(v.Pkg()); pkg != nil {
				if g, ok := pkg.Members[v.Name()].(*ssa.Global); ok {
					return f.load(key, f.c.global(f, g).at, v.Type())
				}
			}
			return f.anyValue(key, v.Type(), lower.Answer)
		}
		v := s.value(e.X)
		from := s.r.info.Types[e.X].Type
		for _, k := range s.r.info.Selections[e].Index() {
			if elem := deref(from); elem != nil {
				st := elem.Underlying().(*types.Struct)
				a := *f.address(v)
				a.path, a.elem = a.path+f.c.fieldPath(st, k), st.Field(k).Type()
				from = a.elem
				if _, nested := from.Underlying().(*types.Struct); !nested && !f.c.keeps(leaf{in: fieldAt(st, k)}) {
					// Nobody writes it here, not even who makes the object.
					v = f.anyValue(key+strconv.Itoa(k), from, lower.Unmodelled)
					continue
				}
				v = s.field(key+strconv.Itoa(k), &a, from)
				continue
			}
			st := from.Underlying().(*types.Struct)
			from = st.Field(k).Type()
			v = f.part(key+strconv.Itoa(k), v, fieldOffset(f.c, st, k), from)
		}
		return v
	}
	return f.anyValue(s.key+"/unknown", t, lower.Unmodelled)
}

// field reads a field in place: a copy would hide from the slicer that the
// condition is one of the object.
func (s *scope) field(key string, a *address, t types.Type) value {
	f := s.f
	v := value{typ: t}
	for _, l := range f.c.leaves(t) {
		k := key + "/" + l.path
		if a.element || !f.c.keeps(l) {
			v.t = append(v.t, f.any(k, l, lower.Unmodelled))
			continue
		}
		v.t = append(v.t, f.m.Load(k, a.ref, a.path+l.path, l.typ,
			func(p *lower.Place) *term.Term { return f.shared(p, a.path+l.path, l, k) },
			func(class lower.Class) *term.Term { return f.any(k, l, class) }))
	}
	return v
}

// scalar is the term of an expression of integers and truth values. want is the
// type of an untyped constant.
func (s *scope) scalar(e ast.Expr, want types.Type) *term.Term {
	f, p := s.f, s.f.c.w.Pool
	tv := s.r.info.Types[e]
	if tv.Value != nil {
		if tv.Value.Kind() == constant.Bool {
			return p.Bool(constant.BoolVal(tv.Value))
		}
		t := tv.Type
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 && want != nil {
			t = want
		}
		bits := 64
		if b, ok := t.Underlying().(*types.Basic); ok {
			bits = width(b)
		}
		if x, exact := constant.Int64Val(tv.Value); exact {
			return p.Int(bits, x)
		}
		x, _ := constant.Uint64Val(tv.Value)
		return p.Int(bits, int64(x))
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.scalar(e.X, want)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return p.Not(s.scalar(e.X, nil))
		}
		return p.Neg(s.scalar(e.X, want))
	case *ast.BinaryExpr:
		return s.binary(e)
	case *ast.CallExpr:
		v := s.value(e.Args[0])
		ts := f.terms(v)
		switch u := v.typ.Underlying().(type) {
		case *types.Slice:
			if e.Fun.(*ast.Ident).Name == "cap" {
				return ts[2]
			}
			return ts[1]
		case *types.Map:
			s.n++
			return f.mapLen(s.key+"/len"+strconv.Itoa(s.n), ts[0])
		case *types.Basic:
			if u.Info()&types.IsString != 0 {
				return ts[0]
			}
		}
	default:
		if ts := f.terms(s.value(e)); len(ts) > 0 {
			return ts[0]
		}
	}
	if b, ok := tv.Type.Underlying().(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
		return f.any(s.key+"/unknown", leaf{typ: boolType}, lower.Unmodelled)
	}
	return f.any(s.key+"/unknown", f.c.leaves(tv.Type)[0], lower.Unmodelled)
}

func (s *scope) binary(e *ast.BinaryExpr) *term.Term {
	f, p := s.f, s.f.c.w.Pool
	info := s.r.info
	switch e.Op {
	case token.LAND:
		return p.And(s.scalar(e.X, nil), s.scalar(e.Y, nil))
	case token.LOR:
		return p.Or(s.scalar(e.X, nil), s.scalar(e.Y, nil))
	}
	if e.Op == token.EQL || e.Op == token.NEQ {
		var eq *term.Term
		switch {
		case info.Types[e.X].IsNil():
			eq = p.Eq(f.ref(s.value(e.Y)), f.c.w.Nil())
		case info.Types[e.Y].IsNil():
			eq = p.Eq(f.ref(s.value(e.X)), f.c.w.Nil())
		case isReference(info.Types[e.X].Type):
			a, b := f.ref(s.value(e.X)), f.ref(s.value(e.Y))
			eq = p.Eq(a, b)
			if w := f.c.w; vagueRef(w, a) && vagueRef(w, b) {
				// Two references to outside may be to different objects.
				s.n++
				eq = p.And(eq, p.Or(p.Ne(a, w.Outside()), f.any(s.key+"/same"+strconv.Itoa(s.n), leaf{typ: boolType}, lower.Unmodelled)))
			}
		}
		if eq != nil {
			if e.Op == token.NEQ {
				return p.Not(eq)
			}
			return eq
		}
	}
	typ := info.Types[e.X].Type
	if info.Types[e.X].Value != nil {
		typ = info.Types[e.Y].Type
	}
	a, b := s.scalar(e.X, typ), s.scalar(e.Y, typ)
	unsigned := isUnsigned(typ)
	switch e.Op {
	case token.EQL:
		return p.Eq(a, b)
	case token.NEQ:
		return p.Ne(a, b)
	case token.LSS:
		return less(p, a, b, unsigned)
	case token.LEQ:
		return p.Not(less(p, b, a, unsigned))
	case token.GTR:
		return less(p, b, a, unsigned)
	case token.GEQ:
		return p.Not(less(p, a, b, unsigned))
	case token.ADD:
		return p.Add(a, b)
	case token.SUB:
		return p.Sub(a, b)
	case token.MUL:
		return p.Mul(a, b)
	case token.QUO:
		if unsigned {
			return p.UDiv(a, b)
		}
		return p.SDiv(a, b)
	}
	if unsigned {
		return p.URem(a, b)
	}
	return p.SRem(a, b)
}

func constantText(k *ssa.Const) string {
	if k.Value != nil && k.Value.Kind() == constant.String {
		return constant.StringVal(k.Value)
	}
	return anyText
}
