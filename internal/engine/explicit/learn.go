// SPDX-License-Identifier: Apache-2.0

package explicit

// This file is the learning engine: the teacher answers membership by running
// the word on sets of component states, and equivalence exactly.
//
// A hypothesis is wrong about a word in one of four ways, decided in two
// searches. Two are about some state of the knowledge and need only pairs
// (hypothesis state, component state):
//
//	a call errs in some state, but the hypothesis does not reject it;
//	a letter happens in some state, but the hypothesis says it cannot.
//
// Two are about all states of the knowledge and need pairs (hypothesis state,
// set of component states):
//
//	no state errs on the call, but the hypothesis rejects it;
//	no state errs on the call and none has the letter, but the hypothesis accepts it.
//
// The latter are inherited by subsets, so of two sets at one hypothesis state
// only the smaller is kept (an antichain, as in De Wulf, Doyen, Henzinger,
// Raskin, CAV 2006). Matching single states instead, as the published loops
// do, is wrong for nondeterministic components: after a spurious hit the pair
// counts as visited and hides a genuine counterexample.

import (
	"context"
	"fmt"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/learn"
)

// Learn learns the table.
func Learn(ctx context.Context, p *problem.Problem, st problem.Stats) (*Table, error) {
	learner, err := FindLearner(p.Learner)
	if err != nil {
		return nil, err
	}
	c, err := p.Explore(ctx)
	if err != nil {
		return nil, err
	}
	t := &teacher{k: newKnowledge(c, p.Budget), p: p}
	if err := t.chooseStart(ctx); err != nil {
		return nil, err
	}
	cache := learn.NewCache(len(t.Letters), t)
	res, err := learner.Run(ctx, len(t.Letters), cache, learn.Options{
		PrefixClosed: true,
		MaxQueries:   p.Budget,
		Progress:     func(states, queries int) { p.Report("learning states", states) },
	})
	if err != nil {
		return nil, err
	}
	if res.Refine != nil {
		return nil, fmt.Errorf("internal error: the teacher of finite components demanded a refinement")
	}
	st["componentStates"] = int64(c.Visited())
	st["membershipQueries"] = int64(res.Stats.Queries)
	st["membershipSymbols"] = int64(res.Stats.Symbols)
	st["equivalenceQueries"] = int64(res.Stats.Equivalences)
	st["checkedPairs"] = int64(t.pairs + t.Visited)
	return &Table{c, t.complete(res.DFA)}, nil
}

// Learners lists the learners.
func Learners() []learn.Learner { return learn.Learners() }

