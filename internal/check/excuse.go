// SPDX-License-Identifier: Apache-2.0

package check

// This file finds failures that the client expects: an error whose result is ignored where objects are cleaned up, a panic that is recovered.

import (
	"golang.org/x/tools/go/ssa"
)

// excused reports whether the client expects, or does not mind, that a call fails.
func (r *run) excused(in ssa.CallInstruction, panics bool) bool {
	if panics {
		return r.c.recovered(r.fn)
	}
	// Rollback after Commit, Close after Close: a deferred call is made whatever went before, so its error says nothing that matters, if
	// nobody looks at it.
	if _, ok := in.(*ssa.Defer); ok {
		return true
	}
	return ignored(in) && onlyDeferred(r.fn)
}

// ignored reports whether no result of a call is used.
func ignored(in ssa.CallInstruction) bool {
	v := in.Value()
	if v == nil {
		return true
	}
	for _, u := range *v.Referrers() {
		if x, ok := u.(*ssa.Extract); ok && len(*x.Referrers()) == 0 {
			continue
		}
		if _, ok := u.(*ssa.DebugRef); !ok {
			return false
		}
	}
	return true
}

// onlyDeferred reports whether a closure is only run when another function ends.
func onlyDeferred(fn *ssa.Function) bool {
	if fn.Parent() == nil {
		return false
	}
	closures := refsIn(fn.Parent(), fn)
	for _, m := range closures {
		for _, u := range *m.Referrers() {
			switch u.(type) {
			case *ssa.Defer, *ssa.DebugRef:
			default:
				return false
			}
		}
	}
	return len(closures) > 0
}

// recovering reports whether a deferred call of a function may recover.
func (c *Checker) recovering(fn *ssa.Function) bool {
	if is, ok := c.recovers[fn]; ok {
		return is
	}
	c.recovers[fn] = false
	is := false
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if d, ok := in.(*ssa.Defer); ok && c.mayRecover(d) {
				is = true
			}
		}
	}
	c.recovers[fn] = is
	return is
}

func (c *Checker) mayRecover(d *ssa.Defer) bool {
	var fn *ssa.Function
	switch v := d.Call.Value.(type) {
	case *ssa.Function:
		fn = v
	case *ssa.MakeClosure:
		fn = v.Fn.(*ssa.Function)
	case *ssa.Builtin:
		return v.Name() == "recover"
	default:
		return !d.Call.IsInvoke() // a function that is not known
	}
	if fn.Blocks == nil {
		s := c.summary(fn)
		return s != nil && s.CallsRecover
	}
	return callsRecover(fn)
}

func callsRecover(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if x, ok := in.(*ssa.Call); ok {
				if b, ok := x.Call.Value.(*ssa.Builtin); ok && b.Name() == "recover" {
					return true
				}
			}
		}
	}
	return false
}

// recovered reports whether a panic in a function is recovered by it, by a function around it, or by one that it is handed to.
func (c *Checker) recovered(fn *ssa.Function) bool {
	if c.recovering(fn) {
		return true
	}
	if fn.Parent() == nil {
		return false
	}
	if c.recovered(fn.Parent()) {
		return true
	}
	for _, u := range usesOf(fn) {
		in, ok := u.(ssa.CallInstruction)
		if !ok {
			continue
		}
		callee := in.Common().StaticCallee()
		if callee == nil {
			continue
		}
		s := c.summary(callee)
		if s == nil {
			continue
		}
		for k, a := range inputsOf(in) {
			if k < len(s.Effects) && s.Effects[k].Recovered && isClosureOf(a, fn) {
				return true
			}
		}
	}
	return false
}

// usesOf are the instructions of the enclosing function that use a closure.
func usesOf(fn *ssa.Function) (out []ssa.Instruction) {
	for _, b := range fn.Parent().Blocks {
		for _, in := range b.Instrs {
			for _, op := range in.Operands(nil) {
				if *op != nil && isClosureOf(*op, fn) {
					out = append(out, in)
				}
			}
		}
	}
	return out
}

func isClosureOf(v ssa.Value, fn *ssa.Function) bool {
	switch v := v.(type) {
	case *ssa.Function:
		return v == fn
	case *ssa.MakeClosure:
		return v.Fn == fn
	case *ssa.ChangeType:
		return isClosureOf(v.X, fn)
	case *ssa.MakeInterface:
		return isClosureOf(v.X, fn)
	}
	return false
}
