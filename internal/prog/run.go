// SPDX-License-Identifier: Apache-2.0

package prog

// This file follows words with the interpreter: what a client knows after a
// word, and runs to show. Knowledge is the set of all states that are
// consistent with the word (design: a call is forbidden iff some resolution of
// the choices, consistent with the word, makes it err).

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// A Call is a call of a concrete word: arguments and what was observed.
type Call struct {
	Method *Method
	Args   []term.Value
	// Observed tells which results the client saw; nil: it did not look, so
	// every return is consistent.
	Observed func(results []term.Value) bool
}

// Saw returns an Observed that holds for exactly these results.
func Saw(results ...term.Value) func([]term.Value) bool {
	results = slices.Clone(results)
	return func(r []term.Value) bool { return slices.Equal(r, results) }
}

// A Verdict tells what becomes of a call after a word. The zero value is no
// answer.
type Verdict uint8

const (
	Undecided  Verdict = iota
	Allowed            // no consistent run errs
	Fails              // some consistent run errs and none returns
	MayFail            // some consistent run errs and some returns
	Impossible         // no state is consistent: the word before the call cannot happen
)

func (v Verdict) String() string {
	return [...]string{"undecided", "allowed", "fails", "may-fail", "impossible"}[v]
}

// A Step is what one call does to a client's knowledge.
type Step struct {
	Verdict Verdict
	Errors  []*ErrorSite   // that some consistent run reaches, in the order of Method.Errors
	Results [][]term.Value // of all consistent runs that return: distinct, sorted
	States  []State        // after the call, consistent with what was observed: distinct, sorted
}

// Step performs one call from every state of states.
func (in *Interp) Step(ctx context.Context, states []State, c Call) (Step, error) {
	if len(states) == 0 {
		return Step{Verdict: Impossible}, nil
	}
	var st Step
	erring := make(map[*ErrorSite]bool)
	var results [][]term.Value
	var after []State
	for _, s := range states {
		o, err := in.Call(ctx, s, c.Method, c.Args)
		if err != nil {
			return Step{}, err
		}
		for _, site := range o.Errors {
			erring[site] = true
		}
		for _, r := range o.Returns {
			results = append(results, r.Results)
			if c.Observed == nil || c.Observed(r.Results) {
				after = append(after, r.State)
			}
		}
		if len(after) > in.opt.MaxConfigs {
			return Step{}, &BudgetError{"states after a call of " + c.Method.Name, in.opt.MaxConfigs}
		}
	}
	for _, site := range c.Method.Errors {
		if erring[site] {
			st.Errors = append(st.Errors, site)
		}
	}
	st.Results = sortTuples(c.Method.Results, results)
	st.States = sortTuples(in.p.State, after)
	switch {
	case len(st.Errors) == 0:
		st.Verdict = Allowed
	case len(results) == 0:
		st.Verdict = Fails
	default:
		st.Verdict = MayFail
	}
	return st, nil
}

// sortTuples sorts and removes duplicates.
func sortTuples[T ~[]term.Value](vars []*Var, list []T) []T {
	slices.SortFunc(list, func(a, b T) int { return compareTuples(vars, a, b) })
	return slices.CompactFunc(list, func(a, b T) bool { return compareTuples(vars, a, b) == 0 })
}

// A Knowledge is what a client knows about a word.
type Knowledge struct {
	// Calls is how many calls were made: all of them, or up to and including
	// the first that is not allowed, or up to the first that cannot happen.
	Calls int
	// Step is the last of them. The states after a call that is not allowed
	// are those of its runs that return.
	Step
}

// Word follows a word, whose first call is a constructor. It stops at the first
// call that is forbidden or cannot happen.
func (in *Interp) Word(ctx context.Context, word []Call) (Knowledge, error) {
	states, err := in.Initial(ctx)
	if err != nil {
		return Knowledge{}, err
	}
	k := Knowledge{Step: Step{Verdict: Allowed, States: states}}
	for _, c := range word {
		if k.Step, err = in.Step(ctx, k.States, c); err != nil {
			return Knowledge{}, err
		}
		k.Calls++
		if k.Verdict != Allowed {
			break
		}
	}
	return k, nil
}

// A TraceStep is one edge of a run.
type TraceStep struct {
	Edge    *Edge
	Changes []Change // variables that have another value after it
}