// FindLearner returns the learner of that name; the first if there is none.
func FindLearner(name string) (learn.Learner, error) {
	list := learn.Learners()
	if name == "" {
		return list[0], nil
	}
	var names []string
	for _, l := range list {
		if l.Name == name {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return learn.Learner{}, fmt.Errorf("no learner %q: there are %s", name, problem.Join(names))
}

// A teacher answers for words of the component, by its knowledge after them.
type teacher struct {
	Words
	k     *knowledge
	p     *problem.Problem
	pairs int // of searches of component states
}

// chooseStart splits the letters of the component into those of construction and of methods.
func (t *teacher) chooseStart(ctx context.Context) error {
	c := t.k.c
	var constructors, methods []int
	for x, l := range c.Letters {
		if c.Calls[l.Call].Constructor {
			constructors = append(constructors, x)
		} else {
			methods = append(methods, x)
		}
	}
	words, err := ChooseStart(ctx, &t.k.sets, t.k.row, t.k.start, constructors, methods)
	t.Words = words
	return err
}

// Refute implements learn.Teacher.
func (t *teacher) Refute(ctx context.Context, h *automata.DFA) (learn.Counterexample, bool, error) {
	if v := h.Out[0]; v != automata.Accept {
		return learn.Counterexample{Word: []int{}}, true, nil
	}
	word, found, err := t.someState(ctx, h)
	if err == nil && !found && !(t.k.c.Deterministic() && len(t.k.sets.Set(t.Start)) == 1) {
		word, found, err = t.Compare(ctx, h, t.p.Budget)
	}
	return learn.Counterexample{Word: word}, found, err
}

// someState searches the pairs (hypothesis state, component state), all of
// them with verdict Accept. If the component is deterministic every knowledge
// is a single state, and the search decides all four ways.
func (t *teacher) someState(ctx context.Context, h *automata.DFA) ([]int, bool, error) {
	c := t.k.c
	index := make([]int, len(c.Letters)) // component's letter -> learner's
	for i := range index {
		index[i] = -1
	}
	for i, x := range t.Letters {
		index[x] = i
	}
	var nodes []Node
	seen := newPairs()
	add := func(n Node) {
		if seen.add(n.H, n.X) {
			nodes = append(nodes, n)
		}
	}
	for _, s := range t.k.sets.Set(t.Start) {
		add(Node{0, s, -1, -1})
	}
	status := make([]automata.Verdict, len(t.Letters))
	for from := 0; from < len(nodes); {
		level := len(nodes)
		var todo []int32
		for _, n := range nodes[from:level] {
			if !c.Expanded(n.X) {
				todo = append(todo, n.X)
			}
		}
		if err := c.Expand(ctx, todo); err != nil {
			return nil, false, err
		}
		t.pairs += level - from
		if len(nodes) > t.p.Budget {
			return nil, false, &explore.BudgetError{What: "pairs in a check of a hypothesis", Limit: t.p.Budget}
		}
		for ; from < level; from++ {
			n := nodes[from]
			for i := range status {
				status[i] = automata.Impossible
			}
			edges := c.Edges(n.X)
			for _, e := range edges {
				if e.Letter < 0 {
					for _, x := range c.Calls[^e.Letter].Letters {
						status[index[x]] = automata.Reject
					}
				} else if i := index[e.Letter]; status[i] == automata.Impossible {
					status[i] = automata.Accept
				}
			}
			exact := c.Deterministic() && len(t.k.sets.Set(t.Start)) == 1
			for i, v := range status {
				out := h.Out[h.Step(n.H, i)]
				if v == out {
					continue
				}
				switch {
				case v == automata.Reject, v == automata.Accept && out == automata.Impossible, exact:
					return WordOf(nodes, from, i), true, nil
				}
			}
			for _, e := range edges {
				if e.Letter < 0 {
					continue
				}
				i := index[e.Letter]
				if to := h.Step(n.H, i); status[i] == automata.Accept && h.Out[to] == automata.Accept {
					add(Node{to, e.To, int32(from), int32(i)})
				}
			}
		}
	}
	return nil, false, nil
}

// pairs is a set of pairs (a, b) in which most b occur with one a only.
type pairs struct {
	first []int32 // by b: 1 + the first a
	more  map[[2]int32]bool
}

func newPairs() *pairs { return &pairs{more: map[[2]int32]bool{}} }

// add reports whether (a, b) is new.
func (p *pairs) add(a, b int32) bool {
	if int(b) >= len(p.first) {
		p.first = append(p.first, make([]int32, int(b)+1-len(p.first))...)
	}
	switch p.first[b] {
	case 0:
		p.first[b] = a + 1
		return true
	case a + 1:
		return false
	}
	if p.more[[2]int32{a, b}] {
		return false
	}
	p.more[[2]int32{a, b}] = true
	return true
}

// complete turns the learned automaton into the table over all letters.
func (t *teacher) complete(h *automata.DFA) *automata.DFA {
	c := t.k.c
	n := int32(h.States())
	index := make([]int, len(c.Letters))
	for i := range index {
		index[i] = -1
	}
	for i, x := range t.Letters {
		index[x] = i
	}
	// State 0 of the result is the object before construction; state i+1 is
	// state i of h; then an impossible sink.
	sink := n + 1
	d := &automata.DFA{Letters: len(c.Letters), Out: []automata.Verdict{automata.Unknown}}
	for x := range c.Letters {
		switch {
		case x == t.Created:
			d.Next = append(d.Next, 1)
		case t.Created < 0:
			d.Next = append(d.Next, h.Step(0, index[x])+1)
		default:
			d.Next = append(d.Next, sink)
		}
	}
	for s := range n {
		d.Out = append(d.Out, h.Out[s])
		for x := range c.Letters {
			switch {
			case index[x] >= 0:
				d.Next = append(d.Next, h.Step(s, index[x])+1)
			case Absorbing(h.Out[s]):
				d.Next = append(d.Next, s+1)
			default:
				d.Next = append(d.Next, sink)
			}
		}
	}
	d.Out = append(d.Out, automata.Impossible)
	for range c.Letters {
		d.Next = append(d.Next, sink)
	}
	return automata.Minimize(d)
}

// Absorbing reports whether all words that begin with one of this verdict have it too.
func Absorbing(v automata.Verdict) bool { return v == automata.Reject || v == automata.Impossible }
