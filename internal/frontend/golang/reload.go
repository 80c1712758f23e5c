// SPDX-License-Identifier: Apache-2.0

package golang

// This file removes loads that read again what has just been read, and loads of what
// has just been written to a variable of the function that nobody else knows, as the
// results of a function with deferred calls are (available
// expressions: Kildall, POPL 1973, here along straight code only). Code tests a
// field and then uses it, "if x.f != nil { x.f.m() }". Where the object is
// followed, both loads read one variable; where it is not, each load would be a
// choice of its own, and the test would say nothing about the use.
//
// Between the two loads there must be one way only, and nothing on it that may write
// the place: that other goroutines do not is a convention anyway.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// maxReload bounds how far back the first load is looked for, in instructions.
const maxReload = 64

// reuseLoads lets the users of repeated loads use the first one. The repeated loads
// stay, with nobody who reads them.
func reuseLoads(prog *ssa.Program) {
	for fn := range ssautil.AllFunctions(prog) {
		read := map[*ssa.UnOp]*ssa.UnOp{} // by the loads that repeat it
		for _, b := range fn.Blocks {
			for n, i := range b.Instrs {
				if l, ok := i.(*ssa.UnOp); ok && l.Op == token.MUL {
					if v := stored(l, b, n); v != nil {
						replace(l, v)
						continue
					}
					if first := firstLoad(l, b, n); first != nil {
						if before := read[first]; before != nil {
							first = before
						}
						read[l] = first
						replace(l, first)
					}
				}
			}
		}
	}
}

// stored returns what was last stored to the variable that l, instruction n of b,
// reads, if nobody but this function has its address.
func stored(l *ssa.UnOp, b *ssa.BasicBlock, n int) ssa.Value {
	a, ok := l.X.(*ssa.Alloc)
	if !ok || b == b.Parent().Recover {
		return nil
	}
	private := true
	var only *ssa.Store // if there is one
	stores := 0
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if r.Addr != ssa.Value(a) {
				return nil
			}
			only = r
			stores++
		case *ssa.MakeClosure:
			private = false
			fn := r.Fn.(*ssa.Function)
			for k, x := range r.Bindings {
				if x == ssa.Value(a) && (k >= len(fn.FreeVars) || !onlyRead(fn.FreeVars[k], 0)) {
					stores = 2
				}
			}
		default:
			return nil
		}
	}
	// A variable that is set once, before it is read, as a parameter is that function
	// literals know.
	if stores == 1 && before(only, b, n) {
		return only.Val
	}
	if !private {
		return nil
	}
	for range maxReload {
		for n == 0 {
			if len(b.Preds) != 1 {
				return nil
			}
			b = b.Preds[0]
			n = len(b.Instrs)
		}
		n--
		switch i := b.Instrs[n].(type) {
		case *ssa.Store:
			if i.Addr == ssa.Value(a) {
				return i.Val
			}
		case *ssa.Alloc:
			if i == a {
				return nil
			}
		}
	}
	return nil
}

// before reports whether a store always comes before instruction n of b.
func before(s *ssa.Store, b *ssa.BasicBlock, n int) bool {
	if s.Block() != b {
		return s.Block().Dominates(b)
	}
	for _, i := range b.Instrs[:n] {
		if i == ssa.Instruction(s) {
			return true
		}
	}
	return false
}

// onlyRead reports whether a function literal, and those in it, only read a variable.
func onlyRead(v *ssa.FreeVar, depth int) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			for k, x := range r.Bindings {
				if x == ssa.Value(v) && (depth > 4 || k >= len(fn.FreeVars) || !onlyRead(fn.FreeVars[k], depth+1)) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// firstLoad returns an earlier load of what l, instruction n of b, reads.
func firstLoad(l *ssa.UnOp, b *ssa.BasicBlock, n int) *ssa.UnOp {
	switch l.X.(type) {
	case *ssa.FieldAddr, *ssa.Global:
	default:
		return nil
	}
	for range maxReload {
		for n == 0 {
			if len(b.Preds) != 1 {
				return nil
			}
			b = b.Preds[0]
			n = len(b.Instrs)
		}
		n--
		i := b.Instrs[n]
		if k, ok := i.(*ssa.UnOp); ok && k.Op == token.MUL && sameAddress(k.X, l.X) && types.Identical(k.Type(), l.Type()) {
			return k
		}
		if mayWrite(i, l.X) {
			return nil
		}
	}
	return nil
}

// sameAddress reports whether two addresses are the same wherever both are known.
func sameAddress(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok := a.(*ssa.FieldAddr)
	y, also := b.(*ssa.FieldAddr)
	return ok && also && x.Field == y.Field && sameAddress(x.X, y.X)
}

// mayWrite reports whether an instruction may change what is at an address.
func mayWrite(i ssa.Instruction, at ssa.Value) bool {
	switch i := i.(type) {
	case *ssa.Store:
		return !apart(i.Addr, at)
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok {
			switch b.Name() {
			case "len", "cap", "min", "max", "real", "imag", "complex", "ssa:wrapnilchk", "ssa:deferstack":
				return false
			}
		}
		return true
	case *ssa.Send, *ssa.Select, *ssa.Go, *ssa.RunDefers, *ssa.Panic:
		return true
	case *ssa.UnOp:
		return i.Op == token.ARROW
	}
	return false
}

// apart reports whether two addresses are never of the same variable or of one that
// contains the other: different fields of the same struct type, which contain no
// struct or array.
func apart(a, b ssa.Value) bool {
	x, ok := a.(*ssa.FieldAddr)
	y, also := b.(*ssa.FieldAddr)
	if !ok || !also || !scalar(deref(x.Type())) || !scalar(deref(y.Type())) {
		return false
	}
	s, t := deref(x.X.Type()), deref(y.X.Type())
	return s != nil && t != nil && types.Identical(s.Underlying(), t.Underlying()) && x.Field != y.Field
}

func scalar(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return false
	}
	return true
}

// replace lets the users of one value use another one.
func replace(old *ssa.UnOp, by ssa.Value) {
	for _, user := range *old.Referrers() {
		for _, op := range user.Operands(nil) {
			if *op == ssa.Value(old) {
				*op = by
			}
		}
	}
	if users := by.Referrers(); users != nil {
		*users = append(*users, *old.Referrers()...)
	}
	*old.Referrers() = nil
}
