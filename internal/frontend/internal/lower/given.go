// SPDX-License-Identifier: Apache-2.0

package lower

// This file finds the errors that hang on what the client gave and the program does not
// model: the text of a string, the dynamic type of an argument, a product of two
// numbers. Whether such an argument errs is a property of it, decided by the client;
// only its definition is the code. So it becomes a parameter, true or false, whose name
// says where the error is, and guards tell the two apart (an uninterpreted predicate
// over the arguments). The alternative, to call the site unsure, leaves the whole
// method unknown.
//
// That an error is reached must be a function of the arguments alone, or of them and of
// modelled tests that every run to the error passes once and the same way:
//
//   - a value is given if nothing of the state, no answer of the environment and no
//     other unmodelled value flows into it (taint by flow.go, implicit flows too);
//   - each branch that decides whether the site is reached tests given values only, or
//     is modelled, is not in a loop, is on every way to the site, and goes one way only to it.
//
// Let G be the arguments with which the given tests lead to the site. With an argument
// of G the site is reached exactly if the modelled tests let the run pass, with others it
// never is. Without modelled tests the whole method is "if G, error": then what led to
// the site need not be followed at all. Behind the last of the modelled tests a run with arguments
// of G errs, and others do not, so that is where the parameter is asked, unless something may end
// a run before without an outcome; what is left of the given tests then constrains nothing. Several sites
// with the same modelled tests share a parameter, the union.
//
// A test that hangs on something unmodelled, too, such as on state that was computed from it,
// may stand for a modelled one, if it is the last of them or before it: the program still has the
// runs of the code, in which the test goes as it goes there. The site stays unsure. But
// with arguments of G the call always fails where the state is known all the same, with others it never does.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// maxGiven bounds the parameters of this kind of one method.
const maxGiven = 3

// Given says that the last choice of a variable is a function of what the client gave in
// this call and of the terms.
func (m *Method) Given(v *prog.Var, from From) {
	for i := len(m.M.Edges) - 1; i >= 0 && m.cur >= 0; i-- {
		if e := &m.M.Edges[i]; e.Kind == prog.HavocEdge && e.Vars[0] == v {
			m.given[e.To] = from
			return
		}
	}
}

// A gift is what decides whether sites err: the modelled tests on the way, and then
// something that the client gave.
type gift struct {
	sites    []*Site
	modelled bool
	unsure   bool       // some of the tests hang on something unmodelled, too
	last     *prog.Edge // the edge behind the last of the tests; nil if something else may end the call
	given    []int      // the other tests
}

// give makes parameters of what unsure sites hang on. unmodelled are the variables that
// depend on something unmodelled, by method and location.
func give(p *prog.Program, methods []*Method, constructors int, graphs []*graph, unmodelled []*taint) {
	for k, m := range methods {
		if len(m.given) == 0 || !slices.ContainsFunc(m.sites, (*Site).mayBeGiven) {
			continue
		}
		g := graphs[k]
		entry := map[*prog.Var]bool{}
		for _, v := range p.State {
			if k >= constructors || v.Init == nil {
				entry[v] = true
			}
		}
		theirs := m.notGiven(g, entry, true)
		state := m.notGiven(g, entry, false)
		deps := g.controls()
		gifts := map[string]*gift{}
		var order []string
		for _, s := range m.sites {
			if !s.mayBeGiven() || k < constructors && s.Kind != "return" {
				continue // that constructors panic is left to the front end
			}
			tests := closure(deps, s.Loc)
			key, last, unsure, ok := m.modelledTests(g, s, tests, theirs, state, unmodelled[k])
			if !ok {
				continue
			}
			if gifts[key] == nil {
				gifts[key] = &gift{modelled: key != "", unsure: unsure, last: last}
				order = append(order, key)
			}
			gifts[key].sites = append(gifts[key].sites, s)
			for _, b := range tests {
				if !theirs.any(b, g.tests(b)) {
					gifts[key].given = append(gifts[key].given, b)
				}
			}
		}
		slices.SortStableFunc(order, func(a, b string) int {
			switch {
			case gifts[a].unsure == gifts[b].unsure:
				return 0
			case gifts[b].unsure:
				return -1
			}
			return 1
		})
		for n, key := range order {
			if n < maxGiven {
				m.guard(n, gifts[key])
			}
		}
		m.tidyFirst()
	}
}

// mayBeGiven reports whether a site is one of the code that is not sure.
func (s *Site) mayBeGiven() bool { return s.Unsure && !s.Implicit && s.Why == "" }

// notGiven computes which variables depend on something else than what the client gave.
func (m *Method) notGiven(g *graph, entry map[*prog.Var]bool, answers bool) *taint {
	other := map[int]bool{} // choices that depend on others by what they are computed from
	for {
		at := g.taint(func(i int) bool {
			to := m.M.Edges[i].To
			if _, ok := m.given[to]; ok {
				return other[to]
			}
			return answers || m.class[to] != Answer
		}, entry)
		// Variables change: what a value was computed from counts if it is ever tainted.
		ever := at.ever()
		changed := false
		for to, from := range m.given {
			if !other[to] && slices.ContainsFunc(term.FreeVars(from...), func(t *term.Term) bool { return g.vars[t] == nil || ever[g.vars[t]] }) {
				other[to], changed = true, true
			}
		}
		if !changed {
			return at
		}
	}
}

