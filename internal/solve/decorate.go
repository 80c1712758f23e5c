// SPDX-License-Identifier: Apache-2.0

package solve

// This file wraps solvers: counting, remembering answers, stopping after a number
// of questions. Logging is in log.go.

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// A Counter counts what passes through it.
type Counter struct {
	Solver
	Checks, Sat, Unsat, Unknown int64
	Asserts, Pushes             int64
	Projections, Cubes          int64
}

// Count returns s with counters.
func Count(s Solver) *Counter { return &Counter{Solver: s} }

func (c *Counter) Assert(t *term.Term) {
	c.Asserts++
	c.Solver.Assert(t)
}

func (c *Counter) Push() {
	c.Pushes++
	c.Solver.Push()
}

func (c *Counter) Check(ctx context.Context, assumptions ...*term.Term) (Result, error) {
	c.Checks++
	r, err := c.Solver.Check(ctx, assumptions...)
	switch {
	case err != nil:
	case r.Verdict == Sat:
		c.Sat++
	case r.Verdict == Unsat:
		c.Unsat++
	default:
		c.Unknown++
	}
	return r, err
}

func (c *Counter) Project(ctx context.Context, pool *term.Pool, assumptions, preds []*term.Term, f func(cube []Lit3) bool) error {
	c.Projections++
	return Project(ctx, pool, c.Solver, assumptions, preds, func(cube []Lit3) bool {
		c.Cubes++
		return f(cube)
	})
}

// A budgeted solver answers so many questions and no more.
type budgeted struct {
	Solver
	limit, left int64
}

// Budget returns s with a limit on the number of questions; a cube of a
// projection counts as one. Those beyond it are answered Unknown. Counting
// questions, not time, gives the same answers on every machine.
func Budget(s Solver, checks int64) Solver { return &budgeted{s, checks, checks} }

func (b *budgeted) reason() string {
	return fmt.Sprintf("the budget of %d questions is used up", b.limit)
}

func (b *budgeted) Check(ctx context.Context, assumptions ...*term.Term) (Result, error) {
	if b.left <= 0 {
		return Result{Reason: b.reason()}, nil
	}
	b.left--
	return b.Solver.Check(ctx, assumptions...)
}

func (b *budgeted) Project(ctx context.Context, pool *term.Pool, assumptions, preds []*term.Term, f func(cube []Lit3) bool) error {
	out := false
	err := Project(ctx, pool, b.Solver, assumptions, preds, func(cube []Lit3) bool {
		if out = b.left <= 0; out {
			return false
		}
		b.left--
		return f(cube)
	})
	if out && err == nil {
		return &UndecidedError{b.reason()}
	}
	return err
}

// A cached solver remembers answers by the set of terms that were asked about.
type cached struct {
	Solver
	max   int
	stack []*term.Term
	marks []int
	known map[string]Result
	ids   []uint32
	key   []byte
}

// Cache returns s with a memory of at most the given number of answers. The order
// of terms and the way they are asked, asserted or assumed, do not matter.
// Unknown is not remembered. When the memory is full it is emptied.
func Cache(s Solver, answers int) Solver {
	return &cached{Solver: s, max: max(answers, 1), known: make(map[string]Result)}
}

func (c *cached) Assert(t *term.Term) {
	c.stack = append(c.stack, t)
	c.Solver.Assert(t)
}

func (c *cached) Push() {
	c.marks = append(c.marks, len(c.stack))
	c.Solver.Push()
}

func (c *cached) Pop() {
	c.Solver.Pop()
	n := len(c.marks) - 1
	c.stack = c.stack[:c.marks[n]]
	c.marks = c.marks[:n]
}

func (c *cached) Check(ctx context.Context, assumptions ...*term.Term) (Result, error) {
	c.ids = c.ids[:0]
	for _, t := range c.stack {
		c.ids = append(c.ids, t.ID())
	}
	for _, t := range assumptions {
		c.ids = append(c.ids, t.ID())
	}
	slices.Sort(c.ids)
	c.key = c.key[:0]
	for _, id := range slices.Compact(c.ids) {
		c.key = binary.LittleEndian.AppendUint32(c.key, id)
	}
	if r, ok := c.known[string(c.key)]; ok {
		return Result{Verdict: r.Verdict, Model: maps.Clone(r.Model), Core: slices.Clone(r.Core)}, nil
	}
	r, err := c.Solver.Check(ctx, assumptions...)
	if err != nil || r.Verdict == Unknown {
		return r, err
	}
	if len(c.known) >= c.max {
		clear(c.known)
	}
	c.known[string(c.key)] = Result{Verdict: r.Verdict, Model: maps.Clone(r.Model), Core: slices.Clone(r.Core)}
	return r, nil
}

func (c *cached) Project(ctx context.Context, pool *term.Pool, assumptions, preds []*term.Term, f func(cube []Lit3) bool) error {
	return Project(ctx, pool, c.Solver, assumptions, preds, f)
}
