// SPDX-License-Identifier: Apache-2.0

package automata

// This file searches for a consistent automaton of at most m states, by
// backtracking over its transitions (Biermann and Feldman, "On the synthesis of
// finite-state machines from samples of their behavior", 1972): walk the given
// automaton and the one under construction in step; when a transition of the
// latter is needed, try each of its states as the target, and as the last
// resort one new state, new states being alike. Translation to SAT was not
// chosen: this package imports nothing, and what is left after merging is small.

// What an exact search looks for.
type shape uint8

const (
	anyAutomaton shape = iota
	asQuotient         // all words that reach one given state reach one state
)

// What an exact search found out. The zero value is that steps ran out.
type finding uint8

const (
	undecided finding = iota
	found
	refuted
)

// maxPairs bounds the space of an exact search.
const maxPairs = 1 << 24

// An exact search in progress. Its invariant: paired[q] are the states that the
// given automaton can be in when the new one is in q, as far as the transitions
// decided so far say, and no two of them are known to be apart.
type exact struct {
	*partial
	c      *conflicts
	m      int
	shape  shape
	steps  *int
	to     []int32   // by cell q*k+x: the target, -1 if not decided
	cells  []int32   // the cells needed, in the order of their discovery
	needed []bool    // by cell
	paired [][]int32 // by new state
	pair   []bool    // by s*m+q
	count  []int32   // by s: new states it is paired with
	used   int       // new states in use
	log    []pairNode
	work   []pairNode
}

// exact looks for a consistent automaton r of the shape with at most m states. If
// one is found, block gives for each state of p one that goes with it.
func (p *partial) exact(c *conflicts, m int, shape shape, steps *int) (r *partial, block []int32, how finding) {
	if m < 1 {
		return nil, nil, refuted
	}
	if p.n > maxPairs/m {
		return nil, nil, undecided
	}
	e := &exact{
		partial: p, c: c, m: m, shape: shape, steps: steps,
		to:     make([]int32, m*p.k),
		needed: make([]bool, m*p.k),
		paired: make([][]int32, m),
		pair:   make([]bool, p.n*m),
		count:  make([]int32, p.n),
		used:   1,
	}
	for cell := range e.to {
		e.to[cell] = -1
	}
	e.work = append(e.work, pairNode{s: 0, t: 0})
	if !e.propagate() || !e.decide(0) {
		if *steps <= 0 {
			return nil, nil, undecided
		}
		return nil, nil, refuted
	}
	r = &partial{n: e.used, k: p.k, next: e.to[:e.used*p.k]}
	block = make([]int32, p.n)
	for q := range e.used {
		r.out = append(r.out, p.out[e.paired[q][0]])
		for _, s := range e.paired[q] {
			block[s] = int32(q)
		}
	}
	return r, block, found
}

// decide finds targets for the needed cells from the i-th on.
func (e *exact) decide(i int) bool {
	if i == len(e.cells) {
		return true
	}
	cell := e.cells[i]
	q, x := cell/int32(e.k), cell%int32(e.k)
	logged, cells, used := len(e.log), len(e.cells), e.used
	for target := range min(used+1, e.m) {
		if *e.steps <= 0 {
			return false
		}
		e.used = max(used, target+1)
		e.to[cell] = int32(target)
		e.work = e.work[:0]
		for _, s := range e.paired[q] {
			if t := e.next[int(s)*e.k+int(x)]; t >= 0 {
				e.work = append(e.work, pairNode{s: t, t: int32(target)})
			}
		}
		if e.propagate() && e.decide(i+1) {
			return true
		}
		for _, n := range e.log[logged:] {
			e.paired[n.t] = e.paired[n.t][:len(e.paired[n.t])-1]
			e.pair[int(n.s)*e.m+int(n.t)] = false
			e.count[n.s]--
		}
		for _, c := range e.cells[cells:] {
			e.needed[c] = false
		}
		e.log, e.cells, e.used = e.log[:logged], e.cells[:cells], used
		e.to[cell] = -1
	}
	return false
}

// propagate enters the pairs of the work list and all that follow by decided
// cells; false if there is a conflict, and then not all are entered.
func (e *exact) propagate() bool {
	for len(e.work) > 0 {
		n := e.work[len(e.work)-1]
		e.work = e.work[:len(e.work)-1]
		s, q := n.s, n.t
		if *e.steps--; *e.steps <= 0 {
			return false
		}
		if e.pair[int(s)*e.m+int(q)] {
			continue
		}
		if e.shape == asQuotient && e.count[s] > 0 {
			return false
		}
		if len(e.paired[q]) > 0 && e.out[e.paired[q][0]] != e.out[s] {
			return false
		}
		if e.c.table != nil {
			*e.steps -= len(e.paired[q]) / 8
			for _, t := range e.paired[q] {
				if e.c.table[int(s)*e.n+int(t)] {
					return false
				}
			}
		}
		e.pair[int(s)*e.m+int(q)] = true
		e.paired[q] = append(e.paired[q], s)
		e.count[s]++
		e.log = append(e.log, n)
		for x := range e.k {
			t := e.next[int(s)*e.k+x]
			if t < 0 {
				continue
			}
			cell := int(q)*e.k + x
			switch {
			case e.to[cell] >= 0:
				e.work = append(e.work, pairNode{s: t, t: e.to[cell]})
			case !e.needed[cell]:
				e.needed[cell] = true
				e.cells = append(e.cells, int32(cell))
			}
		}
	}
	return true
}
