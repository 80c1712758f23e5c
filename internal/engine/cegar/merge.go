// SPDX-License-Identifier: Apache-2.0

package cegar

// This file merges the classes of arguments and results that predicate
// abstraction has split and that make no difference in the end, as build.go does
// with single arguments and results: two classes are one call if in every state
// they have the same verdict and no outcome leads them to different states; two
// classes of integer results are one outcome if no call in no state leads them to
// different states. So splits that were needed only for a proof are not seen.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A mergedCall is a call of the interface.
type mergedCall struct {
	method    int
	parts     []int // calls of the abstraction
	id, guard string
	// by state: verdict of the call, next state by merged outcome
	rows [][]int32
}

// A mergedOutcome is an outcome of the interface.
type mergedOutcome struct {
	name  string
	parts []int // numbers of outcomes of the method
}

// Marks of verdicts in rows. A forbidden call is marked, and leads, to rejected; one that cannot be made, to impossible.
const (
	markAllowed int32 = 1
	markUnknown int32 = 2
)

// A merger knows the automaton of an interface.
type merger struct {
	abs      *predabs.Abstraction
	graph    *pairs.Graph
	builder  *builder
	dfa      *automata.DFA
	members  [][]int32 // pairs of each state
	states   []int     // that calls are made in, after construction
	calls    []*mergedCall
	outcomes [][]mergedOutcome // by method
	callOf   []int             // call of the abstraction -> merged call
	nameOf   []string          // letter -> name of its outcome
	places   []target          // that edges lead to; rows have their numbers
}

func (g *merger) run(ctx context.Context) error {
	g.callOf = make([]int, len(g.abs.Calls))
	g.nameOf = make([]string, g.abs.Letters)
	g.outcomes = make([][]mergedOutcome, len(g.abs.Methods))
	for k := range g.abs.Methods {
		first := len(g.calls)
		if err := g.mergeArguments(ctx, k); err != nil {
			return err
		}
		if err := g.mergeResults(ctx, k, g.calls[first:]); err != nil {
			return err
		}
	}
	return nil
}

// callsOf returns the calls of a method, in the order of their first arguments where
// these can be enumerated.
func (g *merger) callsOf(method int) []int {
	var parts []int
	for k := range g.abs.Calls {
		if g.abs.Calls[k].Method == method {
			parts = append(parts, k)
		}
	}
	if len(parts) > 1 {
		var conds []*term.Term
		for _, k := range parts {
			conds = append(conds, g.abs.Calls[k].Guard)
		}
		vars := g.guardVars(method)
		order := FirstOrder(describe.Enumerate(vars, g.keeps(method), describe.MaxGuardTuples), vars, conds)
		sorted := make([]int, len(parts))
		for i, n := range order {
			sorted[i] = parts[n]
		}
		parts = sorted
	}
	return parts
}

// FirstOrder orders conditions by the first point at which they hold.
func FirstOrder(points [][]uint64, vars []*prog.Var, conds []*term.Term) []int {
	var order []int
	m := term.Model{}
	for _, pt := range points {
		for j, v := range vars {
			m[v.Term] = term.Value{Lo: pt[j]}
		}
		k := slices.IndexFunc(conds, func(t *term.Term) bool { return term.Holds(t, m) })
		if k >= 0 && !slices.Contains(order, k) {
			if order = append(order, k); len(order) == len(conds) {
				return order
			}
		}
	}
	for k := range conds {
		if !slices.Contains(order, k) {
			order = append(order, k)
		}
	}
	return order
}

// guardVars are the variables that the guards of a method mention: parameters and
// registers.
func (g *merger) guardVars(method int) []*prog.Var {
	vars := slices.Clone(g.abs.Methods[method].Sum.Method.Params)
	for _, v := range g.builder.regs.Vars {
		if slices.ContainsFunc(g.abs.Calls, func(c predabs.SymCall) bool {
			return c.Method == method && slices.Contains(term.FreeVars(c.Guard), v.Term)
		}) {
			vars = append(vars, v)
		}
	}
	return vars
}

// keeps says which parameters of a method can matter, and registers.
func (g *merger) keeps(method int) func(v *prog.Var) bool {
	vars := g.abs.Methods[method].Sum.Vars
	return func(v *prog.Var) bool { return slices.Contains(vars, v) || slices.Contains(g.builder.regs.Vars, v) }
}

