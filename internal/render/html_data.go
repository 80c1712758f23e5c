// SPDX-License-Identifier: Apache-2.0

package render

// This file makes the data of a page: what each call does in each state, how that is known, and why it fails.

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// Evidence of a cell beside the values of a guarantee.
const (
	evidenceSeen      = "seen"
	evidenceUnknown   = "unknown"
	evidenceUncovered = "uncovered"
)

type pageData struct {
	Starts []pageStart `json:"starts"`
	Barred []pageCell  `json:"barred"` // constructors that make nothing
	Calls  []pageCall  `json:"calls"`
	States []pageState `json:"states"`
}

type pageStart struct {
	Name     string            `json:"name"`
	To       int               `json:"to"`
	Set      map[string]string `json:"set,omitempty"`
	Evidence string            `json:"evidence"`
	Verdict  string            `json:"verdict"`
}

type pageCall struct {
	Name string `json:"name"`
}

type pageState struct {
	Label     string               `json:"label,omitempty"`
	Registers []typestate.Register `json:"registers,omitempty"`
	Cells     []pageCell           `json:"cells"`
	Checks    []string             `json:"checks,omitempty"`
}

// A pageCell is a cell, or a constructor call.
type pageCell struct {
	Call     int         `json:"call"`
	Name     string      `json:"name,omitempty"` // of a constructor
	Verdict  string      `json:"verdict"`
	Evidence string      `json:"evidence"`
	To       []pageEdge  `json:"to,omitempty"`
	Errors   []pageError `json:"errors,omitempty"`
	Word     []string    `json:"word,omitempty"`
	Reason   string      `json:"reason,omitempty"`
	Seen     string      `json:"seen,omitempty"`
}

type pageEdge struct {
	Outcome string            `json:"outcome,omitempty"`
	To      int               `json:"to"`
	Set     map[string]string `json:"set,omitempty"`
}

type pageError struct {
	Message string `json:"message"`
	At      string `json:"at,omitempty"`
	Line    int    `json:"line,omitempty"`
	Source  []Line `json:"source,omitempty"`
}

// short is a cell in a word, for a table.
func (c *pageCell) short() string {
	var to []string
	for _, e := range c.To {
		if n := strconv.Itoa(e.To); !slices.Contains(to, n) {
			to = append(to, n)
		}
	}
	text := ""
	switch {
	case c.Verdict == "fails" || c.Verdict == "may-fail":
		text = verdict(c.Verdict)
	case len(to) > 0:
		text = "→ " + strings.Join(to, ", ")
	case c.Verdict == "allowed":
		text = "never returns"
	}
	switch c.Evidence {
	case evidenceSeen:
		text += " " + seenMark
	case evidenceUnknown:
		text += " ?"
	case evidenceUncovered:
		text += " !"
	}
	return strings.TrimSpace(text)
}

func (s *sheet) pageData(opt Options) pageData {
	d := pageData{Starts: []pageStart{}, Barred: []pageCell{}, Calls: []pageCall{}, States: []pageState{}}
	for _, c := range s.calls {
		d.Calls = append(d.Calls, pageCall{c.name})
	}
	for _, st := range s.starts {
		names := st.names
		if len(names) == 0 {
			names = []string{"start"}
		}
		for k, name := range names {
			start := pageStart{Name: name, To: st.state, Verdict: typestate.VerdictAllowed.String(), Evidence: s.known(s.Guarantees.Safe)}
			if k < len(st.letters) {
				start.Set = s.startUpdate(st.letters[k], st.state)
			}
			d.Starts = append(d.Starts, start)
		}
	}
	for _, b := range s.barred {
		cell := pageCell{Name: b.name, Verdict: b.Verdict, Evidence: s.evidence(b.Verdict), Errors: pageErrors(b.Errors, opt), Word: s.wordOf(b.Witness), Reason: printable(b.Reason)}
		d.Barred = append(d.Barred, cell)
	}
	for k := range s.states {
		st := &s.states[k]
		ps := pageState{Label: st.label, Registers: st.Registers, Cells: []pageCell{}}
		if !st.empty {
			for c := range s.calls {
				if cell := s.cellOf(st, c); cell != nil {
					cell.Errors = s.errorsOf(st, c, opt)
					ps.Cells = append(ps.Cells, *cell)
				}
			}
			for _, r := range s.uncoveredOf([]*state{st}) {
				ps.Checks = append(ps.Checks, r.text)
			}
		}
		d.States = append(d.States, ps)
	}
	return d
}

// startUpdate is what a constructor gives registers.
func (s *sheet) startUpdate(l letter, state int) map[string]string {
	for _, c := range s.Constructors {
		if c.ID == l.id && cmp.Or(c.Outcome, "*") == l.outcome && c.State != nil && *c.State == state {
			return c.Update
		}
	}
	return nil
}

