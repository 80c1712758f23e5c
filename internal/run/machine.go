// SPDX-License-Identifier: Apache-2.0

package run

// This file makes a small automaton of what was seen. The automaton of traces has a state for each difference
// in results; an interface needs one for each difference in which calls err. States are merged if no
// word shows that they differ in that: what was not seen in one of them is not known there. States are those of
// the learned automaton, or where that was not finished, all traces. The merging is that of Lang, Pearlmutter and
// Price, "Results of the Abbadingo One DFA learning competition" (1998): states in a fringe are merged with the one that
// agrees with them in most cells, or kept.

import (
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
)

// seenBits say how calls ended in a state. Bits that are weak are of an unstable component, of which
// not enough was seen.
type seenBits uint8

const (
	didReturn seenBits = 1 << iota // or ended in another way that is no error
	didErr
	weak
)

// differ reports whether two states cannot be the same.
func (a seenBits) differ(b seenBits) bool {
	if a == 0 || b == 0 || (a|b)&weak != 0 {
		return false
	}
	return a != b
}

// A machine is an automaton whose states tell apart which calls err.
type machine struct {
	start  map[int]int     // letters of starts to states
	states []*machineState // by number
}

type machineState struct {
	seen map[int]seenBits // by call
	next map[int]int      // by letter
	node *Node            // a trace that leads to it; nil if none was kept
}

// A merger merges states, and can take that back.
type merger struct {
	parent []int
	states []machineState
	undo   []func()
	cut    map[int]bool // states that are left out
}

func (m *merger) find(n int) int {
	for m.parent[n] != n {
		n = m.parent[n]
	}
	return n
}

// merge merges b with a, and what follows them, unless something differs. Score is in how many cells they agree.
func (m *merger) merge(a, b int) (score int, ok bool) {
	queue := [][2]int{{a, b}}
	for len(queue) > 0 {
		a, b := m.find(queue[0][0]), m.find(queue[0][1])
		queue = queue[1:]
		if a == b {
			continue
		}
		x, y := m.states[a], m.states[b]
		for call, bits := range y.seen {
			old := x.seen[call]
			if old.differ(bits) {
				return 0, false
			}
			if old&bits&^weak != 0 {
				score++
			}
		}
		m.parent[b] = a
		m.undo = append(m.undo, func() { m.parent[b] = b })
		for call, bits := range y.seen {
			if old := x.seen[call]; old|bits != old {
				x.seen[call] = old | bits
				m.undo = append(m.undo, func() {
					if old == 0 {
						delete(x.seen, call)
					} else {
						x.seen[call] = old
					}
				})
			}
		}
		for _, letter := range sortedKeys(y.next) { // the score depends on the order
			to := y.next[letter]
			if at, ok := x.next[letter]; ok {
				queue = append(queue, [2]int{at, to})
				continue
			}
			x.next[letter] = to
			m.undo = append(m.undo, func() { delete(x.next, letter) })
		}
	}
	return score, true
}

// back takes back all merges since the last that was kept.
func (m *merger) back() {
	for _, f := range slices.Backward(m.undo) {
		f()
	}
	m.undo = m.undo[:0]
}

// keep makes merges final.
func (m *merger) keep() { m.undo = m.undo[:0] }

// mostMerged bounds the states of a machine: an interface with more is of no use.
const mostMerged = 48

// shallow is how long traces are at least that a machine is made of, if long ones differ too much.
const shallow = 3

// few is how many states a machine has if more are of no use.
const few = 8

// machine is the first of machines.
func (l *Learned) machine() *machine { return l.machines()[0] }

// machines merge the states of what was learned, the finest first. If there are too many of them, calls that were tried in
// addition are left out, then long traces, then all but the first states.
func (l *Learned) machines() (list []*machine) {
	for _, c := range []struct {
		collector
		states int
	}{{collector{extra: true}, mostMerged}, {collector{}, mostMerged}, {collector{most: max(shallow, l.Depth+1)}, mostMerged},
		{collector{most: shallow, part: true}, mostMerged}, {collector{most: shallow, part: true}, few}} {
		c.l = l
		if len(list) > 0 && c.states != few {
			continue
		}
		if m := c.machine(c.states); m != nil {
			if !c.extra {
				m.observe(l)
			}
			list = append(list, m)
		}
	}
	return list
}

