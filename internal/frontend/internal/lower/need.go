// SPDX-License-Identifier: Apache-2.0

package lower

// This file finds arguments that must not be nil. Code that keeps a reference
// which the client gave it, and uses it later without a test, errs if it is nil:
// in every call, as far as can be known, since what the calls do in between is not
// followed. Nothing of a protocol is in that. So such an argument is assumed not to
// be nil if that decides checks, and the assumption is part of the guard of the
// call (a precondition, as those of Hoare; weakest ones are left to the engines).

import (
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A Need is a parameter that must not be nil.
type Need struct {
	Method, Param string
	// Sites are the checks that err otherwise, of all methods.
	Sites map[string][]*Site
}

// A nilable is a parameter that may be nil.
type nilable struct {
	v     *prog.Var
	isNil *term.Term
}

// MayBeNil declares that a parameter is nil where a condition on it holds.
func (m *Method) MayBeNil(v *prog.Var, isNil *term.Term) {
	m.nilable = append(m.nilable, nilable{v, isNil})
}

// needs assumes that arguments are not nil if that decides checks of the run
// time, and returns which.
func (w *World) needs(p *prog.Program, constructors, methods []*Method, steps *int) []Need {
	all := slices.Concat(constructors, methods)
	if !slices.ContainsFunc(all, func(m *Method) bool {
		return len(m.nilable) > 0
	}) {
		return nil
	}
	flows := w.flowsInto(p, all, func(s *Site) bool { return s.Implicit })
	for v := range w.flowsInto(p, all, func(s *Site) bool { return !s.Implicit }) {
		delete(flows, v) // the code itself errs about it: that is a protocol
	}
	type saved struct {
		entry int
		edges []prog.Edge
		sites []*Site
	}
	before := make([]saved, len(all))
	var needs []Need
	for k, m := range all {
		before[k] = saved{m.M.Entry, slices.Clone(m.M.Edges), slices.Clone(m.sites)}
		for _, n := range m.nilable {
			if !flows[n.v] || slices.ContainsFunc(w.untouched, func(u Need) bool { return u.Method == m.M.Name && u.Param == n.v.Name }) {
				continue
			}
			needs = append(needs, Need{Method: m.M.Name, Param: n.v.Name})
			l := m.New()
			m.M.Edges = append(m.M.Edges, prog.Edge{From: l, To: m.M.Entry, Kind: prog.AssumeEdge, Exprs: []*term.Term{w.Pool.Not(n.isNil)}, Pos: m.M.Pos})
			m.M.Entry = l
		}
	}
	if len(needs) == 0 {
		return nil
	}
	for _, m := range all {
		m.tidyFirst()
	}
	interpret(p, constructors, methods, false, steps)
	spared := map[string][]*Site{}
	explicit := false
	for k, m := range all {
		for _, s := range before[k].sites {
			if !slices.Contains(m.sites, s) {
				spared[m.M.Name] = append(spared[m.M.Name], s)
				explicit = explicit || !s.Implicit
			}
		}
	}
	if len(spared) == 0 || explicit {
		// No use, or it decides an error of the code after all.
		for k, m := range all {
			m.M.Entry, m.M.Edges, m.sites = before[k].entry, before[k].edges, before[k].sites
		}
		return nil
	}
	for i := range needs {
		needs[i].Sites = spared
	}
	return needs
}

// tests returns the parameters whose nilness errors of the code may depend on.
func (w *World) tests(p *prog.Program, all []*Method) (list []Need) {
	var flows map[*prog.Var]bool
	for _, m := range all {
		for _, n := range m.nilable {
			if flows == nil {
				flows = w.flowsInto(p, all, func(s *Site) bool { return !s.Implicit })
			}
			if flows[n.v] {
				list = append(list, Need{Method: m.M.Name, Param: n.v.Name})
			}
		}
	}
	return list
}

// flowsInto returns the variables whose values may be what decides some sites,
// references only.
func (w *World) flowsInto(p *prog.Program, all []*Method, of func(s *Site) bool) map[*prog.Var]bool {
	into := map[*prog.Var]bool{}
	var work []*prog.Var
	add := func(v *prog.Var) {
		if v != nil && v.Type.Sort.Kind == term.EnumKind && !into[v] {
			into[v] = true
			work = append(work, v)
		}
	}
	sources := map[*prog.Var][]*prog.Var{}
	for _, m := range all {
		g := newGraph(p, m)
		for i := range m.M.Edges {
			e := &m.M.Edges[i]
			if e.Kind != prog.AssignEdge {
				continue
			}
			for k, v := range e.Vars {
				for _, t := range term.FreeVars(e.Exprs[k]) {
					sources[v] = append(sources[v], g.vars[t])
				}
			}
		}
		for _, s := range m.sites {
			if !of(s) {
				continue
			}
			for _, i := range g.deciding(s.Loc) {
				for _, v := range g.free[i] {
					add(v)
				}
			}
		}
	}
	for len(work) > 0 {
		v := work[0]
		work = work[1:]
		for _, u := range sources[v] {
			add(u)
		}
	}
	return into
}
