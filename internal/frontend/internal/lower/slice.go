// SPDX-License-Identifier: Apache-2.0

package lower

// This file removes what no error site can depend on (slicing: Weiser, TSE 1984,
// here on a whole component: state carries dependences from call to call).
//
// What errors depend on is kept exactly: variables tested on the way to a site,
// what is assigned to them, and the tests that control those assignments. Loops
// that decide nothing are removed, but for those of which the front end says that their
// tests decide whether they end.
//
// Results tell the client something, so a result is kept as far as it depends on
// what errors depend on; everything else in it is replaced by any value. What
// the client learns about the kept variables is the same, therefore verdicts are;
// only outcomes that cannot happen may seem possible.

import (
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

type slicer struct {
	p       *prog.Program
	methods []*Method
	graphs  []*graph
	deps    [][][]int
	defs    []map[*prog.Var][]int // by method: edges that assign a variable
	local   []map[*prog.Var]bool
	numbers bool // a result that tells more than its class was left out
}

func newSlicer(p *prog.Program, methods []*Method) *slicer {
	s := &slicer{p: p, methods: methods}
	for _, m := range methods {
		g := newGraph(p, m)
		s.graphs = append(s.graphs, g)
		s.deps = append(s.deps, g.controls())
		defs := map[*prog.Var][]int{}
		for i, e := range m.M.Edges {
			for _, v := range e.Vars {
				defs[v] = append(defs[v], i)
			}
		}
		s.defs = append(s.defs, defs)
		local := map[*prog.Var]bool{}
		for _, v := range m.M.Locals {
			local[v] = true
		}
		s.local = append(s.local, local)
	}
	return s
}

// A Depth says how much of a component is kept: what error sites depend on in
// so many steps, and what results depend on. A negative number is no limit. Of
// results that are numbers only their classes are kept, unless Results is Numbers;
// in a plain program not even these.
type Depth struct {
	Sites, Results int
	Plain          bool
}

// Numbers is no limit for results, and results that are numbers are kept as such.
const Numbers = -2

// slice removes from all methods what is beyond a depth; complete reports that
// nothing was left out that could change a verdict.
func (s *slicer) slice(d Depth) (complete bool) {
	keep, complete := s.backward(nil, true, d.Sites)
	s.keepLeaving(keep)
	// What results tell about the rest is of no use.
	var forward map[*prog.Var]bool
	var results []*prog.Var
	for _, m := range s.methods {
		m.M.Results = slices.DeleteFunc(slices.Clone(m.M.Results), func(r *prog.Var) bool {
			class, optional := m.optional[r]
			if !optional {
				return false
			}
			if forward == nil {
				forward = s.forward(keep)
			}
			if number := class != nil; number && d.Results != Numbers {
				s.numbers = s.numbers || forward[r]
				return true
			} else if !number && (d.Results == Numbers || d.Results == 0 || d.Plain) {
				return true
			}
			return !forward[r]
		})
		results = append(results, m.M.Results...)
	}
	behind, all := s.backward(results, false, d.Results)
	if d.Results < 0 {
		if forward == nil {
			forward = s.forward(keep)
		}
		for v := range behind {
			if !forward[v] {
				delete(behind, v)
			}
		}
	}
	for v := range behind {
		keep[v] = true
	}
	for _, r := range results {
		keep[r] = true
	}
	ends := s.keepEnds(keep, d.Sites < 0 && d.Results < 0)
	for k, m := range s.methods {
		s.reduce(m, s.graphs[k], keep)
	}
	return complete && all && ends
}

// keepLeaving keeps what decides whether loops end of which the front end does not know it, whatever the depth is: a test of
// any value would end them all.
func (s *slicer) keepLeaving(keep map[*prog.Var]bool) {
	var tests []*prog.Var
	for k, m := range s.methods {
		for loc := range m.leaving {
			if s.graphs[k].branch(loc) {
				tests = append(tests, s.graphs[k].tests(loc)...)
			}
		}
	}
	if len(tests) == 0 {
		return
	}
	behind, _ := s.backward(tests, false, -1)
	maps.Copy(keep, behind)
	for _, v := range tests {
		keep[v] = true // also what nothing is assigned to
	}
}

// keepEnds keeps what decides whether a call returns, as far as that depends on what is kept: that a call has returned tells
// as much as a result does. A wait that is left out lets runs go on that end there, with values of what is kept that the
// client never meets. It reports false if there is such a wait and no more is to be kept.
func (s *slicer) keepEnds(keep map[*prog.Var]bool, more bool) bool {
	for {
		var forward map[*prog.Var]bool
		var missing []*prog.Var
		for k, m := range s.methods {
			g := s.graphs[k]
			for i := range m.M.Edges {
				e := &m.M.Edges[i]
				if e.Kind != prog.AssumeEdge || len(g.out[e.From]) != 1 || !m.ends[e.From] || !slices.ContainsFunc(g.free[i], func(v *prog.Var) bool { return !keep[v] }) {
					continue
				}
				if forward == nil {
					forward = s.forward(keep)
				}
				if slices.ContainsFunc(g.free[i], func(v *prog.Var) bool { return forward[v] }) {
					missing = append(missing, g.free[i]...)
				}
			}
		}
		if len(missing) == 0 || !more {
			return len(missing) == 0
		}
		behind, _ := s.backward(missing, false, -1)
		for v := range behind {
			keep[v] = true
		}
		for _, v := range missing {
			keep[v] = true // also what nothing is assigned to
		}
	}
}

// backward returns what the given variables, and error sites if asked for,
// depend on in a number of steps (-1: any number). A step goes from a variable to
// what its assignments read and what controls them. A local that is assigned in
// one place stands for the expression that it is assigned; that costs no step.
func (s *slicer) backward(start []*prog.Var, sites bool, steps int) (keep map[*prog.Var]bool, complete bool) {
	keep = map[*prog.Var]bool{}
	var next []*prog.Var
	var add func(k int, v *prog.Var)
	add = func(k int, v *prog.Var) {
		if keep[v] {
			return
		}
		keep[v] = true
		if d := s.defs[k][v]; s.local[k][v] && len(d) == 1 {
			e := &s.methods[k].M.Edges[d[0]]
			if e.Kind == prog.AssignEdge {
				for _, t := range term.FreeVars(e.Exprs[slices.Index(e.Vars, v)]) {
					add(k, s.graphs[k].vars[t])
				}
			}
			return
		}
		next = append(next, v)
	}
	done := make([]map[int]bool, len(s.methods))
	for k := range done {
		done[k] = map[int]bool{}
	}
	var control func(k, loc int)
	control = func(k, loc int) {
		for _, b := range s.deps[k][loc] {
			if !done[k][b] {
				done[k][b] = true
				for _, v := range s.graphs[k].tests(b) {
					add(k, v)
				}
				control(k, b)
			}
		}
	}
	for k, m := range s.methods {
		for _, v := range start {
			if s.defs[k][v] != nil {
				add(k, v)
			}
		}
		if sites {
			for _, site := range m.sites {
				if site.Blamed {
					continue
				}
				control(k, site.Loc)
				if site.Kind == favouredKind {
					continue // more of its runs do no harm, more variables would
				}
				for _, i := range s.straight(k, site.Loc) {
					for _, v := range s.graphs[k].free[i] {
						add(k, v)
					}
				}
			}
		}
	}
	for {
		s.methods[0].W.Check()
		// A constraint on a variable that matters ties the others to it.
		tie := func() (tied bool) {
			for k, m := range s.methods {
				g := s.graphs[k]
				for i := range m.M.Edges {
					e := &m.M.Edges[i]
					if e.Kind != prog.AssumeEdge || len(g.out[e.From]) != 1 || m.loose[e.From] || !slices.ContainsFunc(g.free[i], func(v *prog.Var) bool { return keep[v] }) {
						continue
					}
					for _, v := range g.free[i] {
						if !keep[v] {
							add(k, v)
							tied = true
						}
					}
					control(k, e.From)
				}
			}
			return tied
		}
		if steps == 0 {
			return keep, len(next) == 0 && !tie()
		}
		if len(next) == 0 && !tie() && len(next) == 0 {
			return keep, true
		}
		steps--
		now := next
		next = nil
		for _, v := range now {
			for k, m := range s.methods {
				g := s.graphs[k]
				for _, i := range s.defs[k][v] {
					e := &m.M.Edges[i]
					if e.Kind == prog.AssignEdge {
						for _, t := range term.FreeVars(e.Exprs[slices.Index(e.Vars, v)]) {
							add(k, g.vars[t])
						}
					}
					control(k, e.From)
				}
			}
		}
	}
}

// straight returns the constraints on the way from the last branch to a location:
// those that say whose fault an error is are there.
func (s *slicer) straight(k, loc int) (edges []int) {
	g := s.graphs[k]
	seen := map[int]bool{loc: true}
	for work := []int{loc}; len(work) > 0; {
		l := work[0]
		work = work[1:]
		for _, i := range g.in[l] {
			e := &s.methods[k].M.Edges[i]
			if len(g.out[e.From]) != 1 || seen[e.From] {
				continue
			}
			if e.Kind == prog.AssumeEdge {
				edges = append(edges, i)
			}
			seen[e.From] = true
			work = append(work, e.From)
		}
	}
	return edges
}

// forward returns what depends on the given variables, in calls that return: a test of nothing but
// them, of which one way only leads to the end of the call, tells nothing apart behind it. (That
// the test was passed is known without any result. Of others the test itself may depend, and
// then results that depend on these tell how it went.) Arguments are no such variables: what
// results tell of them, the client knows.
func (s *slicer) forward(start map[*prog.Var]bool) map[*prog.Var]bool {
	all := map[*prog.Var]bool{}
	for v := range start {
		all[v] = true
	}
	for _, m := range s.methods {
		for _, v := range m.M.Params {
			delete(all, v)
		}
	}
	type branch struct{ method, loc int }
	users := map[*prog.Var][]*prog.Var{} // what is computed from a variable
	tests := map[*prog.Var][]branch{}
	for k, m := range s.methods {
		g := s.graphs[k]
		for i := range m.M.Edges {
			if e := &m.M.Edges[i]; e.Kind == prog.AssignEdge {
				for n, v := range e.Vars {
					for _, t := range term.FreeVars(e.Exprs[n]) {
						users[g.vars[t]] = append(users[g.vars[t]], v)
					}
				}
			}
		}
		returns := g.before(m.M.Exit)
		for b := range m.M.Locs {
			if !g.branch(b) {
				continue
			}
			ways := slices.DeleteFunc(slices.Clone(g.out[b]), func(i int) bool { return !returns[m.M.Edges[i].To] })
			on := g.tests(b)
			if len(ways) == 1 && m.M.Edges[ways[0]].Kind == prog.AssumeEdge && !slices.ContainsFunc(on, func(v *prog.Var) bool { return !start[v] }) {
				continue
			}
			for _, v := range on {
				tests[v] = append(tests[v], branch{k, b})
			}
		}
	}
	work := slices.Collect(maps.Keys(all)) // a set grows, in any order
	add := func(v *prog.Var) {
		if !all[v] {
			all[v] = true
			work = append(work, v)
		}
	}
	visited := map[branch]bool{}
	for len(work) > 0 {
		s.methods[0].W.Check()
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range users[v] {
			add(u)
		}
		for _, b := range tests[v] {
			if visited[b] {
				continue
			}
			visited[b] = true
			apart, _ := s.graphs[b.method].arms(b.loc)
			for _, i := range apart {
				for _, u := range s.methods[b.method].M.Edges[i].Vars {
					add(u)
				}
			}
		}
	}
	return all
}

// reduce drops what is not kept: assignments become skips, and conditions over
// other variables become choices.
func (s *slicer) reduce(m *Method, g *graph, keep map[*prog.Var]bool) {
	skip := func(e *prog.Edge) {
		e.Kind, e.Vars, e.Exprs, e.Origin = prog.AssignEdge, nil, nil, 0
	}
	fresh := func(sort term.Sort, signed bool) *prog.Var {
		return m.Local("any "+itoa(len(m.M.Locals)), "any", prog.Type{Sort: sort, Signed: signed})
	}
	for loc := range m.M.Locs {
		var free bool
		for _, i := range g.out[loc] {
			e := &m.M.Edges[i]
			if e.Kind == prog.AssumeEdge && slices.ContainsFunc(g.free[i], func(v *prog.Var) bool { return !keep[v] }) {
				free = true
			}
		}
		if free {
			for _, i := range g.out[loc] {
				skip(&m.M.Edges[i])
			}
		}
	}
	var more []prog.Edge
	for i := range m.M.Edges {
		e := &m.M.Edges[i]
		switch e.Kind {
		case prog.HavocEdge:
			if !keep[e.Vars[0]] {
				skip(e)
			}
		case prog.AssignEdge:
			// A value of which nothing is kept is any value; what is partly kept
			// gets any value for the rest.
			var vars, free []*prog.Var
			var exprs []*term.Term
			loc := e.From
			havoc := func(v *prog.Var) {
				to := m.New()
				more = append(more, prog.Edge{From: loc, To: to, Kind: prog.HavocEdge, Vars: []*prog.Var{v}, Origin: prog.Guess, Pos: e.Pos})
				loc = to
			}
			subst := map[*term.Term]*term.Term{}
			for n, v := range e.Vars {
				if !keep[v] {
					continue
				}
				reads := term.FreeVars(e.Exprs[n])
				if len(reads) > 0 && !slices.ContainsFunc(reads, func(t *term.Term) bool { return keep[g.vars[t]] }) {
					free = append(free, v)
					continue
				}
				for _, t := range reads {
					x := g.vars[t]
					if keep[x] || subst[t] != nil {
						continue
					}
					h := fresh(x.Type.Sort, x.Type.Signed)
					subst[t] = h.Term
					havoc(h)
				}
				vars = append(vars, v)
				exprs = append(exprs, e.Exprs[n])
			}
			for n, t := range exprs {
				if len(subst) > 0 {
					exprs[n] = m.W.Pool.Substitute(t, subst)
				}
			}
			e.From, e.Vars, e.Exprs = loc, vars, exprs
			// The free ones come last: the others may read their old values.
			if len(free) > 0 {
				end := e.To
				e.To = m.New()
				loc = e.To
				for _, v := range free {
					havoc(v)
				}
				more = append(more, prog.Edge{From: loc, To: end, Kind: prog.AssignEdge, Pos: e.Pos})
			}
		}
	}
	m.M.Edges = append(m.M.Edges, more...)
}
