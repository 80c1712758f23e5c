// SPDX-License-Identifier: Apache-2.0

package cegar

// This file is the engine for components whose states cannot be enumerated:
// modal predicate abstraction, determinization of pairs, and refinement of the
// predicates on conflicts.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/loops"
	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/predicates"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/engine/registers"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A Run is one attempt to decide all calls by an abstraction. Its parts share the abstraction.
type Run struct {
	Abs       *predabs.Abstraction
	Graph     *pairs.Graph
	Finder    *predicates.Finder
	ranks     *loops.Rankings
	regs      *registers.Registers
	endings   *endings
	relations *relations
	tightening
	GiveUp   map[string]string // conflict word -> reason
	Rounds   int
	outOf    string // why nothing is refined any more
	attempts attempts
	refiners []Refiner
}

// NewRun is a run of an abstraction, without pairs.
func NewRun(m *predabs.Abstraction) *Run {
	g := pairs.New(m)
	r := registers.New(g)
	c := &Run{Abs: m, Graph: g, Finder: predicates.New(m), ranks: loops.NewRankings(m), regs: r, endings: newEndings(g),
		relations: newRelations(r), GiveUp: map[string]string{}, attempts: attempts{}}
	c.refiners = newRefiners(c)
	return c
}

// Synthesize computes the interface by predicate abstraction. If a cell stays unknown, a second attempt starts with the
// predicates that all ways to an error imply. If the budget ends before an interface is written, a last attempt refines nothing:
// it still decides the calls that never err and those that always err. For problems with Plain set, must-transitions are
// not computed (plain.go).
func Synthesize(ctx context.Context, p *problem.Problem, st problem.Stats) (*typestate.Interface, error) {
	if p.Plain && p.Seeds == nil {
		if i, err := synthesizePlainly(ctx, p, st); i != nil || err != nil {
			return i, err
		}
	}
	i, err := runCegar(ctx, p, st, "")
	var budget *explore.BudgetError
	if p.Seeds == nil && (errors.As(err, &budget) || err == nil && !problem.Complete(i)) {
		more := problem.Stats{}
		q := *p
		q.Needs = true
		j, wrong := runCegar(ctx, &q, more, "")
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if wrong == nil && problem.Proved(j) && (err != nil || len(j.Unknown) < len(i.Unknown)) {
			clear(st)
			maps.Copy(st, more)
			return j, nil
		}
	}
	if errors.As(err, &budget) {
		clear(st)
		i, err = runCegar(ctx, p, st, fmt.Sprintf("the budget of %d %s allows no predicates", p.Questions(), budget.What))
	}
	return i, err
}

// errNothingNeeded is the error of an attempt to start with what errors need where nothing is found.
var errNothingNeeded = errors.New("no predicate is needed by all ways to an error")

// runCegar is one attempt; with a reason why, nothing is refined.
func runCegar(ctx context.Context, p *problem.Problem, st problem.Stats, why string) (*typestate.Interface, error) {
	switch {
	case p.Serial:
		return nil, &problem.Refusal{Engine: "cegar", Reason: "the infinite-word reading (-serial) is for finite components"}
	case p.Solver == nil:
		return nil, &problem.Refusal{Engine: "cegar", Reason: "it needs a solver"}
	}
	scope := predabs.MustAll
	if p.MayOnly {
		scope = predabs.MustErrors
	}
	m := predabs.NewAsking(p, scope)
	defer m.Close()
	if p.Seeds != nil {
		m.Start(p.Seeds)
	}
	if p.Needs {
		if found, err := m.SeedNeeded(ctx); !found || err != nil {
			return nil, cmp.Or(err, errNothingNeeded)
		}
	}
	c := NewRun(m)
	c.outOf = why
	// A part of the budget is kept to write down what is known by then.
	all := m.Limit
	m.Limit = all / refinedShare
	if why != "" {
		m.Limit = all - all/unrefinedShare
	}
	for {
		if c.Rounds++; p.Refinements > 0 && c.Rounds > refinedMethods*p.Refinements {
			c.outOf = cmp.Or(c.outOf, fmt.Sprintf("%d refinements did not decide everything", refinedMethods*p.Refinements))
		}
		done, err := c.Round(ctx)
		var budget *explore.BudgetError
		if errors.As(err, &budget) && c.fewer() {
			c.outOf = fmt.Sprintf("the budget of %d %s allows no more predicates; the last were about %s", all, budget.What, c.Finder.AboutLast())
			m.Limit = m.Work + all/fewerShare // for some few times, so that there is an answer
			err = nil
		}
		if err != nil {
			return nil, err
		}
		if done && !c.coarsen() {
			break
		}
	}
	m.Limit = m.Work + all/writeShare
	st["predicates"] = int64(len(c.Abs.Preds))
	st["abstractStates"] = int64(len(c.Abs.Cubes) - 1)
	st["pairs"] = int64(len(c.Graph.Pairs))
	st["refinements"] = int64(c.Rounds - 1)
	if c.Abs.Splits > 0 {
		st["splits"] = int64(c.Abs.Splits)
	}
	unsure, err := findUnsure(ctx, c.Graph)
	if err != nil {
		return nil, err
	}
	st["solverQuestions"] = int64(c.Abs.Asked)
	return c.build(ctx, st, unsure)
}

