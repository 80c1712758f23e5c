// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers what a coarse program does not follow (coarse.go): references that may
// be to any object of their type, writes to objects that are not known, calls of functions
// that are not known, and panics that may arise anywhere.

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// register makes the places known of all errors under study that calls make: a value that
// is not followed may be any of them.
func (c *compiler) register() {
	if !c.isCoarse() || !c.kinds.anyReturn() {
		return
	}
	f := &frame{c: c}
	known := func(e *errorValue, constant bool) {
		p := c.w.Place(e.key, func() *lower.Place { return f.errorPlace(e, constant) })
		c.w.RefOf(p)
	}
	for _, fn := range c.rel.fns {
		f.fn = fn
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.Call:
					if c.rel.isWantedCall(i) {
						for _, in := range sortedTexts(c.rel.madeTexts(i)) {
							if e, wraps := f.errorIn(i.Call.StaticCallee(), i.Call.Args, i.Pos(), in); c.rel.mayBeMessage(e.message, e.pkg) {
								known(e, !wraps)
							}
						}
					}
				case *ssa.UnOp:
					if g, ok := i.X.(*ssa.Global); ok && i.Op == token.MUL {
						if e := c.sentinel(g); e != nil && c.rel.isWantedSentinel(e) {
							known(e, true)
						}
					}
				}
			}
		}
	}
}

// far is a call of such a function.
func (f *frame) far(fn *ssa.Function, key string) []value {
	c := f.c
	all := c.rel.mayWriteAt(f.site, fn)
	f.spoilWritten(all.at, &all, key+"/far")
	res := fn.Signature.Results()
	if n := res.Len(); n >= 2 && f.wanted(fn.Signature) && isErrorType(res.At(n-1).Type()) {
		var out []value
		clean := f.clean
		for k := range n {
			f.clean = !c.rel.mayReturn(fn, k)
			out = append(out, f.anyValue(key+"/far"+strconv.Itoa(k), res.At(k).Type(), lower.Unmodelled))
		}
		f.clean = clean
		f.pointerOrError(out)
		return out
	}
	var out []value
	for k := range fn.Signature.Results().Len() {
		out = append(out, value{typ: fn.Signature.Results().At(k).Type(), missing: key + "/far" + strconv.Itoa(k), clean: !c.rel.mayReturn(fn, k), solid: c.returnsSolid(fn, k)})
	}
	return out
}

// partsOf returns the parts of an object that a pointer may point to.
func (f *frame) partsOf(p *lower.Place, elem types.Type) (all []*lower.Place) {
	c := f.c
	var visit func(t types.Type, path string)
	visit = func(t types.Type, path string) {
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return
		}
		for k := range st.NumFields() {
			v := st.Field(k)
			at := path + c.fieldPath(st, k)
			if c.rel.coarse.addressed[v.Origin()] && types.Identical(v.Type(), elem) {
				all = append(all, c.w.Part(p, at, elem))
			}
			visit(v.Type(), at)
		}
	}
	if t, ok := p.Type.(types.Type); ok && !p.IsPart() && !p.Const && p.Data == nil {
		visit(t, "")
	}
	return all
}

// pointedIn returns the types of what references of a type may point to: of what its pointers do, or
// of pointers that may be in such an interface.
func (c *compiler) pointedIn(t types.Type) []types.Type {
	if all, ok := c.pointees[t]; ok {
		return all
	}
	var all []types.Type
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		all = append(all, u.Elem())
	case *types.Interface:
		for _, b := range c.reach.boxes {
			if e := deref(b); e != nil && types.Implements(b, u) {
				all = append(all, e)
			}
		}
	}
	if c.pointees == nil {
		c.pointees = map[types.Type][]types.Type{}
	}
	c.pointees[t] = all
	return all
}

