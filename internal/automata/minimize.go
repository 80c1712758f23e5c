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
	p := refine(order, number, d)

	// The shortlex-least access word of a class is the least among those of its
	// members, so classes in the order of their first members are canonical.
	rank := make([]int32, p.blocks) // by block: 1 + its canonical number
	first := make([]int32, 0, p.blocks)
	for i, s := range order {
		if b := p.of[i].block; rank[b] == 0 {
			first = append(first, s)
			rank[b] = int32(len(first))
		}
	}
	class = number // reused: the numbers are not needed after this loop
	for s, i := range number {
		if i >= 0 {
			class[s] = rank[p.of[i].block] - 1
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

// refine returns the coarsest stable partition that is finer than the one by
// verdict, of the reachable states of d, states being named by their place in
// order (number is the inverse of order).
func refine(order, number []int32, d *DFA) *partition {
	n, k := len(order), d.Letters
	p := newPartition(order, d.Out)
	if p.blocks == 1 {
		return p
	}
	off, pre := inverse(order, number, d)

	// Invariant: for each letter, the partition is stable with respect to each
	// block before b or to a union of it with blocks from b on. Hence of the two
	// halves of a block before b only the smaller has to be used as a splitter
	// again; of a later block both must. split makes the smaller half the new
	// block, the last one, so the blocks are their own work list, first in first
	// out; and one block, the largest, need not be used at the beginning.
	largest := 0
	for b := range p.blocks {
		if p.size(b) > p.size(largest) {
			largest = b
		}
	}
	var splitter, touched []int32
	for b := 0; b < p.blocks && p.blocks < n; b++ {
		if b == largest {
			continue
		}
		// A copy, because b may itself be split by its first letters; refining
		// the other letters by the old b is what its halves rely on.
		splitter = append(splitter[:0], p.members(b)...)
		for x := range k {
			for _, s := range splitter {
				e := int(s)*k + x
				for _, t := range pre[off[e]:off[e+1]] {
					touched = p.mark(t, touched)
				}
			}
			for _, c := range touched {
				p.split(c)
			}
			touched = touched[:0]
		}
	}
	return p
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

// A partition of 0..n-1. Block b consists of elems[first:end] of its bounds, and
// its marked members are those before mid. What is used together lies together:
// on large automata the time goes into cache misses.
type partition struct {
	blocks int
	elems  []int32  // a permutation of the elements
	of     []member // by element
	bounds []bounds // by block
}

type member struct{ block, place int32 }

type bounds struct{ first, mid, end int32 }

// newPartition returns the partition of the states in order by their verdicts,
// a state being named by its place in order.
func newPartition(order []int32, out []Verdict) *partition {
	n := len(order)
	p := &partition{
		elems:  make([]int32, n),
		of:     make([]member, n),
		bounds: make([]bounds, n),
	}
	var count, name, fill [Impossible + 1]int32
	for _, s := range order {
		count[out[s]]++
	}
	at := int32(0)
	for v, c := range count {
		if c == 0 {
			continue
		}
		name[v], fill[v] = int32(p.blocks), at
		p.bounds[p.blocks] = bounds{at, at, at + c}
		p.blocks++
		at += c
	}
	for i, s := range order {
		v := out[s]
		p.elems[fill[v]], p.of[i] = int32(i), member{name[v], fill[v]}
		fill[v]++
	}
	return p
}

func (p *partition) size(b int) int32 { return p.bounds[b].end - p.bounds[b].first }

func (p *partition) members(b int) []int32 { return p.elems[p.bounds[b].first:p.bounds[b].end] }

// mark marks element t of a block that has no marks yet or of one in touched,
// and returns touched with the block, unless that has only one member and so
// nothing to split.
func (p *partition) mark(t int32, touched []int32) []int32 {
	at := p.of[t]
	b := &p.bounds[at.block]
	if at.place < b.mid || b.end-b.first == 1 {
		return touched
	}
	if b.mid == b.first {
		touched = append(touched, at.block)
	}
	if at.place != b.mid {
		u := p.elems[b.mid]
		p.elems[b.mid], p.of[t].place = t, b.mid
		p.elems[at.place], p.of[u].place = u, at.place
	}
	b.mid++
	return touched
}

// split unmarks the members of block b and, if only some were marked, makes the
// smaller of the marked and the unmarked part a new block, the last.
func (p *partition) split(b int32) {
	old := p.bounds[b]
	p.bounds[b].mid = old.first
	if old.mid == old.end {
		return
	}
	c := p.blocks
	p.blocks++
	if old.mid-old.first <= old.end-old.mid {
		p.bounds[c] = bounds{old.first, old.first, old.mid}
		p.bounds[b] = bounds{old.mid, old.mid, old.end}
	} else {
		p.bounds[c] = bounds{old.mid, old.mid, old.end}
		p.bounds[b].end = old.mid
	}
	for _, t := range p.members(c) {
		p.of[t].block = int32(c)
	}
}
