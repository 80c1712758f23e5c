// SPDX-License-Identifier: Apache-2.0

package render

// This file writes Aldebaran's format for labelled transition systems (Garavel
// et al., CADP):
//
//	des (first, transitions, states)
//	(from, "label", to)
//
// A label is the call's id, followed by " !OUTCOME" where the edge depends on
// the outcome. Only allowed edges are written: a tool that reads the file takes
// a missing transition for a refusal, and neither a forbidden nor an unknown
// call may be promised. Inside a label a quote or backslash is preceded by a
// backslash. States keep their numbers. If constructors start in different
// states, one more state stands for "not constructed yet"; otherwise the
// constructors are not part of the system. Of a model, calls that are allowed nowhere stand at
// one more state, which nothing reaches, so that a reader knows of them.

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

func writeAut(w io.Writer, i *typestate.Interface, _ Options) error {
	s, err := newSheet(i)
	if err != nil {
		return err
	}
	if len(s.starts) == 0 {
		return fmt.Errorf("aut: no constructor of %s starts it, so there is no first state", s.title())
	}
	var b bytes.Buffer
	count, first, states := 0, s.starts[0].state, len(s.states)
	line := func(from int, label string, to int) {
		count++
		fmt.Fprintf(&b, "(%d, \"%s\", %d)\n", from, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(label), to)
	}
	for k := range s.states {
		for _, a := range s.states[k].arrows {
			for _, l := range s.letters(a) {
				line(k, l.text(" !"), a.to)
			}
		}
	}
	if len(s.starts) > 1 {
		first = states
		states++
		for _, st := range s.starts {
			for _, l := range st.letters {
				line(first, l.text(" !"), st.state)
			}
		}
	}
	if never := s.never(); s.Component.Language == "model" && len(never) > 0 {
		for _, l := range never {
			line(states, l.text(" !"), states)
		}
		states++
	}
	if _, err := fmt.Fprintf(w, "des (%d, %d, %d)\n", first, count, states); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// A letter is a call with one outcome, "*" included: the alphabet of the
// formats that describe languages.
type letter struct{ id, outcome string }

// text returns the letter's name, with a separator before the outcome.
func (l letter) text(sep string) string {
	if l.outcome == "*" {
		return printable(l.id)
	}
	return printable(l.id) + sep + printable(l.outcome)
}

// letters returns the letters of the allowed edges of an arrow.
func (s *sheet) letters(a arrow) []letter {
	var list []letter
	for _, e := range a.entries {
		if e.unknown {
			continue
		}
		id := s.calls[e.call].ID
		if e.outcomes == nil {
			list = append(list, letter{id, "*"})
		}
		for _, o := range e.outcomes {
			list = append(list, letter{id, o})
		}
	}
	return list
}
