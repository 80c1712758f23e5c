// SPDX-License-Identifier: Apache-2.0

package corpus

// This file compares an interface with a table. The comparison is an
// isomorphism, not equality of state numbers: the automaton is deterministic
// and every state can be reached, so walking both from the constructors finds
// the only candidate. Numbers depend on the order of calls, outcomes and
// guards, which the canonical form fixes and its own tests pin.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// Check returns the differences between the table and an interface, one line
// each, nothing if the interface is as expected.
//
// Calls of a method that is split are matched by the meaning of their guards.
// Outcomes are matched by name; the names of outcomes of a split number are
// free, so those that occur on one side only are matched in every way that is
// possible and the best is reported.
func (e *Expect) Check(i *typestate.Interface) []string {
	var diffs []string
	if len(i.States) != e.States {
		diffs = append(diffs, fmt.Sprintf("%d states, want %d", len(i.States), e.States))
	}
	if e.Symbols > 0 && len(i.Calls) != e.Symbols {
		diffs = append(diffs, fmt.Sprintf("%d calls, want %d", len(i.Calls), e.Symbols))
	}
	registers, err := e.typesOf(i)
	if err != nil {
		return append(diffs, err.Error())
	}
	a := newActual(i)
	starts, err := e.ids(e.Start, a.constructors, nil)
	if err != nil {
		return append(diffs, "constructors: "+err.Error())
	}
	var calls map[string]string
	if len(e.Rows) > 0 {
		if calls, err = e.ids(e.Rows[0], a.calls, registers); err != nil {
			return append(diffs, "calls: "+err.Error())
		}
	}
	var best []string
	diffs = append(diffs, e.checkRegisters(i, starts, calls, registers)...)
	for k, names := range e.renamings(a, starts, calls) {
		w := walk{e: e, a: a, names: names, calls: calls, to: map[int]int{}, back: map[int]int{}}
		w.run(starts)
		if k == 0 || len(w.diffs) < len(best) {
			best = w.diffs
		}
	}
	return append(diffs, best...)
}

// An actual is an interface, indexed.
type actual struct {
	constructors, calls []typestate.Call
	start               map[string]Cell
	rows                []map[string]Cell
	problems            []string
}

func newActual(i *typestate.Interface) *actual {
	a := &actual{start: map[string]Cell{}, calls: i.Calls}
	add := func(row map[string]Cell, id, outcome string, to int) {
		c := row[id]
		if c.To == nil {
			c.To = map[string]int{}
		}
		if c.Kind == 0 {
			c.Kind = Allowed
		}
		c.To[normal(outcome)] = to
		row[id] = c
	}
	verdict := func(s string) Kind {
		switch s {
		case "fails":
			return Fails
		case "may-fail":
			return MayFail
		}
		return Unknown
	}
	for _, c := range i.Constructors {
		if _, seen := a.start[c.ID]; !seen {
			a.constructors = append(a.constructors, typestate.Call{ID: c.ID, Method: c.Method, Params: c.Params, Types: c.Types, Guard: c.Guard})
		}
		switch {
		case c.Verdict != "allowed":
			a.start[c.ID] = Cell{Kind: verdict(c.Verdict)}
		case c.State != nil:
			add(a.start, c.ID, c.Outcome, *c.State)
		default:
			a.start[c.ID] = Cell{Kind: NoReturn}
		}
	}
	index := map[int]int{}
	for k, s := range i.States {
		index[s.ID] = k
		a.rows = append(a.rows, map[string]Cell{})
	}
	row := func(state int) map[string]Cell {
		k, ok := index[state]
		if !ok {
			a.problems = append(a.problems, fmt.Sprintf("the interface speaks of a state %d that it does not have", state))
			return map[string]Cell{}
		}
		return a.rows[k]
	}
	for _, f := range i.Forbidden {
		row(f.State)[f.Call] = Cell{Kind: verdict(f.Verdict)}
	}
	for _, u := range i.Unknown {
		row(u.State)[u.Call] = Cell{Kind: Unknown}
	}
	for _, ed := range i.Edges {
		if r := row(ed.From); r[ed.Call].Kind == 0 || r[ed.Call].Kind == Allowed {
			add(r, ed.Call, ed.Outcome, ed.To)
		}
	}
	for _, r := range a.rows {
		for _, c := range i.Calls {
			if r[c.ID].Kind == 0 {
				r[c.ID] = Cell{Kind: NoReturn}
			}
		}
	}
	return a
}

// ids maps the ids of a row of the table to those of the interface. Guards may mention registers of the given types, if there are any.
func (e *Expect) ids(row map[string]Cell, have []typestate.Call, types []string) (map[string]string, error) {
	want := map[string][]guarded{}
	for _, id := range slices.Sorted(maps.Keys(row)) {
		guard, ok := e.Guards[id]
		if !ok {
			guard = "true"
		}
		m, _, _ := strings.Cut(id, "#")
		want[m] = append(want[m], guarded{id, guard})
	}
	byMethod := map[string][]typestate.Call{}
	for _, c := range have {
		byMethod[c.Method] = append(byMethod[c.Method], c)
	}
	out := map[string]string{}
	for _, m := range slices.Sorted(maps.Keys(byMethod)) {
		if want[m] == nil {
			return nil, fmt.Errorf("%s is not in the table", m)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(want)) {
		cs := byMethod[m]
		if cs == nil {
			return nil, fmt.Errorf("no %s in the interface", m)
		}
		var gs []guarded
		for _, c := range cs {
			gs = append(gs, guarded{c.ID, c.Guard})
		}
		pairs, err := match(want[m], gs, slices.Concat(cs[0].Params, e.registers[:len(types)]), slices.Concat(cs[0].Types, types))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m, err)
		}
		maps.Copy(out, pairs)
	}
	return out, nil
}

