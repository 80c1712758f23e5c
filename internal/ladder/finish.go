// SPDX-License-Identifier: Apache-2.0

package ladder

import (
	"context"
	"fmt"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// finish adds to an interface how objects are made, and applies the options of the component.
func (c *Component) finish(from *golang.Result, i *typestate.Interface) (*typestate.Interface, error) {
	from.Made(i)
	if c.Strict {
		strict(i)
	}
	if c.Blocks {
		unreturned(i)
	}
	return i, i.Canonicalize()
}

// strict makes uncovered cells unknown.
func strict(i *typestate.Interface) {
	for _, u := range i.Uncovered {
		if i.Verdict(u.State, u.Call) == typestate.VerdictAllowed {
			i.Unknown = append(i.Unknown, typestate.Unknown{State: u.State, Call: u.Call, Reason: fmt.Sprintf("%q (%s): %s", u.Site.Message, u.Site.At, u.Reason)})
		}
	}
	i.Uncovered = nil
}

// unreturned makes calls unknown of which no run is seen to return or to wait.
func unreturned(i *typestate.Interface) {
	type cell struct {
		state int
		call  string
	}
	returns := map[cell]bool{}
	for _, e := range i.Edges {
		returns[cell{e.From, e.Call}] = true
	}
	for _, s := range i.States {
		for _, c := range i.Calls {
			if i.Verdict(s.ID, c.ID) == typestate.VerdictAllowed && !i.CannotBeMade(s.ID, c.ID) && !returns[cell{s.ID, c.ID}] {
				i.Unknown = append(i.Unknown, typestate.Unknown{State: s.ID, Call: c.ID, Reason: "no run of it is seen to return"})
			}
		}
	}
}

// Unknown is the interface of a component of which no verdict is known.
func Unknown(ctx context.Context, c Component, reason string) (*typestate.Interface, error) {
	p, err := c.Component(golang.Depth{}, func(*golang.Site) bool { return false })
	if err != nil {
		return nil, internal(ctx, c.Name, err)
	}
	i, err := synth.Unknown(p.Program, reason)
	if err != nil {
		return nil, err
	}
	c.Limit(p, i, nil)
	return i, i.Canonicalize()
}

// Uncovered counts the lines with checks of the run time that an interface does not cover.
func Uncovered(i *typestate.Interface) int {
	lines := map[string]bool{}
	for _, u := range i.Uncovered {
		lines[u.Site.At] = true
	}
	for _, a := range i.Approximations {
		if golang.NotCovered(a) { // of constructors
			lines[a.At] = true
		}
	}
	return len(lines)
}
