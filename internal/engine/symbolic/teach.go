// SPDX-License-Identifier: Apache-2.0

package symbolic

// This file is the teacher of engine symbolic: letters are guarded calls with
// outcomes, membership is symbolic execution, and a hypothesis is compared with
// all words up to a depth.
//
// A word is Accept if it can happen and its last call is allowed, Reject if its
// last call or one before is forbidden, Impossible if it cannot happen, and
// Unknown if the verdict of its last call is not known, whether or not that call can
// return: states in which a call is allowed and unknown are different. Calls after an unknown
// one have verdicts of their own: what is unknown is whether the call errs, not
// what follows if it returns. (So the language is not prefix-closed in the sense
// of package learn, and learners are not told that it is.)
//
// A word whose last call errs for some arguments and not for others has no
// verdict; the teacher then demands a finer alphabet. Verdicts hold for the
// parts of a guard; whether a word can happen need not, so answers are kept by
// node and guard here and inherited from the guard that was split, instead of by
// word in the learner's cache.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A guardedLetter is a letter: a call with a guard and an outcome.
type guardedLetter struct {
	call    int
	guard   *term.Term
	outcome seenOutcome
}

// A seenOutcome is a class of results: a name for bools and enums, and a
// condition on integers where they were split.
type seenOutcome struct {
	name string
	cond *term.Term // over the result variables
	ints *term.Term // the part of it that splits made
}

// symTeacher implements learn.Teacher.
type symTeacher struct {
	*executor
	letters []guardedLetter
	depth   int // calls after the constructor that a hypothesis is compared on
	most    int // pairs of one comparison; 0: no limit but the budget
	extra   [][]int
	// demand is the refinement that was last demanded.
	demand      *letterSplit
	refinements int
	given       map[guardedCall]string // calls that are not split any more, and why
	cut         bool                   // the last comparison ended at the depth, not for want of words
	lost        bool                   // it could not follow some word: a call has too many paths
	pairs       int
}

// A letterSplit is a split of the guard or the outcome of a letter.
type letterSplit struct {
	letter  guardedLetter
	results bool
	cond    *term.Term
}

func newSymTeacher(x *executor, outcomes func(call int) []predabs.SymOutcome) *symTeacher {
	t := &symTeacher{executor: x, given: map[guardedCall]string{}}
	for k := range x.calls {
		for _, o := range outcomes(k) {
			t.letters = append(t.letters, guardedLetter{k, x.pool.True(), seenOutcome{o.Name, o.Cond, x.pool.True()}})
		}
	}
	return t
}

// judgement is the verdict of one letter in a node.
func (t *symTeacher) judgement(ctx context.Context, n *symNode, l guardedLetter) (automata.Verdict, *symCell, *symEdge, error) {
	if t.calls[l.call].constructor == n.built {
		return automata.Impossible, nil, nil, nil
	}
	c, err := t.cell(ctx, n, l.call, l.guard)
	if err != nil {
		return automata.Unknown, nil, nil, err
	}
	if c.verdict.Forbidden() {
		return automata.Reject, c, nil, nil
	}
	e, err := t.executor.step(ctx, n, l.call, l.guard, l.outcome.cond)
	if err != nil {
		return automata.Unknown, nil, nil, err
	}
	switch {
	case c.verdict != typestate.VerdictAllowed || e.reason != "":
		return automata.Unknown, c, e, nil // also if the call cannot return: an allowed call that cannot is another one
	case e.to == nil:
		return automata.Impossible, c, e, nil
	}
	return automata.Accept, c, e, nil
}

// A wordPlace is a node and which calls of the word it speaks of.
type wordPlace struct {
	node *symNode
	word []int // number in the node -> position in the word
}

func (p wordPlace) after(e *symEdge, position int) wordPlace {
	next := wordPlace{e.to, make([]int, len(e.to.guards))}
	for i, to := range e.moved {
		if to < 0 {
			continue
		}
		if i < len(p.word) {
			next.word[to] = p.word[i]
		} else {
			next.word[to] = position
		}
	}
	return next
}

