// SPDX-License-Identifier: Apache-2.0

package explicit

// This file is the second phase of hide.go: it finds words that the abstraction has and the component has not.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
)

// exact reports that the abstraction is a bisimulation as far as letters go: it
// is deterministic, and the members of an abstract state have the same letters.
// Then the component has every trace that the abstraction has. It is the case
// in the published examples, and costs one pass instead of a search of sets.
func (h *hiding) exact() bool {
	if len(h.initial) != 1 {
		return false
	}
	for a, edges := range h.edges {
		letters := 0
		for i, e := range edges {
			if e.Letter < 0 {
				continue
			}
			if i > 0 && edges[i-1].Letter == e.Letter {
				return false
			}
			letters++
		}
		for _, s := range h.members[a] {
			mine, last := 0, int32(-1)
			for _, e := range h.c.Edges(s) {
				if e.Letter >= 0 && e.Letter != last {
					mine, last = mine+1, e.Letter
				}
			}
			if mine != letters { // a subset of as many is all of them
				return false
			}
		}
	}
	return true
}

// checkTight compares, on sets, which letters can happen in the abstraction
// and in the component. It returns a trace of a word that only the abstraction
// has; nil if there is none.
func (h *hiding) checkTight(ctx context.Context) (*trace, error) {
	if h.exact() {
		return nil, nil
	}
	type pair struct {
		abs string // key of the abstract set
		set int32
	}
	type item struct {
		abs    []int32
		set    int32
		prev   int
		letter int
	}
	items := []item{{h.initial, h.k.start, -1, -1}}
	seen := map[pair]bool{{fmt.Sprint(h.initial), h.k.start}: true}
	for i := 0; i < len(items); i++ {
		it := items[i]
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if len(items) > h.p.Budget {
			return nil, &explore.BudgetError{What: "pairs of sets", Limit: h.p.Budget}
		}
		h.pairs++
		row, err := h.k.row(ctx, it.set)
		if err != nil {
			return nil, err
		}
		var edges []explore.Edge
		for _, a := range it.abs {
			edges = append(edges, h.edges[a]...)
		}
		edges = sortedEdges(edges)
		for x, next := range byLetter(edges) {
			if x < 0 || row[x] == Rejected {
				continue
			}
			if row[x] == Impossible {
				return h.traceTo(wordTo(items, i, int(x), func(it item) (int, int) { return it.prev, it.letter }), next[0]), nil
			}
			p := pair{fmt.Sprint(next), row[x]}
			if !seen[p] {
				seen[p] = true
				items = append(items, item{next, row[x], i, int(x)})
			}
		}
	}
	return nil, nil
}

func wordTo[T any](items []T, at, last int, back func(T) (prev, letter int)) []int {
	word := []int{last}
	for at >= 0 {
		prev, letter := back(items[at])
		if letter >= 0 {
			word = append(word, letter)
		}
		at = prev
	}
	slices.Reverse(word)
	return word
}

// traceTo finds an abstract trace of the word that ends in the given state.
func (h *hiding) traceTo(word []int, end int32) *trace {
	layers := [][]int32{h.initial}
	for _, x := range word {
		var next []int32
		for _, a := range layers[len(layers)-1] {
			for _, e := range h.edges[a] {
				if e.Letter == int32(x) {
					next = append(next, e.To)
				}
			}
		}
		slices.Sort(next)
		layers = append(layers, slices.Compact(next))
	}
	states := []int32{end}
	for i := len(word) - 1; i >= 0; i-- {
		for _, a := range layers[i] {
			if slices.Contains(h.edges[a], explore.Edge{Letter: int32(word[i]), To: states[len(states)-1]}) {
				states = append(states, a)
				break
			}
		}
	}
	slices.Reverse(states)
	return &trace{states, word, endLetter, -1}
}
