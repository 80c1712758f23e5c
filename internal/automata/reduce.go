// SPDX-License-Identifier: Apache-2.0

package automata

// This file minimizes with don't-cares: words that cannot happen may get any
// verdict, and that freedom is used to have fewer states. The problem is that of
// incompletely specified machines and NP-hard (Pfleeger, "State reduction in
// incompletely specified finite-state machines", 1973), so the work is in three
// steps, of which the first always ends soon:
//
//  1. Merging outwards from the initial state, successors folded along, as the
//     blue-fringe learners do (Lang, Pearlmutter and Price, "Results of the
//     Abbadingo One DFA learning competition", ICGI 1998), only on a graph instead
//     of a prefix tree. Merging with the first state that fits, as RPNI does, was
//     tried and is bad at this: one state with few possible letters, merged too
//     early, left 15000 of 17000 states where 12 suffice.
//  2. A proof that there is nothing better: states that some word tells apart are
//     different in every consistent automaton, so as many pairwise different ones
//     as there are states are a lower bound. Where that does not suffice, the
//     smallest automaton for a sample of words is one (sample.go).
//  3. Where that does not suffice either, exact search for a smaller quotient
//     (color.go).
//
// Everything is counted in steps, so that the same input gives the same result
// on every machine.

import "slices"

// The budgets of Reduce, in visits of pairs of states. They bound its time to a
// few seconds on any input.
const (
	foldSteps     = 1 << 23
	conflictSteps = 1 << 20
	exactSteps    = 1 << 23
)

// Reduce returns an automaton r with few states that gives every word that can
// happen the verdict that d gives it. A word can happen if neither its verdict in
// d nor that of a prefix is Impossible; the others may get any verdict in r.
// What no word that can happen needs stays open: such transitions of r lead to
// one absorbing Impossible state, which does not count as a state below. If no
// word of d is Impossible, r is Minimize(d).
//
// class gives for each state of d that a word that can happen reaches the state
// of r that every such word reaches in r, and for reachable Impossible states the
// Impossible state of r if r still has one; -1 otherwise.
//
// minimal says that it is proved that no automaton that agrees with d on the
// words that can happen has fewer states than r. It may be false although r is
// smallest, when the budget for the proof ran out, and it is false when an
// automaton smaller than r exists that is no quotient of d (words that reach one
// state of d reach several states of it).
//
// The result is canonical and depends only on the verdicts d gives to words.
func Reduce(d *DFA) (r *DFA, class []int32, minimal bool) {
	r, class, minimal, _ = reduce(d, foldSteps, conflictSteps, exactSteps)
	return r, class, minimal
}

// Cover is [Reduce] for callers that need no quotient: words that reach one state
// of d may reach several states of r. That can save many states, where d has
// states from which little can happen that are reached by very different words.
// at gives, for each state of d that a word that can happen reaches, the states
// of r that such words reach, in increasing order; it is empty for the others.
func Cover(d *DFA) (r *DFA, at [][]int32, minimal bool) {
	r, _, minimal, smaller := reduce(d, foldSteps, conflictSteps, exactSteps)
	if smaller != nil {
		r, minimal = smaller, true
	}
	return r, together(d, r), minimal
}

// reduce is Reduce with budgets. If it is proved that smaller is a smallest
// automaton, but it is no quotient, that is returned as well.
func reduce(d *DFA, foldSteps, conflictSteps, exactSteps int) (r *DFA, class []int32, minimal bool, smaller *DFA) {
	p, hole, m, class := newPartial(d)
	if p == nil {
		return m, class, true, nil
	}
	block, blocks, lower, small := p.search(foldSteps, conflictSteps, exactSteps)
	r, number, open := p.quotient(block, blocks).complete()
	for s, i := range class {
		switch {
		case i == hole:
			class[s] = open
		case i > hole:
			class[s] = number[block[i-1]]
		case i >= 0:
			class[s] = number[block[i]]
		}
	}
	if small != nil && blocks > lower {
		smaller, _, _ = small.complete()
	}
	return r, class, blocks == lower, smaller
}