// A naming maps outcome names of the table to those of the interface, by call
// id of the table. A name that it does not hold stands for itself.
type naming map[string]map[string]string

// renamings lists the ways to pair outcome names that only the table has with
// names that only the interface has. The first is the identity.
func (e *Expect) renamings(a *actual, starts, calls map[string]string) []naming {
	all := []naming{{}}
	extend := func(id string, want, have map[string]bool) {
		var w, h []string
		for _, n := range slices.Sorted(maps.Keys(want)) {
			if !have[n] && n != "*" {
				w = append(w, n)
			}
		}
		for _, n := range slices.Sorted(maps.Keys(have)) {
			if !want[n] && n != "*" {
				h = append(h, n)
			}
		}
		if len(w) == 0 || len(h) == 0 || len(w) > 5 || len(h) > 5 {
			return
		}
		var next []naming
		for _, n := range all {
			for _, p := range injections(w, h) {
				m := maps.Clone(n)
				m[id] = p
				next = append(next, m)
			}
		}
		if len(next) <= 10000 {
			all = append(all[:1:1], next...)
		}
	}
	names := func(have map[string]bool, c Cell) {
		for o := range c.To {
			have[o] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(starts)) {
		want, have := map[string]bool{}, map[string]bool{}
		names(want, e.Start[id])
		names(have, a.start[starts[id]])
		extend(id, want, have)
	}
	for _, id := range slices.Sorted(maps.Keys(calls)) {
		want, have := map[string]bool{}, map[string]bool{}
		for _, row := range e.Rows {
			names(want, row[id])
		}
		for _, row := range a.rows {
			names(have, row[calls[id]])
		}
		extend(id, want, have)
	}
	return all
}

// injections lists the one-to-one maps from the shorter list to the longer, as
// maps from names of w to names of h.
func injections(w, h []string) []map[string]string {
	if len(w) == 0 || len(h) == 0 {
		return []map[string]string{{}}
	}
	var out []map[string]string
	for k := range h {
		for _, rest := range injections(w[1:], slices.Delete(slices.Clone(h), k, k+1)) {
			rest[w[0]] = h[k]
			out = append(out, rest)
		}
	}
	if len(w) > len(h) {
		out = append(out, injections(w[1:], h)...)
	}
	return out
}

// A walk compares along all words of the table.
type walk struct {
	e        *Expect
	a        *actual
	names    naming
	calls    map[string]string
	to, back map[int]int // table state -> interface state, and back
	queue    []int
	diffs    []string
}

func (w *walk) run(starts map[string]string) {
	w.diffs = append(w.diffs, w.a.problems...)
	for _, id := range slices.Sorted(maps.Keys(starts)) {
		w.cell("start", id, w.e.Start[id], w.a.start[starts[id]])
	}
	if len(w.e.Rows) == 0 {
		return
	}
	for ; len(w.queue) > 0; w.queue = w.queue[1:] {
		s := w.queue[0]
		where := fmt.Sprintf("state %d", s)
		if w.to[s] != s {
			where += fmt.Sprintf(" (%d in the interface)", w.to[s])
		}
		for _, id := range slices.Sorted(maps.Keys(w.calls)) {
			w.cell(where, id, w.e.Rows[s][id], w.a.rows[w.to[s]][w.calls[id]])
		}
	}
}

func (w *walk) cell(where, id string, want, have Cell) {
	diff := func(format string, args ...any) {
		w.diffs = append(w.diffs, where+": "+id+": "+fmt.Sprintf(format, args...))
	}
	same := want.Kind == have.Kind || want.Kind == Pruned && (have.Kind == Fails || have.Kind == MayFail)
	if !same {
		diff("%s, want %s", have.Kind, want.Kind)
		return
	}
	haveTo := fold(have.To)
	if len(want.Impossible) > 0 {
		for _, o := range want.Impossible {
			if _, ok := haveTo[w.rename(id, o)]; ok {
				diff("outcome %s has an edge, want none", o)
			}
		}
	}
	used := map[string]bool{}
	for _, o := range slices.Sorted(maps.Keys(want.To)) {
		n := w.rename(id, o)
		to, ok := haveTo[n]
		if !ok {
			diff("no edge for outcome %s, want %d", o, want.To[o])
			continue
		}
		used[n] = true
		w.pair(func(format string, args ...any) { diff("outcome "+o+": "+format, args...) }, want.To[o], to)
	}
	for _, o := range slices.Sorted(maps.Keys(haveTo)) {
		if !used[o] {
			diff("outcome %s has an edge, want none", o)
		}
	}
}

// fold writes a row of edges with the same target as "*".
func fold(to map[string]int) map[string]int {
	first, any := 0, false
	for _, t := range to {
		if any && t != first {
			return to
		}
		first, any = t, true
	}
	if !any {
		return to
	}
	return map[string]int{"*": first}
}

func (w *walk) rename(id, outcome string) string {
	if n, ok := w.names[id][outcome]; ok {
		return n
	}
	return outcome
}

// pair records that a table state and an interface state are reached by the
// same word.
func (w *walk) pair(diff func(string, ...any), want, have int) {
	if have < 0 || have >= len(w.a.rows) {
		diff("leads to state %d, which does not exist", have)
		return
	}
	if t, ok := w.to[want]; ok && t != have {
		diff("leads to %d, want %d as for another word that reaches state %d of the table", have, t, want)
		return
	}
	if b, ok := w.back[have]; ok && b != want {
		diff("leads to %d, where words that reach states %d and %d of the table meet", have, b, want)
		return
	}
	if _, ok := w.to[want]; !ok {
		w.to[want], w.back[have] = have, want
		w.queue = append(w.queue, want)
	}
}
