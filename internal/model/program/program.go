// SPDX-License-Identifier: Apache-2.0

// Package program makes a labelled transition system of an open program, by the reference
// interpreter.
//
// A state is one of the program's after a call. An action is a call with its arguments and its
// outcome, as FSP would write it: push.3.true; an outcome is left out where a method has no results. A run of a call that errs
// shows none of its outcomes, so that the error follows each action that the call can be seen as. What
// the environment answers, and what the component chooses, are choices among edges of one action; a
// run of a call that does not return has no edge.
//
// The object is made by a hidden step if there is one way to make it, else by an action.
package program

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// Limits.
const (
	// MaxLetters bounds the calls with arguments: each is tried in each state.
	MaxLetters = 4096
	// DefaultBudget bounds the states, about 200 bytes each.
	DefaultBudget = 200_000
)

// A TooManyError says that a program has too many calls to be a system.
type TooManyError struct {
	Method string
	Pos    prog.Pos
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("%v: %s has more than %d arguments; narrow its types with -width, or use an interface file in its place", e.Pos, e.Method, MaxLetters)
}

// A call is a method with concrete arguments.
type call struct {
	method   *prog.Method
	args     []term.Value
	label    string
	outcomes []string // labels that it was seen with
}

type explorer struct {
	in     *prog.Interp
	p      *prog.Program
	budget int
	calls  []*call // methods
	number map[string]int32
	states []prog.State
	edges  []edge
	errors []failure
}

type edge struct {
	from  int32
	label string
	to    int32
}

type failure struct {
	from   int32
	call   *call
	reason string
}

// System explores a program.
func System(ctx context.Context, p *prog.Program, budget int) (*lts.System, error) {
	if budget == 0 {
		budget = DefaultBudget
	}
	x := &explorer{in: prog.NewInterp(p, prog.InterpOptions{}), p: p, budget: budget, number: map[string]int32{}}
	var err error
	if x.calls, err = letters(p.Methods); err != nil {
		return nil, err
	}
	made, err := letters(p.Constructors)
	if err != nil {
		return nil, err
	}
	// State 0 is before construction. Every declared initial state is one to construct from.
	x.states = append(x.states, nil)
	first, err := x.in.Initial(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range first {
		for _, c := range made {
			if err := x.call(ctx, 0, s, c); err != nil {
				return nil, err
			}
		}
	}
	for at := int32(1); at < int32(len(x.states)); at++ {
		for _, c := range x.calls {
			if err := x.call(ctx, at, x.states[at], c); err != nil {
				return nil, err
			}
		}
	}
	return x.system(made), nil
}

// letters are the methods with all their arguments.
func letters(methods []*prog.Method) ([]*call, error) {
	var out []*call
	for _, m := range methods {
		tuples := [][]term.Value{nil}
		for _, v := range m.Params {
			if v.Type.Size() > MaxLetters || v.Type.Size()*len(tuples) > MaxLetters {
				return nil, &TooManyError{m.Name, m.Pos}
			}
			var more [][]term.Value
			for _, t := range tuples {
				for x := range prog.Values(v.Type) {
					more = append(more, append(slices.Clone(t), x))
				}
			}
			tuples = more
		}
		for _, t := range tuples {
			label := lts.Name(m.Name) + values(m.Params, t)
			out = append(out, &call{method: m, args: t, label: label})
		}
	}
	return out, nil
}

// values are the parts of a label for values.
func values(vars []*prog.Var, list []term.Value) string {
	text := ""
	for k, v := range vars {
		text += "." + lts.Name(v.Type.FormatValue(list[k]))
	}
	return text
}

// call makes a call in a state.
func (x *explorer) call(ctx context.Context, from int32, s prog.State, c *call) error {
	o, err := x.in.Call(ctx, s, c.method, c.args)
	if err != nil {
		return err
	}
	for _, r := range o.Returns {
		label := c.label + values(c.method.Results, r.Results)
		if !slices.Contains(c.outcomes, label) {
			c.outcomes = append(c.outcomes, label)
		}
		to, err := x.state(r.State)
		if err != nil {
			return err
		}
		x.edges = append(x.edges, edge{from, label, to})
	}
	for _, site := range o.Errors {
		reason := site.Message
		if reason == "" {
			reason = site.Kind
		}
		x.errors = append(x.errors, failure{from, c, fmt.Sprintf("%s (%v)", reason, site.Pos)})
	}
	return nil
}

func (x *explorer) state(s prog.State) (int32, error) {
	var b []byte
	for _, v := range s {
		b = binary.LittleEndian.AppendUint64(b, v.Lo)
		b = binary.LittleEndian.AppendUint64(b, v.Hi)
	}
	n, ok := x.number[string(b)]
	if !ok {
		if len(x.states) >= x.budget {
			return 0, &lts.BudgetError{What: "component " + x.p.Name, Budget: x.budget}
		}
		n = int32(len(x.states))
		x.number[string(b)], x.states = n, append(x.states, s)
	}
	return n, nil
}

func (x *explorer) system(made []*call) *lts.System {
	b := lts.NewBuilder()
	ways := 0
	for _, c := range made {
		ways += max(1, len(c.outcomes))
	}
	action := func(from int32, label string) int32 {
		if from == 0 && ways == 1 {
			return lts.Hidden
		}
		return b.Action(label)
	}
	for _, c := range append(slices.Clone(x.calls), made...) {
		if c.outcomes == nil {
			c.outcomes = []string{c.label}
		}
	}
	for _, c := range x.calls {
		for _, label := range c.outcomes {
			b.Action(label)
		}
	}
	for _, e := range x.edges {
		b.Edge(e.from, action(e.from, e.label), e.to)
	}
	for _, f := range x.errors {
		for _, label := range f.call.outcomes {
			b.Fail(f.from, action(f.from, label), f.reason)
		}
	}
	return b.System(x.p.Name, 0)
}
