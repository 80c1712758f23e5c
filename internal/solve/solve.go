// SPDX-License-Identifier: Apache-2.0

// Package solve is what the rest of the project knows of decision procedures:
// a [Solver] of five methods, its [Result], and decorators that count, log,
// cache and bound.
//
// A question is a [Solver.Check]: are the asserted terms, the stack, satisfiable
// together with the assumptions of this question? A model is a witness of yes. A
// core is a subset of the terms that is already a no.
//
// [Project] asks for more: all combinations of truth values that given predicates
// can have. [ExistsForall] asks for values of some variables that do for all
// values of others. Both are built on Check and work with every solver.
//
// The embedded solver is in package bv, processes that speak SMT-LIB are in
// package smtlib; this package knows neither.
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

func (v Verdict) String() string {
	switch v {
	case Sat:
		return "sat"
	case Unsat:
		return "unsat"
	}
	return "unknown"
}

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
	Model   term.Model // if Sat: values of variables; absent variables are free
	// If Unsat: assumptions and asserted terms that suffice. A solver that does not
	// follow assertions names assumptions only, which then suffice together with
	// the stack.
	Core   []*term.Term
	Reason string // if Unknown: why
}
