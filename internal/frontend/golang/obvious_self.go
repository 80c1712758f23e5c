// SPDX-License-Identifier: Apache-2.0

package golang

// This file is about objects of other packages that remember their own address, to find out that they were copied:
//
//	if b.addr == nil {
//		b.addr = b
//	} else if b.addr != b {
//		panic("copied by value")
//	}
//
// The field is nil or the address of its object if its package stores nothing else there and no code that is followed copies
// such an object, or one that has it as a part. Clients change objects only through calls, by convention.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// isSelf reports whether two values are the address of an object and what a field of the object holds, which is the same
// unless it is nil.
func (p *prover) isSelf(x, y ssa.Value, at point) bool {
	load, f := fieldLoad(x)
	if load == nil || f.X != y || !types.Identical(x.Type(), y.Type()) {
		return false
	}
	n, ok := namedPointer(x.Type())
	return ok && p.notNil(x, at) && p.remembersItself(fieldVar(f), n)
}

// remembersItself reports whether a field of objects of another package is nil or the address of its object.
func (p *prover) remembersItself(f *types.Var, n *types.Named) bool {
	pkg := n.Obj().Pkg()
	if f.Exported() || pkg == nil || f.Pkg() != pkg || p.c.l.owns(pkg) || n.TypeArgs().Len() > 0 {
		return false
	}
	return p.once(fact{kind: selfFact, v: f}, func() bool {
		s := p.packageScan(pkg)
		if s == nil || s.fields[f] == nil || s.fields[f].taken {
			return false
		}
		for _, st := range s.fields[f].stores {
			if !isNilConst(st.Val) && unmoved(st.Val) != st.Addr.(*ssa.FieldAddr).X {
				return false
			}
		}
		return !p.copies(n)
	})
}

// unmoved follows a pointer through conversions that do not change it.
func unmoved(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.Convert:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Call:
			if g := x.Call.StaticCallee(); g == nil || nameOf(g) != "internal/abi.NoEscape" {
				return v
			}
			v = x.Call.Args[0]
		default:
			return v
		}
	}
}

// copies reports whether code that is followed has objects of a type as values: copies of others.
func (p *prover) copies(n *types.Named) bool {
	for fn := range p.abroad {
		for _, x := range fn.Params {
			if len(pathsTo(x.Type(), n, 0)) > 0 {
				return true
			}
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				v, ok := i.(ssa.Value)
				if !ok {
					continue
				}
				switch i.(type) {
				case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr:
					continue // addresses
				}
				if len(pathsTo(v.Type(), n, 0)) > 0 {
					return true
				}
				if c, ok := i.(ssa.CallInstruction); ok && moves(c.Common(), n) {
					return true
				}
			}
		}
	}
	return false
}

// moves reports whether a call is given a container with objects of a type, and may copy its elements.
func moves(call *ssa.CallCommon, n *types.Named) bool {
	if b, ok := call.Value.(*ssa.Builtin); ok && b.Name() != "copy" && b.Name() != "append" {
		return false
	}
	for _, x := range call.Args {
		t := x.Type()
		if e := deref(t); e != nil {
			t = e
		}
		for depth := 0; depth < 4; depth++ {
			switch u := t.Underlying().(type) {
			case *types.Slice:
				t = u.Elem()
			case *types.Map:
				t = u.Elem()
			case *types.Chan:
				t = u.Elem()
			case *types.Array:
				t = u.Elem()
			default:
				depth = 4
				continue
			}
			if len(pathsTo(t, n, 0)) > 0 {
				return true
			}
		}
	}
	return false
}
