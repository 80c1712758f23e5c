// SPDX-License-Identifier: Apache-2.0

package symbolic

// This file is engine symbolic: learning over guarded calls, with membership by
// symbolic execution (Giannakopoulou, Rakamaric, Raman, "Symbolic learning of
// component interfaces", SAS 2012), made exact.
//
// What is learned is right for all words up to a depth: k-full. With a depth
// given, that is the answer, and the guarantees say so. Without, the conjecture
// is proved for all words (prove.go). If that cannot be done, the depth
// grows until the comparison of the conjecture has run out of words before it
// came to its depth, because what is known after a longer word is known after a
// shorter one already; that is a proof too, without a certificate. Where neither
// happens, the answer stays k-full and says so.

import (
	"context"
	"errors"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/typestate"
)

// A schedule says how deep a conjecture is compared if no depth is given: to
// most, but not where a comparison would have more than maxPairs pairs, not
// after stableWork questions if one step deeper changed nothing, and not with more
// than work questions.
type schedule struct{ most, stableWork, work int }

// A conjecture is what was learned.
type conjecture struct {
	dfa     *automata.DFA
	letters []guardedLetter
	depth   int
	whole   bool // all words were compared, of whatever length
}

// Synthesize computes the interface by symbolic learning.
func Synthesize(ctx context.Context, p *problem.Problem, st problem.Stats) (*typestate.Interface, error) {
	switch {
	case p.Serial:
		return nil, &problem.Refusal{Engine: "symbolic", Reason: "the infinite-word reading (-serial) is for finite components"}
	case p.Tight:
		return nil, &problem.Refusal{Engine: "symbolic", Reason: "tight interfaces (-tight) are for finite components"}
	case p.Solver == nil:
		return nil, &problem.Refusal{Engine: "symbolic", Reason: "it needs a solver"}
	}
	learner, err := explicit.FindLearner(p.Learner)
	if err != nil {
		return nil, err
	}
	x := newExecutor(p)
	defer x.close()
	t := newSymTeacher(x, func(call int) []predabs.SymOutcome {
		list, _ := (&predabs.Abstraction{Pool: x.pool}).Outcomes(x.calls[call].sum.Method)
		return list
	})
	c, err := t.deepen(ctx, learner, schedule{8, 200, 2000}, nil, st)
	if err != nil {
		return nil, err
	}
	i, b, err := t.build(ctx, c, st)
	if err != nil {
		return nil, err
	}
	lost := t.lost
	if p.Depth > 0 {
		return t.answer(i, c, lost, st)
	}
	// What a quick solver cannot prove is left to a thorough one only if nothing
	// else covers all words.
	quick := p.QuickSolver
	if quick == nil {
		quick = p.Solver
	}
	proved, err := t.prove(ctx, b.seeds(i), quick, st)
	if err == nil && proved == nil && !c.whole && p.QuickSolver != nil {
		proved, err = t.prove(ctx, b.seeds(i), p.Solver, st)
	}
	if err != nil {
		return nil, err
	}
	if proved != nil {
		if c, err = t.reconcile(ctx, learner, c, proved, st); err != nil {
			return nil, err
		}
		return t.count(proved, c, st), nil
	}
	if !c.whole {
		if c, err = t.deepen(ctx, learner, schedule{40, 1500, 2000}, c, st); err != nil {
			return nil, err
		}
		if i, _, err = t.build(ctx, c, st); err != nil {
			return nil, err
		}
		lost = t.lost
	}
	if c.whole {
		i.Guarantees = typestate.Guarantees{Safe: "proved", Permissive: "proved", Tight: "unknown"}
		st["certificateOmitted"] = 1
	}
	return t.answer(i, c, lost, st)
}

// answer is an interface that is made of what was learned alone. What a call leads to that has too many
// paths is not known, and a state of which nothing is known is none that can be learned: it would seem that the
// call cannot return. So there is no answer if a word was lost.
func (t *symTeacher) answer(i *typestate.Interface, c *conjecture, lost bool, st problem.Stats) (*typestate.Interface, error) {
	if lost {
		return nil, &explore.BudgetError{What: "paths of one call", Limit: maxLeaves}
	}
	return t.count(i, c, st), nil
}

// count writes what it took into the interface.
func (t *symTeacher) count(i *typestate.Interface, c *conjecture, st problem.Stats) *typestate.Interface {
	st["depth"] = int64(c.depth)
	st["refinements"] = int64(t.refinements)
	st["symbols"] = int64(guardedCalls(c.letters))
	st["nodes"] = int64(len(t.nodes))
	st["solverQuestions"] = int64(t.asked)
	st["questionsRemembered"] = int64(t.hits)
	st["states"] = int64(len(i.States))
	i.Stats = st
	return i
}

// deepen learns to the depth asked for, or to growing depths until all words
// are covered or the schedule ends. It starts with what is deeper than best.
func (t *symTeacher) deepen(ctx context.Context, learner learn.Learner, until schedule, best *conjecture, st problem.Stats) (*conjecture, error) {
	if t.depth = t.p.Depth; t.depth > 0 {
		return t.learn(ctx, learner, st)
	}
	t.most = maxPairs
	k := 1
	if best != nil {
		k = best.depth + 1
	}
	limit := t.limit
	defer func() { t.limit = limit }()
	most := t.work + until.work
	for ; ; k += 1 + k/4 {
		t.p.Report("depth", k)
		if best != nil {
			t.limit = min(limit, most)
		}
		t.depth = k
		c, err := t.learn(ctx, learner, st)
		if best != nil && err != nil && problem.Undecided(err) {
			// The conjecture for the depth before stands.
			t.letters = best.letters
			return best, nil
		}
		if err != nil || c.whole {
			return c, err
		}
		stable := best != nil && len(best.letters) == len(c.letters) && best.dfa.States() == c.dfa.States()
		best = c
		if k >= until.most || stable && t.work > until.stableWork {
			return best, nil
		}
	}
}

// learn learns to the teacher's depth, refining the alphabet as demanded.
func (t *symTeacher) learn(ctx context.Context, learner learn.Learner, st problem.Stats) (*conjecture, error) {
	for {
		cache := learn.NewCache(len(t.letters), t)
		res, err := learner.Run(ctx, len(t.letters), cache, learn.Options{
			MaxQueries: t.p.Budget,
			Progress:   func(states, queries int) { t.p.Report("learning states", states) },
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
		t.p.Report("letters", len(t.letters))
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
func depthText(k int) string { return typestate.DepthText(k) }
