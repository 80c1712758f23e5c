// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"

	"github.com/interlock-go/interlock/internal/engine/cegar"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/engine/registers"
	"github.com/interlock-go/interlock/typestate"
)

// synthesizeInSight is what auto does first where a register is in sight: explore a few states, and if the
// table is not small, look for an interface with predicates that decides everything. It is small if it is such a table, or has
// registers and fewer states; otherwise to explore more may still give an exact table.
func synthesizeInSight(ctx context.Context, p *problem.Problem) (i *typestate.Interface, small bool, err error) {
	q := *p
	q.Budget = min(p.Budget, registers.SightStates)
	st, states := problem.Stats{}, 0
	t, err := explicit.Direct(ctx, &q, st)
	switch {
	case err == nil:
		if states = t.DFA.States(); states <= registers.ToldApart+sinks {
			i, err = explicit.Build(ctx, p, t, st)
			return i, err == nil, err
		}
	case !problem.Undecided(err):
		return nil, false, err
	}
	q.Budget = min(p.Budget, max(registers.SightSteps, p.Budget/registers.SightShare))
	if p.QuickSolver != nil {
		q.Solver = p.QuickSolver
	}
	st = problem.Stats{}
	i, err = cegar.Synthesize(ctx, &q, st)
	if err != nil || !problem.Complete(i) || !problem.Proved(i) {
		return nil, false, orNothing(err)
	}
	return i, st["registers"] > 0 && (states == 0 || len(i.States) < states), nil
}

// sinks is the number of states of a table that are none of an interface: the object before construction, and where rejected and
// impossible letters lead.
const sinks = 3
