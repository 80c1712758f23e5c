// SPDX-License-Identifier: Apache-2.0

package typestate

// This file follows one object while a program uses it. What an interface says of a call in a state is put into
// tables when a monitor is made. A call whose method has one guard that always holds, and results whose class shows in them, take a look into a table
// and nothing is allocated; guards over values are evaluated like those of a word (word.go).

import (
	"fmt"
	"maps"
	"slices"
)

// A Monitor follows one object: [Monitor.Call] says what the interface says of a call before it is made, and
// [Monitor.Return] tells the monitor what it returned. It is not safe for concurrent use; monitors of
// one interface share their tables, so [Monitor.Another] costs little and may be used at the same time.
type Monitor struct {
	t      *monitorTables
	x      index // its own, for what evaluation counts
	at     config
	begun  bool
	lost   string // why nothing is known any more; "" if something is
	during *announced
	call   announced
	quick  *monitoredMethod   // announced, and taking the short way (monitor_quick.go)
	cell   int                // of quick, in the tables
	trail  [trailLength]int32 // the last calls, as indices of methods; used as a ring
	made   int
}

// trailLength is how many of the last calls a monitor remembers: enough to read, and a fixed part of its size.
const trailLength = 32

// announced is the call that was said to be made.
type announced struct {
	method  *monitoredMethod
	entries bool  // a constructor
	calls   []int // that it may be: of the interface, or of the constructor's ids
	scope   *scope
	result  Result
}

// monitorTables are what monitors of an interface share; they do not change.
type monitorTables struct {
	i        *Interface
	x        *index
	methods  map[string]*monitoredMethod
	makers   map[string]*monitoredMethod // constructors
	names    []string                    // of methods and constructors, by number
	results  []Result                    // by state and call, without an outcome
	next     [][]int32                   // by state and call: the state by outcome; cannotHappen
	outcomes [][]outcomeClass            // by call
	moves    []bool                      // by state and call: an edge gives registers values
	quick    []quickCall                 // by call
}

const cannotHappen = -1

// A monitoredMethod is a method or a constructor.
type monitoredMethod struct {
	number  int32
	calls   []int  // of the interface
	plain   bool   // one call, whose guard always holds and mentions nothing
	choices []Call // for guards
	ids     []string
	entries [][]Constructor // of a constructor, by id
	classes [][]outcomeClass
}

// Monitor returns a monitor for one object. The interface must be valid and must not change while it is used.
func (i *Interface) Monitor() (*Monitor, error) {
	if err := i.Validate(); err != nil {
		return nil, err
	}
	t := &monitorTables{i: i, x: newIndex(i), methods: map[string]*monitoredMethod{}, makers: map[string]*monitoredMethod{}}
	for k, c := range i.Calls {
		m := t.methods[c.Method]
		if m == nil {
			m = t.number(t.methods, c.Method)
		}
		m.calls, m.choices = append(m.calls, k), append(m.choices, c)
		m.plain = len(m.calls) == 1 && c.Guard == "true"
		t.outcomes = append(t.outcomes, classes(c.Outcomes, c.Returns))
		t.quick = append(t.quick, newQuickCall(t.outcomes[k]))
	}
	for _, c := range i.Constructors {
		m := t.makers[c.Method]
		if m == nil {
			m = t.number(t.makers, c.Method)
		}
		k := slices.Index(m.ids, c.ID)
		if k < 0 {
			k = len(m.ids)
			m.ids, m.entries = append(m.ids, c.ID), append(m.entries, nil)
			m.choices = append(m.choices, Call{ID: c.ID, Method: c.Method, Params: c.Params, Types: c.Types, Guard: c.Guard, Results: c.Results})
			m.classes = append(m.classes, nil)
		}
		m.entries[k] = append(m.entries[k], c)
		m.classes[k] = append(m.classes[k], newOutcomeClass(c.Outcome, nil))
	}
	t.fill()
	if err := t.expressions(); err != nil {
		return nil, err
	}
	return t.monitor(), nil
}

func classes(outcomes []string, returns []Register) []outcomeClass {
	var out []outcomeClass
	for _, o := range outcomes {
		out = append(out, newOutcomeClass(o, returns))
	}
	return out
}

func (t *monitorTables) number(to map[string]*monitoredMethod, name string) *monitoredMethod {
	m := &monitoredMethod{number: int32(len(t.names))}
	t.names = append(t.names, name)
	to[name] = m
	return m
}

