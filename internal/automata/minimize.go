// SPDX-License-Identifier: Apache-2.0

package automata

// This file minimizes by Hopcroft's partition refinement (Hopcroft, "An n log n
// algorithm for minimizing states in a finite automaton", 1971), started from
// the partition by verdict. The partition is kept as in Valmari and Lehtinen
// ("Efficient minimization of DFAs with partial transition functions", STACS
// 2008): one permutation of the states in which each block is an interval, and
// the marked states of a block are a prefix of its interval. Everything is a
// flat slice of int32: about 8 bytes per transition and 32 per state.
//
// Valmari and Lehtinen's second partition, of the transitions, was not taken: it
// pays for partial automata, ours are complete, and it triples the space per
// transition. Moore's rounds were not taken because a counter needs as many
// rounds as it has states.

import (
	"fmt"
	"math"
)

// Minimize returns the automaton with fewest states that gives every word the
// verdict that d gives it (Impossible is a verdict like the others here; see
// [Reduce] for the freedom it leaves). The result is canonical: automata with
// equal verdicts on all words have identical results.
func Minimize(d *DFA) *DFA {
	m, _ := MinimizeMap(d)
	return m
}

// MinimizeMap is [Minimize] and also returns, for each state of d, the state of
// the result that stands for it, -1 for unreachable states.
func MinimizeMap(d *DFA) (min *DFA, class []int32) {
	k := d.Letters
	order, number := breadthFirst(d)
	n := len(order)
	if n*k > math.MaxInt32 {
		panic(fmt.Sprintf("automata.Minimize: %d states with %d letters are too many", n, k))
	}
	block := refine(order, number, d)

	// The shortlex-least access word of a class is the least among those of its
	// members, so classes in the order of their first members are canonical.
	rank := make([]int32, n) // by block: 1 + its canonical number
	first := []int32{}
	for i, b := range block {
		if rank[b] == 0 {
			first = append(first, order[i])
			rank[b] = int32(len(first))
		}
	}
	class = number // reused: the numbers are not needed after this loop
	for s, i := range number {
		if i >= 0 {
			class[s] = rank[block[i]] - 1
		}
	}
	min = &DFA{
		Letters: k,
		Next:    make([]int32, len(first)*k),
		Out:     make([]Verdict, len(first)),
	}
	for c, s := range first {
		min.Out[c] = d.Out[s]
		for x := range k {
			min.Next[c*k+x] = class[d.Next[int(s)*k+x]]
		}
	}
	return min, class
}

// refine returns the block, in the coarsest stable partition finer than the one
// by verdict, of each reachable state of d, states being named by their place in
// order (number is the inverse of order).
func refine(order, number []int32, d *DFA) []int32 {
	n, k := len(order), d.Letters
	p := newPartition(n)
	p.divide(order, d.Out)
	if p.blocks == 1 {
		return p.block
	}
	off, pre := inverse(order, number, d)

	// Invariant: for each block B not on the work list and each letter, the
	// partition is stable with respect to B or to a union of B with blocks that
	// are, or have been, on the list. Hence of the two halves of a block not on
	// the list only the smaller has to go there; of a block on the list both
	// must. split makes the smaller half the new block, so in either case it
	// is exactly the new block that goes on the list.
	work := make([]int32, 0, n)
	largest := int32(0)
	for b := range int32(p.blocks) {
		if p.size(b) > p.size(largest) {
			largest = b
		}
	}
	for b := range int32(p.blocks) {
		if b != largest {
			work = append(work, b)
		}
	}
	var splitter, touched []int32
	for len(work) > 0 && p.blocks < n {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		// A copy, because b may itself be split by its first letters; refining
		// the other letters by the old b is what its halves rely on.
		splitter = append(splitter[:0], p.members(b)...)
		for x := range k {
			for _, s := range splitter {
				e := int(s)*k + x
				for _, t := range pre[off[e]:off[e+1]] {
					if c := p.block[t]; p.mark(t) {
						touched = append(touched, c)
					}
				}
			}
			for _, c := range touched {
				if p.split(c) {
					work = append(work, int32(p.blocks-1))
				}
			}
			touched = touched[:0]
		}
	}
	return p.block
}

