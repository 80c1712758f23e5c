// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds objects that do not come from elsewhere (late.go) although others of their type do: those that code which is reached
// has made. It is a backward search from where a field is read, through registers, parameters, results, fields and slices, to allocations.
//
// An object that another one is copied to is made here if that one is. One that calls of late code are given, or that these can get at, is not: such
// code may change it.
//
// A function is called by code that is reached, and by others, who keep what it returns. So of the arguments of a function that
// reads a field only those count which code that is reached hands over; but of those that a function stores, all that it may be called with.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A hereSearch looks for where objects are made.
type hereSearch struct {
	w       *wanting
	seen    map[hereKey]bool
	callers map[*ssa.Function][]*ssa.CallCommon // by code that is reached
	valued  map[*ssa.Function]bool              // functions that may be called otherwise, too
	given   []types.Type                        // of what calls that may run late code are given
	slotsOf map[int]bool
	copied  map[int]bool // see copies
}

// A hereKey is a value that is looked at; stored: it is stored somewhere.
type hereKey struct {
	v      ssa.Value
	stored bool
}

// isMadeHere reports whether all objects that an address may be within are made by code that is reached.
func (w *wanting) isMadeHere(v ssa.Value) bool {
	if w.here == nil {
		w.here = &hereSearch{w: w, callers: map[*ssa.Function][]*ssa.CallCommon{}, valued: map[*ssa.Function]bool{}}
		for _, fn := range w.fns {
			w.here.callsIn(fn)
		}
	}
	s := w.here
	s.seen, s.slotsOf, s.copied = map[hereKey]bool{}, map[int]bool{}, map[int]bool{}
	return s.object(v, false) && !s.isGiven(deref(v.Type()))
}

// callsIn notes the calls in a function, and the functions that are used otherwise there.
func (s *hereSearch) callsIn(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, isCall := i.(ssa.CallInstruction)
			if isCall && call.Common().StaticCallee() == nil {
				for _, g := range s.w.candidates(call.Common()) {
					s.valued[g] = true
				}
			}
			if isCall && len(s.w.lateFor(call.Common())) > 0 {
				for _, x := range call.Common().Args {
					s.given = append(s.given, x.Type())
				}
			}
			mentioned(i, func(g *ssa.Function, called bool) {
				if called {
					s.callers[g] = append(s.callers[g], call.Common())
				} else {
					s.valued[g] = true
				}
			})
		}
	}
}

// isGiven reports whether a call that may run late code is given something by which it gets at objects of a type.
func (s *hereSearch) isGiven(t types.Type) bool {
	return slices.ContainsFunc(s.given, func(g types.Type) bool {
		return meets(g, func(u types.Type) bool {
			return types.Identical(u, t) || types.IsInterface(u) && types.Implements(types.NewPointer(t), u.Underlying().(*types.Interface))
		}, func(*types.Var) bool { return true })
	})
}

// object reports whether what a pointer leads to is made here; stored: the pointer is stored into an object that is.
func (s *hereSearch) object(v ssa.Value, stored bool) bool {
	if e := deref(v.Type()); e != nil && s.isOnlyHere(e) {
		return true
	}
	if key := (hereKey{v, stored}); s.seen[key] {
		return true
	} else {
		s.seen[key] = true
	}
	all := func(list []ssa.Value) bool {
		return !slices.ContainsFunc(list, func(x ssa.Value) bool { return !s.object(x, stored) })
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		return s.copies(deref(v.Type()))
	case *ssa.Const:
		return v.IsNil()
	case *ssa.FieldAddr:
		return s.object(v.X, stored)
	case *ssa.ChangeType:
		return s.object(v.X, stored)
	case *ssa.Phi:
		return all(v.Edges)
	case *ssa.UnOp:
		return v.Op == token.MUL && s.loaded(v.X, stored)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && s.result(call, v.Index, stored)
	case *ssa.Call:
		return s.result(v, 0, stored)
	case *ssa.Parameter:
		return s.parameter(v, stored, all)
	}
	return false
}

