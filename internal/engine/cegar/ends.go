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
// up and no ranking was found (loops/rank.go), only if it is asked for, and only if for all arguments the call errs
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
func (en *endings) judgeEnding(ctx context.Context, at int32, call int, v pairs.Verdict) (pairs.Verdict, error) {
	if !en.abs.P.Ends {
		return v, nil
	}
	ends, err := en.errsAtEnd(ctx, at, call)
	if ends && err == nil {
		ends, err = en.someErrs(ctx, at, call)
	}
	if ends {
		v.Verdict, v.Reason, v.Ends = typestate.VerdictFails, "", true
	}
	return v, err
}

// errsAtEnd reports whether a call with loops errs from all states that may be
// current in a pair, if its loops end.
func (en *endings) errsAtEnd(ctx context.Context, at int32, call int) (bool, error) {
	if len(en.abs.Calls[call].Sum.Heads) == 0 {
		return false, nil
	}
	for _, a := range en.graph.Sets.Set(en.graph.Pairs[at].U) {
		e, err := en.abs.Effect(ctx, a, call)
		if err != nil {
			return false, err
		}
		if len(e.MayErr) == 0 || e.Returns() {
			return false, nil
		}
		if e.MustErr {
			continue
		}
		ok, known := en.goesOn[e.Part]
		if !known {
			if ok, err = loops.AlwaysGoesOn(ctx, en.abs, a, call, e.Part); err != nil {
				return false, err
			}
			en.goesOn[e.Part] = ok
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

// someErrs reports whether for all arguments a call errs in some run from some state that may be current in a pair.
func (en *endings) someErrs(ctx context.Context, at int32, call int) (bool, error) {
	sum, guard := en.abs.Calls[call].Sum, en.abs.Calls[call].Guard
	var any []*term.Term
	for _, a := range en.graph.Sets.Set(en.graph.Pairs[at].U) {
		any = append(any, en.abs.Region(a))
	}
	not := en.abs.Pool.And(guard, en.abs.Pool.Not(en.abs.Pool.And(en.abs.Pool.Or(any...), en.abs.UnrolledOrRanked(sum, true).Cond)))
	var given, chosen []*term.Term
	free := term.FreeVars(guard)
	for _, v := range term.FreeVars(not) {
		if predabs.IsVarOf(sum.Method.Params, v) || slices.Contains(free, v) {
			given = append(given, v)
		} else {
			chosen = append(chosen, v)
		}
	}
	if err := en.abs.Step(ctx); err != nil {
		return false, err
	}
	r, err := solve.ExistsForall(ctx, en.abs.Pool, en.abs.Propose, en.abs.Refute, given, chosen, not, quietRounds)
	return r.Verdict == solve.Unsat, err
}

// endings lists the conventions that verdicts rest on.
func (bd *builder) endings() []string {
	used := map[*prog.Method]bool{}
	var out []string
	for _, row := range bd.graph.Verdicts {
		for k, v := range row {
			if m := bd.abs.Calls[k].Sum.Method; v.Ends && !used[m] {
				used[m] = true
				out = append(out, prog.Ends(m))
			}
		}
	}
	return out
}
