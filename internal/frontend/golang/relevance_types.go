// SPDX-License-Identifier: Apache-2.0

package golang

// This file has the parts of relevance that go by types: what code that is not
// followed may write, and which references may come back from it.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A typeEdge is a step from an object to what it refers to.
type typeEdge struct {
	at  location     // the scalar that is passed; nil if none is
	to  int          // -1: none
	see *ssa.FreeVar // by what a function sees
	// inside is set for a step to what is not followed there: an element of a container, what an
	// unsafe pointer points to, a field of an object of another package.
	inside types.Type
}

// typeNode returns the number of a type whose steps are known.
func (r *reach) typeNode(t types.Type) int {
	n := r.id(t)
	if r.typeEdges == nil {
		r.typeEdges = map[int][]typeEdge{}
	}
	if _, ok := r.typeEdges[n]; ok {
		return n
	}
	r.typeEdges[n] = nil
	var edges []typeEdge
	field := func(at location, t types.Type) {
		to := -1
		if followed(t) {
			to = r.typeNode(t)
		}
		e := typeEdge{at: at, to: to}
		if v, ok := at.(*types.Var); ok && !r.c.l.owns(v.Pkg()) {
			e.inside = t
		}
		edges = append(edges, e)
	}
	// element is a step to what an element of a container leads to. The element itself is not
	// followed, so it does not matter who writes it.
	var element func(t types.Type)
	element = func(t types.Type) {
		if s, ok := t.Underlying().(*types.Struct); ok {
			for i := range s.NumFields() {
				element(s.Field(i).Type())
			}
			return
		}
		if followed(t) {
			edges = append(edges, typeEdge{to: r.typeNode(t), inside: t})
		}
	}
	var object func(t types.Type)
	object = func(t types.Type) {
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return
		}
		for i := range s.NumFields() {
			ft := s.Field(i).Type()
			if _, nested := ft.Underlying().(*types.Struct); nested {
				object(ft)
				continue
			}
			field(fieldAt(s, i), ft)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if _, ok := u.Elem().Underlying().(*types.Struct); ok {
			object(u.Elem())
		} else {
			field(r.pointed(u.Elem()), u.Elem())
		}
	case *types.Struct:
		object(t)
	case *types.Slice:
		element(u.Elem())
	case *types.Array:
		element(u.Elem())
	case *types.Map:
		edges = append(edges, typeEdge{at: r.mapSize(t), to: -1})
		element(u.Key())
		element(u.Elem())
	case *types.Chan:
		if r.callbacksClose() {
			edges = append(edges, typeEdge{at: channels{}, to: -1})
		}
		element(u.Elem())
	case *types.Interface:
		for _, b := range r.boxes {
			if types.Implements(b, u) {
				edges = append(edges, typeEdge{to: r.typeNode(b)})
			}
		}
	case *types.Signature:
		for _, fn := range r.values {
			if types.Identical(fn.Signature, u) || types.Identical(noReceiver(fn.Signature), u) {
				for _, v := range fn.FreeVars {
					// A variable that is captured is written through its address.
					edges = append(edges, typeEdge{to: r.typeNode(v.Type()), see: v})
					if e := deref(v.Type()); e != nil {
						if _, ok := e.Underlying().(*types.Struct); !ok {
							edges = append(edges, typeEdge{at: v, to: -1})
						}
					}
				}
			}
		}
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			// What the code makes one of; package reflect makes it of what is in interfaces.
			for _, h := range append(r.hidden[:len(r.hidden):len(r.hidden)], anyInterface) {
				edges = append(edges, typeEdge{to: r.typeNode(h), inside: t})
			}
		}
	}
	r.typeEdges[n] = edges
	return n
}

var anyInterface = types.NewInterfaceType(nil, nil)

