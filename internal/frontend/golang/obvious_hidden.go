// SPDX-License-Identifier: Apache-2.0

package golang

// This file says of which types client code has no objects whose fields it could name: they
// are not exported, and nothing that is exported leads to them by its type. What clients
// have in an interface they cannot take apart. Of such types also fields with exported
// names, most often embedded ones, are the package's alone.

import (
	"go/types"
)

// hidden reports whether the fields of a type are out of the reach of clients.
func (p *prover) hidden(n *types.Named) bool {
	obj := n.Obj()
	if obj.Exported() || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return false
	}
	if r, ok := p.c.l.hidden[obj]; ok {
		return r // types say so, and they do not change
	}
	w := &exposure{n: obj, seen: map[types.Type]bool{}}
	scope := obj.Pkg().Scope()
	found := false
	for _, name := range scope.Names() {
		o := scope.Lookup(name)
		if o.Exported() && w.leads(o.Type()) {
			found = true
		}
	}
	if p.c.l.hidden == nil {
		p.c.l.hidden = map[*types.TypeName]bool{}
	}
	p.c.l.hidden[obj] = !found
	return !found
}

// An exposure looks for a type behind exported names.
type exposure struct {
	n    *types.TypeName
	seen map[types.Type]bool
}

func (w *exposure) leads(t types.Type) bool {
	t = types.Unalias(t)
	if w.seen[t] {
		return false
	}
	w.seen[t] = true
	tuple := func(list *types.Tuple) bool {
		for k := range list.Len() {
			if w.leads(list.At(k).Type()) {
				return true
			}
		}
		return false
	}
	switch u := t.(type) {
	case *types.Named:
		if u.Obj() == w.n {
			return true
		}
		for k := range u.TypeArgs().Len() {
			if w.leads(u.TypeArgs().At(k)) {
				return true
			}
		}
		if u.Obj().Pkg() != w.n.Pkg() {
			return false // it knows nothing of this package
		}
		for k := range u.NumMethods() {
			if u.Method(k).Exported() && w.leads(u.Method(k).Type()) {
				return true
			}
		}
		if s, ok := u.Underlying().(*types.Struct); ok {
			return w.fields(s)
		}
		return w.leads(u.Underlying())
	case *types.Pointer:
		return w.leads(u.Elem())
	case *types.Slice:
		return w.leads(u.Elem())
	case *types.Array:
		return w.leads(u.Elem())
	case *types.Chan:
		return w.leads(u.Elem())
	case *types.Map:
		return w.leads(u.Key()) || w.leads(u.Elem())
	case *types.Signature:
		return tuple(u.Params()) || tuple(u.Results())
	case *types.Struct:
		// Whoever makes a struct without a name makes all that is in it.
		n, ok := w.n.Type().(*types.Named)
		return !ok || len(pathsTo(u, n, 0)) > 0 || w.fields(u)
	case *types.Interface:
		for k := range u.NumMethods() {
			if u.Method(k).Exported() && w.leads(u.Method(k).Type()) {
				return true
			}
		}
		for k := range u.NumEmbeddeds() {
			if w.leads(u.EmbeddedType(k)) {
				return true
			}
		}
	case *types.Union:
		for k := range u.Len() {
			if w.leads(u.Term(k).Type()) {
				return true
			}
		}
	case *types.TypeParam:
		return w.leads(u.Constraint())
	}
	return false
}

// fields reports whether fields that clients can name lead there.
func (w *exposure) fields(s *types.Struct) bool {
	for i := range s.NumFields() {
		if f := s.Field(i); (f.Exported() || f.Embedded()) && w.leads(f.Type()) {
			return true
		}
	}
	return false
}

// ownField reports whether only the package of a struct type has to do with a field of it.
func (p *prover) ownField(f *types.Var, in types.Type) bool {
	if !f.Exported() {
		return true
	}
	n, ok := types.Unalias(in).(*types.Named)
	return ok && n.Obj().Pkg() == f.Pkg() && p.hidden(n)
}

// unboxed reports whether a package puts no pointer to a type into an interface, and no
// value of it.
func (p *prover) unboxed(n *types.Named) bool {
	s := p.packageScan(n.Obj().Pkg())
	if s == nil {
		return false
	}
	for _, m := range s.boxes {
		t := m.X.Type()
		if e := deref(t); e != nil {
			t = e
		}
		if x, ok := types.Unalias(t).(*types.Named); ok && x.Obj() == n.Obj() {
			return false
		}
	}
	return true
}
