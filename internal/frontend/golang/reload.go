// SPDX-License-Identifier: Apache-2.0

package golang

// This file removes loads that read again what has just been read (available
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
					if first := firstLoad(l, b, n); first != nil {
						if before := read[first]; before != nil {
							first = before
						}
						read[l] = first
						replaceBy(l, first)
					}
				}
			}
		}
	}
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
