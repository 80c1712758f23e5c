// SPDX-License-Identifier: Apache-2.0

package render

// This file makes the sheet: the checked, sorted view of an interface that the
// formats are written from. An interface that does not hang together (an edge
// to a state that does not exist) is refused here, once, so that the writers
// need not look. Nothing of the interface is changed.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

var errNone = errors.New("no interface to render")

// maxGuard is the longest guard that is shown inside a call's name.
const maxGuard = 28

type sheet struct {
	*typestate.Interface
	calls  []call // sorted by id
	states []state
	starts []start
	barred []barred // constructor calls that lead nowhere

	startLegend []string // long guards of constructors
	counted     typestate.Open
	unreached   int // states that no run got to, which are not shown
}

type call struct {
	typestate.Call
	name string // printable, unique among calls
	long bool   // the guard is not part of name: it belongs in the legend
}

// A state holds the cells of one state. Arrows are sorted by target, all other
// lists by call.
type state struct {
	typestate.State
	label     string // as shown
	empty     bool   // no object can be in it
	arrows    []arrow
	forbidden []typestate.Forbidden
	unknown   []typestate.Unknown
	seen      map[string]typestate.Seen // by call
	uncovered []typestate.Uncovered
	silent    []int // calls allowed but never returning
}

// An arrow is all edges from one state to another.
type arrow struct {
	to      int
	entries []entry
}

// An entry is a call with those of its outcomes that lead along one arrow.
type entry struct {
	call     int
	outcomes []string // nil for "*"
	seen     string   // the outcomes as shown; "" if they do not matter
	update   string   // of registers, "" for none
	unknown  bool     // the cell is unknown
	run      bool     // and it was seen
}

// A start is a state in which some constructors leave the component.
type start struct {
	state   int
	names   []string // as shown
	letters []letter // parallel to names
}

// A barred constructor call is forbidden, unknown, or never returns.
type barred struct {
	name string
	typestate.Constructor
}

// newSheet makes the sheet of the formats for machines.
func newSheet(i *typestate.Interface) (*sheet, error) {
	if i == nil {
		return nil, errNone
	}
	i = readable(i)
	s := &sheet{Interface: i, counted: i.OpenCells()}
	if err := s.addCalls(); err != nil {
		return nil, err
	}
	if err := s.addStates(); err != nil {
		return nil, err
	}
	if err := s.addConstructors(); err != nil {
		return nil, err
	}
	return s, nil
}

// newShown makes the sheet of the formats for people: states in which no object can be are
// not shown, nor is what leads to them.
func newShown(i *typestate.Interface) (*sheet, error) {
	s, err := newSheet(i) // refuses what does not hang together, there too
	if err != nil {
		return nil, err
	}
	k, unreached := withoutUnseen(i)
	if j := withoutImpossible(k); j != i {
		counted := s.counted // of the file
		if s, err = newSheet(j); err != nil {
			return nil, err
		}
		s.counted, s.unreached = counted, len(unreached)
		for k := range s.states {
			s.states[k].empty = s.states[k].Label == "false" || unreached[k]
		}
	}
	return s, nil
}

// shown returns the states that are shown.
func (s *sheet) shown() []*state {
	var list []*state
	for k := range s.states {
		if !s.states[k].empty {
			list = append(list, &s.states[k])
		}
	}
	return list
}

// addCalls sorts the calls and names them. Two calls that would get the same
// name (which only odd method names can bring about) are shown by id.
func (s *sheet) addCalls() error {
	count := map[string]int{}
	for _, c := range s.Calls {
		name, long := guarded(c.ID, c.Method, c.Guard)
		s.calls = append(s.calls, call{c, name, long})
		count[name]++
	}
	slices.SortFunc(s.calls, func(a, b call) int { return compareIDs(a.ID, b.ID) })
	for k := range s.calls {
		c := &s.calls[k]
		if k > 0 && s.calls[k-1].ID == c.ID {
			return fmt.Errorf("interface has two calls %q", c.ID)
		}
		if count[c.name] > 1 {
			c.name, c.long = printable(c.ID), !trivial(c.Guard)
		}
	}
	return nil
}

// guarded returns the name of a call and whether its guard is missing from it.
func guarded(id, method, guard string) (name string, long bool) {
	switch {
	case trivial(guard):
		return printable(id), false
	case columns(printable(guard)) > maxGuard:
		return printable(id), true
	case method == "":
		method = id
	}
	return printable(method) + "[" + printable(guard) + "]", false
}

