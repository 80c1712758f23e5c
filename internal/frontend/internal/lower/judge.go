// SPDX-License-Identifier: Apache-2.0

package lower

// This file finds whose fault errors are, and which of them hang on something
// that is not modelled.
//
// Blame: an erring run is the environment's fault iff the branch that decides the
// site tests a value that depends on an answer given during the same call. A
// site with several deciding branches is split, so that each run is judged by
// the branch it took. Where the value is an answer on some ways only, the run itself
// knows which it was (answer.go).
//
// Unsure: a site whose reachability depends on a value that the code has but the
// program only guesses. Runs that err there may not exist.

import (
	"cmp"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// blame sets marks, splits error sites, and marks those that are the
// environment's fault. It reports whether the code changed.
func (m *Method) blame(p *prog.Program) (changed bool) {
	g := newGraph(p, m)
	x := g.answers(func(i int) bool { return m.class[m.M.Edges[i].To] == Answer }, func(i int) (vars []*prog.Var) {
		for _, t := range m.from[m.M.Edges[i].To] {
			for _, t := range term.FreeVars(t) {
				vars = append(vars, g.vars[t])
			}
		}
		return vars
	}, func(v *prog.Var) bool { return m.replies[v] })
	flags := newAnswerFlags(x, m)
	// theirs says whether the branch of an edge tests an answer.
	theirs := func(i int) *term.Term {
		from := m.M.Edges[i].From
		if x.at[from] == nil {
			return m.W.Pool.False()
		}
		return flags.any(from, g.tests(from))
	}
	for _, k := range m.marks {
		m.mark(k, g, flags, theirs)
	}
	type split struct {
		site *Site
		edge int
		t    *term.Term
	}
	var splits []split
	for _, s := range m.sites {
		for _, i := range g.deciding(s.Loc) {
			if t := theirs(i); !t.IsFalse() {
				splits = append(splits, split{s, i, t})
			}
		}
	}
	flags.emit()
	copies := map[*Site]*Site{}
	for _, s := range splits {
		c := copies[s.site]
		if c == nil {
			site, inner := *s.site, *s.site.ErrorSite
			inner.Loc, inner.Blamed = m.New(), true
			site.ErrorSite = &inner
			c = &site
			copies[s.site] = c
			m.sites = append(m.sites, c)
		}
		e := &m.M.Edges[s.edge]
		if s.t.IsTrue() {
			e.To = c.Loc
			continue
		}
		// Each run is judged by itself. The flags are what they were before the
		// edge that decides: it leads to the error and nowhere else.
		at, ours := m.New(), e.To
		e.To = at
		pos := e.Pos
		m.M.Edges = append(m.M.Edges,
			prog.Edge{From: at, To: c.Loc, Kind: prog.AssumeEdge, Exprs: []*term.Term{s.t}, Pos: pos},
			prog.Edge{From: at, To: ours, Kind: prog.AssumeEdge, Exprs: []*term.Term{m.W.Pool.Not(s.t)}, Pos: pos})
		changed = true
	}
	m.settleMarks()
	m.tidyFirst()
	return changed || flags.added
}

// mark sets a flag to whether control is here because of an answer.
func (m *Method) mark(k mark, g *graph, flags *answerFlags, theirs func(edge int) *term.Term) {
	edges := g.deciding(k.loc)
	var ts []*term.Term
	for _, i := range edges {
		ts = append(ts, theirs(i))
	}
	set := func(t *term.Term) {
		for _, i := range g.out[k.loc] {
			if e := &m.M.Edges[i]; len(e.Vars) == 1 && e.Vars[0] == k.flag {
				e.Kind, e.Exprs, e.Origin = prog.AssignEdge, []*term.Term{t}, 0
			}
		}
	}
	p := m.W.Pool
	set(p.False())
	switch {
	case len(ts) == 0 || !slices.ContainsFunc(ts, func(t *term.Term) bool { return !t.IsFalse() }):
	case !slices.ContainsFunc(ts, func(t *term.Term) bool { return !t.IsTrue() }):
		set(p.True())
	default:
		// The edge that decided says it.
		why := m.Local("decided "+itoa(k.loc), "answered", prog.Type{Sort: term.BoolSort})
		for n, i := range edges {
			flags.updates[i] = append(flags.updates[i], update{why, ts[n]})
		}
		set(why.Term)
	}
}

// settleMarks replaces the flags that are never set by false.
func (m *Method) settleMarks() {
	set := map[*prog.Var]bool{}
	for i := range m.M.Edges {
		e := &m.M.Edges[i]
		for n, v := range e.Vars {
			if e.Kind != prog.AssignEdge || !e.Exprs[n].IsFalse() {
				set[v] = true
			}
		}
	}
	never := map[*term.Term]*term.Term{}
	for _, k := range m.marks {
		if !set[k.flag] {
			never[k.flag.Term] = m.W.Pool.False()
		}
	}
	if len(never) == 0 {
		return
	}
	for i := range m.M.Edges {
		e := &m.M.Edges[i]
		if e.Kind == prog.AssumeEdge {
			e.Exprs = m.W.Pool.SubstituteAll(e.Exprs, never)
		}
	}
}

// judge finds the sites that hang on something unmodelled. Where that is what the client
// gave, a parameter says it instead (given.go).
func judge(p *prog.Program, methods []*Method, constructors int) {
	graphs := make([]*graph, len(methods))
	for k, m := range methods {
		if k >= constructors && len(m.given) > 0 {
			m.thread()
			m.tidyFirst()
		}
		graphs[k] = newGraph(p, m)
	}
	// What a variable is before the first call is not known if it has no initial value. Unless
	// constructors set it, methods find that.
	open, entry := map[*prog.Var]bool{}, map[*prog.Var]bool{}
	for _, v := range p.State {
		if v.Init == nil {
			open[v], entry[v] = true, constructors == 0
		}
	}
	taints := make([]*taint, len(methods))
	for changed := true; changed; {
		changed = false
		for k, m := range methods {
			from := entry
			if k < constructors {
				from = open
			}
			taints[k] = graphs[k].taint(func(i int) bool { return m.class[m.M.Edges[i].To] == Unmodelled }, from)
			for _, v := range p.State {
				if taints[k].on(m.M.Exit, v) && !entry[v] {
					entry[v], changed = true, true
				}
			}
		}
	}
	for k, m := range methods {
		g := graphs[k]
		deps := g.controls()
		for _, s := range m.sites {
			s.Unsure = slices.ContainsFunc(closure(deps, s.Loc), func(b int) bool {
				return taints[k].any(b, g.tests(b))
			})
		}
	}
	give(p, methods, constructors, graphs, taints)
}

// closure returns the branches that a location depends on, directly or not.
func closure(deps [][]int, loc int) []int {
	seen := map[int]bool{}
	var all []int
	for work := []int{loc}; len(work) > 0; {
		l := work[0]
		work = work[1:]
		for _, b := range deps[l] {
			if !seen[b] {
				seen[b] = true
				all = append(all, b)
				work = append(work, b)
			}
		}
	}
	slices.SortFunc(all, cmp.Compare[int])
	return all
}
