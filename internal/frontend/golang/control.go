// SPDX-License-Identifier: Apache-2.0

package golang

// This file computes control dependence of the blocks of a function (Ferrante,
// Ottenstein and Warren, TOPLAS 1987): a block depends on a branch if one of its
// ways leads to the block for certain and another may avoid it. All ends meet in
// one virtual end. Blocks from which no end can be reached depend on every branch
// that can reach them.

import "golang.org/x/tools/go/ssa"

// postdominators returns the immediate postdominator of each block; -1 is the
// virtual end, -2 a block from which it cannot be reached. By iteration as in
// Cooper, Harvey and Kennedy (2001).
func postdominators(fn *ssa.Function) []int {
	n := len(fn.Blocks)
	end := n
	number := make([]int, n+1)
	for i := range number {
		number[i] = -1
	}
	var order []int
	type at struct {
		b    int
		next int
	}
	preds := func(b int) []int {
		var all []int
		if b == end {
			for _, x := range fn.Blocks {
				if len(x.Succs) == 0 {
					all = append(all, x.Index)
				}
			}
			return all
		}
		for _, x := range fn.Blocks[b].Preds {
			all = append(all, x.Index)
		}
		return all
	}
	seen := make([]bool, n+1)
	lists := make([][]int, n+1)
	seen[end] = true
	lists[end] = preds(end)
	for stack := []at{{end, 0}}; len(stack) > 0; {
		t := &stack[len(stack)-1]
		if t.next == len(lists[t.b]) {
			number[t.b] = len(order)
			order = append(order, t.b)
			stack = stack[:len(stack)-1]
			continue
		}
		x := lists[t.b][t.next]
		t.next++
		if !seen[x] {
			seen[x] = true
			lists[x] = preds(x)
			stack = append(stack, at{x, 0})
		}
	}
	idom := make([]int, n+1)
	for i := range idom {
		idom[i] = -2
	}
	idom[end] = end
	meet := func(a, b int) int {
		for a != b {
			for number[a] < number[b] {
				a = idom[a]
			}
			for number[b] < number[a] {
				b = idom[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for k := len(order) - 2; k >= 0; k-- {
			b := order[k]
			d := -2
			if len(fn.Blocks[b].Succs) == 0 {
				d = end
			}
			for _, s := range fn.Blocks[b].Succs {
				if idom[s.Index] == -2 {
					continue
				}
				if d == -2 {
					d = s.Index
				} else {
					d = meet(d, s.Index)
				}
			}
			if d != idom[b] {
				idom[b], changed = d, true
			}
		}
	}
	out := idom[:n]
	for b := range out {
		if out[b] == end {
			out[b] = -1
		}
	}
	return out
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
		ends := post[c.Index] != -2
		for _, s := range c.Succs {
			ends = ends && post[s.Index] != -2
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
