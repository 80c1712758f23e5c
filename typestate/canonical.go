// SPDX-License-Identifier: Apache-2.0

package typestate

// This file brings an interface into its canonical form, so that equal
// interfaces are equal bytes. Calls are ordered by method and guard text, not
// by their order in the source: two engines, or two versions of a component,
// that find the same interface must write the same file. States are numbered
// breadth-first, which needs no isomorphism test because the automaton is
// deterministic. States are not merged here: that two states are equivalent is
// for the engine that minimizes to know.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// A cell is a (state, call) pair by index.
type cell struct{ state, call int }

// A layout resolves the references inside an interface. States are keyed by
// id, which before canonicalization need not be the index.
type layout struct {
	state map[int]int    // index of the state with this id
	call  map[string]int // index of the call with this id
	edges map[cell][]int // indices into Edges, in list order
}

// layout resolves all references, and returns what is wrong with them.
func (i *Interface) layout() (*layout, []error) {
	l := &layout{state: map[int]int{}, call: map[string]int{}, edges: map[cell][]int{}}
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for k, s := range i.States {
		if _, dup := l.state[s.ID]; dup {
			bad("states[%d]: id %d is used twice", k, s.ID)
		}
		l.state[s.ID] = k
	}
	for k, c := range i.Calls {
		if _, dup := l.call[c.ID]; dup {
			bad("calls[%d]: id %q is used twice", k, c.ID)
		}
		l.call[c.ID] = k
	}
	stateRef := func(where string, id int) int {
		k, ok := l.state[id]
		if !ok {
			bad("%s: no state %d", where, id)
			return -1
		}
		return k
	}
	cellRef := func(where string, state int, call string) (cell, bool) {
		s := stateRef(where, state)
		c, ok := l.call[call]
		if !ok {
			bad("%s: no call %q", where, call)
		}
		return cell{s, c}, ok && s >= 0
	}
	starts := map[[2]string]bool{}
	for k, c := range i.Constructors {
		where := fmt.Sprintf("constructors[%d]", k)
		if c.State != nil {
			stateRef(where, *c.State)
		}
		if starts[[2]string{c.ID, c.Outcome}] {
			bad("%s: second entry for outcome %q of %s", where, c.Outcome, c.ID)
		}
		starts[[2]string{c.ID, c.Outcome}] = true
	}
	for k, e := range i.Edges {
		where := fmt.Sprintf("edges[%d]", k)
		at, ok := cellRef(where, e.From, e.Call)
		stateRef(where, e.To)
		if !ok {
			continue
		}
		for _, o := range l.edges[at] {
			switch other := i.Edges[o].Outcome; {
			case other == e.Outcome:
				bad("%s: second edge for outcome %q of %s in state %d", where, e.Outcome, e.Call, e.From)
			case other == "*" || e.Outcome == "*":
				bad("%s: outcome \"*\" of %s in state %d is not its only edge", where, e.Call, e.From)
			}
		}
		l.edges[at] = append(l.edges[at], k)
	}
	told := map[cell]string{}
	for k, f := range i.Forbidden {
		where := fmt.Sprintf("forbidden[%d]", k)
		if f.To != nil {
			stateRef(where, *f.To)
		}
		at, ok := cellRef(where, f.State, f.Call)
		if !ok {
			continue
		}
		if told[at] != "" {
			bad("%s: %s in state %d is forbidden twice", where, f.Call, f.State)
		}
		told[at] = "forbidden"
		if len(l.edges[at]) > 0 {
			bad("%s: forbidden call %s has an edge from state %d", where, f.Call, f.State)
		}
	}
	for k, u := range i.Unknown {
		where := fmt.Sprintf("unknown[%d]", k)
		at, ok := cellRef(where, u.State, u.Call)
		if !ok {
			continue
		}
		switch told[at] {
		case "forbidden":
			bad("%s: %s in state %d is both forbidden and unknown", where, u.Call, u.State)
		case "unknown":
			bad("%s: %s in state %d is unknown twice", where, u.Call, u.State)
		}
		told[at] = "unknown"
	}
	for k, m := range i.Impossible {
		where := fmt.Sprintf("impossible[%d]", k)
		at, ok := cellRef(where, m.State, m.Call)
		if !ok {
			continue
		}
		if told[at] != "" {
			bad("%s: %s in state %d is both impossible and %s", where, m.Call, m.State, told[at])
		}
		told[at] = "impossible"
		if len(l.edges[at]) > 0 {
			bad("%s: impossible call %s has an edge from state %d", where, m.Call, m.State)
		}
	}
	for k, u := range i.Uncovered {
		cellRef(fmt.Sprintf("uncovered[%d]", k), u.State, u.Call)
	}
	if c := i.Certificate; c != nil {
		c.problems(func(s int) bool { _, ok := l.state[s]; return ok }, func(constructor bool, id string) bool {
			_, ok := l.call[id]
			if constructor {
				ok = slices.ContainsFunc(i.Constructors, func(c Constructor) bool { return c.ID == id })
			}
			return ok
		}, bad)
	}
	return l, errs
}

