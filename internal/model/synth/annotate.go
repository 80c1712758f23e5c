// SPDX-License-Identifier: Apache-2.0

package synth

// This file adds what the automaton does not say: whether a forbidden call fails or may fail,
// why, and a shortest witness: a word with fewest calls, and among its traces one with fewest
// hidden steps. A search of pairs (state of the interface, state of the component) finds all.

import (
	"container/heap"
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/typestate"
)

// maxReasons bounds the error sites of a cell: more of them tell a person nothing.
const maxReasons = 8

// A pair is a node of the search tree. It was reached by so many calls and hidden steps.
type pair struct {
	state         int32 // of the interface
	component     int32
	from, action  int32 // the action is one of the system
	calls, hidden int32
}

// annotator searches pairs in the order of (calls, hidden).
type annotator struct {
	*builder
	letter []int32 // by action of the system: its call, or -1
	nodes  []pair
	queue  pairQueue
	best   map[[2]int32]int32 // the least node of a pair
	silent []int32            // hidden steps from a state to the error; -1: none
	next   []int32            // the edge that begins them, as an index into the row
}

type pairQueue struct {
	nodes *[]pair
	heap  []int32
}

func (q pairQueue) Len() int { return len(q.heap) }
func (q pairQueue) Less(i, j int) bool {
	a, b := (*q.nodes)[q.heap[i]], (*q.nodes)[q.heap[j]]
	if a.calls != b.calls {
		return a.calls < b.calls
	}
	if a.hidden != b.hidden {
		return a.hidden < b.hidden
	}
	return q.heap[i] < q.heap[j]
}
func (q pairQueue) Swap(i, j int) { q.heap[i], q.heap[j] = q.heap[j], q.heap[i] }
func (q *pairQueue) Push(x any)   { q.heap = append(q.heap, x.(int32)) }
func (q *pairQueue) Pop() any {
	x := q.heap[len(q.heap)-1]
	q.heap = q.heap[:len(q.heap)-1]
	return x
}

// errorCell collects what is known of a forbidden call, or of the start.
type errorCell struct {
	returns       bool // some trace does not err
	found         bool
	node          int32 // before the call
	edge          lts.Edge
	calls, hidden int32
	reasons       []string
}

func (b *builder) annotate(ctx context.Context, i *typestate.Interface) error {
	a := &annotator{builder: b, letter: make([]int32, len(b.System.Alphabet)), best: map[[2]int32]int32{}}
	for k, name := range b.System.Alphabet {
		a.letter[k] = -1
		if x, ok := slices.BinarySearch(b.visible, name); ok {
			a.letter[k] = int32(x)
		}
	}
	a.silentErrors()
	if b.number[0] < 0 {
		a.start(&i.Constructors[0])
		return nil
	}
	if err := a.search(ctx); err != nil {
		return err
	}
	cells := a.cells()
	for k := range i.Forbidden {
		f := &i.Forbidden[k]
		x := slices.IndexFunc(i.Calls, func(c typestate.Call) bool { return c.ID == f.Call })
		c := cells[[2]int32{int32(f.State), int32(x)}]
		if c == nil || !c.found {
			continue // the judge will refuse it
		}
		if !c.returns {
			f.Verdict = typestate.VerdictFails.String()
		}
		f.Errors = sites(c.reasons)
		f.Witness = a.witness(c)
	}
	return nil
}

func (a *annotator) isHidden(e lts.Edge) bool {
	return e.Action == lts.Hidden || a.letter[e.Action] < 0
}

