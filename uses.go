// SPDX-License-Identifier: Apache-2.0

package interlock

// This file reads components that use others by their interfaces. What is
// claimed of such a component cannot be more than what is claimed of the
// interfaces that it uses. Two more things cost permissiveness, because they let
// a call err in the program that cannot err in the code: an interface that is
// not tight has outcomes that cannot happen, and one that folds outcomes to "*"
// does not say which can.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/interlock-go/interlock/internal/engine"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// used is the list of interfaces that a component uses.
type used []use

type use struct {
	file string
	*typestate.Interface
	program *prog.Used
}

// parse reads the component.
func (c Config) parse() (*prog.Program, used, error) {
	var list used
	opt := prog.Options{Width: c.Width}
	if c.Uses != nil {
		opt.Uses = func(file string) (*prog.Used, error) {
			i, err := c.Uses(file)
			if err != nil {
				return nil, err
			}
			if err := i.Validate(); err != nil {
				first, _, _ := strings.Cut(err.Error(), "\n")
				return nil, errors.New(first)
			}
			u, err := usable(i)
			if err == nil {
				list = append(list, use{file, i, u})
			}
			return u, err
		}
	}
	p, err := prog.Parse(c.Filename, c.Source, opt)
	return p, list, err
}

// limit weakens the guarantees of an interface to those of what it uses.
func (list used) limit(i *typestate.Interface) error {
	if len(list) == 0 {
		return nil
	}
	g := &i.Guarantees
	for _, u := range list {
		g.Safe = engine.Least(g.Safe, u.Guarantees.Safe)
		g.Permissive = engine.Least(g.Permissive, u.Guarantees.Permissive)
		if u.Guarantees.Tight != "yes" || u.program.Loose {
			g.Permissive = engine.Least(g.Permissive, "unknown")
			g.Tight = "unknown"
		}
		i.Contracts = append(i.Contracts, fmt.Sprintf("%s is the interface of %s", u.file, u.Component.Name))
		i.Contracts = append(i.Contracts, u.Contracts...)
		i.Conventions = append(i.Conventions, u.Conventions...)
		i.Approximations = append(i.Approximations, u.Approximations...)
	}
	guessed := func(sites []typestate.ErrorSite) {
		for _, s := range sites {
			if s.Kind == prog.UnknownProtocolKind {
				g.Permissive = engine.Least(g.Permissive, "unknown")
			}
		}
	}
	for _, f := range i.Forbidden {
		guessed(f.Errors)
	}
	for _, c := range i.Constructors {
		guessed(c.Errors)
	}
	g.Depth = engine.Depth(*g)
	return i.Canonicalize()
}

// usable turns an interface into what a program can call.
func usable(i *typestate.Interface) (*prog.Used, error) {
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
