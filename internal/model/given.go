// SPDX-License-Identifier: Apache-2.0

package model

// This file makes systems of interfaces, and properties of systems.

import (
	"fmt"
	"strings"

	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/typestate"
)

// FromInterface makes a system of an interface: what it allows is a trace. The action of a call
// is its id, with "=" and the outcome if it has several. The error has no edges: what is missing is
// what the interface forbids.
func FromInterface(i *typestate.Interface) (*lts.System, error) {
	if len(i.Unknown) > 0 {
		return nil, fmt.Errorf("%s: the verdict of %s in state %d is unknown, so that it is no automaton; decide it first", i.Component.Name, i.Unknown[0].Call, i.Unknown[0].State)
	}
	b := lts.NewBuilder()
	outcomes := map[string][]string{}
	for _, c := range i.Calls {
		outcomes[c.ID] = c.Outcomes
		for _, a := range ActionsOf(c) {
			b.Action(a)
		}
	}
	calls := map[string]typestate.Call{}
	for _, c := range i.Calls {
		calls[c.ID] = c
	}
	for _, e := range i.Edges {
		if len(e.Update) > 0 {
			return nil, fmt.Errorf("%s: %s writes a register in state %d; only interfaces without registers are automata", i.Component.Name, e.Call, e.From)
		}
		list := ActionsOf(calls[e.Call])
		for k, a := range list {
			if e.Outcome == "*" || len(list) == 1 || outcomes[e.Call][k] == e.Outcome {
				b.Edge(int32(e.From), b.Action(a), int32(e.To))
			}
		}
	}
	start := -1
	for _, c := range i.Constructors {
		if c.State == nil {
			continue
		}
		if start >= 0 && start != *c.State {
			return nil, fmt.Errorf("%s: its constructors start in different states; a system has one initial state", i.Component.Name)
		}
		start = *c.State
	}
	if start < 0 {
		return b.System(i.Component.Name, lts.Error), nil
	}
	return b.System(i.Component.Name, int32(start)), nil
}

// ActionsOf are the actions of a call, one for each outcome in their order.
func ActionsOf(c typestate.Call) []string {
	id := strings.ReplaceAll(c.ID, "%23", "#")
	if len(c.Outcomes) < 2 {
		return []string{id}
	}
	var out []string
	for _, o := range c.Outcomes {
		out = append(out, id+"="+o)
	}
	return out
}

// Completed is the system as a property: what it does not do is an error.
func (s *System) Completed() (*lts.System, error) {
	if s.Property {
		return s.System, nil
	}
	return s.System.Property()
}
