// SPDX-License-Identifier: Apache-2.0

package golang

// This file says what clients may have written by code of the component's package that the
// calls at hand do not reach. An option such as
//
//	func WithSize(n int) Option { return func(o *options) { o.size = n } }
//
// is made by the client, which calls an exported function, and comes back to the component
// as a value of unknown origin that is given an object. The fields that it writes are not
// exported, and no code that is reached writes them.
//
// Strangers are the functions of the component's package that are not reached and that code
// of other packages can run: exported functions and methods, those of the component included (what clients call on
// it themselves are the calls of the alphabet, but one of these may hand it to a function of theirs); what these
// call; what they make function values of; and the methods of what they put into
// interfaces. Code of clients that is given a value may write each location that a stranger
// writes and that the type of the value leads to. An object that a stranger makes itself is no
// object that the program knows, so what it writes there does not count.
//
// Function literals that code which is reached makes, but does not call, are not reached, either. Whoever is
// given one may write what it writes (givenBy).

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// strangers returns the locations that strangers write.
func (r *reach) strangers() map[location]bool {
	if r.outside != nil {
		return r.outside
	}
	r.outside = map[location]bool{}
	seen := map[*ssa.Function]bool{}
	var work []*ssa.Function
	visit := func(fn *ssa.Function) {
		if fn != nil && !seen[fn] && r.c.l.owns(packageOf(fn)) {
			seen[fn] = true
			work = append(work, fn)
		}
	}
	root := func(fn *ssa.Function) {
		if fn != nil && fn.Object() != nil && fn.Object().Exported() {
			if _, reached := r.abroad[fn]; !reached {
				visit(fn)
			}
		}
	}
	methods := func(t types.Type, do func(fn *ssa.Function)) {
		if types.IsInterface(t) {
			return
		}
		if n, ok := types.Unalias(t).(*types.Named); ok && n.TypeParams().Len() > n.TypeArgs().Len() {
			return // nobody has values of it
		}
		set := r.c.l.prog.MethodSets.MethodSet(types.NewPointer(t))
		for k := range set.Len() {
			do(r.c.l.prog.MethodValue(set.At(k)))
		}
	}
	for _, pkg := range r.c.l.own() {
		for _, name := range pkg.Pkg.Scope().Names() {
			switch m := pkg.Members[name].(type) {
			case *ssa.Function:
				root(m)
			case *ssa.Type:
				methods(m.Type(), root)
			}
		}
	}
	for len(work) > 0 {
		fn := work[0]
		work = work[1:]
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				r.strangeWrites(i)
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok {
						visit(g)
					}
				}
				switch i := i.(type) {
				case *ssa.MakeInterface:
					t := i.X.Type()
					if e := deref(t); e != nil {
						t = e
					}
					methods(t, visit)
				case ssa.CallInstruction:
					if call := i.Common(); call.StaticCallee() == nil {
						for _, g := range r.candidates(call) {
							visit(g)
						}
					}
				}
			}
		}
	}
	return r.outside
}

// strangeWrites notes what an instruction of a stranger writes: also what it may have written
// by somebody who gets an address.
func (r *reach) strangeWrites(i ssa.Instruction) {
	add := func(addr ssa.Value) {
		if !isFresh(addr) {
			for _, l := range r.parts(addr) {
				r.outside[r.find(l)] = true
			}
		}
	}
	switch i := i.(type) {
	case *ssa.Store:
		add(i.Addr)
		if _, ok := i.Val.(*ssa.FieldAddr); ok {
			add(i.Val)
		}
		return
	case *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.DebugRef:
		return
	case *ssa.MapUpdate:
		r.outside[r.find(r.mapSize(i.Map.Type()))] = true
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok && len(i.Call.Args) > 0 {
			if _, ok := i.Call.Args[0].Type().Underlying().(*types.Map); ok && b.Name() != "len" {
				r.outside[r.find(r.mapSize(i.Call.Args[0].Type()))] = true
			}
		}
	}
	for _, op := range i.Operands(nil) {
		switch v := unconverted(*op).(type) {
		case *ssa.FieldAddr:
			add(v)
		case *ssa.IndexAddr:
			add(v)
		}
	}
}

// isFresh reports whether an address is that of a part of an object that the same function
// makes.
func isFresh(addr ssa.Value) bool {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
			continue
		case *ssa.Alloc:
			return true
		}
		return false
	}
}

// leadsTo returns the locations that strangers write and that they get at by a value of a
// type: fields, exported or not, of what it refers to. Behind an interface is what may be there. A function that
// they find in a field they may call, which writes what it writes; one that is given itself is
// looked at elsewhere (givenBy). Only objects of the component's package that are given as such
// count, not those that may be in an interface: what fields of one type in all objects
// have in common would make too much of it.
func (r *relevance) leadsTo(t types.Type) map[location]bool {
	elem := t
	if e := deref(t); e != nil {
		elem = e
	}
	if n, ok := types.Unalias(elem).(*types.Named); !ok || !r.c.l.owns(n.Obj().Pkg()) || types.IsInterface(n) {
		return nil
	}
	strange := r.strangers()
	if len(strange) == 0 {
		return nil
	}
	all := map[location]bool{}
	add := func(l location) {
		if l = r.find(l); strange[l] {
			all[l] = true
		}
	}
	// In what only the component's package sees may be everything that it puts there, in the rest what
	// it has given away.
	seen := map[giving]bool{}
	var visit func(t types.Type, given, argument bool)
	visit = func(t types.Type, given, argument bool) {
		if seen[giving{r.id(t), given}] {
			return
		}
		seen[giving{r.id(t), given}] = true
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			if _, ok := u.Elem().Underlying().(*types.Struct); !ok {
				add(r.pointed(u.Elem()))
			}
			visit(u.Elem(), given, false)
		case *types.Struct:
			for i := range u.NumFields() {
				v := u.Field(i)
				if _, nested := v.Type().Underlying().(*types.Struct); !nested {
					add(fieldAt(u, i))
				}
				visit(v.Type(), given && (v.Exported() || !r.c.l.owns(v.Pkg())), false)
			}
		case *types.Map:
			add(r.mapSize(t))
			visit(u.Key(), given, false)
			visit(u.Elem(), given, false)
		case *types.Slice:
			visit(u.Elem(), given, false)
		case *types.Array:
			visit(u.Elem(), given, false)
		case *types.Chan:
			visit(u.Elem(), given, false)
		case *types.Interface:
			for _, b := range r.boxes {
				if types.Implements(b, u) && (!given || r.flows.has(b)) && (u.NumMethods() > 0 || r.coarse.keptAny[r.id(b)]) {
					visit(b, given, false)
				}
			}
		case *types.Signature:
			for _, fn := range r.reach.values {
				if argument || !types.Identical(noReceiver(fn.Signature), noReceiver(u)) || given && !r.flows.hasFunc(fn) {
					continue
				}
				r.writesOf(fn, all)
			}
		}
	}
	visit(t, true, true)
	return all
}

// writesOf adds what a function writes that somebody calls. Of a function of which that is not
// known, it is everything that it sees.
func (r *relevance) writesOf(fn *ssa.Function, to map[location]bool) {
	if m := r.effectsOf(fn); m != nil {
		for l := range r.all(m) {
			to[l] = true
		}
		return
	}
	seen := map[int]bool{}
	var visit func(n int)
	visit = func(n int) {
		if n < 0 || seen[n] {
			return
		}
		seen[n] = true
		for _, e := range r.typeEdges[n] {
			if e.at != nil {
				to[r.find(e.at)] = true
			}
			visit(e.to)
		}
	}
	visit(r.typeNode(fn.Signature))
}
