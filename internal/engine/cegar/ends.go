// SPDX-License-Identifier: Apache-2.0

package cegar

// This file forbids calls that err after a loop of unknown many rounds. What
// must happen is asked of unrolled loops, and these do not end it. But if no run
// of the call returns from any state that may be current, then every run errs
// that does not stay in a loop for ever, provided that a run can always go on.
// So the call fails under the convention that its loops end, which the
// interface lists (prog.Ends) and the judge uses in the same way.
//
// The convention is the last resort: it is used only where refinement has given
// up and no ranking was found (rank.go), only if it is asked for, and only if for all arguments the call errs
// in some run from some state that may be current.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/loops"
	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// reasonLoop is why a verdict is unknown whose proof needs more rounds.
const reasonLoop = "it depends on a loop that was followed only so far"

// endings finds the calls that err at the end of loops.
type endings struct {
	abs    *predabs.Abstraction
	graph  *pairs.Graph
	goesOn map[*predabs.PartEffect]bool // memo of alwaysGoesOn
}

// newEndings finds such calls in the pairs of a graph.
func newEndings(g *pairs.Graph) *endings {
	return &endings{abs: g.Abs, graph: g, goesOn: map[*predabs.PartEffect]bool{}}
}

// judgeEnding turns an unknown verdict that was given up into fails if all that
// may be current errs at the end of loops.
func (c *endings) judgeEnding(ctx context.Context, at int32, call int, v pairs.Verdict) (pairs.Verdict, error) {
	if !c.abs.P.Ends {
		return v, nil
	}
	ends, err := c.errsAtEnd(ctx, at, call)
	if ends && err == nil {
		ends, err = c.someErrs(ctx, at, call)
	}
	if ends {
		v.Verdict, v.Reason, v.Ends = typestate.VerdictFails, "", true
	}
	return v, err
}

// errsAtEnd reports whether a call with loops errs from all states that may be
// current in a pair, if its loops end.
func (c *endings) errsAtEnd(ctx context.Context, at int32, call int) (bool, error) {
	if len(c.abs.Calls[call].Sum.Heads) == 0 {
		return false, nil
	}
	for _, a := range c.graph.Sets.Set(c.graph.Pairs[at].U) {
		e, err := c.abs.Effect(ctx, a, call)
		if err != nil {
			return false, err
		}
		if len(e.MayErr) == 0 || e.Returns() {
			return false, nil
		}
		if e.MustErr {
			continue
		}
		ok, known := c.goesOn[e.Part]
		if !known {
			if ok, err = loops.AlwaysGoesOn(ctx, c.abs, a, call, e.Part); err != nil {
				return false, err
			}
			c.goesOn[e.Part] = ok
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

// someErrs reports whether for all arguments a call errs in some run from some state that may be current in a pair.
func (c *endings) someErrs(ctx context.Context, at int32, call int) (bool, error) {
	sum, guard := c.abs.Calls[call].Sum, c.abs.Calls[call].Guard
	var any []*term.Term
	for _, a := range c.graph.Sets.Set(c.graph.Pairs[at].U) {
		any = append(any, c.abs.Region(a))
	}
	not := c.abs.Pool.And(guard, c.abs.Pool.Not(c.abs.Pool.And(c.abs.Pool.Or(any...), c.abs.UnrolledOrRanked(sum, true).Cond)))
	var given, chosen []*term.Term
	free := term.FreeVars(guard)
	for _, v := range term.FreeVars(not) {
		if predabs.IsVarOf(sum.Method.Params, v) || slices.Contains(free, v) {
			given = append(given, v)
		} else {
			chosen = append(chosen, v)
		}
	}
	if err := c.abs.Step(); err != nil {
		return false, err
	}
	r, err := solve.ExistsForall(ctx, c.abs.Pool, c.abs.Propose, c.abs.Refute, given, chosen, not, quietRounds)
	return r.Verdict == solve.Unsat, err
}

// endings lists the conventions that verdicts rest on.
func (c *builder) endings() []string {
	used := map[*prog.Method]bool{}
	var out []string
	for _, row := range c.graph.Verdicts {
		for k, v := range row {
			if m := c.abs.Calls[k].Sum.Method; v.Ends && !used[m] {
				used[m] = true
				out = append(out, prog.Ends(m))
			}
		}
	}
	return out
}
