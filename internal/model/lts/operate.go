// SPDX-License-Identifier: Apache-2.0

package lts

// This file has the operations on one system.

import (
	"fmt"
	"slices"
)

// rebuild makes a system with other labels: each edge gets those that label gives
// for its action, and hidden edges stay hidden.
func (s *System) rebuild(alphabet []string, label func(action int32) []string) *System {
	b := NewBuilder(alphabet...)
	actions := make([][]int32, len(s.Alphabet))
	for a := range s.Alphabet {
		for _, l := range label(int32(a)) {
			actions[a] = append(actions[a], b.Action(l))
		}
		if actions[a] == nil {
			actions[a] = []int32{Hidden}
		}
	}
	for from := range int32(s.States()) {
		for _, e := range s.Edges(from) {
			to := []int32{Hidden}
			if e.Action != Hidden {
				to = actions[e.Action]
			}
			for _, a := range to {
				if e.To == Error {
					b.Fail(from, a, s.Why(from, e.Action))
				} else {
					b.Edge(from, a, e.To)
				}
			}
		}
	}
	return b.System(s.Name, s.Initial)
}

// Relabel gives each action the names that f says, at least one: an action with
// several names becomes that many edges.
func (s *System) Relabel(f func(action string) []string) *System {
	return s.rebuild(nil, func(a int32) []string { return f(s.Alphabet[a]) })
}

// Hide takes the actions for which keep is false out of the alphabet.
func (s *System) Hide(keep func(action string) bool) *System {
	var alphabet []string
	for _, a := range s.Alphabet {
		if keep(a) {
			alphabet = append(alphabet, a)
		}
	}
	return s.rebuild(alphabet, func(a int32) []string {
		if keep(s.Alphabet[a]) {
			return []string{s.Alphabet[a]}
		}
		return nil
	})
}

// Extend adds actions to the alphabet.
func (s *System) Extend(actions ...string) *System {
	return s.rebuild(actions, func(a int32) []string { return []string{s.Alphabet[a]} })
}

// Property completes a system: actions of its alphabet that a state refuses lead to
// Error. It must be deterministic and without hidden edges.
func (s *System) Property() (*System, error) {
	if s.Initial == Error {
		return nil, fmt.Errorf("property %s: it starts in ERROR", s.Name)
	}
	if trace, what := s.nondeterminism(); what != "" {
		return nil, fmt.Errorf("property %s: it is not deterministic: after %s %s", s.Name, Trace(trace), what)
	}
	b := NewBuilder(s.Alphabet...)
	for from := range int32(s.States()) {
		row := s.Edges(from)
		for a := range int32(len(s.Alphabet)) {
			if k, ok := slices.BinarySearchFunc(row, a, func(e Edge, a int32) int { return int(e.Action - a) }); ok && row[k].To != Error {
				b.Edge(from, a, row[k].To)
			} else {
				b.Fail(from, a, "property "+s.Name+" is violated")
			}
		}
	}
	return b.System(s.Name, s.Initial), nil
}

// nondeterminism finds a state with a hidden edge or with two edges of one action: a
// shortest trace to it, and what is wrong there.
func (s *System) nondeterminism() (trace []string, what string) {
	for state := range int32(s.States()) { // breadth-first
		for k, e := range s.Edges(state) {
			switch {
			case e.Action == Hidden:
				what = "a hidden step is possible"
			case k > 0 && s.Edges(state)[k-1].Action == e.Action:
				what = s.Label(e) + " leads to different states"
			default:
				continue
			}
			return s.path(state), what
		}
	}
	return nil, ""
}

// path is the labels of a shortest path to a state, hidden steps included.
func (s *System) path(state int32) []string {
	type step struct {
		from int32
		edge Edge
	}
	came := map[int32]step{}
	for queue := []int32{s.Initial}; len(queue) > 0; queue = queue[1:] {
		for _, e := range s.Edges(queue[0]) {
			if _, ok := came[e.To]; !ok && e.To != s.Initial && e.To != Error {
				came[e.To] = step{queue[0], e}
				queue = append(queue, e.To)
			}
		}
	}
	var out []string
	for state != s.Initial {
		out = append(out, s.Label(came[state].edge))
		state = came[state].from
	}
	slices.Reverse(out)
	return out
}

// Trace prints a trace for people.
func Trace(labels []string) string {
	if len(labels) == 0 {
		return "the start"
	}
	text := ""
	for k, l := range labels {
		if k > 0 {
			text += " "
		}
		text += l
	}
	return text
}

// FailOn makes the edges of some actions lead to the error.
func (s *System) FailOn(fails func(action string) bool) *System {
	b := NewBuilder(s.Alphabet...)
	for from := range int32(s.States()) {
		for _, e := range s.Edges(from) {
			switch {
			case e.To == Error:
				b.Fail(from, e.Action, s.Why(from, e.Action))
			case e.Action != Hidden && fails(s.Label(e)):
				b.Fail(from, e.Action, "action "+s.Label(e))
			default:
				b.Edge(from, e.Action, e.To)
			}
		}
	}
	return b.System(s.Name, s.Initial)
}

// Stop leaves out the edges to the error that stops says: their runs end before.
func (s *System) Stop(stops func(state, action int32) bool) *System {
	b := NewBuilder(s.Alphabet...)
	for from := range int32(s.States()) {
		for _, e := range s.Edges(from) {
			switch {
			case e.To != Error:
				b.Edge(from, e.Action, e.To)
			case !stops(from, e.Action):
				b.Fail(from, e.Action, s.Why(from, e.Action))
			}
		}
	}
	return b.System(s.Name, s.Initial)
}

// Reason is what is said of an edge to the error: why, or after which action.
func (s *System) Reason(state, action int32) string {
	if why := s.Why(state, action); why != "" {
		return why
	}
	return "ERROR after " + s.Label(Edge{Action: action})
}