// row is what a call does in a state.
func (g *merger) row(state, call int) []int32 {
	c := &g.abs.Calls[call]
	row := make([]int32, 1+len(c.Outcomes))
	if !slices.ContainsFunc(g.members[state], func(p int32) bool { return !g.graph.CannotBeMade(p, call) }) {
		return slices.Repeat([]int32{explicit.Impossible}, len(row))
	}
	verdict, _, _, _ := g.builder.cellOf(g.members[state], []int{call})
	switch {
	case verdict.Forbidden():
		for i := range row {
			row[i] = explicit.Rejected
		}
		return row
	case verdict == typestate.VerdictAllowed:
		row[0] = markAllowed
	default:
		row[0] = markUnknown
	}
	for o := range c.Outcomes {
		row[1+o] = explicit.Impossible
		if to := g.dfa.Step(int32(state), c.Letter+o); g.dfa.Out[to] == automata.Accept {
			row[1+o] = g.placeOf(state, c.Letter+o, to)
		}
	}
	return row
}

// isMade reports whether a call can be made in the state of a row.
func isMade(row []int32) bool { return row[0] != explicit.Impossible }

// mergeableRows is mergeable for rows: a row of a state in which a call cannot be made contradicts none.
func mergeableRows(a, b [][]int32) bool {
	for i := range a {
		if isMade(a[i]) && isMade(b[i]) && !explicit.Mergeable(a[i:i+1], b[i:i+1]) {
			return false
		}
	}
	return true
}

func (g *merger) sources(constructor bool) []int {
	if constructor {
		return []int{0}
	}
	return g.states
}

func (g *merger) mergeArguments(ctx context.Context, method int) error {
	x := &g.abs.Methods[method]
	first := len(g.calls)
	for _, k := range g.callsOf(method) {
		var column [][]int32
		for _, s := range g.sources(x.Constructor) {
			column = append(column, g.row(s, k))
		}
		at := slices.IndexFunc(g.calls[first:], func(c *mergedCall) bool { return mergeableRows(c.rows, column) })
		if at < 0 {
			at = len(g.calls) - first
			g.calls = append(g.calls, &mergedCall{method: method, rows: column})
		} else {
			explicit.MergeInto(g.calls[first+at].rows, column)
		}
		g.calls[first+at].parts = append(g.calls[first+at].parts, k)
		g.callOf[k] = first + at
	}
	var conds []*term.Term
	for n, c := range g.calls[first:] {
		c.id = x.Sum.Method.Name
		if n > 0 {
			c.id = fmt.Sprintf("%s#%d", c.id, n+1)
		}
		var any []*term.Term
		for _, k := range c.parts {
			any = append(any, g.abs.Calls[k].Guard)
		}
		conds = append(conds, g.abs.Pool.Or(any...))
	}
	p := &describe.GuardPrinter{Prog: g.abs.P.Program, Solver: g.abs.Solver, Vars: g.guardVars(method), Keep: g.keeps(method), Code: describe.GoConditions(x.Sum.Method),
		Registers: !x.Constructor && len(g.builder.regs.Vars) > 0}
	texts, err := p.Texts(ctx, conds)
	if err != nil {
		return err
	}
	for n, c := range g.calls[first:] {
		c.guard = texts[n]
	}
	return nil
}

