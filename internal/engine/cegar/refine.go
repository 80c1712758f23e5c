// SPDX-License-Identifier: Apache-2.0

package cegar

// This file refines: it asks refiners, in order, until one makes progress on a conflict or gives it up, within the part of the budget that one
// conflict may take.
//
// A conflict is a pair and a call that it cannot decide:
//
//   - no run of the shortest word to it errs: the erring abstract trace is spurious. Follow the component along it to the first step it cannot take
//     and add the conditions that refute that step.
//   - a run errs, whatever the arguments: the call is rightly forbidden after this word. Add the conditions under which each step of that run is
//     certain.
//   - it depends on the arguments, or on an integer result: split the class of arguments or results that decides (split.go).
//
// Every refinement makes progress: the predicates added are not all known already, else the step would have been decided by them; a class is
// split into two that have members; and a ranking holds where none did.

import (
	"context"
	"errors"
	"fmt"

	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/predicates"
	"github.com/interlock-go/interlock/internal/engine/words"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
)

// A Refiner is one way to refine. It reports progress if it added predicates or a ranking, or split a class: then the pairs are explored again.
// A reason says why the conflict is given up. With neither, the next refiner is asked.
type Refiner interface {
	Refine(ctx context.Context, k *conflict) (progress bool, reason string, err error)
}

// newRefiners lists the refiners of a run in the order in which they are asked: what decides a conflict for all words before what decides it for one.
func newRefiners(c *Run) []Refiner {
	m, s := c.Abs, c.splitter()
	return []Refiner{
		byRegisters{c.regs, c.attempts},
		byPart{c.regs},
		byRanking{c.ranks},
		refuteError{c.Graph, c.Finder},
		proveEnding{m, c.endings, c.Finder},
		splitDependence{s},
		refuteByOrder{c.Graph, c.Finder},
		refuteReturn{c.Graph, c.Finder},
		byState{m, c.regs},
		proveError{m, c.Finder},
		splitUneven{s},
		refuteQuiet{c.Graph, c.Finder},
		splitForced{s},
		addConditions{c.Finder},
	}
}

// splitter splits classes of the run.
func (c *Run) splitter() *splitter {
	return &splitter{abs: c.Abs, regs: c.regs, relations: c.relations, finder: c.Finder}
}

// A cell is a pair and a call.
type cell struct {
	pair int32
	call int
}

// A conflict is a cell that a pair cannot decide, with the shortest word to it.
type conflict struct {
	cell
	word    [][2]int       // to the pair
	formula *words.Formula // that the call errs after it
	// doubt is why it is not known whether the verdict depends on arguments or results. The conflict is given up for it where it takes
	// predicates that decide it for all of them.
	doubt string
	asked bool
	run   solve.Result // see errs
}

// errs is a run of the word that errs, or that there is none.
func (k *conflict) errs(ctx context.Context, m *predabs.Abstraction) (solve.Result, error) {
	if !k.asked {
		r, err := m.Check(ctx, k.formula.Conds()...)
		if err != nil {
			return r, err
		}
		k.run, k.asked = r, true
	}
	return k.run, nil
}

// ends is the call with how it ends.
func (k *conflict) ends(end int) [2]int { return [2]int{k.call, end} }

// An attempt is what was tried for the conflicts of a method.
type attempt struct {
	refinements int
	began       predabs.Savepoint // before the first of them
}

// attempts are those of each method.
type attempts map[*prog.Method]*attempt

// tried is what was tried for the conflicts of a method.
func (a attempts) tried(m *prog.Method) *attempt {
	if a[m] == nil {
		a[m] = &attempt{}
	}
	return a[m]
}

// spentOn gives up the conflicts of a method for which as much has been tried as the budget allows.
func (c *Run) spentOn(call int) (reason string, ok bool) {
	if c.Abs.P.Refinements == 0 || c.attempts.tried(c.Abs.Calls[call].Sum.Method).refinements < c.Abs.P.Refinements {
		return "", false
	}
	return fmt.Sprintf("%d refinements did not decide it", c.Abs.P.Refinements), true
}

// refine refines for a cell that is not decided, or gives it up.
func (c *Run) refine(ctx context.Context, at cell) error {
	tried := c.attempts.tried(c.Abs.Calls[at.call].Sum.Method)
	if tried.refinements++; tried.refinements == 1 {
		tried.began = c.Abs.Save()
	}
	word := c.Graph.Word(at.pair)
	k := &conflict{cell: at, word: word, formula: words.ComposeRanked(c.Abs, word, at.call)}
	old, before, count, splits, ranks := c.Abs.Save(), c.Abs.Known(), len(c.Abs.Preds), c.Abs.Splits, c.ranks.Found
	reason := ""
	enough, err := c.Abs.Within(ctx, max(1, c.Abs.P.Questions()/refineShare), func(ctx context.Context) (err error) {
		reason, err = c.askRefiners(ctx, k)
		return err
	})
	if !enough {
		reason = "no predicate decides it within its part of the budget"
	}
	var undecided *solve.UndecidedError
	if errors.As(err, &undecided) {
		reason, err = undecided.Reason, nil
	}
	if err != nil {
		c.Abs.Restore(old)
		return err
	}
	if len(c.Abs.Preds) > predabs.MaxPreds || len(c.Abs.Preds) > count && (c.Finder.Found() > predicates.Max || c.Finder.Chases()) {
		c.Abs.Restore(old)
		reason = fmt.Sprintf("more than %d predicates are needed; the last were about %s", count, c.Finder.AboutLast())
	}
	if reason != "" {
		c.Abs.Restore(old)
		c.GiveUp[c.Graph.Key(at.pair, at.call)] = reason
	}
	c.Graph.Stale = c.Abs.Known() > before || c.Abs.Splits > splits || c.ranks.Found > ranks
	return nil
}

// askRefiners asks the refiners in order, until one makes progress or there is a reason to give the conflict up.
func (c *Run) askRefiners(ctx context.Context, k *conflict) (reason string, err error) {
	count := len(c.Abs.Preds)
	for _, r := range c.refiners {
		progress, reason, err := r.Refine(ctx, k)
		switch {
		case err != nil:
			return "", err
		case progress && reason == "" && len(c.Abs.Preds)-count > lateChain:
			// A chain of so many: registers of the state alone may be better.
			_, err := byRegisters{c.regs, c.attempts}.divide(ctx, k, true)
			return "", err
		case progress || reason != "":
			return reason, nil
		}
	}
	switch {
	case k.doubt != "":
		return k.doubt, nil
	case k.formula.Bounded:
		return reasonLoop, nil
	}
	return "no predicate decides it", nil
}
