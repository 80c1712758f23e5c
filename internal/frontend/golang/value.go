// SPDX-License-Identifier: Apache-2.0

package golang

// This file has the values of the compiler: a Go value as the terms of its
// scalars, or something that is known better than that.

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A value is the value of an SSA register.
type value struct {
	typ types.Type
	t   []*term.Term // one for each leaf of typ
	// at is set for a pointer that is known as an address; t is then computed
	// when it is needed.
	at *address
	// fn is set for a function that is known, with what it has bound.
	fn    *ssa.Function
	binds []value
	made  string // where it was made, if it has bound something
	// missing is set for a value that was taken to be not relevant: the name of
	// the any value that it is if it is needed all the same.
	missing string
	clean   bool // it is no error under study
	solid   bool // it is not nil
	length  int  // of a slice, and one more; 0: it is not known
	// given is set if the value is a function of arguments of the call and of these
	// terms; see given.go.
	given lower.From
	// settled: it is the same in all calls of the life of the object; fixed: what it leads to
	// by fixed fields and maps is.
	settled, fixed bool
}

// An address is a scalar or struct inside an object.
type address struct {
	ref  *term.Term
	path string
	elem types.Type
	// element is set for an element of an array or slice: what is there is not
	// followed.
	element bool
	from    lower.From // of an element: what it is computed from; see content.go
	answer  lower.From // of a field of an object that the environment returned; see content_object.go
	in      types.Type // of the array or slice
}

// zero is the zero value of a type.
func (c *compiler) zero(t types.Type) value {
	v := value{typ: t}
	for _, l := range c.leaves(t) {
		v.t = append(v.t, c.w.Zero(l.typ))
	}
	return v
}

// constant returns the value of a constant.
func (c *compiler) constant(k *ssa.Const) value {
	v := c.zero(k.Type())
	v.given = lower.From{}
	if k.Value == nil || len(v.t) == 0 {
		return v
	}
	switch k.Value.Kind() {
	case constant.Bool:
		v.t[0] = c.w.Pool.Bool(constant.BoolVal(k.Value))
	case constant.String:
		v.t[0] = c.w.Pool.Int(64, int64(len(constant.StringVal(k.Value))))
		if len(v.t) == 2 {
			v.t[1] = c.textOf(constant.StringVal(k.Value))
		}
	case constant.Int, constant.Float:
		s := v.t[0].Sort()
		if s.Kind != term.BitVecKind {
			return v
		}
		i := constant.ToInt(k.Value)
		if x, ok := constant.Int64Val(i); ok {
			v.t[0] = c.w.Pool.Int(s.Width, x)
		} else if x, ok := constant.Uint64Val(i); ok {
			v.t[0] = c.w.Pool.Int(s.Width, int64(x))
		}
	}
	return v
}

// terms returns the scalars of a value.
func (f *frame) terms(v value) []*term.Term {
	if v.t != nil || len(f.c.leaves(v.typ)) == 0 {
		return v.t
	}
	switch {
	case v.missing != "":
		clean := f.clean
		f.clean = v.clean
		t := f.anyValue(v.missing+"/missing", v.typ, lower.Unmodelled).t
		f.clean = clean
		if v.solid && f.c.leaves(v.typ)[0].ref {
			f.m.Assume(f.c.w.Pool.Ne(t[0], f.c.w.Nil()))
		}
		if v.length > 0 && len(t) == 3 {
			f.m.Assume(f.c.w.Pool.Eq(t[1], f.c.w.Pool.Const(t[1].Sort(), term.Value{Lo: uint64(v.length - 1)})))
		}
		return t
	case v.at != nil:
		return []*term.Term{f.pointer(v.at)}
	case v.fn != nil:
		return []*term.Term{f.c.w.RefOf(f.c.funcPlace(f, v))}
	}
	return f.c.zero(v.typ).t
}

// ref returns the reference of a value of a reference type.
func (f *frame) ref(v value) *term.Term {
	t := f.terms(v)
	if len(t) == 0 {
		return f.c.w.Outside()
	}
	return t[0]
}