// leading computes which types lead to a relevant location.
func (r *relevance) leading() map[int]bool {
	lead := map[int]bool{}
	for changed := true; changed; {
		changed = false
		for n, edges := range r.typeEdges {
			if lead[n] {
				continue
			}
			for _, e := range edges {
				if e.to >= 0 && lead[e.to] || e.at != nil && r.locs[r.find(e.at)] && !r.c.isBorn(e.at) {
					lead[n], changed = true, true
					break
				}
			}
		}
	}
	return lead
}

// spoils makes the calls of code that is not followed relevant if it may write
// something relevant, and the references that lead there.
func (r *relevance) spoils() (more bool) {
	if r.only != nil {
		return false
	}
	if r.coarse != nil {
		return r.spoilsByType()
	}
	var nodes [][]int
	for _, i := range r.open {
		var list []int
		for _, x := range r.openArgs(i) {
			list = append(list, r.typeNode(x.Type()))
		}
		nodes = append(nodes, list)
	}
	lead := r.leading()
	seen := map[int]bool{}
	var visit func(n int)
	visit = func(n int) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, e := range r.typeEdges[n] {
			if e.to >= 0 && lead[e.to] {
				if e.inside != nil && r.note(e.inside) {
					more = true
				}
				if e.at != nil && !r.locs[r.find(e.at)] {
					r.locate1(e.at)
					more = true
				}
				if e.see != nil && !r.values[e.see] {
					// Who calls the function gets there by what it was given when it was made.
					r.need(e.see)
					r.locate1(e.see)
					more = true
				}
				visit(e.to)
			}
		}
	}
	for k, i := range r.open {
		if !r.hits(i) {
			continue
		}
		for n, x := range r.openArgs(i) {
			if !lead[nodes[k][n]] || !followed(x.Type()) {
				continue
			}
			visit(nodes[k][n])
			if !r.happens[i] || r.passed[i] {
				r.happen(i)
				more = true
			}
			r.need(x)
		}
	}
	return more || r.waiting()
}

// hits reports whether code that is not followed may write a relevant location, as
// far as its own code says.
func (r *relevance) hits(i ssa.CallInstruction) bool {
	g := i.Common().StaticCallee()
	if g == nil || r.known[i] != nil || r.c.replaced(g) {
		return true
	}
	m := r.effectsOf(g)
	if m == nil {
		return true
	}
	for l := range r.all(m) {
		if r.locs[l] {
			return true
		}
	}
	return false
}

// followed reports whether an environment that is given a value of the type can
// change what it leads to.
func followed(t types.Type) bool { return followedIn(t, 0) }

func followedIn(t types.Type, depth int) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return depth > 8 || followedIn(u.Elem(), depth+1)
	case *types.Array:
		return depth > 8 || followedIn(u.Elem(), depth+1)
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return true
}

// openArgs are the values that the environment is given by a call and may write through. Of a
// variadic argument these are its elements. The object whose method is called by an interface is one
// if the method may be known and is not followed.
func (r *reach) openArgs(i ssa.CallInstruction) []ssa.Value {
	if r.isFollowedOnly(i) {
		return nil
	}
	args := i.Common().Args
	var all []ssa.Value
	if i.Common().IsInvoke() {
		for _, fn := range r.candidates(i.Common()) {
			if !slices.Contains(r.targets[i], fn) {
				all = append(all, i.Common().Value)
				break
			}
		}
	}
	for k, x := range args {
		switch list := givenElements(i.Common(), k); {
		case r.onlyReads(i, k):
		case list != nil:
			all = append(all, list...)
		default:
			all = append(all, x)
		}
	}
	return all
}

// isFollowedOnly reports whether a dynamic call is of functions of the component's package that are followed, and of no other.
func (r *reach) isFollowedOnly(i ssa.CallInstruction) bool {
	if i.Common().StaticCallee() != nil {
		return false
	}
	known, _ := r.resolved(i.Common())
	return known.closed && len(known.fns) > 0 && !slices.ContainsFunc(known.fns, func(fn *ssa.Function) bool {
		return !r.c.l.owns(packageOf(fn)) || len(fn.Blocks) == 0 || !slices.Contains(r.targets[i], fn)
	})
}

