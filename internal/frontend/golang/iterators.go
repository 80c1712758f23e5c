// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds iterator functions of the component's package that the convention *iterators* cannot be assumed of, because their
// code may call the loop body once more after it said stop, or keeps it. In loops over these the run time's own check, that the body
// is not called after the loop has ended, is an error site like others. The check is a panic without position in the body.

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// isOvercalled reports whether a panic is the run time's check in the body of a loop over such a function.
func (r *reach) isOvercalled(i *ssa.Panic) bool {
	body := i.Parent()
	if i.Pos().IsValid() || !strings.HasPrefix(body.Synthetic, "range-over-func") {
		return false
	}
	for _, m := range r.closures[body] {
		for _, u := range *m.Referrers() {
			call, ok := u.(ssa.CallInstruction)
			if !ok {
				continue
			}
			k := slices.Index(call.Common().Args, ssa.Value(m))
			for _, fn := range r.targets[call] {
				if n := len(fn.Params) - len(call.Common().Args) + k; k >= 0 && n >= 0 && n < len(fn.Params) && r.c.l.owns(packageOf(fn)) && !stopsWith(fn.Params[n], map[*ssa.Parameter]bool{}) {
					return true
				}
			}
		}
	}
	return false
}

// overcalled is that of a panic, if it is known what calls may call.
func (c *compiler) overcalled(i *ssa.Panic) bool { return c.reach != nil && c.reach.isOvercalled(i) }

// stopsWith reports whether a function calls a loop body, or has a function of its package call it, never again after
// that said stop, and does nothing else with it.
func stopsWith(body *ssa.Parameter, seen map[*ssa.Parameter]bool) bool {
	if seen[body] {
		return true
	}
	seen[body] = true
	fn := body.Parent()
	calls := map[ssa.Instruction]bool{}
	for _, u := range *body.Referrers() {
		call, ok := u.(*ssa.Call)
		if _, debug := u.(*ssa.DebugRef); debug {
			continue
		}
		if !ok {
			return false
		}
		calls[call] = true
		if call.Call.Value == ssa.Value(body) {
			continue
		}
		g := call.Call.StaticCallee()
		if g == nil || packageOf(g) != packageOf(fn) || len(g.Params) != len(call.Call.Args) {
			return false
		}
		for k, x := range call.Call.Args {
			if x == ssa.Value(body) && !stopsWith(g.Params[k], seen) {
				return false
			}
		}
	}
	for i := range calls {
		if again(i.(*ssa.Call), calls) {
			return false
		}
	}
	return true
}

// again reports whether one of some calls may come after one that returned false. A call without such a result may
// have said anything.
func again(call *ssa.Call, calls map[ssa.Instruction]bool) bool {
	b, ok := call.Type().Underlying().(*types.Basic)
	tells := ok && b.Info()&types.IsBoolean != 0
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock, from int) bool
	visit = func(b *ssa.BasicBlock, from int) bool {
		for _, i := range b.Instrs[from:] {
			if calls[i] {
				return true
			}
		}
		for k, s := range b.Succs {
			if i := test(b); i != nil && tells && (i.Cond == ssa.Value(call) && k == 0 || negates(i.Cond, call) && k == 1) || seen[s] {
				continue
			}
			seen[s] = true
			if visit(s, 0) {
				return true
			}
		}
		return false
	}
	return visit(call.Block(), slices.Index(call.Block().Instrs, ssa.Instruction(call))+1)
}

func negates(v ssa.Value, x *ssa.Call) bool {
	n, ok := v.(*ssa.UnOp)
	return ok && n.Op == token.NOT && n.X == ssa.Value(x)
}
