// SPDX-License-Identifier: Apache-2.0

package engine

// This file counts what solvers do. Questions are of very different size, so the work
// inside the solver counts beside the question itself. It is counted in
// propagations, not in time, so that the same input ends the same way everywhere.

import (
	"context"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A worker is a solver that knows how much it has done.
type worker interface{ Work() int64 }

// A question costs questionCost steps of the budget, and each questionWork that the solver
// does as much again.
const (
	questionCost = 32
	questionWork = 1 << 11
)

// questions is how many questions a budget allows.
func (p *Problem) questions() int {
	return max(1, p.Budget/questionCost)
}

// A meter counts the work of some solvers.
type meter struct {
	solvers []solve.Solver
	charged int64 // questions
}

// more returns the questions that the work since the last time amounts to.
func (m *meter) more() int {
	var work int64
	for _, s := range m.solvers {
		if w, ok := s.(worker); ok {
			work += w.Work()
		}
	}
	n := work/questionWork - m.charged
	m.charged += n
	return int(n)
}

// metered is a solver that is asked many times in one question.
type metered struct {
	solve.Solver
	charge func() error
}

func (s metered) Check(ctx context.Context, assumptions ...*term.Term) (solve.Result, error) {
	if err := s.charge(); err != nil {
		return solve.Result{}, err
	}
	return s.Solver.Check(ctx, assumptions...)
}

func (s metered) Work() int64 {
	if w, ok := s.Solver.(worker); ok {
		return w.Work()
	}
	return 0
}