// uniform tells whether the same letters can happen in all states with the same verdict. Then no two states can be
// merged: some word tells them apart, since p is minimal, and up to where the verdicts differ both follow it alike.
func (p *partial) uniform() bool {
	first := map[Verdict]int{}
	for s, v := range p.out {
		t, ok := first[v]
		if !ok {
			first[v] = s
			continue
		}
		for x := range p.k {
			if (p.next[s*p.k+x] < 0) != (p.next[t*p.k+x] < 0) {
				return false
			}
		}
	}
	return true
}

// search returns the block of each state in a small quotient, and a lower bound of the states of all automata that
// agree with p. If one that is no quotient has so few, it is small.
func (p *partial) search(foldSteps, conflictSteps, exactSteps int) (block []int32, blocks, lower int, small *partial) {
	if p.uniform() {
		for s := range p.n {
			block = append(block, int32(s))
		}
		return block, p.n, p.n, nil
	}
	lower = 1
	c := newConflicts(p, conflictSteps)
	if c.table == nil {
		// Large. If the result is small, samples find it soonest.
		lower, small, block = p.smallest(1, p.n, &exactSteps)
		blocks = lower
	}
	if block == nil {
		block, blocks = p.fold(foldSteps)
		lower = max(lower, c.clique(block, blocks))
	}
	if c.table != nil && blocks > lower {
		var other []int32
		if lower, small, other = p.smallest(lower, blocks, &exactSteps); other != nil {
			block, blocks = other, lower
		}
	}
	for blocks > lower {
		other, how := p.quotientOf(blocks-1, c, &exactSteps)
		if how != found {
			break
		}
		block, blocks = other, 1+int(slices.Max(other))
	}
	return block, blocks, lower, small
}

// together returns for each state of d the states of r that words that can happen
// in d reach along with it.
func together(d, r *DFA) [][]int32 {
	at := make([][]int32, d.States())
	q := pairQueue{}
	if d.Out[0] != Impossible {
		q.add(0, 0, -1, 0)
	}
	for i := 0; i < len(q.nodes); i++ {
		s, t := q.nodes[i].s, q.nodes[i].t
		at[s] = append(at[s], t)
		for x := range d.Letters {
			if next := d.Step(s, x); d.Out[next] != Impossible {
				q.add(next, r.Step(t, x), int32(i), x)
			}
		}
	}
	for _, states := range at {
		slices.Sort(states)
	}
	return at
}

// absorbing returns d with every Impossible state made absorbing.
func absorbing(d *DFA) *DFA {
	k := d.Letters
	a := &DFA{Letters: k, Next: slices.Clone(d.Next), Out: d.Out}
	for s, v := range d.Out {
		if v == Impossible {
			for x := range k {
				a.Next[s*k+x] = int32(s)
			}
		}
	}
	return a
}

// A partial automaton: states 0..n-1, 0 initial, next is -1 where the letter
// cannot happen. All states are reachable.
type partial struct {
	n, k int
	next []int32
	out  []Verdict
}

// newPartial returns the part of d in which words can happen, minimized: p is m
// without its Impossible state hole, where m is the minimal automaton of d with
// Impossible states made absorbing, and class gives the states of m by states of
// d. If no word of m is Impossible, or all are, p is nil.
func newPartial(d *DFA) (p *partial, hole int32, m *DFA, class []int32) {
	m, class = MinimizeMap(absorbing(d))
	hole = int32(slices.Index(m.Out, Impossible))
	if hole < 0 || m.States() == 1 {
		return nil, hole, m, class
	}
	p = &partial{n: m.States() - 1, k: m.Letters}
	for s := range m.Out {
		if int32(s) == hole {
			continue
		}
		p.out = append(p.out, m.Out[s])
		for _, t := range m.Next[s*p.k : (s+1)*p.k] {
			switch {
			case t == hole:
				t = -1
			case t > hole:
				t--
			}
			p.next = append(p.next, t)
		}
	}
	return p, hole, m, class
}