// known is how well the cells are known that a guarantee speaks of.
func (s *sheet) known(guarantee string) string {
	switch guarantee {
	case typestate.GuaranteeOpen: // some cells are unknown; of the others the reason says whether they are proved
		if s.Guarantees.Safe == typestate.GuaranteeProved && s.Guarantees.Reason == "" {
			return typestate.GuaranteeProved
		}
		return typestate.GuaranteeClaimed
	case "", typestate.GuaranteeUnknown, typestate.GuaranteeNo:
		return "not proved"
	}
	return printable(guarantee)
}

func (s *sheet) evidence(verdict string) string {
	switch verdict {
	case "allowed":
		return s.known(s.Guarantees.Safe)
	case "fails", "may-fail":
		return s.known(s.Guarantees.Permissive)
	}
	return evidenceUnknown
}

// cellOf is what a call does in a state; nil if it cannot be made there.
func (s *sheet) cellOf(st *state, call int) *pageCell {
	id := s.calls[call].ID
	if s.CannotBeMade(st.ID, id) {
		return nil
	}
	cell := &pageCell{Call: call, Verdict: typestate.VerdictAllowed.String()}
	for _, f := range st.forbidden {
		if f.Call == id {
			cell.Verdict, cell.Word = f.Verdict, s.wordOf(f.Witness)
		}
	}
	for _, u := range st.unknown {
		if u.Call == id {
			cell.Verdict, cell.Reason = typestate.VerdictUnknown.String(), printable(u.Reason)
		}
	}
	cell.Evidence = s.evidence(cell.Verdict)
	seen, ran := st.seen[id]
	switch {
	case ran:
		cell.Evidence = evidenceSeen
		cell.Seen = fmt.Sprintf("The type was run: %s made the call here, and it erred in %d of them.", plural(seen.Words, "word"), seen.Erred)
		if seen.Erred > 0 {
			cell.Seen += " It did: " + printable(seen.Did)
		}
		if len(seen.Word) > 0 && len(cell.Word) == 0 {
			cell.Word = printables(seen.Word)
		}
	case slices.ContainsFunc(st.uncovered, func(u typestate.Uncovered) bool { return u.Call == id }) && cell.Verdict == typestate.VerdictAllowed.String():
		cell.Evidence = evidenceUncovered
	}
	for _, a := range st.arrows {
		for _, e := range a.entries {
			if e.call == call {
				cell.To = append(cell.To, pageEdge{Outcome: e.seen, To: a.to, Set: s.edgeUpdate(st.ID, id, a.to, e.update)})
			}
		}
	}
	return cell
}

// edgeUpdate is the update that is written as a text.
func (s *sheet) edgeUpdate(from int, call string, to int, text string) map[string]string {
	for _, e := range s.Edges {
		if e.From == from && e.Call == call && e.To == to && updates(e.Update) == text {
			return e.Update
		}
	}
	return nil
}

func (s *sheet) errorsOf(st *state, call int, opt Options) []pageError {
	for _, f := range st.forbidden {
		if f.Call == s.calls[call].ID {
			return pageErrors(f.Errors, opt)
		}
	}
	return nil
}

func pageErrors(list []typestate.ErrorSite, opt Options) []pageError {
	var out []pageError
	for _, e := range slices.SortedFunc(slices.Values(list), compareSites) {
		p := pageError{Message: printable(e.Kind), At: printable(e.At)}
		if e.Message != "" {
			p.Message = strings.TrimSpace(printable(e.Kind) + " " + strconv.Quote(e.Message))
		}
		if opt.Lines != nil && e.At != "" {
			for _, l := range opt.Lines(e.At) {
				l.Text = strings.ReplaceAll(printable(strings.ReplaceAll(l.Text, "\t", "    ")), "\ufffd", "?")
				if l.Hit {
					p.Line = l.N
				}
				p.Source = append(p.Source, l)
			}
		}
		out = append(out, p)
	}
	return out
}

// wordOf writes a word call by call.
func (s *sheet) wordOf(word []typestate.Step) []string {
	var out []string
	for _, w := range word {
		text := printable(w.Call)
		var args []string
		for _, p := range s.paramsOf(w.Call) {
			if v, ok := w.Args[p]; ok {
				args = append(args, printable(p)+": "+printable(v))
			}
		}
		if len(args) > 0 {
			text += "(" + strings.Join(args, ", ") + ")"
		}
		if w.Outcome != "" && w.Outcome != "return" && w.Outcome != "*" {
			text += "=" + s.stepOutcome(w)
		}
		out = append(out, text)
	}
	return out
}

func (s *sheet) stepOutcome(w typestate.Step) string {
	for _, c := range s.calls {
		if c.Method == w.Call && slices.Contains(c.Outcomes, w.Outcome) {
			return cmp.Or(OutcomeText(c.Call, []string{w.Outcome}, c.Outcomes), printable(w.Outcome))
		}
	}
	return printable(w.Outcome)
}

func (s *sheet) paramsOf(name string) []string {
	for _, c := range s.calls {
		if c.Method == name {
			return c.Params
		}
	}
	for _, c := range s.Constructors {
		if c.Method == name {
			return c.Params
		}
	}
	return nil
}
