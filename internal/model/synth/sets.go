// SPDX-License-Identifier: Apache-2.0

package synth

// This file has the sets of classes that are known after words. A set keeps only classes with
// visible edges: the others are on the way to them, or the end of a trace.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/model/lts"
)

// Where a letter leads from a set that does not go on to a set.
const (
	toError   int32 = -1
	toNowhere int32 = -2 // no trace goes on with the letter
)

// knowledge numbers the sets that words lead to.
type knowledge struct {
	*view
	tight  bool
	budget int
	sets   automata.Sets
	rows   []int32 // by set and letter; computed for the sets before len(rows)/letters
	known  []bool  // by set: its row is computed
	stamp  []int32
	round  int32
	byItem [][]int32 // by letter, for one row
}

func newKnowledge(v *view, tight bool, budget int) *knowledge {
	return &knowledge{view: v, tight: tight, budget: budget, stamp: make([]int32, max(0, len(v.first)-1)), byItem: make([][]int32, v.letters)}
}

// close is the set of the classes with visible edges that hidden steps lead to from some.
func (k *knowledge) close(from []int32) (int32, error) {
	k.round++
	stack := slices.Clone(from)
	var set []int32
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if k.stamp[c] == k.round {
			continue
		}
		k.stamp[c] = k.round
		if k.first[c] < k.first[c+1] {
			set = append(set, c)
		}
		stack = append(stack, k.hidden[k.below[c]:k.below[c+1]]...)
	}
	slices.Sort(set)
	before := k.sets.Len()
	id := k.sets.ID(set)
	if k.sets.Len() > before {
		if k.sets.Len() > k.budget {
			return 0, &lts.BudgetError{What: "what a client may know", Budget: k.budget}
		}
		for range k.letters {
			k.rows = append(k.rows, toNowhere)
		}
		k.known = append(k.known, false)
	}
	return id, nil
}

// start is the set after the empty word; toError if that is illegal.
func (k *knowledge) start() (int32, error) {
	if k.initial == failed {
		return toError, nil
	}
	return k.close([]int32{k.initial})
}

// row is where the letters lead from a set.
func (k *knowledge) row(set int32) ([]int32, error) {
	at := int(set) * k.letters
	if k.known[set] {
		return k.rows[at : at+k.letters], nil
	}
	for x := range k.byItem {
		k.byItem[x] = k.byItem[x][:0]
	}
	for _, c := range k.sets.Set(set) {
		for _, e := range k.edges[k.first[c]:k.first[c+1]] {
			k.byItem[e.letter] = append(k.byItem[e.letter], e.to)
		}
	}
	for x, targets := range k.byItem {
		to := toNowhere
		switch {
		case slices.Contains(targets, failed):
			to = toError
		case len(targets) > 0 || !k.tight:
			id, err := k.close(targets)
			if err != nil {
				return nil, err
			}
			to = id
		}
		k.rows[at+x] = to
	}
	k.known[set] = true
	return k.rows[at : at+k.letters], nil
}

// determinize is the automaton of all sets. Rejecting and impossible states absorb.
func (k *knowledge) determinize(ctx context.Context) (*automata.DFA, error) {
	d := &automata.DFA{Letters: k.letters}
	start, err := k.start()
	if err != nil {
		return nil, err
	}
	if start == toError {
		d.Out = []automata.Verdict{automata.Reject}
		d.Next = make([]int32, k.letters)
		return d, nil
	}
	for set := int32(0); set < int32(k.sets.Len()); set++ {
		if set%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, err := k.row(set); err != nil {
			return nil, err
		}
	}
	n := int32(k.sets.Len())
	d.Next = slices.Grow(d.Next, (int(n)+2)*k.letters)
	for _, to := range k.rows {
		switch to {
		case toError:
			to = n
		case toNowhere:
			to = n + 1
		}
		d.Next = append(d.Next, to)
	}
	for range n {
		d.Out = append(d.Out, automata.Accept)
	}
	for k, v := range []automata.Verdict{automata.Reject, automata.Impossible} {
		d.Out = append(d.Out, v)
		for range d.Letters {
			d.Next = append(d.Next, n+int32(k))
		}
	}
	return d, nil
}
