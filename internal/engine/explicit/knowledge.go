// SPDX-License-Identifier: Apache-2.0

package explicit

// This file determinizes a component on demand. What a client knows after a
// concrete word is the set of states the component may be in: its KNOWLEDGE.
// A call is forbidden iff some state of the knowledge has an erring run; after
// an allowed call with an observed result the knowledge is the set of all
// successors under that letter; if it is empty the letter cannot happen. This
// is the subset construction, with errors treated demonically.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/explore"
)

// Targets of letters that lead to no knowledge.
const (
	Rejected   int32 = -1
	Impossible int32 = -2
)

// SetsBudget, stepsBudget and tableBudget name the budgets that determinization exhausts. A set may
// have as many members as there are states, so that their number alone does not bound the work.
const (
	SetsBudget  = "sets of component states"
	StepsBudget = "steps from sets of component states"
	TableBudget = "bytes for sets of component states and their table"
)

// stepsPerSet is how many steps the budget has for each set.
const stepsPerSet = 8

// cellBytes is what a cell of a table (states times letters) takes until it is minimized: its target, and its
// place among the predecessors of that. Arguments and results that all make a difference give many letters; the budget counts only states.
const cellBytes = 12

type knowledge struct {
	c      *explore.Component
	sets   automata.Sets
	budget int
	steps  int   // from the sets whose successors are known
	start  int32 // the knowledge before construction
	rows   map[int32][]int32
	pool   []explore.Edge
	tos    []int32
}

func newKnowledge(c *explore.Component, budget int) *knowledge {
	k := &knowledge{c: c, budget: budget, rows: map[int32][]int32{}}
	initial := slices.Clone(c.Initial)
	slices.Sort(initial)
	k.start = k.sets.ID(initial)
	return k
}

// post writes to row, for each letter, the knowledge after it. The members of
// the set must be expanded.
func (k *knowledge) post(set int32, row []int32) error {
	for i := range row {
		row[i] = Impossible
	}
	members := k.sets.Set(set)
	edges := k.pool[:0]
	if len(members) == 1 {
		edges = k.c.Edges(members[0])
	} else {
		for _, s := range members {
			edges = append(edges, k.c.Edges(s)...)
		}
		slices.SortFunc(edges, func(a, b explore.Edge) int {
			if a.Letter != b.Letter {
				return int(a.Letter) - int(b.Letter)
			}
			return int(a.To) - int(b.To)
		})
		edges = slices.Compact(edges)
		k.pool = edges
	}
	k.steps += len(edges)
	if k.budget > 0 && k.steps/stepsPerSet > k.budget {
		return &explore.BudgetError{What: StepsBudget, Limit: stepsPerSet * k.budget}
	}
	for i := 0; i < len(edges); {
		e := edges[i]
		if e.Letter < 0 {
			for _, x := range k.c.Calls[^e.Letter].Letters {
				row[x] = Rejected
			}
			i++
			continue
		}
		if row[e.Letter] == Rejected {
			i++
			continue
		}
		to := k.tos[:0]
		for ; i < len(edges) && edges[i].Letter == e.Letter; i++ {
			to = append(to, edges[i].To)
		}
		k.tos = to
		row[e.Letter] = k.sets.ID(to)
	}
	if k.budget > 0 && k.sets.Len() > k.budget {
		return &explore.BudgetError{What: SetsBudget, Limit: k.budget}
	}
	return nil
}

// row returns the successors of a set under all letters, expanding its members
// if need be and remembering the answer.
func (k *knowledge) row(ctx context.Context, set int32) ([]int32, error) {
	if r := k.rows[set]; r != nil {
		return r, nil
	}
	if err := k.c.Expand(ctx, k.sets.Set(set)); err != nil {
		return nil, err
	}
	r := make([]int32, len(k.c.Letters))
	if err := k.post(set, r); err != nil {
		return nil, err
	}
	k.rows[set] = r
	if k.c.Bytes()+k.sets.Bytes()+4*len(k.rows)*len(r) > explore.MaxBytes {
		return nil, &explore.BudgetError{What: TableBudget, Limit: explore.MaxBytes}
	}
	return r, nil
}

// determinize explores all knowledge and returns the automaton of the
// component over its letters: state i is set i, then the two sinks.
func (k *knowledge) determinize(ctx context.Context) (*automata.DFA, error) {
	letters := len(k.c.Letters)
	d := &automata.DFA{Letters: letters}
	row := make([]int32, letters)
	for from := 0; from < k.sets.Len(); {
		level := k.sets.Len()
		var todo []int32
		for i := from; i < level; i++ {
			for _, s := range k.sets.Set(int32(i)) {
				if !k.c.Expanded(s) {
					todo = append(todo, s)
				}
			}
		}
		if err := k.c.Expand(ctx, todo); err != nil {
			return nil, err
		}
		for ; from < level; from++ {
			if from&0xfff == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err := k.post(int32(from), row); err != nil {
				return nil, err
			}
			d.Next = append(d.Next, row...)
			if k.c.Bytes()+k.sets.Bytes()+cellBytes*len(d.Next) > explore.MaxBytes {
				return nil, &explore.BudgetError{What: TableBudget, Limit: explore.MaxBytes}
			}
		}
	}
	return withSinks(d, k.sets.Len()), nil
}

// withSinks completes an automaton of n rows: state 0 is the object before
// construction; rejected and impossible letters lead to two sinks.
func withSinks(d *automata.DFA, states int) *automata.DFA {
	n := int32(states)
	d.Out = make([]automata.Verdict, n+2)
	for i := range d.Out {
		d.Out[i] = automata.Accept
	}
	d.Out[0] = automata.Unknown
	d.Out[n], d.Out[n+1] = automata.Reject, automata.Impossible
	for i, t := range d.Next {
		switch t {
		case Rejected:
			d.Next[i] = n
		case Impossible:
			d.Next[i] = n + 1
		}
	}
	for sink := n; sink < n+2; sink++ {
		for range d.Letters {
			d.Next = append(d.Next, sink)
		}
	}
	return d
}