// quotient returns the automaton whose states are the blocks, of which the first
// is that of the initial state.
func (p *partial) quotient(block []int32, blocks int) *partial {
	q := &partial{n: blocks, k: p.k, next: make([]int32, blocks*p.k), out: make([]Verdict, blocks)}
	for e := range q.next {
		q.next[e] = -1
	}
	for s, b := range block {
		q.out[b] = p.out[s]
		for x := range p.k {
			if t := p.next[s*p.k+x]; t >= 0 {
				q.next[int(b)*p.k+x] = block[t]
			}
		}
	}
	return q
}

// complete returns p with an absorbing Impossible state, if it needs one, where
// letters cannot happen, in canonical form. number gives the states of the
// result by states of p; open is the Impossible state, -1 if there is none.
func (p *partial) complete() (d *DFA, number []int32, open int32) {
	hole := int32(p.n)
	d = &DFA{Letters: p.k, Next: make([]int32, (p.n+1)*p.k), Out: append(slices.Clone(p.out), Impossible)}
	for e := range d.Next {
		d.Next[e] = hole
		if e < len(p.next) && p.next[e] >= 0 {
			d.Next[e] = p.next[e]
		}
	}
	_, number = breadthFirst(d)
	return Canonical(d), number[:p.n], number[hole]
}

// A folding is an equivalence on the states of a partial automaton in which the
// successors of equivalent states are equivalent and their verdicts equal.
type folding struct {
	*partial
	steps   int
	classes int
	parent  []int32 // union by size without path compression: unions are taken back
	size    []int32
	succ    []int32 // by root: successors of its class, -1 if no member has one
	red     []bool  // by root: the class has a representative
	reds    []int32 // the representatives
	queued  []bool  // by state: it is, or was, blue
	blues   []*blue
	joins   []join     // of the last merge
	gains   []int32    // entries of succ that the last merge set
	work    [][2]int32 // of the merge under way
}

type join struct {
	child, root int32
	red         bool // whether root was red before
}

// A blue state is a successor of a representative's class that is in no such
// class itself.
type blue struct {
	state  int32
	tested int     // how many representatives have been tried
	fit    []int32 // those of them that it could be merged with when last tried
}

// fold merges and returns the block of each state, blocks being numbered in the
// order of their first members. A blue state that fits no representative becomes
// one. Only when all blue states fit some is one merged, the one whose merge makes
// most states equivalent, as EDSM does. The order matters: a state with few
// possible letters fits nearly everywhere, and put in the wrong place it keeps
// its predecessors apart.
//
// When the steps have run out, the rest stays as it is, which is correct, only
// not as small.
func (p *partial) fold(steps int) (block []int32, blocks int) {
	f := &folding{
		partial: p,
		steps:   steps,
		classes: p.n,
		parent:  make([]int32, p.n),
		size:    make([]int32, p.n),
		succ:    slices.Clone(p.next),
		red:     make([]bool, p.n),
		queued:  make([]bool, p.n),
	}
	for s := range f.parent {
		f.parent[s], f.size[s] = int32(s), 1
	}
	f.promote(0)
	for len(f.blues) > 0 && f.steps > 0 {
		promoted := false
		blues := f.blues
		f.blues = nil
		for _, b := range blues {
			if f.steps--; f.red[f.find(b.state)] {
				continue
			}
			if f.try(b, 1); len(b.fit) > 0 {
				f.blues = append(f.blues, b)
			} else {
				f.promote(b.state)
				promoted = true
			}
		}
		if !promoted {
			f.mergeBest()
		}
	}

	block = make([]int32, p.n)
	name := make([]int32, p.n) // by root: 1 + block
	for s := range block {
		r := f.find(int32(s))
		if name[r] == 0 {
			blocks++
			name[r] = int32(blocks)
		}
		block[s] = name[r] - 1
	}
	return block, blocks
}

// promote makes s a representative.
func (f *folding) promote(s int32) {
	f.red[f.find(s)] = true
	f.reds = append(f.reds, s)
	f.enqueue(f.find(s))
}

