// SPDX-License-Identifier: Apache-2.0

package interlock

import (
	"errors"
	"fmt"

	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/synth"
)

// A RefusedError says that something is not done as it is asked for: an engine does not handle the component, an option
// is wrong or needs what is not there.
type RefusedError struct {
	What   string // what refuses or is refused: "engine hide", `predicate "n + 1"`
	Reason string
	Next   string // what to do about it; "" if nothing is known to help
	Option bool   // an option is wrong, whatever the component
}

func (e *RefusedError) Error() string {
	text := e.What + ": " + e.Reason
	if e.Next != "" {
		text += "; " + e.Next
	}
	return text
}

// A BudgetError says that the limits did not suffice for an interface. Larger limits, or a narrower component, may.
type BudgetError struct {
	// Partial is what is known all the same: which calls there are, all of them with the verdict unknown; nil if
	// not even the component is known.
	Partial *Report
	reason  error
}

func (e *BudgetError) Error() string { return e.reason.Error() }
func (e *BudgetError) Unwrap() error { return e.reason }

// A NoModuleError says that no module provides a package which the go command knows where it runs.
type NoModuleError struct{ reason error }

func (e *NoModuleError) Error() string { return e.reason.Error() }
func (e *NoModuleError) Unwrap() error { return e.reason }

// public gives errors of the packages below the types that callers tell apart.
func public(err error) error {
	var budget *synth.UndecidedError
	var refusal *problem.Refusal
	var predicate *predabs.PredicateError
	var prover *synth.ProverError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &budget):
		return &BudgetError{reason: err}
	case errors.As(err, &refusal):
		return &RefusedError{What: "engine " + refusal.Engine, Reason: refusal.Reason}
	case errors.As(err, &predicate):
		return &RefusedError{What: fmt.Sprintf("predicate %q", predicate.Text), Reason: predicate.Problem, Option: true}
	case errors.As(err, &prover):
		return &RefusedError{What: "prover " + prover.Name, Reason: prover.Problem, Next: prover.Next, Option: true}
	case errors.Is(err, golang.ErrNoModule):
		return &NoModuleError{err}
	}
	return err
}

// refused is public for the engine of options: where another engine would not refuse, it says so.
func refused(err error, e Engine) error {
	err = public(err)
	var r *RefusedError
	if _, auto := e.(Auto); e != nil && !auto && errors.As(err, &r) && !r.Option {
		r.Next = "engine auto chooses one that can"
	}
	return err
}
