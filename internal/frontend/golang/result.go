// SPDX-License-Identifier: Apache-2.0

package golang

// This file turns the interface of a lowered program into one of a Go type: what
// is not certain about the program is not claimed of the type, and names are
// those of Go.

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// A Site is an error site of a component; see [lower.Site].
type Site = lower.Site

// A Component is a program of a type; see [lower.Component].
type Component = lower.Component

// Component makes a program of the type; see [lower.Whole.Component].
func (r *Result) Component(d Depth, keep func(s *Site) bool) (*lower.Component, error) {
	c, err := r.Whole.Component(d, keep)
	if c != nil && r.partial {
		c.Complete = false
	}
	return c, err
}

// Favouring makes a program with favoured calls; see [lower.Whole.Favouring].
func (r *Result) Favouring(d Depth, keep func(s *Site) bool) (*lower.Component, error) {
	return r.Whole.Favouring(d, keep)
}

// IsFavoured reports whether a method of a program is a favoured call.
func IsFavoured(method string) bool { return lower.IsFavouredCall(method) }

// Favoured is the name of the favoured call of a method for a site.
func Favoured(method string, s *Site) string { return lower.Favoured(method, s) }

// Depth says how much of a component a program keeps; see [lower.Depth].
type Depth = lower.Depth

// Numbers is a depth of results; see [lower.Numbers].
const Numbers = lower.Numbers

// Text is a program in the text form with the positions of the Go code.
func (r *Result) Text(c *lower.Component) string {
	var b strings.Builder
	if err := prog.Print(&b, c.Program, prog.PrintOptions{Positions: true}); err != nil {
		panic(err) // a Builder does not fail
	}
	return b.String()
}

// Limit weakens what is claimed of a program to what can be claimed of the type,
// and reports whether nothing had to be. left are the sites that were left out. If
// no better program is found, forget makes the cells unknown that may fail in the
// program and perhaps not in the type: then what is still forbidden is proved.
func (r *Result) Limit(c *lower.Component, i *typestate.Interface, left map[int]bool) (sure bool, forget func()) {
	sure = true
	permissive, reason := i.Guarantees.Permissive, i.Guarantees.Reason
	unsure := map[typestate.ErrorSite]bool{}
	guess := map[typestate.ErrorSite]bool{}
	for _, sites := range c.Sites {
		for _, s := range sites {
			unsure[siteOf(s)] = unsure[siteOf(s)] || s.Unsure
			if !s.Certain && !s.Favoured {
				guess[siteOf(s)] = true
			}
		}
	}
	doubt := func(verdict string, surely bool, sites []typestate.ErrorSite) (reason string) {
		switch {
		case verdict != "may-fail":
			return ""
		case slices.ContainsFunc(sites, func(s typestate.ErrorSite) bool {
			// A site that the program does not have under this name is no evidence.
			yes, known := unsure[s]
			return !known || yes && !surely
		}):
			reason = "depends on a value that is not modelled"
		case len(sites) > 0 && !slices.ContainsFunc(sites, func(s typestate.ErrorSite) bool { return guess[s] }):
			return "" // a parameter says it, in every state, or there are erring runs in every one
		case !c.Complete:
			reason = "depends on code that was left out"
		case c.Numbers:
			reason = "depends on which numbers were returned"
		default:
			return ""
		}
		sure = false
		return reason
	}
	doubts := map[[2]string]string{}
	made := true
	for _, f := range i.Forbidden {
		if why := doubt(f.Verdict, f.Sure, f.Errors); why != "" {
			doubts[[2]string{strconv.Itoa(f.State), f.Call}] = why
		}
	}
	for _, k := range i.Constructors {
		if doubt(k.Verdict, k.Sure, k.Errors) != "" {
			made = false
		}
	}
	if !sure && saysAll(i.Guarantees.Permissive) {
		i.Guarantees.Permissive, i.Guarantees.Reason = typestate.GuaranteeUnknown, doubtfulReason
	}
	if i.OpenCells().Unknown > 0 {
		sure = false
	}
	if !c.Complete || len(c.Approximations) > 0 {
		i.Guarantees.Tight = "unknown"
	}
	for k := range i.States {
		i.States[k].Label = strings.ReplaceAll(i.States[k].Label, "`"+lower.NilName+"`", "nil")
	}
	i.Component.Language, i.Component.Name = "go", r.Name
	i.Component.Errors = slices.Clone(r.Errors)
	i.Conventions = append(i.Conventions, r.Conventions...)
	i.Contracts = append(i.Contracts, r.Contracts...)
	for _, a := range c.Approximations {
		i.Approximations = append(i.Approximations, typestate.Approximation{What: a.What, At: a.Pos.String()})
	}
	r.uncovered(i, left)
	if r.doubtful(i) {
		sure = false
	}
	return sure, func() {
		if i.Certificate != nil || !made {
			return // a certificate is of the program as it is
		}
		makeUnknown(i, doubts)
		i.Guarantees.Permissive, i.Guarantees.Reason = permissive, reason
	}
}