// isOnlyHere reports whether no objects of a type come from elsewhere.
func (s *hereSearch) isOnlyHere(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !s.w.c.l.owns(n.Obj().Pkg()) || n.TypeArgs().Len() > 0 {
		return false
	}
	l := s.w.flows.late
	return len(l.met) <= maxTypes && l.types.At(t) == nil
}

// loaded reports whether pointers that are read at an address lead to objects that are made here.
func (s *hereSearch) loaded(addr ssa.Value, stored bool) bool {
	switch at := addr.(type) {
	case *ssa.Alloc:
		for _, u := range *at.Referrers() {
			switch u := u.(type) {
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.Store:
				if u.Addr != ssa.Value(at) || !s.object(u.Val, stored) {
					return false
				}
			default:
				return false
			}
		}
		return true
	case *ssa.FieldAddr:
		return s.field(at, stored, s.object)
	case *ssa.IndexAddr:
		return s.elements(at.X, stored)
	}
	return false
}

// field reports whether all that code which is reached stores into a field of objects that are made here is so.
func (s *hereSearch) field(at *ssa.FieldAddr, stored bool, is func(v ssa.Value, stored bool) bool) bool {
	f := fieldVar(at)
	if f.Exported() || !s.w.c.l.owns(f.Pkg()) || !s.object(at.X, stored) {
		return false
	}
	scan := (&prover{reach: s.w.reach}).packageScan(f.Pkg())
	if scan == nil || scan.convertedFields()[f] {
		return false
	}
	use := scan.fields[f]
	if use == nil {
		return true
	}
	if use.taken {
		return false
	}
	for _, st := range use.stores {
		if _, reached := s.w.abroad[st.Parent()]; reached && !is(st.Val, true) {
			return false
		}
	}
	return true
}

// elements reports whether the elements of a slice are pointers to objects that are made here.
func (s *hereSearch) elements(v ssa.Value, stored bool) bool {
	if key := (hereKey{v, stored}); s.seen[key] {
		return true
	} else {
		s.seen[key] = true
	}
	if u, ok := v.Type().Underlying().(*types.Slice); ok && !s.slots(u.Elem()) {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.MakeSlice:
		return true // for what is stored there, see slots
	case *ssa.Phi:
		return !slices.ContainsFunc(v.Edges, func(x ssa.Value) bool { return !s.elements(x, stored) })
	case *ssa.Slice:
		return s.elements(v.X, stored)
	case *ssa.Alloc:
		// The array of a slice literal.
		return !slices.ContainsFunc(*v.Referrers(), func(u ssa.Instruction) bool {
			switch u.(type) {
			case *ssa.IndexAddr, *ssa.Slice, *ssa.DebugRef:
				return false
			}
			return true
		})
	case *ssa.UnOp:
		at, ok := v.X.(*ssa.FieldAddr)
		return ok && v.Op == token.MUL && s.field(at, stored, s.elements)
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "append" && s.elements(v.Call.Args[0], stored) && s.elements(v.Call.Args[1], stored)
	}
	return false
}

// copies reports whether code that is reached copies only objects that are made here over others of a type, and of the structs within.
func (s *hereSearch) copies(t types.Type) bool {
	if known, ok := s.copied[s.w.id(t)]; ok {
		return known
	}
	s.copied[s.w.id(t)] = true // while it is looked for
	known := !s.any(func(i ssa.Instruction) bool {
		st, ok := i.(*ssa.Store)
		return ok && types.Identical(st.Val.Type(), t) && !s.copy(st.Val)
	})
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if isCopied(f.Type()) {
				known = known && s.copies(f.Type())
			}
		}
	case *types.Array:
		if isCopied(u.Elem()) {
			known = known && s.copies(u.Elem())
		}
	}
	s.copied[s.w.id(t)] = known
	return known
}