// anywhere returns the places that a reference of a type from somewhere unknown may
// hold: those that have escaped, or all of the type if what escapes is not followed.
func (f *frame) anywhere(t types.Type) []*lower.Place {
	c := f.c
	if !c.isCoarse() || t == nil {
		all := c.escapedAs(t)
		for _, p := range all {
			if !p.Const && !p.IsState() {
				c.w.Hold(p.Root()) // it may have escaped in an earlier call
			}
		}
		return all
	}
	if c.unmet && !f.clean && types.IsInterface(t) {
		c.unmetError()
	}
	elems := c.pointedIn(t)
	var all []*lower.Place
	for _, p := range c.w.Places() {
		if e, ok := p.Data.(*errorValue); ok && (f.clean && c.wantsReturn(e) || !c.wantsReturn(e) && !e.wraps && !c.compared[p.Key]) {
			continue
		}
		if f.clean && types.IsInterface(t) && p.Data != nil && c.isError(dynamicType(p)) {
			if _, known := p.Data.(*errorValue); !known {
				continue // such values are taken to be under study where they are made
			}
		}
		if p.Key == objectsKey || p.Summary {
			continue // of such an object no more is known than of one outside
		}
		if c.alias[p.Root().Key] != "" {
			continue // since an earlier pass what is made there is another place
		}
		var here []*lower.Place
		if !p.IsPart() && f.mayHold(t, p) {
			here = append(here, p)
		}
		for _, e := range elems {
			here = append(here, f.partsOf(p, e)...)
		}
		if len(here) > 0 && !p.Const && !p.IsState() {
			c.w.Hold(p.Root()) // it may be one of an earlier call
		}
		all = append(all, here...)
	}
	return all
}

// mayHold reports whether a reference of a type may be to an object.
func (f *frame) mayHold(t types.Type, p *lower.Place) bool {
	if _, ok := p.Data.(*errorValue); ok {
		return canHold(t, p) || f.disguises(t, p) // what is known of an error changes
	}
	key := holding{t, p}
	yes, ok := f.c.holdings[key]
	if !ok {
		yes = canHold(t, p) || f.disguises(t, p)
		f.c.holdings[key] = yes
	}
	return yes
}

// A holding is a type of references and an object that they may be to.
type holding struct {
	typ types.Type
	p   *lower.Place
}

// isError reports whether a type has the method of errors.
func (c *compiler) isError(t types.Type) bool {
	yes, ok := c.errorTypes[t]
	if !ok {
		yes = types.Implements(t, errorInterface)
		c.errorTypes[t] = yes
	}
	return yes
}

// disguises reports whether a pointer may be to an object of another type: one with the
// same fields, or any if pointers of the type are made by way of unsafe.Pointer.
func (f *frame) disguises(t types.Type, p *lower.Place) bool {
	elem := deref(t)
	at, ok := p.Type.(types.Type)
	if elem == nil || !ok || p.Const || p.Data != nil {
		return false
	}
	return f.c.reach.disguised[f.c.reach.id(elem)] || types.IdenticalIgnoreTags(elem.Underlying(), at.Underlying())
}

// answers is the class of what somebody says by a channel. In a coarse program that may be
// the component itself, which closed it.
func (f *frame) answers() lower.Class {
	if f.c.isCoarse() {
		return lower.Unmodelled
	}
	return lower.Answer
}

// spoilByType lets somebody change what values of a type lead to, in all objects.
func (f *frame) spoilByType(t types.Type, key string) {
	f.spoilLocations(f.c.rel.ledTo(t, f.site == nil || isTheirs(f.site)), key)
}

// spoilLeft lets a function that is met and not inlined, as it is recursive or for a limit, change what its code
// may write, in all objects. What its arguments lead to by their types is what others may write, and less: fields that are
// not exported, and objects that only the component has, are not among that.
func (f *frame) spoilLeft(fn *ssa.Function, key string) {
	if f.c.isCoarse() {
		all := f.c.rel.mayWriteAt(f.site, fn)
		f.spoilWritten(all.at, &all, key+"/left")
	}
}