// observe adds to the states how calls ended that are not part of the machine.
func (m *machine) observe(l *Learned) {
	type at struct {
		n     *Node
		state int
	}
	var queue []at
	for s, e := range l.Root.edges {
		for _, n := range e.next {
			if state, ok := m.start[l.tree.number[letter{true, s, n.Class}]]; ok && !n.Ended {
				queue = append(queue, at{n, state})
			}
		}
	}
	for k := 0; k < len(queue); k++ {
		q := queue[k]
		for call, e := range q.n.edges {
			for _, n := range e.next {
				x := letter{false, call, n.Class}
				if call >= l.Usual {
					m.states[q.state].seen[call] |= x.bits()
				} else if to, ok := m.states[q.state].next[l.tree.number[x]]; ok && !n.Ended {
					queue = append(queue, at{n, to})
				}
			}
		}
	}
}

func (c *collector) machine(most int) *machine {
	m := &merger{cut: map[int]bool{}}
	var starts map[int]int
	if c.l.Stopped == "" {
		m.states, starts = c.learnedStates()
	} else {
		m.states, starts = c.traceStates()
	}
	for n := range m.states {
		m.parent = append(m.parent, n)
	}
	var kept []int
	for n := m.fringe(kept, starts); n >= 0; n = m.fringe(kept, starts) {
		best, most0 := -1, 0
		for _, k := range kept {
			score, ok := m.merge(k, n)
			m.back()
			if ok && score > most0 {
				best, most0 = k, score
			}
		}
		switch {
		case best >= 0:
			m.merge(best, n)
			m.keep()
		case len(kept) < most:
			kept = append(kept, n)
		case c.part:
			m.cut[m.find(n)] = true
		default:
			return nil
		}
	}
	out := &machine{start: map[int]int{}}
	number := map[int]int{}
	for n, k := range kept {
		number[m.find(k)] = n
	}
	for _, k := range kept {
		from := m.states[m.find(k)]
		s := &machineState{seen: from.seen, next: map[int]int{}, node: m.states[k].node}
		for x, to := range from.next {
			if n, ok := number[m.find(to)]; ok {
				s.next[x] = n
			}
		}
		out.states = append(out.states, s)
	}
	for x, n := range starts {
		if n, ok := number[m.find(n)]; ok {
			out.start[x] = n
		}
	}
	return out
}

// fringe is the first state that follows one that is kept, or a start, and is not kept; -1 if there is none. Those of short
// traces come first.
func (m *merger) fringe(kept []int, starts map[int]int) int {
	is := map[int]bool{}
	for _, k := range kept {
		is[m.find(k)] = true
	}
	first := -1
	look := func(n int) {
		if n = m.find(n); !is[n] && !m.cut[n] && (first < 0 || n < first) {
			first = n
		}
	}
	for _, n := range starts {
		look(n)
	}
	for _, k := range kept {
		for _, n := range m.states[m.find(k)].next {
			look(n)
		}
	}
	return first
}

// A collector numbers traces after which something may follow, and makes states of them.
type collector struct {
	l      *Learned
	extra  bool // with calls that are not part of all words
	most   int  // traces are at most so long; 0 is any length
	part   bool // if there are too many states, what follows the first ones is not known
	states []machineState
	traces []trace
	offset int // of the numbers of traces
}

type trace struct {
	n        *Node
	unstable bool
}

// follow adds what was seen of a call after a trace to a state, and returns where it leads, by letter.
func (c *collector) follow(s *machineState, e *edge, call int, start, unstable bool) {
	if !start && call >= c.l.Usual && !c.extra {
		return
	}
	unstable = unstable || len(e.next) > 1
	for _, n := range e.next {
		if !start {
			s.seen[call] |= letter{false, call, n.Class}.bits()
		}
		if !n.Ended && n.followed() && (c.most == 0 || n.depth <= c.most) { // of a trace at which all words end nothing is known
			s.next[c.l.tree.number[letter{start, call, n.Class}]] = c.offset + len(c.traces)
			c.traces = append(c.traces, trace{n, unstable})
		}
	}
	if !start && len(e.next) > 0 && !e.settled(unstable) {
		s.seen[call] |= weak
	}
}