// isCopied reports whether values of a type have fields or elements.
func isCopied(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// copy reports whether a value that is stored is that of an object that is made here, or has no fields.
func (s *hereSearch) copy(v ssa.Value) bool {
	if !isCopied(v.Type()) {
		return true
	}
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.UnOp:
		return v.Op == token.MUL && s.object(v.X, true)
	}
	return false
}

// any reports whether one of the instructions of the code that is reached is so.
func (s *hereSearch) any(is func(i ssa.Instruction) bool) bool {
	for _, fn := range s.w.fns {
		for _, b := range fn.Blocks {
			if slices.ContainsFunc(b.Instrs, is) {
				return true
			}
		}
	}
	return false
}

// slots reports whether code that is reached puts pointers only to objects that are made here into slices and arrays with elements of a
// type, one by one, and gives no such slice to code that is not reached.
func (s *hereSearch) slots(t types.Type) bool {
	known, ok := s.slotsOf[s.w.id(t)]
	if ok {
		return known
	}
	s.slotsOf[s.w.id(t)] = true // while it is looked for
	known = !s.any(func(i ssa.Instruction) bool { return s.mayPut(i, t) })
	s.slotsOf[s.w.id(t)] = known
	return known
}

// mayPut reports whether an instruction may put another pointer there.
func (s *hereSearch) mayPut(i ssa.Instruction, t types.Type) bool {
	switch i := i.(type) {
	case *ssa.Store:
		if !types.Identical(i.Val.Type(), t) {
			return false
		}
		switch i.Addr.(type) {
		case *ssa.FieldAddr, *ssa.Alloc, *ssa.Global, *ssa.FreeVar:
			return false
		case *ssa.IndexAddr:
			return !s.object(i.Val, true)
		}
		return true
	case ssa.CallInstruction:
		common := i.Common()
		if b, ok := common.Value.(*ssa.Builtin); ok && b.Name() != "copy" {
			return false
		}
		if g := common.StaticCallee(); g != nil && len(g.Blocks) > 0 {
			if _, reached := s.w.abroad[g]; reached {
				return false
			}
		}
		return slices.ContainsFunc(common.Args, func(x ssa.Value) bool {
			u, ok := x.Type().Underlying().(*types.Slice)
			return ok && types.Identical(u.Elem(), t)
		})
	}
	return false
}

// result reports whether what a call returns leads to objects that are made here.
func (s *hereSearch) result(call *ssa.Call, k int, stored bool) bool {
	g := call.Call.StaticCallee()
	if g == nil || len(g.Blocks) == 0 {
		return false
	}
	if _, reached := s.w.abroad[g]; !reached {
		return false
	}
	for _, b := range g.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !s.object(r.Results[k], stored) {
			return false
		}
	}
	return true
}

// parameter reports whether a function is given only pointers to such objects. Methods and functions that are exported, and those that are
// used as values, others may call, too.
func (s *hereSearch) parameter(p *ssa.Parameter, stored bool, all func(list []ssa.Value) bool) bool {
	fn := p.Parent()
	k := slices.Index(fn.Params, p)
	itself := k == 0 && s.isComponent(fn) // where a client calls it
	if !itself && (s.w.entries[fn] || s.valued[fn] || stored && token.IsExported(fn.Name()) || len(s.callers[fn]) == 0) {
		return false
	}
	var list []ssa.Value
	for _, call := range s.callers[fn] {
		x := argumentOf(call, fn, k)
		if x == nil {
			return false
		}
		list = append(list, x)
	}
	return all(list)
}

// isComponent reports whether a function is a method of the component, which code that is reached has made. Nothing but a call of it by name leads
// to an object of its type that comes from elsewhere.
func (s *hereSearch) isComponent(fn *ssa.Function) bool {
	c := s.w.c
	recv := fn.Signature.Recv()
	if recv == nil || c.named == nil || c.sites || s.w.flows.late.twins || s.valued[fn] {
		return false
	}
	e := deref(recv.Type())
	return e != nil && types.Identical(e, c.named)
}