// Canonicalize brings i into canonical form:
//
//   - constructors are sorted by method, guard and outcome, calls by method and
//     guard, and their ids are m, m#2, ... in that order;
//   - states are numbered breadth-first from the first constructor entry, over
//     calls in their order and outcomes in declared order, then from the next
//     entry, and so on; states not reached are dropped with all that is said of
//     them;
//   - a call whose edges in a state all lead to the same state has one edge,
//     with outcome "*";
//   - an update does not mention registers that keep their value, and a call
//     lists results only if an update of its method mentions one;
//   - every list is sorted and not nil; words, outcomes and results keep their
//     order.
//
// It returns an error, and leaves i as it was, if a reference in i is broken.
// Nodes of a certificate keep their order; a certificate that speaks of a state
// that is dropped is dropped.
func (i *Interface) Canonicalize() error {
	l, errs := i.layout()
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	j := i.Clone()
	j.trimUpdates(l)
	j.Edges = j.fold(l)
	j.foldConstructors()
	renamed, constructors := j.sortCalls()
	j.number(renamed, constructors)
	j.sortRest()
	j.countOpen()
	*i = *j
	return nil
}

// trimUpdates drops updates that leave a register alone, and results of methods
// whose updates mention none.
func (i *Interface) trimUpdates(l *layout) {
	for k := range i.Edges {
		e := &i.Edges[k]
		from, to := i.States[l.state[e.From]].Registers, i.States[l.state[e.To]].Registers
		maps.DeleteFunc(e.Update, func(name, text string) bool {
			at := slices.IndexFunc(to, func(r Register) bool { return r.Name == name })
			return (text == name || text == "`"+name+"`") && at >= 0 && slices.Contains(from, to[at])
		})
		e.Update = optionalMap(e.Update)
	}
	mentioned := map[string]map[string]bool{} // by method
	add := func(method string, update map[string]string) {
		for _, text := range update {
			if mentioned[method] == nil {
				mentioned[method] = map[string]bool{}
			}
			if e, err := parseGuard(text); err == nil {
				for _, name := range names(e) {
					mentioned[method][name] = true
				}
			}
		}
	}
	for _, c := range i.Constructors {
		add(c.Method, c.Update)
	}
	for _, e := range i.Edges {
		add(i.Calls[l.call[e.Call]].Method, e.Update)
	}
	trim := func(method string, results []Register) []Register {
		if !slices.ContainsFunc(results, func(r Register) bool { return mentioned[method][r.Name] }) {
			return nil
		}
		return results
	}
	for k := range i.Constructors {
		i.Constructors[k].Results = trim(i.Constructors[k].Method, i.Constructors[k].Results)
	}
	for k := range i.Calls {
		i.Calls[k].Results = trim(i.Calls[k].Method, i.Calls[k].Results)
	}
}

// fold returns the edges with "*" in place of outcomes that do not matter.
func (i *Interface) fold(l *layout) []Edge {
	edges := make([]Edge, 0, len(i.Edges))
	for s := range i.States {
		for c := range i.Calls {
			of := l.edges[cell{s, c}]
			if len(of) == 0 {
				continue
			}
			first := i.Edges[of[0]]
			if !slices.ContainsFunc(of, func(k int) bool { return !sameTarget(&first, &i.Edges[k]) }) {
				first.Outcome = "*"
				edges = append(edges, first)
				continue
			}
			for _, k := range of {
				edges = append(edges, i.Edges[k])
			}
		}
	}
	return edges
}

// foldConstructors is fold for constructors.
func (i *Interface) foldConstructors() {
	differ := map[string]bool{}
	first := map[string]Constructor{}
	for _, c := range i.Constructors {
		f, ok := first[c.ID]
		switch {
		case !ok:
			first[c.ID] = c
		case c.State == nil || f.State == nil || *c.State != *f.State || !maps.Equal(c.Update, f.Update):
			differ[c.ID] = true
		}
	}
	seen := map[string]bool{}
	i.Constructors = slices.DeleteFunc(i.Constructors, func(c Constructor) bool {
		dup := seen[c.ID] && !differ[c.ID]
		seen[c.ID] = true
		return dup
	})
	for k := range i.Constructors {
		if c := &i.Constructors[k]; c.State != nil && !differ[c.ID] {
			c.Outcome = "*"
		}
	}
}

