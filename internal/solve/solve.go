// SPDX-License-Identifier: Apache-2.0

// Package solve is what the rest of the project knows of decision procedures:
// a [Solver] of five methods, its [Result], and decorators that count, log,
// cache and bound.
package solve

import (
	"context"

	"github.com/interlock-go/interlock/internal/term"
)

// A Verdict is the answer of a solver. The zero value is Unknown.
type Verdict uint8

const (
	Unknown Verdict = iota
	Sat
	Unsat
)

// A Solver decides conjunctions of boolean terms. It is incremental and not
// safe for concurrent use. Terms come from one pool.
type Solver interface {
	// Assert adds a conjunct, until the Pop of the current Push.
	Assert(t *term.Term)
	// Check decides the asserted terms together with the assumptions, which
	// hold for this call only. The error is for failures of the machinery
	// (a process that died, a cancelled context); a question that could not
	// be decided is Unknown with a Reason.
	Check(ctx context.Context, assumptions ...*term.Term) (Result, error)
	Push()
	Pop()
	Close() error
}

// A Result is an answer with its evidence.
type Result struct {
	Verdict Verdict
	Model   term.Model   // if Sat: values of variables; absent variables are free
	Core    []*term.Term // if Unsat: assumptions and named assertions that suffice
	Reason  string       // if Unknown: why
}