// expand makes the states of all traces, short ones first.
func (c *collector) expand() {
	for k := 0; k < len(c.traces); k++ {
		t := c.traces[k]
		s := machineState{seen: map[int]seenBits{}, next: map[int]int{}, node: t.n}
		for _, call := range sortedKeys(t.n.edges) {
			c.follow(&s, t.n.edges[call], call, false, t.unstable)
		}
		c.states = append(c.states, s)
	}
}

// traceStates are all traces after which something may follow.
func (c *collector) traceStates() (states []machineState, starts map[int]int) {
	first := machineState{next: map[int]int{}}
	for _, s := range sortedKeys(c.l.Root.edges) {
		c.follow(&first, c.l.Root.edges[s], s, true, false)
	}
	c.expand()
	return c.states, first.next
}

// learnedStates are the states of the learned automaton in which something can follow, and what was seen there of calls
// that are not part of it.
func (c *collector) learnedStates() (states []machineState, starts map[int]int) {
	l, d := c.l, c.l.DFA
	alive := func(s int32) bool {
		return slices.ContainsFunc(d.Next[int(s)*d.Letters:(int(s)+1)*d.Letters], func(to int32) bool { return d.Out[to] == automata.Accept })
	}
	starts = map[int]int{}
	number := map[int32]int{}
	var order []int32
	var nodes []*Node
	visit := func(s int32, n *Node, x int) (int, bool) {
		if d.Out[s] != automata.Accept || !alive(s) {
			return 0, false
		}
		k, ok := number[s]
		if !ok {
			k = len(order)
			number[s] = k
			order, nodes = append(order, s), append(nodes, n.after(l.letters[x]))
		}
		return k, true
	}
	for x := range d.Letters {
		if l.letters[x].start {
			if n, ok := visit(d.Step(0, x), l.Root, x); ok {
				starts[x] = n
			}
		}
	}
	for k := 0; k < len(order); k++ {
		s := machineState{seen: map[int]seenBits{}, next: map[int]int{}, node: nodes[k]}
		for x := range d.Letters {
			letter, to := l.letters[x], d.Step(order[k], x)
			if letter.start || d.Out[to] != automata.Accept {
				continue
			}
			s.seen[letter.call] |= letter.bits()
			if n, ok := visit(to, nodes[k], x); ok {
				s.next[x] = n
			}
		}
		states = append(states, s)
	}
	c.offset = len(states)
	for k := range states {
		if nodes[k] == nil {
			continue
		}
		for _, call := range sortedKeys(nodes[k].edges) {
			if call >= l.Usual { // the others are part of the automaton
				c.follow(&states[k], nodes[k].edges[call], call, false, false)
			}
		}
	}
	c.expand()
	return append(states, c.states...), starts
}

// after is the trace after one more letter, nil if it was not seen.
func (n *Node) after(l letter) *Node {
	if n == nil || n.edges[l.call] == nil {
		return nil
	}
	return n.edges[l.call].class(l.class)
}

// bits say how a call of a letter ended.
func (l letter) bits() seenBits {
	if len(l.class) > 0 && l.class[len(l.class)-len(failing):] == failing {
		return didErr
	}
	return didReturn
}

// alike reports whether two calls do the same in all states, as far as was seen: they err or not, and lead to the
// same states with the same outcomes.
func (m *machine) alike(l *Learned, a, b int) bool {
	for _, s := range m.states {
		if s.seen[a].differ(s.seen[b]) {
			return false
		}
		for x, to := range s.next {
			if l.tree.letters[x].start || l.tree.letters[x].call != a {
				continue
			}
			y, ok := l.tree.number[letter{false, b, l.tree.letters[x].class}]
			if at, both := s.next[y]; ok && both && at != to {
				return false
			}
		}
	}
	return true
}

func sortedKeys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// followed reports whether some call was made after a trace.
func (n *Node) followed() bool {
	for _, e := range n.edges {
		if e.runs > 0 {
			return true
		}
	}
	return false
}