// doubtfulReason is why an interface is not known to be permissive although none of
// its cells is open.
const doubtfulReason = "calls that may fail in the program perhaps never fail in the code, which does more than is followed"

// saysAll reports whether a guarantee of a program says something of every cell that is
// not unknown.
func saysAll(guarantee string) bool {
	switch guarantee {
	case typestate.GuaranteeProved, typestate.GuaranteeClaimed, typestate.GuaranteeOpen:
		return true
	}
	return false
}

// Doubtful reports whether a call that may fail in a program perhaps does not in the type.
func (r *Result) Doubtful(c *lower.Component) bool {
	unsure := !c.Complete
	for _, sites := range c.Sites {
		unsure = unsure || slices.ContainsFunc(sites, func(s *lower.Site) bool { return s.Unsure })
	}
	return unsure
}

// Plain reports whether nothing is claimed of calls that may fail in a program (Limit): code was left out of it, and no
// site errs for certain.
func (r *Result) Plain(c *lower.Component) bool {
	for _, sites := range c.Sites {
		if slices.ContainsFunc(sites, func(s *lower.Site) bool { return s.Certain || s.Favoured }) {
			return false
		}
	}
	return !c.Complete
}

// makeUnknown makes forbidden cells unknown. What follows such a call is not known: it
// leads to a state of which nothing is.
func makeUnknown(i *typestate.Interface, reasons map[[2]string]string) {
	if len(reasons) == 0 {
		return
	}
	unknown := lost(i)
	calls := map[string]typestate.Call{}
	for _, c := range i.Calls {
		calls[c.ID] = c
	}
	i.Forbidden = slices.DeleteFunc(i.Forbidden, func(f typestate.Forbidden) bool {
		why, ok := reasons[[2]string{strconv.Itoa(f.State), f.Call}]
		if !ok {
			return false
		}
		for _, e := range f.Errors {
			why = fmt.Sprintf("may fail: %q (%s): %s", e.Message, e.At, why)
			break
		}
		unknown(f.State, calls[f.Call], why)
		return true
	})
}

const afterUnknown = "after a call that is unknown"

// lost returns what makes a cell unknown: the call leads to a state of which nothing is known,
// which is made if there is none.
func lost(i *typestate.Interface) (unknown func(state int, call typestate.Call, reason string)) {
	nothing := len(i.States)
	unknown = func(state int, call typestate.Call, reason string) {
		i.Unknown = append(i.Unknown, typestate.Unknown{State: state, Call: call.ID, Reason: reason})
		for _, o := range call.Outcomes {
			i.Edges = append(i.Edges, typestate.Edge{From: state, Call: call.ID, Outcome: o, To: nothing})
		}
	}
	if k := slices.IndexFunc(i.Unknown, func(u typestate.Unknown) bool { return u.Reason == afterUnknown }); k >= 0 {
		nothing = i.Unknown[k].State
		return unknown
	}
	i.States = append(i.States, typestate.State{ID: nothing, Label: "true", Registers: []typestate.Register{}})
	for _, c := range i.Calls {
		unknown(nothing, c, afterUnknown)
	}
	return unknown
}

func siteOf(s *lower.Site) typestate.ErrorSite {
	return typestate.ErrorSite{Kind: s.Kind, Message: s.Message, At: s.Pos.String()}
}

