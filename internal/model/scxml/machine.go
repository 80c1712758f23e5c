// SPDX-License-Identifier: Apache-2.0

package scxml

// This file is the algorithm of the standard's appendix D. The configuration, what history
// states remember, the data and the internal queue are a machine.

import (
	"fmt"
	"slices"
	"strings"
)

// maxMicrosteps bounds what a chart does for one event; one that does more is taken not to come
// to rest.
const maxMicrosteps = 10_000

type machine struct {
	*chart
	options *Options
	config  map[*state]bool
	memory  map[*state][]*state
	data    map[string]value
	queue   []string
	current string // the event
	running bool
	failure string // the first assertion that failed, or event that is an error
	stopped bool   // an assertion failed that ends the run without being an error
}

func (m *machine) variable(name string) (value, bool) { v, ok := m.data[name]; return v, ok }
func (m *machine) in(id string) bool                  { return m.config[m.states[id]] }
func (m *machine) event() string                      { return m.current }

// ended says that the run goes on no further.
func (m *machine) ended() bool { return m.failure != "" || m.stopped }

// start enters the chart.
func (m *machine) start() error {
	m.running = true
	for _, d := range m.chart.data {
		m.data[d.name], _ = d.expr(m)
	}
	m.enter([]*transition{m.root.initial})
	return m.complete()
}

// take makes one step for an external event; false if no transition takes it.
func (m *machine) take(event string) (bool, error) {
	m.current = event
	enabled := m.selected(true)
	if len(enabled) == 0 {
		return len(m.queue) > 0, m.complete() // a guard that could not be evaluated raised an event
	}
	m.microstep(enabled)
	return true, m.complete()
}

// complete runs until the chart comes to rest.
func (m *machine) complete() error {
	for n := 0; m.running && !m.ended(); n++ {
		if n > maxMicrosteps {
			return fmt.Errorf("the chart does not come to rest after %s: more than %d steps without an external event", m.current, maxMicrosteps)
		}
		enabled := m.selected(false)
		if len(enabled) == 0 {
			if len(m.queue) == 0 {
				break
			}
			m.current, m.queue = m.queue[0], m.queue[1:]
			enabled = m.selected(true)
		}
		if len(enabled) > 0 {
			m.microstep(enabled)
		}
	}
	m.current = ""
	if !m.running {
		m.queue = nil
	}
	return nil
}

// sorted lists states in document order.
func sorted(set map[*state]bool) []*state {
	var list []*state
	for s := range set {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *state) int { return a.order - b.order })
	return list
}

func (t *transition) matches(event string) bool {
	return slices.ContainsFunc(t.events, func(d string) bool {
		return d == "" || d == event || strings.HasPrefix(event, d+".")
	})
}

// selected are the transitions that the current event enables, or the eventless ones.
func (m *machine) selected(withEvent bool) []*transition {
	var enabled []*transition
	for _, s := range sorted(m.config) {
		if !s.atomic() {
			continue
		}
	search:
		for p := s; p != m.root; p = p.parent {
			for _, t := range p.transitions {
				if (t.events != nil) == withEvent && (!withEvent || t.matches(m.current)) && m.holds(t.cond) {
					if !slices.Contains(enabled, t) {
						enabled = append(enabled, t)
					}
					break search
				}
			}
		}
	}
	return m.withoutConflicts(enabled)
}

func (m *machine) holds(cond expr) bool {
	if cond == nil {
		return true
	}
	v, err := boolean(cond, m)
	if err != nil {
		m.raise("error.execution")
		return false
	}
	return v.n == 1
}

// raise puts an event into the internal queue.
func (m *machine) raise(event string) {
	if m.options != nil && m.options.FailingEvent != nil && m.options.FailingEvent(event) && m.failure == "" {
		m.failure = "event " + event
	}
	m.queue = append(m.queue, event)
}

// withoutConflicts drops transitions that would leave a state which another leaves: of two the
// one of the inner state stays, else the first.
func (m *machine) withoutConflicts(enabled []*transition) []*transition {
	var kept []*transition
	for _, t := range enabled {
		preempted := false
		var dropped []*transition
		exits := m.exits(t)
		for _, u := range kept {
			if !meets(exits, m.exits(u)) {
				continue
			}
			if t.source.below(u.source) {
				dropped = append(dropped, u)
			} else {
				preempted = true
				break
			}
		}
		if preempted {
			continue
		}
		kept = slices.DeleteFunc(kept, func(u *transition) bool { return slices.Contains(dropped, u) })
		kept = append(kept, t)
	}
	return kept
}

func meets(a, b []*state) bool {
	return slices.ContainsFunc(a, func(s *state) bool { return slices.Contains(b, s) })
}

// effective replaces history states by what they remember.
func (m *machine) effective(t *transition) []*state {
	var out []*state
	for _, s := range t.targets {
		switch {
		case !s.history():
			out = append(out, s)
		case m.memory[s] != nil:
			out = append(out, m.memory[s]...)
		default:
			out = append(out, m.effective(s.transitions[0])...)
		}
	}
	return out
}

// domain is the state inside of which a transition leaves and enters states; nil if it has no
// target.
func (m *machine) domain(t *transition) *state {
	targets := m.effective(t)
	if len(targets) == 0 {
		return nil
	}
	inside := func(d *state) bool {
		return !slices.ContainsFunc(targets, func(s *state) bool { return !s.below(d) })
	}
	if t.internal && t.source.kind == compound && inside(t.source) {
		return t.source
	}
	for p := t.source.parent; p != nil; p = p.parent {
		if p.kind == compound && inside(p) {
			return p
		}
	}
	return m.root
}

