// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds calls that end all panics below them: the first thing that they do is to defer a function
// that recovers.
//
//	func (v V) Resolve() (w V) {
//		defer func() {
//			if r := recover(); r != nil {
//				w = V{}
//			}
//		}()
//		return v.list[0].Resolve()
//	}
//
// Such a call never errs by a panic, whatever its arguments and the state are: it is opaque without errors
// (opaque.go). A panic of the goroutine that comes after the defer statement, in the function or in any code that it
// calls, its own or others', runs the deferred function, and that calls recover before anything else: whatever the panic was
// with, it ends there. It does not matter how often, nor what was deferred later. Then
// four things are left that are no such panics, and there must be none:
//
//   - What comes before the defer statement: it only makes variables and values (isHarmless).
//   - What the deferred function does after recover, and what was deferred before it: in the one, and in what it
//     calls, is no error site, nor does code of others there run functions of the component's package; of the other there is none.
//   - Ends of the program or of the goroutine, such as os.Exit, and goroutines that are started: a panic there
//     is not recovered.
//   - Errors that are returned: the call returns none.
//
// Checks of the run time are decided without this, those of the deferred function among them: they are told from
// other panics by their values, so the program must have package runtime.

import "golang.org/x/tools/go/ssa"

// stopsPanics returns the opaque call without errors of a function that recovers from all panics below it, or
// nil if that is not known, or there are none.
func (c *compiler) stopsPanics(fn *ssa.Function) *opaqueCall {
	g := recoversFirst(wrapped(fn))
	if g == nil || c.kinds.anyReturn() && returnsError(fn) || !c.knowsRunTime() {
		return nil
	}
	errs := false
	for _, h := range c.reach.under([]*ssa.Function{wrapped(fn)}) {
		for _, b := range h.Blocks {
			for _, i := range b.Instrs {
				if _, goes := i.(*ssa.Go); goes {
					return nil
				}
				if !c.isSite(c.reach, i, false) {
					continue
				}
				if _, panics := i.(*ssa.Panic); !panics && deferredPanic(i) == nil {
					return nil
				}
				errs = true
			}
		}
	}
	back := c.reach.callingBack()
	for _, h := range c.reach.under([]*ssa.Function{g}) {
		for _, b := range h.Blocks {
			for _, i := range b.Instrs {
				if c.isSite(c.reach, i, false) {
					return nil
				}
				if call, ok := i.(ssa.CallInstruction); ok && len(back.runs(call)) > 0 {
					return nil
				}
			}
		}
	}
	if !errs {
		return nil
	}
	return &opaqueCall{}
}

// knowsRunTime reports whether the values of panics of the run time have types, by which they are told from others.
func (c *compiler) knowsRunTime() bool { return c.l.prog.ImportedPackage("runtime") != nil }

// wrapped returns the method that a wrapper calls, or the function itself if it is none. Beside that call a
// wrapper has only checks of the run time. It returns nil if the method is that of an interface.
func wrapped(fn *ssa.Function) *ssa.Function {
	for fn != nil && isWrapper(fn) {
		var to *ssa.Function
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if _, builtin := call.Common().Value.(*ssa.Builtin); builtin {
					continue
				}
				if to != nil {
					return nil
				}
				if to = call.Common().StaticCallee(); to == nil {
					return nil
				}
			}
		}
		fn = to
	}
	return fn
}

// recoversFirst returns the function that is deferred by the first statement of another, and whose first statement
// calls recover; nil if there is none.
func recoversFirst(fn *ssa.Function) *ssa.Function {
	if fn == nil {
		return nil
	}
	d, ok := firstOf(fn).(*ssa.Defer)
	if !ok || d.DeferStack != nil {
		return nil
	}
	g := d.Call.StaticCallee()
	if g == nil || isWrapper(g) {
		return nil // recover may be called by another function
	}
	call, ok := firstOf(g).(*ssa.Call)
	if !ok {
		return nil
	}
	if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != "recover" {
		return nil
	}
	return g
}

// firstOf returns the first instruction of a function that is not harmless, if it is in the first block, and that is run once.
func firstOf(fn *ssa.Function) ssa.Instruction {
	if len(fn.Blocks) == 0 || len(fn.Blocks[0].Preds) > 0 {
		return nil
	}
	for _, i := range fn.Blocks[0].Instrs {
		if !isHarmless(i) {
			return i
		}
	}
	return nil
}

// isHarmless reports whether an instruction only makes a variable, reads or writes one that the function has, or
// makes a value of others without computing: it cannot panic.
func isHarmless(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Alloc, *ssa.MakeClosure, *ssa.MakeInterface, *ssa.ChangeType, *ssa.DebugRef:
		return true
	case *ssa.Store:
		_, ok := i.Addr.(*ssa.Alloc)
		return ok
	case *ssa.UnOp:
		_, ok := i.X.(*ssa.Alloc)
		return ok
	}
	return false
}
