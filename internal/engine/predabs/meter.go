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

// Step is one unit of the budget.
func (s *Spend) Step() error {
	s.Work++
	s.Asked++
	return s.charge()
}

// charge counts the work of the solvers.
func (s *Spend) charge() error {
	s.Work += s.meter.More()
	return s.exceeded()
}

// exceeded is the error if more was done than allowed.
func (s *Spend) exceeded() error {
	if s.Work > s.Limit {
		return &explore.BudgetError{What: "solver questions", Limit: s.Limit}
	}
	return nil
}

// Within lets a part of the work do at most n more steps, or what is left if that is less. It reports false, and no error, if these n were not enough.
func (s *Spend) Within(n int, part func() error) (enough bool, err error) {
	all := s.Limit
	s.Limit = min(all, s.Work+n)
	less := s.Limit < all
	defer func() { s.Limit = all }()
	err = part()
	var budget *explore.BudgetError
	if less && errors.As(err, &budget) {
		return false, nil
	}
	return true, err
}

// Metered is a solver that is asked many times in one question.
type Metered struct {
	solve.Solver
	Charge func() error
}

func (s Metered) Check(ctx context.Context, assumptions ...*term.Term) (solve.Result, error) {
	if err := s.Charge(); err != nil {
		return solve.Result{}, err
	}
	return s.Solver.Check(ctx, assumptions...)
}

func (s Metered) Work() int64 {
	if w, ok := s.Solver.(worker); ok {
		return w.Work()
	}
	return 0
}