// sortCalls orders and renames constructors and calls, and returns the new id
// of each call and of each constructor.
func (i *Interface) sortCalls() (renamed, constructors map[string]string) {
	// The old id comes last so that entries of two constructors that share
	// method and guard (which Validate rejects) stay together.
	slices.SortStableFunc(i.Constructors, func(a, b Constructor) int {
		return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.Guard, b.Guard), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Outcome, b.Outcome))
	})
	constructors = make(map[string]string, len(i.Constructors))
	count, method, old := 0, "", ""
	for k := range i.Constructors {
		c := &i.Constructors[k]
		switch {
		case k == 0 || c.Method != method:
			count = 1
		case c.ID != old:
			count++
		}
		method, old = c.Method, c.ID
		c.ID = callID(c.Method, count)
		constructors[old] = c.ID
	}
	slices.SortStableFunc(i.Calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.Guard, b.Guard), cmp.Compare(a.ID, b.ID))
	})
	renamed = make(map[string]string, len(i.Calls))
	count = 0
	for k := range i.Calls {
		c := &i.Calls[k]
		if k == 0 || c.Method != i.Calls[k-1].Method {
			count = 0
		}
		count++
		id := callID(c.Method, count)
		renamed[c.ID] = id
		c.ID = id
	}
	return renamed, constructors
}

// callID returns the id of the n-th call of a method, counted from 1.
func callID(method string, n int) string {
	if n == 1 {
		return method
	}
	return fmt.Sprintf("%s#%d", method, n)
}

// number renames calls everywhere, numbers the reachable states and sorts what
// depends on both.
func (i *Interface) number(renamed, constructors map[string]string) {
	order := make(map[string]int, len(i.Calls)) // by new id
	outcome := make([]map[string]int, len(i.Calls))
	for k, c := range i.Calls {
		order[c.ID] = k
		outcome[k] = make(map[string]int, len(c.Outcomes))
		for n, o := range c.Outcomes {
			outcome[k][o] = n
		}
	}
	// Outcomes that are not declared (which Validate rejects) come first, by text.
	rank := func(a, b Edge) int {
		ca, cb := order[a.Call], order[b.Call]
		return cmp.Or(ca-cb, outcome[ca][a.Outcome]-outcome[cb][b.Outcome], cmp.Compare(a.Outcome, b.Outcome))
	}
	out := map[int][]Edge{}
	for k := range i.Edges {
		e := &i.Edges[k]
		e.Call = renamed[e.Call]
		out[e.From] = append(out[e.From], *e)
	}
	for _, edges := range out {
		slices.SortStableFunc(edges, rank)
	}

	id := map[int]int{} // new id by old id
	var queue []int     // old ids in the order of their new ids
	reach := func(s int) {
		if _, ok := id[s]; !ok {
			id[s] = len(queue)
			queue = append(queue, s)
		}
	}
	next := 0
	for k := range i.Constructors {
		c := &i.Constructors[k]
		if c.State == nil {
			continue
		}
		reach(*c.State)
		for ; next < len(queue); next++ {
			for _, e := range out[queue[next]] {
				reach(e.To)
			}
		}
		*c.State = id[*c.State]
	}

	at := make(map[int]int, len(i.States))
	for k, s := range i.States {
		at[s.ID] = k
	}
	states := make([]State, len(queue))
	edges := make([]Edge, 0, len(i.Edges))
	for n, old := range queue {
		states[n] = i.States[at[old]]
		states[n].ID = n
		for _, e := range out[old] {
			e.From, e.To = n, id[e.To]
			edges = append(edges, e)
		}
	}
	i.States, i.Edges = states, edges

	// renumber reports whether the cell is kept.
	renumber := func(state *int, call *string) bool {
		n, ok := id[*state]
		*state, *call = n, renamed[*call]
		return ok
	}
	cells := func(a, b cell) int { return cmp.Or(a.state-b.state, a.call-b.call) }

	keptF := i.Forbidden[:0]
	for _, f := range i.Forbidden {
		if f.To != nil {
			if n, ok := id[*f.To]; ok {
				f.To = &n
			} else {
				f.To = nil
			}
		}
		if renumber(&f.State, &f.Call) {
			keptF = append(keptF, f)
		}
	}
	i.Forbidden = keptF
	slices.SortStableFunc(i.Forbidden, func(a, b Forbidden) int {
		return cells(cell{a.State, order[a.Call]}, cell{b.State, order[b.Call]})
	})

	keptU := i.Unknown[:0]
	for _, u := range i.Unknown {
		if renumber(&u.State, &u.Call) {
			keptU = append(keptU, u)
		}
	}
	i.Unknown = keptU
	slices.SortStableFunc(i.Unknown, func(a, b Unknown) int {
		return cells(cell{a.State, order[a.Call]}, cell{b.State, order[b.Call]})
	})

	keptM := i.Impossible[:0]
	for _, m := range i.Impossible {
		if renumber(&m.State, &m.Call) {
			keptM = append(keptM, m)
		}
	}
	i.Impossible = optional(keptM)
	slices.SortStableFunc(i.Impossible, func(a, b Impossible) int {
		return cells(cell{a.State, order[a.Call]}, cell{b.State, order[b.Call]})
	})

	keptC := i.Uncovered[:0]
	for _, u := range i.Uncovered {
		if renumber(&u.State, &u.Call) {
			keptC = append(keptC, u)
		}
	}
	i.Uncovered = keptC
	slices.SortStableFunc(i.Uncovered, func(a, b Uncovered) int {
		return cmp.Or(cells(cell{a.State, order[a.Call]}, cell{b.State, order[b.Call]}),
			compareSites(a.Site, b.Site), cmp.Compare(a.Reason, b.Reason))
	})

	i.renumberSeen(renumber, renamed, constructors, func(a, b Seen) int {
		return cells(cell{a.State, order[a.Call]}, cell{b.State, order[b.Call]})
	})
	if i.Certificate != nil && !i.Certificate.rename(id, renamed, constructors) {
		i.Certificate = nil
	}
}

