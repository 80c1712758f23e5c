// SPDX-License-Identifier: Apache-2.0

package prog

// This file is the reference interpreter: all runs of one call, by search of
// the graph of configurations (a location and a value of every variable). The
// graph is finite, so a run that loops for ever is a cycle, seen as such; no
// bound on the length of runs is needed. Nothing is clever here: this is what
// engines are compared with. Symbolic values would be faster and would need an
// oracle of their own.

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// InterpOptions bounds the interpreter.
type InterpOptions struct {
	// MaxConfigs is how many configurations of one call, or states of one
	// question, are visited; 0 means 1<<20.
	MaxConfigs int
	// MaxDomain is the largest type of which every value is tried; 0 means
	// 1<<16.
	MaxDomain int
	// Blamed makes errors that are the environment's fault count as errors.
	Blamed bool
}

// A BudgetError says which bound of the interpreter was too small. There is no
// answer then.
type BudgetError struct {
	What  string // what there was too much of
	Limit int
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("interpreter: more than %d %s", e.Limit, e.What)
}

// An Interp interprets one program. It is not safe for concurrent use.
type Interp struct {
	p   *Program
	opt InterpOptions
}

// NewInterp returns an interpreter of p, which must pass Check.
func NewInterp(p *Program, opt InterpOptions) *Interp {
	if opt.MaxConfigs == 0 {
		opt.MaxConfigs = 1 << 20
	}
	if opt.MaxDomain == 0 {
		opt.MaxDomain = 1 << 16
	}
	return &Interp{p: p, opt: opt}
}

// A Returned is one way for a call to return.
type Returned struct {
	Results []term.Value
	State   State
}

// An Outcome holds what all runs of a call from one state do.
type Outcome struct {
	Returns  []Returned   // distinct, sorted by results and then by state
	Errors   []*ErrorSite // distinct, in the order of Method.Errors
	Diverges bool         // some run goes on for ever
	Stuck    bool         // some run ends where no edge is enabled (also at a blamed error that does not count)
}

// Initial returns the declared initial states, sorted: one, unless a variable
// starts with any value. Constructors start from them.
func (in *Interp) Initial(ctx context.Context) ([]State, error) {
	states := []State{{}}
	for _, v := range in.p.State {
		if v.Init != nil {
			for i := range states {
				states[i] = append(states[i], v.Init.Value())
			}
			continue
		}
		if err := in.domain(v); err != nil {
			return nil, err
		}
		var next []State
		for _, s := range states {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for x := range Values(v.Type) {
				next = append(next, append(slices.Clone(s), x))
			}
			if len(next) > in.opt.MaxConfigs {
				return nil, &BudgetError{"initial states", in.opt.MaxConfigs}
			}
		}
		states = next
	}
	return states, nil
}

// domain checks that all values of v may be tried.
func (in *Interp) domain(v *Var) error {
	if v.Type.Size() > in.opt.MaxDomain {
		return &BudgetError{fmt.Sprintf("values of %s %v", v.Name, v.Type), in.opt.MaxDomain}
	}
	return nil
}

// A config is a point of a run.
type config struct {
	loc    int
	values []term.Value // by index of Program.Vars(method)
}

// A graph holds the configurations of a call in breadth-first order.
type graph struct {
	m       *Method
	vars    []*Var
	configs []config
	succ    [][]int // by configuration
	parent  []int   // the configuration it was first reached from; -1 at the start
	by      []*Edge // and the edge taken then
}

