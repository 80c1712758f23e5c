// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds the fields that objects are born with: those that are set where an object is
// made, and never again.
//
//	cw := &countWriter{w: out}
//	compress(cw) // may call cw.Write, and so change cw.count, but not cw.w
//
// Code that is not followed and is given an object may do with it what its type lets it do. It
// cannot name the fields of a type that clients cannot get hold of (hidden), nor assign such an
// object as a whole; it can only have functions of the component's package run. If each store
// into a field in all of that package is into an object that the same function has made, these
// functions write the field only in objects of their own, that did not exist when the call began.
// The objects that a program tells apart were made by code that was followed, which did its stores
// itself. So such a field is what it was, whatever code that is not followed does.
//
// In coarse programs a place may also stand for an object that was made by code of the package that is
// left out, and where the component starts at an allocation, the code that made it goes on when the client
// already has it. There the rule does not hold.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// isBorn reports whether code that is not followed leaves a field as it is, because it is only set where
// objects are made.
func (c *compiler) isBorn(at location) bool {
	f, ok := at.(*types.Var)
	if !ok || f.Pkg() != c.l.pkg.Pkg || c.reach == nil || c.isCoarse() || c.sites {
		return false
	}
	if c.reach.born == nil {
		c.reach.born = c.reach.bornFields()
	}
	return c.reach.born[f]
}

// bornFields returns the fields of the component's package that are only set where objects are made.
func (r *reach) bornFields() map[*types.Var]bool {
	born := map[*types.Var]bool{}
	r.ownFields(&prover{reach: r}, func(f *types.Var, u *fieldUse) {
		if _, nested := f.Type().Underlying().(*types.Struct); nested {
			return
		}
		if u == nil || !u.taken && !slices.ContainsFunc(u.stores, func(st *ssa.Store) bool { return !isNew(st.Addr) }) {
			born[f] = true
		}
	})
	return born
}

// ownFields lists the fields of one type of the component's package each, of which nobody overwrites whole objects, and
// what the package does with them; nil if nothing.
func (r *reach) ownFields(p *prover, do func(f *types.Var, u *fieldUse)) {
	all := p.packageScan(r.c.l.pkg.Pkg)
	if all == nil {
		return
	}
	owners := map[*types.Var]int{} // named types that have the field
	for _, n := range all.named {
		if s, ok := n.Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				owners[f]++
			}
		}
	}
	// Clients can assign an object that they can name, with all that is in it.
	assigned := movedTypes(all)
	for _, n := range all.named {
		if !p.hidden(n) {
			partsOf(n, assigned)
		}
	}
	for _, n := range all.named {
		s, ok := n.Underlying().(*types.Struct)
		if !ok || n.TypeParams().Len() > 0 || r.disguised[r.id(n)] || assigned[n.Obj()] {
			continue
		}
		for f := range s.Fields() {
			if owners[f] == 1 {
				do(f, all.fields[f])
			}
		}
	}
}

// partsOf adds the named types of a value and of what it has inside.
func partsOf(t types.Type, to map[*types.TypeName]bool) {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if to[n.Obj()] {
			return
		}
		to[n.Obj()] = true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		partsOf(u.Elem(), to)
	case *types.Struct:
		for f := range u.Fields() {
			partsOf(f.Type(), to)
		}
	}
}

// movedTypes returns the types of which a package may overwrite whole objects: by a store into something
// that exists, as an element of a slice, array or map, or seen as one of another type; or of which others may overwrite
// them by reflection, as errors.As does with what its target is a pointer to.
func movedTypes(all *fieldScan) map[*types.TypeName]bool {
	moved, seen := map[*types.TypeName]bool{}, map[types.Type]bool{}
	inside := func(t types.Type) {
		if !seen[t] {
			seen[t] = true
			partsOf(t, moved)
		}
	}
	behind := func(t types.Type) {
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		}
		inside(t)
	}
	for _, c := range all.converted {
		behind(c[0])
		behind(c[1])
	}
	for _, fn := range all.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.Store:
					if !isNew(i.Addr) {
						inside(i.Val.Type())
					}
				case *ssa.IndexAddr:
					inside(deref(i.Type()))
				case *ssa.Slice:
					behind(i.Type())
				case *ssa.MakeSlice:
					behind(i.Type())
				case ssa.CallInstruction:
					if _, builtin := i.Common().Value.(*ssa.Builtin); builtin && len(i.Common().Args) > 0 {
						behind(i.Common().Args[0].Type())
					}
				case *ssa.MakeInterface:
					if e := deref(i.X.Type()); e != nil && mayBeTarget(i, e) {
						inside(e)
					}
				}
				// Generic code does what it likes with objects of types that it is given.
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok {
						for _, t := range g.TypeArgs() {
							behind(t)
						}
					}
				}
				if v, ok := i.(ssa.Value); ok {
					t := v.Type()
					if e := deref(t); e != nil {
						t = e
					}
					if m, ok := types.Unalias(t).(*types.Named); ok {
						for a := range m.TypeArgs().Types() {
							behind(a)
						}
					}
				}
			}
		}
	}
	return moved
}

// mayBeTarget reports whether others may assign an object by way of an interface that has a pointer to it: errors are what
// errors.As and the like look for, and package reflect does it with every object.
func mayBeTarget(box *ssa.MakeInterface, elem types.Type) bool {
	if box.Type().Underlying().(*types.Interface).NumMethods() > 0 {
		return false
	}
	if types.Implements(elem, errorInterface) {
		return true
	}
	return slices.ContainsFunc(*box.Referrers(), func(u ssa.Instruction) bool {
		call, ok := u.(ssa.CallInstruction)
		if !ok {
			return false
		}
		g := call.Common().StaticCallee()
		return g != nil && packageOf(g) != nil && packageOf(g).Path() == "reflect"
	})
}
