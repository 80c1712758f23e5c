// SPDX-License-Identifier: Apache-2.0

package lower

// This file makes automata small without changing their runs: edges that do
// nothing are contracted, locations that go on alike are merged, results that
// are any value are havoc'd directly, and variables that nobody reads go.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

func itoa(n int) string { return strconv.Itoa(n) }

// tidy makes the automaton of a method small.
func (m *Method) tidy() {
	for {
		m.W.Check()
		before := len(m.M.Edges)
		m.prune()
		m.contract()
		m.merge()
		m.prune()
		if len(m.M.Edges) == before {
			return
		}
	}
}

// prune removes what cannot be reached, and what reaches no end.
func (m *Method) prune() {
	reach := make([]bool, m.M.Locs)
	reach[m.M.Entry] = true
	for changed := true; changed; {
		changed = false
		for _, e := range m.M.Edges {
			if reach[e.From] && !reach[e.To] {
				reach[e.To], changed = true, true
			}
		}
	}
	ends := make([]bool, m.M.Locs)
	ends[m.M.Exit] = true
	for _, s := range m.sites {
		ends[s.Loc] = true
	}
	for changed := true; changed; {
		changed = false
		for _, e := range m.M.Edges {
			if ends[e.To] && !ends[e.From] {
				ends[e.From], changed = true, true
			}
		}
	}
	for l := range m.onlyWaits(ends) {
		m.ends[l] = true
	}
	m.M.Edges = slices.DeleteFunc(m.M.Edges, func(e prog.Edge) bool { return !reach[e.From] || !ends[e.To] })
	m.sites = slices.DeleteFunc(m.sites, func(s *Site) bool { return !reach[s.Loc] })
}

// onlyWaits returns the locations that lead to an end by one way, and by another only to where a run waits for ever.
func (m *Method) onlyWaits(ends []bool) map[int]bool {
	out := map[int]bool{}
	waits := maps.Clone(m.waits)
	for changed := len(waits) > 0; changed; {
		changed = false
		for _, e := range m.M.Edges {
			switch {
			case !waits[e.To]:
			case ends[e.From]:
				out[e.From] = true
			case !waits[e.From]:
				waits[e.From], changed = true, true
			}
		}
	}
	return out
}

func skips(e *prog.Edge) bool { return e.Kind == prog.AssignEdge && len(e.Vars) == 0 }

// contract removes edges that do nothing: a location with only such an edge is
// the location it goes to, and so are locations on a cycle of them. The exit and
// error sites have no edges, so they stay apart.
func (m *Method) contract() {
	to := make([]int, m.M.Locs)
	for l := range to {
		to[l] = l
	}
	find := func(l int) int {
		for to[l] != l {
			l = to[l]
		}
		return l
	}
	// Cycles of skips: strongly connected components, by mutual reachability
	// through skips only (automata are small here).
	skip := make([][]int, m.M.Locs)
	out := make([]int, m.M.Locs)
	for i := range m.M.Edges {
		e := &m.M.Edges[i]
		out[e.From]++
		if skips(e) {
			skip[e.From] = append(skip[e.From], e.To)
		}
	}
	for _, c := range components(skip) {
		for _, l := range c[1:] {
			to[l] = c[0]
		}
	}
	for i := range m.M.Edges {
		e := &m.M.Edges[i]
		e.From, e.To = find(e.From), find(e.To)
	}
	m.M.Entry = find(m.M.Entry)
	// A skip from a location to itself changes nothing, nor does a second one
	// to the same place.
	m.unique()
	clear(out)
	for _, e := range m.M.Edges {
		out[e.From]++
	}
	for i := range m.M.Edges {
		e := &m.M.Edges[i]
		if skips(e) && out[e.From] == 1 && find(e.To) != e.From {
			to[e.From] = find(e.To)
		}
	}
	m.M.Edges = slices.DeleteFunc(m.M.Edges, func(e prog.Edge) bool { return to[e.From] != e.From })
	for i := range m.M.Edges {
		e := &m.M.Edges[i]
		e.To = find(e.To)
	}
	if m.M.Entry = find(m.M.Entry); m.M.Entry == m.M.Exit || slices.ContainsFunc(m.sites, func(s *Site) bool { return s.Loc == m.M.Entry }) {
		l := m.New()
		m.M.Edges = append(m.M.Edges, prog.Edge{From: l, To: m.M.Entry, Kind: prog.AssignEdge, Pos: m.M.Pos})
		m.M.Entry = l
	}
	m.unique()
}

// label is what an edge does, as a key.
func label(e *prog.Edge) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d/%d", e.Kind, e.Origin)
	for _, v := range e.Vars {
		b.WriteString("/" + v.Name)
	}
	for _, t := range e.Exprs {
		fmt.Fprintf(&b, "/%p", t)
	}
	return b.String()
}