// inverse returns the predecessors of state s under letter x as
// pre[off[s*k+x]:off[s*k+x+1]], states being named by their place in order.
func inverse(order, number []int32, d *DFA) (off, pre []int32) {
	n, k := len(order), d.Letters
	off = make([]int32, n*k+1)
	pre = make([]int32, n*k)
	for _, s := range order {
		for x, t := range d.Next[int(s)*k : int(s)*k+k] {
			off[int(number[t])*k+x]++
		}
	}
	// First the ends of the intervals, then each goes down to its start as the
	// interval is filled from behind.
	sum := int32(0)
	for e := range off {
		sum += off[e]
		off[e] = sum
	}
	for i := n - 1; i >= 0; i-- {
		s := int(order[i])
		for x, t := range d.Next[s*k : s*k+k] {
			e := int(number[t])*k + x
			off[e]--
			pre[off[e]] = int32(i)
		}
	}
	return off, pre
}

// A partition of 0..n-1. Block b consists of elems[first[b]:end[b]], and its
// marked members are those before mid[b].
type partition struct {
	blocks          int
	elems, place    []int32 // a permutation and its inverse
	block           []int32 // by element
	first, mid, end []int32 // by block
}

// newPartition returns the partition of 0..n-1 with one block.
func newPartition(n int) *partition {
	p := &partition{
		blocks: 1,
		elems:  make([]int32, n),
		place:  make([]int32, n),
		block:  make([]int32, n),
		first:  make([]int32, n),
		mid:    make([]int32, n),
		end:    make([]int32, n),
	}
	for i := range p.elems {
		p.elems[i], p.place[i] = int32(i), int32(i)
	}
	p.end[0] = int32(n)
	return p
}

// divide splits the one block by the verdicts of the states in order.
func (p *partition) divide(order []int32, out []Verdict) {
	var count [Impossible + 1]int32
	for _, s := range order {
		count[out[s]]++
	}
	var name, fill [Impossible + 1]int32
	p.blocks = 0
	at := int32(0)
	for v, c := range count {
		if c == 0 {
			continue
		}
		name[v], fill[v] = int32(p.blocks), at
		p.first[p.blocks], p.mid[p.blocks], p.end[p.blocks] = at, at, at+c
		p.blocks++
		at += c
	}
	for i, s := range order {
		v := out[s]
		p.elems[fill[v]], p.place[i], p.block[i] = int32(i), fill[v], name[v]
		fill[v]++
	}
}

func (p *partition) size(b int32) int32      { return p.end[b] - p.first[b] }
func (p *partition) members(b int32) []int32 { return p.elems[p.first[b]:p.end[b]] }

// mark marks element t and tells whether it is the first marked one of its block.
func (p *partition) mark(t int32) bool {
	b, i := p.block[t], p.place[t]
	m := p.mid[b]
	if i < m {
		return false
	}
	u := p.elems[m]
	p.elems[m], p.place[t] = t, m
	p.elems[i], p.place[u] = u, i
	p.mid[b] = m + 1
	return m == p.first[b]
}

// split unmarks the members of block b and, if only some were marked, makes the
// smaller of the marked and the unmarked part a new block, p.blocks-1.
func (p *partition) split(b int32) bool {
	first, mid, end := p.first[b], p.mid[b], p.end[b]
	p.mid[b] = first
	if mid == end {
		return false
	}
	c := int32(p.blocks)
	p.blocks++
	if mid-first <= end-mid {
		p.first[c], p.end[c] = first, mid
		p.first[b], p.mid[b] = mid, mid
	} else {
		p.first[c], p.end[c] = mid, end
		p.end[b] = mid
	}
	p.mid[c] = p.first[c]
	for _, t := range p.members(c) {
		p.block[t] = c
	}
	return true
}
