// SPDX-License-Identifier: Apache-2.0

package lower

// This file makes classes of numbers that are any number any class: otherwise a
// choice of 64 bits would stand where one of two does.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// anyClass replaces a class that is computed from nothing but a choice which
// nobody else reads.
func (m *Method) anyClass() {
	reads := map[*term.Term]int{}
	chosen := map[*term.Term]int{} // the edge that chooses it, if nothing else assigns it
	defs := map[*term.Term]int{}
	for i := range m.M.Edges {
		e := &m.M.Edges[i]
		for _, t := range e.Exprs {
			for _, v := range term.FreeVars(t) {
				reads[v]++
			}
		}
		for _, v := range e.Vars {
			defs[v.Term]++
			if e.Kind == prog.HavocEdge {
				chosen[v.Term] = i
			}
		}
	}
	var more []prog.Edge
	for i := range m.M.Edges {
		e := &m.M.Edges[i]
		if e.Kind != prog.AssignEdge {
			continue
		}
		for n := 0; n < len(e.Vars); n++ {
			v := e.Vars[n]
			if class, ok := m.optional[v]; !ok || class != nil || v.Type.Sort.Kind != term.EnumKind {
				continue
			}
			free := term.FreeVars(e.Exprs[n])
			if len(free) != 1 || reads[free[0]] != 1 || defs[free[0]] != 1 {
				continue
			}
			k, ok := chosen[free[0]]
			if !ok || !slices.ContainsFunc(m.M.Locals, func(l *prog.Var) bool { return l.Term == free[0] }) {
				continue
			}
			origin := m.M.Edges[k].Origin
			// The choice itself is without use now.
			m.M.Edges[k].Kind, m.M.Edges[k].Vars, m.M.Edges[k].Exprs, m.M.Edges[k].Origin = prog.AssignEdge, nil, nil, 0
			e.Vars, e.Exprs = slices.Delete(slices.Clone(e.Vars), n, n+1), slices.Delete(slices.Clone(e.Exprs), n, n+1)
			n--
			to := m.New()
			more = append(more, prog.Edge{From: to, To: e.To, Kind: prog.HavocEdge, Vars: []*prog.Var{v}, Origin: origin, Pos: e.Pos})
			e.To = to
		}
	}
	m.M.Edges = append(m.M.Edges, more...)
}
