// SPDX-License-Identifier: Apache-2.0

package render

// This file orders the items of each rank so that few lines cross: sweeps down
// and up by medians (Eades and Wormald, Algorithmica, 1994), each followed by
// exchanging neighbours (Gansner et al., IEEE TSE, 1993). The best of all orders
// seen is kept. An exact method was not chosen: the problem is NP-hard for
// two ranks already, and pictures of thirty states come out well without.

import "slices"

const (
	sweeps    = 24
	exchanges = 20 // passes after a sweep
)

// effort scales a number of repetitions down for charts that are too large to
// be looked at anyway.
func (l *layout) effort(n int) int {
	const full = 1500 // items
	if len(l.items) <= full {
		return n
	}
	return max(4, n*full/len(l.items)*full/len(l.items))
}

func (l *layout) reduceCrossings() {
	var best [][]int
	fewest := -1
	for _, start := range [](func()){l.orderByDepth, l.orderByNumber} {
		start()
		for n := range l.effort(sweeps) {
			if c := l.crossings(); fewest < 0 || c < fewest {
				fewest = c
				best = nil
				for _, r := range l.ranks {
					best = append(best, slices.Clone(r))
				}
			}
			if fewest == 0 {
				break
			}
			l.sweep(n%2 == 0, n%4 >= 2)
			l.exchange()
		}
	}
	l.ranks = best
	for r := range l.ranks {
		l.renumber(r)
	}
}

func (l *layout) renumber(rank int) {
	for p, k := range l.ranks[rank] {
		l.items[k].pos = p
	}
}

// orderByNumber puts items in the order in which they were made.
func (l *layout) orderByNumber() {
	for r := range l.ranks {
		slices.Sort(l.ranks[r])
		l.renumber(r)
	}
}

// orderByDepth puts items in the order of a depth-first walk along segments,
// which keeps the items of a part of the graph together.
func (l *layout) orderByDepth() {
	for r := range l.ranks {
		l.ranks[r] = l.ranks[r][:0]
	}
	seen := make([]bool, len(l.items))
	var walk func(int)
	walk = func(k int) {
		if seen[k] {
			return
		}
		seen[k] = true
		it := &l.items[k]
		l.ranks[it.rank] = append(l.ranks[it.rank], k)
		for _, s := range it.down {
			walk(l.segs[s].b)
		}
		for _, s := range it.up {
			walk(l.segs[s].a)
		}
	}
	for k := range l.items {
		walk(k)
	}
	for r := range l.ranks {
		l.renumber(r)
	}
}

// neighbours returns the positions of the items above (or below) k, sorted.
func (l *layout) neighbours(k int, above bool) []int {
	var list []int
	if above {
		for _, s := range l.items[k].up {
			list = append(list, l.items[l.segs[s].a].pos)
		}
	} else {
		for _, s := range l.items[k].down {
			list = append(list, l.items[l.segs[s].b].pos)
		}
	}
	slices.Sort(list)
	return list
}

// sweep sorts each rank by the medians of the positions in the rank before.
// Items without neighbours there stay where they are. Ties keep their order,
// or, with flip, reverse it, which gets a sweep out of a dead end.
func (l *layout) sweep(down, flip bool) {
	for n := range l.ranks {
		r := n
		if !down {
			r = len(l.ranks) - 1 - n
		}
		type keyed struct{ item, key int }
		var free []keyed
		rank := l.ranks[r]
		for _, k := range rank {
			if key, ok := median(l.neighbours(k, down)); ok {
				free = append(free, keyed{k, key})
			}
		}
		if flip {
			slices.Reverse(free)
		}
		slices.SortStableFunc(free, func(a, b keyed) int { return a.key - b.key })
		next := 0
		for p, k := range rank {
			if len(l.neighbours(k, down)) > 0 {
				rank[p] = -1
			}
		}
		for p := range rank {
			if rank[p] < 0 {
				rank[p] = free[next].item
				next++
			}
		}
		l.renumber(r)
	}
}

// median returns the weighted median of sorted positions, scaled by 1024.
func median(p []int) (m int, ok bool) {
	n := len(p)
	switch {
	case n == 0:
		return 0, false
	case n%2 == 1:
		return p[n/2] * 1024, true
	case n == 2:
		return (p[0] + p[1]) * 512, true
	}
	left, right := p[n/2-1]-p[0], p[n-1]-p[n/2]
	if left+right == 0 {
		return (p[n/2-1] + p[n/2]) * 512, true
	}
	return (p[n/2-1]*right + p[n/2]*left) * 1024 / (left + right), true
}

// exchange swaps neighbours while that removes crossings.
func (l *layout) exchange() {
	better := true
	for n := 0; better && n < l.effort(exchanges); n++ {
		better = false
		for r, rank := range l.ranks {
			for p := 0; p+1 < len(rank); p++ {
				u, v := rank[p], rank[p+1]
				if l.pairCrossings(v, u) < l.pairCrossings(u, v) {
					rank[p], rank[p+1] = v, u
					better = true
				}
			}
			l.renumber(r)
		}
	}
}

// pairCrossings counts the crossings of the segments of u with those of v if u
// stands left of v.
func (l *layout) pairCrossings(u, v int) int {
	n := 0
	for _, s := range l.items[u].up {
		for _, t := range l.items[v].up {
			if l.items[l.segs[t].a].pos < l.items[l.segs[s].a].pos {
				n++
			}
		}
	}
	for _, s := range l.items[u].down {
		for _, t := range l.items[v].down {
			if l.items[l.segs[t].b].pos < l.items[l.segs[s].b].pos {
				n++
			}
		}
	}
	return n
}

func (l *layout) crossings() int {
	n := 0
	for _, rank := range l.ranks {
		var before []int // positions below of the segments so far
		for _, k := range rank {
			list := l.neighbours(k, false)
			for _, b := range list {
				for _, a := range before {
					if a > b {
						n++
					}
				}
			}
			before = append(before, list...)
		}
	}
	return n
}
