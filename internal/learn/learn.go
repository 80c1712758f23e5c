// SPDX-License-Identifier: Apache-2.0

// Package learn infers deterministic automata by asking a Teacher. It knows
// words, not programs.
package learn

import (
	"context"

	"github.com/interlock-go/interlock/internal/automata"
)

// A Teacher knows a regular language with verdicts over letters 0..n-1 and
// answers two kinds of questions about it. Errors (cancellation included) are
// returned as they are by every learner.
type Teacher interface {
	// Member answers for one word.
	Member(ctx context.Context, word []int) (Answer, error)
	// Refute returns a word on which hypothesis and language differ;
	// ok is false if there is none.
	Refute(ctx context.Context, hypothesis *automata.DFA) (cex Counterexample, ok bool, err error)
}

// An Answer is a verdict or, if Refine is not nil, the demand to refine the
// alphabet before the question can be answered.
type Answer struct {
	Verdict automata.Verdict
	Refine  *Refinement
}

// A Counterexample is a word whose verdict the hypothesis has wrong or, if
// Refine is not nil, the demand to refine the alphabet.
type Counterexample struct {
	Word   []int
	Refine *Refinement
}

// A Refinement replaces Letter by Parts letters (Parts >= 2).
type Refinement struct {
	Letter int
	Parts  int
}
