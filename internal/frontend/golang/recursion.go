// SPDX-License-Identifier: Apache-2.0

package golang

// This file covers the errors of calls of recursive functions. Such a function is inlined once; a
// call of it from there is not followed, and what it returns and changes may be anything that its
// code leaves possible. It may also err. So where it is called again, the program may go into it once more, with
// arguments and in a state that stand for those of all the calls which are nested deeper: whatever the
// function may write has any value, and so have the arguments. A receiver that every one of these
// calls hands on is the one at hand. An error of a nested call is an error of this one, by
// induction; after it nothing follows, since the results are those of the call that is not followed.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// recursive is why a call of a function is not followed that is being inlined.
const recursive = "it is recursive"

// isRecursive reports whether a function is being inlined. Loops over one iterator within each other are no recursion: the
// body of the outer loop calls it again, and is being inlined once itself. There are finitely many bodies.
func (c *compiler) isRecursive(fn *ssa.Function) bool {
	for k := len(c.pending) - 1; k >= 0; k-- {
		g := c.pending[k]
		if g == fn {
			return true
		}
		if isBody(g) && outermost(g) != outermost(fn) && !slices.Contains(c.pending[:k], g) {
			return false
		}
	}
	return false
}

// maxDeeper bounds how many recursive functions are gone into within each other.
const maxDeeper = 2

// deeper goes into a recursive function once more, and reports whether the errors of nested calls are
// covered by that.
func (f *frame) deeper(fn *ssa.Function, args, binds []value, key string) bool {
	c := f.c
	if slices.Contains(c.inside, fn) {
		return true
	}
	if len(binds) > 0 || len(c.inside) >= maxDeeper || c.isCoarse() || c.kinds.block || len(args) != len(fn.Params) {
		return false
	}
	key += "/deeper"
	yes, no := f.m.Branch(f.any(key, leaf{typ: boolType}, lower.Unmodelled))
	f.m.Continue(yes)
	f.writes, f.left = c.reach.effectsOf(fn), nil
	if c.l.owns(packageOf(fn)) {
		f.left = fn
		f.spoilShared(key)
	}
	f.givesAway(args, 0, nil, key)
	f.writes, f.left = nil, nil
	given := make([]value, len(args))
	for k, p := range fn.Params {
		if k == 0 && c.reach.handsOn(fn) {
			given[k] = args[k]
			continue
		}
		given[k] = f.anyValue(key+"/"+p.Name(), p.Type(), lower.Unmodelled)
	}
	pending, inside, site := c.pending, c.inside, f.site
	c.inside = append(inside[:len(inside):len(inside)], fn)
	c.pending = slices.Clone(c.inside)
	c.inline(f, key+">", fn, given, nil, true)
	c.pending, c.inside, f.site = pending, inside, site
	if f.m.Reachable() {
		f.m.Assume(c.w.Pool.False())
		f.m.Stop()
	}
	f.m.Continue(no)
	return true
}

// handsOn reports whether each call by which a function may come to be called again hands on the
// receiver, or the first argument.
func (r *reach) handsOn(fn *ssa.Function) bool {
	if yes, ok := r.handing[fn]; ok {
		return yes
	}
	if r.handing == nil {
		r.handing = map[*ssa.Function]bool{}
	}
	r.handing[fn] = r.findHandsOn(fn)
	return r.handing[fn]
}

func (r *reach) findHandsOn(fn *ssa.Function) bool {
	under := r.under([]*ssa.Function{fn})
	cycle := map[*ssa.Function]bool{fn: true}
	calls := func(g *ssa.Function, do func(call ssa.CallInstruction, h *ssa.Function) bool) bool {
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok {
					for _, h := range r.targets[call] {
						if !do(call, h) {
							return false
						}
					}
				}
			}
		}
		return true
	}
	for more := true; more; {
		more = false
		for _, g := range under {
			if !cycle[g] && !calls(g, func(_ ssa.CallInstruction, h *ssa.Function) bool { return !cycle[h] }) {
				cycle[g] = true
				more = true
			}
		}
	}
	for g := range cycle {
		ok := calls(g, func(call ssa.CallInstruction, h *ssa.Function) bool {
			if !cycle[h] {
				return true
			}
			args := call.Common().Args
			return call.Common().StaticCallee() == h && !isGo(call) && len(g.Params) > 0 && len(args) > 0 && len(h.FreeVars) == 0 &&
				args[0] == ssa.Value(g.Params[0]) && types.Identical(g.Params[0].Type(), h.Params[0].Type())
		})
		if !ok {
			return false
		}
	}
	return true
}