// Member implements learn.Teacher.
func (t *symTeacher) Member(ctx context.Context, word []int) (learn.Answer, error) {
	at := wordPlace{node: t.nodes[0]}
	v := automata.Accept
	for i, x := range word {
		var c *symCell
		var e *symEdge
		var err error
		v, c, e, err = t.judgement(ctx, at.node, t.letters[x])
		if err != nil {
			return learn.Answer{}, err
		}
		if t.demandSplit(ctx, at, word[:i+1], c) {
			return learn.Answer{Refine: &learn.Refinement{Letter: x, Parts: 2}}, nil
		}
		if explicit.Absorbing(v) {
			return learn.Answer{Verdict: v}, nil
		}
		if e.to == nil {
			return learn.Answer{Verdict: automata.Unknown}, nil
		}
		at = at.after(e, i)
	}
	return learn.Answer{Verdict: v}, nil
}

// demandSplit notes the refinement that a cell asks for, if it can be made.
func (t *symTeacher) demandSplit(ctx context.Context, at wordPlace, word []int, c *symCell) bool {
	if c == nil || c.split == nil {
		return false
	}
	position := len(word) - 1
	if c.split.at < len(at.word) {
		position = at.word[c.split.at]
	}
	l := t.letters[word[position]]
	if reason, ok := t.given[guardedCall{l.call, l.guard}]; ok {
		c.split, c.reason = nil, reason
		return false
	}
	t.demand = &letterSplit{l, c.split.results, c.split.cond}
	return true
}

// refine makes the refinement that was demanded. Both parts must have
// arguments (or results): that is checked, not assumed. If they have not, or if
// there are too many guards already, the call is not split any more.
func (t *symTeacher) refine(ctx context.Context) error {
	d := t.demand
	t.demand = nil
	method := t.calls[d.letter.call].sum.Method
	whole := d.letter.guard
	if d.results {
		whole = d.letter.outcome.cond
	}
	parts := []*term.Term{t.pool.And(whole, d.cond), t.pool.And(whole, t.pool.Not(d.cond))}
	reason := ""
	count := map[*term.Term]bool{}
	for _, l := range t.letters {
		if l.call == d.letter.call {
			count[l.guard], count[l.outcome.cond] = true, true
		}
	}
	switch {
	case len(count) > maxGuards:
		reason = fmt.Sprintf("more than %d guards of %s are needed", maxGuards, method.Name)
	case t.refinements >= maxRefinements:
		reason = fmt.Sprintf("more than %d refinements of guards are needed", maxRefinements)
	default:
		for _, part := range parts {
			r, err := t.sat(ctx, t.pool.Substitute(part, t.instance(d.letter.call, 0, part)))
			if err != nil {
				return err
			}
			if r.Verdict != solve.Sat {
				reason = fmt.Sprintf("a guard of %s could not be split: %s", method.Name, r.Reason)
			}
		}
	}
	if reason != "" {
		for _, l := range t.letters {
			if l.call == d.letter.call {
				t.given[guardedCall{l.call, l.guard}] = reason
			}
		}
		return nil
	}
	t.refinements++
	var out []guardedLetter
	for _, l := range t.letters {
		if l.call != d.letter.call || (d.results && l.outcome.cond != whole) || (!d.results && l.guard != whole) {
			out = append(out, l)
			continue
		}
		for n, part := range parts {
			m := l
			if d.results {
				m.outcome.cond = part
				m.outcome.ints = t.pool.And(l.outcome.ints, []*term.Term{d.cond, t.pool.Not(d.cond)}[n])
			} else {
				m.guard = part
			}
			out = append(out, m)
		}
	}
	t.letters = out
	t.extra = nil // words of letters that are no more
	if !d.results {
		t.inherit(d.letter.call, whole, parts)
	}
	return nil
}

