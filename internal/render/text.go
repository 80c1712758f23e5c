// SPDX-License-Identifier: Apache-2.0

package render

// This file writes the table for a terminal: one block per state, one row per
// group of calls that share their fate. A matrix of states against calls was
// not chosen: it has no room for outcomes, messages and reasons, and ten calls
// do not fit into a line.

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// namesErrors reports whether somebody has written down which errors are under study, and may have misspelt them.
func namesErrors(kinds []string) bool {
	return slices.ContainsFunc(kinds, func(kind string) bool { return strings.Contains(kind, " ") })
}

func writeText(w io.Writer, i *typestate.Interface, opt Options) error {
	s, err := newShown(i)
	if err != nil {
		return err
	}
	t := table{width: opt.Columns}
	if t.width <= 0 {
		t.width = 100
	}

	t.clauses(append([]string{s.title(), plural(len(s.shown()), "state") + ", " + plural(len(s.calls), "call")}, s.claims()...))
	if why := s.unproved(); why != "" {
		t.line("", why)
	}
	var head []string
	if len(s.Component.Errors) > 0 {
		head = append(head, "errors: "+printable(strings.Join(s.Component.Errors, ", ")))
		if namesErrors(s.Component.Errors) && len(i.Forbidden)+len(i.Unknown)+len(i.Uncovered)+len(s.barred) == 0 && i.Guarantees.Safe == "proved" && i.Guarantees.Permissive == "proved" {
			head[0] += " (no call makes one)"
		}
	}
	if s.Component.Serial {
		head = append(head, "serial: words that cannot go on are left out")
	}
	if len(head) > 0 {
		t.clauses(head)
	}
	if text := s.tested(); text != "" {
		for _, l := range wrap(text, t.width, columns) {
			t.line("", l)
		}
	}
	if len(s.starts) == 1 {
		t.line("", s.startText(s.starts[0]))
	}

	for _, st := range s.shown() {
		t.line("", "")
		head := strconv.Itoa(st.ID)
		indent := strings.Repeat(" ", len(head)+2)
		label := st.label
		if regs := registers(st.Registers); regs != "" && label == "" {
			label = "remembers " + regs
		} else if regs != "" {
			label += " (remembers " + regs + ")"
		}
		t.row(row{[]string{head}, label}, len(head), "")
		t.rows(indent, s.rows(st, nil))
		if n := checks(st); n > 0 {
			line := areNot(n)
			if !opt.Checks {
				line += ": -checks lists them"
			}
			t.line(indent, line)
		}
	}

	if n := len(s.states) - len(s.shown()) - s.unreached; n > 0 {
		t.line("", "")
		t.line("", plural(n, "state")+map[bool]string{true: " is", false: " are"}[n == 1]+" not shown: no object can be there")
	}
	if s.unreached > 0 {
		t.line("", "")
		t.line("", "outcomes that no run showed are left out: of what follows them nothing is known")
	}
	if len(s.starts) > 1 {
		t.line("", "")
		for _, st := range s.starts {
			t.line("", s.startText(st))
		}
	}
	if len(s.barred) > 0 {
		t.line("", "")
		t.line("", "constructors that do not start it")
		var rows []row
		for _, b := range s.barred {
			rows = append(rows, row{[]string{b.name}, b.why()})
		}
		t.rows("   ", rows)
	}
	t.section("guards", s.legend())
	t.titled("undecided", s.reasonRows(unknownWord, s.unknowns()))
	if opt.Checks {
		t.titled("run-time checks that are not covered", s.reasonRows(uncoveredWord, s.uncoveredChecks()))
	}
	if opt.Assumptions {
		t.section("conventions", printables(s.Conventions))
		t.section("contracts", printables(s.Contracts))
		t.section("approximations", approximations(s.Approximations))
	} else if line := s.assumed(); line != "" {
		t.line("", "")
		for _, l := range wrap(line, t.width, columns) {
			t.line("", l)
		}
	}
	_, err = w.Write(t.out.Bytes())
	return err
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func printables(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, printable(s))
	}
	return out
}

func registers(list []typestate.Register) string {
	var names []string
	for _, r := range list {
		names = append(names, printable(strings.TrimSpace(r.Name+" "+r.Type)))
	}
	return strings.Join(names, ", ")
}

func (s *sheet) startText(st start) string {
	t := "starts in " + strconv.Itoa(st.state)
	if len(st.names) > 0 {
		t += " (" + strings.Join(st.names, ", ") + ")"
	}
	return t
}

// A row is calls that share their fate.
type row struct {
	names []string
	fate  string
}