// mergeResults makes the outcomes of a method.
func (g *merger) mergeResults(ctx context.Context, method int, group []*mergedCall) error {
	x := &g.abs.Methods[method]
	list := g.abs.Calls[group[0].parts[0]].Outcomes
	var outcomes []mergedOutcome
	var columns [][][]int32 // of a merged outcome: calls x states
	for _, o := range g.resultOrder(method) {
		column := make([][]int32, len(group))
		happens := false
		for k, c := range group {
			for _, row := range c.rows {
				column[k] = append(column[k], row[1+o])
				happens = happens || row[1+o] >= 0
			}
		}
		if !happens && x.Inexact {
			continue // integers that are never returned by a legal call
		}
		at := slices.IndexFunc(outcomes, func(m mergedOutcome) bool { return list[m.parts[0]].Base == list[o].Base })
		for ; at >= 0 && at < len(outcomes); at++ {
			if list[outcomes[at].parts[0]].Base == list[o].Base && explicit.Mergeable(columns[at], column) {
				break
			}
		}
		if at < 0 || at == len(outcomes) {
			at = len(outcomes)
			outcomes = append(outcomes, mergedOutcome{})
			columns = append(columns, column)
		} else {
			explicit.MergeInto(columns[at], column)
		}
		outcomes[at].parts = append(outcomes[at].parts, o)
	}
	if len(outcomes) == 0 { // it never returns legally
		outcomes = []mergedOutcome{{name: "return", parts: []int{0}}}
		column := make([][]int32, len(group))
		for k, c := range group {
			for _, row := range c.rows {
				column[k] = append(column[k], row[1])
			}
		}
		columns = [][][]int32{column}
	} else if err := g.nameOutcomes(ctx, method, list, outcomes); err != nil {
		return err
	}
	g.outcomes[method] = outcomes
	for k, c := range group {
		for s, row := range c.rows {
			merged := []int32{row[0]}
			for o := range outcomes {
				merged = append(merged, columns[o][k][s])
			}
			c.rows[s] = merged
		}
		for _, part := range c.parts {
			for _, o := range outcomes {
				for _, n := range o.parts {
					g.nameOf[g.abs.Calls[part].Letter+n] = o.name
				}
			}
		}
	}
	return nil
}

// Always is true.
func Always(*prog.Var) bool { return true }

// resultOrder orders the outcomes of a method: by bools and enums, then by their
// first integers where these can be enumerated.
func (g *merger) resultOrder(method int) []int {
	x := &g.abs.Methods[method]
	ints := describe.Integers(x.Sum.Method)
	points := describe.Enumerate(ints, Always, describe.MaxGuardTuples)
	var order []int
	for base := range x.First {
		var parts []int
		var conds []*term.Term
		for o, r := range x.Results.Classes {
			if r.Base == base {
				parts = append(parts, o)
				conds = append(conds, g.abs.Pool.Substitute(r.Cond, x.First[base].Visible))
			}
		}
		if len(parts) == 1 {
			order = append(order, parts[0])
			continue
		}
		for _, n := range FirstOrder(points, ints, conds) {
			order = append(order, parts[n])
		}
	}
	return order
}

// nameOutcomes names the outcomes of a method as build.go does: by the values of
// bools and enums, and by a condition on the integers where they are split.
func (g *merger) nameOutcomes(ctx context.Context, method int, list []predabs.SymOutcome, outcomes []mergedOutcome) error {
	x := &g.abs.Methods[method]
	m := x.Sum.Method
	ints := describe.Integers(m)
	for base := range x.First {
		var siblings []int
		var conds []*term.Term
		for k, o := range outcomes {
			if list[o.parts[0]].Base != base {
				continue
			}
			var any []*term.Term
			for _, n := range o.parts {
				any = append(any, g.abs.Pool.Substitute(list[n].Cond, x.First[base].Visible))
			}
			siblings = append(siblings, k)
			conds = append(conds, g.abs.Pool.Or(any...))
		}
		if len(siblings) == 1 {
			outcomes[siblings[0]].name = x.First[base].Name
			continue
		}
		p := &describe.GuardPrinter{Prog: g.abs.P.Program, Solver: g.abs.Solver, Vars: ints, Keep: Always}
		texts, err := p.Texts(ctx, conds)
		if err != nil {
			return err
		}
		for n, k := range siblings {
			text := texts[n]
			if len(ints) == 1 {
				if v, ok, err := OnlyValue(ctx, g.abs.Pool, g.abs.Solver, ints[0], conds[n]); err != nil {
					return err
				} else if ok {
					text = ints[0].Type.FormatValue(v)
				}
			}
			outcomes[k].name = describe.OutcomeText(x.First[base].Name, m, text)
		}
	}
	return nil
}

// OnlyValue returns the only value of a variable that satisfies a condition.
func OnlyValue(ctx context.Context, pool *term.Pool, solver solve.Solver, v *prog.Var, cond *term.Term) (term.Value, bool, error) {
	r, err := solver.Check(ctx, cond)
	if err != nil || r.Verdict != solve.Sat {
		return term.Value{}, false, err
	}
	value := r.Model[v.Term]
	r, err = solver.Check(ctx, cond, pool.Ne(v.Term, pool.Const(v.Type.Sort, value)))
	return value, r.Verdict == solve.Unsat, err
}
