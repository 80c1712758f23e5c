// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers constructors: the calls of a maker one after the other, with
// errors assumed to be nil, and then the component is what one of the results
// refers to. Objects on which the alphabet has calls too, such as the parent of a
// child object, are kept in state variables of their own.

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// constructor lowers a maker.
func (c *compiler) constructor(k *maker) *lower.Method {
	pos := prog.Pos{}
	if n := len(k.steps); n > 0 && k.steps[n-1].fn != nil {
		pos = c.pos(k.steps[n-1].fn, k.steps[n-1].fn.Pos())
	}
	m := c.w.NewMethod(k.name, pos)
	if k.takes < 0 { // a package: its variables are initialized
		m.Return(nil)
		return m
	}
	c.once, c.chaining = true, k.chain
	defer func() { c.chaining = false }()
	if k.chain {
		c.convention(conventionChain)
	}
	f := &frame{c: c, m: m, path: k.name}
	f.beginGiven()
	c.addressed(f)
	vals := make([]value, len(k.objects))
	for i, o := range k.objects {
		if o.variable {
			vals[i] = c.variable(f, k, i)
		}
	}
	if k.site != nil {
		f.fn = k.site.fn
		m.At(c.pos(k.site.fn, k.site.alloc.Pos()))
		c.allocated(f, k)
	}
	for i := range k.steps {
		f.fn = k.steps[i].fn
		done := c.settle(m, nil)
		if len(k.steps) == 1 && k.steps[i].recv < 0 {
			done = c.settle(m, f.fn)
			if c.isBare(f.fn) {
				done()
				m.Return(nil)
				return m
			}
		}
		ok := c.step(f, k, i, vals)
		done()
		if !ok {
			return m
		}
	}
	if o := k.objects[k.takes]; !o.variable {
		c.adopt(f, k, vals)
	}
	if m.Reachable() {
		c.keep(f, k, vals)
		m.Return(nil)
	}
	return m
}

// variable declares an object: the component itself, or another one.
func (c *compiler) variable(f *frame, k *maker, i int) value {
	o := k.objects[i]
	p := c.receiverPlace()
	if i != k.takes {
		p = c.objectPlace(k, i)
	}
	at := &address{ref: c.w.RefOf(p), elem: o.typ}
	if o.converted {
		f.store(at, f.param("x", o.typ))
	}
	if st, ok := o.typ.Underlying().(*types.Struct); ok {
		for _, name := range o.fields {
			n := fieldOf(st, name)
			t := st.Field(n).Type()
			f.store(&address{ref: at.ref, path: f.c.fieldPath(st, n), elem: t}, f.param(name, t))
		}
	}
	return value{typ: types.NewPointer(o.typ), at: at}
}

// objectPlace is the place of a declared object that is not the component. It is
// the same for all makers that give it one name.
func (c *compiler) objectPlace(k *maker, i int) *lower.Place {
	o := k.objects[i]
	key := "object " + k.name + " " + strconv.Itoa(i)
	name := typeName(o.typ)
	if o.name != "" {
		key, name = "object "+o.name+" "+types.TypeString(o.typ, nil), o.name
	}
	p := c.w.Place(key, func() *lower.Place { return &lower.Place{Name: name, Type: o.typ} })
	c.w.Hold(p)
	return p
}

// step lowers one call of a maker; it returns false if the call does not return.
func (c *compiler) step(f *frame, k *maker, i int, vals []value) bool {
	s := &k.steps[i]
	path := k.name
	if i > 0 || len(k.steps) > 1 {
		path += "/" + strconv.Itoa(i)
	}
	if i == 0 {
		f.entrusted = c.entrusting(k, s)
	}
	out, ok := c.perform(f, s, path, vals)
	f.entrusted = nil
	if !ok {
		return false
	}
	if i == len(k.steps)-1 && !k.chain {
		c.returnSites(f, out)
		if !f.m.Reachable() {
			return false
		}
	}
	for n, r := range out {
		if isErrorType(r.typ) && s.out+n != k.takes {
			// The object exists only if there was no error.
			f.m.Assume(c.w.Pool.Eq(f.ref(r), c.w.Nil()))
		}
		vals[s.out+n] = r
	}
	return f.m.Reachable()
}

