// SPDX-License-Identifier: Apache-2.0

package automata

// This file looks for a smallest automaton that agrees with a large partial one,
// by way of samples (as Chen, Farzan, Clarke, Tsay and Wang do in "Learning
// minimal separating DFAs for compositional verification", TACAS 2009): find a
// smallest automaton for a few words, compare it with the large one, add the
// words on which they disagree, and begin again. The sample stays small when
// the result is small, however large the given automaton is, and every m for
// which no automaton of m states agrees with the sample is a lower bound.

// A sample is a set of words with their verdicts, as a tree.
type sample struct {
	partial
}

func newSample(p *partial) *sample {
	t := &sample{partial{k: p.k}}
	t.grow(p.out[0])
	return t
}

// grow adds a node without successors.
func (t *sample) grow(v Verdict) int32 {
	t.out = append(t.out, v)
	for range t.k {
		t.next = append(t.next, -1)
	}
	t.n++
	return int32(t.n - 1)
}

// add adds a word that can happen in p, and its prefixes, with their verdicts.
func (t *sample) add(p *partial, word []int) {
	node, s := int32(0), int32(0)
	for _, x := range word {
		s = p.next[int(s)*p.k+x]
		cell := int(node)*t.k + x
		if t.next[cell] < 0 {
			child := t.grow(p.out[s])
			t.next[cell] = child
		}
		node = t.next[cell]
	}
}

// smallest returns a lower bound, at most below, for the number of states of an
// automaton that agrees with p, given that lower is one. If it finds an automaton
// with as many states as the bound, that is r; and if r is a quotient of p, block
// gives the state of r for each state of p. Otherwise they are nil.
func (p *partial) smallest(lower, below int, steps *int) (bound int, r *partial, block []int32) {
	t := newSample(p)
	for lower < below {
		// The table of the conflicts of the tree is made anew each time.
		cost := t.n * t.n * (t.k + 1)
		if *steps -= cost / 16; *steps <= 0 {
			break
		}
		parts, how := t.quotientOf(lower, newConflicts(&t.partial, cost), steps)
		if how == undecided {
			break
		}
		if how == refuted {
			lower++
			continue
		}
		// Automata that agree with a tree are its quotients.
		r := t.quotient(parts, lower)
		words, block, done := p.compare(r, steps)
		if !done {
			break
		}
		if len(words) == 0 {
			return lower, r, block
		}
		for _, w := range words {
			t.add(p, w)
		}
	}
	return lower, nil, nil
}

// compare returns words that can happen in p to which r gives another verdict or
// none: for each transition that r lacks a shortest one, and a shortest one with
// another verdict. If there are none, block is the state of r by state of p, or
// nil if that is no function. done is false if the steps ran out.
func (p *partial) compare(r *partial, steps *int) (words [][]int, block []int32, done bool) {
	block = make([]int32, p.n)
	for s := range block {
		block[s] = -1
	}
	function := true
	missing := make([]bool, len(r.next))
	q := pairQueue{}
	q.add(0, 0, -1, 0)
	for i := 0; i < len(q.nodes); i++ {
		if *steps--; *steps <= 0 {
			return nil, nil, false
		}
		s, t := q.nodes[i].s, q.nodes[i].t
		if p.out[s] != r.out[t] {
			return append(words, q.word(i)), nil, true
		}
		function = function && (block[s] < 0 || block[s] == t)
		block[s] = t
		for x := range p.k {
			next, cell := p.next[int(s)*p.k+x], int(t)*p.k+x
			switch {
			case next < 0:
			case r.next[cell] >= 0:
				q.add(next, r.next[cell], int32(i), x)
			case !missing[cell]:
				missing[cell] = true
				words = append(words, append(q.word(i), x))
			}
		}
	}
	if !function || len(words) > 0 {
		block = nil
	}
	return words, block, true
}