// notCovered begins the approximations that are checks of a constructor.
const notCovered = "not covered in "

// NotCovered reports whether an approximation is a check of a constructor that
// was left out.
func NotCovered(a typestate.Approximation) bool { return strings.HasPrefix(a.What, notCovered) }

// ErrTooLarge is the error of a component whose code is too large; see
// [lower.ErrTooLarge].
var ErrTooLarge = lower.ErrTooLarge

// Unchecked marks the cells that checks of the run time could affect which are not
// decided: those of left, by the numbers that they have in each of the Parts, and those
// whose code is too large. What the proofs of the others assume is listed, also if the interface is of a program that follows less.
func (r *Result) Unchecked(i *typestate.Interface, left []map[int]bool) {
	if r.checker == nil {
		return
	}
	conventions, contracts := slices.Collect(maps.Keys(r.checker.used)), slices.Collect(maps.Keys(r.checker.clauses))
	for _, part := range r.checker.parts {
		conventions, contracts = append(conventions, part.Conventions...), append(contracts, part.Contracts...)
	}
	i.Conventions, i.Contracts = union(i.Conventions, conventions), union(i.Contracts, contracts)
	for n, part := range r.Parts() {
		markUncovered(i, part.Sites(), func(s *lower.Site) bool { return left[n][s.ID] && !s.Explicit })
	}
	markUncovered(i, r.checker.left, func(*lower.Site) bool { return true })
}

// assume adds what another program of the same component assumes.
func (r *Result) assume(other *Result) {
	r.Conventions = union(r.Conventions, other.Conventions)
	r.Contracts = union(r.Contracts, other.Contracts)
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// uncovered marks the cells that a check which was left out could affect. A site
// of the code, not of the run time, makes them unknown.
func (r *Result) uncovered(i *typestate.Interface, left map[int]bool) {
	markUncovered(i, r.Sites(), func(s *lower.Site) bool { return left[s.ID] })
}

// markUncovered marks the cells of sites, which are given by method.
func markUncovered(i *typestate.Interface, sites map[string][]*lower.Site, left func(s *lower.Site) bool) {
	var made []string
	for _, k := range i.Constructors {
		if slices.Contains(made, k.Method) {
			continue
		}
		made = append(made, k.Method)
		// A constructor has no cell in the format: it is said beside the others.
		for _, s := range sites[k.Method] {
			if left(s) {
				i.Approximations = append(i.Approximations, typestate.Approximation{What: notCovered + fmt.Sprintf("%s: %q", k.Method, s.Message), At: s.Pos.String()})
				if s.Explicit {
					i.Guarantees.Safe = typestate.GuaranteeUnknown
					i.Guarantees.Reason = fmt.Sprintf("%q (%s) in constructor %s was left out", s.Message, s.Pos, k.Method)
				}
			}
		}
	}
	listed := map[typestate.Uncovered]bool{}
	for _, u := range i.Uncovered {
		listed[u] = true
	}
	for _, st := range i.States {
		for _, call := range i.Calls {
			if slices.ContainsFunc(i.Forbidden, func(f typestate.Forbidden) bool {
				return f.State == st.ID && f.Call == call.ID && f.Verdict == "fails"
			}) {
				continue
			}
			seen := map[typestate.ErrorSite]bool{}
			for _, s := range sites[call.Method] {
				site := siteOf(s)
				if seen[site] || !left(s) {
					continue
				}
				seen[site] = true
				reason := "not decided within its part of the budget"
				if s.Why != "" {
					reason = s.Why
				} else if s.Unsure {
					reason = "depends on a value that is not modelled"
				}
				if s.Explicit {
					if i.Verdict(st.ID, call.ID) == typestate.VerdictAllowed {
						i.Unknown = append(i.Unknown, typestate.Unknown{State: st.ID, Call: call.ID, Reason: fmt.Sprintf("%q (%s): %s", site.Message, site.At, reason)})
					}
					continue
				}
				u := typestate.Uncovered{State: st.ID, Call: call.ID, Site: site, Reason: reason}
				if !listed[u] {
					listed[u] = true
					i.Uncovered = append(i.Uncovered, u)
				}
			}
		}
	}
}