// perform lowers a call on objects. It returns false if the call does not return.
func (c *compiler) perform(f *frame, s *step, path string, vals []value) ([]value, bool) {
	var args []value
	for _, a := range s.args {
		switch {
		case a.object >= 0:
			v := vals[a.object]
			v = f.as(v, a.typ, path)
			args = append(args, v)
		case a.value != nil:
			args = append(args, c.constant(a.value))
		default:
			args = append(args, f.param(a.name, a.typ))
		}
	}
	c.work = 0
	if s.recv < 0 {
		c.pending = []*ssa.Function{s.fn}
		out := c.run(f, path, s.fn, args)
		return out, f.m.Reachable()
	}
	recv := vals[s.recv]
	if isPointer(recv.typ) || types.IsInterface(recv.typ) {
		f.m.Assume(c.w.Pool.Ne(f.ref(recv), c.w.Nil()))
	}
	if s.fn == nil {
		return c.dispatch(f, s, path, recv, args)
	}
	c.pending = []*ssa.Function{s.fn}
	if t := s.fn.Params[0].Type(); !types.Identical(t, recv.typ) {
		recv = f.as(recv, t, path)
	}
	out := c.run(f, path, s.fn, append([]value{recv}, args...))
	return out, f.m.Reachable()
}

// run lowers what a client calls. Code that is not Go may do anything.
func (c *compiler) run(f *frame, path string, fn *ssa.Function, args []value) []value {
	if len(fn.Blocks) > 0 {
		return c.call(f.m, nil, path, fn, args, nil)
	}
	name := fn.RelString(nil)
	c.w.Approximate(c.pos(fn, fn.Pos()), "%s has no Go body", name)
	f.mayPanicHere(path, name)
	return f.environment(name, fn.Object(), fn.Signature, args, path, lower.Answer)
}

// mayPanicHere is a panic that the client's own call may or may not raise.
func (f *frame) mayPanicHere(key, name string) {
	if f.c.alone {
		return // that is said in the program of the explicit errors
	}
	guess := f.any(key+"/panics", leaf{typ: boolType}, lower.Unmodelled)
	yes, no := f.m.Branch(guess)
	f.m.Continue(yes)
	f.panics(f.m.Pos(), "panic", "call of "+name+" is not followed and may panic", nil, true)
	f.m.Continue(no)
}

// as makes a value fit a type: a pointer to it, what it points to, an interface.
func (f *frame) as(v value, t types.Type, key string) value {
	c := f.c
	switch {
	case types.Identical(v.typ, t):
	case types.IsInterface(t) && (types.IsInterface(v.typ) || isPointer(v.typ)):
		v = value{typ: t, t: []*term.Term{f.ref(v)}}
	case isPointer(t) && !isPointer(v.typ) && types.Identical(deref(t), v.typ):
		// The method is one of a pointer to the value.
		p := c.w.Place("object "+key, func() *lower.Place { return &lower.Place{Name: typeName(v.typ), Type: v.typ} })
		at := &address{ref: c.w.RefOf(p), elem: v.typ}
		f.store(at, v)
		return value{typ: t, at: at}
	case isPointer(v.typ) && types.Identical(deref(v.typ), t):
		return f.load(key+"/value", f.address(v), t)
	default:
		return f.anyValue(key+"/any", t, lower.Unmodelled)
	}
	return v
}

