// SPDX-License-Identifier: Apache-2.0

package automata

// This file holds nondeterministic automata and the subset construction.

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// An NFA is a nondeterministic automaton without empty moves. It accepts a word
// if one of its runs from a state of Initial ends in a state s with Accept[s].
// The successors of state s under letter x are Next[s*Letters+x], in any order.
type NFA struct {
	Letters int
	Initial []int32
	Accept  []bool
	Next    [][]int32
}

// States returns the number of states.
func (n *NFA) States() int { return len(n.Accept) }

// ErrBudget is wrapped by errors that say that a budget ran out. The question
// remains open.
var ErrBudget = errors.New("budget ran out")

// Determinize returns the automaton of the reachable subsets of n, with verdicts
// Accept and Reject, in canonical (though not minimal) form. It gives up with an
// error that wraps [ErrBudget] on more than budget subsets; 0 is no bound.
func Determinize(ctx context.Context, n *NFA, budget int) (*DFA, error) {
	var sets Sets
	post := newPost(n)
	d := &DFA{Letters: n.Letters}
	sets.ID(sortedSet(n.Initial))
	for id := int32(0); int(id) < sets.Len(); id++ {
		if id%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		set := sets.Set(id)
		v := Reject
		if slices.ContainsFunc(set, func(s int32) bool { return n.Accept[s] }) {
			v = Accept
		}
		d.Out = append(d.Out, v)
		for x := range n.Letters {
			d.Next = append(d.Next, sets.ID(post.of(set, x)))
		}
		if budget > 0 && sets.Len() > budget {
			return nil, fmt.Errorf("determinize: more than %d states: %w", budget, ErrBudget)
		}
	}
	return d, nil
}

// sortedSet returns a sorted copy without duplicates.
func sortedSet(states []int32) []int32 {
	set := slices.Clone(states)
	slices.Sort(set)
	return slices.Compact(set)
}

// A post computes images of sets of states.
type post struct {
	n    *NFA
	seen []int32 // by state: the last round it was seen in
	now  int32
	set  []int32
}

func newPost(n *NFA) *post { return &post{n: n, seen: make([]int32, n.States())} }

// of returns the sorted successors of set under x. The slice is reused.
func (p *post) of(set []int32, x int) []int32 {
	if p.now++; p.now < 0 { // wrapped around
		clear(p.seen)
		p.now = 1
	}
	p.set = p.set[:0]
	for _, s := range set {
		for _, t := range p.n.Next[int(s)*p.n.Letters+x] {
			if p.seen[t] != p.now {
				p.seen[t] = p.now
				p.set = append(p.set, t)
			}
		}
	}
	slices.Sort(p.set)
	return p.set
}