func trivial(guard string) bool { return guard == "" || guard == "true" }

// compareIDs orders m before m#2 before m#10.
func compareIDs(a, b string) int {
	am, an := splitID(a)
	bm, bn := splitID(b)
	return cmp.Or(cmp.Compare(am, bm), cmp.Compare(an, bn), cmp.Compare(a, b))
}

func splitID(id string) (method string, n int) {
	if k := strings.LastIndexByte(id, '#'); k >= 0 {
		if n, err := strconv.Atoi(id[k+1:]); err == nil {
			return id[:k], n
		}
	}
	return id, 1
}

func (s *sheet) addStates() error {
	for _, st := range s.States {
		s.states = append(s.states, state{State: st, label: printable(StateLabel(s.Interface, st))})
	}
	slices.SortFunc(s.states, func(a, b state) int { return cmp.Compare(a.ID, b.ID) })
	for k, st := range s.states {
		if st.ID != k {
			return fmt.Errorf("states are not numbered 0 to %d: number %d is missing or repeated", len(s.states)-1, k)
		}
	}

	index := map[string]int{}
	for k, c := range s.calls {
		index[c.ID] = k
	}
	var bad error
	cell := func(what string, st int, call string) bool {
		_, ok := index[call]
		if bad == nil && (st < 0 || st >= len(s.states)) {
			bad = fmt.Errorf("%s of call %q: there is no state %d", what, call, st)
		} else if bad == nil && !ok {
			bad = fmt.Errorf("%s in state %d: there is no call %q", what, st, call)
		}
		return bad == nil
	}
	known := make([]bool, len(s.states)*len(s.calls)) // cells that hold something
	open := make([]bool, len(s.states)*len(s.calls))  // cells that are unknown
	at := func(st int, call string) int { return st*len(s.calls) + index[call] }
	byCall := func(a, b string) int { return cmp.Compare(index[a], index[b]) }

	for _, u := range s.Unknown {
		if cell("unknown verdict", u.State, u.Call) {
			s.states[u.State].unknown = append(s.states[u.State].unknown, u)
			known[at(u.State, u.Call)] = true
			open[at(u.State, u.Call)] = true
		}
	}
	for _, f := range s.Forbidden {
		if f.To != nil && !cell("verdict", *f.To, f.Call) {
			break
		}
		if cell("verdict", f.State, f.Call) {
			s.states[f.State].forbidden = append(s.states[f.State].forbidden, f)
			known[at(f.State, f.Call)] = true
		}
	}
	for _, c := range s.Impossible {
		if cell("impossible call", c.State, c.Call) {
			known[at(c.State, c.Call)] = true // nobody can make it: there is nothing to say
		}
	}
	for _, e := range s.Seen {
		if cell("seen cell", e.State, e.Call) {
			st := &s.states[e.State]
			if st.seen == nil {
				st.seen = map[string]typestate.Seen{}
			}
			st.seen[e.Call] = e
		}
	}
	for _, u := range s.Uncovered {
		if cell("uncovered site", u.State, u.Call) {
			s.states[u.State].uncovered = append(s.states[u.State].uncovered, u)
		}
	}
	edges := slices.Clone(s.Edges)
	for _, e := range edges {
		if cell("edge", e.From, e.Call) && cell("edge", e.To, e.Call) {
			known[at(e.From, e.Call)] = true
		}
	}
	if bad != nil {
		return bad
	}

	// Outcomes follow their order in the call, so that true comes before false.
	order := func(e typestate.Edge) int { return slices.Index(s.calls[index[e.Call]].Outcomes, e.Outcome) }
	slices.SortFunc(edges, func(a, b typestate.Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), byCall(a.Call, b.Call),
			cmp.Compare(order(a), order(b)), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(updates(a.Update), updates(b.Update)))
	})
	for _, e := range edges {
		_, seen := s.states[e.From].seen[e.Call]
		s.states[e.From].add(e, index[e.Call], open[at(e.From, e.Call)], seen)
	}
	for k := range s.states {
		st := &s.states[k]
		slices.SortFunc(st.unknown, func(a, b typestate.Unknown) int {
			return cmp.Or(byCall(a.Call, b.Call), cmp.Compare(a.Reason, b.Reason))
		})
		slices.SortFunc(st.forbidden, func(a, b typestate.Forbidden) int {
			return cmp.Or(byCall(a.Call, b.Call), cmp.Compare(a.Verdict, b.Verdict), slices.CompareFunc(a.Errors, b.Errors, compareSites))
		})
		slices.SortFunc(st.uncovered, func(a, b typestate.Uncovered) int {
			return cmp.Or(byCall(a.Call, b.Call), compareSites(a.Site, b.Site), cmp.Compare(a.Reason, b.Reason))
		})
		for c := range s.calls {
			if !known[k*len(s.calls)+c] && !s.CannotBeMade(st.ID, s.calls[c].ID) {
				st.silent = append(st.silent, c)
			}
		}
		s.nameOutcomes(st)
	}
	return nil
}

