// SPDX-License-Identifier: Apache-2.0

package learn

// This file is L# (Vaandrager, Garhewal, Rot, Wißmann, TACAS 2022): no table
// and no discrimination tree, only the tree of all answers and apartness.
//
// The BASIS is a set of nodes of the tree that are pairwise apart; they are the
// states. The FRONTIER are their successors that are not in the basis. The
// CANDIDATES of a frontier node are the basis nodes it is not apart from. A
// frontier node without candidates joins the basis; one with several is asked a
// question on which its candidates differ. When every one has exactly one
// candidate there is a hypothesis.
//
// The paper learns Mealy machines, where a question shows the outputs of all
// prefixes. Here it shows the verdict of the whole word, so the tree has nodes
// without an answer, and an adaptive sequence is not one walk but several
// questions. Each is the one that separates most pairs of candidates per
// letter asked.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
)

// LSharp learns with an observation tree. Answers of earlier runs in the cache
// are observations as good as its own. See [Learner] for the contract.
func LSharp(ctx context.Context, letters int, t Teacher, opt Options) (Result, error) {
	return run(ctx, letters, t, opt, func(s *session) (*automata.DFA, error) {
		l := &lsharp{session: s, tree: s.cache.now, choices: map[string][]int{}}
		return l.learn()
	})
}

type lsharp struct {
	*session
	*tree
	access [][]int // of the basis
	basis  []int32 // nodes
	// For (q, x) at q*letters+x, the successor of basis node q by x:
	cands    [][]int32 // its candidates among the first tried basis states
	tried    []int
	explored int // basis states whose successors have been looked at
	scratch  []int
	choices  map[string][]int // candidates -> best suffix, of the current basis
}

func (l *lsharp) learn() (*automata.DFA, error) {
	if _, err := l.member(nil); err != nil {
		return nil, err
	}
	if err := l.promote(nil); err != nil {
		return nil, err
	}
	for {
		if err := l.identifyAll(); err != nil {
			return nil, err
		}
		h := l.hypothesis()
		word, ok, err := l.refute(h)
		if err != nil {
			return nil, err
		}
		if !ok {
			return h, nil
		}
		// The questions asked here are the new observations: after them the
		// frontier node where they differ is apart from its only candidate.
		run := path(h, word)
		i, err := l.breakpoint(word, func(i int) []int { return l.access[run[i]] })
		if err != nil {
			return nil, err
		}
		if err := l.identify(int(run[i]), word[i]); err != nil {
			return nil, err
		}
		if len(l.basis) == h.States() {
			panic("learn.LSharp: a counterexample without effect")
		}
	}
}

// promote makes word a basis node.
func (l *lsharp) promote(word []int) error {
	if err := l.newState(); err != nil {
		return err
	}
	l.access = append(l.access, word)
	l.basis = append(l.basis, l.node(word))
	l.cands = append(l.cands, make([][]int32, l.letters)...)
	l.tried = append(l.tried, make([]int, l.letters)...)
	clear(l.choices)
	return nil
}

// node returns the tree's node of word.
func (l *lsharp) node(word []int) int32 {
	n := int32(0)
	for _, x := range word {
		n = l.grow(n, x)
	}
	return n
}

// identifyAll asks until every frontier node has one candidate. Successors of
// new basis nodes come first: what is learned about them often gives a shorter
// suffix to tell the new basis node from the others.
func (l *lsharp) identifyAll() error {
	for again := true; again; {
		again = false
		for ; l.explored < len(l.access); l.explored++ {
			for _, x := range l.order {
				if err := l.identify(l.explored, x); err != nil {
					return err
				}
			}
		}
		for q := 0; q < len(l.access) && !again; q++ {
			for _, x := range l.order {
				if err := l.identify(q, x); err != nil {
					return err
				}
			}
			again = l.explored < len(l.access)
		}
	}
	return nil
}

// identify asks until the successor of q by x has one candidate, and
// promotes it if it has none.
func (l *lsharp) identify(q, x int) error {
	i := q*l.letters + x
	if l.absorbed(l.basis[q]) {
		l.cands[i] = append(l.cands[i][:0], int32(q))
		return nil
	}
	word := extend(l.access[q], x)
	if _, err := l.member(word); err != nil {
		return err
	}
	f := l.node(word)
	for ; l.tried[i] < len(l.basis); l.tried[i]++ {
		l.cands[i] = append(l.cands[i], int32(l.tried[i]))
	}
	for {
		l.cands[i] = slices.DeleteFunc(l.cands[i], func(b int32) bool { return l.apart(f, l.basis[b]) })
		if len(l.cands[i]) < 2 {
			break
		}
		if _, err := l.member(word, l.choose(l.cands[i], len(word))); err != nil {
			return err
		}
	}
	if len(l.cands[i]) == 1 {
		return nil
	}
	l.cands[i] = append(l.cands[i], int32(len(l.basis)))
	l.tried[i] = len(l.basis) + 1
	return l.promote(word)
}

