// SPDX-License-Identifier: Apache-2.0

package golang

// This file writes into an interface which arguments are assumed not to be nil:
// as a convention, and in the guards of the calls, so that nothing is said of calls
// with nil.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/typestate"
)

// Need restricts an interface to calls without the nil arguments that the checks
// of the run time rest on.
func (r *Result) Need(i *typestate.Interface) {
	needs := r.needs()
	for _, n := range needs {
		if isMissing(i, n) {
			// The program of the interface does not have the argument.
			r.spared(i, n.Sites)
			continue
		}
		i.Conventions = append(i.Conventions, needText(n))
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
				c.Verdict, c.Reason = "unknown", fmt.Sprintf("a nil %s is used without a test", n.Param)
				c.State, c.Outcome, c.Update = nil, "", nil
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

// needs returns the arguments that the programs of checks assume not to be nil.
func (r *Result) needs() (all []lower.Need) {
	var lists [][]lower.Need
	if r.checker != nil {
		lists = append(lists, r.checker.needs)
	}
	for _, part := range r.Parts() {
		lists = append(lists, part.Needs)
	}
	for _, list := range lists {
		for _, n := range list {
			k := slices.IndexFunc(all, func(m lower.Need) bool { return m.Method == n.Method && m.Param == n.Param })
			if k < 0 {
				k = len(all)
				all = append(all, lower.Need{Method: n.Method, Param: n.Param, Sites: map[string][]*lower.Site{}})
			}
			for method, list := range n.Sites {
				all[k].Sites[method] = append(all[k].Sites[method], list...)
			}
		}
	}
	return all
}

// isMissing reports whether the calls of a method are without an argument.
func isMissing(i *typestate.Interface, n lower.Need) bool {
	for _, c := range i.Constructors {
		if c.Method == n.Method && !slices.Contains(c.Params, n.Param) {
			return true
		}
	}
	return slices.ContainsFunc(i.Calls, func(c typestate.Call) bool { return c.Method == n.Method && !slices.Contains(c.Params, n.Param) })
}

// witnesses gives the calls of witnesses arguments that are not nil: what is forbidden
// is so for all arguments of a class.
func (r *Result) witnesses(i *typestate.Interface, n lower.Need) {
	// Where nil is a class of its own, nil is what a witness of it has.
	alone := func(method, guard string, params, types []string) bool {
		byName := map[string]string{}
		for k, p := range params {
			byName[p] = types[k]
		}
		return method == n.Method && slices.Contains(params, n.Param) &&
			typestate.GuardHolds(guard, byName, typestate.Known{n.Param: "non-nil"}) == typestate.MatchNo
	}
	if slices.ContainsFunc(i.Constructors, func(c typestate.Constructor) bool { return alone(c.Method, c.Guard, c.Params, c.Types) }) ||
		slices.ContainsFunc(i.Calls, func(c typestate.Call) bool { return alone(c.Method, c.Guard, c.Params, c.Types) }) {
		return
	}
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

// Unneed takes the restrictions of Need back: what a certificate is about has guards
// that cover all arguments. An interface whose guards it misreads is one that no
// certificate passes for. It returns the conventions that went with them.
func (r *Result) Unneed(i *typestate.Interface) (conventions []string) {
	for _, n := range slices.Backward(r.needs()) {
		if k := slices.Index(i.Conventions, needText(n)); k >= 0 {
			conventions = append(conventions, i.Conventions[k])
			i.Conventions = slices.Delete(i.Conventions, k, k+1)
		}
		suffix := n.Param + " != nil"
		mayBeNil := func(guard string, params, types []string) bool {
			byName := map[string]string{}
			for k, p := range params {
				byName[p] = types[k]
			}
			return typestate.GuardHolds(guard, byName, typestate.Known{n.Param: "nil"}) != typestate.MatchNo
		}
		nilClass := false // a class for nil alone: then what is left is one by itself
		for _, c := range i.Constructors {
			nilClass = nilClass || c.Method == n.Method && mayBeNil(c.Guard, c.Params, c.Types)
		}
		for _, c := range i.Calls {
			nilClass = nilClass || c.Method == n.Method && mayBeNil(c.Guard, c.Params, c.Types)
		}
		open := func(method, guard string, params, types []string) string {
			inner, ok := strings.CutSuffix(guard, ") && "+suffix)
			inner, ok2 := strings.CutPrefix(inner, "(")
			switch {
			case method != n.Method || !slices.Contains(params, n.Param):
			case guard == suffix && !nilClass:
				return "true"
			case ok && ok2 && mayBeNil(inner, params, types):
				return inner
			}
			return guard
		}
		for k := range i.Constructors {
			c := &i.Constructors[k]
			c.Guard = open(c.Method, c.Guard, c.Params, c.Types)
		}
		for k := range i.Calls {
			c := &i.Calls[k]
			c.Guard = open(c.Method, c.Guard, c.Params, c.Types)
		}
	}
	return conventions
}

func needText(n lower.Need) string {
	return fmt.Sprintf("arguments: %s of %s is not nil: it is used without a test", n.Param, n.Method)
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
