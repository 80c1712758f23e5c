// SPDX-License-Identifier: Apache-2.0

package prog

// This file follows one run of a call whose choices are given, so that a run
// that a solver found can be confirmed without trying all values of a choice.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// A Chooser resolves the choices of one run, in the order in which they come up.
type Chooser interface {
	// Value is the value of a havoc edge, given by its index in Method.Edges.
	Value(edge int) term.Value
	// Branch is the position, among the edges that leave loc, of the edge to
	// take where several are enabled.
	Branch(loc int) int
	// At is told each location that the run comes to.
	At(loc int)
}

// Follow runs m from s. The result has an Error or Results and After; an error
// is returned if the run gets stuck or takes more than limit steps.
func (in *Interp) Follow(ctx context.Context, s State, m *Method, args []term.Value, c Chooser, limit int) (CallRun, error) {
	run := CallRun{Call: Call{Method: m, Args: args}, Before: s}
	values := term.Model{}
	for i, v := range in.p.State {
		values[v.Term] = s[i]
	}
	for i, v := range m.Params {
		values[v.Term] = args[i]
	}
	edges := make([][]int, m.Locs)
	for i, e := range m.Edges {
		edges[e.From] = append(edges[e.From], i)
	}
	for loc, n := m.Entry, 0; ; n++ {
		c.At(loc)
		if site := m.ErrorAt(loc); site != nil {
			run.Error = site
			return run, nil
		}
		if loc == m.Exit {
			for _, r := range m.Results {
				run.Results = append(run.Results, values[r.Term])
			}
			for _, v := range in.p.State {
				run.After = append(run.After, values[v.Term])
			}
			return run, nil
		}
		if n >= limit {
			return run, &BudgetError{"steps of a run of " + m.Name, limit}
		}
		if err := ctx.Err(); err != nil {
			return run, err
		}
		var enabled []int
		for _, i := range edges[loc] {
			if e := &m.Edges[i]; e.Kind != AssumeEdge || term.Holds(e.Exprs[0], values) {
				enabled = append(enabled, i)
			}
		}
		if len(enabled) == 0 {
			return run, fmt.Errorf("the run of %s is stuck at location %d", m.Name, loc)
		}
		take := enabled[0]
		if len(enabled) > 1 {
			k := c.Branch(loc)
			if k < 0 || k >= len(edges[loc]) || !slices.Contains(enabled, edges[loc][k]) {
				return run, fmt.Errorf("the run of %s cannot take edge %d of location %d", m.Name, k, loc)
			}
			take = edges[loc][k]
		}
		e := &m.Edges[take]
		step := TraceStep{Edge: e}
		var next []term.Value
		switch e.Kind {
		case AssignEdge:
			for _, x := range e.Exprs {
				next = append(next, term.Eval(x, values))
			}
		case HavocEdge:
			next = []term.Value{c.Value(take)}
		}
		for i, v := range next {
			x := e.Vars[i]
			if old := values[x.Term]; old != v {
				step.Changes = append(step.Changes, Change{x, old, v})
			}
			values[x.Term] = v
		}
		run.Trace = append(run.Trace, step)
		loc = e.To
	}
}
