// SPDX-License-Identifier: Apache-2.0

package golang

// This file passes by what is not relevant.

import (
	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// pass goes past an instruction that is not relevant, and reports whether the
// block ends here. A branch whose ways differ in nothing relevant is passed as a
// whole; otherwise either way is possible.
func (f *frame) pass(instr ssa.Instruction) (ended bool) {
	switch i := instr.(type) {
	case *ssa.Jump, *ssa.Return:
		f.m.At(f.pos(instr.Pos()))
		f.instruction(instr)
	case *ssa.RunDefers:
		f.m.At(f.pos(instr.Pos()))
		f.runDefers()
		return false
	case *ssa.Go:
		f.goroutine(i)
		return false
	case *ssa.Panic:
		if !i.Pos().IsValid() && !f.c.overcalled(i) {
			f.c.convention(conventionIterators)
		}
		f.m.Stop()
	case *ssa.If:
		if to := f.c.constantWay(i.Block()); to != nil {
			f.jump(i.Block(), to)
			return true
		}
		if to := f.c.detour(i.Block()); to != nil {
			f.jump(i.Block(), to)
			return true
		}
		cond := f.ofKnown(i.Cond)
		if cond == nil {
			cond = f.any(f.path+"/either/"+i.Block().String(), leaf{typ: boolType}, lower.Unmodelled)
		}
		if f.c.isLeaving(i.Block()) {
			f.m.Leaving()
		}
		yes, no := f.m.Branch(cond)
		f.m.Continue(yes)
		f.jump(i.Block(), i.Block().Succs[0])
		f.m.Continue(no)
		f.jump(i.Block(), i.Block().Succs[1])
	default:
		return false
	}
	return true
}

// detour returns the block where the ways of a branch meet again if there is
// nothing relevant between, and none of its values that are relevant tells them apart.
func (c *compiler) detour(b *ssa.BasicBlock) *ssa.BasicBlock {
	if to, ok := c.detours[b]; ok {
		return to
	}
	all := c.posts[b.Parent()]
	if all == nil {
		all = postdominators(b.Parent())
		c.posts[b.Parent()] = all
	}
	post := all[b.Index]
	var to *ssa.BasicBlock
	if post >= 0 && c.nothingBetween(b, b.Parent().Blocks[post]) {
		to = b.Parent().Blocks[post]
	}
	c.detours[b] = to
	return to
}

func (c *compiler) nothingBetween(from, to *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{to: true}
	for stack := append([]*ssa.BasicBlock{}, from.Succs...); len(stack) > 0; {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		for _, i := range b.Instrs {
			switch i.(type) {
			case *ssa.Jump:
			case *ssa.Return, *ssa.RunDefers, *ssa.Panic, *ssa.Go:
				return false
			default:
				if c.emits(i) {
					return false
				}
			}
		}
		stack = append(stack, b.Succs...)
	}
	for _, i := range to.Instrs {
		v, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		var first ssa.Value
		for k, p := range to.Preds {
			if p != from && (p == to || !seen[p]) || !c.emits(v) {
				continue
			}
			if first == nil {
				first = v.Edges[k]
			}
			if v.Edges[k] != first {
				return false
			}
		}
	}
	return true
}
