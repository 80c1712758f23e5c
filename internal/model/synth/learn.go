// SPDX-License-Identifier: Apache-2.0

package synth

// This file learns the interface. Membership follows the sets of one word. A conjecture is
// compared with the component by a search of pairs (state of the conjecture, set). A pair with
// a larger set than one that was met before tells nothing new about what the conjecture
// forbids or calls impossible: if the larger set lacks an erring trace or any, so does the
// smaller. What it allows is checked on single classes. So only the minimal sets of each state
// are followed, an antichain, which may be far fewer than all.

import (
	"context"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/learn"
)

// Which learner finds the automaton, and how many states it may have.
type learning struct {
	learner learn.Learner
	seed    uint64
}

func (l learning) run(ctx context.Context, k *knowledge) (*automata.DFA, learn.Stats, error) {
	r, err := l.learner.Run(ctx, k.letters, &teacher{k}, learn.Options{PrefixClosed: true, MaxStates: k.budget, Seed: l.seed})
	return r.DFA, r.Stats, err
}

type teacher struct{ *knowledge }

func verdictOf(to int32) automata.Verdict {
	switch to {
	case toError:
		return automata.Reject
	case toNowhere:
		return automata.Impossible
	}
	return automata.Accept
}

// Member says whether a word is illegal.
func (t *teacher) Member(ctx context.Context, word []int) (learn.Answer, error) {
	at, err := t.start()
	for _, x := range word {
		if err != nil || at < 0 {
			break
		}
		var row []int32
		if row, err = t.row(at); err == nil {
			at = row[x]
		}
	}
	return learn.Answer{Verdict: verdictOf(at)}, err
}

// Refute finds a word that the conjecture allows and that errs, or one that it forbids, or
// calls impossible, and that does not.
func (t *teacher) Refute(ctx context.Context, h *automata.DFA) (learn.Counterexample, bool, error) {
	start, err := t.start()
	if err != nil {
		return learn.Counterexample{}, false, err
	}
	if h.Out[0] != verdictOf(start) {
		return learn.Counterexample{Word: []int{}}, true, nil
	}
	if start == toError {
		return learn.Counterexample{}, false, nil
	}
	if word := t.allowed(h); word != nil {
		return learn.Counterexample{Word: word}, true, nil
	}
	word, err := t.refused(ctx, h, start)
	return learn.Counterexample{Word: word}, word != nil, err
}

// A pairNode is a node of a search tree of pairs.
type pairNode struct {
	state, item  int32 // of the conjecture; a class or a set
	from, letter int32
}

func wordTo(nodes []pairNode, at int32, last int) []int {
	word := []int{last}
	for ; at > 0; at = nodes[at].from {
		if nodes[at].letter >= 0 {
			word = append(word, int(nodes[at].letter))
		}
	}
	for i, j := 0, len(word)-1; i < j; i, j = i+1, j-1 {
		word[i], word[j] = word[j], word[i]
	}
	return word
}

// allowed finds a word that h accepts and a trace with that projection that errs, or a word
// that h calls impossible and a trace for it. Hidden steps have the letter -1.
func (t *teacher) allowed(h *automata.DFA) []int {
	nodes := []pairNode{{0, t.initial, 0, -1}}
	seen := map[[2]int32]bool{{0, t.initial}: true}
	for at := int32(0); at < int32(len(nodes)); at++ {
		p := nodes[at]
		add := func(state, class, letter int32) {
			if !seen[[2]int32{state, class}] {
				seen[[2]int32{state, class}] = true
				nodes = append(nodes, pairNode{state, class, at, letter})
			}
		}
		for _, c := range t.hidden[t.below[p.item]:t.below[p.item+1]] {
			add(p.state, c, -1)
		}
		for _, e := range t.edges[t.first[p.item]:t.first[p.item+1]] {
			to := h.Step(p.state, int(e.letter))
			switch {
			case h.Out[to] == automata.Impossible, h.Out[to] == automata.Accept && e.to == failed:
				return wordTo(nodes, at, int(e.letter))
			case h.Out[to] == automata.Accept:
				add(to, e.to, e.letter)
			}
		}
	}
	return nil
}

// refused finds a word that h rejects and that no trace errs with, or one that h accepts and
// that no trace has although that matters.
func (t *teacher) refused(ctx context.Context, h *automata.DFA, start int32) ([]int, error) {
	nodes := []pairNode{{0, start, 0, -1}}
	minimal := make([][]int32, h.States())
	minimal[0] = []int32{start}
	for at := int32(0); at < int32(len(nodes)); at++ {
		if at%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p := nodes[at]
		row, err := t.row(p.item)
		if err != nil {
			return nil, err
		}
		for x, to := range row {
			state := h.Step(p.state, x)
			if v := verdictOf(to); v != h.Out[state] {
				return wordTo(nodes, at, x), nil
			}
			if to >= 0 && t.extend(&minimal[state], to) {
				nodes = append(nodes, pairNode{state, to, at, int32(x)})
			}
		}
	}
	return nil, nil
}

// extend adds a set to an antichain of minimal sets, unless a subset is there. Larger ones
// may stay in the queue: they are harmless.
func (t *teacher) extend(chain *[]int32, set int32) bool {
	members := t.sets.Set(set)
	kept := (*chain)[:0]
	for _, old := range *chain {
		if subset(t.sets.Set(old), members) {
			return false
		}
	}
	for _, old := range *chain {
		if !subset(members, t.sets.Set(old)) {
			kept = append(kept, old)
		}
	}
	*chain = append(kept, set)
	return true
}

func subset(a, b []int32) bool {
	if len(a) > len(b) {
		return false
	}
	k := 0
	for _, x := range a {
		for k < len(b) && b[k] < x {
			k++
		}
		if k == len(b) || b[k] != x {
			return false
		}
	}
	return true
}
