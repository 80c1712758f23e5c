// SPDX-License-Identifier: Apache-2.0

package cert

// This file encodes methods as formulas. A control-flow automaton is cut at its
// entry, loop heads, exit and error sites; each acyclic piece between two cuts
// becomes one condition and one term per variable, values that differ where
// edges join being merged by if-then-else. Every choice (a havoc, or which of
// several edges to take) is a variable of its own, so that a piece is a partial
// function of variables and choices.
//
// No variable is left out: what matters is for engines to find out.

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// hidden begins the names of variables that no program has.
const hidden = "\x00"

// A code is an encoded method.
type code struct {
	method *prog.Method
	vars   []*prog.Var
	index  map[*prog.Var]int
	states int            // the first vars are the state
	args   []*term.Term   // by parameter: its value at the entry
	old    []*prog.Var    // arguments of parameters that are assigned, for invariants
	pieces map[int][]step // by start
	heads  []int
	head   map[int]bool
}

// A step is what happens between two cuts, or a set of runs of several steps.
type step struct {
	to      int
	cond    *term.Term
	vals    []*term.Term
	choices []*term.Term
}

func (c *checker) code(m *prog.Method) *code {
	if k := c.codes[m]; k != nil {
		return k
	}
	k := &code{method: m, vars: c.prog.Vars(m), index: map[*prog.Var]int{}, states: len(c.prog.State), pieces: map[int][]step{}, head: map[int]bool{}}
	for i, v := range k.vars {
		k.index[v] = i
	}
	assigned := map[*prog.Var]bool{}
	for _, e := range m.Edges {
		if e.Kind != prog.AssumeEdge {
			for _, v := range e.Vars {
				assigned[v] = true
			}
		}
	}
	for _, v := range m.Params {
		a := v.Term
		if assigned[v] { // then the parameter forgets the argument
			old := &prog.Var{Name: typestate.EntryPrefix + v.Name, Type: v.Type, Term: c.pool.Var(hidden+"argument "+v.Name, v.Type.Sort)}
			a = old.Term
			if !slices.ContainsFunc(k.vars, func(o *prog.Var) bool { return o.Name == old.Name }) {
				k.old = append(k.old, old)
			}
		}
		k.args = append(k.args, a)
	}
	// Targets of edges that close a cycle of the depth-first search.
	state := make([]uint8, m.Locs)
	var walk func(loc int)
	walk = func(loc int) {
		state[loc] = 1
		if !k.final(loc) {
			for _, e := range m.Out(loc) {
				if state[e.To] == 1 && !k.head[e.To] {
					k.head[e.To] = true
					k.heads = append(k.heads, e.To)
				}
				if state[e.To] == 0 {
					walk(e.To)
				}
			}
		}
		state[loc] = 2
	}
	walk(m.Entry)
	for _, loc := range append([]int{m.Entry}, k.heads...) {
		if k.pieces[loc] == nil {
			k.pieces[loc] = c.pieces(k, loc)
		}
	}
	c.codes[m] = k
	return k
}

// final reports whether a run ends at loc.
func (k *code) final(loc int) bool { return loc == k.method.Exit || k.method.ErrorAt(loc) != nil }

func (k *code) cut(loc int) bool { return k.final(loc) || k.head[loc] }

// identity gives each variable its own value.
func (k *code) identity() []*term.Term {
	vals := make([]*term.Term, len(k.vars))
	for i, v := range k.vars {
		vals[i] = v.Term
	}
	return vals
}

// entry gives the values at the entry: results and locals are zero.
func (c *checker) entry(k *code) []*term.Term {
	vals := k.identity()
	for i, v := range k.vars[k.states:] {
		if i < len(k.args) {
			vals[k.states+i] = k.args[i]
		} else {
			vals[k.states+i] = c.pool.Const(v.Type.Sort, term.Value{})
		}
	}
	return vals
}

// under is the substitution of variables by values.
func (k *code) under(vals []*term.Term) map[*term.Term]*term.Term {
	sub := map[*term.Term]*term.Term{}
	for i, v := range k.vars {
		if vals[i] != v.Term {
			sub[v.Term] = vals[i]
		}
	}
	return sub
}

