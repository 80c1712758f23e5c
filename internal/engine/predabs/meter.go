// SPDX-License-Identifier: Apache-2.0

package predabs

// This file counts what solvers do. Questions are of very different size, so the work
// inside the solver counts beside the question itself. It is counted in
// propagations, not in time, so that the same input ends the same way everywhere.

import (
	"context"

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
