// SPDX-License-Identifier: Apache-2.0

package lower

// This file emits the automaton of one method. There is a current location,
// from which the next edge goes; after an error or a return there is none, and
// what is emitted then is dropped.

import (
	"strconv"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// Class says where an unknown value comes from.
type Class uint8

const (
	// Answer is what the environment says during this call.
	Answer Class = iota + 1
	// Unmodelled is a value that exists in the code but is not followed.
	Unmodelled
)

// From says what an unknown value was computed from, by code that is not
// followed: it is an answer of the environment as far as these are.
type From []*term.Term

// A Method emits the automaton of a method or constructor.
type Method struct {
	W    *World
	M    *prog.Method
	cur  int // -1: unreachable
	pos  prog.Pos
	keys map[string]*prog.Var
	used map[string]int  // names, and how many have been derived from each
	kept map[string]bool // names that are for results

	class    map[int]Class           // of havoc edges, by their target location
	from     map[int]From            // of havoc edges, by their target location
	replies  map[*prog.Var]bool      // what code of others returns
	given    map[int]From            // of havoc edges that are functions of what the client gave; see given.go
	loose    map[int]bool            // tests of what the client gave that a parameter stands for: what is left of them constrains nothing
	optional map[*prog.Var]*prog.Var // results that are numbers: their classes; and classes: nil
	sites    []*Site
	marks    []mark
	renewals []renewal
	nilable  []nilable
	// local cells of places that state does not hold
	cells map[string]*prog.Var
	// parameters that are left out where they decide nothing
	droppable map[*prog.Var]bool
	// ignored are locations with a test whose other way is an error that is cut off
	ignored map[int]bool
	// unwanted are those of them whose errors are not under study
	unwanted map[int]bool
	// waits are locations at which the run waits for ever, ends those with a test of which another way leads there only
	waits, ends map[int]bool
	// leaving are locations with a test that decides whether a loop ends
	leaving map[int]bool
}

// A Site is an error site with what lowering knows about it.
type Site struct {
	*prog.ErrorSite
	ID int // in its component
	// Implicit is a check of the run time (nil, bounds, division...), not a
	// statement of the code.
	Implicit bool
	// Explicit is a site of the code all the same: left out, it makes verdicts
	// unknown, not only uncovered.
	Explicit bool
	// Unsure is set if whether the site errs depends on something unmodelled.
	Unsure bool
	// Certain is set if a parameter says whether the site errs, or may: in no state does
	// anything else decide.
	Certain bool
	// Favoured is set if an engine has found that there are erring runs wherever a call may
	// err here; see favour.go.
	Favoured bool
	// From is what the front end knows the site by.
	From any
	// Why is set if the site is not certain for a reason of the front end; it is
	// part of no protocol.
	Why string
}

// A mark is an assignment to a flag: true where it is decided by an answer of the
// environment, else false.
type mark struct {
	loc  int // source of the edge
	flag *prog.Var
}

// NewMethod starts a method.
func (w *World) NewMethod(name string, pos prog.Pos) *Method {
	w.current = name
	m := &Method{W: w, M: &prog.Method{Name: name, Pos: pos}, pos: pos, keys: map[string]*prog.Var{}, used: map[string]int{}, kept: map[string]bool{}, class: map[int]Class{}, from: map[int]From{}, given: map[int]From{}, replies: map[*prog.Var]bool{}, optional: map[*prog.Var]*prog.Var{}, cells: map[string]*prog.Var{}, droppable: map[*prog.Var]bool{}, ignored: map[int]bool{}, unwanted: map[int]bool{}, waits: map[int]bool{}, ends: map[int]bool{}, leaving: map[int]bool{}}
	m.M.Entry, m.M.Exit = m.New(), m.New()
	m.cur = m.M.Entry
	return m
}

// New returns a new location.
func (m *Method) New() int {
	m.M.Locs++
	return m.M.Locs - 1
}

// At sets the position of what follows.
func (m *Method) At(pos prog.Pos) {
	if pos.Line > 0 {
		m.pos = pos
	}
}

// Pos is the current position.
func (m *Method) Pos() prog.Pos { return m.pos }

// Reachable reports whether there is a current location.
func (m *Method) Reachable() bool { return m.cur >= 0 }

// Here returns the current location, -1 if there is none.
func (m *Method) Here() int { return m.cur }

// Continue goes on at a location.
func (m *Method) Continue(loc int) { m.cur = loc }

// Stop ends the run without an outcome.
func (m *Method) Stop() { m.cur = -1 }

func (m *Method) edge(e prog.Edge) {
	m.W.count()
	e.From, e.Pos = m.cur, m.pos
	m.M.Edges = append(m.M.Edges, e)
	m.cur = e.To
}

// Goto goes to a location.
func (m *Method) Goto(loc int) {
	if m.cur >= 0 {
		m.edge(prog.Edge{To: loc, Kind: prog.AssignEdge})
	}
	m.cur = -1
}

// Assign assigns simultaneously.
func (m *Method) Assign(vars []*prog.Var, exprs []*term.Term) {
	if m.cur < 0 {
		return
	}
	var vs []*prog.Var
	var ts []*term.Term
	for i, v := range vars {
		if exprs[i] != v.Term {
			m.W.flow(v, exprs[i])
			vs, ts = append(vs, v), append(ts, exprs[i])
		}
	}
	if len(vs) > 0 {
		m.edge(prog.Edge{To: m.New(), Kind: prog.AssignEdge, Vars: vs, Exprs: ts})
	}
}

// Set assigns one variable.
func (m *Method) Set(v *prog.Var, t *term.Term) { m.Assign([]*prog.Var{v}, []*term.Term{t}) }

// Assume cuts runs in which t does not hold.
func (m *Method) Assume(t *term.Term) {
	switch {
	case m.cur < 0 || t.IsTrue():
	case t.IsFalse():
		m.cur = -1
	default:
		m.edge(prog.Edge{To: m.New(), Kind: prog.AssumeEdge, Exprs: []*term.Term{t}})
	}
}

// Wait ends runs in which a condition holds: they wait for ever.
func (m *Method) Wait(cond *term.Term) {
	yes, no := m.Branch(cond)
	if yes >= 0 {
		m.waits[yes] = true
	}
	m.Continue(no)
}

// Leaving says that what is tested next decides whether a loop ends.
func (m *Method) Leaving() {
	if m.cur >= 0 {
		m.leaving[m.cur] = true
	}
}

// Ignore is Assume for a check that may fail, in runs that are cut off.
func (m *Method) Ignore(t *term.Term) {
	if m.cur >= 0 {
		m.ignored[m.cur] = true
	}
	m.Assume(t)
}

// Branch splits on a condition. The locations are -1 if they cannot be reached.
// There is no current location afterwards.
func (m *Method) Branch(cond *term.Term) (yes, no int) {
	from := m.cur
	m.cur = -1
	switch {
	case from < 0:
		return -1, -1
	case cond.IsTrue():
		return from, -1
	case cond.IsFalse():
		return -1, from
	}
	yes, no = m.New(), m.New()
	m.cur = from
	m.edge(prog.Edge{To: yes, Kind: prog.AssumeEdge, Exprs: []*term.Term{cond}})
	m.cur = from
	m.edge(prog.Edge{To: no, Kind: prog.AssumeEdge, Exprs: []*term.Term{m.W.Pool.Not(cond)}})
	m.cur = -1
	return yes, no
}

// Join goes on where several locations meet.
func (m *Method) Join(locs ...int) {
	to := -1
	for _, l := range locs {
		if l < 0 {
			continue
		}
		if to < 0 {
			to = m.New()
		}
		m.cur = l
		m.Goto(to)
	}
	m.cur = to
}

// Local returns the local variable with a key, which is the same in every pass.
func (m *Method) Local(key, name string, typ prog.Type) *prog.Var {
	if v := m.keys[key]; v != nil {
		return v
	}
	base := name
	for m.used[name] > 0 || m.kept[name] || m.W.names[name] > 0 || m.W.asked[name] {
		m.used[base]++
		name = base + "·" + strconv.Itoa(max(2, m.used[base]))
	}
	m.used[name]++
	if m.W.locals != nil {
		m.W.locals[name] = true
	}
	v := &prog.Var{Name: name, Type: typ, Term: m.W.Pool.Var(name, typ.Sort), Pos: m.pos}
	m.W.vars[v.Term] = m.M.Name + "/" + key
	m.keys[key] = v
	m.M.Locals = append(m.M.Locals, v)
	return v
}

// Param declares a parameter.
func (m *Method) Param(key, name string, typ prog.Type) *prog.Var {
	v := m.Local("param "+key, name, typ)
	m.M.Locals = m.M.Locals[:len(m.M.Locals)-1]
	m.M.Params = append(m.M.Params, v)
	return v
}

// Droppable says that a parameter is left out of programs in which it decides nothing.
func (m *Method) Droppable(v *prog.Var) { m.droppable[v] = true }

// Result declares a result.
func (m *Method) Result(key, name string, typ prog.Type) *prog.Var {
	if m.kept[name] {
		delete(m.kept, name)
		delete(m.used, name) // only others have been derived from it
	}
	v := m.Local("result "+key, name, typ)
	m.M.Locals = m.M.Locals[:len(m.M.Locals)-1]
	m.M.Results = append(m.M.Results, v)
	return v
}

// Keep keeps a name for a result. Results are declared last, and interfaces may mention
// them by name.
func (m *Method) Keep(name string) { m.kept[name] = true }

// Optional says that a result is of interest only as far as it tells something
// about errors; class is a result that tells less, or v itself.
func (m *Method) Optional(v, class *prog.Var) { m.optional[class], m.optional[v] = nil, class }

// Havoc gives a variable any value.
func (m *Method) Havoc(v *prog.Var, c Class) {
	if m.cur < 0 {
		return
	}
	to := m.New()
	m.class[to] = c
	origin := prog.Environment
	if c == Unmodelled {
		origin = prog.Guess
	}
	m.edge(prog.Edge{To: to, Kind: prog.HavocEdge, Vars: []*prog.Var{v}, Origin: origin})
}

// Computed says what the last choice was computed from.
func (m *Method) Computed(v *prog.Var, from From) {
	for i := len(m.M.Edges) - 1; i >= 0 && m.cur >= 0; i-- {
		if e := &m.M.Edges[i]; e.Kind == prog.HavocEdge && e.Vars[0] == v {
			m.from[e.To] = from
			return
		}
	}
}

// Reply says that a variable is what code of others returns that is followed: if an answer
// decides which of several values it is, it is an answer itself.
func (m *Method) Reply(v *prog.Var) { m.replies[v] = true }

// AnyRef gives a reference variable any of the given values.
func (m *Method) AnyRef(v *prog.Var, c Class, h Holds) {
	if m.cur < 0 {
		return
	}
	w := m.W
	var options []*term.Term
	keys := map[string]bool{}
	if h.Nil {
		options = append(options, w.Nil())
		keys[nilKey] = true
	}
	if h.Outside || len(h.Places) == 0 && !h.Nil {
		options = append(options, w.Outside())
		keys[outsideKey] = true
	}
	for _, p := range h.Places {
		t := w.RefOf(p)
		options = append(options, t)
		keys[p.Key] = true
	}
	w.add(v, keys)
	if len(options) == 1 {
		m.Set(v, options[0])
		return
	}
	m.Havoc(v, c)
	var any []*term.Term
	for _, o := range options {
		any = append(any, w.Pool.Eq(v.Term, o))
	}
	m.Assume(w.Pool.Or(any...))
}

// Error ends the run at an error site.
func (m *Method) Error(s *Site) {
	if m.cur < 0 {
		return
	}
	s.Loc = m.cur
	if len(m.M.Edges) == 0 || m.cur == m.M.Entry {
		to := m.New()
		m.edge(prog.Edge{To: to, Kind: prog.AssignEdge})
		s.Loc = to
	}
	m.sites = append(m.sites, s)
	m.cur = -1
}

// Fail errs where a condition holds and goes on where it does not.
func (m *Method) Fail(cond *term.Term, s *Site) {
	yes, no := m.Branch(cond)
	m.cur = yes
	m.Error(s)
	m.cur = no
}

// Mark sets a flag to false here, and to true instead if control is here because
// of an answer that the environment gave during this call. Until that is judged it is any
// value, so that nothing is concluded from it.
func (m *Method) Mark(key, name string) {
	if m.cur < 0 {
		return
	}
	v := m.Local("mark "+key, name, prog.Type{Sort: term.BoolSort})
	m.marks = append(m.marks, mark{m.cur, v})
	m.edge(prog.Edge{To: m.New(), Kind: prog.HavocEdge, Vars: []*prog.Var{v}, Origin: prog.Environment})
}

// Marked is the flag of a mark; nil if nothing sets it in this method.
func (m *Method) Marked(key string) *prog.Var { return m.keys["mark "+key] }

// Return ends the call with the values of the results.
func (m *Method) Return(values []*term.Term) {
	m.Assign(m.M.Results, values)
	m.Goto(m.M.Exit)
}
