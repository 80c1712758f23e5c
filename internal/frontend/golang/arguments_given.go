// SPDX-License-Identifier: Apache-2.0

package golang

// This file has what unknown code may write that is given no object with methods of the
// component's package, for arguments.go: by the types of its arguments, elements, entries of maps, what pointers lead to, and fields
// other than those of the component's package that are not exported. Whatever such code does
// with what it is given, and whatever of the state it was told, it gets at no other memory
// of the component: so what it writes depends on what the call depends on, and nothing else does.
//
// A function without a body, in assembly or of the run time, may be given objects of the component,
// too, if these lead to no interface and to no function: it calls no methods, since it knows
// those of no package by name. One of the component's own package also writes fields that are not exported.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// onlyWritesGiven reports whether a call of unknown code writes nothing but what its arguments lead
// to.
func (a *argumentFlow) onlyWritesGiven(i ssa.CallInstruction) bool {
	common := i.Common()
	given := dependence(0)
	for _, x := range common.Args {
		given |= a.of(x)
	}
	if common.StaticCallee() == nil {
		given |= a.of(common.Value)
	}
	if given&intoState == 0 || !a.givesOwn(i) {
		return true
	}
	g := common.StaticCallee()
	return g != nil && len(g.Blocks) == 0 && !slices.ContainsFunc(common.Args, func(x ssa.Value) bool { return leadsToCode(x.Type(), map[types.Type]bool{}) })
}

// leadsToCode reports whether values of a type may lead to functions or to objects whose methods are
// found at run time.
func leadsToCode(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Pointer:
		return leadsToCode(u.Elem(), seen)
	case *types.Slice:
		return leadsToCode(u.Elem(), seen)
	case *types.Array:
		return leadsToCode(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if leadsToCode(f.Type(), seen) {
				return true
			}
		}
		return false
	}
	return true
}

// writesGiven notes what a call of unknown code may write. It reports whether that is known.
func (a *argumentFlow) writesGiven(i ssa.CallInstruction, d dependence) bool {
	common := i.Common()
	list := common.Args
	switch {
	case common.IsInvoke():
		list = append([]ssa.Value{common.Value}, list...)
	case common.StaticCallee() == nil && a.r.mayBeOwn(common.Value.Type(), 0):
		return false
	}
	keys := map[any]bool{}
	g := common.StaticCallee()
	a.hidden = g != nil && len(g.Blocks) == 0 && a.c.l.owns(packageOf(g))
	for _, x := range list {
		if !a.written(x, keys, map[types.Type]bool{}) {
			return false
		}
	}
	for at := range keys {
		a.put(at, d)
	}
	return true
}

// written collects what code may write that is given a value.
func (a *argumentFlow) written(x ssa.Value, keys map[any]bool, seen map[types.Type]bool) bool {
	switch v := x.(type) {
	case *ssa.MakeInterface:
		return a.written(v.X, keys, seen)
	case *ssa.ChangeInterface:
		return a.written(v.X, keys, seen)
	}
	if list := variadic(x); list != nil {
		for _, y := range list {
			if !a.written(y, keys, seen) {
				return false
			}
		}
		return true
	}
	return a.writtenIn(x.Type(), keys, seen)
}

// writtenIn does that for all values of a type.
func (a *argumentFlow) writtenIn(t types.Type, keys map[any]bool, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	at := func(t types.Type) {
		keys[behind{a.r.id(t.Underlying())}] = true
		keys[anywhereOf{a.r.id(t.Underlying())}] = true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Pointer:
		at(u.Elem())
		return a.writtenIn(u.Elem(), keys, seen)
	case *types.Slice:
		at(u.Elem())
		keys[elementsOf{a.r.id(u.Elem().Underlying())}] = true
		return a.writtenIn(u.Elem(), keys, seen)
	case *types.Array:
		at(u.Elem())
		keys[elementsOf{a.r.id(u.Elem().Underlying())}] = true
		return a.writtenIn(u.Elem(), keys, seen)
	case *types.Map:
		keys[mapsOf{a.r.id(u)}] = true
		return a.writtenIn(u.Key(), keys, seen) && a.writtenIn(u.Elem(), keys, seen)
	case *types.Chan:
		return a.writtenIn(u.Elem(), keys, seen)
	case *types.Struct:
		if isBuffer(t) {
			keys[builders{}] = true
		}
		for f := range u.Fields() {
			if !a.c.l.owns(f.Pkg()) || f.Exported() || a.hidden {
				keys[f.Origin()] = true
				keys[anywhereOf{a.r.id(f.Type().Underlying())}] = true
			} else if !f.Embedded() {
				continue
			}
			if !a.writtenIn(f.Type(), keys, seen) {
				return false
			}
		}
	case *types.Interface:
		for _, b := range a.r.boxes {
			if a.r.flows.has(b) && types.Implements(b, u) && !a.writtenIn(b, keys, seen) {
				return false
			}
		}
	case *types.Signature, *types.Tuple:
	default:
		return false
	}
	return true
}

// isBuffer reports whether a type is one of those whose contents are one with all others.
func isBuffer(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	switch n.Obj().Pkg().Path() + "." + n.Obj().Name() {
	case "strings.Builder", "bytes.Buffer":
		return true
	}
	return false
}
