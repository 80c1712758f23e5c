// SPDX-License-Identifier: Apache-2.0

// Package uses turns interfaces into what open programs can call in place of
// code. It is between the two: programs know nothing of interfaces, and
// interfaces nothing of programs.
package uses

// This file copies the automaton of an interface cell by cell. Labels and
// witnesses are left out: they speak of another program.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// Program turns an interface into what a program can call.
func Program(i *typestate.Interface) (*prog.Used, error) {
	if err := i.Validate(); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, errors.New(first)
	}
	if i.Component.Serial {
		return nil, errors.New("it has the infinite-word reading, which forbids calls that do not err")
	}
	for _, s := range i.States {
		if len(s.Registers) > 0 {
			return nil, errors.New("it has registers, which a program cannot keep yet")
		}
	}
	u := &prog.Used{States: len(i.States), Start: -1}
	at := map[string]int{}
	for _, c := range i.Constructors {
		k, ok := at[c.ID]
		if !ok {
			k = len(u.Calls)
			at[c.ID] = k
			u.Calls = append(u.Calls, prog.UsedCall{Method: c.Method, Constructor: true, Params: c.Params, Types: c.Types, Guard: c.Guard, Cells: make([]prog.UsedCell, 1)})
		}
		call := &u.Calls[k]
		cell := &call.Cells[0]
		v, _ := typestate.ParseVerdict(c.Verdict)
		switch {
		case v.Forbidden():
			cell.Error = told(c.Method, v, c.Errors)
		case v == typestate.VerdictUnknown:
			cell.Unknown = c.Reason
		case c.State != nil:
			cell.Edges = append(cell.Edges, prog.UsedEdge{Outcome: c.Outcome, To: *c.State})
			call.Outcomes = append(call.Outcomes, c.Outcome)
		}
	}
	if c := i.Constructors[0]; len(i.Constructors) == 1 && len(c.Params) == 0 && c.State != nil {
		u.Start = *c.State
	}
	for _, c := range i.Calls {
		call := prog.UsedCall{Method: c.Method, Params: c.Params, Types: c.Types, Guard: c.Guard, Outcomes: c.Outcomes, Cells: make([]prog.UsedCell, len(i.States))}
		for s := range i.States {
			switch r := i.Step(s, c.ID, "*"); {
			case r.Verdict.Forbidden():
				call.Cells[s].Error = told(c.Method, r.Verdict, r.Forbidden.Errors)
			case r.Verdict == typestate.VerdictUnknown:
				call.Cells[s].Unknown = "not known"
				if r.Reason != "" {
					call.Cells[s].Unknown = r.Reason
				}
			}
		}
		for _, e := range i.Edges {
			if e.Call == c.ID {
				call.Cells[e.From].Edges = append(call.Cells[e.From].Edges, prog.UsedEdge{Outcome: e.Outcome, To: e.To})
			}
		}
		u.Calls = append(u.Calls, call)
	}
	return u, nil
}

// told is the message of a forbidden call.
func told(method string, v typestate.Verdict, sites []typestate.ErrorSite) string {
	var messages []string
	for _, s := range sites {
		if s.Message != "" {
			messages = append(messages, s.Message)
		}
	}
	text := fmt.Sprintf("%s %s", method, strings.ReplaceAll(v.String(), "-", " "))
	if len(messages) > 0 {
		text += ": " + strings.Join(messages, "; ")
	}
	return text
}