// spoilLocations lets somebody change locations in all objects.
func (f *frame) spoilLocations(all map[location]bool, key string) { f.spoilWritten(all, nil, key) }

// spoilWritten lets code change locations in all objects, or anybody if by is nil.
func (f *frame) spoilWritten(all map[location]bool, by *writing, key string) {
	if len(all) == 0 {
		return
	}
	for _, p := range f.c.w.Places() {
		typ, ok := p.Type.(types.Type)
		if !ok || p.Summary || p.Const || p.IsPart() {
			continue
		}
		switch p.Data.(type) {
		case closure, *errorValue:
			continue
		}
		if _, ok := typ.Underlying().(*types.Chan); ok && all[f.c.rel.find(channels{})] {
			// Nobody opens it again.
			closed := f.m.Cell(p, closedPath, boolType)
			f.m.Set(closed, f.c.w.Pool.Or(closed.Term, f.any(key+"/closes/"+p.Key, leaf{typ: boolType}, lower.Unmodelled)))
		}
		for _, l := range f.c.leaves(typ) {
			in := l.in
			if g, ok := p.Data.(*ssa.Global); ok && in == nil {
				in = g
			}
			if v := f.c.variables[p.Key]; v != nil && in == nil {
				in = v // function literals may write it
			}
			if in != nil && all[f.c.rel.find(in)] && f.c.keeps(l) && f.mayWrite(p, l) {
				f.mayChange(p, l, f.c.rel.find(in), by, key+"/by type/"+p.Key+l.path)
			}
		}
	}
}

// mayChange lets code write a scalar, or anybody. If all code that is reached writes constants
// there, and none is beyond it, it is one of these or what it was. If it writes errors, and none that may be under
// study, it is what it was or another error.
func (f *frame) mayChange(p *lower.Place, l leaf, at location, by *writing, key string) {
	list := f.c.rel.constants(at, by)
	cell := f.m.Cell(p, l.path, l.typ)
	if list == nil && by != nil && f.c.rel.writesNoWanted(at, by) {
		clean := f.clean
		f.clean = true
		x := f.any(key+"/other", l, lower.Unmodelled)
		f.clean = clean
		f.m.Set(cell, f.c.w.Pool.Ite(f.any(key+"/writes", leaf{typ: boolType}, lower.Unmodelled), x, cell.Term))
		return
	}
	if list == nil {
		f.havocCell(p, l, key)
		return
	}
	next := cell.Term
	for k, x := range list {
		v := f.c.constant(x)
		if n := len(v.t); n == 2 && isTextPath(l.path) {
			v.t = v.t[1:]
		} else if n == 2 {
			v.t = v.t[:1]
		}
		if len(v.t) != 1 || v.t[0].Sort() != l.typ.Sort {
			f.havocCell(p, l, key)
			return
		}
		guess := f.any(key+"/constant"+strconv.Itoa(k), leaf{typ: boolType}, lower.Unmodelled)
		next = f.c.w.Pool.Ite(guess, v.t[0], next)
	}
	f.m.Set(cell, next)
}

// excludes removes the methods that a call cannot be by the flow of types, with the objects
// whose methods they are.
func (f *frame) excludes(ref *term.Term, groups []receiving) []receiving {
	if f.site == nil || !f.c.isCoarse() {
		return groups
	}
	known, ok := f.c.rel.resolved(f.site.Common())
	if !ok {
		return groups
	}
	w := f.c.w
	return slices.DeleteFunc(groups, func(g receiving) bool {
		if slices.Contains(known.fns, g.fn) {
			return false
		}
		for _, p := range g.places {
			f.m.Assume(w.Pool.Ne(ref, w.RefOf(p)))
		}
		return true
	})
}

