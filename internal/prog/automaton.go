// SPDX-License-Identifier: Apache-2.0

package prog

// This file brings automata into canonical form and looks into them. The
// canonical form numbers locations depth-first from Entry in the order of
// edges, so equal texts give equal automata; locations that no path reaches
// are dropped, except Exit, which then comes last. It does not merge bisimilar
// locations: positions and error sites are kept as they were written.

import (
	"cmp"
	"maps"
	"slices"
)

// Canonical returns p with every automaton in canonical form. Variables and
// terms are shared with p.
func Canonical(p *Program) *Program {
	q := *p
	each := func(ms []*Method) []*Method {
		out := make([]*Method, len(ms))
		for i, m := range ms {
			n := *m
			n.Edges = slices.Clone(m.Edges)
			n.Errors = make([]*ErrorSite, len(m.Errors))
			for j, e := range m.Errors {
				site := *e
				n.Errors[j] = &site
			}
			n.canonical()
			out[i] = &n
		}
		return out
	}
	q.Constructors, q.Methods = each(p.Constructors), each(p.Methods)
	return &q
}

// canonical renumbers m in place.
func (m *Method) canonical() {
	slices.SortStableFunc(m.Edges, func(a, b Edge) int { return cmp.Compare(a.From, b.From) })
	number := make([]int, m.Locs) // of each location; -1: not reached
	for i := range number {
		number[i] = -1
	}
	n := 0
	for stack := []int{m.Entry}; len(stack) > 0; {
		loc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if number[loc] >= 0 {
			continue
		}
		number[loc] = n
		n++
		for _, e := range slices.Backward(m.Out(loc)) {
			stack = append(stack, e.To)
		}
	}
	if number[m.Exit] < 0 {
		number[m.Exit] = n
		n++
	}
	edges := m.Edges[:0]
	for _, e := range m.Edges {
		if number[e.From] >= 0 {
			e.From, e.To = number[e.From], number[e.To]
			edges = append(edges, e)
		}
	}
	m.Edges = edges
	slices.SortStableFunc(m.Edges, func(a, b Edge) int { return cmp.Compare(a.From, b.From) })
	m.Errors = slices.DeleteFunc(m.Errors, func(e *ErrorSite) bool { return number[e.Loc] < 0 })
	for _, e := range m.Errors {
		e.Loc = number[e.Loc]
	}
	slices.SortStableFunc(m.Errors, func(a, b *ErrorSite) int { return cmp.Compare(a.Loc, b.Loc) })
	m.Entry, m.Exit, m.Locs = number[m.Entry], number[m.Exit], n
}

// Out returns the edges from loc, in order. The slice is part of m.Edges.
func (m *Method) Out(loc int) []Edge {
	i, _ := slices.BinarySearchFunc(m.Edges, loc, func(e Edge, loc int) int { return cmp.Compare(e.From, loc) })
	j := i
	for j < len(m.Edges) && m.Edges[j].From == loc {
		j++
	}
	return m.Edges[i:j:j]
}

// ErrorAt returns the error site at loc, or nil.
func (m *Method) ErrorAt(loc int) *ErrorSite {
	for _, e := range m.Errors {
		if e.Loc == loc {
			return e
		}
	}
	return nil
}

// Vars returns all variables visible in a call of m: state, parameters,
// results, locals.
func (p *Program) Vars(m *Method) []*Var {
	return slices.Concat(p.State, m.Params, m.Results, m.Locals)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