// fill computes what each cell says.
func (t *monitorTables) fill() {
	n := len(t.i.Calls)
	t.results = make([]Result, len(t.i.States)*n)
	t.next = make([][]int32, len(t.results))
	t.moves = make([]bool, len(t.results))
	for state := range t.i.States {
		for call, c := range t.i.Calls {
			at := cell{state, call}
			k := state*n + call
			r := t.x.result(at)
			if r.Verdict == VerdictAllowed && r.Kind == StepUnknown {
				r.Kind = StepNext
			}
			t.results[k] = r
			row := slices.Repeat([]int32{cannotHappen}, len(c.Outcomes))
			for _, e := range t.x.edges[at] {
				for o := range c.Outcomes {
					if e.Outcome == "*" || e.Outcome == c.Outcomes[o] {
						row[o] = int32(e.To)
					}
				}
				t.moves[k] = t.moves[k] || len(e.Update) > 0 || len(t.i.States[e.To].Registers) > 0
			}
			t.next[k] = row
		}
	}
}

// expressions reads all guards and updates once, so that monitors share what is read and add nothing.
func (t *monitorTables) expressions() error {
	read := func(text, of string) error {
		if _, err := t.x.parse(text); err != nil {
			return fmt.Errorf("%s of %s: %w", text, of, err)
		}
		return nil
	}
	for _, c := range t.i.Calls {
		if err := read(c.Guard, c.ID); err != nil {
			return err
		}
	}
	for _, e := range t.i.Edges {
		for _, name := range slices.Sorted(maps.Keys(e.Update)) {
			if err := read(e.Update[name], e.Call); err != nil {
				return err
			}
		}
	}
	for _, c := range t.i.Constructors {
		for _, name := range slices.Sorted(maps.Keys(c.Update)) {
			if err := read(c.Update[name], c.ID); err != nil {
				return err
			}
		}
		if err := read(c.Guard, c.ID); err != nil {
			return err
		}
	}
	return nil
}

func (t *monitorTables) monitor() *Monitor {
	return &Monitor{t: t, x: *t.x, at: config{state: -1}}
}

// Another returns a monitor for another object.
func (m *Monitor) Another() *Monitor { return m.t.monitor() }

// State is the state that the object is in, -1 if that is not known or no call was made.
func (m *Monitor) State() int {
	if m.lost != "" || !m.begun {
		return -1
	}
	return m.at.state
}

// Trail returns the names of the last calls, the last one last.
func (m *Monitor) Trail() []string {
	var out []string
	for k := max(0, m.made-trailLength); k < m.made; k++ {
		out = append(out, m.t.names[m.trail[k%trailLength]])
	}
	return out
}

// Call says what the interface says of a call that is about to be made: StepNext if it is allowed, StepForbidden, or
// StepUnknown with the reason. The name is that of a method or constructor. Arguments may be left out from the end, or be zero values,
// where guards do not ask for them.
func (m *Monitor) Call(name string, args ...Value) Result {
	m.during, m.quick = nil, nil
	method := m.t.methods[name]
	if r := m.quickly(method); r != nil {
		return *r
	}
	if !m.begun {
		if made, r := m.begin(name); !made {
			return r
		} else if maker := m.t.makers[name]; maker != nil {
			m.note(maker)
			return m.construct(maker, args)
		}
	}
	if method == nil {
		return invalid("no method %q", name)
	}
	m.note(method)
	if m.lost != "" {
		return Result{State: -1, Reason: m.lost}
	}
	a := &m.call
	*a = announced{method: method}
	if method.plain {
		a.calls = method.calls
	} else if r := m.choose(a, method.choices, args); r.Kind != StepNext {
		m.lost = r.Reason
		return r
	} else {
		for k, c := range a.calls {
			a.calls[k] = method.calls[c]
		}
		a.calls = m.x.made(m.at.state, a.calls)
	}
	a.result = m.said(a.calls)
	if method.plain && m.remembers(a.calls[0]) {
		if s, err := m.scope(method.choices[0], args); err == nil {
			a.scope = s
		}
	}
	m.during = a
	return a.result
}

func (m *Monitor) note(method *monitoredMethod) {
	m.trail[m.made%trailLength] = method.number
	m.made++
}

func (m *Monitor) cellOf(call int) int { return m.at.state*len(m.t.i.Calls) + call }

