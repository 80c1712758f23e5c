// SPDX-License-Identifier: Apache-2.0

package lower

// This file computes postdominators, of locations here and of blocks in front ends.

// What [Postdominators] says of a node without a postdominator among the others.
const (
	VirtualEnd = -1 // all ends meet there
	NoEnd      = -2 // no end can be reached
)

// Postdominators returns the immediate postdominator of each node of a graph, or
// VirtualEnd, or NoEnd. Nodes without successors are ends. By iteration on the
// reversed graph (Cooper, Harvey and Kennedy, 2001).
func Postdominators(succs [][]int) []int {
	n := len(succs)
	end := n
	preds := make([][]int, n+1)
	for b, list := range succs {
		if len(list) == 0 {
			preds[end] = append(preds[end], b)
		}
		for _, s := range list {
			preds[s] = append(preds[s], b)
		}
	}
	// Postorder of the reversed graph from the end.
	type at struct{ node, next int }
	var order []int
	number := make([]int, n+1)
	seen := make([]bool, n+1)
	seen[end] = true
	for stack := []at{{end, 0}}; len(stack) > 0; {
		t := &stack[len(stack)-1]
		if t.next == len(preds[t.node]) {
			number[t.node] = len(order)
			order = append(order, t.node)
			stack = stack[:len(stack)-1]
			continue
		}
		x := preds[t.node][t.next]
		t.next++
		if !seen[x] {
			seen[x] = true
			stack = append(stack, at{x, 0})
		}
	}
	idom := make([]int, n+1)
	for i := range idom {
		idom[i] = NoEnd
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
			d := NoEnd
			if len(succs[b]) == 0 {
				d = end
			}
			for _, s := range succs[b] {
				switch {
				case idom[s] == NoEnd:
				case d == NoEnd:
					d = s
				default:
					d = meet(d, s)
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
			out[b] = VirtualEnd
		}
	}
	return out
}
