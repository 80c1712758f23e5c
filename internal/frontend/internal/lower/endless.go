// SPDX-License-Identifier: Apache-2.0

package lower

// This file finds loops that a run never leaves, where that is an error. Whether
// a loop ends is not decided in general; two cases are certain.
//
// A loop without a way out: a strongly connected component that no edge leaves.
//
// A loop that repeats itself: nothing in it is chosen, and nothing that it
// assigns is read in the next round before it is assigned again. Then the next
// round goes the way of this one, and so do all after it: going back once is going
// back for ever. Waiting for a flag that only another goroutine sets is such a loop.
//
// For all other loops the convention stands that they end.

import (
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// Endless ends the runs that stay in a loop for ever at error sites that site
// makes for the position of the loop.
func (m *Method) Endless(site func(pos prog.Pos) *Site) {
	m.noWayOut(site)
	m.repeats(site)
}

// noWayOut replaces loops that no edge leaves.
func (m *Method) noWayOut(site func(pos prog.Pos) *Site) {
	reach := m.reached()
	succ := make([][]int, m.M.Locs)
	self := make([]bool, m.M.Locs)
	for _, e := range m.M.Edges {
		if reach[e.From] {
			succ[e.From] = append(succ[e.From], e.To)
			self[e.From] = self[e.From] || e.From == e.To
		}
	}
	loops := components(succ)
	for l := range self {
		if self[l] && !slices.ContainsFunc(loops, func(c []int) bool { return slices.Contains(c, l) }) {
			loops = append(loops, []int{l})
		}
	}
	for _, c := range loops {
		in := make(map[int]bool, len(c))
		for _, l := range c {
			in[l] = true
		}
		leaves := false
		for _, l := range c {
			for _, to := range succ[l] {
				leaves = leaves || !in[to]
			}
			leaves = leaves || l == m.M.Exit || slices.ContainsFunc(m.sites, func(s *Site) bool { return s.Loc == l })
		}
		if leaves {
			continue
		}
		pos := m.M.Pos
		for _, e := range m.M.Edges {
			if in[e.From] && e.Pos.Line > 0 {
				pos = e.Pos
				break
			}
		}
		m.M.Edges = slices.DeleteFunc(m.M.Edges, func(e prog.Edge) bool { return in[e.From] })
		for _, l := range c[1:] {
			for i := range m.M.Edges {
				if m.M.Edges[i].To == l {
					m.M.Edges[i].To = c[0]
				}
			}
			if m.M.Entry == l {
				m.M.Entry = c[0]
			}
		}
		m.cur = c[0]
		m.pos = pos
		m.Error(site(pos))
	}
}

func (m *Method) reached() []bool {
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
	return reach
}

// repeats makes edges that go back in a loop which repeats itself error sites.
func (m *Method) repeats(site func(pos prog.Pos) *Site) {
	out := make([][]int, m.M.Locs)
	in := make([][]int, m.M.Locs)
	for i, e := range m.M.Edges {
		out[e.From] = append(out[e.From], i)
		in[e.To] = append(in[e.To], i)
	}
	for _, i := range m.backEdges(out) {
		head := m.M.Edges[i].To
		// The loop: what gets to the edge without passing the head.
		loop := map[int]bool{head: true}
		for work := []int{m.M.Edges[i].From}; len(work) > 0; {
			l := work[len(work)-1]
			work = work[:len(work)-1]
			if loop[l] {
				continue
			}
			loop[l] = true
			for _, j := range in[l] {
				work = append(work, m.M.Edges[j].From)
			}
		}
		if !m.repeated(head, loop, out) {
			continue
		}
		at, pos := m.New(), m.M.Edges[i].Pos
		m.M.Edges[i].To = at
		m.cur, m.pos = at, pos
		m.Error(site(pos))
	}
}

// backEdges returns the edges of a depth-first search that go back to where it
// still is.
func (m *Method) backEdges(out [][]int) (back []int) {
	const (
		fresh = iota
		open
		done
	)
	mark := make([]int, m.M.Locs)
	type frame struct{ loc, next int }
	mark[m.M.Entry] = open
	for stack := []frame{{m.M.Entry, 0}}; len(stack) > 0; {
		f := &stack[len(stack)-1]
		if f.next == len(out[f.loc]) {
			mark[f.loc] = done
			stack = stack[:len(stack)-1]
			continue
		}
		i := out[f.loc][f.next]
		f.next++
		switch to := m.M.Edges[i].To; mark[to] {
		case fresh:
			mark[to] = open
			stack = append(stack, frame{to, 0})
		case open:
			back = append(back, i)
		}
	}
	return back
}

// repeated reports whether every round of a loop is like the one before.
func (m *Method) repeated(head int, loop map[int]bool, out [][]int) bool {
	assigned := map[*term.Term]bool{}
	for l := range m.M.Locs {
		if !loop[l] {
			continue
		}
		if len(out[l]) > 1 && slices.ContainsFunc(out[l], func(i int) bool { return m.M.Edges[i].Kind != prog.AssumeEdge }) {
			return false // a choice
		}
		for _, i := range out[l] {
			e := &m.M.Edges[i]
			if e.Kind == prog.HavocEdge {
				return false
			}
			for _, v := range e.Vars {
				assigned[v.Term] = true
			}
		}
	}
	// Read before it is assigned: what may be carried from the round before.
	given := map[int]map[*term.Term]bool{head: {}}
	for work := []int{head}; len(work) > 0; {
		l := work[0]
		work = work[1:]
		for _, i := range out[l] {
			e := &m.M.Edges[i]
			if !loop[e.From] {
				continue
			}
			for _, v := range term.FreeVars(e.Exprs...) {
				if assigned[v] && !given[l][v] {
					return false
				}
			}
			if !loop[e.To] || e.To == head {
				continue
			}
			next := maps.Clone(given[l])
			for _, v := range e.Vars {
				next[v.Term] = true
			}
			old, seen := given[e.To]
			if !seen {
				given[e.To] = next
				work = append(work, e.To)
				continue
			}
			shrunk := false
			for v := range old {
				if !next[v] {
					delete(old, v)
					shrunk = true
				}
			}
			if shrunk {
				work = append(work, e.To)
			}
		}
	}
	return true
}