// Round explores, and refines what it cannot decide. It reports whether nothing
// was left to do.
func (c *Run) Round(ctx context.Context) (done bool, err error) {
	at, err := c.Explore(ctx)
	switch {
	case err != nil:
		return false, err
	case at == nil:
		if known, err := c.regs.ProveKnown(ctx); !known || err != nil || !c.Abs.P.Tight {
			return known, err
		}
		again, err := c.tighten(ctx)
		return err == nil && !again, err
	}
	c.Abs.P.Report("predicates", len(c.Abs.Preds))
	return false, c.refine(ctx, *at)
}

// Explore builds the pairs, breadth first, up to the first conflict that is
// not given up. It goes on where it stopped if the predicates are the same.
func (c *Run) Explore(ctx context.Context) (*cell, error) {
	if c.Graph.Stale {
		c.Graph.Restart()
	}
	for at := int32(len(c.Graph.Next)); int(at) < len(c.Graph.Pairs); at++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		// Pairs of few abstract states may be many and cost no question.
		if len(c.Graph.Pairs) > c.Abs.Limit {
			return nil, &explore.BudgetError{What: "pairs of what may and what must be current", Limit: c.Abs.Limit}
		}
		row := make([]int32, c.Abs.Letters)
		for i := range row {
			row[i] = explicit.Impossible
		}
		verdicts := make([]pairs.Verdict, len(c.Abs.Calls))
		for k := range c.Abs.Calls {
			if c.Abs.Calls[k].Constructor != (at == 0) {
				continue
			}
			v, err := c.Graph.Judge(ctx, at, k)
			if err != nil {
				return nil, err
			}
			if v.Verdict == typestate.VerdictUnknown {
				conf := cell{at, k}
				reason, ok := c.GiveUp[c.Graph.Key(at, k)]
				if !ok {
					reason, ok = c.spentOn(k)
				}
				if !ok && c.outOf == "" {
					return &conf, nil
				}
				v.Reason = cmp.Or(reason, c.outOf)
				if c.outOf == "" {
					if v, err = c.endings.judgeEnding(ctx, at, k, v); err != nil {
						return nil, err
					}
				}
			}
			verdicts[k] = v
			for o := range c.Abs.Calls[k].Outcomes {
				x := c.Abs.Calls[k].Letter + o
				if v.Verdict.Forbidden() {
					row[x] = explicit.Rejected
					continue
				}
				to, err := c.Graph.Successor(ctx, at, k, o)
				if err != nil {
					return nil, err
				}
				row[x] = to
			}
		}
		c.Graph.Next = append(c.Graph.Next, row)
		c.Graph.Verdicts = append(c.Graph.Verdicts, verdicts)
	}
	return nil, nil
}

// fewer prepares to write down what is known after the budget ran out: with all
// predicates that were found at first, and if these are too many for what is
// left of the budget, with half as many. It reports whether there is anything to
// try.
func (c *Run) fewer() bool {
	if c.outOf != "" {
		if c.Abs.Known() == 0 {
			return false
		}
		c.Abs.Preds, c.Abs.HeadPreds = c.Abs.Preds[:len(c.Abs.Preds)/2:len(c.Abs.Preds)/2], map[predabs.HeadKey][]*term.Term{}
	}
	c.Graph.Stale = true
	return true
}

// coarsen halves the predicates of a partial result that is too large, and
// reports whether it did.
func (c *Run) coarsen() bool {
	if len(c.Graph.Pairs) <= maxPartial || len(c.Abs.Preds) < 2 {
		return false
	}
	reason := ""
	for _, row := range c.Graph.Verdicts {
		for _, v := range row {
			if v.Verdict == typestate.VerdictUnknown {
				reason = cmp.Or(reason, v.Reason)
			}
		}
	}
	if reason == "" {
		return false
	}
	c.outOf = cmp.Or(c.outOf, reason)
	return c.fewer()
}
