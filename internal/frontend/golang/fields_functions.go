// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which functions a field may hold: the field is not exported, its address is not
// taken, and everything that its package stores there is a function that the code names. No other
// code sets it, so a call of what is in the field calls one of these, or nothing, if it is nil.
//
//	switch level {
//	case fast:
//		c.step = (*compressor).encodeFast
//	default:
//		c.step = (*compressor).deflate
//	}
//
// It is field-based (Heintze and Tardieu, PLDI 2001): all objects of the type are one.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A functionField is what a package stores into a field.
type functionField struct {
	fns   []*ssa.Function
	other bool // something that is not known
}

// fieldFunctions returns the functions that a dynamic call may call which takes its function from a field; ok is false if
// there may be others.
func (l *loaded) fieldFunctions(call *ssa.CallCommon) (fns []*ssa.Function, ok bool) {
	if call.IsInvoke() {
		return nil, false
	}
	var f *types.Var
	switch v := call.Value.(type) {
	case *ssa.UnOp:
		a, ok := v.X.(*ssa.FieldAddr)
		if !ok || v.Op != token.MUL {
			return nil, false
		}
		// A struct without a name is another one, with other fields, wherever it is written.
		if _, named := namedPointer(a.X.Type()); !named {
			return nil, false
		}
		f = fieldVar(a)
	default:
		return nil, false
	}
	if f.Exported() || f.Pkg() == nil {
		return nil, false
	}
	if l.fields == nil {
		l.fields = map[*types.Package]map[*types.Var]*functionField{}
	}
	all, ok := l.fields[f.Pkg()]
	if !ok {
		all = l.scanFunctionFields(f.Pkg())
		l.fields[f.Pkg()] = all
	}
	u := all[f]
	if u == nil || u.other {
		return nil, false
	}
	return u.fns, true
}

// scanFunctionFields looks at all code of a package; nil: some of it is not there.
func (l *loaded) scanFunctionFields(pkg *types.Package) map[*types.Var]*functionField {
	all := map[*types.Var]*functionField{}
	use := func(f *types.Var) *functionField {
		u := all[f]
		if u == nil {
			u = &functionField{}
			all[f] = u
		}
		return u
	}
	spoil := func(t types.Type) { // values of it are seen as ones of another type
		if e := deref(t); e != nil {
			t = e
		}
		var visit func(t types.Type)
		visit = func(t types.Type) {
			switch t := t.Underlying().(type) {
			case *types.Struct:
				for f := range t.Fields() {
					use(f.Origin()).other = true
					visit(f.Type())
				}
			case *types.Array:
				visit(t.Elem())
			}
		}
		visit(t)
	}
	for _, fn := range l.functionsOf()[pkg] {
		if len(fn.Blocks) == 0 && fn.TypeParams().Len() > 0 {
			return nil
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.ChangeType:
					spoil(i.X.Type())
					spoil(i.Type())
				case *ssa.Convert:
					spoil(i.X.Type())
					spoil(i.Type())
				case *ssa.MultiConvert:
					spoil(i.X.Type())
					spoil(i.Type())
				case *ssa.FieldAddr:
					f := fieldVar(i)
					if _, ok := f.Type().Underlying().(*types.Signature); ok {
						use(f).add(i)
					}
				}
			}
		}
	}
	return all
}

// add notes what is done with the address of a field.
func (u *functionField) add(a *ssa.FieldAddr) {
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
		case *ssa.Store:
			v := r.Val
			if c, ok := v.(*ssa.ChangeType); ok {
				v = c.X
			}
			if m, ok := v.(*ssa.MakeClosure); ok {
				v = m.Fn
			}
			fn, ok := v.(*ssa.Function)
			switch {
			case r.Addr != ssa.Value(a):
				u.other = true
			case ok && len(fn.Blocks) > 0:
				if !slices.Contains(u.fns, fn) {
					u.fns = append(u.fns, fn)
				}
			case !isNilConst(v):
				u.other = true
			}
		default:
			u.other = true
		}
	}
}
