// SPDX-License-Identifier: Apache-2.0

package golang

// This file knows the rule of contexts: once Done is closed, Err is not nil (the
// documentation of context.Context). Code relies on it wherever it says
//
//	case <-ctx.Done():
//		return ctx.Err()
//
// The rule relates two calls and a receive between them, which contracts of single calls
// cannot say; it is looked for in the code.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

const contractCancelled = "context.Context.Err: after a receive from Done it is not nil"

// cancelled assumes the rule for the result of a call, unless the component's package
// implements the method.
func (f *frame) cancelled(site ssa.CallInstruction, call *ssa.CallCommon, out []value) {
	c := f.c
	if !f.m.Reachable() || site == nil || site.Common() != call || c.reach == nil || !c.isCancelled(site) || out[0].missing != "" {
		return
	}
	for _, fn := range c.reach.candidates(call) {
		if c.l.owns(packageOf(fn)) {
			return
		}
	}
	c.clauses[contractCancelled] = true
	f.m.Assume(c.w.Pool.Ne(f.ref(out[0]), c.w.Nil()))
}

// isCancelled reports whether a call is one of Err on a context whose Done was received
// from on every way to the call.
func (c *compiler) isCancelled(call ssa.CallInstruction) bool {
	if !isContextMethod(call.Common(), "Err") {
		return false
	}
	ctx := call.Common().Value
	for b := call.Block(); b != nil; b = b.Idom() {
		for _, i := range b.Instrs {
			if i == ssa.Instruction(call) {
				break
			}
			if r, ok := i.(*ssa.UnOp); ok && r.Op == token.ARROW && !r.CommaOk && c.isDone(r.X, ctx) {
				return true
			}
		}
		// The branch that was taken to b.
		if len(b.Preds) == 1 {
			if i, ok := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If); ok && b.Preds[0].Succs[0] == b && c.isDoneCase(i.Cond, ctx) {
				return true
			}
		}
	}
	return false
}

// isDoneCase reports whether a condition is that a select chose to receive from Done.
func (c *compiler) isDoneCase(cond, ctx ssa.Value) bool {
	eq, ok := cond.(*ssa.BinOp)
	if !ok || eq.Op != token.EQL {
		return false
	}
	index, ok := eq.X.(*ssa.Extract)
	k, constant := eq.Y.(*ssa.Const)
	if !ok || !constant || index.Index != 0 {
		return false
	}
	s, ok := index.Tuple.(*ssa.Select)
	n := int(k.Int64())
	return ok && n >= 0 && n < len(s.States) && s.States[n].Dir == types.RecvOnly && c.isDone(s.States[n].Chan, ctx)
}

// isDone reports whether a channel is Done of a context.
func (c *compiler) isDone(ch, ctx ssa.Value) bool {
	done, ok := ch.(*ssa.Call)
	return ok && isContextMethod(&done.Call, "Done") && c.isSame(done.Call.Value, ctx)
}

func isContextMethod(call *ssa.CallCommon, name string) bool {
	if !call.IsInvoke() || call.Method.Name() != name {
		return false
	}
	n, ok := types.Unalias(call.Value.Type()).(*types.Named)
	return ok && n.Obj().Name() == "Context" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context"
}

// isSame reports whether two values are one, wherever they are computed in a run of a
// function: the same, or loads of a field of one object that is only set when the object is
// made.
func (c *compiler) isSame(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok := a.(*ssa.UnOp)
	y, also := b.(*ssa.UnOp)
	if !ok || !also || x.Op != token.MUL || y.Op != token.MUL || !sameAddress(x.X, y.X) {
		return false
	}
	f, ok := x.X.(*ssa.FieldAddr)
	return ok && c.isSetOnce(f)
}

// isSetOnce reports whether a field is set only where objects are made.
func (c *compiler) isSetOnce(f *ssa.FieldAddr) bool {
	field, ok := fieldAt(deref(f.X.Type()).Underlying().(*types.Struct), f.Field).(*types.Var)
	if !ok || field.Exported() || !c.l.owns(field.Pkg()) || c.reach == nil || c.reach.find(field) != location(field) {
		return false
	}
	for _, i := range c.reach.writes[field] {
		s, ok := i.(*ssa.Store)
		if !ok {
			return false
		}
		a, ok := s.Addr.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		if _, fresh := a.X.(*ssa.Alloc); !fresh {
			return false
		}
	}
	return true
}
