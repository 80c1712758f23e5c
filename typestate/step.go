// SPDX-License-Identifier: Apache-2.0

package typestate

// This file steps an interface by one call whose id is already known. Choosing
// the call from concrete arguments is in word.go. Lookups scan the lists:
// an Interface is plain data that its owner may change at any time, so nothing
// is cached in it; functions that take many steps build an index first.

import (
	"fmt"
	"maps"
	"slices"
)

// A StepKind is the kind of answer to "this call was made and had this
// outcome". The zero value is StepUnknown.
type StepKind uint8

const (
	StepUnknown    StepKind = iota // the call may err; Result.State is where it leads if it does not
	StepNext                       // allowed: Result.State is the next state
	StepForbidden                  // the call errs, or may err
	StepImpossible                 // the call is allowed but cannot have this outcome here, or cannot be made
	StepAmbiguous                  // allowed, but the next state depends on the outcome, which was not given
	StepInvalid                    // no such state, call or outcome: the question is wrong
)

func (k StepKind) String() string {
	switch k {
	case StepNext:
		return "next"
	case StepForbidden:
		return "forbidden"
	case StepImpossible:
		return "cannot happen"
	case StepAmbiguous:
		return "needs an outcome"
	case StepInvalid:
		return "invalid"
	}
	return "unknown"
}

// A Result is the answer to one step.
type Result struct {
	Kind StepKind
	// State is the next state, or -1 if there is none or it is not known. It
	// is set for StepNext, for StepUnknown where the outcome has an edge, and
	// for StepForbidden where the interface says how a returned misuse error
	// leaves the component.
	State int
	// Verdict is the verdict of the call, whatever became of the outcome.
	Verdict Verdict
	// Forbidden points to the cell that forbids the call, for StepForbidden of
	// a method.
	Forbidden *Forbidden
	// Reason says in one line why the kind is not StepNext.
	Reason string
	// Update gives registers of State their values; see Edge.
	Update map[string]string
}

func invalid(format string, args ...any) Result {
	return Result{Kind: StepInvalid, State: -1, Reason: fmt.Sprintf(format, args...)}
}

// Step returns what happens when the call with the given id is made in a state
// and has the given outcome. The outcome "" or "*" stands for any: the result
// is StepNext if every outcome that can happen leads to the same state,
// StepAmbiguous otherwise.
//
// A call that cannot be made is StepImpossible. A forbidden call is StepForbidden whatever its outcome. A call that never
// returns is StepImpossible with every outcome, although its verdict is
// allowed.
func (i *Interface) Step(state int, call, outcome string) Result {
	r, c := i.cell(state, call)
	if c == nil {
		return r
	}
	var edges []Edge
	for _, e := range i.Edges {
		if e.From == state && e.Call == call {
			edges = append(edges, e)
		}
	}
	return follow(r, c, edges, outcome)
}

// Start returns what happens when the constructor with the given id is called
// and has the given outcome, in the manner of [Interface.Step].
func (i *Interface) Start(constructor, outcome string) Result {
	var entries []Constructor
	for _, c := range i.Constructors {
		if c.ID == constructor {
			entries = append(entries, c)
		}
	}
	if len(entries) == 0 {
		return invalid("no constructor %q", constructor)
	}
	return start(entries, outcome)
}

// start decides a constructor from all its entries.
func start(entries []Constructor, outcome string) Result {
	first := entries[0]
	verdict, ok := ParseVerdict(first.Verdict)
	if !ok {
		return invalid("constructor %s has verdict %q", first.ID, first.Verdict)
	}
	r := Result{State: -1, Verdict: verdict, Reason: first.Reason}
	switch {
	case verdict.Forbidden():
		r.Kind = StepForbidden
		r.Reason = fmt.Sprintf("%s %s%s", first.ID, verdict, why(first.Errors))
		return r
	case verdict == VerdictUnknown:
		return r
	}
	var edges []Edge
	for _, c := range entries {
		if c.State != nil {
			edges = append(edges, Edge{From: -1, Call: c.ID, Outcome: c.Outcome, To: *c.State, Update: c.Update})
		}
	}
	return follow(r, &Call{ID: first.ID}, edges, outcome)
}

