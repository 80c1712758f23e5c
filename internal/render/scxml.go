// SPDX-License-Identifier: Apache-2.0

package render

// This file writes a statechart (W3C, State Chart XML): states without hierarchy, and an event for
// each letter, named call or call.outcome. Only allowed edges are written, as in aut. The name of an
// event has no space: what stands between other characters becomes an underscore. A descriptor matches
// events that go on after a dot; where one event is such a beginning of another, a condition on
// the name tells them apart. Events that are allowed nowhere stand in a state that nothing enters,
// so that a reader knows of them.

import (
	"bytes"
	encoding "encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

func writeSCXML(w io.Writer, i *typestate.Interface, _ Options) error {
	s, err := newSheet(i)
	if err != nil {
		return err
	}
	if len(s.starts) == 0 {
		return fmt.Errorf("scxml: no constructor of %s starts it, so there is no first state", s.title())
	}
	for _, st := range s.states {
		if len(st.Registers) > 0 {
			return fmt.Errorf("scxml: state %d remembers %s; a statechart has no arguments that it could keep", st.ID, st.Registers[0].Name)
		}
	}
	e := newEvents(s)
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	fmt.Fprintf(&b, "<!-- %s -->\n", strings.ReplaceAll(s.title()+": "+strings.Join(s.guarantees(), ", "), "--", "- -"))
	initial := "s" + strconv.Itoa(s.starts[0].state)
	if len(s.starts) > 1 {
		initial = "start"
	}
	fmt.Fprintf(&b, "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" name=%s initial=\"%s\">\n", attribute(s.title()), initial)
	if len(s.starts) > 1 {
		b.WriteString("  <state id=\"start\">\n")
		for _, st := range s.starts {
			for _, l := range st.letters {
				e.transition(&b, l, " target=\"s"+strconv.Itoa(st.state)+"\"")
			}
		}
		b.WriteString("  </state>\n")
	}
	for k := range s.states {
		fmt.Fprintf(&b, "  <state id=\"s%d\">\n", k)
		for _, a := range s.states[k].arrows {
			for _, l := range s.letters(a) {
				e.transition(&b, l, " target=\"s"+strconv.Itoa(a.to)+"\"")
			}
		}
		b.WriteString("  </state>\n")
	}
	if never := s.never(); len(never) > 0 {
		b.WriteString("  <state id=\"never\">\n")
		for _, l := range never {
			e.transition(&b, l, "")
		}
		b.WriteString("  </state>\n")
	}
	b.WriteString("</scxml>\n")
	_, err = w.Write(b.Bytes())
	return err
}

// never lists the calls without an allowed edge in any state, in the order of the sheet.
func (s *sheet) never() []letter {
	used := map[string]bool{}
	for k := range s.states {
		for _, a := range s.states[k].arrows {
			for _, l := range s.letters(a) {
				used[l.id] = true
			}
		}
	}
	var list []letter
	for _, c := range s.calls {
		if !used[c.ID] {
			list = append(list, letter{c.ID, "*"})
		}
	}
	return list
}

// events names the events of letters.
type events struct {
	name  map[letter]string
	inner map[string]bool // names that are the beginning of another
}

func newEvents(s *sheet) *events {
	e := &events{map[letter]string{}, map[string]bool{}}
	taken := map[string]bool{}
	add := func(l letter) {
		if e.name[l] != "" {
			return
		}
		base := eventName(l.text("."))
		n := base
		for k := 2; taken[n]; k++ {
			n = base + "_" + strconv.Itoa(k)
		}
		taken[n] = true
		e.name[l] = n
	}
	for _, st := range s.starts {
		for _, l := range st.letters {
			add(l)
		}
	}
	for k := range s.states {
		for _, a := range s.states[k].arrows {
			for _, l := range s.letters(a) {
				add(l)
			}
		}
	}
	for _, l := range s.never() {
		add(l)
	}
	for n := range taken {
		for end := strings.LastIndexByte(n, '.'); end > 0; end = strings.LastIndexByte(n[:end], '.') {
			e.inner[n[:end]] = true
		}
	}
	return e
}

// eventName makes a descriptor of a text.
func eventName(text string) string {
	text = strings.Join(strings.Fields(text), "_")
	text = strings.TrimSuffix(strings.TrimRight(text, "*"), ".")
	first, _, _ := strings.Cut(text, ".")
	if text == "" || first == "done" || first == "error" {
		text = "a_" + text
	}
	return text
}

func (e *events) transition(b *bytes.Buffer, l letter, target string) {
	n := e.name[l]
	cond := ""
	if e.inner[n] {
		quote := "'"
		if strings.Contains(n, "'") {
			quote = `"`
		}
		cond = " cond=" + attribute("_event.name == "+quote+n+quote)
	}
	fmt.Fprintf(b, "    <transition event=%s%s%s/>\n", attribute(n), cond, target)
}

// attribute is a text as the value of an attribute.
func attribute(text string) string {
	var b bytes.Buffer
	if err := encoding.EscapeText(&b, []byte(text)); err != nil {
		return `""`
	}
	return `"` + b.String() + `"`
}
