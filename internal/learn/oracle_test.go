// SPDX-License-Identifier: Apache-2.0

package learn

// This file has the teachers and the random targets of the tests.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
)

// A machine teaches an automaton. Its counterexamples are shortest ones, or
// random ones of about long letters if that is positive. It notes questions
// that a learner should not ask.
type machine struct {
	target *automata.DFA
	long   int
	rand   *rand.Rand
	closed bool
	told   map[string]automata.Verdict // nil: do not note
	stats  Stats
	fault  error
}

func newMachine(target *automata.DFA, long int, closed bool) *machine {
	return &machine{target: target, long: long, rand: rand.New(rand.NewPCG(1, 2)), closed: closed,
		told: map[string]automata.Verdict{}}
}

func key(word []int) string {
	b := make([]byte, len(word))
	for i, x := range word {
		b[i] = byte(x)
	}
	return string(b)
}

func (m *machine) Member(_ context.Context, word []int) (Answer, error) {
	m.stats.Queries++
	m.stats.Symbols += len(word)
	v := m.target.Out[m.target.Run(word)]
	if m.told == nil {
		return Answer{Verdict: v}, nil
	}
	name := key(word)
	if _, ok := m.told[name]; ok {
		m.fault = fmt.Errorf("word %v asked twice", word)
	}
	for i := range name {
		if u, ok := m.told[name[:i]]; m.closed && ok && absorbing(u) {
			m.fault = fmt.Errorf("word %v asked, but %v is %v", word, word[:i], u)
		}
	}
	if m.closed && v == automata.Accept {
		for i := range name {
			m.told[name[:i]] = v // asking that would be asking twice
		}
	}
	m.told[name] = v
	return Answer{Verdict: v}, nil
}

func (m *machine) Refute(_ context.Context, h *automata.DFA) (Counterexample, bool, error) {
	m.stats.Equivalences++
	for name, v := range m.told {
		s := int32(0)
		for _, x := range []byte(name) {
			s = h.Step(s, int(x))
		}
		if h.Out[s] != v {
			m.fault = fmt.Errorf("hypothesis contradicts the answer %v to %v", v, []byte(name))
		}
	}
	short, ok := automata.Separate(m.target, h)
	if !ok || m.long == 0 {
		return Counterexample{Word: short}, ok, nil
	}
	for range 50 {
		word := make([]int, m.long/2+m.rand.IntN(m.long))
		for i := range word {
			word[i] = m.rand.IntN(m.target.Letters)
		}
		if m.target.Out[m.target.Run(word)] != h.Out[h.Run(word)] {
			return Counterexample{Word: word}, true, nil
		}
	}
	// Rare differences: a random walk that ends with the shortest separating
	// word of the states it reaches.
	for range 50 {
		word := make([]int, m.rand.IntN(m.long))
		for i := range word {
			word[i] = m.rand.IntN(m.target.Letters)
		}
		tail, ok := automata.Separate(from(m.target, m.target.Run(word)), from(h, h.Run(word)))
		if ok {
			return Counterexample{Word: slices.Concat(word, tail)}, true, nil
		}
	}
	return Counterexample{Word: short}, true, nil
}

// from returns d started in state s.
func from(d *automata.DFA, s int32) *automata.DFA {
	swap := func(q int32) int32 {
		switch q {
		case 0:
			return s
		case s:
			return 0
		}
		return q
	}
	r := &automata.DFA{Letters: d.Letters, Next: make([]int32, len(d.Next)), Out: make([]automata.Verdict, len(d.Out))}
	for q := range int32(d.States()) {
		r.Out[q] = d.Out[swap(q)]
		for x := range d.Letters {
			r.Next[int(q)*d.Letters+x] = swap(d.Step(swap(q), x))
		}
	}
	return r
}

// A kind is a family of random automata.
type kind struct {
	name   string
	closed bool
	make   func(r *rand.Rand, states, letters int) *automata.DFA
}

func kinds() []kind {
	return []kind{
		{"two", false, func(r *rand.Rand, n, k int) *automata.DFA {
			return random(r, n, k, automata.Accept, automata.Reject)
		}},
		{"three", false, func(r *rand.Rand, n, k int) *automata.DFA {
			return random(r, n, k, automata.Accept, automata.Reject, automata.Unknown)
		}},
		{"four", false, func(r *rand.Rand, n, k int) *automata.DFA {
			return random(r, n, k, automata.Unknown, automata.Accept, automata.Reject, automata.Impossible)
		}},
		{"closed", true, closedRandom},
		{"closed4", true, closedRandom4},
		{"lock", false, lock},
		{"counter", true, counter},
		{"sparse", false, sparse},
	}
}

func random(r *rand.Rand, n, k int, out ...automata.Verdict) *automata.DFA {
	d := &automata.DFA{Letters: k, Next: make([]int32, n*k), Out: make([]automata.Verdict, n)}
	for i := range d.Next {
		d.Next[i] = int32(r.IntN(n))
	}
	for i := range d.Out {
		d.Out[i] = out[r.IntN(len(out))]
	}
	return d
}

// closedRandom accepts until a forbidden letter; a third of the cells are.
func closedRandom(r *rand.Rand, n, k int) *automata.DFA {
	d := random(r, n, k, automata.Accept)
	for i := range d.Next {
		if r.IntN(3) == 0 {
			d.Next[i] = int32(n)
		}
	}
	return sink(d, automata.Reject)
}

// closedRandom4 also has impossible letters, and states after which nothing is
// known for sure.
func closedRandom4(r *rand.Rand, n, k int) *automata.DFA {
	d := random(r, n, k, automata.Accept)
	unknown := n - n/4
	for q := range n {
		if q >= unknown {
			d.Out[q] = automata.Unknown
		}
		for x := range k {
			c := &d.Next[q*k+x]
			if q >= unknown {
				*c = int32(unknown + r.IntN(n-unknown))
			}
			switch r.IntN(5) {
			case 0:
				*c = int32(n)
			case 1:
				*c = int32(n + 1)
			}
		}
	}
	return sink(sink(d, automata.Reject), automata.Impossible)
}

func sink(d *automata.DFA, v automata.Verdict) *automata.DFA {
	s := int32(d.States())
	d.Out = append(d.Out, v)
	for range d.Letters {
		d.Next = append(d.Next, s)
	}
	return d
}

// lock accepts after one combination of n-1 letters; a wrong letter starts
// again.
func lock(r *rand.Rand, n, k int) *automata.DFA {
	d := random(r, n, k, automata.Reject)
	clear(d.Next)
	for q := range n - 1 {
		d.Next[q*k+r.IntN(k)] = int32(q + 1)
	}
	d.Out[n-1] = automata.Accept
	return d
}

// counter counts up and down with letters 0 and 1 between 0 and n-1, and
// rejects both ends being passed; other letters do nothing.
func counter(_ *rand.Rand, n, k int) *automata.DFA {
	d := &automata.DFA{Letters: k}
	for q := range n {
		d.Out = append(d.Out, automata.Accept)
		for x := range k {
			to := q
			switch x {
			case 0:
				to = q + 1
			case 1:
				to = q - 1
			}
			if to < 0 {
				to = n
			}
			d.Next = append(d.Next, int32(to))
		}
	}
	return sink(d, automata.Reject)
}

// sparse is a random automaton in which few states accept.
func sparse(r *rand.Rand, n, k int) *automata.DFA {
	d := random(r, n, k, automata.Reject)
	for range 1 + n/10 {
		d.Out[r.IntN(n)] = automata.Accept
	}
	return d
}