// inherit gives the parts of a guard the verdicts of the whole: what holds for
// all its arguments holds for some of them. Which errors a forbidden part has,
// and whether it may return, is looked at again.
func (t *symTeacher) inherit(call int, whole *term.Term, parts []*term.Term) {
	for _, n := range t.nodes {
		c := n.cells[guardedCall{call, whole}]
		if c == nil || c.verdict == typestate.VerdictUnknown {
			continue
		}
		for _, part := range parts {
			if c.verdict == typestate.VerdictAllowed {
				n.cells[guardedCall{call, part}] = c
			} else {
				n.forbidden[guardedCall{call, part}] = true
			}
		}
	}
}

// A symPair is a pair of a comparison: a state of the hypothesis and a place.
type symPair struct {
	h      int32
	at     wordPlace
	parent int
	letter int
	depth  int
}

// Refute implements learn.Teacher: it compares a hypothesis with all words of
// at most depth calls after the constructor, and with extra words. Pairs of a
// state and a node are visited once: what follows depends on nothing else.
func (t *symTeacher) Refute(ctx context.Context, h *automata.DFA) (learn.Counterexample, bool, error) {
	if h.Out[0] != automata.Accept {
		return learn.Counterexample{Word: []int{}}, true, nil
	}
	var cex learn.Counterexample
	found := false
	err := t.walk(ctx, h, t.depth, func(p *symPair, word func(letter int) []int, x int, v automata.Verdict, c *symCell) bool {
		switch {
		case c != nil && c.split != nil && t.demandSplit(ctx, p.at, word(x), c):
			cex, found = learn.Counterexample{Refine: &learn.Refinement{Letter: x, Parts: 2}}, true
		case h.Out[h.Step(p.h, x)] != v:
			cex, found = learn.Counterexample{Word: word(x)}, true
		}
		return !found
	})
	if err != nil || found {
		return cex, found, err
	}
	for _, word := range t.extra {
		a, err := t.Member(ctx, word)
		if err != nil {
			return cex, false, err
		}
		if a.Refine != nil || a.Verdict != h.Out[h.Run(word)] {
			return learn.Counterexample{Word: word, Refine: a.Refine}, true, nil
		}
	}
	return cex, false, nil
}

// walk visits the pairs of a hypothesis breadth first, on words of at most depth calls after the constructor, and gives each letter to
// visit until that returns false.
func (t *symTeacher) walk(ctx context.Context, h *automata.DFA, depth int, visit func(p *symPair, word func(int) []int, letter int, v automata.Verdict, c *symCell) bool) error {
	type key struct {
		h    int32
		node int
	}
	seen := map[key]bool{}
	pairs := []symPair{{at: wordPlace{node: t.nodes[0]}, parent: -1}}
	t.cut, t.lost = false, false
	for i := 0; i < len(pairs); i++ {
		p := pairs[i]
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if t.pairs++; t.pairs > t.p.Budget || t.most > 0 && len(pairs) > t.most {
			return &explore.BudgetError{What: "pairs in comparisons of hypotheses", Limit: t.p.Budget}
		}
		word := func(x int) []int {
			w := []int{x}
			for k := i; pairs[k].parent >= 0; k = pairs[k].parent {
				w = append(w, pairs[k].letter)
			}
			slices.Reverse(w)
			return w
		}
		for x, l := range t.letters {
			if p.depth > depth {
				t.cut = true
				break
			}
			v, c, e, err := t.judgement(ctx, p.at.node, l)
			if err != nil {
				return err
			}
			if !visit(&p, word, x, v, c) {
				return nil
			}
			if e != nil && e.reason != "" {
				t.cut, t.lost = true, true // there are words that nobody has looked at
			}
			if e == nil || e.to == nil {
				continue
			}
			to := h.Step(p.h, x)
			if k := (key{to, e.to.id}); !seen[k] {
				seen[k] = true
				pairs = append(pairs, symPair{to, p.at.after(e, p.depth), i, x, p.depth + 1})
			}
		}
	}
	return nil
}