// pointer makes a reference of an address.
func (f *frame) pointer(a *address) *term.Term {
	w := f.c.w
	if a.element {
		return w.Outside()
	}
	if a.path == "" {
		return a.ref
	}
	h := w.Holds(a.ref)
	var out *term.Term
	if h.Outside || len(h.Places) == 0 {
		out = w.Outside()
	}
	for i := len(h.Places) - 1; i >= 0; i-- {
		t := w.Outside()
		if f.c.hasField(h.Places[i], a.path) {
			t = w.RefOf(w.Part(h.Places[i], a.path, a.elem))
		}
		if out == nil {
			out = t
		} else {
			out = w.Pool.Ite(w.Pool.Eq(a.ref, w.RefOf(h.Places[i])), t, out)
		}
	}
	return out
}

// address returns the address that a pointer value is.
func (f *frame) address(v value) *address {
	if v.at != nil {
		return v.at
	}
	elem := deref(v.typ)
	if elem == nil {
		elem = types.Typ[types.Invalid]
	}
	return &address{ref: f.ref(v), elem: elem}
}

// suits reports whether an object can be what a pointer to elem points to.
func (c *compiler) suits(p *lower.Place, elem types.Type) bool {
	t, ok := p.Type.(types.Type)
	if !ok || elem == nil {
		return true
	}
	return types.Identical(t, elem) || types.Identical(t.Underlying(), elem.Underlying()) || c.areTwins(t, elem)
}

// areTwins reports whether two types are the same but for names; see reach.twins.
func (c *compiler) areTwins(a, b types.Type) bool {
	s, ok1 := a.Underlying().(*types.Struct)
	t, ok2 := b.Underlying().(*types.Struct)
	return ok1 && ok2 && c.reach != nil && c.reach.twins[s] != nil && c.reach.twins[s] == c.reach.twins[t]
}

// load reads a value of a type.
func (f *frame) load(key string, a *address, t types.Type) value {
	c, m := f.c, f.m
	v := value{typ: t}
	if f.immutable(a, t, &v) {
		return v
	}
	leaves := c.leaves(t)
	var vars []*prog.Var
	var exprs []*term.Term
	for i, l := range leaves {
		k := key + "/" + l.path
		var x *term.Term
		if a.element || !c.keeps(l) {
			x = f.any(k+"/any", l, lower.Unmodelled)
			if len(a.from) > 0 && !(l.ref && l.of != nil && c.ownType(l.of)) {
				m.Computed(m.Local(k+"/any", "any", l.typ), a.from)
			}
		} else {
			x = m.Load(k, a.ref, a.path+l.path, l.typ,
				func(p *lower.Place) *term.Term {
					if !c.hasField(p, a.path) || !c.suits(p, baseType(a)) && a.path == "" && !c.suits(p, t) || !c.hasLeaf(p, a.path+l.path, l) || c.isLost(p, a.path+l.path) {
						if l.ref {
							f.uncover(p)
						}
						return f.any(k+"/any", l, lower.Unmodelled)
					}
					return f.shared(p, a.path+l.path, l, k)
				},
				func(class lower.Class) *term.Term {
					if l.ref {
						f.older = c.inOlder(c.w.Holds(a.ref), a.path+l.path, l.of)
					}
					x := f.any(k+"/any", l, class)
					f.older = nil
					f.answersWith(k+"/any", l, a, x)
					return x
				})
		}
		if len(x.Args()) == 0 && x.IsConst() {
			v.t = append(v.t, x)
			continue
		}
		local := m.Local(k, f.name(leaves[i].path), l.typ)
		vars, exprs = append(vars, local), append(exprs, x)
		v.t = append(v.t, local.Term)
	}
	m.Assign(vars, exprs)
	return v
}

// uncover records that a reference is read from an object that is seen as one of another type: it
// may be any of those that are there. So package reflect gets at the pointer in an interface.
func (f *frame) uncover(p *lower.Place) {
	t, ok := p.Type.(types.Type)
	if _, code := p.Data.(closure); !ok || code || p.Summary {
		return
	}
	for _, l := range f.c.leaves(t) {
		if l.ref && f.c.keeps(l) {
			f.c.escape(f.m.Cell(p, l.path, l.typ).Term)
		}
	}
}