// dispatch calls a method of an interface.
func (c *compiler) dispatch(f *frame, s *step, path string, recv value, args []value) ([]value, bool) {
	_, method := c.methodOn(recv.typ, s.name)
	sig := method.Type().(*types.Signature)
	ref := f.ref(recv)
	var list []returning
	f.cases(ref, c.w.Holds(ref), func(p *lower.Place) {
		var fn *ssa.Function
		if p != nil && !p.Summary {
			fn = c.method(dynamicType(p), method)
		}
		if fn == nil {
			f.mayPanicHere(path, types.TypeString(recv.typ, nil)+"."+s.name)
			out := f.environment(types.TypeString(recv.typ, nil)+"."+s.name, method, sig, args, path, lower.Answer)
			list = append(list, returning{f.m.Here(), out})
			return
		}
		c.pending = []*ssa.Function{fn}
		out := c.run(f, path+"/"+fn.RelString(nil), fn, append([]value{f.receiverValue(p, fn, path)}, args...))
		list = append(list, returning{f.m.Here(), out})
	})
	out := f.joinAt(path, sig.Results(), list)
	return out, f.m.Reachable()
}

// adopt makes the component what a value is or refers to. If that is one object
// that the calls allocate, this object is the component.
func (c *compiler) adopt(f *frame, k *maker, vals []value) {
	m, w := f.m, c.w
	r := vals[k.takes]
	recv := c.receiverPlace()
	boxedToo := types.IsInterface(r.typ)
	if !isPointer(r.typ) && !boxedToo {
		f.store(&address{ref: w.RefOf(recv), elem: c.named}, r)
		return
	}
	ref := f.ref(r)
	h := w.Holds(ref)
	m.Assume(w.Pool.Ne(ref, w.Nil()))
	var made []*lower.Place
	vague := h.Outside
	for _, p := range h.Places {
		switch _, null := p.Data.(typedNil); {
		case null || boxedToo && !p.Summary && !isOf(dynamicType(p), c.named):
			// An object of another type is not the component.
			m.Assume(w.Pool.Ne(ref, w.RefOf(p)))
		case !c.suits(p, c.named):
		case c.alias[p.Key] == receiverKey && p != recv: // it is the component since an earlier pass
		case p.Summary:
			vague = true
		default:
			made = append(made, p)
		}
	}
	if !m.Reachable() {
		return
	}
	if len(made) == 1 {
		p := made[0]
		if _, box := p.Data.(boxed); vague && !box && !p.IsPart() && !c.isCoarse() {
			// An object that is handed through was made by another call. In a coarse program
			// it may be one that is not followed.
			c.convention(conventionConstructor)
			m.Assume(w.Pool.Eq(ref, w.RefOf(p)))
			vague = false
		}
		if p == recv && !vague {
			return
		}
	}
	if len(made) == 1 && !vague {
		p := made[0]
		if _, box := p.Data.(boxed); !box && !p.IsPart() && c.alias[p.Key] == "" {
			c.alias[p.Key] = receiverKey
			w.Grow()
			return
		}
	}
	var ends []int
	for _, p := range made {
		yes, no := m.Branch(w.Pool.Eq(ref, w.RefOf(p)))
		m.Continue(yes)
		if _, box := p.Data.(boxed); box && m.Reachable() {
			// A value has no identity: it is copied.
			for _, l := range c.leaves(c.named) {
				if c.keeps(l) {
					m.Set(m.Cell(recv, l.path, l.typ), m.Cell(p, l.path, l.typ).Term)
				}
			}
		} else if p != recv && m.Reachable() {
			c.become(f, k, p, recv)
		}
		ends = append(ends, m.Here())
		m.Continue(no)
	}
	if m.Reachable() {
		c.unknownObject(f, k, recv)
	}
	m.Join(append(ends, m.Here())...)
	c.leave(f, k, vals, made)
}

// leave forgets the objects that a constructor made and that are not the component, or are
// it now by another name: no other call meets them. Only coarse programs do so, which let
// much code change all objects of a type.
func (c *compiler) leave(f *frame, k *maker, vals []value, made []*lower.Place) {
	if !c.isCoarse() {
		return
	}
	m, w := f.m, c.w
	for _, p := range made {
		if _, box := p.Data.(boxed); box || p == c.receiverPlace() || p.IsPart() || p.Summary || p.Const || !strings.HasPrefix(p.Key, k.name+"/") {
			continue
		}
		kept := false
		for i, v := range vals {
			refs := v.t
			if v.at != nil {
				refs = []*term.Term{v.at.ref}
			}
			for _, t := range refs {
				kept = kept || i != k.takes && t.Sort() == w.RefSort && slices.ContainsFunc(w.Holds(t).Places, func(q *lower.Place) bool { return q.Root() == p })
			}
		}
		if kept {
			continue
		}
		parts, _ := w.Parts(p)
		for _, q := range append(parts, p) {
			m.Forget(q)
		}
		w.Confine(p)
	}
}