// openCall is a call of which it is not known what it calls: one of the functions in
// which something is relevant, or the environment. invoked is set for a method of an
// interface.
func (f *frame) openCall(args []value, invoked bool, key string, at token.Pos, again bool, otherwise func() []value) []returning {
	var list []returning
	closed := false
	if f.site != nil {
		var perhaps []*ssa.Function
		for _, fn := range f.c.reach.targets[f.site] {
			if f.mayBeUnknown(fn) {
				perhaps = append(perhaps, fn)
			}
		}
		known, _ := f.c.reach.resolved(f.site.Common())
		closed = known.closed && len(known.fns) > 0
		for _, fn := range known.fns {
			// Nothing in it is relevant, and nobody else is called.
			if closed && f.c.isCoarse() && f.c.l.owns(packageOf(fn)) && slices.Contains(f.c.reach.targets[f.site], fn) && !slices.Contains(perhaps, fn) {
				perhaps = append(perhaps, fn)
			}
			closed = closed && slices.Contains(perhaps, fn)
		}
		for k, fn := range perhaps {
			if !f.m.Reachable() {
				continue
			}
			key := key + "/perhaps " + fn.RelString(nil)
			given := args
			if invoked {
				given = append([]value{f.anyValue(key+"/receiver", fn.Params[0].Type(), lower.Unmodelled)}, args...)
			}
			if len(given) != len(fn.Params) {
				given = nil
			}
			no := -1
			if !closed || k < len(perhaps)-1 {
				var yes int
				yes, no = f.m.Branch(f.any(key, leaf{typ: boolType}, lower.Unmodelled))
				f.m.Continue(yes)
			}
			site := f.site
			out := f.function(fn, given, nil, nil, key, at, again)
			f.site = site
			list = append(list, returning{f.m.Here(), out})
			f.m.Continue(no)
		}
	}
	if f.m.Reachable() && !closed {
		out := otherwise()
		list = append(list, returning{f.m.Here(), out})
	}
	return list
}

// mayBeUnknown reports whether a call that may be of a function may be so without lowering knowing
// it. A program that follows everything knows the values that it makes; but those that the
// initialization of the package made, and put into tables and variables, it does not.
func (f *frame) mayBeUnknown(fn *ssa.Function) bool {
	if f.c.isCoarse() {
		return f.c.rel.coarse.runs[fn]
	}
	if recv := fn.Signature.Recv(); recv != nil && f.c.reach.earlyBoxes[f.c.reach.id(recv.Type())] {
		return true
	}
	return f.c.reach.early[fn]
}

// mayPanicAnywhere lets a function that recovers meet a panic anywhere. It is where
// such panics arrive.
func (f *frame) mayPanicAnywhere(from int) {
	if !f.c.isCoarse() || from < 0 {
		return
	}
	c := f.c
	f.m.Continue(from)
	f.spoilLocations(c.rel.mayWrite(f.fn), f.path+"/panic anywhere")
	for k, d := range f.defers {
		f.m.Set(d.flag, f.any(f.path+"/panic anywhere/defer"+strconv.Itoa(k), leaf{typ: boolType}, lower.Unmodelled))
	}
	f.m.Set(f.catch.flag, c.w.Pool.True())
	f.m.Set(f.catch.what, f.any(f.path+"/panic anywhere/what", leaf{typ: c.refType(), ref: true, of: anyType}, lower.Unmodelled))
	f.m.Assume(c.w.Pool.Ne(f.catch.what.Term, c.w.Nil()))
	f.m.Goto(f.catch.loc)
}

// leaks reports whether the address of a variable may be known to code that is not
// followed: it is used otherwise than to read and write, also by function literals.
func leaks(v ssa.Value, depth int) bool {
	if v.Referrers() == nil || depth > 8 {
		return true
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			if leaks(r, depth+1) {
				return true
			}
		case *ssa.Store:
			if r.Addr != v {
				return true
			}
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			for k, b := range r.Bindings {
				if b == v && (k >= len(fn.FreeVars) || leaks(fn.FreeVars[k], depth+1)) {
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}