func (m *Monitor) remembers(call int) bool { return m.t.moves[m.cellOf(call)] }

// said is what all calls that it may be say.
func (m *Monitor) said(calls []int) Result {
	r := m.t.results[m.cellOf(calls[0])]
	for _, c := range calls[1:] {
		s := m.t.results[m.cellOf(c)]
		if s.Kind != r.Kind || s.Verdict.Forbidden() != r.Verdict.Forbidden() {
			return Result{State: -1, Reason: "its guards depend on a value that was not given"}
		}
		if s.Verdict == VerdictMayFail {
			r = s
		}
	}
	return r
}

// begin decides where the object begins if the first call is no constructor.
func (m *Monitor) begin(name string) (bool, Result) {
	if m.t.makers[name] != nil {
		return true, Result{}
	}
	if m.t.methods[name] == nil {
		return false, invalid("no method or constructor %q", name)
	}
	at, a, done := m.x.begin([]Step{{Call: name}})
	if done {
		return false, a.Result
	}
	m.begun, m.at = true, at
	return true, Result{}
}

// construct says what the interface says of a constructor.
func (m *Monitor) construct(maker *monitoredMethod, args []Value) Result {
	a := &m.call
	*a = announced{method: maker, entries: true}
	m.begun = true
	if r := m.choose(a, maker.choices, args); r.Kind != StepNext {
		m.lost = r.Reason
		return r
	}
	for n, k := range a.calls {
		r := start(maker.entries[k], "")
		if r.Kind == StepAmbiguous || r.Kind == StepImpossible {
			r.Kind, r.Reason = StepNext, ""
		}
		r.State, r.Update = -1, nil
		if n > 0 && (r.Kind != a.result.Kind || r.Verdict.Forbidden() != a.result.Verdict.Forbidden()) {
			m.lost = "the guards of the constructor depend on a value that was not given"
			return Result{State: -1, Reason: m.lost}
		}
		a.result = r
	}
	m.during = a
	return a.result
}

// choose finds the calls whose guards may hold.
func (m *Monitor) choose(a *announced, choices []Call, args []Value) Result {
	s, err := m.scope(choices[0], args)
	if err != nil {
		return invalid("%s: %v", choices[0].Method, err)
	}
	c := m.x.evaluate(s, choices)
	switch {
	case c.calls == nil && c.reason != "":
		return Result{State: -1, Reason: c.reason}
	case c.calls == nil:
		return Result{State: -1, Reason: fmt.Sprintf("no guard of %s holds", choices[0].Method)}
	}
	a.calls, a.scope = c.calls, s
	return Result{Kind: StepNext}
}

// scope gives registers and arguments their values.
func (m *Monitor) scope(c Call, args []Value) (*scope, error) {
	s := newScope()
	maps.Copy(s.types, m.x.registers)
	maps.Copy(s.values, m.at.registers)
	for k, p := range c.Params {
		if k < len(c.Types) {
			s.types[p] = c.Types[k]
		}
		delete(s.values, p) // a parameter hides a register
		if k >= len(args) || k >= len(c.Types) || args[k].kind == notTold {
			continue
		}
		v, err := parseValue(args[k].text(), c.Types[k])
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", p, err)
		}
		s.values[p] = v
	}
	if len(args) > len(c.Params) {
		return nil, fmt.Errorf("%d arguments, and %d parameters", len(args), len(c.Params))
	}
	return s, nil
}

// Return tells the monitor that the call which was announced last has returned, with these results. It says where the
// object is then: StepNext with the state; StepImpossible if the interface says that the call does not return so; StepUnknown
// if the results do not tell. Where the state is not known any more, all calls are unknown from then on.
func (m *Monitor) Return(results ...Value) Result {
	if m.quick != nil {
		if r, ok := m.returnQuickly(results); ok {
			return r
		}
	}
	a := m.during
	m.during = nil
	switch {
	case m.lost != "":
		return Result{State: -1, Reason: m.lost}
	case a == nil:
		return invalid("no call was announced")
	case a.result.Verdict.Forbidden():
		return m.returned(a)
	}
	if a.entries {
		return m.constructed(a, results)
	}
	if len(a.calls) == 1 {
		if o := m.outcome(a.calls[0], results); o >= 0 && !m.remembers(a.calls[0]) {
			return m.follow(a, int(m.t.next[m.cellOf(a.calls[0])][o]), nil)
		}
	}
	return m.several(a, results)
}

