// SPDX-License-Identifier: Apache-2.0

package cegar

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

	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/predicates"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/engine/words"
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

// tighten looks for a loose edge and refines. It reports whether there is more to
// explore.
func (c *Run) tighten(ctx context.Context) (again bool, err error) {
	c.tight = len(c.regs.Vars) == 0 // what registers remember is not looked at
	if c.workBefore == 0 {
		c.workBefore = c.Abs.Work
	}
	certain := newCertainty(c.Graph)
	for at := range c.Graph.Pairs {
		for k := range c.Abs.Calls {
			if c.Abs.Calls[k].Constructor != (at == 0) {
				continue
			}
			for o := range c.Abs.Calls[k].Outcomes {
				if ctx.Err() != nil {
					return false, context.Cause(ctx)
				}
				if c.Graph.Next[at][c.Abs.Calls[k].Letter+o] < 0 {
					continue
				}
				ok, err := certain.edge(ctx, int32(at), k, o)
				if err != nil {
					return false, err
				}
				if ok {
					continue
				}
				conf := cell{int32(at), k}
				key := c.Graph.Key(conf.pair, conf.call) + " " + c.Abs.Calls[k].Outcomes[o].Name
				if c.loose[key] || len(c.loose) >= maxLoose || c.Graph.Verdicts[at][k].Verdict != typestate.VerdictAllowed {
					c.tight = false
					continue
				}
				if err := c.refineLoose(ctx, conf, o); err != nil {
					return false, err
				}
				if c.Graph.Stale {
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

// certainty says which outcomes are possible after every word to a pair.
type certainty struct {
	abs      *predabs.Abstraction
	graph    *pairs.Graph
	possible map[[3]int32]bool // by abstract state, call and outcome: from every state of it
}

// newCertainty says it of the pairs of a graph as they are.
func newCertainty(g *pairs.Graph) *certainty {
	return &certainty{abs: g.Abs, graph: g, possible: map[[3]int32]bool{}}
}

// edge reports whether an outcome is possible after every word that reaches
// a pair.
func (ce *certainty) edge(ctx context.Context, at int32, call, o int) (bool, error) {
	set, err := ce.certainSet(ctx, at, call, o)
	return set >= 0, err
}

// certainSet is a member of L because of which an outcome is possible after every word that reaches a pair; -1 if
// there is none.
func (ce *certainty) certainSet(ctx context.Context, at int32, call, o int) (int32, error) {
	for _, set := range ce.graph.Pairs[at].L {
		if all, err := ce.fromAll(ctx, set, call, o); all || err != nil {
			return set, err
		}
	}
	return -1, nil
}

// fromAll reports whether an outcome is possible from every abstract state of a set.
func (ce *certainty) fromAll(ctx context.Context, set int32, call, o int) (bool, error) {
	for _, a := range ce.graph.Sets.Set(set) {
		key := [3]int32{a, int32(call), int32(o)}
		ok, known := ce.possible[key]
		if !known {
			e, err := ce.abs.Effect(ctx, a, call)
			if err != nil {
				return false, err
			}
			ok = slices.ContainsFunc(e.Must[o], func(t []int32) bool { return len(t) > 0 }) // none if the call is never made there
			if !ok && len(e.May[o]) > 0 {
				if ok, err = ce.canReturn(ctx, a, call, o); err != nil {
					return false, err
				}
			}
			ce.possible[key] = ok
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
func (ce *certainty) canReturn(ctx context.Context, a int32, call, o int) (bool, error) {
	x := &ce.abs.Calls[call]
	exit := ce.abs.Unrolled(x.Sum, false)
	return ce.abs.Must(ctx, a, ce.abs.Before(a, call), ce.abs.Pool.And(exit.Cond, ce.abs.Pool.Substitute(x.Outcomes[o].Cond, predabs.After(x.Sum, exit.Vals))))
}

// refineLoose adds predicates, or splits a class, for a loose edge. If it does
// neither, the edge is given up.
func (c *Run) refineLoose(ctx context.Context, conf cell, o int) error {
	if c.outOf != "" || c.Abs.Work-c.workBefore > c.Abs.Limit/looseShare {
		return nil // the rest is for finishing with the predicates that there are
	}
	word, end := c.Graph.Word(conf.pair), [2]int{conf.call, o}
	w := words.ComposeEnd(c.Abs, word, end)
	w.Steps[len(w.Steps)-1].Results = nil // any of the outcome will do
	old, before, count, splits := c.Abs.Save(), c.Abs.Known(), len(c.Abs.Preds), c.Abs.Splits
	err := c.learnLoose(ctx, word, end, w)
	var undecided *solve.UndecidedError
	if err != nil && !errors.As(err, &undecided) {
		return err
	}
	huge := slices.ContainsFunc(c.Abs.Preds[count:], func(t *term.Term) bool { return term.Size(t) > maxLooseSize })
	if err != nil || huge || len(c.Abs.Preds) > predabs.MaxPreds || len(c.Abs.Preds) > count && (c.Finder.Found() > predicates.Max || c.Finder.Chases()) {
		c.Abs.Restore(old)
	}
	c.Graph.Stale = c.Graph.Stale || c.Abs.Known() > before || c.Abs.Splits > splits
	if c.Graph.Stale && c.Abs.P.Refined != nil && len(c.Abs.Preds) > count {
		r := problem.Refinement{Abstraction: "tightness"}
		for _, x := range append(slices.Clone(word), end) {
			if !c.Abs.Calls[x[0]].Constructor || len(c.Abs.P.Program.Constructors) > 1 {
				name := c.Abs.Calls[x[0]].Sum.Method.Name
				if len(c.Abs.Calls[x[0]].Outcomes) > 1 {
					name += "=" + c.Abs.Calls[x[0]].Outcomes[x[1]].Name
				}
				r.Word = append(r.Word, name)
			}
		}
		for _, t := range c.Abs.Preds[count:] {
			r.Predicates = append(r.Predicates, prog.FormatExpr(c.Abs.P.Program, c.Abs.Sym.State, t))
		}
		c.Abs.P.Refined(r)
	}
	return nil
}

func (c *Run) learnLoose(ctx context.Context, word [][2]int, end [2]int, w *words.Formula) error {
	r, err := c.Abs.Check(ctx, w.Conds()...)
	if err != nil {
		return err
	}
	if r.Verdict == solve.Unsat {
		trace, err := c.Graph.TraceOf(ctx, word, func(a int32) (bool, error) {
			e, err := c.Abs.Effect(ctx, a, end[0])
			return err == nil && len(e.May[end[1]]) > 0, err
		})
		if err != nil || trace == nil {
			return err
		}
		_, err = c.Finder.RemoveTrace(ctx, trace, word, end)
		return err
	}
	if done, _, err := c.splitter().splitWord(ctx, w, r.Model); done || err != nil {
		return err
	}
	return c.Finder.ProveRun(ctx, w, r.Model)
}