// nameOutcomes names the outcomes along each arrow so that they differ from the names of those of the
// call along the others.
func (s *sheet) nameOutcomes(st *state) {
	possible := map[int][]string{}
	for _, a := range st.arrows {
		for _, e := range a.entries {
			possible[e.call] = append(possible[e.call], e.outcomes...)
		}
	}
	for _, a := range st.arrows {
		for k := range a.entries {
			if e := &a.entries[k]; e.outcomes != nil {
				e.seen = OutcomeText(s.calls[e.call].Call, e.outcomes, possible[e.call])
			}
		}
	}
}

// add appends an edge; edges come sorted by target, call and outcome.
func (st *state) add(e typestate.Edge, call int, unknown, run bool) {
	if n := len(st.arrows); n == 0 || st.arrows[n-1].to != e.To {
		st.arrows = append(st.arrows, arrow{to: e.To})
	}
	a := &st.arrows[len(st.arrows)-1]
	update := updates(e.Update)
	if n := len(a.entries); n > 0 && e.Outcome != "*" {
		if last := &a.entries[n-1]; last.call == call && last.update == update && last.outcomes != nil {
			if !slices.Contains(last.outcomes, e.Outcome) {
				last.outcomes = append(last.outcomes, e.Outcome)
			}
			return
		}
	}
	en := entry{call: call, update: update, unknown: unknown, run: run}
	if e.Outcome != "*" {
		en.outcomes = []string{e.Outcome}
	}
	a.entries = append(a.entries, en)
}

// updates returns the assignments to registers in order of their names.
func updates(m map[string]string) string {
	var parts []string
	for name, value := range m {
		parts = append(parts, name+" := "+value)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func compareSites(a, b typestate.ErrorSite) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Message, b.Message))
}

func (s *sheet) addConstructors() error {
	list := slices.Clone(s.Constructors)
	slices.SortFunc(list, func(a, b typestate.Constructor) int {
		return cmp.Or(compareIDs(a.ID, b.ID), cmp.Compare(a.Outcome, b.Outcome))
	})
	byState := map[int]*start{}
	for _, c := range list {
		name, long := guarded(c.ID, c.Method, c.Guard)
		if long {
			line := name + ": " + signature(c.Method, c.Params) + " with " + printable(c.Guard)
			if !slices.Contains(s.startLegend, line) {
				s.startLegend = append(s.startLegend, line)
			}
		}
		if c.Outcome != "" && c.Outcome != "*" {
			name += "=" + printable(c.Outcome)
		}
		if c.State == nil {
			s.barred = append(s.barred, barred{name, c})
			continue
		}
		if *c.State < 0 || *c.State >= len(s.states) {
			return fmt.Errorf("constructor %q: there is no state %d", c.ID, *c.State)
		}
		if update := updates(c.Update); update != "" {
			name += " / " + printable(update)
		}
		st := byState[*c.State]
		if st == nil {
			st = &start{state: *c.State}
			byState[st.state] = st
		}
		st.names = append(st.names, name)
		st.letters = append(st.letters, letter{c.ID, cmp.Or(c.Outcome, "*")})
	}
	for k := range s.states {
		if st := byState[k]; st != nil {
			s.starts = append(s.starts, *st)
		}
	}
	// An interface without constructors starts in its first state.
	if len(list) == 0 && len(s.states) > 0 {
		s.starts = []start{{}}
	}
	return nil
}

// text returns an entry as it is shown: "Scan=true", "push[n > 0] / r := n".
func (s *sheet) text(e entry) string {
	t := s.calls[e.call].name
	if e.seen != "" {
		t += "=" + e.seen
	}
	switch {
	case e.run:
		t += seenMark
	case e.unknown:
		t += "?"
	}
	if e.update != "" {
		t += " / " + printable(e.update)
	}
	return t
}

