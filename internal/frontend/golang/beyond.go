// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which objects somebody can get to by way of elements of slices, arrays, maps and
// channels, which are not followed. What is there is not known, but whatever it is, it was put there. If
// code did that which is followed, it is an object that was put into a container of that
// kind (theirs.go notes which were), and of a type that the elements have. What others put
// there, who were given it before, is left out (doc/limits.md).

import (
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// A distant is a type of references that are met beyond what is followed.
type distant struct {
	typ  types.Type
	kind string // of the container that they are in
}

// beyond returns the references that are in the containers which a value of a type is made of. What
// these lead to is found by the objects that they may be.
func (c *compiler) beyond(t types.Type) []distant {
	if all, ok := c.distant[t]; ok {
		return all
	}
	var all []distant
	seen := map[string]*typeutil.Map{}
	var visit func(t types.Type, kind string, first bool)
	inside := func(container, elem types.Type) { visit(elem, containerKind(container), false) }
	visit = func(t types.Type, kind string, first bool) {
		if seen[kind] == nil {
			seen[kind] = &typeutil.Map{}
		}
		if seen[kind].At(t) != nil {
			return
		}
		seen[kind].Set(t, true)
		if refers(t) && !first {
			all = append(all, distant{t, kind})
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			if _, ok := u.Elem().Underlying().(*types.Array); ok {
				visit(u.Elem(), "", false)
			}
		case *types.Struct:
			for i := range u.NumFields() {
				if v := u.Field(i); !isUnsafe(v.Type()) || v.Pkg() == nil || v.Pkg().Path() != "sync/atomic" {
					visit(v.Type(), kind, false) // an atomic pointer has a field that says what it points to
				}
			}
		case *types.Slice:
			inside(u, u.Elem())
		case *types.Array:
			inside(u, u.Elem())
		case *types.Map:
			inside(u, u.Key())
			inside(u, u.Elem())
		case *types.Chan:
			inside(u, u.Elem())
		}
	}
	visit(t, "", true)
	if c.distant == nil {
		c.distant = map[types.Type][]distant{}
	}
	c.distant[t] = all
	return all
}

// arraysIn appends the types of the arrays that an object of a type has inside: they have no scalars
// that would lead to their elements.
func arraysIn(t types.Type, all []types.Type) []types.Type {
	switch u := t.Underlying().(type) {
	case *types.Array:
		all = append(all, t)
	case *types.Struct:
		for i := range u.NumFields() {
			all = arraysIn(u.Field(i).Type(), all)
		}
	}
	return all
}

// mayBeBeyond reports whether an object may be what such a reference is of: it was put into a container
// of that kind. In an interface it is only if code that is reached puts one of its type there, and as
// an any only if the code does so otherwise than as an argument of others (as in coarse programs,
// see givenBy).
func (c *compiler) mayBeBeyond(q *lower.Place, s distant) bool {
	_, known := q.Data.(*errorValue)
	if i, ok := s.typ.Underlying().(*types.Interface); ok && c.reach != nil && !known {
		id := c.reach.id(dynamicType(q))
		if c.rel != nil && c.inAny.of != c.rel {
			c.inAny.of, c.inAny.types = c.rel, c.rel.keptInAny()
		}
		if !c.reach.boxed[id] || i.NumMethods() == 0 && c.rel != nil && !c.inAny.types[id] {
			return false
		}
	}
	return c.theirs.inside[q.Key][s.kind]
}