// exits are the states that a transition leaves, in document order.
func (m *machine) exits(t *transition) []*state {
	d := m.domain(t)
	if d == nil {
		return nil
	}
	var out []*state
	for _, s := range sorted(m.config) {
		if s.below(d) {
			out = append(out, s)
		}
	}
	return out
}

func (m *machine) microstep(enabled []*transition) {
	leave := map[*state]bool{}
	for _, t := range enabled {
		for _, s := range m.exits(t) {
			leave[s] = true
		}
	}
	list := sorted(leave)
	for _, s := range list {
		for _, h := range s.histories {
			m.memory[h] = m.remembered(s, h.kind == deep)
		}
	}
	for _, s := range slices.Backward(list) {
		for _, block := range s.exit {
			m.run(block)
		}
		delete(m.config, s)
	}
	for _, t := range enabled {
		m.run(t.content)
	}
	m.enter(enabled)
}

// remembered is what a history state of s keeps.
func (m *machine) remembered(s *state, all bool) []*state {
	out := []*state{}
	for _, x := range sorted(m.config) {
		if all && x.atomic() && x.below(s) || !all && x.parent == s {
			out = append(out, x)
		}
	}
	return out
}

// An entry collects the states that transitions enter.
type entry struct {
	*machine
	states   map[*state]bool
	defaults map[*state]bool      // entered by their initial transition
	history  map[*state][]*action // content of a history's transition, by its parent
}

func (m *machine) enter(enabled []*transition) {
	e := &entry{m, map[*state]bool{}, map[*state]bool{}, map[*state][]*action{}}
	for _, t := range enabled {
		for _, s := range t.targets {
			e.descend(s)
		}
		d := m.domain(t)
		if t == m.root.initial {
			d = m.root
		}
		for _, s := range m.effective(t) {
			e.ascend(s, d)
		}
	}
	for _, s := range sorted(e.states) {
		m.config[s] = true
		for _, block := range s.entry {
			m.run(block)
		}
		if e.defaults[s] {
			m.run(s.initial.content)
		}
		m.run(e.history[s])
		if s.kind == final {
			m.finished(s)
		}
	}
}

// finished raises the events of a final state, or ends the chart.
func (m *machine) finished(s *state) {
	p := s.parent
	if p == m.root {
		m.running = false
		return
	}
	m.raise("done.state." + p.id)
	if g := p.parent; g.kind == parallel && !slices.ContainsFunc(g.children, func(c *state) bool { return !m.inFinal(c) }) {
		m.raise("done.state." + g.id)
	}
}

func (m *machine) inFinal(s *state) bool {
	switch s.kind {
	case compound:
		return slices.ContainsFunc(s.children, func(c *state) bool { return c.kind == final && m.config[c] })
	case parallel:
		return !slices.ContainsFunc(s.children, func(c *state) bool { return !m.inFinal(c) })
	}
	return false
}

func (e *entry) descend(s *state) {
	if s.history() {
		e.recall(s)
		return
	}
	e.states[s] = true
	switch {
	case s.kind == parallel:
		e.regions(s)
	case s.kind == compound && len(s.children) > 0:
		e.defaults[s] = true
		for _, t := range s.initial.targets {
			e.descend(t)
		}
		for _, t := range s.initial.targets {
			e.ascend(t, s)
		}
	}
}

// recall enters what a history state remembers, or its default.
func (e *entry) recall(h *state) {
	targets := e.memory[h]
	if targets == nil {
		targets = h.transitions[0].targets
		e.history[h.parent] = h.transitions[0].content
	}
	for _, t := range targets {
		e.descend(t)
	}
	for _, t := range targets {
		e.ascend(t, h.parent)
	}
}

// ascend enters the states between s and the state top.
func (e *entry) ascend(s, top *state) {
	for p := s.parent; p != nil && p != top && p != e.root; p = p.parent {
		e.states[p] = true
		if p.kind == parallel {
			e.regions(p)
		}
	}
}

// regions enters the children of a parallel state that are not entered yet.
func (e *entry) regions(s *state) {
	for _, c := range s.children {
		entered := false
		for x := range e.states {
			entered = entered || x == c || x.below(c)
		}
		if !entered {
			e.descend(c)
		}
	}
}

// run executes content; false if the rest of the block is left out.
func (m *machine) run(list []*action) bool {
	for _, a := range list {
		if m.ended() {
			return false
		}
		if !m.execute(a) {
			return false
		}
	}
	return true
}

func (m *machine) execute(a *action) bool {
	switch a.kind {
	case "raise":
		m.raise(a.event)
	case "assign":
		v, err := a.expr(m)
		if err != nil || v.kind != m.types[a.location] {
			m.raise("error.execution")
			return false
		}
		m.data[a.location] = v
	case "assert":
		v, err := boolean(a.expr, m)
		if err != nil {
			m.raise("error.execution")
			return false
		}
		if v.n == 0 {
			m.assertionFails(a)
		}
	case "if":
		for _, b := range a.branches {
			if b.cond != nil {
				v, err := boolean(b.cond, m)
				if err != nil {
					m.raise("error.execution")
					return false
				}
				if v.n == 0 {
					continue
				}
			}
			return m.run(b.content)
		}
	}
	return true
}

func (m *machine) assertionFails(a *action) {
	site := fmt.Sprintf("%s (%s:%d)", a.text, m.file[strings.LastIndexByte(m.file, '/')+1:], a.line)
	treatment := Fail
	if m.options != nil && m.options.Assertion != nil {
		treatment = m.options.Assertion(site)
	}
	switch treatment {
	case Fail:
		m.failure = site
	case Stop:
		m.stopped = true
	}
}