// adopt merges s with the representative r, which it fits.
func (f *folding) adopt(r, s int32) {
	if !f.merge(r, s) {
		return // the steps ran out
	}
	f.classes -= len(f.joins)
	for _, j := range f.joins {
		if root := f.find(j.root); f.red[root] {
			f.enqueue(root)
		}
	}
}

// enqueue makes the successors of a representative's class blue.
func (f *folding) enqueue(root int32) {
	for _, t := range f.succ[int(root)*f.k : int(root+1)*f.k] {
		if t >= 0 && !f.queued[t] && !f.red[f.find(t)] {
			f.queued[t] = true
			f.blues = append(f.blues, &blue{state: t})
		}
	}
}

// try brings b.fit up to date, at least until it has enough members. What did not
// fit once never will, because the equivalence only grows.
func (f *folding) try(b *blue, enough int) {
	old := b.fit
	b.fit = old[:0]
	i := 0
	for ; i < len(old) && len(b.fit) < enough && f.steps > 0; i++ {
		if f.fits(old[i], b.state) {
			b.fit = append(b.fit, old[i])
		}
	}
	b.fit = append(b.fit, old[i:]...)
	for ; len(b.fit) < enough && b.tested < len(f.reds) && f.steps > 0; b.tested++ {
		if r := f.reds[b.tested]; f.fits(r, b.state) {
			b.fit = append(b.fit, r)
		}
	}
}

// mergeBest makes the merge of a blue state that joins most, or the first found
// that joins half of all there is to join.
func (f *folding) mergeBest() {
	most, red, state := 0, int32(0), int32(0)
	for _, b := range f.blues {
		if f.steps <= 0 {
			return
		}
		f.try(b, len(f.reds))
		for _, r := range b.fit {
			if !f.fits(r, b.state) || len(f.joins) <= most {
				continue
			}
			most, red, state = len(f.joins), r, b.state
			if 2*most > f.classes-len(f.reds) {
				f.adopt(red, state)
				return
			}
		}
	}
	if most > 0 {
		f.adopt(red, state)
	}
}

// fits tells whether s can be merged with t. It leaves the joins that would need.
func (f *folding) fits(s, t int32) bool {
	if !f.merge(s, t) {
		return false
	}
	f.undo()
	return true
}

func (f *folding) find(s int32) int32 {
	for f.parent[s] != s {
		s = f.parent[s]
	}
	return s
}

// merge makes s and t equivalent, and what follows from that, or changes nothing
// and returns false if that is impossible.
//
// Two representatives never become equivalent: when the second was made one,
// joining them led to a conflict, and the equivalence has only grown since.
func (f *folding) merge(s, t int32) bool {
	f.joins, f.gains, f.work = f.joins[:0], f.gains[:0], append(f.work[:0], [2]int32{s, t})
	for len(f.work) > 0 {
		p := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		u, v := f.find(p[0]), f.find(p[1])
		if u == v {
			continue
		}
		f.steps--
		if f.out[u] != f.out[v] || f.red[u] && f.red[v] || f.steps <= 0 {
			f.undo()
			return false
		}
		if f.size[u] < f.size[v] {
			u, v = v, u
		}
		f.joins = append(f.joins, join{v, u, f.red[u]})
		f.parent[v] = u
		f.size[u] += f.size[v]
		f.red[u] = f.red[u] || f.red[v]
		for x := range f.k {
			e, g := int(u)*f.k+x, int(v)*f.k+x
			switch {
			case f.succ[g] < 0:
			case f.succ[e] < 0:
				f.succ[e] = f.succ[g]
				f.gains = append(f.gains, int32(e))
			case f.succ[e] != f.succ[g]:
				f.work = append(f.work, [2]int32{f.succ[e], f.succ[g]})
			}
		}
	}
	return true
}

// undo takes the last merge back.
func (f *folding) undo() {
	for i := len(f.joins) - 1; i >= 0; i-- {
		j := f.joins[i]
		f.parent[j.child] = j.child
		f.size[j.root] -= f.size[j.child]
		f.red[j.root] = j.red
	}
	for _, e := range f.gains {
		f.succ[e] = -1
	}
}