// sortRest sorts the lists that refer to nothing, and drops repetitions.
func (i *Interface) sortRest() {
	i.Component.Errors = sorted(i.Component.Errors, cmp.Compare)
	for k := range i.Constructors {
		i.Constructors[k].Errors = sorted(i.Constructors[k].Errors, compareSites)
	}
	for k := range i.Forbidden {
		i.Forbidden[k].Errors = sorted(i.Forbidden[k].Errors, compareSites)
	}
	for k := range i.States {
		slices.SortFunc(i.States[k].Registers, func(a, b Register) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type))
		})
	}
	i.Uncovered = slices.Compact(i.Uncovered)
	i.Conventions = sorted(i.Conventions, cmp.Compare)
	i.Contracts = sorted(i.Contracts, cmp.Compare)
	i.Approximations = sorted(i.Approximations, func(a, b Approximation) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.What, b.What))
	})
}

// sorted sorts s in place and returns it without repetitions.
func sorted[T comparable](s []T, compare func(a, b T) int) []T {
	slices.SortFunc(s, compare)
	return slices.Compact(s)
}

func compareSites(a, b ErrorSite) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Message, b.Message), cmp.Compare(a.At, b.At))
}

func compareMaps(a, b map[string]string) int {
	ka, kb := slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))
	if c := slices.Compare(ka, kb); c != 0 {
		return c
	}
	for _, k := range ka {
		if c := cmp.Compare(a[k], b[k]); c != 0 {
			return c
		}
	}
	return 0
}

// Canonical returns nil if i is in canonical form, and otherwise an error that
// names the fields that are not.
func (i *Interface) Canonical() error {
	c := i.Clone()
	if err := c.Canonicalize(); err != nil {
		return err
	}
	var errs []error
	have, want := reflect.ValueOf(*i), reflect.ValueOf(*c)
	for k := range have.NumField() {
		if !reflect.DeepEqual(have.Field(k).Interface(), want.Field(k).Interface()) {
			errs = append(errs, fmt.Errorf("%s: not in canonical form", jsonName(have.Type().Field(k))))
		}
	}
	return errors.Join(errs...)
}

