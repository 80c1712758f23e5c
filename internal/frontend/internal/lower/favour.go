// SPDX-License-Identifier: Apache-2.0

package lower

// This file makes programs that tell whether a call which may fail does so for sure, if
// only the environment and the arguments have it so, whatever the values are that the
// program does not model.
//
// A call is forbidden if some answers of the environment make it err. What the program
// guesses is not up to anybody: an erring run that needs a guess may not exist. But let all
// tests on the way to a site that hang on answers and arguments alone go the way to the site
// (a favoured call). If then no run returns, from no state and with no guess, every real
// state has an erring run:
//
// A test is outer if nothing of the state, and nothing unmodelled that is no function of the arguments
// (given.go), flows into what it tests, implicit flows included (flow.go). Others are
// inner. Let G be the arguments for which there are answers with which all outer tests on
// the way to the site go there. It is required that every inner test from which an outer one
// can be reached goes one way only to the site, and is not in a loop, nor are outer tests: so
// which outer tests a run to the site passes, and with what values, does not depend on state
// or guesses. With arguments that are not in G the site is never reached. With arguments in G,
// and answers as G has them, a run from any state passes the outer tests on the way to the
// site, or leaves it at an inner test; it is a run of the favoured call. If that never
// returns, the run errs, or never ends (which is ignored here as in every call that fails).
//
// Where the outer tests depend on something unmodelled that is a function of the arguments,
// being in G is a parameter, as in given.go. Constraints on answers,
// and tests whose other way is an error that was cut off, and may be the environment's fault or is not
// under study, must be outer, too.
//
// The favoured call is a method of its own in a program that has the others as they are; the engine
// says of each state whether it returns. It errs where it would return, and ends without an
// outcome where it would err, so that it adds no states to those of the others.
// Quantifying over guesses in the engines was not chosen: they would have to know a third
// kind of choice.

