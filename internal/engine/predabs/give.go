// SPDX-License-Identifier: Apache-2.0

package predabs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A PredicateError is about a predicate of the user.
type PredicateError struct {
	Text    string
	Problem string
}

func (e *PredicateError) Error() string { return fmt.Sprintf("predicate %q: %s", e.Text, e.Problem) }

// Give makes the predicates of the user those of the abstraction. A predicate
// about variables that no verdict depends on is left out: it could only split
// states that have the same future.
func (m *Abstraction) Give(texts []string) error {
	for _, text := range texts {
		t, err := prog.ParseExpr(m.P.Program, m.P.Program.State, text)
		if err != nil {
			// Positions in one expression help nobody; its text does.
			problem := err.Error()
			if list := (prog.ErrorList)(nil); errors.As(err, &list) && len(list) > 0 {
				problem = list[0].Msg
			}
			return &PredicateError{text, problem}
		}
		if t.Sort().Kind != term.BoolKind {
			return &PredicateError{text, "not a condition"}
		}
		if t.Op() == term.OpNot {
			t = t.Args()[0]
		}
		relevant := true
		for _, v := range term.FreeVars(t) {
			relevant = relevant && slices.ContainsFunc(m.Sym.State, func(s *prog.Var) bool { return s.Term == v })
		}
		if relevant && !t.IsConst() && !slices.Contains(m.Preds, t) {
			m.Preds = append(m.Preds, t)
		}
	}
	if len(m.Preds) > MaxPreds {
		return &PredicateError{texts[MaxPreds], fmt.Sprintf("there may be at most %d predicates", MaxPreds)}
	}
	return nil
}
