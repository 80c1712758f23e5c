// SPDX-License-Identifier: Apache-2.0

package golang

// This file has functions as values: where they are made, with what they have bound, and those
// that were made earlier at the same place.

import (
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// closure is the data of a place that is a function.
type closure struct {
	fn    *ssa.Function
	binds []types.Type
}

// funcPlace returns the place of a function value.
func (c *compiler) funcPlace(f *frame, v value) *lower.Place {
	key := "func " + v.fn.RelString(nil)
	if v.fn.Signature.TypeParams() != nil || v.fn.Origin() != nil {
		key += " " + v.fn.String()
	}
	if len(v.binds) > 0 {
		key = closureKey(v.fn, v.made)
	}
	var binds []types.Type
	for _, b := range v.binds {
		binds = append(binds, b.typ)
	}
	p := c.w.Place(key, func() *lower.Place {
		return &lower.Place{Name: v.fn.Name(), Type: v.fn.Signature, Const: len(binds) == 0, Data: closure{v.fn, binds}}
	})
	ref := c.w.RefOf(p)
	for n, b := range v.binds {
		f.store(&address{ref: ref, path: "#" + strconv.Itoa(n), elem: b.typ}, b)
	}
	return p
}

// closureKey is the key of the place of a function that has bound something.
func closureKey(fn *ssa.Function, made string) string {
	return "func " + fn.RelString(nil) + " in " + made
}

// makeClosure is a function that binds values. One that was made here before, and is still
// kept, has bound others: it is an older one now.
func (f *frame) makeClosure(i *ssa.MakeClosure) value {
	v := value{typ: i.Type(), fn: i.Fn.(*ssa.Function), binds: f.values(i.Bindings), made: f.key(i)}
	if f.bindsItself(i) {
		return v // all of them are the same
	}
	key := closureKey(v.fn, v.made)
	if p := f.c.w.Find(key); p != nil && f.mayBeSecond(p) {
		f.m.Renew(p)
		f.c.w.RefOf(f.c.w.Older(p)) // it may be in a container, where nobody sees it grow old
	}
	return v
}

// bindsItself reports whether a function binds nothing but the component, in one of its methods
// that clients call: its receiver, or a variable that only ever holds that.
func (f *frame) bindsItself(i *ssa.MakeClosure) bool {
	if f.up != nil && f.up.fn != nil || f.c.named == nil || f.fn.Signature.Recv() == nil || len(f.fn.Params) == 0 {
		return false
	}
	recv := f.fn.Params[0]
	if e := deref(recv.Type()); e == nil || !types.Identical(e, f.c.named) {
		return false
	}
	for _, b := range i.Bindings {
		if b == ssa.Value(recv) {
			continue
		}
		v, ok := b.(*ssa.Alloc)
		if !ok {
			return false
		}
		for _, u := range *v.Referrers() {
			switch u := u.(type) {
			case *ssa.Store:
				if u.Addr != ssa.Value(v) || u.Val != ssa.Value(recv) {
					return false
				}
			case *ssa.MakeClosure:
				g := u.Fn.(*ssa.Function)
				for k, x := range u.Bindings {
					if x == ssa.Value(v) && !onlyReadIn(g.FreeVars[k]) {
						return false
					}
				}
			case *ssa.UnOp, *ssa.DebugRef:
			default:
				return false
			}
		}
	}
	return true
}

// onlyReadIn reports whether a function does nothing with a variable but read it.
func onlyReadIn(v *ssa.FreeVar) bool {
	for _, u := range *v.Referrers() {
		switch u.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// olderClosure returns what is known of functions that were made earlier, at a place that
// stands for these.
func (c *compiler) olderClosure(p *lower.Place) (closure, bool) {
	q := p.Newest()
	if q == p || p.Data != nil {
		return closure{}, false
	}
	d, ok := q.Data.(closure)
	return d, ok
}

// boundEarlier is any value that a function of which there may be several has bound: if it is
// a reference, any object of that type.
func (f *frame) boundEarlier(key string, t types.Type) value {
	v := value{typ: t}
	for _, l := range f.c.leaves(t) {
		x := f.m.Local(key+"/"+l.path, "any", l.typ)
		if l.ref {
			f.m.AnyRef(x, lower.Unmodelled, lower.Holds{Outside: true, Places: f.c.placesOf(l.of)})
		} else {
			f.m.Havoc(x, lower.Unmodelled)
		}
		if l.nat {
			f.m.Assume(f.c.natural(x.Term))
		}
		v.t = append(v.t, x.Term)
	}
	return v
}

// placesOf returns the places that a reference of a type may hold, by types alone.
func (c *compiler) placesOf(t types.Type) (all []*lower.Place) {
	elem := deref(t)
	for _, p := range c.w.Places() {
		typ, ok := p.Type.(types.Type)
		if !ok {
			continue
		}
		switch {
		case elem != nil && types.Identical(typ, elem), elem == nil && types.Identical(typ, t):
			all = append(all, p)
		case elem == nil && types.IsInterface(t) && (types.AssignableTo(dynamicType(p), t) || canHold(t, p)):
			all = append(all, p)
		case elem == nil:
			if _, isFunc := t.Underlying().(*types.Signature); isFunc && types.Identical(typ, t.Underlying()) {
				all = append(all, p)
			}
		}
	}
	return all
}
