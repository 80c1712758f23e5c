// SPDX-License-Identifier: Apache-2.0

// Package lts holds labelled transition systems: what models of processes are once
// they are read.
//
// A SYSTEM has states, an initial one, and edges that carry an action or are HIDDEN
// (tau). Its ALPHABET is the set of actions that it takes part in; it may contain
// actions that no edge carries, which the system then refuses for ever. The state
// ERROR is not a number like the others: edges may lead to it, none leaves it. A
// TRACE is a sequence of actions, hidden ones left out; it is possible if a path from
// the initial state carries it.
//
// Systems are values: operations (Compose, Hide, Relabel, Property, Minimize, ...)
// make new ones. All of them number states breadth-first from the initial state in the
// order of edges, so equal input gives equal systems on every machine. Those that may
// blow up take a budget in states and fail with a *BudgetError.
package lts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

const (
	// Error is the state that stands for an error.
	Error int32 = -1
	// Hidden is the action of edges that nobody sees.
	Hidden int32 = -1
)

// An Edge leads from a state by an action, an index into the alphabet or Hidden.
type Edge struct {
	Action int32
	To     int32
}

// A System is a labelled transition system. The zero value is none.
type System struct {
	Name     string
	Alphabet []string // sorted
	Initial  int32    // may be Error
	first    []int32  // edges of state s are edges[first[s]:first[s+1]]
	edges    []Edge   // of one state sorted, each once
	reasons  map[place]string
}

// A place is an action in a state.
type place struct{ state, action int32 }

// States is the number of states, without Error.
func (s *System) States() int { return len(s.first) - 1 }

// Edges are those that leave a state; the caller must not change them.
func (s *System) Edges(state int32) []Edge { return s.edges[s.first[state]:s.first[state+1]] }

// Transitions is the number of edges.
func (s *System) Transitions() int { return len(s.edges) }

// Action is the index of an action in the alphabet, and whether it is there.
func (s *System) Action(name string) (int32, bool) {
	k, ok := slices.BinarySearch(s.Alphabet, name)
	return int32(k), ok
}

// Label is the name of an edge's action, "tau" if it is hidden.
func (s *System) Label(e Edge) string {
	if e.Action == Hidden {
		return "tau"
	}
	return s.Alphabet[e.Action]
}

// Why says why an action of a state leads to the error, as the reader or the composition
// said it; "" if nobody did.
func (s *System) Why(state, action int32) string { return s.reasons[place{state, action}] }

// CanErr reports whether an edge leads to Error, or the system starts there.
func (s *System) CanErr() bool {
	return s.Initial == Error || slices.ContainsFunc(s.edges, func(e Edge) bool { return e.To == Error })
}

// A BudgetError says that an operation needs more states than it may make.
type BudgetError struct {
	What   string
	Budget int
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("%s has more than %d states", e.What, e.Budget)
}

// A Builder collects the edges of a system in any order.
type Builder struct {
	actions map[string]int32
	names   []string
	edges   []builtEdge
	states  int32
	reasons map[place]string
}

type builtEdge struct {
	from int32
	Edge
}

// NewBuilder starts a system whose alphabet contains the actions.
func NewBuilder(alphabet ...string) *Builder {
	b := &Builder{actions: map[string]int32{}}
	for _, a := range alphabet {
		b.Action(a)
	}
	return b
}

// Action adds an action to the alphabet and gives its index in this builder.
func (b *Builder) Action(name string) int32 {
	k, ok := b.actions[name]
	if !ok {
		k = int32(len(b.names))
		b.actions[name], b.names = k, append(b.names, name)
	}
	return k
}

// Edge adds an edge. States come to be by being mentioned.
func (b *Builder) Edge(from, action, to int32) {
	if from < 0 || to < Error || action < Hidden || int(action) >= len(b.names) {
		panic(fmt.Sprintf("lts.Builder.Edge(%d, %d, %d)", from, action, to))
	}
	b.edges = append(b.edges, builtEdge{from, Edge{action, to}})
	b.states = max(b.states, from+1, to+1)
}

