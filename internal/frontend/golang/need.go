// SPDX-License-Identifier: Apache-2.0

package golang

// This file writes into an interface which arguments are assumed not to be nil:
// as a convention, and in the guards of the calls, so that nothing is said of calls
// with nil.

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/typestate"
)

// Need restricts an interface to calls without the nil arguments that the checks
// of the run time rest on.
func (r *Result) Need(i *typestate.Interface) {
	if r.Implicit == nil || len(r.Implicit.Needs) == 0 {
		return
	}
	needs := r.Implicit.Needs
	if i.Certificate != nil {
		// Its guards cover all arguments. The checks are not covered then.
		r.spared(i, needs[0].Sites)
		return
	}
	for _, n := range needs {
		i.Conventions = append(i.Conventions, fmt.Sprintf("arguments: %s of %s is not nil: it is used without a test", n.Param, n.Method))
		restrict := func(method, guard string, params, types []string) (string, bool) {
			if method != n.Method || !slices.Contains(params, n.Param) {
				return guard, true
			}
			byName := map[string]string{}
			for k, p := range params {
				byName[p] = types[k]
			}
			if typestate.GuardHolds(guard, byName, typestate.Known{n.Param: "nil"}) == typestate.MatchNo {
				return guard, true
			}
			if typestate.GuardHolds(guard, byName, typestate.Known{n.Param: "non-nil"}) == typestate.MatchNo {
				return guard, false // it is about nil only
			}
			more := n.Param + " != nil"
			if guard != "true" {
				more = "(" + guard + ") && " + more
			}
			return more, true
		}
		r.witnesses(i, n)
		for k := range i.Constructors {
			c := &i.Constructors[k]
			if g, ok := restrict(c.Method, c.Guard, c.Params, c.Types); ok {
				c.Guard = g
			} else if c.Verdict == "allowed" {
				c.Verdict = "unknown"
			}
		}
		for k := range i.Calls {
			c := &i.Calls[k]
			g, ok := restrict(c.Method, c.Guard, c.Params, c.Types)
			if ok {
				c.Guard = g
				continue
			}
			for _, st := range i.States {
				if i.Verdict(st.ID, c.ID) == typestate.VerdictAllowed {
					i.Unknown = append(i.Unknown, typestate.Unknown{State: st.ID, Call: c.ID, Reason: fmt.Sprintf("a nil %s is used without a test", n.Param)})
				}
			}
		}
	}
}

// witnesses gives the calls of witnesses arguments that are not nil: what is forbidden
// is so for all arguments of a class.
func (r *Result) witnesses(i *typestate.Interface, n lower.Need) {
	steps := func(list []typestate.Step) {
		for _, s := range list {
			if s.Call == n.Method && s.Args[n.Param] == "nil" {
				s.Args[n.Param] = "non-nil"
			}
		}
	}
	for _, f := range i.Forbidden {
		steps(f.Witness)
	}
	for _, c := range i.Constructors {
		steps(c.Witness)
	}
}

// spared marks the cells of checks that are decided only for arguments that are
// not nil.
func (r *Result) spared(i *typestate.Interface, sites map[string][]*lower.Site) {
	for _, st := range i.States {
		for _, c := range i.Calls {
			for _, s := range sites[c.Method] {
				u := typestate.Uncovered{State: st.ID, Call: c.ID, Site: siteOf(s), Reason: "decided only for arguments that are not nil"}
				if !slices.Contains(i.Uncovered, u) {
					i.Uncovered = append(i.Uncovered, u)
				}
			}
		}
	}
}
