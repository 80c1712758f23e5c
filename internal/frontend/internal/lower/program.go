// SPDX-License-Identifier: Apache-2.0

package lower

// This file assembles the open program when all methods have been emitted.

import (
	"cmp"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A Component is an open program with what lowering knows about it.
type Component struct {
	Program *prog.Program
	// Complete is set if nothing that error sites depend on was left out.
	Complete bool
	// Numbers is set if results that are numbers say more about errors than their
	// classes, which are in their place.
	Numbers bool
	// Sites are the error sites that are left, by method name.
	Sites map[string][]*Site
	// Approximations are what is not modelled exactly, by position.
	Approximations []Approximation
}

// An Approximation is something that is not modelled exactly.
type Approximation struct {
	What string
	Pos  prog.Pos
}

// Settle completes a pass: it resolves what only the whole knows. Sets may grow.
func (w *World) Settle(methods []*Method) {
	w.current = ""
	for _, m := range methods {
		m.renew()
	}
}

// A Whole is the component of the last pass before anything is left out.
type Whole struct {
	// Needs are the arguments that are assumed not to be nil.
	Needs []Need
	// Tests are the arguments whose nilness errors of the code may depend on.
	Tests []Need

	name                  string
	w                     *World
	constructors, methods []*Method
	sites                 int
	checks                int          // implicit sites before anything was excluded
	promised              []*term.Term // of the state between calls
	analysed              int          // steps of the analysis
	favours               map[int]*favour
	certain               map[int]bool // sites that err for sure; see favour.go
}

// AllEdges counts the edges of all passes.
func (h *Whole) AllEdges() int { return h.w.AllEdges() }

// Edges counts the edges that components are made of.
func (h *Whole) Edges() int {
	n := 0
	for _, m := range slices.Concat(h.constructors, h.methods) {
		n += len(m.M.Edges)
	}
	return n
}

// Checks counts the implicit sites that were met, those included that turned out
// never to be reached or not to be the client's fault.
func (h *Whole) Checks() int { return h.checks }

// Explicit returns the positions and messages of the errors of the code, in
// order of their methods.
func (h *Whole) Explicit() []Site {
	type key struct {
		pos     prog.Pos
		message string
	}
	seen := map[key]bool{}
	var all []Site
	for _, m := range slices.Concat(h.constructors, h.methods) {
		for _, s := range m.sites {
			if k := (key{s.Pos, s.Message}); (!s.Implicit || s.Explicit) && !seen[k] {
				seen[k] = true
				all = append(all, *s)
			}
		}
	}
	return all
}

// Assemble ends the passes. Sites that want does not accept are cut: their runs
// are ignored.
func (w *World) Assemble(name string, constructors, methods []*Method, want func(s *Site) bool) *Whole {
	p := &prog.Program{Name: name, Pool: w.Pool, State: w.state}
	all := slices.Concat(constructors, methods)
	for _, m := range constructors {
		m.thread()
	}
	for _, m := range all {
		m.tidyFirst()
		m.copies(p)
	}
	checks := map[string]bool{} // by line, as positions are shown
	for _, m := range all {
		for _, s := range m.sites {
			if s.Implicit && want(s) {
				checks[s.Pos.String()] = true
			}
		}
	}
	limit := AllSteps
	steps := &limit
	if w.steps != nil {
		steps = w.steps
	}
	before := *steps
	promised, values := interpret(p, constructors, methods, false, steps)
	changed := false
	for _, m := range all {
		changed = m.blame(p) || changed
		m.ignore(p, want)
		m.sites = slices.DeleteFunc(m.sites, func(s *Site) bool { return s.Blamed || !want(s) })
		m.tidyFirst()
	}
	if changed {
		// What is not the environment's fault may not be at all.
		if more, also := interpret(p, constructors, methods, true, steps); more != nil {
			promised, values = more, also
		}
	}
	settle(p.Pool, methods, values)
	tests := w.tests(p, all)
	needs := w.needs(p, constructors, methods, steps)
	judge(p, all, len(constructors))
	h := &Whole{name: name, w: w, constructors: constructors, methods: methods, checks: len(checks), Needs: needs, Tests: tests, promised: append(promised, w.assumed...), analysed: before - *steps}
	for _, m := range all {
		for _, s := range m.sites {
			s.ID = h.sites
			h.sites++
		}
	}
	return h
}

// AnalysisSteps is how many steps the analysis took that removed what no run takes.
func (h *Whole) AnalysisSteps() int { return h.analysed }

// Sites returns all error sites, by the name of their method.
func (h *Whole) Sites() map[string][]*Site {
	all := map[string][]*Site{}
	for _, m := range slices.Concat(h.constructors, h.methods) {
		all[m.M.Name] = m.sites
	}
	return all
}

// Positions returns where methods and constructors are, by name.
func (h *Whole) Positions() map[string]prog.Pos {
	all := map[string]prog.Pos{}
	for _, m := range slices.Concat(h.constructors, h.methods) {
		all[m.M.Name] = m.M.Pos
	}
	return all
}

// Component makes a program with the chosen error sites (the runs of others are
// cut) that keeps what is within a depth, and replaces everything else by choices.
// What it allows is allowed, and what always fails in it fails; only if it is
// Complete is what may fail in it more than a guess.
func (h *Whole) Component(d Depth, keep func(s *Site) bool) (made *Component, err error) {
	return h.component(d, keep, false)
}

// Favouring is Component with a favoured call for each method with one of the sites that
// are certain (favour.go).
func (h *Whole) Favouring(d Depth, keep func(s *Site) bool) (made *Component, err error) {
	return h.component(d, keep, true)
}

// clone copies a method with some of its sites.
func (m *Method) clone(keep func(s *Site) bool) *Method {
	c := *m
	body := *m.M
	c.M = &body
	body.Edges = slices.Clone(m.M.Edges)
	body.Locals = slices.Clone(m.M.Locals)
	c.keys, c.used = maps.Clone(m.keys), maps.Clone(m.used)
	c.ends = maps.Clone(m.ends)
	c.sites = nil
	for _, s := range m.sites {
		if !keep(s) {
			continue
		}
		site, inner := *s, *s.ErrorSite
		site.ErrorSite = &inner
		c.sites = append(c.sites, &site)
	}
	return &c
}

func (h *Whole) component(d Depth, keep func(s *Site) bool, favouring bool) (made *Component, err error) {
	defer Stopped(&err)
	w := h.w
	p := &prog.Program{Name: h.name, Pool: w.Pool, State: slices.Clone(w.state)}
	var constructors, methods, favoured []*Method
	for _, m := range h.constructors {
		constructors = append(constructors, m.clone(keep))
	}
	for _, m := range h.methods {
		c := m.clone(keep)
		for _, s := range c.sites {
			if f := h.favours[s.ID]; f != nil && h.certain[s.ID] {
				if favouring {
					favoured = append(favoured, m.favoured(s, f))
				}
				c.loosen(f)
				c.guardFavoured(s, f)
				s.Unsure, s.Favoured = false, true
			}
		}
		methods = append(methods, c)
	}
	methods = append(methods, favoured...)
	all := slices.Concat(constructors, methods)
	for _, m := range all {
		m.tidyFirst()
	}
	s := newSlicer(p, all)
	c := &Component{Program: p, Sites: map[string][]*Site{}}
	c.Complete = s.slice(d)
	c.Numbers = s.numbers
	for _, m := range all {
		m.anyClass()
		m.tidy()
	}
	dead(p, all)
	for _, m := range all {
		m.tidy()
	}
	dead(p, all)
	for _, m := range all {
		m.drop()
		m.finish()
		c.Sites[m.M.Name] = m.sites
	}
	for _, m := range constructors {
		p.Constructors = append(p.Constructors, m.M)
	}
	for _, m := range methods {
		p.Methods = append(p.Methods, m.M)
	}
	p.Invariants = h.invariants(p)
	w.enums(p)
	for _, pos := range slices.SortedFunc(maps.Keys(w.approx), comparePos) {
		for _, what := range slices.Sorted(maps.Keys(w.approx[pos])) {
			c.Approximations = append(c.Approximations, Approximation{what, pos})
		}
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	return c, nil
}

// drop leaves out the parameters that decide nothing and that need not be there.
func (m *Method) drop() {
	if len(m.droppable) == 0 {
		return
	}
	read := map[*term.Term]bool{}
	for _, e := range m.M.Edges {
		for _, t := range term.FreeVars(e.Exprs...) {
			read[t] = true
		}
	}
	m.M.Params = slices.DeleteFunc(slices.Clone(m.M.Params), func(v *prog.Var) bool { return m.droppable[v] && !read[v.Term] })
}

// tidyFirst removes what cannot be reached.
func (m *Method) tidyFirst() {
	m.prune()
	slices.SortStableFunc(m.M.Edges, func(a, b prog.Edge) int { return cmp.Compare(a.From, b.From) })
}

func comparePos(a, b prog.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// enums declares the enums that the program uses.
func (w *World) enums(p *prog.Program) {
	seen := map[*term.Enum]bool{}
	add := func(s term.Sort) {
		if s.Enum != nil && !seen[s.Enum] {
			seen[s.Enum] = true
			p.Enums = append(p.Enums, s.Enum)
		}
	}
	for _, v := range p.State {
		add(v.Type.Sort)
	}
	for _, m := range slices.Concat(p.Constructors, p.Methods) {
		for _, v := range slices.Concat(m.Params, m.Results, m.Locals) {
			add(v.Type.Sort)
		}
	}
}
