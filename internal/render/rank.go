// SPDX-License-Identifier: Apache-2.0

package render

// This file assigns states to levels. Edges that no path leads back over run
// downwards. Within a strongly connected component, the level of a state follows
// its distance from the start, so that the picture reads in the order in which
// a client gets to know the states; edges to an earlier state run upwards. The
// usual way, breaking cycles by depth-first search, reverses fewer edges but
// stretches a well-connected automaton into one long chain.

import (
	"cmp"
	"slices"
)

// levels returns a level for each of n states; the ends of an arc are never
// on the same level. Roots come first.
func levels(n int, arcs []arc, roots []int) []int {
	next := make([][]int, n)
	for _, a := range arcs {
		if !slices.Contains(next[a.from], a.to) {
			next[a.from] = append(next[a.from], a.to)
		}
	}
	dist := distances(n, next, roots)
	comp := components(n, next)
	color := spread(n, next, dist, comp)

	// Orient every arc downwards: along itself between components, and from
	// the smaller pair (distance, colour) to the larger inside one. Neither can
	// close a cycle. above[v] and below[v] are the neighbours of v after that.
	below, above := make([][]int, n), make([][]int, n)
	for u := range n {
		for _, v := range next[u] {
			a, b := u, v
			if comp[u] == comp[v] && cmp.Or(dist[u]-dist[v], color[u]-color[v]) > 0 {
				a, b = v, u
			}
			below[a] = append(below[a], b)
			above[b] = append(above[b], a)
		}
	}
	level := make([]int, n)
	for k := range level {
		level[k] = -1
	}
	var visit func(v int) int // longest path
	visit = func(v int) int {
		if level[v] < 0 {
			l := 0
			for _, u := range above[v] {
				l = max(l, visit(u)+1)
			}
			level[v] = l
		}
		return level[v]
	}
	for v := range n {
		visit(v)
	}
	shorten(level, above, below)
	return level
}

// components numbers the strongly connected components (Tarjan, 1972).
func components(n int, next [][]int) []int {
	comp, low, index := make([]int, n), make([]int, n), make([]int, n)
	var stack []int
	count, done := 0, 0
	var visit func(v int)
	visit = func(v int) {
		count++
		index[v], low[v] = count, count
		stack = append(stack, v)
		for _, w := range next[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if comp[w] == 0 {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] == index[v] {
			done++
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				comp[w] = done
				if w == v {
					break
				}
			}
		}
	}
	for v := range n {
		if index[v] == 0 {
			visit(v)
		}
	}
	return comp
}

// distances is breadth-first search from the roots, one root at a time: a
// second root that the first one reaches keeps its distance from it. States that
// are not reachable are roots of their own.
func distances(n int, next [][]int, roots []int) []int {
	dist := make([]int, n)
	seen := make([]bool, n)
	visit := func(root int) {
		if seen[root] {
			return
		}
		seen[root] = true
		for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
			for _, v := range next[queue[0]] {
				if !seen[v] {
					seen[v] = true
					dist[v] = dist[queue[0]] + 1
					queue = append(queue, v)
				}
			}
		}
	}
	for _, r := range roots {
		visit(r)
	}
	for v := range n {
		visit(v)
	}
	return dist
}

// spread colours the states so that neighbours at the same distance in the same
// component differ. Greedy colouring, sources first, keeps the number of levels small.
func spread(n int, next [][]int, dist, comp []int) []int {
	surplus := make([]int, n) // arcs out of minus arcs into v, within its distance
	near := make([][]int, n)
	for u := range n {
		for _, v := range next[u] {
			if dist[u] == dist[v] && comp[u] == comp[v] {
				surplus[u]++
				surplus[v]--
				near[u] = append(near[u], v)
				near[v] = append(near[v], u)
			}
		}
	}
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(u, v int) int { return cmp.Or(dist[u]-dist[v], surplus[v]-surplus[u]) })
	color := make([]int, n)
	for k := range color {
		color[k] = -1
	}
	for _, v := range order {
		used := make([]bool, len(near[v])+1)
		for _, u := range near[v] {
			if c := color[u]; c >= 0 && c < len(used) {
				used[c] = true
			}
		}
		color[v] = slices.Index(used, false)
	}
	return color
}

// shorten moves states down, as far as their neighbours below allow, while that
// makes edges shorter in total: while there are more of them than above. Each
// move lowers the total length, so it ends.
func shorten(level []int, above, below [][]int) {
	for moved := true; moved; {
		moved = false
		for v := range level {
			if len(above[v]) == 0 || len(below[v]) <= len(above[v]) {
				continue
			}
			to := 1 << 30
			for _, w := range below[v] {
				to = min(to, level[w]-1)
			}
			if to > level[v] {
				level[v] = to
				moved = true
			}
		}
	}
}