func (s *sheet) texts(entries []entry) []string {
	var list []string
	for _, e := range entries {
		list = append(list, s.text(e))
	}
	return list
}

// callName returns the shown name of the call with that id.
func (s *sheet) callName(id string) string {
	for _, c := range s.calls {
		if c.ID == id {
			return c.name
		}
	}
	return printable(id)
}

// title returns the name of the component.
func (s *sheet) title() string {
	return cmp.Or(printable(s.Component.Name), "interface")
}

// guarantees returns what is known of the interface, one claim per string: first
// what holds and how much is open, last why not more is proved.
func (s *sheet) guarantees() []string {
	list := s.claims()
	if why := s.unproved(); why != "" {
		list = append(list, why)
	}
	return list
}

// claims returns what holds of the interface and what is open.
func (s *sheet) claims() []string {
	g, open := s.Guarantees, s.counted
	permissive := cmp.Or(printable(g.Permissive), typestate.GuaranteeUnknown)
	if open.Unknown > 0 {
		if permissive == typestate.GuaranteeProved || permissive == typestate.GuaranteeClaimed {
			permissive = typestate.GuaranteeOpen
		}
		permissive += fmt.Sprintf(" (%d of %s unknown)", open.Unknown, plural(open.Cells, "cell"))
	}
	list := []string{"safe: " + cmp.Or(printable(g.Safe), typestate.GuaranteeUnknown), "permissive: " + permissive}
	if open.Uncovered > 0 {
		list = append(list, "uncovered: "+plural(open.Uncovered, "cell"))
	}
	list = append(list, "tight: "+cmp.Or(printable(g.Tight), typestate.GuaranteeUnknown))
	if g.Depth != nil && !strings.Contains(g.Safe+g.Permissive, "depth") {
		list = append(list, "depth: "+strconv.Itoa(*g.Depth))
	}
	return list
}

// unproved says why what is claimed is not proved, "" if nobody said so.
func (s *sheet) unproved() string {
	if s.Guarantees.Reason == "" {
		return ""
	}
	return "not proved: " + printable(s.Guarantees.Reason)
}

// legend spells out the guards that are too long for a name.
func (s *sheet) legend() []string {
	var list []string
	for _, c := range s.calls {
		if c.long {
			list = append(list, c.name+": "+signature(c.Method, c.Params)+" with "+printable(c.Guard))
		}
	}
	return append(list, s.startLegend...)
}

func signature(method string, params []string) string {
	return printable(method) + "(" + printable(strings.Join(params, ", ")) + ")"
}

// A ban is forbidden calls of one state that err in the same way.
type ban struct {
	names   []string
	verdict string // "fails", "may fail"
	why     string // sites, "" if none is given
	to      int    // -1 if it leads nowhere
}

func (s *sheet) bans(st *state) []ban {
	var list []ban
	for _, f := range st.forbidden {
		b := ban{verdict: verdict(f.Verdict), why: sites(f.Errors), to: -1}
		if f.To != nil {
			b.to = *f.To
		}
		name := s.callName(f.Call)
		k := slices.IndexFunc(list, func(o ban) bool { return o.verdict == b.verdict && o.why == b.why && o.to == b.to })
		if k < 0 {
			b.names = []string{name}
			list = append(list, b)
		} else if !slices.Contains(list[k].names, name) {
			list[k].names = append(list[k].names, name)
		}
	}
	return list
}

// verdict returns a forbidden verdict in words. A value that the format does
// not know is shown as it is rather than taken for one that it does.
func verdict(v string) string {
	switch v {
	case "may-fail":
		return "may fail"
	case "":
		return "unknown"
	}
	return printable(v)
}

// sites returns error sites in one line: `"not open" (file.go:12)`.
func sites(list []typestate.ErrorSite) string {
	list = slices.Clone(list)
	slices.SortFunc(list, compareSites)
	list = slices.Compact(list)
	var parts []string
	for _, e := range list {
		t := printable(e.Kind)
		if e.Message != "" {
			t = strconv.Quote(e.Message)
		}
		if e.At != "" {
			t = strings.TrimSpace(t + " (" + printable(e.At) + ")")
		}
		if t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, "; ")
}