// absorbed reports whether node n has a verdict that all its extensions share.
func (l *lsharp) absorbed(n int32) bool {
	return l.cache.closed && l.known(n) && absorbing(l.verdict(n))
}

// apart reports whether the answers below nodes m and n differ for some suffix.
func (l *lsharp) apart(m, n int32) bool {
	w, ok := l.witness(m, n, l.scratch[:0])
	if ok {
		l.scratch = w // keeps what it has grown to
	}
	return ok
}

// witness appends to word a suffix for which the answers below m and n differ.
func (l *lsharp) witness(m, n int32, word []int) ([]int, bool) {
	if all := l.below[m] | l.below[n]; all&(all-1) == 0 {
		return nil, false
	}
	if l.known(m) && l.known(n) && l.verdict(m) != l.verdict(n) {
		return word, true
	}
	if l.absorbed(m) {
		return l.other(n, l.verdict(m), word)
	}
	if l.absorbed(n) {
		return l.other(m, l.verdict(n), word)
	}
	for c := l.first[m]; c != 0; c = l.next[c] {
		x := int(l.letter[c])
		if d := l.child(n, x); d != 0 {
			if w, ok := l.witness(c, d, append(word, x)); ok {
				return w, true
			}
		}
	}
	return nil, false
}

// other appends to word a suffix whose answer below n is not v.
func (l *lsharp) other(n int32, v automata.Verdict, word []int) ([]int, bool) {
	if l.below[n]&^(1<<v) == 0 {
		return nil, false
	}
	if l.known(n) && l.verdict(n) != v {
		return word, true
	}
	for c := l.first[n]; c != 0; c = l.next[c] {
		if w, ok := l.other(c, v, append(word, int(l.letter[c]))); ok {
			return w, true
		}
	}
	return nil, false
}

// choose returns the suffix that separates most pairs of the candidates per
// letter of the question, length being that of the word before the suffix. The
// candidates are pairwise apart, so there is one.
//
// Suffixes are searched breadth-first, along those that at least two candidates
// have been asked, while different answers lie below and the best conceivable
// separation is an improvement. The search ends after a fixed number of nodes:
// on long chains it would go through most of the tree every time. If it found
// nothing till then, any suffix that separates two candidates must do.
func (l *lsharp) choose(cands []int32, length int) []int {
	name := make([]byte, 0, 4*len(cands))
	for _, b := range cands {
		name = append(name, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
	}
	if s, ok := l.choices[string(name)]; ok {
		return s
	}
	const limit = 1 << 12
	type option struct {
		word  []int
		nodes []int32 // an absorbed node stands for all its extensions
	}
	start := option{}
	for _, b := range cands {
		start.nodes = append(start.nodes, l.basis[b])
	}
	var best []int
	pairs, cost := 0, 1
	below := make([][]int32, l.letters)
	level := []option{start}
	for visits := 0; len(level) > 0 && visits < limit; {
		var deeper []option
		for _, o := range level {
			if visits += len(o.nodes); visits > limit {
				break
			}
			c := length + len(o.word) + 1
			var same []int32
			for _, n := range o.nodes {
				if l.absorbed(n) {
					same = append(same, n)
					continue
				}
				for d := l.first[n]; d != 0; d = l.next[d] {
					below[l.letter[d]] = append(below[l.letter[d]], d)
				}
			}
			for _, x := range l.order {
				nodes := append(below[x], same...)
				below[x] = below[x][:0]
				if len(nodes) == len(same) || len(nodes) < 2 {
					continue
				}
				var count [1 + 1 + automata.Impossible]int
				all := uint8(0)
				for _, n := range nodes {
					count[l.answer[n]]++
					all |= l.below[n]
				}
				if all&(all-1) == 0 {
					continue
				}
				sum, p := 0, 0
				for _, n := range count[1:] {
					p += sum * n
					sum += n
				}
				if p*cost > pairs*c {
					best, pairs, cost = extend(o.word, x), p, c
				}
				if n := len(nodes); n*(n-1)/2*cost > pairs*(c+1) {
					deeper = append(deeper, option{extend(o.word, x), slices.Clone(nodes)})
				}
			}
		}
		level = deeper
	}
	if pairs == 0 {
		var ok bool
		if best, ok = l.witness(l.basis[cands[0]], l.basis[cands[1]], nil); !ok {
			panic("learn.LSharp: basis nodes are not apart")
		}
	}
	l.choices[string(name)] = best
	return best
}

func (l *lsharp) hypothesis() *automata.DFA {
	h := &automata.DFA{Letters: l.letters, Next: make([]int32, len(l.cands)), Out: make([]automata.Verdict, len(l.basis))}
	for i, c := range l.cands {
		h.Next[i] = c[0]
	}
	for q, n := range l.basis {
		h.Out[q] = l.verdict(n)
	}
	return h
}
