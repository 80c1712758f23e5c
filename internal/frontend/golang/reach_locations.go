// SPDX-License-Identifier: Apache-2.0

package golang

// This file has the abstract locations that instructions write.
//
// A location stands for the same scalar of all objects: a field of a struct type,
// a variable whose address does not leave its function, a package variable, the
// length of the maps of a type, the state of channels. A field or variable
// whose address is taken is one with all others of its type (Steensgaard, POPL
// 1996, with types for the points-to sets). A finer partition by allocation was
// not chosen: lowering tells objects apart, and here only cost is at stake.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A location is a *types.Var (a field), *ssa.Alloc, *ssa.Global, *ssa.FreeVar, or
// one of the following.
type location any

type (
	pointedTo struct{ typ int } // what a pointer of unknown origin points to, by type
	sizeOfMap struct{ typ int }
	channels  struct{}
)

// id numbers types.
func (r *reach) id(t types.Type) int {
	if n, ok := r.ids.At(t).(int); ok {
		return n
	}
	n := r.ids.Len()
	r.ids.Set(t, n)
	return n
}

// find returns the representative of a location.
func (r *reach) find(l location) location {
	for {
		p, ok := r.parent[l]
		if !ok {
			return l
		}
		if q, ok := r.parent[p]; ok {
			r.parent[l] = q
		}
		l = p
	}
}

func (r *reach) union(a, b location) {
	if a, b = r.find(a), r.find(b); a != b {
		r.parent[a] = b
	}
}

// fieldAt is the location of a field.
func fieldAt(s *types.Struct, i int) location { return s.Field(i).Origin() }

// at is the location of a scalar at an address; nil for an element of an array or
// slice, which is not followed.
func (r *reach) at(addr ssa.Value) location {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		return fieldAt(deref(a.X.Type()).Underlying().(*types.Struct), a.Field)
	case *ssa.IndexAddr:
		return nil
	case *ssa.Alloc, *ssa.Global, *ssa.FreeVar:
		return a
	case *ssa.ChangeType:
		return r.at(a.X)
	}
	return r.pointed(deref(addr.Type()))
}

func (r *reach) pointed(t types.Type) location {
	if t == nil {
		t = types.Typ[types.Invalid]
	}
	return pointedTo{r.id(t.Underlying())}
}

// parts returns the locations of all scalars at an address of a type, except for
// elements of arrays.
func (r *reach) parts(addr ssa.Value) []location { return r.appendParts(nil, addr) }

// appendParts adds these to a list.
func (r *reach) appendParts(all []location, addr ssa.Value) []location {
	t := deref(addr.Type())
	if t == nil {
		return all
	}
	if _, ok := t.Underlying().(*types.Struct); ok {
		return fieldsOf(t, all)
	}
	if l := r.at(addr); l != nil {
		return append(all, l)
	}
	return all
}

// fieldsOf appends the fields of a struct type that have scalars of their own.
func fieldsOf(t types.Type, all []location) []location {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return all
	}
	for i := range s.NumFields() {
		if _, nested := s.Field(i).Type().Underlying().(*types.Struct); nested {
			all = fieldsOf(s.Field(i).Type(), all)
			continue
		}
		all = append(all, fieldAt(s, i))
	}
	return all
}

// locate unites what may be the same.
func (r *reach) locate(fn *ssa.Function) {
	var ops []*ssa.Value
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.ChangeType:
				r.same(i.X.Type(), i.Type(), 0)
			case *ssa.Convert:
				r.same(i.X.Type(), i.Type(), 0)
			case *ssa.FieldAddr:
				// A struct without a name is the same type wherever it is written.
				if s, ok := types.Unalias(deref(i.X.Type())).(*types.Struct); ok {
					if first, ok := r.unnamed[r.id(s)]; ok {
						r.same(first, s, 0)
					} else {
						r.unnamed[r.id(s)] = s
					}
				}
			case *ssa.MakeClosure:
				g := i.Fn.(*ssa.Function)
				for n, x := range i.Bindings {
					if deref(x.Type()) == nil {
						continue
					}
					if l := r.at(x); l != nil && n < len(g.FreeVars) {
						r.union(g.FreeVars[n], l)
					}
				}
			}
			ops = i.Operands(ops[:0])
			for _, op := range ops {
				switch v := (*op).(type) {
				case *ssa.FieldAddr, *ssa.Alloc, *ssa.Global, *ssa.FreeVar, *ssa.ChangeType:
					if deref(v.Type()) != nil && r.takes(i, *op) {
						if _, isStruct := deref(v.Type()).Underlying().(*types.Struct); !isStruct && r.at(v) != nil {
							r.union(r.at(v), r.pointed(deref(v.Type())))
						}
					}
				}
			}
		}
	}
}

// takes reports whether an instruction uses an address otherwise than to read or
// write there. A conversion does not: what it yields is looked at itself.
func (r *reach) takes(i ssa.Instruction, addr ssa.Value) bool {
	switch i := i.(type) {
	case *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.DebugRef, *ssa.MakeClosure, *ssa.ChangeType:
		return false
	case *ssa.Store:
		return i.Val == addr
	case ssa.CallInstruction:
		if g := r.known[i]; g != nil && r.c.touches(g) {
			for _, a := range i.Common().Args[min(1, len(i.Common().Args)):] {
				if a == addr {
					return true
				}
			}
			return false
		}
	}
	return true
}

// write notes what the instructions of a function write.
func (r *reach) write(fn *ssa.Function) {
	add := func(l location, i ssa.Instruction) {
		l = r.find(l)
		r.writes[l] = append(r.writes[l], i)
		r.written[i] = append(r.written[i], l)
	}
	dead := r.c.deadBlocks(fn)
	for _, b := range fn.Blocks {
		if dead[b] {
			continue
		}
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Store:
				for _, l := range r.parts(i.Addr) {
					add(l, i)
				}
			case *ssa.Convert:
				if r.c.isNumbered(i) {
					for _, l := range r.numberWrites(i) {
						add(l, i)
					}
				}
			case *ssa.MapUpdate:
				add(r.mapSize(i.Map.Type()), i)
			case *ssa.Send:
				add(channels{}, i)
			case *ssa.Select:
				add(channels{}, i)
			case *ssa.UnOp:
				if i.Op == token.ARROW {
					add(channels{}, i)
				}
			case ssa.CallInstruction:
				call := i.Common()
				if b, ok := call.Value.(*ssa.Builtin); ok {
					switch b.Name() {
					case "delete", "clear":
						if _, ok := call.Args[0].Type().Underlying().(*types.Map); ok {
							add(r.mapSize(call.Args[0].Type()), i)
						}
					case "close":
						add(channels{}, i)
					}
				}
				if g := r.known[i]; g != nil && r.c.touches(g) {
					for _, l := range r.atomicAt(i) {
						add(l, i)
					}
				}
			}
		}
	}
}

func (r *reach) mapSize(t types.Type) location { return sizeOfMap{r.id(t.Underlying())} }

// atomicAt is what an atomic operation reads and writes.
func (r *reach) atomicAt(i ssa.CallInstruction) []location {
	args := i.Common().Args
	if len(args) == 0 || deref(args[0].Type()) == nil {
		return nil
	}
	return r.parts(args[0])
}