// disguised lets a store through an address change all of an object that is seen as
// one of another type.
func (f *frame) disguised(a *address, h lower.Holds, stored []leaf) {
	if a.element {
		return
	}
	for _, p := range h.Places {
		if _, code := p.Data.(closure); code {
			continue // nothing writes it
		}
		if t, ok := p.Type.(types.Type); ok && !p.Summary && !p.Const && (!f.c.hasField(p, a.path) || slices.ContainsFunc(stored, func(l leaf) bool { return !f.c.hasLeaf(p, a.path+l.path, l) })) {
			f.c.w.Approximate(f.m.Pos(), "%s is written as an object of another type", typeName(t))
			for _, l := range f.c.leaves(t) {
				cell := f.m.Cell(p, l.path, l.typ)
				x := f.any(f.path+"/as another/"+p.Key+l.path, l, lower.Unmodelled)
				f.m.Set(cell, f.c.w.Pool.Ite(f.c.w.Pool.Eq(a.ref, f.c.w.RefOf(p)), x, cell.Term))
			}
		}
	}
}

// hasLeaf reports whether an object has a scalar of the same kind at a path. Code that
// sees an interface as two words, or a struct as another one, reads something else.
func (c *compiler) hasLeaf(p *lower.Place, path string, as leaf) bool {
	t, ok := p.Type.(types.Type)
	if _, isFunc := p.Data.(closure); !ok || isFunc || strings.HasPrefix(path, "#") && !strings.HasPrefix(path, lenPath) && !strings.HasPrefix(path, capPath) {
		return true
	}
	leaves := c.leaves(t)
	if len(leaves) == 0 {
		_, isStruct := t.Underlying().(*types.Struct)
		return isStruct // too large to be laid out
	}
	if c.paths == nil {
		c.paths = map[types.Type]map[string]leaf{}
	}
	have := c.paths[t]
	if have == nil {
		have = map[string]leaf{}
		for _, l := range leaves {
			have[l.path] = l
		}
		c.paths[t] = have
	}
	l, ok := have[path]
	return ok && l.ref == as.ref && (l.ref || l.typ.Sort == as.typ.Sort)
}

// hasField reports whether an object has the field of a path. Code that converts
// pointers by way of unsafe.Pointer may see an object as one of another type.
func (c *compiler) hasField(p *lower.Place, path string) bool {
	t, ok := p.Type.(types.Type)
	for ok && strings.HasPrefix(path, ".") {
		name, rest := path[1:], ""
		if i := strings.IndexAny(name, ".#"); i >= 0 {
			name, rest = name[:i], name[i:]
		}
		st, isStruct := t.Underlying().(*types.Struct)
		if !isStruct {
			return false
		}
		found := false
		for i := range st.NumFields() {
			if c.fieldPath(st, i) == "."+name {
				t, found = st.Field(i).Type(), true
				break
			}
		}
		if !found {
			return false
		}
		path = rest
	}
	return true
}

func baseType(a *address) types.Type {
	if a.path == "" {
		return a.elem
	}
	return nil
}

// any returns any value of a leaf.
func (f *frame) any(key string, l leaf, class lower.Class) *term.Term {
	v := f.m.Local(key, "any", l.typ)
	if l.ref {
		places := f.anywhere(l.of)
		if class == lower.Answer {
			places = f.notOwnErrors(places)
		}
		for _, p := range f.older {
			if !slices.Contains(places, p) {
				places = append(slices.Clip(places), p)
			}
		}
		f.m.AnyRef(v, class, lower.Holds{Nil: true, Outside: true, Places: places})
		return v.Term
	}
	f.m.Havoc(v, class)
	if l.nat {
		f.m.Assume(f.c.natural(v.Term))
	}
	return v.Term
}

// anyValue returns any value of a type.
func (f *frame) anyValue(key string, t types.Type, class lower.Class) value {
	v := value{typ: t}
	for _, l := range f.c.leaves(t) {
		v.t = append(v.t, f.any(key+"/"+l.path, l, class))
	}
	f.wellFormed(v)
	return v
}

