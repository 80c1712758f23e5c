// SPDX-License-Identifier: Apache-2.0

package golang

// This file is about objects that are seen as ones of another type: converted pointers, and
// those that go by way of unsafe.Pointer. Their locations are the same ones. Fields have the same
// paths in both if the layout is the same; code that sees an object with another layout
// reads and writes something unknown.

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// disguises unites the locations of objects that unsafe.Pointer makes others of.
func (r *reach) disguises() {
	var from []types.Type // what is made an unsafe.Pointer
	type made struct {
		of ssa.Value
		to types.Type
	}
	var to []made
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				c, ok := i.(*ssa.Convert)
				if !ok {
					continue
				}
				if e := deref(c.X.Type()); e != nil && isUnsafe(c.Type()) {
					from = append(from, e)
					r.hidden = append(r.hidden, c.X.Type())
				}
				if e := deref(c.Type()); e != nil && isUnsafe(c.X.Type()) {
					to = append(to, made{c.X, e})
				}
			}
		}
	}
	all := func(t types.Type) []location {
		if _, ok := t.Underlying().(*types.Struct); ok {
			return fieldsOf(t, nil)
		}
		return []location{r.pointed(t)}
	}
	unite := func(a, b types.Type) {
		if types.Identical(a.Underlying(), b.Underlying()) {
			return
		}
		list := append(all(a), all(b)...)
		for _, l := range list[min(1, len(list)):] {
			r.union(list[0], l)
		}
	}
	r.disguised, r.twins, r.strange = map[int]bool{}, map[*types.Struct]*types.Struct{}, map[*types.Struct]string{}
	for _, m := range to {
		r.disguised[r.id(m.to)] = true
		if c, ok := m.of.(*ssa.Convert); ok && deref(c.X.Type()) != nil {
			unite(deref(c.X.Type()), m.to)
			r.twin(deref(c.X.Type()), m.to)
			continue
		}
		for _, t := range from {
			unite(t, m.to)
			r.twin(t, m.to)
		}
	}
}

// twin notes that objects of type a are made ones of type b. If they have the same layout,
// the fields have the names of the component's type, or of the first that is met; else
// they have nothing in common, whatever their names are.
func (r *reach) twin(a, b types.Type) {
	s, ok1 := a.Underlying().(*types.Struct)
	t, ok2 := b.Underlying().(*types.Struct)
	if !ok1 || !ok2 || s == t || types.Identical(s, t) {
		return
	}
	isIt := func(t types.Type) bool { return r.c.named != nil && types.Identical(t, r.c.named) }
	same := s.NumFields() == t.NumFields()
	for i := 0; same && i < s.NumFields(); i++ {
		same = types.Identical(s.Field(i).Type(), t.Field(i).Type())
	}
	if !same {
		if isIt(b) {
			b, t = a, s
		}
		r.strange[t] = strings.NewReplacer(".", "·", "#", "·").Replace(typeName(b))
		return
	}
	name := s
	if isIt(b) {
		name = t
	}
	switch a, b := r.twins[s], r.twins[t]; {
	case a != nil && b != nil:
		return // named already
	case a != nil:
		name = a
	case b != nil:
		name = b
	}
	r.twins[s], r.twins[t] = name, name
}

// same unites the fields of two types of which one is converted to the other.
func (r *reach) same(a, b types.Type, depth int) {
	if p, q := deref(a), deref(b); p != nil && q != nil {
		a, b = p, q
	}
	s, ok1 := a.Underlying().(*types.Struct)
	t, ok2 := b.Underlying().(*types.Struct)
	if !ok1 || !ok2 || s == t || s.NumFields() != t.NumFields() || depth > 3 {
		return
	}
	for i := range s.NumFields() {
		r.union(fieldAt(s, i), fieldAt(t, i))
		r.same(s.Field(i).Type(), t.Field(i).Type(), depth+1)
	}
}