// explore builds the graph of m called in state s.
func (in *Interp) explore(ctx context.Context, s State, m *Method, args []term.Value) (*graph, error) {
	if len(s) != len(in.p.State) || len(args) != len(m.Params) {
		panic(fmt.Sprintf("prog.Interp: %s called with %d state values and %d arguments, expected %d and %d", m.Name, len(s), len(args), len(in.p.State), len(m.Params)))
	}
	g := &graph{m: m, vars: in.p.Vars(m)}
	index := make(map[*Var]int, len(g.vars))
	for i, v := range g.vars {
		index[v] = i
	}
	visited := make(map[string]int)
	visit := func(c config, from int, e *Edge) int {
		key := string(appendKey(binary.AppendUvarint(nil, uint64(c.loc)), c.values))
		i, ok := visited[key]
		if !ok {
			i = len(g.configs)
			visited[key] = i
			g.configs = append(g.configs, c)
			g.succ = append(g.succ, nil)
			g.parent = append(g.parent, from)
			g.by = append(g.by, e)
		}
		return i
	}
	start := make([]term.Value, len(g.vars)) // results and locals are zero
	copy(start, s)
	copy(start[len(s):], args)
	visit(config{m.Entry, start}, -1, nil)
	for i := 0; i < len(g.configs); i++ {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if len(g.configs) > in.opt.MaxConfigs {
			return nil, &BudgetError{"configurations in a call of " + m.Name, in.opt.MaxConfigs}
		}
		c := g.configs[i]
		model := make(term.Model, len(g.vars))
		for j, v := range g.vars {
			model[v.Term] = c.values[j]
		}
		out := m.Out(c.loc)
		for j := range out {
			e := &out[j]
			switch e.Kind {
			case AssumeEdge:
				if term.Eval(e.Exprs[0], model).Bool() {
					g.succ[i] = append(g.succ[i], visit(config{e.To, c.values}, i, e))
				}
			case AssignEdge:
				values := slices.Clone(c.values)
				for k, v := range e.Vars {
					values[index[v]] = term.Eval(e.Exprs[k], model)
				}
				g.succ[i] = append(g.succ[i], visit(config{e.To, values}, i, e))
			case HavocEdge:
				v := e.Vars[0]
				if err := in.domain(v); err != nil {
					return nil, err
				}
				for x := range Values(v.Type) {
					values := slices.Clone(c.values)
					values[index[v]] = x
					g.succ[i] = append(g.succ[i], visit(config{e.To, values}, i, e))
				}
			}
		}
	}
	return g, nil
}

// returned is the return that a configuration at the exit is.
func (in *Interp) returned(g *graph, c config) Returned {
	n := len(in.p.State)
	results := c.values[n+len(g.m.Params):][:len(g.m.Results)]
	return Returned{slices.Clone(results), slices.Clone(c.values[:n])}
}

func (in *Interp) compareReturned(m *Method, a, b Returned) int {
	if c := compareTuples(m.Results, a.Results, b.Results); c != 0 {
		return c
	}
	return compareTuples(in.p.State, a.State, b.State)
}

// Call returns the outcome of all runs of m in state s.
//
// It panics if s or args do not have the program's and method's numbers of
// values.
func (in *Interp) Call(ctx context.Context, s State, m *Method, args []term.Value) (Outcome, error) {
	g, err := in.explore(ctx, s, m, args)
	if err != nil {
		return Outcome{}, err
	}
	var o Outcome
	reached := make(map[int]bool) // locations of error sites
	for i, c := range g.configs {
		site := m.ErrorAt(c.loc)
		switch {
		case c.loc == m.Exit:
			o.Returns = append(o.Returns, in.returned(g, c))
		case site != nil && (!site.Blamed || in.opt.Blamed):
			reached[c.loc] = true
		case len(g.succ[i]) == 0:
			o.Stuck = true
		}
	}
	slices.SortFunc(o.Returns, func(a, b Returned) int { return in.compareReturned(m, a, b) })
	o.Returns = slices.CompactFunc(o.Returns, func(a, b Returned) bool { return in.compareReturned(m, a, b) == 0 })
	for _, site := range m.Errors {
		if reached[site.Loc] {
			o.Errors = append(o.Errors, site)
		}
	}
	o.Diverges = g.cyclic()
	return o, nil
}

// cyclic reports whether the graph has a cycle: whether removing, again and
// again, configurations without successors leaves any.
func (g *graph) cyclic() bool {
	preds := make([][]int, len(g.configs))
	left := make([]int, len(g.configs))
	var leaves []int
	for i, succ := range g.succ {
		left[i] = len(succ)
		if len(succ) == 0 {
			leaves = append(leaves, i)
		}
		for _, j := range succ {
			preds[j] = append(preds[j], i)
		}
	}
	removed := 0
	for ; len(leaves) > 0; removed++ {
		i := leaves[len(leaves)-1]
		leaves = leaves[:len(leaves)-1]
		for _, j := range preds[i] {
			if left[j]--; left[j] == 0 {
				leaves = append(leaves, j)
			}
		}
	}
	return removed < len(g.configs)
}
