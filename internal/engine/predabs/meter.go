// SPDX-License-Identifier: Apache-2.0

package predabs

// This file counts what solvers do. Questions are of very different size, so the work
// inside the solver counts beside the question itself. It is counted in
// propagations, not in time, so that the same input ends the same way everywhere.

import (
	"context"
	"errors"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A worker is a solver that knows how much it has done.
type worker interface{ Work() int64 }

// A Meter counts the work of some solvers.
type Meter struct {
	Solvers []solve.Solver
	charged int64 // questions
}

// More returns the questions that the work since the last time amounts to.
func (m *Meter) More() int {
	var work int64
	for _, s := range m.Solvers {
		if w, ok := s.(worker); ok {
			work += w.Work()
		}
	}
	n := work/problem.QuestionWork - m.charged
	m.charged += n
	return int(n)
}

// A Spend counts questions, and the work inside solvers, against a limit.
type Spend struct {
	Asked       int // questions
	Work, Limit int // questions and the work inside the solvers: done, and allowed
	meter       Meter
}

// A limitKey is the key of the limit of a part of the work in a context.
type limitKey struct{ *Spend }

// limit is what the work may amount to: all of it, or the part that a context is for.
func (s *Spend) limit(ctx context.Context) int {
	if n, ok := ctx.Value(limitKey{s}).(int); ok {
		return n
	}
	return s.Limit
}

// Step is one unit of the budget.
func (s *Spend) Step(ctx context.Context) error {
	s.Work++
	s.Asked++
	return s.charge(ctx)
}

// charge counts the work of the solvers.
func (s *Spend) charge(ctx context.Context) error {
	s.Work += s.meter.More()
	return s.exceeded(ctx)
}

// exceeded is the error if more was done than allowed.
func (s *Spend) exceeded(ctx context.Context) error {
	if limit := s.limit(ctx); s.Work > limit {
		return &explore.BudgetError{What: "solver questions", Limit: limit}
	}
	return nil
}

// Within lets a part of the work do at most n more steps, or what is left if that is less: its context says so. It reports false, and no
// error, if these n were not enough.
func (s *Spend) Within(ctx context.Context, n int, part func(ctx context.Context) error) (enough bool, err error) {
	all := s.limit(ctx)
	limit := min(all, s.Work+n)
	err = part(context.WithValue(ctx, limitKey{s}, limit))
	var budget *explore.BudgetError
	if limit < all && errors.As(err, &budget) {
		return false, nil
	}
	return true, err
}

// Metered is a solver that is asked many times in one question, each of which Charge counts.
type Metered struct {
	solve.Solver
	Charge func(ctx context.Context) error
}

// Check implements solve.Solver.
func (s Metered) Check(ctx context.Context, assumptions ...*term.Term) (solve.Result, error) {
	if err := s.Charge(ctx); err != nil {
		return solve.Result{}, err
	}
	return s.Solver.Check(ctx, assumptions...)
}

// Work is how much the solver has done, if it knows.
func (s Metered) Work() int64 {
	if w, ok := s.Solver.(worker); ok {
		return w.Work()
	}
	return 0
}
