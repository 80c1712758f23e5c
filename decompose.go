// SPDX-License-Identifier: Apache-2.0

package interlock

// This file takes components apart: several small interfaces instead of one.

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/interlock-go/interlock/internal/engine"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/typestate"
)

// A Part is the interface of a part of a component.
type Part struct {
	Title     string // which part
	Interface *typestate.Interface
}

// A Decomposition is a component taken apart. A call is forbidden by the
// component iff the interface of some part forbids it.
type Decomposition struct {
	Parts []Part
	// Product is the product of the parts, not minimized, and Whole the
	// interface of the component as it is. Each is nil if the budget did not
	// suffice for it.
	Product, Whole *typestate.Interface
	// Comparison says whether Product and Whole were found equal on the words
	// that can happen; if not, Why is a word, or the reason why it is not known.
	Comparison typestate.Comparison
	Why        string
}

// SplitErrors synthesizes one interface per error site of a component. Where it
// would reach another error site, a part does not return. Config.Serial is
// refused: dead ends of a component are not those of its parts.
func SplitErrors(ctx context.Context, c Config) (*Decomposition, error) {
	return c.decompose(ctx, engine.SplitErrors)
}

// Partition synthesizes one interface per group of methods that share no state
// with other groups. Config.Serial is refused.
func Partition(ctx context.Context, c Config) (*Decomposition, error) {
	return c.decompose(ctx, engine.Partition)
}

func (c Config) decompose(ctx context.Context, apart func(context.Context, engine.Problem) ([]engine.Part, error)) (*Decomposition, error) {
	p, err := prog.Parse(c.Filename, c.Source, prog.Options{Width: c.Width})
	if err != nil {
		return nil, err
	}
	problem := c.problem(p)
	parts, err := apart(ctx, problem)
	if err != nil {
		return nil, classified(err)
	}
	d := &Decomposition{}
	var list []*typestate.Interface
	for _, part := range parts {
		d.Parts = append(d.Parts, Part{part.Title, part.Interface})
		list = append(list, part.Interface)
	}
	// The parts are the answer; that they cannot be compared with the whole,
	// which may be too large, does not take it away.
	d.Product, err = engine.Product(ctx, problem, list)
	if d.Why, err = d.excuse("product", err); err != nil || d.Why != "" {
		return d, err
	}
	d.Whole, err = engine.Synthesize(ctx, problem)
	if d.Why, err = d.excuse("undivided interface", err); err != nil || d.Why != "" {
		return d, err
	}
	a, err := engine.Agree(ctx, problem, d.Product, d.Whole)
	d.Comparison, d.Why = a.Kind, a.Why
	return d, err
}

// excuse turns an error that is only a limit into a reason.
func (d *Decomposition) excuse(what string, err error) (string, error) {
	var refusal *engine.Refusal
	if err != nil && (engine.Undecided(err) || errors.As(err, &refusal)) {
		return fmt.Sprintf("no %s: %v", what, err), nil
	}
	return "", err
}

// problem is what the engines are asked for a program.
func (c Config) problem(p *prog.Program) engine.Problem {
	workers := c.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return engine.Problem{
		Program: p,
		Engine:  c.Engine,
		Learner: c.Learner,
		Serial:  c.Serial,
		Tight:   c.Tight,
		Budget:  c.Budget,
		Workers: workers,
		KeepAll: c.KeepAll,

		Predicates: c.Predicates,
		Superset:   c.Superset,

		Solver:   func() solve.Solver { return bv.New(bv.Options{Conflicts: solverConflicts}) },
		Progress: c.Progress,
	}
}

// classified marks the errors that callers tell apart.
func classified(err error) error {
	var wrong *engine.PredicateError
	switch {
	case err == nil:
	case engine.Undecided(err):
		return undecided{err}
	case errors.As(err, &wrong):
		return wrongPredicate{err}
	}
	return err
}