// A Change is a new value of a variable.
type Change struct {
	Var      *Var
	Old, New term.Value
}

// Pos is where the step is in the source.
func (s TraceStep) Pos() Pos { return s.Edge.Pos }

// A Goal is where a run is to end: at an error site, or by a return.
type Goal struct {
	Error  *ErrorSite
	Return *Returned
}

// Trace returns a shortest run of m in state s that ends as goal says; ok is
// false if there is none.
func (in *Interp) Trace(ctx context.Context, s State, m *Method, args []term.Value, goal Goal) (steps []TraceStep, ok bool, err error) {
	g, err := in.explore(ctx, s, m, args)
	if err != nil {
		return nil, false, err
	}
	// The first configuration in breadth-first order ends a shortest run.
	end := slices.IndexFunc(g.configs, func(c config) bool {
		switch {
		case goal.Error != nil:
			return c.loc == goal.Error.Loc
		case goal.Return != nil:
			return c.loc == m.Exit && in.compareReturned(m, in.returned(g, c), *goal.Return) == 0
		}
		return false
	})
	if end < 0 {
		return nil, false, nil
	}
	for i := end; g.parent[i] >= 0; i = g.parent[i] {
		step := TraceStep{Edge: g.by[i]}
		before, after := g.configs[g.parent[i]].values, g.configs[i].values
		for j, v := range g.vars {
			if before[j] != after[j] {
				step.Changes = append(step.Changes, Change{v, before[j], after[j]})
			}
		}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return steps, true, nil
}

// A CallRun is one call of a complete run.
type CallRun struct {
	Call   Call
	Before State
	Trace  []TraceStep
	// A call that returns has an After state and Results, one that errs an Error.
	Results []term.Value
	After   State
	Error   *ErrorSite
}

// String shows the call with its end: read(3) = (true, 2).
func (r CallRun) String() string {
	s := r.Call.Method.Name
	if len(r.Call.Args) > 0 {
		s += FormatArgs(r.Call.Method.Params, r.Call.Args)
	}
	switch {
	case r.Error != nil:
		s += fmt.Sprintf(": %s %q", r.Error.Kind, r.Error.Message)
	case len(r.Results) > 0:
		s += " = " + FormatOutcome(r.Call.Method, r.Results)
	}
	return s
}

// Run returns a complete run of a word, from an initial state, whose last call
// errs; ok is false if no such run is consistent with the word. The first call
// is a constructor.
func (in *Interp) Run(ctx context.Context, word []Call) (run []CallRun, ok bool, err error) {
	if len(word) == 0 {
		return nil, false, nil
	}
	// from[i] maps each state after call i to one way to get there.
	type way struct {
		before State
		r      Returned
	}
	from := make([]map[string]way, len(word))
	states, err := in.Initial(ctx)
	if err != nil {
		return nil, false, err
	}
	last := len(word) - 1
	for i, c := range word[:last] {
		from[i] = make(map[string]way)
		var next []State
		for _, s := range states {
			o, err := in.Call(ctx, s, c.Method, c.Args)
			if err != nil {
				return nil, false, err
			}
			for _, r := range o.Returns {
				key := string(appendKey(nil, r.State))
				if _, old := from[i][key]; old || c.Observed != nil && !c.Observed(r.Results) {
					continue
				}
				from[i][key] = way{s, r}
				next = append(next, r.State)
			}
		}
		states = sortTuples(in.p.State, next)
	}
	for _, s := range states {
		o, err := in.Call(ctx, s, word[last].Method, word[last].Args)
		if err != nil {
			return nil, false, err
		}
		if len(o.Errors) == 0 {
			continue
		}
		run = make([]CallRun, len(word))
		run[last] = CallRun{Call: word[last], Before: s, Error: o.Errors[0]}
		for i := last - 1; i >= 0; i-- {
			w := from[i][string(appendKey(nil, run[i+1].Before))]
			run[i] = CallRun{Call: word[i], Before: w.before, Results: w.r.Results, After: w.r.State}
		}
		for i := range run {
			goal := Goal{Error: run[i].Error}
			if goal.Error == nil {
				goal.Return = &Returned{run[i].Results, run[i].After}
			}
			run[i].Trace, _, err = in.Trace(ctx, run[i].Before, word[i].Method, word[i].Args, goal)
			if err != nil {
				return nil, false, err
			}
		}
		return run, true, nil
	}
	return nil, false, nil
}
