// SPDX-License-Identifier: Apache-2.0

package main

// This file makes the automata, lets every learner learn them, and takes
// medians. A random automaton counts as one of n states only if its minimal one
// has at least nine tenths of them; others are drawn again, since their
// nominal size would mean nothing.
//
// Two kinds. Plain: random successors and random verdicts, the usual subject of
// such comparisons. Closed: a third of the calls of each state is rejected for
// good, as in the table of a component, and the learner is promised that.
// Two teachers: one gives shortest counterexamples, as the engines here do, one
// long random ones, as testing does.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/learn"
)

type plan struct {
	sizes   []int
	seeds   uint64
	letters int
}

// A row has the medians of every learner on one kind and size of automata.
type row struct {
	closed bool
	states int
	long   bool // long counterexamples
	stats  []learn.Stats
}

func (p plan) rows(ctx context.Context) ([]row, error) {
	var out []row
	for _, closed := range []bool{true, false} {
		for _, long := range []bool{false, true} {
			for _, n := range p.sizes {
				r := row{closed: closed, states: n, long: long}
				for _, l := range learn.Learners() {
					s, err := p.medians(ctx, l, r)
					if err != nil {
						return nil, fmt.Errorf("%s, %d states: %w", l.Name, n, err)
					}
					r.stats = append(r.stats, s)
				}
				out = append(out, r)
			}
		}
	}
	return out, nil
}

func (p plan) medians(ctx context.Context, l learn.Learner, r row) (learn.Stats, error) {
	var all []learn.Stats
	for seed := range p.seeds {
		target := draw(seed, r.states, p.letters, r.closed)
		t := &teacher{target: target, random: rand.New(rand.NewPCG(seed, 2))}
		if r.long {
			t.long = 2 * r.states
		}
		res, err := l.Run(ctx, p.letters, t, learn.Options{PrefixClosed: r.closed})
		if err != nil {
			return learn.Stats{}, err
		}
		if word, differ := automata.Separate(res.DFA, target); differ {
			return learn.Stats{}, fmt.Errorf("seed %d: learned an automaton that is wrong about %v", seed, word)
		}
		all = append(all, res.Stats)
	}
	median := func(key func(learn.Stats) int) int {
		slices.SortFunc(all, func(a, b learn.Stats) int { return cmp.Compare(key(a), key(b)) })
		return key(all[len(all)/2])
	}
	return learn.Stats{
		Queries:      median(queries),
		Symbols:      median(symbols),
		Equivalences: median(func(s learn.Stats) int { return s.Equivalences }),
	}, nil
}

func queries(s learn.Stats) int { return s.Queries }
func symbols(s learn.Stats) int { return s.Symbols }

// draw returns the random automaton of a seed.
func draw(seed uint64, n, letters int, closed bool) *automata.DFA {
	r := rand.New(rand.NewPCG(seed, 1))
	for {
		d := &automata.DFA{Letters: letters}
		for range n {
			v := automata.Accept
			if !closed && r.IntN(2) == 0 {
				v = automata.Reject
			}
			d.Out = append(d.Out, v)
			for range letters {
				to := r.IntN(n)
				if closed && r.IntN(3) == 0 {
					to = n
				}
				d.Next = append(d.Next, int32(to))
			}
		}
		if closed {
			d.Out = append(d.Out, automata.Reject)
			for range letters {
				d.Next = append(d.Next, int32(n))
			}
		}
		if 10*automata.Minimize(d).States() >= 9*n {
			return d
		}
	}
}

// A teacher teaches an automaton, with shortest counterexamples or, if long is
// positive, with random ones of about long letters where fifty trials find one.
type teacher struct {
	target *automata.DFA
	long   int
	random *rand.Rand
}

func (t *teacher) Member(_ context.Context, word []int) (learn.Answer, error) {
	return learn.Answer{Verdict: t.target.Out[t.target.Run(word)]}, nil
}

func (t *teacher) Refute(_ context.Context, h *automata.DFA) (learn.Counterexample, bool, error) {
	short, ok := automata.Separate(t.target, h)
	if !ok || t.long == 0 {
		return learn.Counterexample{Word: short}, ok, nil
	}
	for range 50 {
		if word := t.walk(t.long/2 + t.random.IntN(t.long+1)); t.target.Out[t.target.Run(word)] != h.Out[h.Run(word)] {
			return learn.Counterexample{Word: word}, true, nil
		}
	}
	return learn.Counterexample{Word: short}, true, nil
}

// walk returns a random word of at most n letters. Only its last letter leads
// to a state that is left by no letter: a random word of a closed automaton is
// otherwise rejected after a few letters, by every hypothesis.
func (t *teacher) walk(n int) []int {
	d := t.target
	var word []int
	for s := int32(0); len(word) < n; {
		x := t.random.IntN(d.Letters)
		to := d.Step(s, x)
		if len(word)+1 < n && trap(d, to) {
			if t.trapped(s) {
				break
			}
			continue
		}
		word, s = append(word, x), to
	}
	return word
}

// trapped reports whether every letter leads from s to a trap.
func (t *teacher) trapped(s int32) bool {
	for x := range t.target.Letters {
		if !trap(t.target, t.target.Step(s, x)) {
			return false
		}
	}
	return true
}

func trap(d *automata.DFA, s int32) bool {
	for x := range d.Letters {
		if d.Step(s, x) != s {
			return false
		}
	}
	return true
}

func (p plan) print(out io.Writer, rows []row) error {
	fmt.Fprintf(out, "Medians over %d random automata with %d letters. Closed: no word extends a rejected one, and the\n"+
		"learner knows. A cell is queries/symbols/equivalence queries; best is by symbols.\n\n", p.seeds, p.letters)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	head := []string{"kind", "counterexamples", "states"}
	for _, l := range learn.Learners() {
		head = append(head, l.Name)
	}
	fmt.Fprintln(w, strings.Join(append(head, "fewest queries", "best"), "\t")+"\t")
	for _, r := range rows {
		kind, cex := "plain", "shortest"
		if r.closed {
			kind = "closed"
		}
		if r.long {
			cex = "long"
		}
		cells := []string{kind, cex, fmt.Sprint(r.states)}
		for _, s := range r.stats {
			cells = append(cells, fmt.Sprintf("%d/%d/%d", s.Queries, s.Symbols, s.Equivalences))
		}
		cells = append(cells, r.best(queries), r.best(symbols))
		fmt.Fprintln(w, strings.Join(cells, "\t")+"\t")
	}
	return w.Flush()
}

// best names the learners with the smallest value.
func (r row) best(value func(learn.Stats) int) string {
	least := slices.MinFunc(r.stats, func(a, b learn.Stats) int { return cmp.Compare(value(a), value(b)) })
	var names []string
	for i, l := range learn.Learners() {
		if value(r.stats[i]) == value(least) {
			names = append(names, l.Name)
		}
	}
	return strings.Join(names, "=")
}