// Clone returns a copy of i that shares nothing with it. Lists that the file
// format writes always are not nil in the copy, those that it may leave out
// are nil if empty.
func (i *Interface) Clone() *Interface {
	j := *i
	j.Component.Errors = list(i.Component.Errors)
	if l := i.Component.Lowering; l != nil {
		j.Component.Lowering = &Lowering{l.Level, l.Sites, l.Results, l.Plain, optional(l.Checks), optional(l.Left), optional(l.With), optional(l.Opaque), optional(l.Favoured)}
	}
	j.Constructors = list(i.Constructors)
	for k := range j.Constructors {
		c := &j.Constructors[k]
		c.Params, c.Types = list(c.Params), list(c.Types)
		c.State = pointer(c.State)
		c.Errors = optional(c.Errors)
		c.Witness = optional(steps(c.Witness))
		c.Results = optional(c.Results)
		c.Update = optionalMap(c.Update)
	}
	j.Calls = list(i.Calls)
	for k := range j.Calls {
		c := &j.Calls[k]
		c.Params, c.Types, c.Outcomes = list(c.Params), list(c.Types), list(c.Outcomes)
		c.Results, c.Returns = optional(c.Results), optional(c.Returns)
	}
	j.States = list(i.States)
	for k := range j.States {
		j.States[k].Registers = list(j.States[k].Registers)
	}
	j.Edges = list(i.Edges)
	for k := range j.Edges {
		j.Edges[k].Update = optionalMap(j.Edges[k].Update)
	}
	j.Forbidden = list(i.Forbidden)
	for k := range j.Forbidden {
		f := &j.Forbidden[k]
		f.To = pointer(f.To)
		f.Errors = list(f.Errors)
		f.Witness = steps(f.Witness)
	}
	j.Unknown = list(i.Unknown)
	j.Impossible = optional(i.Impossible)
	j.Uncovered = list(i.Uncovered)
	j.Seen, j.Tested = cloneSeen(i.Seen), cloneTested(i.Tested)
	j.Guarantees.Depth = pointer(i.Guarantees.Depth)
	j.Guarantees.Open = pointer(i.Guarantees.Open)
	j.Conventions = list(i.Conventions)
	j.Contracts = list(i.Contracts)
	j.Approximations = list(i.Approximations)
	j.Stats = table(i.Stats)
	j.Certificate = i.Certificate.clone()
	return &j
}

func list[T any](s []T) []T { return append([]T{}, s...) }

func optional[T any](s []T) []T { return append([]T(nil), s...) }

func table[V any](m map[string]V) map[string]V {
	c := make(map[string]V, len(m))
	maps.Copy(c, m)
	return c
}

func optionalMap(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return maps.Clone(m)
}

func pointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	n := *p
	return &n
}

func steps(word []Step) []Step {
	c := list(word)
	for k := range c {
		c[k].Args = table(c[k].Args)
		c[k].Results = optionalMap(c[k].Results)
		c[k].Hidden = optional(c[k].Hidden)
	}
	return c
}

// Core returns the core of i in canonical form, as JSON: what the interface
// says, without labels, witnesses, error sites, reasons and guarantees.
// Interfaces with the same core are equal; see [Compare] for those whose cores
// differ.
//
// It panics if a reference in i is broken, which Validate reports.
func (i *Interface) Core() []byte {
	j := i.Clone()
	if err := j.Canonicalize(); err != nil {
		panic(fmt.Sprintf("typestate.Core: %v", err))
	}
	type constructor struct {
		ID      string            `json:"id"`
		Method  string            `json:"method"`
		Params  []string          `json:"params"`
		Types   []string          `json:"types"`
		Guard   string            `json:"guard"`
		Outcome string            `json:"outcome,omitempty"`
		State   *int              `json:"state"`
		Verdict string            `json:"verdict"`
		Results []Register        `json:"results,omitempty"`
		Update  map[string]string `json:"update,omitempty"`
	}
	type state struct {
		ID        int        `json:"id"`
		Registers []Register `json:"registers"`
	}
	type forbidden struct {
		State   int    `json:"state"`
		Call    string `json:"call"`
		Verdict string `json:"verdict"`
	}
	type unknown struct {
		State int    `json:"state"`
		Call  string `json:"call"`
	}
	core := struct {
		Constructors []constructor `json:"constructors"`
		Calls        []Call        `json:"calls"`
		States       []state       `json:"states"`
		Edges        []Edge        `json:"edges"`
		Forbidden    []forbidden   `json:"forbidden"`
		Unknown      []unknown     `json:"unknown"`
		Impossible   []Impossible  `json:"impossible,omitempty"`
	}{Calls: j.Calls, Edges: j.Edges, Impossible: j.Impossible}
	for k := range core.Calls {
		core.Calls[k].Returns = nil
	}
	for _, c := range j.Constructors {
		core.Constructors = append(core.Constructors,
			constructor{c.ID, c.Method, c.Params, c.Types, c.Guard, c.Outcome, c.State, c.Verdict, c.Results, c.Update})
	}
	for _, s := range j.States {
		core.States = append(core.States, state{s.ID, s.Registers})
	}
	for _, f := range j.Forbidden {
		core.Forbidden = append(core.Forbidden, forbidden{f.State, f.Call, f.Verdict})
	}
	for _, u := range j.Unknown {
		core.Unknown = append(core.Unknown, unknown{u.State, u.Call})
	}
	var b bytes.Buffer
	layOut(&b, reflect.ValueOf(core), "")
	b.WriteByte('\n')
	return b.Bytes()
}