// unique removes edges that are there twice, and skips of a location to itself.
func (m *Method) unique() {
	seen := map[string]bool{}
	m.M.Edges = slices.DeleteFunc(m.M.Edges, func(e prog.Edge) bool {
		if skips(&e) && e.From == e.To {
			return true
		}
		key := fmt.Sprintf("%d>%d %s", e.From, e.To, label(&e))
		old := seen[key]
		seen[key] = true
		return old
	})
}

// merge identifies locations that go on in the same way.
func (m *Method) merge() {
	final := map[int]bool{m.M.Exit: true}
	for _, s := range m.sites {
		final[s.Loc] = true
	}
	for {
		m.W.Check()
		outs := make([][]string, m.M.Locs)
		for i := range m.M.Edges {
			e := &m.M.Edges[i]
			outs[e.From] = append(outs[e.From], fmt.Sprintf("%d %s", e.To, label(e)))
		}
		to := make([]int, m.M.Locs)
		first := map[string]int{}
		merged := false
		for l := range to {
			to[l] = l
			if final[l] || len(outs[l]) == 0 {
				continue
			}
			slices.Sort(outs[l])
			key := strings.Join(outs[l], "\n")
			if k, ok := first[key]; ok {
				to[l], merged = k, true
			} else {
				first[key] = l
			}
		}
		if !merged {
			return
		}
		m.M.Edges = slices.DeleteFunc(m.M.Edges, func(e prog.Edge) bool { return to[e.From] != e.From })
		for i := range m.M.Edges {
			m.M.Edges[i].To = to[m.M.Edges[i].To]
		}
		m.M.Entry = to[m.M.Entry]
		m.unique()
	}
}

// components returns the strongly connected components with several members
// (Tarjan), members in order.
func components(succ [][]int) [][]int {
	var out [][]int
	index := make([]int, len(succ))
	low := make([]int, len(succ))
	on := make([]bool, len(succ))
	n := 0
	var stack []int
	type frame struct{ v, next int }
	for root := range succ {
		if index[root] != 0 || len(succ[root]) == 0 {
			continue
		}
		var calls []frame
		visit := func(v int) {
			n++
			index[v], low[v] = n, n
			stack = append(stack, v)
			on[v] = true
			calls = append(calls, frame{v, 0})
		}
		visit(root)
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			if f.next < len(succ[f.v]) {
				x := succ[f.v][f.next]
				f.next++
				if index[x] == 0 {
					visit(x)
				} else if on[x] {
					low[f.v] = min(low[f.v], index[x])
				}
				continue
			}
			v := f.v
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				p := calls[len(calls)-1].v
				low[p] = min(low[p], low[v])
			}
			if low[v] == index[v] {
				var c []int
				for {
					x := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					on[x] = false
					c = append(c, x)
					if x == v {
						break
					}
				}
				if len(c) > 1 {
					slices.Sort(c)
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// dead removes assignments to variables that nobody reads, and the variables.
func dead(p *prog.Program, methods []*Method) {
	for {
		read := map[*term.Term]bool{}
		for _, m := range methods {
			for _, e := range m.M.Edges {
				for _, t := range term.FreeVars(e.Exprs...) {
					// A variable that is only carried along is not read.
					if e.Kind == prog.AssignEdge && !slices.ContainsFunc(e.Vars, func(v *prog.Var) bool { return v.Term != t }) {
						continue
					}
					read[t] = true
				}
			}
			for _, r := range m.M.Results {
				read[r.Term] = true
			}
		}
		removed := false
		for _, m := range methods {
			for i := range m.M.Edges {
				e := &m.M.Edges[i]
				if e.Kind == prog.AssumeEdge {
					continue
				}
				for n := len(e.Vars) - 1; n >= 0; n-- {
					if !read[e.Vars[n].Term] {
						removed = true
						e.Vars = slices.Delete(slices.Clone(e.Vars), n, n+1)
						if e.Kind == prog.AssignEdge {
							e.Exprs = slices.Delete(slices.Clone(e.Exprs), n, n+1)
						}
					}
				}
				if e.Kind == prog.HavocEdge && len(e.Vars) == 0 {
					e.Kind, e.Origin = prog.AssignEdge, 0
				}
			}
		}
		if removed {
			continue
		}
		unused := func(v *prog.Var) bool { return !read[v.Term] }
		p.State = slices.DeleteFunc(p.State, unused)
		for _, m := range methods {
			m.M.Locals = slices.DeleteFunc(m.M.Locals, unused)
		}
		return
	}
}

// finish sorts edges and writes the sites into the method.
func (m *Method) finish() {
	slices.SortStableFunc(m.M.Edges, func(a, b prog.Edge) int { return cmp.Compare(a.From, b.From) })
	m.M.Errors = nil
	for _, s := range m.sites {
		m.M.Errors = append(m.M.Errors, s.ErrorSite)
	}
	slices.SortStableFunc(m.M.Errors, func(a, b *prog.ErrorSite) int { return cmp.Compare(a.Loc, b.Loc) })
}