// silentErrors finds how far the error is by hidden steps, backwards.
func (a *annotator) silentErrors() {
	n := int32(a.System.States())
	a.silent, a.next = make([]int32, n), make([]int32, n)
	back := make([][]int32, n)
	var queue []int32
	for x := range n {
		a.silent[x] = -1
		for k, e := range a.System.Edges(x) {
			switch {
			case !a.isHidden(e):
			case e.To != lts.Error:
				back[e.To] = append(back[e.To], x)
			case a.silent[x] < 0:
				a.silent[x], a.next[x] = 1, int32(k)
				queue = append(queue, x)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, x := range back[queue[0]] {
			if a.silent[x] < 0 {
				a.silent[x] = a.silent[queue[0]] + 1
				a.next[x] = int32(slices.IndexFunc(a.System.Edges(x), func(e lts.Edge) bool { return a.isHidden(e) && e.To == queue[0] }))
				queue = append(queue, x)
			}
		}
	}
}

// search reaches all pairs along calls that are allowed.
func (a *annotator) search(ctx context.Context) error {
	a.queue.nodes = &a.nodes
	add := func(p pair) {
		if old, ok := a.best[[2]int32{p.state, p.component}]; ok {
			o := a.nodes[old]
			if o.calls < p.calls || o.calls == p.calls && o.hidden <= p.hidden {
				return
			}
		}
		a.nodes = append(a.nodes, p)
		n := int32(len(a.nodes) - 1)
		a.best[[2]int32{p.state, p.component}] = n
		heap.Push(&a.queue, n)
	}
	add(pair{component: a.System.Initial, from: -1})
	for steps := 0; a.queue.Len() > 0; steps++ {
		if steps%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n := heap.Pop(&a.queue).(int32)
		p := a.nodes[n]
		if a.best[[2]int32{p.state, p.component}] != n {
			continue
		}
		for _, e := range a.System.Edges(p.component) {
			if e.To == lts.Error {
				continue
			}
			to := pair{p.state, e.To, n, e.Action, p.calls, p.hidden + 1}
			if !a.isHidden(e) {
				state := a.number[a.d.Step(a.states[p.state], int(a.letter[e.Action]))]
				if state < 0 {
					continue
				}
				to.state, to.calls, to.hidden = int32(state), p.calls+1, p.hidden
			}
			add(to)
		}
	}
	return nil
}

// cells collects what pairs say of the calls that are forbidden in their states.
func (a *annotator) cells() map[[2]int32]*errorCell {
	cells := map[[2]int32]*errorCell{}
	for n, p := range a.nodes {
		if a.best[[2]int32{p.state, p.component}] != int32(n) {
			continue
		}
		for _, e := range a.System.Edges(p.component) {
			if a.isHidden(e) || a.number[a.d.Step(a.states[p.state], int(a.letter[e.Action]))] >= 0 {
				continue
			}
			at := [2]int32{p.state, a.letter[e.Action]}
			c := cells[at]
			if c == nil {
				c = &errorCell{}
				cells[at] = c
			}
			a.see(c, int32(n), p, e)
		}
	}
	return cells
}

func (a *annotator) see(c *errorCell, n int32, p pair, e lts.Edge) {
	hidden := p.hidden
	switch {
	case e.To == lts.Error:
		c.add(a.reason(p.component, e))
	case a.silent[e.To] < 0:
		c.returns = true
		return
	default:
		c.returns = true
		hidden += a.silent[e.To]
		at, last := a.lastHidden(e.To)
		c.add(a.reason(at, last))
	}
	if !c.found || p.calls < c.calls || p.calls == c.calls && hidden < c.hidden {
		c.found, c.node, c.edge, c.calls, c.hidden = true, n, e, p.calls, hidden
	}
}

// add keeps the least reasons.
func (c *errorCell) add(reason string) {
	at, ok := slices.BinarySearch(c.reasons, reason)
	if !ok && at < maxReasons {
		c.reasons = slices.Insert(c.reasons, at, reason)
		c.reasons = c.reasons[:min(len(c.reasons), maxReasons)]
	}
}

// lastHidden is the last step of the shortest way by hidden steps to the error.
func (a *annotator) lastHidden(x int32) (at int32, e lts.Edge) {
	for {
		e := a.System.Edges(x)[a.next[x]]
		if e.To == lts.Error {
			return x, e
		}
		x = e.To
	}
}

func (a *annotator) reason(x int32, e lts.Edge) string { return a.System.Reason(x, e.Action) }

func sites(reasons []string) []typestate.ErrorSite {
	var out []typestate.ErrorSite
	for _, r := range reasons {
		out = append(out, typestate.ErrorSite{Kind: ErrorKind, Message: r})
	}
	return out
}

// hiddenPath lists the hidden actions on the shortest way to the error.
func (a *annotator) hiddenPath(x int32) []string {
	var out []string
	for {
		e := a.System.Edges(x)[a.next[x]]
		out = append(out, a.System.Label(e))
		if e.To == lts.Error {
			return out
		}
		x = e.To
	}
}

// witness is the word of a cell, with the hidden steps after each call.
func (a *annotator) witness(c *errorCell) []typestate.Step {
	last := typestate.Step{Call: callName(a.System.Label(c.edge)), Args: map[string]string{}}
	if c.edge.To != lts.Error {
		last.Hidden = a.hiddenPath(c.edge.To)
	}
	var back []pair
	for n := c.node; n >= 0; n = a.nodes[n].from {
		back = append(back, a.nodes[n])
	}
	slices.Reverse(back)
	word := []typestate.Step{{Call: Constructor, Args: map[string]string{}}}
	for _, p := range back[1:] {
		label := a.System.Label(lts.Edge{Action: p.action})
		if a.isHidden(lts.Edge{Action: p.action}) {
			end := &word[len(word)-1]
			end.Hidden = append(end.Hidden, label)
			continue
		}
		word = append(word, typestate.Step{Call: callName(label), Args: map[string]string{}, Outcome: Outcome})
	}
	return append(word, last)
}

// start explains that the system errs by itself.
func (a *annotator) start(c *typestate.Constructor) {
	step := typestate.Step{Call: Constructor, Args: map[string]string{}}
	reason := "it starts in ERROR"
	if x := a.System.Initial; x != lts.Error {
		c.Verdict = typestate.VerdictMayFail.String()
		step.Hidden = a.hiddenPath(x)
		at, e := a.lastHidden(x)
		reason = a.reason(at, e)
	}
	c.Errors, c.Witness = sites([]string{reason}), []typestate.Step{step}
}
