// SPDX-License-Identifier: Apache-2.0

package run

// This file tests hypotheses: with all that was seen, by the W-method (Chow, "Testing software design
// modeled by finite-state machines", 1978), and by words that are made by chance.

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/learn"
)

// batch is how many words are run between two looks at what they have shown.
const batch = 256

// Refute implements [learn.Teacher].
func (t *teacher) Refute(ctx context.Context, h *automata.DFA) (learn.Counterexample, bool, error) {
	t.last, t.tested = h, false
	if word := t.contradiction(h); word != nil {
		return learn.Counterexample{Word: word}, true, nil
	}
	var words []Word
	var found []int
	flush := func() (stop bool, err error) {
		if len(words) == 0 {
			return false, nil
		}
		err = t.run(ctx, words)
		words = words[:0]
		if err != nil {
			return true, err
		}
		if len(t.tree.letters) > len(t.letters) || t.tree.revised > t.revised {
			return true, errAgain
		}
		found = t.contradiction(h)
		return found != nil, nil
	}
	add := func(w Word, always bool) (stop bool, err error) {
		e := t.tree.root.edge(w.Start)
		if !always && len(e.next) > 0 && !slices.ContainsFunc(e.next, func(n *Node) bool { return !n.known(w.Calls, repeats) }) {
			return false, nil
		}
		if words = append(words, w); len(words) < batch {
			return false, nil
		}
		return flush()
	}
	stop, err := t.methodW(h, add)
	if !stop && err == nil {
		stop, err = flush()
	}
	if !stop && err == nil {
		if stop, err = t.chance(h, add); !stop && err == nil {
			stop, err = flush()
		}
	}
	switch {
	case errors.Is(err, errSpent):
		if found = t.contradiction(h); found == nil {
			return learn.Counterexample{}, false, nil // it is the best there is
		}
		return learn.Counterexample{}, false, err
	case err != nil:
		return learn.Counterexample{}, false, err
	case found != nil:
		return learn.Counterexample{Word: found}, true, nil
	}
	t.tested = true
	return learn.Counterexample{}, false, nil
}

// contradiction is a shortest trace that was seen and that a hypothesis takes for impossible, or one that it
// takes for possible although enough was seen to say that it is not; nil if there is none.
func (t *teacher) contradiction(h *automata.DFA) []int {
	type at struct {
		n        *Node
		state    int32
		word     []int
		unstable bool
	}
	queue := []at{{n: t.tree.root}}
	for k := 0; k < len(queue); k++ {
		q := queue[k]
		if q.n.Ended {
			for x := range h.Letters {
				if h.Out[h.Step(q.state, x)] == automata.Accept {
					return append(q.word, x)
				}
			}
			continue
		}
		calls := t.calls
		if q.n.depth < 0 {
			calls = t.pool.program.Starts
		}
		for _, c := range q.n.ordered(calls) {
			e := q.n.edges[c]
			unstable := q.unstable || len(e.next) > 1
			for x, l := range t.letters[:h.Letters] {
				if l.call != c || l.start != (q.n.depth < 0) {
					continue
				}
				next, s := e.class(l.class), h.Step(q.state, x)
				word := append(q.word[:len(q.word):len(q.word)], x)
				if possible := h.Out[s] == automata.Accept; next == nil && possible && e.settled(unstable) || next != nil && !possible {
					return word
				}
				if next != nil {
					queue = append(queue, at{next, s, word, unstable})
				}
			}
		}
	}
	return nil
}

// A test takes a word, and says whether to stop.
type test func(w Word, always bool) (stop bool, err error)

// methodW makes the words of the W-method: to each state, then each sequence of calls up to one more than the extra
// states, then each word that tells two states apart.
func (t *teacher) methodW(h *automata.DFA, add test) (stop bool, err error) {
	suffixes := t.separating(h)
	access := automata.Access(h)
	type prefix struct {
		word  Word
		state int32
	}
	var prefixes []prefix
	for s, word := range access {
		if len(word) == 0 || h.Out[s] != automata.Accept || t.dead(h, int32(s)) {
			continue
		}
		prefixes = append(prefixes, prefix{t.wordOf(word), int32(s)})
	}
	for range t.effort.Extra + 1 {
		var longer []prefix
		for _, p := range prefixes {
			for c := range t.calls {
				w := Word{p.word.Start, append(p.word.Calls[:len(p.word.Calls):len(p.word.Calls)], c)}
				states := t.after(h, p.state, c)
				if len(states) == 0 {
					// The hypothesis says that the call ends the word.
					if stop, err := add(w, false); stop || err != nil {
						return stop, err
					}
				}
				for _, suffix := range suffixes {
					if len(states) == 0 {
						break
					}
					v := Word{w.Start, append(w.Calls[:len(w.Calls):len(w.Calls)], suffix...)}
					if stop, err := add(v, false); stop || err != nil {
						return stop, err
					}
				}
				for _, s := range states {
					longer = append(longer, prefix{w, s})
				}
			}
		}
		prefixes = longer
	}
	return false, nil
}

