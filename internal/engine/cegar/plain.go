// SPDX-License-Identifier: Apache-2.0

package cegar

// This file is predicate abstraction for programs of which less is asked: that a call may fail and may return
// says nothing there, because the program has runs that the code does not have. So of each call only two things
// matter: whether it never errs, and whether it never returns. Both are questions of what may happen. What must
// happen is asked of calls that may err and do not return, where it is that they err. The family L of a pair
// (package pairs) has U alone then.
//
// A conflict is a word after which the call may err in some abstract state, and may return in some. If no run of it
// errs, or none returns, predicates are added that show it. If arguments or results decide, their class is split. If there
// are runs of both kinds, the call is given up at once: it is unknown, and the word goes on behind it.

import (
	"context"
	"fmt"
	"maps"

	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/typestate"
)

// Either ends the reason of a verdict that is unknown because there are runs of both kinds.
const Either = "depends on a value that is not modelled"

// synthesizePlainly is such an attempt; there is no interface if nothing could be written down.
func synthesizePlainly(ctx context.Context, p *problem.Problem, st problem.Stats) (*typestate.Interface, error) {
	more := problem.Stats{}
	q := *p
	q.MayOnly, q.Refinements, q.Budget = true, plainRefinements*p.Refinements, plainBudget*p.Budget
	i, err := runCegar(ctx, &q, more, "")
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil || !problem.Proved(i) {
		return nil, nil // the other attempts say why, if they find nothing, either
	}
	maps.Copy(st, more)
	return i, nil
}

// eitherAt is the reason for a call that has runs of both kinds.
func eitherAt(ctx context.Context, c *pairs.Graph, at cell) (string, error) {
	for _, a := range c.Sets.Set(c.Pairs[at.pair].U) {
		e, err := c.Abs.Effect(ctx, a, at.call)
		if err != nil {
			return "", err
		}
		for _, s := range e.MayErr {
			return fmt.Sprintf("may fail: %q (%v): %s", s.Message, s.Pos, Either), nil
		}
	}
	return "may fail: " + Either, nil
}
