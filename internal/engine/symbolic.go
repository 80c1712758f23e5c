// SPDX-License-Identifier: Apache-2.0

package engine

// This file is engine symbolic: learning over guarded calls, with membership by
// symbolic execution (Giannakopoulou, Rakamaric, Raman, "Symbolic learning of
// component interfaces", SAS 2012), made exact.
//
// What is learned is right for all words up to a depth: k-full. With a depth
// given, that is the answer, and the guarantees say so. Without, the depth grows
// until one more call changes nothing, and then the conjecture is PROVED: the
// predicate abstraction (cegar.go) is started with the guards that were found
// and synthesizes the interface for all words. If that says the same about
// every word that can happen, it is the answer, with its certificate; a word on
// which they differ refutes the conjecture, and learning goes on. If the
// abstraction leaves verdicts open, the answer stays k-full and says so, unless
// the comparison had run out of words before it came to its depth: then all
// words are covered.

import (
	"context"
	"errors"
	"fmt"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/typestate"
)

// maxDepth is how deep conjectures are compared if no depth is given and no
// proof is found.
const maxDepth = 8

// A conjecture is what was learned.
type conjecture struct {
	dfa     *automata.DFA
	letters []guardedLetter
	depth   int
	whole   bool // all words were compared, of whatever length
}

// synthesizeSymbolic computes the interface by symbolic learning.
func synthesizeSymbolic(ctx context.Context, p *Problem, st stats) (*typestate.Interface, error) {
	switch {
	case p.Serial:
		return nil, &Refusal{"symbolic", "the infinite-word reading (-serial) is for finite components"}
	case p.Tight:
		return nil, &Refusal{"symbolic", "tight interfaces (-tight) are for finite components"}
	case p.Solver == nil:
		return nil, &Refusal{"symbolic", "it needs a solver"}
	}
	learner, err := findLearner(p.Learner)
	if err != nil {
		return nil, err
	}
	x := newExecutor(p)
	defer x.close()
	t := newSymTeacher(x, func(call int) []symOutcome {
		list, _ := (&modal{pool: x.pool}).outcomes(x.calls[call].sum.Method)
		return list
	})
	var best *conjecture
	first, last := p.Depth, p.Depth
	if p.Depth == 0 {
		first, last = 1, maxDepth
	}
	for k := first; k <= last; k++ {
		p.report("depth", k)
		t.depth = k
		c, err := t.learn(ctx, learner, st)
		if err != nil {
			if best != nil && Undecided(err) {
				break // the conjecture for the depth before stands
			}
			return nil, err
		}
		stable := best != nil && len(best.letters) == len(c.letters) && best.dfa.States() == c.dfa.States()
		best = c
		if c.whole || stable {
			break
		}
	}
	st["depth"] = int64(best.depth)
	st["refinements"] = int64(t.refinements)
	st["symbols"] = int64(guardedCalls(best.letters))
	st["nodes"] = int64(len(x.nodes))
	st["solverQuestions"] = int64(x.work)
	st["questionsRemembered"] = int64(x.hits)
	i, err := t.build(ctx, best, st)
	if err != nil {
		return nil, err
	}
	return i, nil
}

// learn learns to the teacher's depth, refining the alphabet as demanded.
func (t *symTeacher) learn(ctx context.Context, learner learn.Learner, st stats) (*conjecture, error) {
	for {
		cache := learn.NewCache(len(t.letters), t)
		res, err := learner.Run(ctx, len(t.letters), cache, learn.Options{
			MaxQueries: t.p.Budget,
			Progress:   func(states, queries int) { t.p.report("learning states", states) },
		})
		if err != nil {
			return nil, err
		}
		st["membershipQueries"] += int64(res.Stats.Queries)
		st["membershipRemembered"] += int64(res.Stats.Hits)
		st["equivalenceQueries"] += int64(res.Stats.Equivalences)
		if res.Refine == nil {
			return &conjecture{res.DFA, t.letters, t.depth, !t.cut}, nil
		}
		if t.demand == nil {
			return nil, errors.New("internal error: a refinement was demanded but not said")
		}
		if err := t.refine(ctx); err != nil {
			return nil, err
		}
		t.p.report("letters", len(t.letters))
	}
}

// guardedCalls counts the guarded calls of methods.
func guardedCalls(letters []guardedLetter) int {
	seen := map[guardedCall]bool{}
	for _, l := range letters {
		seen[guardedCall{l.call, l.guard}] = true
	}
	return len(seen)
}

// depthText is the guarantee of a conjecture.
func depthText(k int) string { return fmt.Sprintf("checked to depth %d", k) }
