// SPDX-License-Identifier: Apache-2.0

package cegar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// This file decides how a conflict refines the abstraction (see pairs.go), within the part of the budget that one refinement may take, and adds
// predicates.

// spentOn gives up the conflicts of a method for which as much has been tried as the budget allows.
func (c *Run) spentOn(call int) (reason string, ok bool) {
	if c.P.Refinements == 0 || c.tries[c.Calls[call].Sum.Method] < c.P.Refinements {
		return "", false
	}
	return fmt.Sprintf("%d refinements did not decide it", c.P.Refinements), true
}

// refine adds predicates for a conflict, or gives it up.
func (c *Run) refine(ctx context.Context, conf *conflict) error {
	if c.tries == nil {
		c.tries, c.began = map[*prog.Method]int{}, map[*prog.Method]savepoint{}
	}
	method := c.Calls[conf.call].Sum.Method
	if c.tries[method]++; c.tries[method] == 1 {
		c.began[method] = c.save()
	}
	word := c.word(conf.pair)
	w := c.composeRanked(word, conf.call)
	old, before, count, splits, ranks := c.save(), c.Known(), len(c.Preds), c.splits, c.ranks
	same := func() bool { return c.Known() == before && c.splits == splits && c.ranks == ranks }
	reason := ""
	enough, err := c.Within(max(1, c.P.Questions()/refineShare), func() (err error) {
		if reason, err = c.refineWord(ctx, conf, word, w); err == nil && reason == "" && len(c.Preds)-count > lateChain {
			_, err = c.rememberAlone(ctx, &c.Calls[conf.call], true)
		}
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
		c.restore(old)
		return err
	}
	if reason == "" && same() {
		c.addLoopAtoms(word, conf.call)
	}
	if reason == "" && same() {
		reason = "no predicate decides it"
		if w.bound {
			reason = reasonLoop
		}
	}
	if len(c.Preds) > predabs.MaxPreds || len(c.Preds) > count && (c.Found() > MaxPredicates || c.chases()) {
		c.restore(old)
		reason = fmt.Sprintf("more than %d predicates are needed; the last were about %s", count, c.AboutLast())
	}
	if reason != "" {
		c.restore(old)
		c.GiveUp[c.wordKey(conf)] = reason
	}
	c.Stale = c.Known() > before || c.splits > splits || c.ranks > ranks
	return nil
}

// AboutLast names the variables of the last predicates.
func (c *Run) AboutLast() string {
	var names []string
	for _, p := range c.Preds[max(0, len(c.Preds)-4):] {
		for _, v := range term.FreeVars(p) {
			if !slices.Contains(names, v.Name()) {
				names = append(names, v.Name())
			}
		}
	}
	return problem.Join(names)
}

func (c *Run) refineWord(ctx context.Context, conf *conflict, word [][2]int, w *WordFormula) (string, error) {
	if done, err := c.rememberAlone(ctx, &c.Calls[conf.call], c.tries[c.Calls[conf.call].Sum.Method] > lateTries); done || err != nil {
		return "", err
	}
	if done, err := c.rememberPart(ctx, conf); done || err != nil {
		return "", err
	}
	r, err := c.Check(ctx, w.Conds()...)
	if err != nil {
		return "", err
	}
	if found, err := c.rankConflict(ctx, w, r); found || err != nil {
		return "", err
	}
	if r.Verdict == solve.Unsat {
		trace, err := c.erringTrace(ctx, conf, word)
		if err != nil {
			return "", err
		}
		runs, err := c.RemoveTrace(ctx, trace, word, [2]int{conf.call, EndErrs})
		if runs {
			return reasonLoop, nil
		}
		return "", err
	}
	if w.bound && len(c.Rankings[c.Calls[conf.call].Sum]) == 0 {
		// Runs that were not followed would be taken for quiet ones.
		switch ends, err := c.errsAtEnd(ctx, conf.pair, conf.call); {
		case err != nil:
			return "", err
		case ends && c.Scope == predabs.MustErrors:
			return reasonLoop, nil
		case ends:
			before := c.Known()
			if err := c.ProveRun(ctx, w, r.Model); err != nil || c.Known() > before {
				return "", err
			}
			return reasonLoop, nil
		}
	}
	before := c.Known()
	done, reason, err := c.splitWord(ctx, w, r.Model)
	if done || err != nil {
		return reason, err
	}
	if found, err := c.removeByOrder(ctx, conf, word); found || err != nil {
		return reason, err
	}
	if c.Scope == predabs.MustErrors {
		return c.removeReturning(ctx, conf, word, reason)
	}
	// The word errs whatever the arguments and results: make it certain.
	if done, err := c.rememberState(ctx, w, -1, r.Model, false); done || err != nil {
		return "", err
	}
	if err := c.ProveRun(ctx, w, r.Model); err != nil || c.Known() > before {
		return reason, err
	}
	done, more, err := c.splitUneven(ctx, w, r.Model)
	if done || err != nil {
		return more, err
	}
	if err := c.removeQuiet(ctx, conf, word, w); err != nil || c.Known() > before {
		return reason, err
	}
	if done, more, err = c.splitForced(ctx, w, r.Model); done || err != nil {
		return more, err
	}
	return reason, nil
}

// goalOf is the condition, over the variables of step i's method, to take the
// step into an abstract state.
func (c *Run) goalOf(w *WordFormula, i int, to int32) *term.Term {
	s := &w.Steps[i]
	sum := c.Calls[s.Call].Sum
	return c.Pool.And(s.rawCond, c.Cube(c.Cubes[to], predabs.After(sum, s.rawVals)))
}

// literals returns the atoms of a formula as they are in a model, over some
// variables only: others, and choices, take their values of the model. Their
// conjunction implies the formula for these values.
func (c *Run) literals(formula *term.Term, m term.Model, over []*prog.Var) []*term.Term {
	fixed := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(formula) {
		if !predabs.IsVarOf(over, v) {
			fixed[v] = c.Pool.Const(v.Sort(), m[v])
		}
	}
	formula = c.Pool.Substitute(formula, fixed)
	var lits []*term.Term
	seen := map[*term.Term]bool{}
	var walk func(t *term.Term)
	walk = func(t *term.Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Sort().Kind == term.BoolKind {
			switch t.Op() {
			case term.OpConst:
				return
			case term.OpNot, term.OpAnd, term.OpOr, term.OpIte:
				for _, a := range t.Args() {
					walk(a)
				}
				return
			case term.OpEq:
				if t.Args()[0].Sort().Kind == term.BoolKind {
					walk(t.Args()[0])
					walk(t.Args()[1])
					return
				}
			}
			// Conditions inside the atom decide its shape.
			for _, a := range t.Args() {
				walk(a)
			}
			if term.Holds(t, m) {
				lits = append(lits, t)
			} else {
				lits = append(lits, c.Pool.Not(t))
			}
			return
		}
		for _, a := range t.Args() {
			walk(a)
		}
	}
	walk(formula)
	slices.SortStableFunc(lits, func(a, b *term.Term) int { return cmp.Compare(term.Size(b), term.Size(a)) })
	return lits
}

// shrink returns literals whose counterparts still contradict what is
// asserted; large ones are left out first.
func (c *Run) shrink(ctx context.Context, lits, moved []*term.Term) ([]*term.Term, error) {
	r, err := c.Check(ctx, moved...)
	if err != nil {
		return nil, err
	}
	if r.Verdict != solve.Unsat {
		return lits, nil // not a contradiction: all of them
	}
	keep := slices.Repeat([]bool{true}, len(lits))
	for i := range lits {
		keep[i] = false
		var rest []*term.Term
		for k := range moved {
			if keep[k] {
				rest = append(rest, moved[k])
			}
		}
		r, err := c.Check(ctx, rest...)
		if err != nil {
			return nil, err
		}
		if r.Verdict != solve.Unsat {
			keep[i] = true
		}
	}
	var out []*term.Term
	for i, l := range lits {
		if keep[i] {
			out = append(out, l)
		}
	}
	return out, nil
}

// AddPredicates adds the atoms of literals that are new.
func (c *Run) AddPredicates(lits []*term.Term) {
	var all []*term.Term
	for _, l := range lits {
		all = append(all, c.cases(l)...)
	}
	for _, l := range all {
		if l.Op() == term.OpNot {
			l = l.Args()[0]
		}
		if l.IsConst() || slices.Contains(c.Preds, l) || slices.Contains(c.Preds, c.Pool.Not(l)) {
			continue
		}
		c.Preds = append(c.Preds, l)
	}
}
