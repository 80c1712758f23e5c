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

// A taint says for each location which variables depend on a source.
type taint struct {
	number map[*prog.Var]int
	at     [][]uint64 // by location, a set of numbers
}

// on reports whether a variable depends on a source at a location.
func (t *taint) on(loc int, v *prog.Var) bool {
	n, ok := t.number[v]
	return ok && t.at[loc][n/64]>>(n%64)&1 != 0
}

// any reports whether one of the variables does.
func (t *taint) any(loc int, vars []*prog.Var) bool {
	return slices.ContainsFunc(vars, func(v *prog.Var) bool { return t.on(loc, v) })
}

// ever returns the variables that do somewhere.
func (t *taint) ever() map[*prog.Var]bool {
	all := map[*prog.Var]bool{}
	for v, n := range t.number {
		all[v] = slices.ContainsFunc(t.at, func(set []uint64) bool { return set[n/64]>>(n%64)&1 != 0 })
	}
	return all
}

// taint computes for each location which variables depend on a source: an edge
// that is a source, or a variable that depends on one at entry. A variable that is assigned
// on one way of a branch that depends on a source depends on it where the ways meet.
func (g *graph) taint(source func(edge int) bool, entry map[*prog.Var]bool) *taint {
	t := &taint{number: map[*prog.Var]int{}, at: make([][]uint64, g.m.Locs)}
	number := func(v *prog.Var) int {
		n, ok := t.number[v]
		if !ok {
			n = len(t.number)
			t.number[v] = n
		}
		return n
	}
	// The variables of the edges by number: what they set, and what that is computed from.
	sets, reads := make([][]int, len(g.m.Edges)), make([][][]int, len(g.m.Edges))
	for i := range g.m.Edges {
		e := &g.m.Edges[i]
		for k, v := range e.Vars {
			sets[i] = append(sets[i], number(v))
			var from []int
			if e.Kind == prog.AssignEdge {
				for _, x := range term.FreeVars(e.Exprs[k]) {
					from = append(from, number(g.vars[x]))
				}
			}
			reads[i] = append(reads[i], from)
		}
	}
	tests := make([][]int, g.m.Locs)
	for l := range tests {
		for _, v := range g.tests(l) {
			tests[l] = append(tests[l], number(v))
		}
	}
	for v := range entry {
		number(v)
	}
	words := (len(t.number) + 63) / 64
	all := make([]uint64, words*g.m.Locs)
	for l := range t.at {
		t.at[l] = all[l*words : (l+1)*words : (l+1)*words]
	}
	has := func(set []uint64, n int) bool { return set[n/64]>>(n%64)&1 != 0 }
	add := func(set []uint64, n int) { set[n/64] |= 1 << (n % 64) }
	var work []int
	queued := make([]bool, g.m.Locs)
	push := func(l int) {
		if !queued[l] {
			queued[l] = true
			work = append(work, l)
		}
	}
	for v := range entry {
		if entry[v] {
			add(t.at[g.m.Entry], t.number[v])
		}
	}
	seen := make([]bool, g.m.Locs)
	merged := make([][]uint64, g.m.Locs) // by location: tainted by a meeting
	split := make([]bool, g.m.Locs)
	next := make([]uint64, words)
	push(g.m.Entry)
	for len(work) > 0 {
		g.check()
		l := work[0]
		work = work[1:]
		queued[l] = false
		seen[l] = true
		here := t.at[l]
		depends := func(n int) bool { return has(here, n) }
		if g.branch(l) && !split[l] && slices.ContainsFunc(tests[l], depends) {
			split[l] = true
			apart, meet := g.arms(l)
			set := make([]uint64, words)
			for _, i := range apart {
				for _, n := range sets[i] {
					add(set, n)
				}
			}
			for _, j := range meet {
				if merged[j] == nil {
					merged[j] = make([]uint64, words)
				}
				for k, w := range set {
					merged[j][k] |= w
					if w&^t.at[j][k] != 0 {
						t.at[j][k] |= w
						push(j)
					}
				}
			}
		}
		for _, i := range g.out[l] {
			e := &g.m.Edges[i]
			copy(next, here)
			for _, n := range sets[i] {
				next[n/64] &^= 1 << (n % 64)
			}
			switch e.Kind {
			case prog.HavocEdge:
				if source(i) {
					add(next, sets[i][0])
				}
			case prog.AssignEdge:
				for k, n := range sets[i] {
					if slices.ContainsFunc(reads[i][k], depends) {
						add(next, n)
					}
				}
			}
			changed := !seen[e.To]
			for k, w := range next {
				if merged[e.To] != nil {
					w |= merged[e.To][k]
				}
				if w&^t.at[e.To][k] != 0 {
					t.at[e.To][k] |= w
					changed = true
				}
			}
			if changed {
				push(e.To)
			}
		}
	}
	return t
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