// Fail adds an edge to the error, with a reason. Of several reasons for one action of one
// state the least counts.
func (b *Builder) Fail(from, action int32, reason string) {
	b.Edge(from, action, Error)
	if reason == "" {
		return
	}
	if b.reasons == nil {
		b.reasons = map[place]string{}
	}
	at := place{from, action}
	if old, ok := b.reasons[at]; !ok || reason < old {
		b.reasons[at] = reason
	}
}

// System is what was built, from its initial state: states that no path reaches are
// dropped, the alphabet stays.
func (b *Builder) System(name string, initial int32) *System {
	b.states = max(b.states, initial+1)
	sorted := slices.Sorted(slices.Values(b.names))
	rank := make([]int32, len(b.names))
	for k, n := range b.names {
		r, _ := slices.BinarySearch(sorted, n)
		rank[k] = int32(r)
	}
	s := &System{Name: name, Alphabet: sorted, Initial: initial, first: make([]int32, b.states+1)}
	for _, e := range b.edges {
		s.first[e.from+1]++
	}
	for k := range b.states {
		s.first[k+1] += s.first[k]
	}
	s.edges = make([]Edge, len(b.edges))
	next := slices.Clone(s.first)
	for _, e := range b.edges {
		if e.Action != Hidden {
			e.Action = rank[e.Action]
		}
		s.edges[next[e.from]] = e.Edge
		next[e.from]++
	}
	if len(b.reasons) > 0 {
		s.reasons = make(map[place]string, len(b.reasons))
		for at, reason := range b.reasons {
			if at.action != Hidden {
				at.action = rank[at.action]
			}
			s.reasons[at] = reason
		}
	}
	return s.canonical()
}

func compareEdges(a, b Edge) int {
	return cmp.Or(cmp.Compare(a.Action, b.Action), cmp.Compare(a.To, b.To))
}

// canonical drops states that no path reaches, numbers the others breadth-first, and
// sorts edges. Numbers depend on the order in which edges are met, and that on numbers:
// the walk takes edges by action first and then as they were given.
func (s *System) canonical() *System {
	out := &System{Name: s.Name, Alphabet: s.Alphabet, Initial: Error, first: []int32{0}}
	if s.Initial == Error {
		return out
	}
	number := make([]int32, s.States())
	for k := range number {
		number[k] = -2
	}
	out.Initial, number[s.Initial] = 0, 0
	for queue, at := []int32{s.Initial}, 0; at < len(queue); at++ {
		row := slices.Clone(s.Edges(queue[at]))
		slices.SortStableFunc(row, func(a, b Edge) int { return cmp.Compare(a.Action, b.Action) })
		for k, e := range row {
			if e.To == Error {
				continue
			}
			if number[e.To] == -2 {
				number[e.To] = int32(len(queue))
				queue = append(queue, e.To)
			}
			row[k].To = number[e.To]
		}
		slices.SortFunc(row, compareEdges)
		out.edges = append(out.edges, slices.Compact(row)...)
		out.first = append(out.first, int32(len(out.edges)))
	}
	for at, reason := range s.reasons {
		if number[at.state] == -2 {
			continue
		}
		if out.reasons == nil {
			out.reasons = map[place]string{}
		}
		out.reasons[place{number[at.state], at.action}] = reason
	}
	return out
}

// Name makes a name in code a part of a label as FSP would write it: letters of ASCII, digits and
// underscores, what stands between them an underscore, the first letter small. Integers stay.
func Name(text string) string {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return text
	}
	var b []byte
	gap := false
	for _, r := range text {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			if gap && len(b) > 0 {
				b = append(b, '_')
			}
			b, gap = append(b, byte(r)), false
		} else {
			gap = true
		}
	}
	switch {
	case len(b) == 0 || b[0] == '_' || b[0] >= '0' && b[0] <= '9':
		b = append([]byte("a_"), b...)
	case b[0] <= 'Z':
		b[0] += 'a' - 'A'
	}
	return string(b)
}
