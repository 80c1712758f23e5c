// SPDX-License-Identifier: Apache-2.0

package synth

// This file reduces a system to what its visible words depend on. States that reach each other
// by hidden steps are equal for a client, so that they become one class. If words that cannot
// happen are legal, classes that never reach the error do not matter and are left out.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/model/lts"
)

const failed int32 = -1 // the target of edges to the error

// A view is a system over the visible letters. Classes are numbered so that hidden steps lead
// to smaller numbers.
type view struct {
	letters int
	initial int32 // failed if hidden steps alone lead from the start to the error
	first   []int32
	edges   []viewEdge // visible edges of class x: edges[first[x]:first[x+1]]
	below   []int32    // hidden successors of class x: hidden[below[x]:below[x+1]]
	hidden  []int32
}

type viewEdge struct{ letter, to int32 }

// newView makes the view of s. visible has a letter for each action, or -1.
func newView(s *lts.System, visible []int32, letters int, tight bool) *view {
	v := &view{letters: letters, initial: failed}
	if s.Initial == lts.Error {
		return v
	}
	class, classes := hiddenComponents(s, visible)
	members := make([][]int32, classes)
	for x, c := range class {
		members[c] = append(members[c], int32(x))
	}
	// A class is silent if hidden steps lead from it to the error.
	silent := make([]bool, classes)
	v.first, v.below = make([]int32, 1, classes+1), make([]int32, 1, classes+1)
	for c := range classes {
		for _, x := range members[c] {
			for _, e := range s.Edges(x) {
				switch hidden := e.Action == lts.Hidden || visible[e.Action] < 0; {
				case hidden && (e.To == lts.Error || silent[class[e.To]]):
					silent[c] = true
				case hidden && class[e.To] != c:
					v.hidden = append(v.hidden, class[e.To])
				case hidden:
				case e.To == lts.Error:
					v.edges = append(v.edges, viewEdge{visible[e.Action], failed})
				default:
					v.edges = append(v.edges, viewEdge{visible[e.Action], class[e.To]})
				}
			}
		}
		v.below = append(v.below, sortTail(&v.hidden, v.below[c], func(a, b int32) int { return int(a - b) }))
		v.first = append(v.first, sortTail(&v.edges, v.first[c], compareViewEdges))
	}
	for k := range v.edges {
		if to := v.edges[k].to; to != failed && silent[to] {
			v.edges[k].to = failed
		}
	}
	if v.initial = class[s.Initial]; silent[v.initial] {
		v.initial = failed
	}
	if !tight {
		v.keepWhatMatters(silent)
	}
	return v
}

func compareViewEdges(a, b viewEdge) int {
	if a.letter != b.letter {
		return int(a.letter - b.letter)
	}
	return int(a.to - b.to)
}

// sortTail sorts the list from a place on, drops what is there twice and gives its new length.
func sortTail[T comparable](list *[]T, from int32, compare func(a, b T) int) int32 {
	tail := (*list)[from:]
	slices.SortFunc(tail, compare)
	*list = (*list)[:int(from)+len(slices.Compact(tail))]
	return int32(len(*list))
}

// hiddenComponents numbers the strongly connected components of hidden steps, successors
// first (Tarjan, without recursion).
func hiddenComponents(s *lts.System, visible []int32) (class []int32, classes int32) {
	n := int32(s.States())
	class = make([]int32, n)
	index, low := make([]int32, n), make([]int32, n)
	for k := range class {
		class[k] = -1
	}
	type frame struct{ state, edge int32 }
	var frames []frame
	var open []int32
	next := int32(0)
	enter := func(x int32) {
		next++
		index[x], low[x] = next, next
		open = append(open, x)
		frames = append(frames, frame{x, 0})
	}
	for root := range n {
		if index[root] != 0 {
			continue
		}
		for enter(root); len(frames) > 0; {
			f := &frames[len(frames)-1]
			if row := s.Edges(f.state); int(f.edge) < len(row) {
				e := row[f.edge]
				f.edge++
				if e.To == lts.Error || e.Action != lts.Hidden && visible[e.Action] >= 0 {
					continue
				}
				if index[e.To] == 0 {
					enter(e.To)
				} else if class[e.To] < 0 {
					low[f.state] = min(low[f.state], index[e.To])
				}
				continue
			}
			x := f.state
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := frames[len(frames)-1].state
				low[up] = min(low[up], low[x])
			}
			if low[x] != index[x] {
				continue
			}
			for {
				y := open[len(open)-1]
				open = open[:len(open)-1]
				class[y] = classes
				if y == x {
					break
				}
			}
			classes++
		}
	}
	return class, classes
}

// keepWhatMatters drops edges to classes from which no path leads to the error.
func (v *view) keepWhatMatters(silent []bool) {
	n := len(silent)
	back := make([][]int32, n)
	matters := make([]bool, n)
	var queue []int32
	reach := func(c int32) {
		if !matters[c] {
			matters[c] = true
			queue = append(queue, c)
		}
	}
	for c := range int32(n) {
		for _, to := range v.hidden[v.below[c]:v.below[c+1]] {
			back[to] = append(back[to], c)
		}
		for _, e := range v.edges[v.first[c]:v.first[c+1]] {
			if e.to == failed {
				reach(c)
			} else {
				back[e.to] = append(back[e.to], c)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, c := range back[queue[0]] {
			reach(c)
		}
	}
	edges, hidden := v.edges[:0], v.hidden[:0]
	from, under := int32(0), int32(0)
	for c := range n {
		for _, e := range v.edges[from:v.first[c+1]] {
			if e.to == failed || matters[e.to] {
				edges = append(edges, e)
			}
		}
		for _, to := range v.hidden[under:v.below[c+1]] {
			if matters[to] {
				hidden = append(hidden, to)
			}
		}
		from, under = v.first[c+1], v.below[c+1]
		v.first[c+1], v.below[c+1] = int32(len(edges)), int32(len(hidden))
	}
	v.edges, v.hidden = edges, hidden
}