// cell returns the part of a result that does not depend on the outcome, and
// the call. The call is nil if the cell does not exist.
func (i *Interface) cell(state int, call string) (Result, *Call) {
	if state < 0 || state >= len(i.States) {
		return invalid("no state %d", state), nil
	}
	var c *Call
	for k := range i.Calls {
		if i.Calls[k].ID == call {
			c = &i.Calls[k]
			break
		}
	}
	if c == nil {
		return invalid("no call %q", call), nil
	}
	for k := range i.Forbidden {
		if f := &i.Forbidden[k]; f.State == state && f.Call == call {
			return forbidden(f), c
		}
	}
	for k := range i.Unknown {
		if u := &i.Unknown[k]; u.State == state && u.Call == call {
			return undecided(u), c
		}
	}
	if i.CannotBeMade(state, call) {
		return unmade(state, call), c
	}
	return Result{State: -1, Verdict: VerdictAllowed}, c
}

func forbidden(f *Forbidden) Result {
	v, ok := ParseVerdict(f.Verdict)
	if !ok || !v.Forbidden() {
		return invalid("forbidden call %s in state %d has verdict %q", f.Call, f.State, f.Verdict)
	}
	r := Result{Kind: StepForbidden, State: -1, Verdict: v, Forbidden: f}
	if f.To != nil {
		r.State = *f.To
	}
	r.Reason = fmt.Sprintf("%s %s in state %d%s", f.Call, v, f.State, why(f.Errors))
	return r
}

func undecided(u *Unknown) Result {
	return Result{Kind: StepUnknown, State: -1, Reason: u.Reason}
}

// unmade is the result of a call that cannot be made.
func unmade(state int, call string) Result {
	return Result{Kind: StepImpossible, State: -1, Verdict: VerdictAllowed,
		Reason: fmt.Sprintf("%s cannot be made in state %d: no arguments satisfy its guard there", call, state)}
}

// why names the first error site.
func why(sites []ErrorSite) string {
	if len(sites) == 0 {
		return ""
	}
	s := ": " + sites[0].Kind
	if sites[0].Message != "" {
		s += fmt.Sprintf(" %q", sites[0].Message)
	}
	if sites[0].At != "" {
		s += " at " + sites[0].At
	}
	return s
}

// follow completes the result of a cell with the edge that the outcome takes.
// A call without declared outcomes (a constructor) accepts any.
func follow(r Result, c *Call, edges []Edge, outcome string) Result {
	any := outcome == "" || outcome == "*"
	if !any && c.Outcomes != nil && !slices.Contains(c.Outcomes, outcome) {
		return invalid("%s has no outcome %q", c.ID, outcome)
	}
	if r.Kind == StepForbidden || r.Kind == StepInvalid || r.Kind == StepImpossible {
		return r
	}
	var taken *Edge
	for k := range edges {
		e := &edges[k]
		if !any && e.Outcome != outcome && e.Outcome != "*" {
			continue
		}
		if taken != nil && !sameTarget(taken, e) {
			// An unknown call stays unknown: that it may err is the more
			// important half of the answer.
			if r.Verdict == VerdictAllowed {
				r.Kind = StepAmbiguous
				r.Reason = fmt.Sprintf("the next state depends on the outcome of %s", c.ID)
			}
			r.State, r.Update = -1, nil
			return r
		}
		taken = e
		r.State, r.Update = e.To, e.Update
	}
	switch {
	case r.Verdict != VerdictAllowed:
		r.Kind = StepUnknown
	case taken != nil:
		r.Kind = StepNext
	case any:
		r.Kind = StepImpossible
		r.Reason = fmt.Sprintf("%s does not return here", c.ID)
	default:
		r.Kind = StepImpossible
		r.Reason = fmt.Sprintf("%s cannot have outcome %s here", c.ID, outcome)
	}
	return r
}

func sameTarget(a, b *Edge) bool { return a.To == b.To && maps.Equal(a.Update, b.Update) }