// rows returns the cells of a state, with the reasons of the unknown ones if there are any.
func (s *sheet) rows(st *state, reasons []reason) []row {
	if reasons == nil && s.allOpen(st) {
		fate := unknownWord
		if why := s.onlyReason(st); why != "" {
			fate += ": " + why
		}
		return []row{{[]string{everyCall}, fate}}
	}
	var rows []row
	add := func(names []string, fate string) { rows = append(rows, row{names, fate}) }
	for _, a := range st.arrows {
		// Entries with register updates are too long to share a row.
		var plain []string
		for _, e := range a.entries {
			if e.update != "" {
				add([]string{s.text(e)}, "→ "+strconv.Itoa(a.to))
			} else {
				plain = append(plain, s.text(e))
			}
		}
		if plain != nil {
			add(plain, "→ "+strconv.Itoa(a.to))
		}
	}
	if len(st.silent) > 0 {
		var names []string
		for _, c := range st.silent {
			names = append(names, s.calls[c].name)
		}
		add(names, "never return"+map[bool]string{true: "s"}[len(names) == 1])
	}
	for _, b := range s.bans(st) {
		fate := b.verdict
		if b.why != "" {
			fate += ": " + b.why
		}
		if b.to >= 0 && b.to != st.ID {
			fate += " → " + strconv.Itoa(b.to)
		}
		add(b.names, fate)
	}
	rows = append(rows, s.seenErrors(st)...)
	if names := s.seenLast(st); names != nil {
		add(names, "seen not to fail; what follows is not known")
	}
	if reasons == nil {
		// A call with an edge has a question mark there.
		for _, f := range s.fates(st) {
			if f.word == unknownWord {
				add(f.names, f.word)
			}
		}
	}
	for _, r := range reasons {
		for _, c := range r.cells {
			add(c.calls, unknownWord+": "+r.text)
		}
	}
	return rows
}

func (b barred) why() string {
	switch {
	case b.Verdict == "fails" || b.Verdict == "may-fail":
		return strings.TrimSuffix(verdict(b.Verdict)+": "+sites(b.Errors), ": ")
	case b.Verdict == "allowed":
		return "never returns"
	}
	return strings.TrimSuffix("unknown: "+printable(b.Reason), ": ")
}

// groups collects names under keys, in order of first use.
type groups struct {
	keys  []string
	names map[string][]string
}

func newGroups() *groups { return &groups{names: map[string][]string{}} }

func (g *groups) add(key, name string) {
	if g.names[key] == nil {
		g.keys = append(g.keys, key)
	}
	g.names[key] = append(g.names[key], name)
}

// A table lays out text within a number of columns.
type table struct {
	out   bytes.Buffer
	width int
}

func (t *table) line(indent, s string) {
	fmt.Fprintln(&t.out, strings.TrimRight(indent+s, " "))
}

// clauses writes short texts three spaces apart, as many in a line as fit.
func (t *table) clauses(list []string) {
	line := ""
	for _, c := range list {
		if line != "" && columns(line)+3+columns(c) > t.width {
			t.line("", line)
			line = ""
		}
		if line != "" {
			line += "   "
		}
		line += c
	}
	t.line("", line)
}

// rows writes names on the left, fates on the right. The left column is as wide
// as it needs to be within two fifths of the line.
func (t *table) rows(indent string, rows []row) {
	left := 0
	for _, r := range rows {
		for _, l := range t.fill(r.names) {
			left = max(left, columns(l))
		}
	}
	for _, r := range rows {
		t.row(r, left, indent)
	}
}

// fill sets names into lines for the left column. A name that is too long for
// it is wrapped.
func (t *table) fill(names []string) []string {
	var lines []string
	for _, l := range fill(names, t.width*2/5, columns) {
		lines = append(lines, wrap(l, t.width*2/5, columns)...)
	}
	return lines
}

func (t *table) row(r row, left int, indent string) {
	names := t.fill(r.names)
	fate := wrap(r.fate, max(t.width-len(indent)-left-2, 20), columns)
	for k := range max(len(names), len(fate)) {
		a, b := "", ""
		if k < len(names) {
			a = names[k]
		}
		if k < len(fate) {
			b = fate[k]
		}
		t.line(indent, a+strings.Repeat(" ", max(0, left-columns(a))+2)+b)
	}
}

func (t *table) section(title string, list []string) {
	if len(list) == 0 {
		return
	}
	t.line("", "")
	t.line("", title)
	for _, s := range list {
		for k, l := range wrapFormula(s, t.width-5, columns) {
			if k == 0 {
				t.line("   ", l)
			} else {
				t.line("     ", l)
			}
		}
	}
}
