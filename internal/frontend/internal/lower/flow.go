// SPDX-License-Identifier: Apache-2.0

package lower

// This file answers what influences what in one automaton. Control dependence
// is that of Ferrante, Ottenstein and Warren (TOPLAS 1987), by postdominators;
// all ends (return, error, dead end) meet in one virtual end. A value depends on
// a branch if an assignment on one of its ways may have given it, seen from where
// the ways meet again (implicit flow); code after an early return is controlled
// by the test but its values are not changed by it.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A graph is the automaton of a method with what is derived from it.
type graph struct {
	m     *prog.Method
	out   [][]int // indices of edges
	in    [][]int
	vars  map[*term.Term]*prog.Var
	ipdom []int // -1: the virtual end
	free  [][]*prog.Var
	check func() // stops it
}

func newGraph(p *prog.Program, method *Method) *graph {
	m := method.M
	g := &graph{m: m, check: method.W.Check, out: make([][]int, m.Locs), in: make([][]int, m.Locs), vars: map[*term.Term]*prog.Var{}, free: make([][]*prog.Var, len(m.Edges))}
	for _, v := range p.Vars(m) {
		g.vars[v.Term] = v
	}
	for i, e := range m.Edges {
		g.out[e.From] = append(g.out[e.From], i)
		g.in[e.To] = append(g.in[e.To], i)
		for _, t := range term.FreeVars(e.Exprs...) {
			g.free[i] = append(g.free[i], g.vars[t])
		}
	}
	g.postdominators()
	return g
}

// postdominators; loops without a way out get the end as postdominator.
func (g *graph) postdominators() {
	succs := make([][]int, g.m.Locs)
	for l := range succs {
		for _, i := range g.out[l] {
			succs[l] = append(succs[l], g.m.Edges[i].To)
		}
	}
	g.ipdom = Postdominators(succs)
	for l, d := range g.ipdom {
		if d == NoEnd {
			g.ipdom[l] = VirtualEnd
		}
	}
}

// branch reports whether a location decides something.
func (g *graph) branch(loc int) bool { return len(g.out[loc]) > 1 }

// tests returns the variables that the edges from a location test.
func (g *graph) tests(loc int) []*prog.Var {
	var all []*prog.Var
	for _, i := range g.out[loc] {
		if g.m.Edges[i].Kind == prog.AssumeEdge {
			all = append(all, g.free[i]...)
		}
	}
	return all
}

// controls returns for each location the branches that it is directly control
// dependent on.
func (g *graph) controls() [][]int {
	deps := make([][]int, g.m.Locs)
	for b := range g.m.Locs {
		if !g.branch(b) {
			continue
		}
		for _, i := range g.out[b] {
			for l := g.m.Edges[i].To; l >= 0 && l != g.ipdom[b]; l = g.ipdom[l] {
				if !slices.Contains(deps[l], b) {
					deps[l] = append(deps[l], b)
				}
				if l == b {
					break
				}
			}
		}
	}
	return deps
}

// arms returns what a branch makes different: the edges that only one of its
// ways passes, and the locations where ways meet again.
func (g *graph) arms(b int) (apart []int, meet []int) {
	count := make([]int8, g.m.Locs)
	for _, first := range g.out[b] {
		seen := make([]bool, g.m.Locs)
		seen[b] = true
		start := g.m.Edges[first].To
		if start == b {
			continue
		}
		seen[start] = true
		count[start] = min(2, count[start]+1)
		for stack := []int{start}; len(stack) > 0; {
			l := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, i := range g.out[l] {
				if to := g.m.Edges[i].To; !seen[to] {
					seen[to] = true
					count[to] = min(2, count[to]+1)
					stack = append(stack, to)
				}
			}
		}
	}
	isMeet := make([]bool, g.m.Locs)
	for i := range g.m.Edges {
		e := &g.m.Edges[i]
		one := e.From == b || count[e.From] == 1
		if !one {
			continue
		}
		apart = append(apart, i)
		if (count[e.To] == 2 || e.To == b) && !isMeet[e.To] {
			isMeet[e.To] = true
			meet = append(meet, e.To)
		}
	}
	return apart, meet
}