// onlyReads reports whether a contract says that a call only reads what an argument leads to.
func (r *reach) onlyReads(i ssa.CallInstruction, k int) bool {
	e := r.effects[i]
	return e != nil && e.read[k-(len(i.Common().Args)-i.Common().Signature().Params().Len())]
}

// givenElements returns the elements of a variadic argument that was made for a call, without the
// interfaces that they were put into for it; nil if the argument is another one.
func givenElements(call *ssa.CallCommon, k int) []ssa.Value {
	if k != len(call.Args)-1 || !call.Signature().Variadic() {
		return nil
	}
	list := variadic(call.Args[k])
	for n, x := range list {
		if m, ok := x.(*ssa.MakeInterface); ok {
			list[n] = m.X
		}
	}
	return list
}

// findEscapes notes the instructions of a function that put references where they
// are not followed.
func (r *relevance) findEscapes(fn *ssa.Function) {
	add := func(i ssa.Instruction, v ssa.Value, to location) {
		if len(references(v.Type(), nil)) > 0 {
			if _, constant := v.(*ssa.Const); !constant {
				r.escapes = append(r.escapes, escaping{i, v, to})
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Store:
				if _, ok := i.Val.Type().Underlying().(*types.Struct); ok && r.at(i.Addr) != nil {
					continue // its fields were stored
				}
				switch l := r.at(i.Addr).(type) {
				case nil:
					if !r.printed(i.Addr) {
						add(i, i.Val, nil)
					}
				case *types.Var:
					// Others than the component's package read it.
					if l.Exported() || !r.c.l.owns(l.Pkg()) {
						add(i, i.Val, l)
					}
				case *ssa.Global:
					if token.IsExported(l.Name()) || !r.c.l.owns(l.Pkg.Pkg) {
						add(i, i.Val, l)
					}
				case *ssa.Alloc, *ssa.FreeVar:
				default:
					add(i, i.Val, l)
				}
			case *ssa.MapUpdate:
				add(i, i.Key, nil)
				add(i, i.Value, nil)
			case *ssa.Send:
				add(i, i.X, nil)
			case *ssa.Select:
				for _, s := range i.States {
					if s.Send != nil {
						add(i, s.Send, nil)
					}
				}
			case *ssa.Call, *ssa.Defer:
				call := i.(ssa.CallInstruction)
				if e := r.effects[call]; e != nil {
					args := call.Common().Args
					receivers := len(args) - call.Common().Signature().Params().Len()
					for k, x := range args {
						if e.changes && !e.read[k-receivers] || e.kept[k-receivers] {
							add(i, x, nil)
						}
					}
				}
			case *ssa.Go:
				for _, x := range i.Call.Args {
					add(i, x, nil)
				}
				if _, ok := i.Call.Value.(*ssa.Function); !ok {
					add(i, i.Call.Value, nil)
				}
			}
		}
	}
}

