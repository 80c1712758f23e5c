// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"errors"
	"fmt"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/solve"
)

// A Refusal says that an engine does not handle a component, and why.
type Refusal struct {
	Engine string
	Reason string
}

func (r *Refusal) Error() string { return fmt.Sprintf("engine %s: %s", r.Engine, r.Reason) }

// Undecided reports whether the error is a budget that ran out or values too
// many to enumerate, rather than a failure.
func Undecided(err error) bool {
	var b *explore.BudgetError
	var w *explore.TooWideError
	var l *learn.BudgetError
	var u *solve.UndecidedError
	var t *ProductError
	return errors.As(err, &b) || errors.As(err, &w) || errors.As(err, &l) || errors.As(err, &u) || errors.As(err, &t)
}

// Join lists words for a message.
func Join(names []string) string {
	switch n := len(names); n {
	case 0:
		return "none"
	case 1:
		return names[0]
	default:
		s := names[0]
		for _, x := range names[1 : n-1] {
			s += ", " + x
		}
		return s + " and " + names[n-1]
	}
}

// A ProductError says that a product has more states than the budget allows.
type ProductError struct{ Limit int }

func (e *ProductError) Error() string {
	return fmt.Sprintf("the product has more than %d states", e.Limit)
}
