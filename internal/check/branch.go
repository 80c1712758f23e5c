// SPDX-License-Identifier: Apache-2.0

package check

// This file removes states that contradict the branch that was taken: a test of a result of the call that led to them.

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/interlock-go/interlock/typestate"
	"golang.org/x/tools/go/ssa"
)

// maxBack bounds how many instructions are looked at to find what a variable holds.
const maxBack = 400

// assume takes a condition to be true, or false; the result is false if the branch cannot be taken.
func (r *run) assume(f *flow, cond ssa.Value, holds bool) bool {
	switch c := cond.(type) {
	case *ssa.Const:
		return c.Value == nil || constant.BoolVal(c.Value) == holds
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return r.assume(f, c.X, !holds)
		}
		if c.Op == token.MUL {
			if v := r.stored(c); v != nil {
				return r.assume(f, v, holds)
			}
		}
	case *ssa.BinOp:
		r.compared(f, c, holds)
	case *ssa.Extract, *ssa.Call:
		r.told(f, cond, typestate.Bool(holds))
		if call, ok := cond.(*ssa.Call); ok && holds && isErrorsIs(call) {
			r.told(f, call.Call.Args[0], typestate.Nil(false))
		}
	}
	return true
}

// isErrorsIs reports whether a call asks whether an error is another one than nil.
func isErrorsIs(c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	if fn == nil || fn.Object() == nil || fn.Object().Pkg() == nil || len(c.Call.Args) != 2 {
		return false
	}
	if fn.Object().Pkg().Path() != "errors" || fn.Name() != "Is" {
		return false
	}
	k, ok := c.Call.Args[1].(*ssa.Const)
	return !ok || !k.IsNil()
}

// compared learns from a comparison.
func (r *run) compared(f *flow, b *ssa.BinOp, holds bool) {
	if b.Op != token.EQL && b.Op != token.NEQ {
		return
	}
	same := (b.Op == token.EQL) == holds
	x, y := b.X, b.Y
	if _, ok := x.(*ssa.Const); ok {
		x, y = y, x
	}
	k, ok := y.(*ssa.Const)
	switch {
	case ok && k.IsNil():
		r.told(f, x, typestate.Nil(same))
	case ok && k.Value != nil && k.Value.Kind() == constant.Bool:
		r.told(f, x, typestate.Bool(constant.BoolVal(k.Value) == same))
	case ok && same && k.Value != nil && k.Value.Kind() == constant.Int:
		if n, exact := constant.Int64Val(k.Value); exact {
			r.told(f, x, typestate.Int(n))
		}
	case same && isError(x.Type()):
		for _, v := range []ssa.Value{x, y} {
			if g, ok := v.(*ssa.UnOp); ok && g.Op == token.MUL {
				if _, ok := g.X.(*ssa.Global); ok { // io.EOF: a variable of a package is no nil error
					r.told(f, x, typestate.Nil(false))
					r.told(f, y, typestate.Nil(false))
				}
			}
		}
	}
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// told learns that a result of a call has a value.
func (r *run) told(f *flow, v ssa.Value, is typestate.Value) {
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		v = r.stored(u)
	}
	var in *ssa.Call
	index := 0
	switch v := v.(type) {
	case *ssa.Call:
		in = v
	case *ssa.Extract:
		in, _ = v.Tuple.(*ssa.Call)
		index = v.Index
	}
	if in == nil {
		return
	}
	n := in.Call.Signature().Results().Len()
	if index >= n {
		return
	}
	contradicts := map[int16]bool{}
	for k := range r.events {
		if e := &r.events[k]; k > 0 && e.in == in && e.contradicts(index, n, is) {
			contradicts[int16(k)] = true
		}
	}
	if len(contradicts) == 0 {
		return
	}
	for o, t := range f.tracks {
		u := &track{lost: t.lost, shared: t.shared}
		for c, pos := range t.at {
			if !contradicts[c.event] {
				u.add(c, pos)
			}
		}
		f.tracks[o] = u
	}
}

// stored is what was last stored into a variable before it is read, if that was just before: in the same block or in those that lead to it
// alone, and nothing in between may have stored into it.
func (r *run) stored(load *ssa.UnOp) ssa.Value {
	a, ok := load.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	b := load.Block()
	k := len(b.Instrs)
	for n, in := range b.Instrs {
		if in == ssa.Instruction(load) {
			k = n
		}
	}
	for left := maxBack; left > 0; left-- {
		if k--; k < 0 {
			if len(b.Preds) != 1 {
				return nil
			}
			b = b.Preds[0]
			k = len(b.Instrs)
			continue
		}
		switch in := b.Instrs[k].(type) {
		case *ssa.Store:
			if in.Addr == a {
				return in.Val
			}
			if _, other := in.Addr.(*ssa.Alloc); !other {
				return nil
			}
		case *ssa.RunDefers:
			return nil
		case *ssa.Call:
			if !r.c.unseen(a) {
				if _, ok := in.Call.Value.(*ssa.Builtin); !ok && !isErrorsIs(in) {
					return nil
				}
			}
		}
	}
	return nil
}

// unseen reports whether no other function than the deferred ones of its own can store into a variable.
func (c *Checker) unseen(a *ssa.Alloc) bool {
	for _, u := range *a.Referrers() {
		switch u := u.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if u.Addr != a {
				return false
			}
		case *ssa.MakeClosure:
			for _, use := range *u.Referrers() {
				if _, ok := use.(*ssa.Defer); !ok {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}
