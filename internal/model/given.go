// SPDX-License-Identifier: Apache-2.0

package model

// This file makes systems of interfaces, and properties of systems.

import (
	"fmt"
	"strings"

	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/synth"
	"github.com/interlock-go/interlock/typestate"
)

// FromInterface makes a system of an interface: what it allows is a trace. The action of a call is its
// name in FSP and that of its outcome, unless that is only that it returns: scan.true. What the
// interface forbids has no edges.
func FromInterface(i *typestate.Interface) (*lts.System, error) { return fromInterface(i, false) }

// Component makes a system of an interface in place of what it is the interface of: a call that it
// forbids is an error.
func Component(i *typestate.Interface) (*lts.System, error) { return fromInterface(i, true) }

func fromInterface(i *typestate.Interface, errs bool) (*lts.System, error) {
	if len(i.Unknown) > 0 {
		return nil, fmt.Errorf("%s: the verdict of %s in state %d is unknown, so that it is no automaton; decide it first", i.Component.Name, i.Unknown[0].Call, i.Unknown[0].State)
	}
	b := lts.NewBuilder()
	outcomes := map[string][]string{}
	for _, c := range i.Calls {
		outcomes[c.ID] = c.Outcomes
		for _, a := range actionsOf(i, c) {
			b.Action(a)
		}
	}
	calls, taken := map[string]typestate.Call{}, map[string]string{}
	for _, c := range i.Calls {
		calls[c.ID] = c
		for _, a := range actionsOf(i, c) {
			if other, ok := taken[a]; ok {
				return nil, fmt.Errorf("%s: calls %s and %s have outcomes that are one action, %s; rename one", i.Component.Name, other, c.ID, a)
			}
			taken[a] = c.ID
		}
	}
	for _, e := range i.Edges {
		if len(e.Update) > 0 {
			return nil, fmt.Errorf("%s: %s writes a register in state %d; only interfaces without registers are automata", i.Component.Name, e.Call, e.From)
		}
		list := actionsOf(i, calls[e.Call])
		for k, a := range list {
			if e.Outcome == "*" || len(list) == 1 || outcomes[e.Call][k] == e.Outcome {
				b.Edge(int32(e.From), b.Action(a), int32(e.To))
			}
		}
	}
	for _, f := range i.Forbidden {
		for _, a := range actionsOf(i, calls[f.Call]) {
			if errs {
				b.Fail(int32(f.State), b.Action(a), forbiddenReason(i, f))
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

func forbiddenReason(i *typestate.Interface, f typestate.Forbidden) string {
	why := f.Call + " is forbidden"
	if len(f.Errors) > 0 && f.Errors[0].Message != "" {
		why = f.Errors[0].Message
	}
	return i.Component.Name + ": " + why
}

// actionsOf are the actions of a call, one for each outcome in their order.
func actionsOf(i *typestate.Interface, c typestate.Call) []string {
	id := strings.ReplaceAll(c.ID, "%23", "#")
	if i.Component.Language != synth.Language {
		id = lts.Name(c.ID)
	}
	if len(c.Outcomes) == 0 || len(c.Outcomes) == 1 && c.Outcomes[0] == synth.Outcome {
		return []string{id}
	}
	var out []string
	for _, o := range c.Outcomes {
		out = append(out, id+"."+lts.Name(o))
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

// Given makes an interface of an automaton, to be judged: edges to the error are forbidden calls. What has
// no edge is forbidden, too, or, if it is known apart, cannot happen. The automaton must be deterministic.
func Given(s *lts.System, knownApart bool) (*typestate.Interface, error) {
	if _, err := s.Property(); err != nil {
		return nil, err
	}
	i := &typestate.Interface{
		Format:    typestate.Format,
		Component: typestate.Component{Language: synth.Language, Name: s.Name, Errors: []string{synth.ErrorKind}},
	}
	zero := int(s.Initial)
	i.Constructors = []typestate.Constructor{{ID: synth.Constructor, Method: synth.Constructor, Guard: "true", Verdict: typestate.VerdictAllowed.String(), Outcome: "*", State: &zero}}
	for _, a := range s.Alphabet {
		id := strings.ReplaceAll(a, "#", "%23")
		i.Calls = append(i.Calls, typestate.Call{ID: id, Method: id, Guard: "true", Outcomes: []string{synth.Outcome}})
	}
	for x := range int32(s.States()) {
		i.States = append(i.States, typestate.State{ID: int(x)})
		allowed, errs := make([]bool, len(s.Alphabet)), make([]bool, len(s.Alphabet))
		for _, e := range s.Edges(x) {
			if e.To == lts.Error {
				errs[e.Action] = true
				continue
			}
			allowed[e.Action] = true
			i.Edges = append(i.Edges, typestate.Edge{From: int(x), Call: i.Calls[e.Action].ID, Outcome: "*", To: int(e.To)})
		}
		for a := range s.Alphabet {
			if errs[a] || !allowed[a] && !knownApart {
				i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: int(x), Call: i.Calls[a].ID, Verdict: typestate.VerdictMayFail.String()})
			}
		}
	}
	return i, nil
}
