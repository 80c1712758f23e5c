// SPDX-License-Identifier: Apache-2.0

package golang

// This file computes control dependence of the blocks of a function (Ferrante,
// Ottenstein and Warren, TOPLAS 1987): a block depends on a branch if one of its
// ways leads to the block for certain and another may avoid it. All ends meet in
// one virtual end. Blocks from which no end can be reached depend on every branch
// that can reach them.

import (
	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// postdominators returns the immediate postdominator of each block; see
// [lower.Postdominators].
func postdominators(fn *ssa.Function) []int {
	succs := make([][]int, len(fn.Blocks))
	for k, b := range fn.Blocks {
		for _, s := range b.Succs {
			succs[k] = append(succs[k], s.Index)
		}
	}
	return lower.Postdominators(succs)
}

// controlDependence returns for each block the branches that it depends on
// directly.
func controlDependence(fn *ssa.Function) [][]*ssa.BasicBlock {
	post := postdominators(fn)
	deps := make([][]*ssa.BasicBlock, len(fn.Blocks))
	add := func(b int, c *ssa.BasicBlock) {
		for _, x := range deps[b] {
			if x == c {
				return
			}
		}
		deps[b] = append(deps[b], c)
	}
	for _, c := range fn.Blocks {
		if len(c.Succs) < 2 {
			continue
		}
		ends := post[c.Index] != lower.NoEnd
		for _, s := range c.Succs {
			ends = ends && post[s.Index] != lower.NoEnd
		}
		if !ends {
			// A way does not end: everything after the branch depends on it.
			reachable(c, func(b *ssa.BasicBlock) { add(b.Index, c) })
			continue
		}
		for _, s := range c.Succs {
			for b := s.Index; b >= 0 && b != post[c.Index]; b = post[b] {
				add(b, c)
				if b == c.Index {
					break
				}
			}
		}
	}
	return deps
}

func reachable(from *ssa.BasicBlock, do func(b *ssa.BasicBlock)) {
	seen := map[*ssa.BasicBlock]bool{}
	for stack := append([]*ssa.BasicBlock{}, from.Succs...); len(stack) > 0; {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		do(b)
		stack = append(stack, b.Succs...)
	}
}