// pieces returns the steps from a cut to the next cuts. A run that ends where
// it starts is a step too.
func (c *checker) pieces(k *code, start int) []step {
	if k.final(start) {
		return []step{{to: start, cond: c.pool.True(), vals: k.identity()}}
	}
	var order []int // reverse topological
	seen := map[int]bool{}
	var visit func(loc int)
	visit = func(loc int) {
		seen[loc] = true
		if loc == start || !k.cut(loc) {
			for _, e := range k.method.Out(loc) {
				if !seen[e.To] {
					visit(e.To)
				}
			}
		}
		order = append(order, loc)
	}
	visit(start)
	var choices []*term.Term
	arrive := map[int][]step{start: nil}
	here := step{cond: c.pool.True(), vals: k.identity()}
	for n := len(order) - 1; n >= 0; n-- {
		loc := order[n]
		if loc != start {
			if k.cut(loc) || len(arrive[loc]) == 0 {
				continue
			}
			here = c.join(arrive[loc])
		}
		sub := k.under(here.vals)
		edges := k.method.Out(loc)
		enabled := make([]*term.Term, len(edges))
		for i, e := range edges {
			enabled[i] = c.pool.True()
			if e.Kind == prog.AssumeEdge {
				enabled[i] = c.pool.Substitute(e.Exprs[0], sub)
			}
		}
		if !c.apart(enabled) {
			which := c.choice(term.BV(16))
			choices = append(choices, which)
			for i := range enabled {
				enabled[i] = c.pool.And(enabled[i], c.pool.Eq(which, c.pool.Int(16, int64(i))))
			}
		}
		for i, e := range edges {
			next := step{to: e.To, cond: c.pool.And(here.cond, enabled[i]), vals: here.vals}
			if next.cond.IsFalse() {
				continue
			}
			switch e.Kind {
			case prog.AssignEdge:
				next.vals = append([]*term.Term(nil), here.vals...)
				for j, v := range e.Vars {
					next.vals[k.index[v]] = c.pool.Substitute(e.Exprs[j], sub)
				}
			case prog.HavocEdge:
				x := c.choice(e.Vars[0].Type.Sort)
				choices = append(choices, x)
				next.vals = append([]*term.Term(nil), here.vals...)
				next.vals[k.index[e.Vars[0]]] = x
			}
			arrive[e.To] = append(arrive[e.To], next)
		}
	}
	var out []step
	for n := len(order) - 1; n >= 0; n-- {
		if loc := order[n]; k.cut(loc) && len(arrive[loc]) > 0 {
			s := c.join(arrive[loc])
			s.to, s.choices = loc, choices
			out = append(out, s)
		}
	}
	return out
}

// join merges steps of which, for given choices, at most one is taken.
func (c *checker) join(list []step) step {
	last := len(list) - 1
	out := step{to: list[last].to, cond: list[last].cond, vals: append([]*term.Term(nil), list[last].vals...)}
	for n := last - 1; n >= 0; n-- {
		for i, v := range list[n].vals {
			if v != out.vals[i] {
				out.vals[i] = c.pool.Ite(list[n].cond, v, out.vals[i])
			}
		}
		out.cond = c.pool.Or(list[n].cond, out.cond)
	}
	return out
}

// apart reports whether conditions visibly exclude each other.
func (c *checker) apart(conds []*term.Term) bool {
	for i := range conds {
		for j := range i {
			if !c.pool.And(conds[i], conds[j]).IsFalse() {
				return false
			}
		}
	}
	return true
}

func (c *checker) choice(s term.Sort) *term.Term {
	c.fresh++
	return c.pool.Var(fmt.Sprintf("%schoice %d", hidden, c.fresh), s)
}

// unroll returns the runs from the given values at the entry to where end holds,
// as far as they take at most depth steps. Each step of each round has choices
// of its own, so that for given choices there is at most one run. Beyond the budget there are fewer.
func (c *checker) unroll(k *code, vals []*term.Term, depth int, end func(loc int) bool) (runs []step, choices []*term.Term, whole bool) {
	level := []step{{to: k.method.Entry, cond: c.pool.True(), vals: vals}}
	for range depth {
		arrive := map[int][]step{}
		for _, run := range level {
			sub := k.under(run.vals)
			renamed := false
			for _, s := range k.pieces[run.to] {
				if c.over() != "" {
					return runs, choices, false
				}
				if !renamed {
					renamed = true
					for _, x := range s.choices {
						y := c.choice(x.Sort())
						sub[x] = y
						choices = append(choices, y)
					}
				}
				next := step{to: s.to, cond: c.pool.And(run.cond, c.pool.Substitute(s.cond, sub)), vals: c.pool.SubstituteAll(s.vals, sub)}
				switch {
				case next.cond.IsFalse():
				case k.final(s.to):
					if end(s.to) {
						runs = append(runs, next)
					}
				default:
					arrive[s.to] = append(arrive[s.to], next)
				}
			}
		}
		level = nil
		for _, h := range k.heads {
			if len(arrive[h]) > 0 {
				level = append(level, c.join(arrive[h]))
			}
		}
		if len(level) == 0 {
			return runs, choices, true
		}
	}
	return runs, choices, false
}
