// SPDX-License-Identifier: Apache-2.0

package diff

// This file finds the changes.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/typestate"
)

// A Side is one version.
type Side struct {
	Name string // as the reader knows it
	*typestate.Interface
}

// A Report says how two versions differ. The zero value says nothing.
type Report struct {
	Old       string   `json:"old"`
	New       string   `json:"new"`
	Answer    Answer   `json:"answer"`
	Lost      []Change `json:"lost"`
	Gained    []Change `json:"gained"`
	Errs      []Change `json:"errs"`
	Removed   []Member `json:"removed"`
	Added     []Member `json:"added"`
	Undecided []Change `json:"undecided"`
	// Both counts pairs of cells that are unknown in both versions.
	Both    int      `json:"unknownInBoth"`
	Reasons []string `json:"notCompared"`
}

// An Answer says whether everything that was allowed still is.
type Answer string

const (
	AnswerUndecided Answer = "undecided"  // nothing was found, but not everything is known
	AnswerKept      Answer = "compatible" // what the old version allows the new one allows
	AnswerLost      Answer = "incompatible"
)

// A Change is a call that differs in the same way in some places.
type Change struct {
	Call      string  `json:"call"`
	Old       string  `json:"old"` // the verdict
	New       string  `json:"new"`
	OldErrors string  `json:"oldErrors,omitempty"`
	NewErrors string  `json:"newErrors,omitempty"`
	Reason    string  `json:"reason,omitempty"` // why a verdict is unknown
	Places    []Place `json:"places"`           // the first has the shortest word

	constructor bool
}

// A Place is a pair of states in which the call is made.
type Place struct {
	Old  string   `json:"old"`  // what the state means; "" before the constructor
	New  string   `json:"new"`  //
	Word []string `json:"word"` // a shortest one to there
}

// A Member is a method or constructor that only one version has.
type Member struct {
	Name        string `json:"name"`
	Constructor bool   `json:"constructor,omitempty"`
	// Allowed says that the version allows a call of it somewhere.
	Allowed bool `json:"allowed"`
}

// Of compares two versions.
func Of(before, after Side) Report {
	pairs, d := typestate.CompareCells(before.Interface, after.Interface)
	r := Report{Old: before.Name, New: after.Name, Reasons: append([]string{}, d.Reasons...)}
	for _, n := range d.OnlyA {
		r.Removed = append(r.Removed, member(before.Interface, n))
	}
	for _, n := range d.OnlyB {
		r.Added = append(r.Added, member(after.Interface, n))
	}
	open := len(d.Reasons) > 0
	for _, p := range pairs {
		list := r.kind(before, after, p)
		if p.A == typestate.VerdictUnknown && p.B != typestate.VerdictAllowed || p.B == typestate.VerdictUnknown && !p.A.Forbidden() {
			open = true
		}
		if list != nil {
			addChange(list, before, after, p)
		}
	}
	r.Answer = AnswerKept
	switch {
	case len(r.Lost) > 0 || slices.ContainsFunc(r.Removed, func(m Member) bool { return m.Allowed }):
		r.Answer = AnswerLost
	case open:
		r.Answer = AnswerUndecided
	}
	return r
}

// kind is the list that a pair belongs to, nil if it is no difference.
func (r *Report) kind(before, after Side, p typestate.CellPair) *[]Change {
	switch {
	case p.A == typestate.VerdictUnknown && p.B == typestate.VerdictUnknown:
		r.Both++
		return nil
	case p.A == typestate.VerdictUnknown || p.B == typestate.VerdictUnknown:
		return &r.Undecided
	case p.A == typestate.VerdictAllowed && p.B.Forbidden():
		return &r.Lost
	case p.A.Forbidden() && p.B == typestate.VerdictAllowed:
		return &r.Gained
	case p.A != p.B:
		return &r.Errs
	case p.A.Forbidden() && !slices.Equal(messages(sites(before, p.StateA, p.CallA)), messages(sites(after, p.StateB, p.CallB))):
		return &r.Errs
	}
	return nil
}

