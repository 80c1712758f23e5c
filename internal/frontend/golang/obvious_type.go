// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves type assertions on what comes out of a sync.Pool, sync.Map or
// atomic.Value of a package: its package puts only values of one type there. The container is a
// package variable or a field that is not exported, and its package does nothing with it but
// call its methods; what a pool makes is what its function New returns.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// puts are the methods by which values get into such a container, and which argument,
// counted from the receiver, is the value; -1: none. Others are not known.
var puts = map[string][]int{
	"(*sync.Pool).Get": nil, "(*sync.Pool).Put": {1},
	"(*sync.Map).Load": nil, "(*sync.Map).Store": {2}, "(*sync.Map).LoadOrStore": {2}, "(*sync.Map).Swap": {2},
	"(*sync.Map).Delete": nil, "(*sync.Map).LoadAndDelete": nil, "(*sync.Map).Range": nil, "(*sync.Map).Clear": nil,
	"(*sync.Map).CompareAndSwap": {3}, "(*sync.Map).CompareAndDelete": nil,
	"(*sync/atomic.Value).Load": nil, "(*sync/atomic.Value).Store": {1}, "(*sync/atomic.Value).Swap": {1}, "(*sync/atomic.Value).CompareAndSwap": {2},
}

// contained reports whether a value comes out of a container of values of one type, and is
// not nil at a point.
func (p *prover) contained(v ssa.Value, t types.Type, at point) bool {
	call, ok := v.(*ssa.Call)
	found := false // it was there
	if e, isExtract := v.(*ssa.Extract); isExtract && e.Index == 0 {
		if call, ok = e.Tuple.(*ssa.Call); !ok {
			return false
		}
		for _, r := range *call.Referrers() {
			if x, isExtract := r.(*ssa.Extract); isExtract && x.Index == 1 && p.decides(x, true, at) {
				found = true
			}
		}
	}
	if !ok || call.Call.StaticCallee() == nil || len(call.Call.Args) == 0 {
		return false
	}
	in := p.lockOf(call.Call.Args[0])
	if in == nil {
		return false
	}
	switch nameOf(call.Call.StaticCallee()) {
	case "(*sync.Map).LoadOrStore":
		found = true
	case "(*sync.Map).Load", "(*sync.Map).LoadAndDelete", "(*sync/atomic.Value).Load":
	case "(*sync.Pool).Get":
		_, found = p.makesOnly(in, t)
	default:
		return false
	}
	return (found || p.testedHere(v, at)) && p.onlyHolds(in, t)
}

// packageAt is the package of a variable or field.
func packageAt(at location) *types.Package {
	switch at := at.(type) {
	case *types.Var:
		return at.Pkg()
	case *ssa.Global:
		return at.Pkg.Pkg
	}
	return nil
}

// onlyHolds reports whether only values of a type are put into a container.
func (p *prover) onlyHolds(in location, t types.Type) bool {
	return p.once(fact{kind: typeFact, v: in, k: p.id(t)}, func() bool {
		only, _ := p.makesOnly(in, t)
		return p.eachUse(in, func(i ssa.Instruction, addr ssa.Value) bool {
			switch i := i.(type) {
			case *ssa.DebugRef:
				return true
			case *ssa.FieldAddr:
				return p.isNew(i)
			case *ssa.Store:
				return declares(i, addr) != nil
			case ssa.CallInstruction:
				call := i.Common()
				g := call.StaticCallee()
				if g == nil {
					return false
				}
				values, known := puts[nameOf(g)]
				if !known || call.Args[0] != addr {
					return false
				}
				for _, k := range values {
					if m, ok := call.Args[k].(*ssa.MakeInterface); !ok || !types.Identical(m.X.Type(), t) {
						return false
					}
				}
				return true
			}
			return false
		}) && only
	})
}

// eachUse reports whether something holds for each instruction of a package that has the
// address of a variable or field among its operands. Objects that hold the field may be
// made, but not overwritten.
func (p *prover) eachUse(in location, holds func(i ssa.Instruction, addr ssa.Value) bool) bool {
	s := p.packageScan(packageAt(in))
	if s == nil || p.promotesUnseen(in, s) {
		return false
	}
	for _, fn := range s.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if st, ok := i.(*ssa.Store); ok && overwrites(st, in) {
					return false
				}
				for _, op := range i.Operands(nil) {
					if *op != nil && isLockAddress(*op, in) && !holds(i, *op) {
						return false
					}
				}
			}
		}
	}
	return true
}

// isNew reports whether an address is that of the function New of a pool, and is only
// used to set it or to look at it.
func (p *prover) isNew(a *ssa.FieldAddr) bool {
	if f := fieldVar(a); f.Name() != "New" || f.Pkg() == nil || f.Pkg().Path() != "sync" {
		return false
	}
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if r.Addr != ssa.Value(a) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// declares returns the local variable that holds a container as its declaration has it, if
// an instruction is the assignment of that.
func declares(i ssa.Instruction, addr ssa.Value) *ssa.Alloc {
	st, ok := i.(*ssa.Store)
	if !ok || st.Addr != addr || st.Parent().Synthetic != "package initializer" {
		return nil
	}
	load, ok := st.Val.(*ssa.UnOp)
	if !ok {
		return nil
	}
	a, ok := load.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, r := range *a.Referrers() {
		switch r.(type) {
		case *ssa.FieldAddr, *ssa.DebugRef:
		default:
			if r != ssa.Instruction(load) {
				return nil
			}
		}
	}
	return a
}

// news returns the functions that are set as New of a pool; declared: its declaration
// sets one and nothing else does; ok is false if some are not known.
func (p *prover) news(in location) (fns []*ssa.Function, declared, ok bool) {
	ok = true
	later := false
	add := func(a *ssa.FieldAddr, first bool) {
		for _, r := range *a.Referrers() {
			st, isStore := r.(*ssa.Store)
			if !isStore {
				continue
			}
			declared, later = declared || first, later || !first
			switch v := st.Val.(type) {
			case *ssa.Function:
				fns = append(fns, v)
			case *ssa.MakeClosure:
				fns = append(fns, v.Fn.(*ssa.Function))
			default:
				ok = false
			}
		}
	}
	p.eachUse(in, func(i ssa.Instruction, addr ssa.Value) bool {
		if a, isField := i.(*ssa.FieldAddr); isField {
			add(a, false)
		}
		if local := declares(i, addr); local != nil {
			for _, r := range *local.Referrers() {
				if a, isField := r.(*ssa.FieldAddr); isField {
					ok = ok && p.isNew(a)
					add(a, true)
				}
			}
		}
		return true
	})
	return fns, declared && !later, ok
}

// makesOnly reports whether a container makes values of a type only, if it makes some, and
// whether it does as it is declared.
func (p *prover) makesOnly(in location, t types.Type) (only, always bool) {
	fns, declared, ok := p.news(in)
	if !ok {
		return false, false
	}
	for _, fn := range fns {
		if len(fn.Blocks) == 0 || !p.eachReturn(fn, func(r *ssa.Return, _ point) bool {
			m, ok := r.Results[0].(*ssa.MakeInterface)
			return ok && types.Identical(m.X.Type(), t)
		}) {
			return false, false
		}
	}
	return true, declared
}