// wellFormed assumes what holds of every value of its type: nil slices are empty,
// lengths are at most capacities.
func (f *frame) wellFormed(v value) {
	p := f.c.w.Pool
	leaves := f.c.leaves(v.typ)
	for i, l := range leaves {
		if isTextPath(l.path) {
			f.m.Assume(f.c.ofLength(v.t[i], v.t[i-1]))
		}
		if !l.ref || l.of == nil {
			continue
		}
		if _, ok := l.of.Underlying().(*types.Slice); ok && i+2 < len(leaves) {
			f.m.Assume(p.SLe(v.t[i+1], v.t[i+2]))
			f.m.Assume(p.Or(p.Ne(v.t[i], f.c.w.Nil()), p.Eq(v.t[i+2], p.Int(64, 0))))
		}
	}
}

// natural says that a term is a length: not negative and below 2^47, which is a
// convention of the result.
func (c *compiler) natural(t *term.Term) *term.Term {
	c.convention(conventionLengths)
	p := c.w.Pool
	return p.And(p.SLe(p.Int(64, 0), t), p.SLt(t, p.Int(64, 1<<c.o.lengthBits())))
}

// store writes a value.
func (f *frame) store(a *address, v value) {
	ts := f.terms(v)
	leaves := f.c.leaves(a.elem)
	if len(leaves) != len(ts) {
		leaves = f.c.leaves(v.typ)
	}
	h := f.c.w.Holds(a.ref0(f.c))
	var paths []string
	var types []prog.Type
	var kept []*term.Term
	for i, l := range leaves {
		if !f.c.keeps(l) || i >= len(ts) {
			continue
		}
		if l.ref {
			f.storedWhere(a, h, a.path+l.path, ts[i], l.of)
		}
		paths, types, kept = append(paths, a.path+l.path), append(types, l.typ), append(kept, ts[i])
	}
	f.disguised(a, h, leaves)
	f.storesAround(a, h)
	if !a.element {
		f.m.StoreAll(a.ref, paths, types, kept)
	}
}

func (a *address) ref0(c *compiler) *term.Term {
	if a.ref == nil {
		return c.w.Outside()
	}
	return a.ref
}

func anySummary(h lower.Holds) bool {
	for _, p := range h.Places {
		if p.Summary {
			return true
		}
	}
	return false
}

// escape records that the places of a reference can be met anywhere. Objects of
// the component's package stay places, and every reference of their type that
// comes from somewhere unknown may be one of them. Other objects are given up:
// what they hold is not known any more.
func (c *compiler) escape(t *term.Term) {
	c.gives(t)
	c.met(t)
}

// met records that the places of a reference can be met anywhere which is found where something was given away before.
func (c *compiler) met(t *term.Term) {
	if c.w.Unsettled() {
		return
	}
	for _, p := range c.w.Holds(t).Places {
		if p.Summary {
			continue
		}
		if !c.follows(p) {
			c.giveUp(p)
			continue
		}
		if !c.escaped[p.Key] {
			c.escaped[p.Key] = true
			c.w.Grow()
		}
	}
}

// follows reports whether a place stays one when it can be met anywhere.
func (c *compiler) follows(p *lower.Place) bool {
	if e, ok := p.Data.(*errorValue); ok {
		return c.l.owns(e.pkg) || c.wantsReturn(e)
	}
	if t, ok := p.Type.(types.Type); ok {
		if _, ok := t.Underlying().(*types.Chan); ok {
			return true
		}
	}
	return c.owns(p) || p.IsPart() || p.Key == receiverKey || strings.HasPrefix(p.Key, "global ")
}

// giveUp makes a place one of which nothing is known.
func (c *compiler) giveUp(p *lower.Place) {
	if _, ok := p.Data.(built); ok {
		return // nobody changes an error that was made
	}
	if !c.w.Unsettled() && !c.vague[p.Key] && !p.Const {
		c.vague[p.Key] = true
		c.w.Grow()
	}
}

