// SPDX-License-Identifier: Apache-2.0

package render

// This file says, once for each reason, which cells are unknown and which run-time
// checks are not covered. A component of ten calls and twenty states may have a
// hundred unknown cells for two reasons.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

const (
	unknownWord   = "unknown"
	uncoveredWord = "not covered"
	everyCall     = "every call"
)

// A reason is why some cells are unknown, or a check that is not covered, with the cells.
type reason struct {
	text  string
	cells []block
}

// A block is all pairs of some calls and some states.
type block struct {
	calls  []string
	states []int
}

// A cellSet collects cells, by call in order of first use.
type cellSet struct {
	calls  []string
	states map[string][]int
}

func (c *cellSet) add(call string, state int) {
	if c.states == nil {
		c.states = map[string][]int{}
	}
	if c.states[call] == nil {
		c.calls = append(c.calls, call)
	}
	if !slices.Contains(c.states[call], state) {
		c.states[call] = append(c.states[call], state)
	}
}

// blocks joins the calls that are there in the same states.
func (c *cellSet) blocks() []block {
	var list []block
	for _, call := range c.calls {
		k := slices.IndexFunc(list, func(b block) bool { return slices.Equal(b.states, c.states[call]) })
		if k < 0 {
			list = append(list, block{[]string{call}, c.states[call]})
		} else {
			list[k].calls = append(list[k].calls, call)
		}
	}
	return list
}

// onlyReason is the reason of a state all of whose calls are unknown for the same one, or "".
func (s *sheet) onlyReason(st *state) string {
	if all := s.unknownsOf([]*state{st}); len(all) == 1 && s.allOpen(st) {
		return all[0].text
	}
	return ""
}

// unknowns returns the reasons of all unknown cells, in order of first use, but for states that say
// theirs themselves.
func (s *sheet) unknowns() []reason {
	var states []*state
	for _, st := range s.shown() {
		if s.onlyReason(st) == "" {
			states = append(states, st)
		}
	}
	return s.unknownsOf(states)
}

func (s *sheet) unknownsOf(states []*state) []reason {
	var t reasonTable
	for _, st := range states {
		for _, u := range st.unknown {
			if _, ok := st.seen[u.Call]; ok {
				continue
			}
			t.add(printable(u.Reason), s.callName(u.Call), st.ID)
		}
	}
	return t.reasons()
}

// uncoveredChecks returns the checks that are not covered, each with why, by position.
func (s *sheet) uncoveredChecks() []reason { return s.uncoveredOf(s.shown()) }

func (s *sheet) uncoveredOf(states []*state) []reason {
	var t reasonTable
	for _, st := range states {
		for _, u := range st.uncovered {
			text := sites([]typestate.ErrorSite{u.Site})
			if u.Reason != "" {
				text += ": " + printable(u.Reason)
			}
			t.add(text, s.callName(u.Call), st.ID)
		}
	}
	return t.reasons()
}

// A reasonTable collects cells under reasons, in order of first use.
type reasonTable struct {
	texts []string
	sets  map[string]*cellSet
}

func (t *reasonTable) add(text, call string, state int) {
	if t.sets == nil {
		t.sets = map[string]*cellSet{}
	}
	if t.sets[text] == nil {
		t.sets[text] = &cellSet{}
		t.texts = append(t.texts, text)
	}
	t.sets[text].add(call, state)
}

func (t *reasonTable) reasons() []reason {
	var list []reason
	for _, text := range t.texts {
		list = append(list, reason{text, t.sets[text].blocks()})
	}
	return list
}

// checks returns how many run-time checks are not covered in a state.
func checks(st *state) int {
	sites := map[typestate.ErrorSite]bool{}
	for _, u := range st.uncovered {
		sites[u.Site] = true
	}
	return len(sites)
}

func areNot(n int) string {
	if n == 1 {
		return "1 run-time check is not covered"
	}
	return strconv.Itoa(n) + " run-time checks are not covered"
}

// allOpen reports whether every call of a state is unknown and leads to no other state.
func (s *sheet) allOpen(st *state) bool {
	open := map[string]bool{}
	for _, u := range st.unknown {
		open[u.Call] = true
	}
	return len(s.calls) > 1 && len(st.seen) == 0 && len(open) == len(s.calls) && len(st.forbidden) == 0 &&
		!slices.ContainsFunc(st.arrows, func(a arrow) bool { return a.to != st.ID })
}

// reasonRows returns a row for each reason: the calls, and in which states they are what the word says
// for that reason. Where the states differ they stand with the calls, and if there is only one state
// to speak of they are left out.
func (s *sheet) reasonRows(word string, list []reason) []row {
	decided := 0 // states that the rows are about
	for _, st := range s.shown() {
		if s.onlyReason(st) == "" {
			decided++
		}
	}
	var rows []row
	for _, r := range list {
		var names []string
		fate := word
		for _, b := range r.cells {
			in := " in " + statesText(b.states)
			if len(r.cells) == 1 {
				if decided > 1 || slices.ContainsFunc(b.states, func(id int) bool { return s.onlyReason(&s.states[id]) != "" }) {
					fate += in
				}
				in = ""
			}
			for _, c := range b.calls {
				names = append(names, c+in)
			}
		}
		rows = append(rows, row{names, fate + ": " + r.text})
	}
	return rows
}

// statesText lists numbers in increasing order, three and more in a row as a range.
func statesText(list []int) string {
	list = slices.Clone(list)
	slices.Sort(list)
	var parts []string
	for k := 0; k < len(list); {
		end := k
		for end+1 < len(list) && list[end+1] == list[end]+1 {
			end++
		}
		if end < k+2 {
			end = k
			parts = append(parts, strconv.Itoa(list[k]))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d", list[k], list[end]))
		}
		k = end + 1
	}
	return strings.Join(parts, ", ")
}

// titled writes rows under a title.
func (t *table) titled(title string, rows []row) {
	if len(rows) == 0 {
		return
	}
	t.line("", "")
	t.line("", title)
	t.rows("   ", rows)
}

// assumed says how much is assumed and approximated, or nothing.
func (s *sheet) assumed() string {
	var parts []string
	if n := len(s.Conventions); n > 0 {
		parts = append(parts, plural(n, "convention"))
	}
	if n := len(s.Contracts); n > 0 {
		parts = append(parts, plural(n, "contract"))
	}
	text := strings.Join(parts, " and ")
	n := len(s.Conventions) + len(s.Contracts)
	if n == 1 {
		text += " is assumed"
	} else if n > 1 {
		text += " are assumed"
	}
	if m := len(s.Approximations); m > 0 {
		if n > 0 {
			text += ", "
		}
		text += plural(m, "construct") + " of the source approximated"
		n += m
	}
	switch n {
	case 0:
		return ""
	case 1:
		return text + ": -assumptions lists it"
	}
	return text + ": -assumptions lists them"
}

func approximations(list []typestate.Approximation) []string {
	var lines []string
	for _, a := range list {
		line := printable(a.What)
		if a.At != "" {
			line = printable(a.At) + ": " + line
		}
		lines = append(lines, line)
	}
	return lines
}