// returned follows a forbidden call that came back: the interface may say how a returned error leaves the object.
func (m *Monitor) returned(a *announced) Result {
	if f := a.result.Forbidden; f != nil && f.To != nil && len(m.t.i.States[*f.To].Registers) == 0 {
		m.at = config{state: *f.To}
		return Result{Kind: StepNext, State: *f.To, Verdict: a.result.Verdict}
	}
	return m.lose(StepUnknown, "%s is forbidden here and returned", a.method.name(m.t))
}

func (x *monitoredMethod) name(t *monitorTables) string { return t.names[x.number] }

func (m *Monitor) lose(kind StepKind, format string, args ...any) Result {
	m.lost = fmt.Sprintf(format, args...)
	return Result{Kind: kind, State: -1, Reason: m.lost}
}

// outcome is the one outcome that the results belong to; -1 if that cannot be told.
func (m *Monitor) outcome(call int, results []Value) int {
	found := -1
	all := m.t.outcomes[call]
	for k := range all {
		switch all[k].has(results) {
		case MatchUnknown:
			return -1
		case MatchYes:
			if found >= 0 {
				return -1
			}
			found = k
		}
	}
	return found
}

// follow goes to a state.
func (m *Monitor) follow(a *announced, to int, registers map[string]value) Result {
	if to == cannotHappen {
		return m.lose(StepImpossible, "%s returned what cannot happen", a.method.name(m.t))
	}
	m.at = config{to, registers}
	kind := StepNext
	if a.result.Verdict != VerdictAllowed {
		kind = StepUnknown
	}
	return Result{Kind: kind, State: to, Verdict: a.result.Verdict, Reason: a.result.Reason}
}

// several follows a call of which more than one outcome is possible, or that gives registers values.
func (m *Monitor) several(a *announced, results []Value) Result {
	var to []config
	for _, call := range a.calls {
		c := m.t.i.Calls[call]
		s := m.observed(a, c, results)
		for o, name := range c.Outcomes {
			if m.t.outcomes[call][o].has(results) == MatchNo {
				continue
			}
			for _, e := range m.x.edges[cell{m.at.state, call}] {
				if e.Outcome == "*" || e.Outcome == name {
					to = append(to, m.x.move(m.at, Result{State: e.To, Update: e.Update}, s))
				}
			}
		}
	}
	return m.settle(a, to)
}

// constructed follows a constructor.
func (m *Monitor) constructed(a *announced, results []Value) Result {
	var to []config
	for _, k := range a.calls {
		s := m.observed(a, a.method.choices[k], results)
		for n, c := range a.method.entries[k] {
			if c.State != nil && (c.Outcome == "*" || a.method.classes[k][n].has(results) != MatchNo) {
				to = append(to, m.x.move(config{state: -1}, Result{State: *c.State, Update: c.Update}, s))
			}
		}
	}
	return m.settle(a, to)
}

// observed adds the results that updates mention to the values of a call. Of a result that was not told nothing is known.
func (m *Monitor) observed(a *announced, c Call, results []Value) *scope {
	s := newScope()
	if a.scope != nil {
		s.types, s.values = maps.Clone(a.scope.types), maps.Clone(a.scope.values)
	} else {
		maps.Copy(s.types, m.x.registers)
		maps.Copy(s.values, m.at.registers)
	}
	for k, r := range c.Results {
		s.types[r.Name] = r.Type
		delete(s.values, r.Name)
		if k >= len(results) || results[k].kind == notTold {
			continue
		}
		if v, err := parseValue(results[k].text(), r.Type); err == nil {
			s.values[r.Name] = v
		}
	}
	return s
}

// settle goes where all possibilities lead. A register whose values differ has none.
func (m *Monitor) settle(a *announced, to []config) Result {
	if len(to) == 0 {
		return m.follow(a, cannotHappen, nil)
	}
	first := to[0]
	for _, c := range to[1:] {
		if c.state != first.state {
			return m.lose(StepUnknown, "what %s returned does not tell in which state the object is", a.method.name(m.t))
		}
		for _, name := range slices.Sorted(maps.Keys(first.registers)) {
			if v, ok := c.registers[name]; !ok || v.text() != first.registers[name].text() {
				delete(first.registers, name)
			}
		}
	}
	return m.follow(a, first.state, first.registers)
}