// compares notes that code compares an error with the errors of package variables
// that a reference holds: then the environment's may be these too. One that is not
// exported is nobody else's, unless it escapes.
func (c *compiler) compares(t *term.Term) {
	for _, p := range c.w.Holds(t).Places {
		e, ok := p.Data.(*errorValue)
		if !ok || e.global == "" || c.compared[p.Key] {
			continue
		}
		if name := e.global[strings.LastIndexByte(e.global, '.')+1:]; token.IsExported(name) || !c.l.owns(e.pkg) || c.isCoarse() {
			c.compared[p.Key] = true
			c.w.Grow()
		}
	}
}

// escapedAs returns the places that a reference of a type from somewhere unknown
// may hold.
func (c *compiler) escapedAs(t types.Type) []*lower.Place {
	if t == nil {
		return nil
	}
	now := escapes{len(c.escaped), len(c.compared), c.w.Known(), c.w.Current()}
	if c.away.at != now || c.away.pool != c.w.Pool {
		c.away.at, c.away.pool = now, c.w.Pool
		c.away.all, c.away.as = nil, map[types.Type][]*lower.Place{}
		for _, p := range c.w.Places() {
			if c.escaped[p.Key] || c.compared[p.Key] || c.escapedBefore(p) {
				c.away.all = append(c.away.all, p)
			}
		}
	}
	if list, ok := c.away.as[t]; ok {
		return list
	}
	var all []*lower.Place
	for _, p := range c.away.all {
		if canHold(t, p) {
			all = append(all, p)
		}
	}
	all = all[:len(all):len(all)]
	c.away.as[t] = all
	return all
}

// escapedBefore reports whether a place stands for functions, or values in interfaces, that have
// escaped and are not the most recent ones any more.
func (c *compiler) escapedBefore(p *lower.Place) bool {
	q := p.Newest()
	if q == p || !c.escaped[q.Key] {
		return false
	}
	_, isFunc := q.Data.(closure)
	_, isBox := q.Data.(boxed)
	return isFunc || isBox
}

// An escaped remembers which places can be met anywhere, by the type of the
// reference, while nothing new escapes.
type escaped struct {
	at   escapes
	pool *term.Pool // of the pass
	all  []*lower.Place
	as   map[types.Type][]*lower.Place
}

// escapes counts what has escaped so far that the method at hand may meet.
type escapes struct {
	escaped, compared, known int
	method                   string
}

func canHold(t types.Type, p *lower.Place) bool {
	pt, ok := p.Type.(types.Type)
	if !ok {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if s, ok := pt.Underlying().(*types.Struct); ok && s.NumFields() > 0 && types.IdenticalIgnoreTags(u.Elem().Underlying(), s) {
			return true // it may have been converted
		}
		return types.Identical(u.Elem(), pt)
	case *types.Interface:
		if e, ok := p.Data.(*errorValue); ok && (e.vague || e.formatted && onlyUnwraps(u)) {
			return true
		}
		return types.Implements(dynamicType(p), u)
	case *types.Basic:
		return true // unsafe.Pointer
	}
	return types.Identical(t.Underlying(), pt.Underlying())
}

// dynamicType is the type of the value in an interface that refers to a place.
func dynamicType(p *lower.Place) types.Type {
	p = p.Newest() // older values in interfaces are of the same type
	t, _ := p.Type.(types.Type)
	if t == nil {
		return types.Typ[types.Invalid]
	}
	switch d := p.Data.(type) {
	case boxed:
		return d.typ
	case *errorValue:
		if d.typ != nil {
			return d.typ
		}
	case runtimeBox:
		if n, ok := t.(*types.Named); ok && n.Obj().Name() != "TypeAssertionError" {
			return t
		}
	}
	return types.NewPointer(t)
}

// boxed is the data of a place that is a value in an interface, not what a
// pointer in it points to.
type boxed struct {
	typ      types.Type
	constant bool               // the value is a constant
	text     string             // that is a string
	fixed    bool               // it is an error made of constants
	fields   *map[string]string // the texts that are known of its fields, if it is an error
	filled   bool               // it is a slice or a string that is not empty
	pkg      *types.Package
	pos      fposition
}

// known returns the texts that are known of a value and of its fields, by path.
func (b boxed) known() map[string]string {
	if b.fields != nil {
		return *b.fields
	}
	if b.constant {
		return map[string]string{"": b.text}
	}
	return nil
}
