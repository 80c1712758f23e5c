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
	unknownWord = "unknown"
	everyCall   = "every call"
)

// A reason is why some cells are unknown, or some checks not covered.
type reason struct {
	text  string
	sites []reason // of checks: the sites, each with its cells
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

// unknowns returns the reasons of all unknown cells, in order of first use.
func (s *sheet) unknowns() []reason { return s.unknownsOf(s.shown()) }

// reasonsIn returns the reasons of the unknown cells of a state.
func (s *sheet) reasonsIn(st *state) []reason {
	return slices.Concat([]reason{}, s.unknownsOf([]*state{st}))
}

func (s *sheet) unknownsOf(states []*state) []reason {
	var texts []string
	sets := map[string]*cellSet{}
	for _, st := range states {
		for _, u := range st.unknown {
			text := printable(u.Reason)
			if sets[text] == nil {
				sets[text] = &cellSet{}
				texts = append(texts, text)
			}
			sets[text].add(s.callName(u.Call), st.ID)
		}
	}
	var list []reason
	for _, text := range texts {
		list = append(list, reason{text: text, cells: sets[text].blocks()})
	}
	return list
}

// uncoveredChecks returns the checks that are not covered, by reason.
func (s *sheet) uncoveredChecks() []reason {
	var list []reason
	type key struct{ reason, site string }
	sets := map[key]*cellSet{}
	for _, st := range s.shown() {
		for _, u := range st.uncovered {
			k := key{printable(u.Reason), sites([]typestate.ErrorSite{u.Site})}
			if sets[k] == nil {
				sets[k] = &cellSet{}
				n := slices.IndexFunc(list, func(r reason) bool { return r.text == k.reason })
				if n < 0 {
					n = len(list)
					list = append(list, reason{text: k.reason})
				}
				list[n].sites = append(list[n].sites, reason{text: k.site})
			}
			sets[k].add(s.callName(u.Call), st.ID)
		}
	}
	for _, r := range list {
		for n := range r.sites {
			r.sites[n].cells = sets[key{r.text, r.sites[n].text}].blocks()
		}
		slices.SortStableFunc(r.sites, func(a, b reason) int { return strings.Compare(a.text, b.text) })
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
	return len(s.calls) > 1 && len(open) == len(s.calls) && len(st.forbidden) == 0 &&
		!slices.ContainsFunc(st.arrows, func(a arrow) bool { return a.to != st.ID })
}

// cellsWords says which cells, in words between which a line may break:
// "Read, Write in 0, 2–4; Close in 1".
func (s *sheet) cellsWords(cells []block) []string {
	var words []string
	for n, b := range cells {
		calls := slices.Clone(b.calls)
		if len(calls) == len(s.calls) && len(calls) > 1 {
			calls = []string{everyCall}
		}
		for k := range calls[:len(calls)-1] {
			calls[k] += ","
		}
		words = append(words, calls...)
		if len(s.shown()) > 1 {
			words = append(words, "in", statesText(b.states))
		}
		if n < len(cells)-1 {
			words[len(words)-1] += ";"
		}
	}
	return words
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

// reasons writes a table of reasons: each once, with its cells below it.
func (t *table) reasons(title string, s *sheet, list []reason) {
	if len(list) == 0 {
		return
	}
	t.line("", "")
	t.line("", title)
	for _, r := range list {
		t.indented(3, strings.Fields(r.text))
		if r.cells != nil {
			t.indented(6, s.cellsWords(r.cells))
		}
		for _, site := range r.sites {
			t.indented(6, append(strings.Fields(site.text+":"), s.cellsWords(site.cells)...))
		}
	}
}

// indented sets words into lines, all but the first two columns further to the right.
func (t *table) indented(indent int, words []string) {
	width := max(t.width-indent-2, 20)
	var lines []string
	line := ""
	for _, w := range words {
		if line != "" && columns(line+" "+w) > width {
			lines = append(lines, wrap(line, width, columns)...)
			line = ""
		}
		line = strings.TrimSpace(line + " " + w)
	}
	for k, l := range append(lines, wrap(line, width, columns)...) {
		t.line(strings.Repeat(" ", indent+2*min(k, 1)), l)
	}
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
