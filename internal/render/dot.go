// SPDX-License-Identifier: Apache-2.0

package render

// This file writes a graph for Graphviz. Labels are quoted strings, never HTML:
// one rule of escaping then covers every text. In a quoted string Graphviz
// knows the escape \" and, in labels, \n, \l, \r, \N, \G, ...; doubling every
// backslash of the text takes the meaning from all of them. Labels may hold
// entities such as &lt; as well; an ampersand that would begin one becomes &amp;.
// Of a model, calls that no edge has are listed in a comment of the graph, which readers of
// automata understand ("alphabet: a, b").

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/interlock-go/interlock/typestate"
)

func writeDot(w io.Writer, i *typestate.Interface, _ Options) error {
	s, err := newShown(i)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "digraph %s {\n", dotQuote(s.title()))
	fmt.Fprintf(&b, "  graph [rankdir=TB, labelloc=t, fontname=\"Helvetica\", label=%s];\n",
		dotQuote(append([]string{s.title(), strings.Join(s.guarantees(), "   ")}, s.lineLegend()...)...))
	if never := s.never(); s.Component.Language == "model" && len(never) > 0 {
		var list []string
		for _, l := range never {
			list = append(list, l.text("="))
		}
		fmt.Fprintf(&b, "  graph [comment=%s];\n", dotQuote("alphabet: "+strings.Join(list, ", ")))
	}
	b.WriteString("  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11];\n")
	b.WriteString("  edge [fontname=\"Helvetica\", fontsize=10];\n")
	for _, st := range s.shown() {
		fmt.Fprintf(&b, "  s%d [label=%s, tooltip=%s];\n", st.ID,
			dotQuote(s.nodeText(st, 30)...), dotQuote(s.details(st)...))
	}
	for _, st := range s.starts {
		fmt.Fprintf(&b, "  start%d [shape=point, label=\"\"];\n", st.state)
		fmt.Fprintf(&b, "  start%d -> s%d [label=%s];\n", st.state, st.state, dotQuote(st.names...))
	}
	for _, st := range s.shown() {
		for _, a := range st.arrows {
			style := ""
			switch {
			case allSeen(a.entries):
				style = ", style=dotted"
			case allUnknown(a.entries):
				style = ", style=dashed"
			}
			fmt.Fprintf(&b, "  s%d -> s%d [label=%s%s];\n", st.ID, a.to, dotQuote(s.texts(a.entries)...), style)
		}
	}
	b.WriteString("}\n")
	_, err = w.Write(b.Bytes())
	return err
}

// dotQuote returns printable lines as one quoted string, centred in labels.
func dotQuote(lines ...string) string {
	var b strings.Builder
	b.WriteByte('"')
	for k, l := range lines {
		if k > 0 {
			b.WriteString(`\n`)
		}
		for n, r := range l {
			switch {
			case r == '"' || r == '\\':
				b.WriteByte('\\')
				b.WriteRune(r)
			case r == '&' && entity(l[n+1:]):
				b.WriteString("&amp;")
			default:
				b.WriteRune(r)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

// entity reports whether s, after an ampersand, begins like the rest of an
// entity.
func entity(s string) bool {
	name, _, ok := strings.Cut(s, ";")
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '#' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
}

func allUnknown(list []entry) bool {
	for _, e := range list {
		if !e.unknown {
			return false
		}
	}
	return true
}

// nodeText returns the short text of a state for diagrams: its number, its
// label and the calls that it forbids, wrapped to a number of columns.
func (s *sheet) nodeText(st *state, width int) []string {
	lines := []string{strconv.Itoa(st.ID)}
	if st.label != "" {
		lines = append(lines, wrapFormula(st.label, width, columns)...)
	}
	for _, f := range s.fates(st) {
		l, _ := fillAtMost(f.names, width, 3, columns)
		l[0] = f.word + " " + l[0]
		lines = append(lines, l...)
	}
	return lines
}

// A fate is what becomes of calls that have no edge.
type fate struct {
	word  string // "fails", "may fail", "unknown", "never returns"
	names []string
}

// fates groups the calls without an edge by verdict, without the reasons.
func (s *sheet) fates(st *state) []fate {
	g := newGroups()
	for _, v := range []string{"fails", "may-fail"} {
		for _, f := range st.forbidden {
			if f.Verdict == v {
				g.add(verdict(v), s.callName(f.Call))
			}
		}
	}
	for _, f := range st.forbidden {
		if f.Verdict != "fails" && f.Verdict != "may-fail" {
			g.add(verdict(f.Verdict), s.callName(f.Call))
		}
	}
	edge := map[string]bool{}
	for _, a := range st.arrows {
		for _, e := range a.entries {
			edge[s.calls[e.call].ID] = true
		}
	}
	for _, u := range st.unknown {
		if e, ok := st.seen[u.Call]; ok {
			if e.Erred > 0 {
				g.add(map[bool]string{true: "seen to fail", false: "seen to fail in some words"}[e.Erred == e.Words], s.callName(u.Call)+seenMark)
			}
		} else if !edge[u.Call] {
			g.add(unknownWord, s.callName(u.Call))
		}
	}
	for _, c := range st.silent {
		g.add("never returns", s.calls[c].name)
	}
	var list []fate
	for _, k := range g.keys {
		list = append(list, fate{k, g.names[k]})
	}
	return list
}

// details returns everything about a state, for tooltips.
func (s *sheet) details(st *state) []string {
	lines := []string{"state " + strconv.Itoa(st.ID) + ": " + st.label}
	if st.label == "" {
		lines[0] = "state " + strconv.Itoa(st.ID)
	}
	if regs := registers(st.Registers); regs != "" {
		lines = append(lines, "remembers "+regs)
	}
	for _, r := range s.rows(st, append([]reason{}, s.unknownsOf([]*state{st})...)) {
		sep := ": "
		if strings.HasPrefix(r.fate, "→ ") {
			sep = " "
		}
		lines = append(lines, strings.Join(r.names, ", ")+sep+r.fate)
	}
	if n := checks(st); n > 0 {
		lines = append(lines, areNot(n))
	}
	return lines
}