// modelledTests describes the modelled tests that lead to a site; last is the edge that leads from the
// last of them to the site, if nothing but they and what the client gave ends a run before. unsure says that one of
// them hangs on something unmodelled, too. ok is false if something else than they and
// what the client gave decides whether the site is reached.
func (m *Method) modelledTests(g *graph, s *Site, tests []int, theirs, state, unmodelled *taint) (key string, last *prog.Edge, unsure, ok bool) {
	before := g.before(s.Loc)
	depends := func(loc int, on *taint) bool { return on.any(loc, g.tests(loc)) }
	var text strings.Builder
	given, cut := false, false
	way := map[int]int{} // by modelled test
	for _, b := range tests {
		if slices.ContainsFunc(g.out[b], func(i int) bool { return m.M.Edges[i].Kind != prog.AssumeEdge }) {
			return "", nil, false, false // anything decides
		}
		if !depends(b, theirs) {
			given = given || depends(b, unmodelled)
			continue
		}
		if g.inLoop(b) || !g.dominates(b, s.Loc) {
			return "", nil, false, false
		}
		unsure = unsure || depends(b, unmodelled)
		ways := slices.DeleteFunc(slices.Clone(g.out[b]), func(i int) bool { return !before[m.M.Edges[i].To] })
		if len(ways) != 1 {
			return "", nil, false, false
		}
		way[b] = ways[0]
		fmt.Fprintf(&text, "%d>%d ", b, m.M.Edges[ways[0]].To)
	}
	// What ends a run without an outcome is a test, too.
	for l := range g.m.Locs {
		if !before[l] || g.branch(l) || len(g.out[l]) == 0 || !depends(l, theirs) {
			continue
		}
		if depends(l, state) && g.inLoop(l) {
			return "", nil, false, false
		}
		cut = true
		fmt.Fprintf(&text, "%d ", l)
	}
	if !given || cut {
		return text.String(), nil, false, !unsure
	}
	for b, i := range way {
		isLast := true
		for c := range way {
			isLast = isLast && (c == b || g.dominates(c, b))
		}
		if isLast {
			e := m.M.Edges[i] // indices change
			return text.String(), &e, unsure, true
		}
	}
	return text.String(), nil, false, !unsure
}

// dominates reports whether every way to a location goes through another one.
func (g *graph) dominates(by, loc int) bool {
	seen := make([]bool, g.m.Locs)
	if by == g.m.Entry {
		return true
	}
	seen[by], seen[g.m.Entry] = true, true
	for work := []int{g.m.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		if l == loc {
			return false
		}
		for _, i := range g.out[l] {
			if to := g.m.Edges[i].To; !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return true
}

// before returns the locations from which a location can be reached.
func (g *graph) before(loc int) []bool {
	seen := make([]bool, g.m.Locs)
	seen[loc] = true
	for work := []int{loc}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range g.in[l] {
			if from := g.m.Edges[i].From; !seen[from] {
				seen[from] = true
				work = append(work, from)
			}
		}
	}
	return seen
}

// inLoop reports whether a location is reached again from itself.
func (g *graph) inLoop(loc int) bool {
	seen := make([]bool, g.m.Locs)
	for work := []int{loc}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range g.out[l] {
			to := g.m.Edges[i].To
			if to == loc {
				return true
			}
			if !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return false
}

// guard lets sites err if and only if a new parameter says so.
func (m *Method) guard(n int, gift *gift) {
	first := gift.sites[0]
	v := m.Param("given "+itoa(n), "errs at "+PlaceOf(first.Pos), prog.Type{Sort: term.BoolSort})
	p := m.W.Pool
	assume := func(from, to int, t *term.Term, pos prog.Pos) {
		m.M.Edges = append(m.M.Edges, prog.Edge{From: from, To: to, Kind: prog.AssumeEdge, Exprs: []*term.Term{t}, Pos: pos})
	}
	var errs int
	if !gift.modelled {
		errs = m.New()
		entry := m.New()
		assume(entry, m.M.Entry, p.Not(v.Term), first.Pos)
		assume(entry, errs, v.Term, first.Pos)
		m.M.Entry = entry
	}
	if gift.last != nil {
		if m.loose == nil {
			m.loose = map[int]bool{}
		}
		for _, b := range gift.given {
			m.loose[b] = true
		}
		errs = m.New()
		i := slices.IndexFunc(m.M.Edges, func(e prog.Edge) bool {
			return e.From == gift.last.From && e.Kind == prog.AssumeEdge && e.Exprs[0] == gift.last.Exprs[0]
		})
		at, to := m.New(), m.M.Edges[i].To
		m.M.Edges[i].To = at
		assume(at, to, p.Not(v.Term), first.Pos)
		assume(at, errs, v.Term, first.Pos)
	}
	for _, s := range gift.sites {
		s.Unsure = gift.unsure
		if !gift.modelled || gift.last != nil {
			m.M.Edges = slices.DeleteFunc(m.M.Edges, func(e prog.Edge) bool { return e.To == s.Loc })
			m.M.Edges = append(m.M.Edges, prog.Edge{From: errs, To: s.Loc, Kind: prog.AssignEdge, Pos: s.Pos})
			continue
		}
		at := m.New()
		for i := range m.M.Edges {
			if m.M.Edges[i].To == s.Loc {
				m.M.Edges[i].To = at
			}
		}
		assume(at, s.Loc, v.Term, s.Pos)
	}
}

// PlaceOf is a position without directory and column.
func PlaceOf(pos prog.Pos) string {
	return fmt.Sprintf("%s:%d", pos.File[strings.LastIndex(pos.File, "/")+1:], pos.Line)
}
