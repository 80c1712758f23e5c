// SPDX-License-Identifier: Apache-2.0

package explicit

// This file follows words on sets of states, for the teachers of components and of abstractions: it answers
// membership, and compares a hypothesis with all words.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/learn"
)

// Words are the words that a learner knows, over Letters and from the set Start. If
// there is only one way to construct the object, learning starts after it;
// otherwise constructors are letters too and learning starts before.
type Words struct {
	Start   int32
	Letters []int // learner's letter -> letter
	Created int   // the only letter of construction, or -1
	Visited int   // pairs of all comparisons so far
	sets    *automata.Sets
	row     Row
}

// A Row returns by letter the set after a set, Rejected or Impossible.
type Row func(ctx context.Context, set int32) ([]int32, error)

// ChooseStart starts after the construction if there is only one way, and it is legal.
func ChooseStart(ctx context.Context, sets *automata.Sets, row Row, initial int32, constructors, methods []int) (Words, error) {
	w := Words{Start: initial, Created: -1, Letters: append(slices.Clone(constructors), methods...), sets: sets, row: row}
	after, err := row(ctx, initial)
	if err == nil && len(constructors) == 1 && after[constructors[0]] >= 0 {
		w.Created, w.Start, w.Letters = constructors[0], after[constructors[0]], methods
	}
	return w, err
}

// Member implements learn.Teacher.
func (w *Words) Member(ctx context.Context, word []int) (learn.Answer, error) {
	set := w.Start
	for _, x := range word {
		row, err := w.row(ctx, set)
		if err != nil {
			return learn.Answer{}, err
		}
		switch set = row[w.Letters[x]]; set {
		case Rejected:
			return learn.Answer{Verdict: automata.Reject}, nil
		case Impossible:
			return learn.Answer{Verdict: automata.Impossible}, nil
		}
	}
	return learn.Answer{Verdict: automata.Accept}, nil
}

// Compare searches the pairs (hypothesis state, set) up to inclusion for a word that has another verdict in the
// hypothesis. It reaches at most
// budget pairs.
func (w *Words) Compare(ctx context.Context, h *automata.DFA, budget int) ([]int, bool, error) {
	var nodes []Node
	chain := make([][]int32, h.States()) // minimal sets per hypothesis state
	add := func(n Node) {
		set := w.sets.Set(n.X)
		for _, have := range chain[n.H] {
			if Subset(w.sets.Set(have), set) {
				return
			}
		}
		chain[n.H] = slices.DeleteFunc(chain[n.H], func(have int32) bool { return Subset(set, w.sets.Set(have)) })
		chain[n.H] = append(chain[n.H], n.X)
		nodes = append(nodes, n)
	}
	add(Node{0, w.Start, -1, -1})
	for from := 0; from < len(nodes); from++ {
		n := nodes[from]
		if !slices.Contains(chain[n.H], n.X) {
			continue // a smaller set has taken its place
		}
		w.Visited++
		if len(nodes) > budget {
			return nil, false, &explore.BudgetError{What: "sets in a check of a hypothesis", Limit: budget}
		}
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		row, err := w.row(ctx, n.X)
		if err != nil {
			return nil, false, err
		}
		for i, x := range w.Letters {
			to := h.Step(n.H, i)
			out := h.Out[to]
			switch next := row[x]; {
			case next == Rejected && out != automata.Reject,
				next == Impossible && out != automata.Impossible,
				next >= 0 && out != automata.Accept:
				return WordOf(nodes, from, i), true, nil
			case next >= 0:
				add(Node{to, next, int32(from), int32(i)})
			}
		}
	}
	return nil, false, nil
}

// A Node is a pair of a search: a hypothesis state, a component state or a
// set, and how it was reached.
type Node struct {
	H, X   int32
	Parent int32
	Letter int32
}

// WordOf is the word to a node of a search, and then one letter more.
func WordOf(nodes []Node, at, letter int) []int {
	word := []int{letter}
	for n := nodes[at]; n.Parent >= 0; n = nodes[n.Parent] {
		word = append(word, int(n.Letter))
	}
	slices.Reverse(word)
	return word
}

// Subset reports whether all members of a are members of b. Both are sorted.
func Subset(a, b []int32) bool {
	if len(a) > len(b) {
		return false
	}
	j := 0
	for _, x := range a {
		for j < len(b) && b[j] < x {
			j++
		}
		if j == len(b) || b[j] != x {
			return false
		}
	}
	return true
}