// printed reports whether an address is an element of the arguments of a call that
// keeps nothing.
func (r *relevance) printed(addr ssa.Value) bool {
	a, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	array, ok := a.X.(*ssa.Alloc)
	if !ok || array.Comment != "varargs" {
		return false
	}
	for _, u := range *array.Referrers() {
		switch u := u.(type) {
		case *ssa.IndexAddr:
		case *ssa.Slice:
			for _, v := range *u.Referrers() {
				call, ok := v.(ssa.CallInstruction)
				if !ok {
					return false
				}
				e := r.effects[call]
				g := r.known[call]
				if e != nil && r.onlyReads(call, len(call.Common().Args)-1) && lastOf(call.Common().Args) == u {
					continue
				}
				if e != nil && (e.changes || len(e.kept) > 0) || e == nil && (g == nil || !quiet[nameOf(g)]) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// refers reports whether values of a type are references.
func refers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// note notes that a relevant value of a type has an unknown origin, and reports whether that is
// new. Of a struct it is what is in it.
func (r *relevance) note(t types.Type) (more bool) {
	for _, part := range references(t, nil) {
		if r.unknown.At(part) == nil {
			r.unknown.Set(part, true)
			more = true
		}
	}
	return more
}

// references appends the types of the references that a value of a type is made of, other than
// those in arrays.
func references(t types.Type, all []types.Type) []types.Type {
	if s, ok := t.Underlying().(*types.Struct); ok {
		for i := range s.NumFields() {
			all = references(s.Field(i).Type(), all)
		}
		return all
	}
	if refers(t) {
		all = append(all, t)
	}
	return all
}

// comeBack makes relevant that references are put where they are not followed, if
// relevant references of unknown origin may be them.
func (r *relevance) comeBack() (more bool) {
	if r.only != nil || r.coarse != nil {
		return false
	}
	for _, fn := range r.fns {
		for _, p := range fn.Params {
			if r.values[p] && r.entries[fn] {
				r.note(p.Type())
			}
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				v, ok := i.(ssa.Value)
				if !ok || !r.instrs[i] {
					continue
				}
				switch i := i.(type) {
				case *ssa.Call, *ssa.Extract, *ssa.Lookup, *ssa.Next, *ssa.Index, *ssa.TypeAssert, *ssa.Select:
				case *ssa.UnOp:
					_ = i
				default:
					continue
				}
				r.note(v.Type())
			}
		}
	}
	more = r.handedBack()
	var types1 []types.Type
	r.unknown.Iterate(func(t types.Type, _ any) { types1 = append(types1, t) })
	for _, e := range r.escapes {
		if r.instrs[e.instr] && r.happens[e.instr] && !r.passed[e.instr] && r.isNeeded(e.value) {
			continue
		}
		if e.to != nil && r.locs[r.find(e.to)] {
			continue // it is followed
		}
		candidates := types1
		if _, ok := e.value.Type().Underlying().(*types.Chan); ok && r.locs[r.find(channels{})] {
			candidates = []types.Type{e.value.Type()} // whether others see it decides what is known of it
		}
		for _, t := range candidates {
			if slices.ContainsFunc(references(e.value.Type(), nil), func(v types.Type) bool { return mayHold(t, v) }) {
				if r.passed[e.instr] {
					r.happen(e.instr)
					more = true
				}
				if !r.happens[e.instr] {
					r.happens[e.instr], r.instrs[e.instr] = true, true
					r.controls(e.instr.Block())
					r.call(e.instr.Parent())
					more = true
				}
				if !r.isNeeded(e.value) {
					r.need(e.value)
					more = true
				}
				if s, ok := e.instr.(*ssa.Store); ok {
					r.need(s.Addr)
				}
				break
			}
		}
	}
	return more || r.waiting()
}

// isNeeded reports whether a value is relevant.
func (r *relevance) isNeeded(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Builtin, *ssa.Function, *ssa.Global:
		return true
	case *ssa.Parameter, *ssa.FreeVar:
		return r.values[v]
	case *ssa.Call:
		return r.needs[resultOf{v, 0}]
	case ssa.Instruction:
		return r.instrs[v]
	}
	return false
}

// mayHold reports whether a reference of type t may be a value of type v.
func mayHold(t, v types.Type) bool {
	a, i := t.Underlying().(*types.Interface)
	b, j := v.Underlying().(*types.Interface)
	switch {
	case i && j:
		return true
	case i:
		return types.Implements(v, a)
	case j:
		return types.Implements(t, b)
	}
	if isUnsafe(t) || isUnsafe(v) {
		return true
	}
	return types.Identical(t.Underlying(), v.Underlying())
}

func isUnsafe(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}