// Conflicts tell which states of a partial automaton are apart: some word that
// can happen from both gets different verdicts. For small automata they are
// computed for all pairs at once, backwards from the pairs of different verdicts;
// for large ones by search from the pair asked for.
type conflicts struct {
	*partial
	table []bool           // by s*n+t, nil for large automata
	memo  map[uint64]int32 // by pair: isApart, isTogether, or the search that saw it
	round int32
	steps int
	nodes []pairNode
}

const (
	isApart int32 = 1 + iota
	isTogether
	firstRound
)

func newConflicts(p *partial, steps int) *conflicts {
	c := &conflicts{partial: p, steps: steps}
	if p.n*p.n*(p.k+1) > 16*steps {
		c.memo = map[uint64]int32{}
		c.round = firstRound
		return c
	}
	c.table = make([]bool, p.n*p.n)
	var work []pairNode
	put := func(s, t int32) {
		if !c.table[int(s)*p.n+int(t)] {
			c.table[int(s)*p.n+int(t)] = true
			c.table[int(t)*p.n+int(s)] = true
			work = append(work, pairNode{s: s, t: t})
		}
	}
	pre := make([][]int32, p.n*p.k)
	for s := range p.n {
		for x := range p.k {
			if t := p.next[s*p.k+x]; t >= 0 {
				pre[int(t)*p.k+x] = append(pre[int(t)*p.k+x], int32(s))
			}
		}
		for t := range s {
			if p.out[s] != p.out[t] {
				put(int32(s), int32(t))
			}
		}
	}
	for len(work) > 0 {
		w := work[len(work)-1]
		work = work[:len(work)-1]
		for x := range p.k {
			for _, s := range pre[int(w.s)*p.k+x] {
				for _, t := range pre[int(w.t)*p.k+x] {
					put(s, t)
				}
			}
		}
	}
	return c
}

// apart tells whether s and t are known to be apart. When the steps have run out
// it is false where nothing is known.
func (c *conflicts) apart(s, t int32) bool {
	if c.table != nil {
		return c.table[int(s)*c.n+int(t)]
	}
	key := func(s, t int32) uint64 { return uint64(min(s, t))<<32 | uint64(max(s, t)) }
	if c.steps--; c.steps < 0 {
		return false
	}
	switch c.memo[key(s, t)] {
	case isApart:
		return true
	case isTogether:
		return false
	}
	c.round++
	c.nodes = append(c.nodes[:0], pairNode{s: s, t: t, from: -1})
	for i := 0; i < len(c.nodes); i++ {
		n := c.nodes[i]
		known := c.memo[key(n.s, n.t)]
		if c.out[n.s] != c.out[n.t] || known == isApart {
			for ; i >= 0; i = int(c.nodes[i].from) {
				c.memo[key(c.nodes[i].s, c.nodes[i].t)] = isApart
			}
			return true
		}
		if known == c.round || known == isTogether {
			continue
		}
		if c.steps--; c.steps < 0 {
			return false
		}
		c.memo[key(n.s, n.t)] = c.round
		for x := range c.k {
			s, t := c.next[int(n.s)*c.k+x], c.next[int(n.t)*c.k+x]
			if s >= 0 && t >= 0 && s != t {
				c.nodes = append(c.nodes, pairNode{s, t, int32(i), int32(x)})
			}
		}
	}
	for _, n := range c.nodes {
		c.memo[key(n.s, n.t)] = isTogether
	}
	return false
}

// clique returns the size of a set of states that are pairwise apart, collected
// greedily from the first members of the blocks. It is a lower bound for the
// number of states of any consistent automaton.
func (c *conflicts) clique(block []int32, blocks int) int {
	var clique []int32
	seen := make([]bool, blocks)
	for s, b := range block {
		if seen[b] {
			continue
		}
		seen[b] = true
		if c.steps < 0 {
			break
		}
		if !slices.ContainsFunc(clique, func(t int32) bool { return !c.apart(int32(s), t) }) {
			clique = append(clique, int32(s))
		}
	}
	return len(clique)
}