// sites are the errors of a cell.
func sites(s Side, state int, call string) []typestate.ErrorSite {
	if state < 0 {
		for _, c := range s.Constructors {
			if c.ID == call {
				return c.Errors
			}
		}
	}
	for _, f := range s.Forbidden {
		if f.State == state && f.Call == call {
			return f.Errors
		}
	}
	return nil
}

// reason is why a cell is unknown.
func reason(s Side, state int, call string) string {
	for _, c := range s.Constructors {
		if state < 0 && c.ID == call && c.Reason != "" {
			return c.Reason
		}
	}
	for _, u := range s.Unknown {
		if u.State == state && u.Call == call {
			return u.Reason
		}
	}
	return ""
}

// messages are errors without their positions.
func messages(list []typestate.ErrorSite) []string {
	var out []string
	for _, e := range list {
		out = append(out, e.Kind+" "+e.Message)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// addChange adds a pair to the change that it is part of. Pairs come in the order of their words.
func addChange(list *[]Change, before, after Side, p typestate.CellPair) {
	last := p.Word[len(p.Word)-1]
	c := Change{Call: symbolText(before, last), Old: verdictText(p.A), New: verdictText(p.B), constructor: p.StateA < 0,
		OldErrors: render.ErrorText(sites(before, p.StateA, p.CallA)), NewErrors: render.ErrorText(sites(after, p.StateB, p.CallB))}
	switch typestate.VerdictUnknown {
	case p.A:
		c.Reason = reason(before, p.StateA, p.CallA)
	case p.B:
		c.Reason = reason(after, p.StateB, p.CallB)
	}
	k := slices.IndexFunc(*list, func(o Change) bool { return o.constructor == c.constructor && o.head() == c.head() })
	if k < 0 {
		k = len(*list)
		*list = append(*list, c)
	}
	place := Place{Old: label(before, p.StateA), New: label(after, p.StateB)}
	for _, s := range p.Word[:len(p.Word)-1] {
		place.Word = append(place.Word, symbolText(before, s))
	}
	to := &(*list)[k]
	if !slices.ContainsFunc(to.Places, func(o Place) bool { return o.Old == place.Old && o.New == place.New }) {
		to.Places = append(to.Places, place)
	}
}

// head is what places of one change have in common.
func (c Change) head() string {
	return strings.Join([]string{c.Call, c.Old, c.New, c.OldErrors, c.NewErrors, c.Reason}, "\n")
}

// label is what a state means.
func label(s Side, state int) string {
	if state < 0 {
		return ""
	}
	return cmp.Or(render.StateLabel(s.Interface, s.States[state]), fmt.Sprintf("state %d", state))
}

func verdictText(v typestate.Verdict) string {
	if v == typestate.VerdictMayFail {
		return "may fail"
	}
	return v.String()
}

// symbolText writes a call for people.
func symbolText(s Side, y typestate.Symbol) string {
	outcome := ""
	if y.Outcome != "" && y.Outcome != "*" {
		outcome = y.Outcome
		if k := slices.IndexFunc(s.Calls, func(c typestate.Call) bool { return c.Method == y.Method }); k >= 0 && slices.Contains(s.Calls[k].Outcomes, outcome) {
			outcome = render.OutcomeText(s.Calls[k], []string{outcome}, s.Calls[k].Outcomes)
		}
	}
	y.Outcome = ""
	text := y.String()
	if s.Component.Language == "go" {
		text = render.GoText(text)
	}
	if outcome != "" {
		text += "=" + outcome
	}
	return text
}

// member describes a method or constructor that one version has alone.
func member(i *typestate.Interface, n typestate.Name) Member {
	m := Member{Name: n.Method, Constructor: n.Constructor}
	if n.Constructor {
		m.Allowed = slices.ContainsFunc(i.Constructors, func(c typestate.Constructor) bool {
			return c.Method == n.Method && c.Verdict == typestate.VerdictAllowed.String()
		})
		return m
	}
	for _, cells := range i.Walk() {
		for c := range cells {
			m.Allowed = m.Allowed || c.Call.Method == n.Method && c.Verdict == typestate.VerdictAllowed && !c.Impossible
		}
	}
	return m
}
