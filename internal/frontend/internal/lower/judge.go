// SPDX-License-Identifier: Apache-2.0

package lower

// This file finds whose fault errors are, and which of them hang on something
// that is not modelled.
//
// Blame: an erring run is the environment's fault iff the branch that decides the
// site tests a value that depends on an answer given during the same call. A
// site with several deciding branches is split, so that each run is judged by
// the branch it took. Where the value is an answer on some ways only, the site is a
// residue that is not decided.
//
// Unsure: a site whose reachability depends on a value that the code has but the
// program only guesses. Runs that err there may not exist.

import (
	"cmp"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// blame sets marks and splits and marks error sites.
func (m *Method) blame(p *prog.Program) {
	g := newGraph(p, m)
	at := g.answers(func(i int) bool { return m.class[m.M.Edges[i].To] == Answer }, func(i int) (vars []*prog.Var) {
		for _, t := range m.from[m.M.Edges[i].To] {
			for _, t := range term.FreeVars(t) {
				vars = append(vars, g.vars[t])
			}
		}
		return vars
	})
	// decided returns on which ways the branch of an edge tests an answer.
	decided := func(i int) (level uint8) {
		from := m.M.Edges[i].From
		for _, v := range g.tests(from) {
			level = max(level, at[from][v].level)
		}
		return level
	}
	for _, k := range m.marks {
		edges := g.deciding(k.loc)
		if len(edges) > 0 && !slices.ContainsFunc(edges, func(i int) bool { return decided(i) < 2 }) {
			for _, i := range g.out[k.loc] {
				m.M.Edges[i].Exprs[0] = m.W.Pool.True()
			}
		}
	}
	m.settleMarks()
	var more []*Site
	for _, s := range m.sites {
		var theirs, mixed, ours []int
		for _, i := range g.deciding(s.Loc) {
			switch decided(i) {
			case 0:
				ours = append(ours, i)
			case 1:
				mixed = append(mixed, i)
			default:
				theirs = append(theirs, i)
			}
		}
		copied := func(edges []int) *Site {
			if len(ours) == 0 && len(edges) == len(theirs)+len(mixed) { // nothing else
				return s // the only ones
			}
			c, site := *s, *s.ErrorSite
			c.ErrorSite = &site
			site.Loc = m.New()
			for _, i := range edges {
				m.M.Edges[i].To = site.Loc
			}
			more = append(more, &c)
			return &c
		}
		if len(theirs) > 0 {
			copied(theirs).Blamed = true
		}
		if len(mixed) > 0 {
			// An answer on some ways only: whose fault it is, is not known.
			c := copied(mixed)
			c.Explicit = !c.Implicit
			c.Residue, c.Implicit = true, true
		}
	}
	m.sites = append(m.sites, more...)
	m.tidyFirst()
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

// judge finds the sites that hang on something unmodelled.
func judge(p *prog.Program, methods []*Method) {
	graphs := make([]*graph, len(methods))
	for k, m := range methods {
		graphs[k] = newGraph(p, m)
	}
	entry := map[*prog.Var]bool{}
	taints := make([][]map[*prog.Var]bool, len(methods))
	for changed := true; changed; {
		changed = false
		for k, m := range methods {
			taints[k] = graphs[k].taint(func(i int) bool { return m.class[m.M.Edges[i].To] == Unmodelled }, entry)
			for _, v := range p.State {
				if taints[k][m.M.Exit][v] && !entry[v] {
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
				return slices.ContainsFunc(g.tests(b), func(v *prog.Var) bool { return taints[k][b][v] })
			})
		}
	}
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
