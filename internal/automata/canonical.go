// SPDX-License-Identifier: Apache-2.0

package automata

// This file numbers states breadth-first in letter order. The number of a
// state is then the rank of its shortlex-least access word among those of all
// states, which depends on the language of the automaton only, so two minimal
// automata of one language get identical structs. Depth-first numbering would
// be canonical too, but its access words are long, and they are shown to people.

import "slices"

// A Tree is the breadth-first search tree of a DFA in letter order.
type Tree struct {
	Order  []int32 // the reachable states in the order of their shortlex-least access words
	Parent []int32 // by state; -1 for the initial state and for unreachable states
	Letter []int32 // by state: the letter that leads from Parent to it; -1 where Parent is
}

// AccessTree returns the breadth-first search tree of d.
func AccessTree(d *DFA) *Tree {
	n := d.States()
	t := &Tree{
		Order:  make([]int32, 1, n),
		Parent: make([]int32, n),
		Letter: make([]int32, n),
	}
	for s := range n {
		t.Parent[s], t.Letter[s] = -1, -1
	}
	for i := 0; i < len(t.Order); i++ {
		s := t.Order[i]
		for x, next := range d.Next[int(s)*d.Letters : int(s+1)*d.Letters] {
			if next != 0 && t.Parent[next] < 0 {
				t.Parent[next], t.Letter[next] = s, int32(x)
				t.Order = append(t.Order, next)
			}
		}
	}
	return t
}

// Reached tells whether some word reaches s.
func (t *Tree) Reached(s int32) bool { return s == 0 || t.Parent[s] >= 0 }

// Word returns the shortlex-least word that reaches s, which must be reachable.
func (t *Tree) Word(s int32) []int {
	if !t.Reached(s) {
		panic("automata.Tree.Word: unreachable state")
	}
	word := []int{}
	for ; t.Parent[s] >= 0; s = t.Parent[s] {
		word = append(word, int(t.Letter[s]))
	}
	slices.Reverse(word)
	return word
}

// Access returns the shortlex-least word that reaches each state, nil for
// unreachable states. It needs space for all of them at once; for automata
// with long words use [AccessTree].
func Access(d *DFA) [][]int {
	t := AccessTree(d)
	words := make([][]int, d.States())
	for _, s := range t.Order {
		words[s] = t.Word(s)
	}
	return words
}

// Reachable tells for each state whether some word reaches it.
func Reachable(d *DFA) []bool {
	_, number := breadthFirst(d)
	reached := make([]bool, len(number))
	for s, i := range number {
		reached[s] = i >= 0
	}
	return reached
}

// Canonical returns d without its unreachable states, the others numbered
// breadth-first in letter order. Isomorphic automata (such as the minimal ones
// of one language) become identical.
func Canonical(d *DFA) *DFA {
	order, number := breadthFirst(d)
	k := d.Letters
	c := &DFA{
		Letters: k,
		Next:    make([]int32, len(order)*k),
		Out:     make([]Verdict, len(order)),
	}
	for i, s := range order {
		c.Out[i] = d.Out[s]
		for x := range k {
			c.Next[i*k+x] = number[d.Next[int(s)*k+x]]
		}
	}
	return c
}

// Equal tells whether a and b are the same automaton, state by state. For
// canonical minimal automata that is equality of languages; to compare the
// languages of others use [Separate].
func Equal(a, b *DFA) bool {
	return a.Letters == b.Letters && slices.Equal(a.Out, b.Out) && slices.Equal(a.Next, b.Next)
}

// breadthFirst returns the reachable states in breadth-first order and, for
// each state, its place in that order, or -1.
func breadthFirst(d *DFA) (order, number []int32) {
	n, k := d.States(), d.Letters
	number = make([]int32, n)
	for s := range number {
		number[s] = -1
	}
	order = make([]int32, 1, n)
	number[0] = 0
	for i := 0; i < len(order); i++ {
		s := int(order[i])
		for _, t := range d.Next[s*k : s*k+k] {
			if number[t] < 0 {
				number[t] = int32(len(order))
				order = append(order, t)
			}
		}
	}
	return order, number
}