// taint computes for each location which variables depend on a source: an edge
// that is a source, or a variable that depends on one at entry. The result is
// indexed by location. A variable that is assigned on one way of a branch that
// depends on a source depends on it where the ways meet.
func (g *graph) taint(source func(edge int) bool, entry map[*prog.Var]bool) []map[*prog.Var]bool {
	at := make([]map[*prog.Var]bool, g.m.Locs)
	for l := range at {
		at[l] = map[*prog.Var]bool{}
	}
	var work []int
	queued := make([]bool, g.m.Locs)
	push := func(l int) {
		if !queued[l] {
			queued[l] = true
			work = append(work, l)
		}
	}
	seen := make([]bool, g.m.Locs)
	for v := range entry {
		at[g.m.Entry][v] = true
	}
	merged := make([]map[*prog.Var]bool, g.m.Locs) // by location: tainted by a meeting
	split := make([]bool, g.m.Locs)
	push(g.m.Entry)
	for len(work) > 0 {
		g.check()
		l := work[0]
		work = work[1:]
		queued[l] = false
		seen[l] = true
		depends := func(vars []*prog.Var) bool {
			return slices.ContainsFunc(vars, func(v *prog.Var) bool { return at[l][v] })
		}
		if g.branch(l) && !split[l] && depends(g.tests(l)) {
			split[l] = true
			apart, meet := g.arms(l)
			var vars []*prog.Var
			for _, i := range apart {
				for _, v := range g.m.Edges[i].Vars {
					if !slices.Contains(vars, v) {
						vars = append(vars, v)
					}
				}
			}
			for _, j := range meet {
				if merged[j] == nil {
					merged[j] = map[*prog.Var]bool{}
				}
				for _, v := range vars {
					merged[j][v] = true
					if !at[j][v] {
						at[j][v] = true
						push(j)
					}
				}
			}
		}
		for _, i := range g.out[l] {
			e := &g.m.Edges[i]
			changed := !seen[e.To]
			set := func(v *prog.Var) {
				if !at[e.To][v] {
					at[e.To][v], changed = true, true
				}
			}
			for v := range at[l] {
				if !slices.Contains(e.Vars, v) {
					set(v)
				}
			}
			switch e.Kind {
			case prog.HavocEdge:
				if source(i) {
					set(e.Vars[0])
				}
			case prog.AssignEdge:
				for k, v := range e.Vars {
					for _, t := range term.FreeVars(e.Exprs[k]) {
						if at[l][g.vars[t]] {
							set(v)
						}
					}
				}
			}
			for v := range merged[e.To] {
				set(v)
			}
			if changed {
				push(e.To)
			}
		}
	}
	return at
}

// leading returns the locations from which every way that ends leads to one: those
// that reach it and from which no other end can be reached without passing it. Loops
// are taken to end: that one is left decides nothing if all that follows is the target.
func (g *graph) leading(target int) map[int]bool {
	other := make([]bool, g.m.Locs)
	var work []int
	for l := range g.m.Locs {
		if l != target && len(g.out[l]) == 0 {
			other[l] = true
			work = append(work, l)
		}
	}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range g.in[l] {
			if from := g.m.Edges[i].From; from != target && !other[from] {
				other[from] = true
				work = append(work, from)
			}
		}
	}
	d := map[int]bool{target: true}
	for work = []int{target}; len(work) > 0; {
		l := work[0]
		work = work[1:]
		for _, i := range g.in[l] {
			if from := g.m.Edges[i].From; !d[from] && !other[from] {
				d[from] = true
				work = append(work, from)
			}
		}
	}
	return d
}

// deciding returns the edges that decide that a location is reached: from a
// location with a choice to one from which there is none.
func (g *graph) deciding(target int) []int {
	d := g.leading(target)
	var edges []int
	for i, e := range g.m.Edges {
		if d[e.To] && !d[e.From] {
			edges = append(edges, i)
		}
	}
	return edges
}