// wordOf is the word of a trace in letters.
func (t *teacher) wordOf(word []int) Word {
	w := Word{Start: t.letters[word[0]].call}
	for _, x := range word[1:] {
		w.Calls = append(w.Calls, t.letters[x].call)
	}
	return w
}

// dead reports whether nothing can follow in a state.
func (t *teacher) dead(h *automata.DFA, s int32) bool {
	if t.ends.of != h {
		t.ends.of, t.ends.dead = h, make([]bool, h.States())
		for s := range t.ends.dead {
			t.ends.dead[s] = !slices.ContainsFunc(h.Next[s*h.Letters:(s+1)*h.Letters], func(to int32) bool { return h.Out[to] == automata.Accept })
		}
	}
	return t.ends.dead[s]
}

// after are the states in which a call leaves an object that lives on.
func (t *teacher) after(h *automata.DFA, s int32, call int) (list []int32) {
	for x, l := range t.letters[:h.Letters] {
		if to := h.Step(s, x); !l.start && l.call == call && h.Out[to] == automata.Accept && !t.dead(h, to) && !slices.Contains(list, to) {
			list = append(list, to)
		}
	}
	return list
}

// separating are sequences of calls such that any two states that differ do so on one of them.
func (t *teacher) separating(h *automata.DFA) [][]int {
	var live []int32
	for s := range int32(h.States()) {
		if s > 0 && h.Out[s] == automata.Accept && !t.dead(h, s) {
			live = append(live, s)
		}
	}
	type pair [2]int32
	word := map[pair][]int{}
	get := func(a, b int32) ([]int, bool) {
		w, ok := word[pair{min(a, b), max(a, b)}]
		return w, ok
	}
	for changed := true; changed; {
		changed = false
		for i, a := range live {
			for _, b := range live[:i] {
				if _, ok := get(a, b); ok {
					continue
				}
				for x, l := range t.letters[:h.Letters] {
					p, q := h.Step(a, x), h.Step(b, x)
					rest, ok := get(p, q)
					if h.Out[p] != h.Out[q] || t.dead(h, p) != t.dead(h, q) {
						rest, ok = nil, true
					}
					if ok && p != q {
						word[pair{min(a, b), max(a, b)}] = append([]int{l.call}, rest...)
						changed = true
						break
					}
				}
			}
		}
	}
	var list [][]int
	for i, a := range live {
		for _, b := range live[:i] {
			if w, ok := get(a, b); ok && !slices.ContainsFunc(list, func(v []int) bool { return len(v) >= len(w) && slices.Equal(v[:len(w)], w) }) {
				list = append(list, w)
			}
		}
	}
	if len(list) == 0 {
		list = [][]int{nil}
	}
	return list
}

// endingOdds: one in so many calls of a word by chance may be one that the hypothesis says ends it.
const endingOdds = 10

// chance makes words by chance. They are run also if they are known: a component that answers differently
// shows it there.
func (t *teacher) chance(h *automata.DFA, add test) (stop bool, err error) {
	rng := rand.New(rand.NewPCG(t.effort.Seed, 0))
	starts := t.living()
	for range t.effort.Random {
		w := Word{Start: starts[rng.IntN(len(starts))]}
		state := t.follow(h, 0, w.Start, rng)
		for range 1 + rng.IntN(t.effort.Length) {
			c := rng.IntN(t.calls)
			ends := state < 0 || len(t.after(h, state, c)) == 0
			if ends && rng.IntN(endingOdds) > 0 {
				continue
			}
			w.Calls = append(w.Calls, c)
			if ends {
				break
			}
			state = t.follow(h, state, c, rng)
		}
		if stop, err := add(w, true); stop || err != nil {
			return stop, err
		}
	}
	return false, nil
}

// follow is a state in which a call leaves a living object, -1 if there is none.
func (t *teacher) follow(h *automata.DFA, s int32, call int, rng *rand.Rand) int32 {
	var list []int32
	for x, l := range t.letters[:h.Letters] {
		if to := h.Step(s, x); l.start == (s == 0) && l.call == call && h.Out[to] == automata.Accept && !t.dead(h, to) {
			list = append(list, to)
		}
	}
	if len(list) == 0 {
		return -1
	}
	return list[rng.IntN(len(list))]
}
