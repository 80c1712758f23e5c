// SPDX-License-Identifier: Apache-2.0

package engine

// This file makes interfaces found by predicate abstraction tight (-tight): every
// edge can happen after every word that reaches its source. In a pair (U, L) an
// outcome of a call is impossible if no state of U may return with it, and CERTAIN
// if all states of some member of L must be able to, whatever the arguments: after
// every word that reaches the pair one of them is current. Otherwise the edge is
// LOOSE, and the shortest word over it decides how to refine: if the component
// cannot take it, the abstract trace is removed; if it can, with some arguments
// only, their class is split; if it can, the conditions are added that make it
// certain. That is Tighten of Henzinger, Jhala, Majumdar, "Permissive interfaces"
// (FSE 2005), with certainty by sets of states instead of whole regions.
//
// It need not end: the full interface of a component that counts has a state per
// value. An edge is given up when the bounds of refinement are reached; it stays,
// and the interface is not called tight. Safe and permissive it is in any case.

import (
	"context"
	"errors"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// tightening is what is remembered of loose edges.
type tightening struct {
	loose map[string]bool // words of edges that were given up
	tight bool            // all edges are certain
	// workBefore is what was asked before the first loose edge.
	workBefore int
}

// maxLoose bounds the edges that are given up before the rest is.
const maxLoose = 16

// looseShare is the part of the budget, one of so many, in which loose edges are
// refined.
const looseShare = 8

// maxLooseSize bounds the predicates that edges are made certain by. Larger ones are
// about one word, not about a state.
const maxLooseSize = 100

// tighten looks for a loose edge and refines. It reports whether there is more to
// explore.
func (c *cegar) tighten(ctx context.Context) (again bool, err error) {
	c.tight = len(c.vars) == 0 // what registers remember is not looked at
	if c.workBefore == 0 {
		c.workBefore = c.work
	}
	possible := map[[3]int32]bool{}
	for at := range c.pairs {
		for k := range c.calls {
			if c.calls[k].constructor != (at == 0) {
				continue
			}
			for o := range c.calls[k].outcomes {
				if ctx.Err() != nil {
					return false, context.Cause(ctx)
				}
				if c.next[at][c.calls[k].letter+o] < 0 {
					continue
				}
				ok, err := c.certainEdge(ctx, int32(at), k, o, possible)
				if err != nil {
					return false, err
				}
				if ok {
					continue
				}
				conf := &conflict{int32(at), k}
				key := c.wordKey(conf) + " " + c.calls[k].outcomes[o].name
				if c.loose[key] || len(c.loose) >= maxLoose || c.verdicts[at][k].verdict != typestate.VerdictAllowed {
					c.tight = false
					continue
				}
				if err := c.refineLoose(ctx, conf, o); err != nil {
					return false, err
				}
				if c.stale {
					return true, nil
				}
				if c.loose == nil {
					c.loose = map[string]bool{}
				}
				c.loose[key] = true
				c.tight = false
			}
		}
	}
	return false, nil
}

// certainEdge reports whether an outcome is possible after every word that reaches
// a pair.
func (c *cegar) certainEdge(ctx context.Context, at int32, call, o int, possible map[[3]int32]bool) (bool, error) {
	set, err := c.certainSet(ctx, at, call, o, possible)
	return set >= 0, err
}

// certainSet is a member of L because of which an outcome is possible after every word that reaches a pair; -1 if
// there is none.
func (c *cegar) certainSet(ctx context.Context, at int32, call, o int, possible map[[3]int32]bool) (int32, error) {
	for _, set := range c.pairs[at].l {
		if all, err := c.fromAll(ctx, set, call, o, possible); all || err != nil {
			return set, err
		}
	}
	return -1, nil
}

// fromAll reports whether an outcome is possible from every abstract state of a set.
func (c *cegar) fromAll(ctx context.Context, set int32, call, o int, possible map[[3]int32]bool) (bool, error) {
	for _, a := range c.sets.Set(set) {
		key := [3]int32{a, int32(call), int32(o)}
		ok, known := possible[key]
		if !known {
			e, err := c.effect(ctx, a, call)
			if err != nil {
				return false, err
			}
			ok = slices.ContainsFunc(e.must[o], func(t []int32) bool { return len(t) > 0 }) // none if the call is never made there
			if !ok && len(e.may[o]) > 0 {
				if ok, err = c.canReturn(ctx, a, call, o); err != nil {
					return false, err
				}
			}
			possible[key] = ok
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

// canReturn reports whether a call can return with an outcome from every state of
// an abstract state, whatever the arguments. Which results of the outcome's class
// these are does not matter.
func (c *cegar) canReturn(ctx context.Context, a int32, call, o int) (bool, error) {
	x := &c.calls[call]
	exit := c.unrolled(x.sum, false)
	return c.must(ctx, a, c.before(a, call), c.pool.And(exit.cond, c.pool.Substitute(x.outcomes[o].cond, after(x.sum, exit.vals))))
}

// refineLoose adds predicates, or splits a class, for a loose edge. If it does
// neither, the edge is given up.
func (c *cegar) refineLoose(ctx context.Context, conf *conflict, o int) error {
	if c.outOf != "" || c.work-c.workBefore > c.limit/looseShare {
		return nil // the rest is for finishing with the predicates that there are
	}
	word, end := c.word(conf.pair), [2]int{conf.call, o}
	w := c.composeEnd(word, end)
	w.steps[len(w.steps)-1].results = nil // any of the outcome will do
	old, before, count, splits := c.save(), c.known(), len(c.preds), c.splits
	err := c.learnLoose(ctx, word, end, w)
	var undecided *solve.UndecidedError
	if err != nil && !errors.As(err, &undecided) {
		return err
	}
	huge := slices.ContainsFunc(c.preds[count:], func(t *term.Term) bool { return term.Size(t) > maxLooseSize })
	if err != nil || huge || len(c.preds) > maxPreds || len(c.preds) > count && (c.found() > maxPredicates || c.chases()) {
		c.restore(old)
	}
	c.stale = c.stale || c.known() > before || c.splits > splits
	if c.stale && c.p.Refined != nil && len(c.preds) > count {
		r := Refinement{Abstraction: "tightness"}
		for _, x := range append(slices.Clone(word), end) {
			if !c.calls[x[0]].constructor || len(c.p.Program.Constructors) > 1 {
				name := c.calls[x[0]].sum.Method.Name
				if len(c.calls[x[0]].outcomes) > 1 {
					name += "=" + c.calls[x[0]].outcomes[x[1]].name
				}
				r.Word = append(r.Word, name)
			}
		}
		for _, t := range c.preds[count:] {
			r.Predicates = append(r.Predicates, prog.FormatExpr(c.p.Program, c.sym.State, t))
		}
		c.p.Refined(r)
	}
	return nil
}

func (c *cegar) learnLoose(ctx context.Context, word [][2]int, end [2]int, w *wordFormula) error {
	r, err := c.check(ctx, w.conds()...)
	if err != nil {
		return err
	}
	if r.Verdict == solve.Unsat {
		trace, err := c.traceOf(ctx, word, func(a int32) (bool, error) {
			e, err := c.effect(ctx, a, end[0])
			return err == nil && len(e.may[end[1]]) > 0, err
		})
		if err != nil || trace == nil {
			return err
		}
		_, err = c.removeTrace(ctx, trace, word, end)
		return err
	}
	if done, _, err := c.splitWord(ctx, w, r.Model); done || err != nil {
		return err
	}
	return c.proveRun(ctx, w, r.Model)
}