// become makes the component an object that the calls allocated, which is one of several:
// it gets its fields, and whoever refers to the object now refers to the component.
func (c *compiler) become(f *frame, k *maker, p, recv *lower.Place) {
	m, w := f.m, c.w
	t, ok := p.Type.(types.Type)
	if !ok || p.Summary || p.Const || !types.Identical(t, c.named) || p.IsPart() && !c.isApart(k, p) {
		c.unknownObject(f, k, recv)
		return
	}
	f.renew(recv) // another object that was taken for it
	for _, l := range c.leaves(c.named) {
		if c.keeps(l) {
			m.Set(m.Cell(recv, l.path, l.typ), m.Cell(p, l.path, l.typ).Term)
		}
	}
	m.Rename(p, recv)
	parts, paths := w.Parts(p.Root())
	for n, q := range parts {
		if path, within := strings.CutPrefix(paths[n], p.Path()); within && strings.HasPrefix(path, ".") {
			m.Rename(q, w.Part(recv, path, q.Type))
		}
	}
}

// unknownObject is a component that some code makes that is not followed.
func (c *compiler) unknownObject(f *frame, k *maker, recv *lower.Place) {
	c.w.Approximate(f.m.Pos(), "the object that %s returns is not followed", k.name)
	if !c.isPart {
		c.isPart = true
		c.w.Grow()
	}
	for _, l := range c.leaves(c.named) {
		if c.keeps(l) {
			f.havocCell(recv, l, "unknown object")
		}
	}
}

const objectsKey = "objects"

// objects is the place of the variables that hold other objects than the component.
func (c *compiler) objects() *lower.Place {
	p := c.w.Place(objectsKey, func() *lower.Place { return &lower.Place{} })
	c.w.Hold(p)
	return p
}

// keep stores the objects on which the alphabet has calls.
func (c *compiler) keep(f *frame, k *maker, vals []value) {
	for _, q := range c.others {
		i := c.bound(k, q.name, q.method)
		if i < 0 || i == k.takes {
			continue
		}
		v := vals[i]
		if isPointer(v.typ) || types.IsInterface(v.typ) {
			f.m.Assume(c.w.Pool.Ne(f.ref(v), c.w.Nil()))
			c.escape(f.ref(v))
			f.give(f.ref(v), v.typ)
		}
		ts := f.terms(v)
		for n, l := range c.leaves(v.typ) {
			f.m.Set(f.m.Cell(c.objects(), q.name+l.path, l.typ), ts[n])
		}
	}
}

// held returns the object that a call of the alphabet is made on.
func (c *compiler) held(f *frame, name string, t types.Type) value {
	v := value{typ: t}
	for _, l := range c.leaves(t) {
		cell := f.m.Cell(c.objects(), name+l.path, l.typ)
		v.t = append(v.t, cell.Term)
		if l.ref && l.path == "" {
			f.m.Assume(c.w.Pool.Ne(cell.Term, c.w.Nil())) // the constructors see to it
		}
	}
	return v
}

func (k *maker) objectType(i int) types.Type {
	if k.objects[i].variable {
		return types.NewPointer(k.objects[i].typ)
	}
	return k.objects[i].typ
}

// unsureMakers leaves out the errors of constructors that hang on something unmodelled:
// by convention the client has an object. They are listed as not covered.
func (c *compiler) unsureMakers(whole *lower.Whole, makers []maker) {
	sites := whole.Sites()
	for i := range makers {
		for _, s := range sites[makers[i].name] {
			if s.Unsure && !s.Implicit && s.Kind != "return" {
				s.Implicit = true
				c.convention(conventionMade)
			}
		}
	}
}
