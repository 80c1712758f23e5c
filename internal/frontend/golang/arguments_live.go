// SPDX-License-Identifier: Apache-2.0

package golang

// This file leaves out code that a call cannot reach, for arguments.go. A helper that is
// written for values of many types is often called with one: a test of the dynamic type, of the
// kind that package reflect tells, or for nil then goes one way only. Such tests are decided by what
// is handed to the function in the code that is looked at, as in conditional constant
// propagation (Wegman and Zadeck, TOPLAS 1991): code counts only once something reaches it,
// and what reaches it only grows.

import (
	"go/constant"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/ssa"
)

// markLive finds the blocks of a function that can be reached, as far as is known.
func (a *argumentFlow) markLive(fn *ssa.Function) {
	live := a.live[fn]
	if live == nil {
		live = make([]bool, len(fn.Blocks)+1)
		a.live[fn] = live
	}
	seen := make([]bool, len(fn.Blocks)+1)
	work := []*ssa.BasicBlock{fn.Blocks[0]}
	if fn.Recover != nil {
		work = append(work, fn.Recover)
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b.Index] {
			continue
		}
		seen[b.Index] = true
		if !live[b.Index] {
			live[b.Index] = true
			a.changed = true
		}
		next := b.Succs
		if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			if yes, known := a.truth(i.Cond); known && yes {
				next = next[:1]
			} else if known {
				next = next[1:]
			}
		}
		work = append(work, next...)
	}
}

// isLive reports whether a block of a function that was entered can be reached.
func (a *argumentFlow) isLive(b *ssa.BasicBlock) bool { return a.live[b.Parent()][b.Index] }

// truth returns the value of a condition, if it is always the same.
func (a *argumentFlow) truth(v ssa.Value) (yes, known bool) {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.Bool {
			return constant.BoolVal(v.Value), true
		}
	case *ssa.UnOp:
		if v.Op == token.NOT {
			yes, known = a.truth(v.X)
			return !yes, known
		}
	case *ssa.Extract:
		if t, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 1 {
			return a.asserts(t)
		}
	case *ssa.BinOp:
		if v.Op != token.EQL && v.Op != token.NEQ {
			return false, false
		}
		same, known := a.same(v.X, v.Y)
		return same == (v.Op == token.EQL), known
	}
	return false, false
}

// same reports whether two values are equal, if that is known: what is compared with nil, and
// kinds of types.
func (a *argumentFlow) same(x, y ssa.Value) (yes, known bool) {
	c, ok := y.(*ssa.Const)
	if !ok {
		if c, ok = x.(*ssa.Const); !ok {
			return false, false
		}
		x = y
	}
	if call, ok := x.(*ssa.Call); ok && c.Value != nil {
		if g := call.Call.StaticCallee(); g == nil || nameOf(g) != "(reflect.Value).Kind" {
			return false, false
		}
		list, ok := a.reflectedTypes(call.Call.Args[0], map[ssa.Value]bool{})
		return all(list, ok, func(t types.Type) bool { return int64(reflectKind(t)) == c.Int64() })
	}
	if c.Value != nil || !refers(x.Type()) {
		return false, false
	}
	list, ok := a.sources(x, map[ssa.Value]bool{})
	for _, v := range list {
		switch v.(type) {
		case *ssa.Const, *ssa.Alloc, *ssa.FieldAddr, *ssa.MakeInterface, *ssa.MakeClosure, *ssa.Function, *ssa.MakeMap, *ssa.MakeSlice:
		default:
			ok = false
		}
	}
	return all(list, ok, func(v ssa.Value) bool { _, isNil := v.(*ssa.Const); return isNil })
}

// all reports whether something holds for all of some things, or for none.
func all[T any](list []T, complete bool, is func(T) bool) (yes, known bool) {
	if !complete || len(list) == 0 {
		return false, false
	}
	yes = is(list[0])
	for _, x := range list[1:] {
		if is(x) != yes {
			return false, false
		}
	}
	return yes, true
}

// sources are the values that a value may be: what the code makes, and what is handed on as
// arguments; ok is false if there may be others.
func (a *argumentFlow) sources(v ssa.Value, seen map[ssa.Value]bool) (list []ssa.Value, ok bool) {
	if v == nil {
		return nil, false
	}
	if seen[v] {
		return nil, true
	}
	seen[v] = true
	from := func(some []ssa.Value) ([]ssa.Value, bool) { return gather(some, seen, a.sources) }
	switch v := v.(type) {
	case *ssa.Phi:
		return from(v.Edges)
	case *ssa.Parameter:
		if v.Parent() == a.entry || len(a.passed[v]) == 0 {
			return nil, false
		}
		for _, x := range a.passed[v] {
			if x == nil || !types.Identical(x.Type(), v.Type()) {
				return nil, false // a receiver that was in an interface may be nil
			}
		}
		return from(a.passed[v])
	case *ssa.ChangeInterface:
		return from([]ssa.Value{v.X})
	}
	return []ssa.Value{v}, true
}

// asserts reports whether a value is of the type that it is asserted to be, if that is known.
func (a *argumentFlow) asserts(t *ssa.TypeAssert) (yes, known bool) {
	list, ok := a.sources(t.X, map[ssa.Value]bool{})
	for _, v := range list {
		if _, made := v.(*ssa.MakeInterface); !made {
			return false, false
		}
	}
	return all(list, ok, func(v ssa.Value) bool {
		of := v.(*ssa.MakeInterface).X.Type()
		if i, ok := t.AssertedType.Underlying().(*types.Interface); ok {
			return types.Implements(of, i)
		}
		return types.Identical(of, t.AssertedType)
	})
}