import (
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// favouredName is added to the name of a method for the favoured call.
const favouredName = "·favoured"

// favouredKind is the kind of the error that a favoured call returns.
const favouredKind = "favoured"

// A favour is how a site is favoured.
type favour struct {
	before []bool // locations from which the site can be reached
	cut    []int  // edges of the method that lead away from the site, at outer tests
	given  bool   // being in G is a parameter
	drop   []int  // constraints on arguments on the way
}

// Favoured returns the name of the favoured call of a method for a site.
func Favoured(method string, s *Site) string { return method + favouredName + itoa(s.ID) }

// IsFavouredCall reports whether a name is that of a favoured call.
func IsFavouredCall(method string) bool { return strings.Contains(method, favouredName) }

// Without is a component without some methods.
func (c *Component) Without(is func(method string) bool) *Component {
	out, p := *c, *c.Program
	p.Methods = slices.DeleteFunc(slices.Clone(p.Methods), func(m *prog.Method) bool { return is(m.Name) })
	out.Program = &p
	return &out
}

// Favour takes a site for certain, if there is a favoured call for it, and reports whether there
// is; it must be confirmed in each program (Favouring), or taken back (Doubt).
func (h *Whole) Favour(s *Site) bool {
	if h.favourOf(s) == nil {
		return false
	}
	if h.certain == nil {
		h.certain = map[int]bool{}
	}
	h.certain[s.ID] = true
	return true
}

// IsFavoured reports whether a site is taken for certain.
func (h *Whole) IsFavoured(s *Site) bool { return h.certain[s.ID] }

// Doubt takes back that a site is certain.
func (h *Whole) Doubt(s *Site) { delete(h.certain, s.ID) }

func (h *Whole) favourOf(s *Site) *favour {
	if f, ok := h.favours[s.ID]; ok {
		return f
	}
	if h.favours == nil {
		h.favours = map[int]*favour{}
	}
	h.favours[s.ID] = nil
	for _, m := range h.methods {
		for _, t := range m.sites {
			if t.ID == s.ID && t.Why == "" {
				h.favours[s.ID] = m.favour(&prog.Program{Pool: h.w.Pool, State: h.w.state}, t)
			}
		}
	}
	return h.favours[s.ID]
}

// favour finds the tests on the way to a site; nil if they are not as required.
func (m *Method) favour(p *prog.Program, s *Site) *favour {
	g := newGraph(p, m)
	entry := map[*prog.Var]bool{}
	for _, v := range p.State {
		entry[v] = true
	}
	inner := m.notGiven(g, entry, false)
	given := g.taint(func(i int) bool { _, ok := m.given[m.M.Edges[i].To]; return ok }, nil)
	before := g.before(s.Loc)
	depends := func(loc int, on *taint) bool { return on.any(loc, g.tests(loc)) }
	tests := closure(g.controls(), s.Loc)
	var outer []int
	for _, b := range tests {
		if slices.ContainsFunc(g.out[b], func(i int) bool { return m.M.Edges[i].Kind != prog.AssumeEdge }) {
			return nil // anything decides
		}
		if !depends(b, inner) {
			outer = append(outer, b)
		}
	}
	answers := g.taint(func(i int) bool {
		to := m.M.Edges[i].To
		return m.class[to] == Answer || len(m.from[to]) > 0
	}, nil)
	for l := range before {
		if !before[l] || g.branch(l) {
			continue
		}
		// Answers that are possible in some states only cannot be counted on.
		if depends(l, inner) && (depends(l, answers) || m.unwanted[l]) {
			return nil
		}
		if m.ignored[l] && depends(l, answers) {
			outer = append(outer, l) // otherwise it is the client's fault
		}
	}
	slices.Sort(outer)
	outer = slices.Compact(outer)
	f := &favour{before: before}
	after := make([]bool, m.M.Locs) // an outer test may follow
	for _, b := range outer {
		if g.inLoop(b) {
			return nil
		}
		f.given = f.given || depends(b, given)
		for l, is := range g.before(b) {
			after[l] = after[l] || is && l != b
		}
		for _, i := range g.out[b] {
			if !before[m.M.Edges[i].To] {
				f.cut = append(f.cut, i)
			}
		}
	}
	for _, b := range tests {
		if !depends(b, inner) || !after[b] {
			continue
		}
		ways := slices.DeleteFunc(slices.Clone(g.out[b]), func(i int) bool { return !before[m.M.Edges[i].To] })
		if len(ways) != 1 || g.inLoop(b) {
			return nil
		}
	}
	if f.given {
		f.drop = m.constraints(g, before, answers)
	}
	return f
}

// constraints returns the edges that constrain arguments on the way to a site, such as how
// large sums of lengths are. With a parameter for being in G they tell nothing: arguments that
// no client has do not matter, and of the others it is known whether they are in G.
func (m *Method) constraints(g *graph, before []bool, answers *taint) []int {
	param, local := map[*prog.Var]bool{}, map[*prog.Var]bool{}
	for _, v := range m.M.Params {
		param[v] = true
	}
	for _, v := range m.M.Locals {
		local[v] = true
	}
	var drop []int
	for i, e := range m.M.Edges {
		if e.Kind != prog.AssumeEdge || len(g.out[e.From]) != 1 || !before[e.From] || answers.any(e.From, g.free[i]) {
			continue
		}
		if slices.ContainsFunc(g.free[i], func(v *prog.Var) bool { return param[v] }) && !slices.ContainsFunc(g.free[i], func(v *prog.Var) bool { return !param[v] && !local[v] }) {
			drop = append(drop, i)
		}
	}
	return drop
}

// loosen drops constraints.
func (m *Method) loosen(f *favour) {
	for _, i := range f.drop {
		e := &m.M.Edges[i]
		e.Kind, e.Exprs = prog.AssignEdge, nil
	}
}

// guardFavoured lets a site of a copy of a method err only with arguments in G.
func (m *Method) guardFavoured(s *Site, f *favour) {
	if !f.given {
		return
	}
	m.M.Params = slices.Clone(m.M.Params)
	v := m.Param("favoured "+itoa(s.ID), "errs at "+PlaceOf(s.Pos), prog.Type{Sort: term.BoolSort})
	at := m.New()
	for i := range m.M.Edges {
		if m.M.Edges[i].To == s.Loc {
			m.M.Edges[i].To = at
		}
	}
	m.M.Edges = append(m.M.Edges, prog.Edge{From: at, To: s.Loc, Kind: prog.AssumeEdge, Exprs: []*term.Term{v.Term}, Pos: s.Pos})
}

// favoured returns the favoured call for a site. Where it would return, it errs; where it would
// err, it has no outcome: so it changes no state, and is allowed where it never returns.
func (m *Method) favoured(s *Site, f *favour) *Method {
	c := m.clone(func(*Site) bool { return false })
	c.M.Name, c.M.Results = Favoured(m.M.Name, s), nil
	c.loosen(f)
	cut := map[int]bool{}
	for _, i := range f.cut {
		cut[i] = true
	}
	at := c.New()
	var left []prog.Edge
	for i, e := range c.M.Edges {
		if cut[i] || !f.before[e.From] {
			continue
		}
		if !f.before[e.To] {
			e.To = at
		}
		left = append(left, e)
	}
	c.M.Edges = left
	c.sites = []*Site{{ErrorSite: &prog.ErrorSite{Loc: at, Kind: favouredKind, Message: "returns", Pos: s.Pos}, ID: -1}}
	return c
}

// ignore notes the tests whose other way is an error that is cut off: one of the environment, or
// one that is not under study.
func (m *Method) ignore(p *prog.Program, want func(s *Site) bool) {
	if !slices.ContainsFunc(m.sites, func(s *Site) bool { return s.Blamed || !want(s) }) {
		return
	}
	g := newGraph(p, m)
	for _, s := range m.sites {
		if !s.Blamed && want(s) {
			continue
		}
		for _, i := range g.deciding(s.Loc) {
			m.ignored[m.M.Edges[i].From] = true
			if !want(s) {
				m.unwanted[m.M.Edges[i].From] = true
			}
		}
	}
}
