// SPDX-License-Identifier: Apache-2.0

package golang

// This file lets loads of variables use what was stored there, while nothing else
// can have changed it (reaching definitions: Kildall, POPL 1973). go/ssa keeps a
// variable in memory for all of its life if its address is taken anywhere; what a
// reference in memory may hold is one set for all of the code, so that in
// "l = &wrapper{l}; register(&l)" the wrapper would seem to wrap itself.
//
// A variable is its function's own until its address is used for anything but
// loads and stores, or by function literals that do more than read it. From then on
// nothing is known of it here. The results of a function with deferred calls are such
// variables, too.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// forwardStores lets the users of loads use the values that were stored. The loads
// stay, with nobody who reads them.
func forwardStores(prog *ssa.Program) {
	for fn := range ssautil.AllFunctions(prog) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if a, ok := i.(*ssa.Alloc); ok && scalar(deref(a.Type())) {
					forward(a)
				}
			}
		}
	}
}

// A content is what a variable holds at a place of the code; the zero value is that
// no way leads there.
type content struct {
	reached bool
	value   ssa.Value // nil: anything
	leaked  bool      // others have its address
}

func (c content) join(d content) content {
	switch {
	case !c.reached:
		return d
	case !d.reached:
		return c
	}
	if c.value != d.value {
		c.value = nil
	}
	c.leaked = c.leaked || d.leaked
	return c
}

// after is what variable a holds after an instruction.
func (c content) after(i ssa.Instruction, a *ssa.Alloc, leaks map[ssa.Instruction]bool) content {
	if v, ok := i.(ssa.Value); ok && c.value == v {
		c.value = nil // that was the value of an earlier round
	}
	if leaks[i] {
		c.leaked = true
	}
	switch i := i.(type) {
	case *ssa.Alloc:
		if i == a {
			c.value, c.leaked = nil, false // another variable of the same name
		}
	case *ssa.Store:
		if i.Addr == ssa.Value(a) {
			c.value = i.Val
		}
	}
	return c
}

// forward replaces the loads of one variable that read a known value.
func forward(a *ssa.Alloc) {
	stores := false
	var loads []*ssa.UnOp
	leaks := map[ssa.Instruction]bool{}
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Val == ssa.Value(a) {
				leaks[r] = true
			} else {
				stores = true
			}
		case *ssa.UnOp:
			loads = append(loads, r)
		case *ssa.DebugRef:
		case *ssa.MakeClosure:
			leaks[r] = !readBy(r, a, 0)
		default:
			leaks[r] = true
		}
	}
	if !stores || len(loads) == 0 {
		return
	}
	blocks := a.Parent().Blocks
	in := make([]content, len(blocks))
	in[0].reached = true
	for changed := true; changed; {
		changed = false
		for _, b := range blocks {
			c := in[b.Index]
			if !c.reached {
				continue
			}
			for _, i := range b.Instrs {
				c = c.after(i, a, leaks)
			}
			for _, s := range b.Succs {
				if j := in[s.Index].join(c); j != in[s.Index] {
					in[s.Index], changed = j, true
				}
			}
		}
	}
	by := map[*ssa.UnOp]ssa.Value{}
	for _, b := range blocks {
		c := in[b.Index]
		if !c.reached {
			continue
		}
		for _, i := range b.Instrs {
			if l, ok := i.(*ssa.UnOp); ok && l.Op == token.MUL && l.X == ssa.Value(a) && c.value != nil && !c.leaked && types.Identical(c.value.Type(), l.Type()) {
				by[l] = c.value
			}
			c = c.after(i, a, leaks)
		}
	}
	for _, l := range loads {
		v := by[l]
		for range by { // a value that was stored may be such a load itself
			if k, ok := v.(*ssa.UnOp); ok && by[k] != nil {
				v = by[k]
			}
		}
		if v != nil && v != ssa.Value(l) {
			replaceBy(l, v)
		}
	}
}

// readBy reports whether a function literal, and those in it, only read a variable.
func readBy(m *ssa.MakeClosure, v ssa.Value, depth int) bool {
	fn := m.Fn.(*ssa.Function)
	for k, x := range m.Bindings {
		if x == v && (depth > 4 || k >= len(fn.FreeVars) || !onlyRead(fn.FreeVars[k], depth)) {
			return false
		}
	}
	return true
}

func onlyRead(v *ssa.FreeVar, depth int) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			if !readBy(r, v, depth+1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// replaceBy lets the users of a load use a value.
func replaceBy(old *ssa.UnOp, by ssa.Value) {
	for _, user := range *old.Referrers() {
		for _, op := range user.Operands(nil) {
			if *op == ssa.Value(old) {
				*op = by
			}
		}
	}
	if list := by.Referrers(); list != nil {
		*list = append(*list, *old.Referrers()...)
	}
	*old.Referrers() = nil
}
