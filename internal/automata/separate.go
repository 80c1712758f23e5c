// SPDX-License-Identifier: Apache-2.0

package automata

// This file compares automata by breadth-first search of their product, so that
// the words found, which are shown to people, are shortest.
//
// Separate prunes the search with Hopcroft and Karp's union-find ("A linear
// algorithm for testing equivalence of finite automata", 1971) and so visits
// fewer than |a|+|b| pairs. The words stay shortest because the search is
// breadth-first: a pair is left out only if a chain of pairs seen before, none
// of them deeper, connects it; a word that separates it separates a pair of the
// chain, because being told apart by that word is the complement of an
// equivalence. SeparateWhere takes any relation, for which that fails, and
// searches all pairs.

import (
	"fmt"
	"slices"
)

// Separate returns a shortest word to which a and b give different verdicts, or
// ok=false if there is none.
//
// It panics if a and b have different numbers of letters.
func Separate(a, b *DFA) (word []int, ok bool) {
	sameLetters("Separate", a, b)
	parent := make([]int32, a.States()+b.States()) // states of b after those of a
	for i := range parent {
		parent[i] = int32(i)
	}
	q := pairQueue{}
	enter := func(s, t, from int32, x int) {
		u, v := find(parent, s), find(parent, int32(a.States())+t)
		if u != v {
			parent[max(u, v)] = min(u, v)
			q.push(s, t, from, x)
		}
	}
	enter(0, 0, -1, 0)
	for i := 0; i < len(q.nodes); i++ {
		s, t := q.nodes[i].s, q.nodes[i].t
		if a.Out[s] != b.Out[t] {
			return q.word(i), true
		}
		for x := range a.Letters {
			enter(a.Step(s, x), b.Step(t, x), int32(i), x)
		}
	}
	return nil, false
}

// SeparateWhere returns a shortest word whose verdicts va in a and vb in b make
// differ(va, vb) true, or ok=false if there is none.
//
// It panics if a and b have different numbers of letters.
func SeparateWhere(a, b *DFA, differ func(va, vb Verdict) bool) (word []int, ok bool) {
	sameLetters("SeparateWhere", a, b)
	return search(a, b, differ, func(Verdict, Verdict) bool { return true })
}

// SeparateRealizable returns a shortest word that can happen in both a and b and
// gets different verdicts, or ok=false if there is none. A word can happen in an
// automaton if neither its verdict nor that of a prefix is Impossible.
//
// It panics if a and b have different numbers of letters.
func SeparateRealizable(a, b *DFA) (word []int, ok bool) {
	sameLetters("SeparateRealizable", a, b)
	happens := func(va, vb Verdict) bool { return va != Impossible && vb != Impossible }
	return search(a, b, func(va, vb Verdict) bool { return va != vb && happens(va, vb) }, happens)
}

// search returns a shortest word whose verdicts differ, among the words whose
// proper prefixes all have verdicts that satisfy through.
func search(a, b *DFA, differ, through func(va, vb Verdict) bool) (word []int, ok bool) {
	q := pairQueue{}
	q.add(0, 0, -1, 0)
	for i := 0; i < len(q.nodes); i++ {
		s, t := q.nodes[i].s, q.nodes[i].t
		if differ(a.Out[s], b.Out[t]) {
			return q.word(i), true
		}
		if !through(a.Out[s], b.Out[t]) {
			continue
		}
		for x := range a.Letters {
			q.add(a.Step(s, x), b.Step(t, x), int32(i), x)
		}
	}
	return nil, false
}

func sameLetters(who string, a, b *DFA) {
	if a.Letters != b.Letters {
		panic(fmt.Sprintf("automata.%s: %d letters versus %d", who, a.Letters, b.Letters))
	}
}

// A pairQueue is the queue of a breadth-first search of pairs of states, kept
// whole for the sake of the words.
type pairQueue struct {
	nodes []pairNode
	table []int32 // 1 + index of a node that add entered, 0 if free; at most half full
}

type pairNode struct {
	s, t   int32
	from   int32 // index of the node it was reached from, -1 for the first
	letter int32
}

// push appends a pair that the caller knows to be new.
func (q *pairQueue) push(s, t, from int32, x int) {
	q.nodes = append(q.nodes, pairNode{s, t, from, int32(x)})
}

// add appends the pair unless it is there and returns its index. All pairs of a
// queue must be entered by add for that.
func (q *pairQueue) add(s, t, from int32, x int) int32 {
	if 2*(len(q.nodes)+1) > len(q.table) {
		q.table = make([]int32, max(64, 2*len(q.table)))
		for i, n := range q.nodes {
			*q.slot(n.s, n.t) = int32(i + 1)
		}
	}
	slot := q.slot(s, t)
	if *slot == 0 {
		q.push(s, t, from, x)
		*slot = int32(len(q.nodes))
	}
	return *slot - 1
}

// slot returns where the table has the pair, or has room for it.
func (q *pairQueue) slot(s, t int32) *int32 {
	mask := uint64(len(q.table) - 1)
	i := mix(uint64(uint32(s))<<32|uint64(uint32(t))) & mask
	for ; q.table[i] != 0; i = (i + 1) & mask {
		if n := &q.nodes[q.table[i]-1]; n.s == s && n.t == t {
			break
		}
	}
	return &q.table[i]
}

// word returns the word that leads to node i.
func (q *pairQueue) word(i int) []int {
	word := []int{}
	for n := q.nodes[i]; n.from >= 0; n = q.nodes[n.from] {
		word = append(word, int(n.letter))
	}
	slices.Reverse(word)
	return word
}

// find returns the representative of i in the union-find forest parent and
// halves the path to it.
func find(parent []int32, i int32) int32 {
	for parent[i] != i {
		parent[i] = parent[parent[i]]
		i = parent[i]
	}
	return i
}