// reflectedTypes are the types of what a reflect.Value may hold; ok is false if others may
// be.
func (a *argumentFlow) reflectedTypes(v ssa.Value, seen map[ssa.Value]bool) (list []types.Type, ok bool) {
	call, ok := v.(*ssa.Call)
	if !ok || seen[v] || call.Call.StaticCallee() == nil {
		return nil, false
	}
	seen[v] = true
	switch nameOf(call.Call.StaticCallee()) {
	case "reflect.ValueOf":
		made, ok := a.sources(call.Call.Args[0], map[ssa.Value]bool{})
		for _, v := range made {
			m, is := v.(*ssa.MakeInterface)
			if !ok || !is {
				return nil, false
			}
			list = append(list, m.X.Type())
		}
		return list, ok
	case "(reflect.Value).Elem", "reflect.Indirect":
		// Only of what is in the interface itself: a pointer in memory may be another.
		if !isBoxed(call.Call.Args[0], map[ssa.Value]bool{}) {
			return nil, false
		}
		some, ok := a.reflectedTypes(call.Call.Args[0], seen)
		for _, t := range some {
			e := deref(t)
			if e == nil || types.IsInterface(e) {
				return nil, false
			}
			list = append(list, e)
		}
		return list, ok
	}
	return nil, false
}

// isBoxed reports whether a reflect.Value is what is in an interface, or none.
func isBoxed(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.Call:
		return v.Call.StaticCallee() != nil && nameOf(v.Call.StaticCallee()) == "reflect.ValueOf"
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !isBoxed(e, seen) {
				return false
			}
		}
		return true
	}
	return false
}

// reflectKind is the kind that package reflect gives a type.
func reflectKind(t types.Type) reflect.Kind {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Bool:
			return reflect.Bool
		case types.Int:
			return reflect.Int
		case types.Int8:
			return reflect.Int8
		case types.Int16:
			return reflect.Int16
		case types.Int32:
			return reflect.Int32
		case types.Int64:
			return reflect.Int64
		case types.Uint:
			return reflect.Uint
		case types.Uint8:
			return reflect.Uint8
		case types.Uint16:
			return reflect.Uint16
		case types.Uint32:
			return reflect.Uint32
		case types.Uint64:
			return reflect.Uint64
		case types.Uintptr:
			return reflect.Uintptr
		case types.Float32:
			return reflect.Float32
		case types.Float64:
			return reflect.Float64
		case types.Complex64:
			return reflect.Complex64
		case types.Complex128:
			return reflect.Complex128
		case types.String:
			return reflect.String
		case types.UnsafePointer:
			return reflect.UnsafePointer
		}
	case *types.Array:
		return reflect.Array
	case *types.Chan:
		return reflect.Chan
	case *types.Signature:
		return reflect.Func
	case *types.Interface:
		return reflect.Interface
	case *types.Map:
		return reflect.Map
	case *types.Pointer:
		return reflect.Pointer
	case *types.Slice:
		return reflect.Slice
	case *types.Struct:
		return reflect.Struct
	}
	return reflect.Invalid
}

// What methods of reflect.Value look at.
var (
	// only the type and how the value was obtained
	reflectedHeader = map[string]bool{"Kind": true, "Type": true, "IsValid": true, "CanSet": true, "CanAddr": true, "CanInterface": true, "CanInt": true, "CanUint": true, "CanFloat": true, "NumField": true, "NumMethod": true}
	// the value itself, which is a copy where it was in an interface
	reflectedValue = map[string]bool{"Int": true, "Uint": true, "Float": true, "Bool": true, "Complex": true, "IsNil": true, "Convert": true, "Interface": true}
	// it is changed
	reflectedSet = map[string]bool{"Set": true, "SetBool": true, "SetInt": true, "SetUint": true, "SetFloat": true, "SetComplex": true, "SetString": true, "SetBytes": true, "SetZero": true}
)

// reflected is a call of package reflect by code of the component's package. Types do not change,
// and neither does what is in an interface. It may panic, by what it is given.
func (a *argumentFlow) reflected(i ssa.CallInstruction, g *ssa.Function, given, here dependence) dependence {
	a.mayPanic[i] = given & onAny
	common := i.Common()
	name := nameOf(g)
	switch name {
	case "reflect.ValueOf":
		return given
	case "reflect.TypeOf":
		return given & onAny
	}
	if len(common.Args) == 0 {
		return onState | intoState
	}
	_, known := a.reflectedTypes(common.Args[0], map[ssa.Value]bool{})
	direct := isBoxed(common.Args[0], map[ssa.Value]bool{})
	receiver := g.Signature.Recv() != nil
	switch {
	case name == "reflect.Indirect" || receiver && g.Name() == "Elem":
		if known && direct {
			return given
		}
	case receiver && reflectedHeader[g.Name()]:
		return given & onAny
	case receiver && g.Name() == "Convert" && given&intoState != 0:
		return onState | intoState // a text of what is in a slice
	case receiver && reflectedValue[g.Name()] && direct:
		return given
	case receiver && reflectedSet[g.Name()]:
		if d := given&onAny | here; a.of(common.Args[0])&intoState == 0 && a.wild|d != a.wild {
			a.wild |= d
			a.changed = true
		}
		return 0
	}
	return onState | intoState
}

// isReflectType reports whether a call is of a method of reflect.Type, which tells something
// about a type.
func isReflectType(call *ssa.CallCommon) bool {
	if !call.IsInvoke() {
		return false
	}
	n, ok := types.Unalias(call.Value.Type()).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "reflect" && n.Obj().Name() == "Type"
}
