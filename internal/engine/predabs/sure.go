// SPDX-License-Identifier: Apache-2.0

package predabs

import (
	"context"
	"fmt"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// forAllGuesses decides a question with guesses; unsat is yes. It proposes values of others, looks for choices
// that do for them, and asks for others for which these do not.
func (m *Abstraction) forAllGuesses(ctx context.Context, q *quantified) (solve.Result, error) {
	if m.inner == nil {
		m.inner = m.P.Solver()
		m.meter.Solvers = append(m.meter.Solvers, m.inner)
		m.inner = Metered{m.inner, m.charge}
	}
	copies := 0
	// fails says that with some choices the goal is missed, with guesses of its own.
	fails := func(choices map[*term.Term]*term.Term) *term.Term {
		copies++
		sub := map[*term.Term]*term.Term{}
		for _, g := range q.guesses {
			sub[g] = m.Pool.Var(fmt.Sprintf("%s again %d", g.Name(), copies), g.Sort())
		}
		missed := m.Pool.And(q.domain, m.Pool.Not(m.Pool.Substitute(q.goal, choices)))
		return m.Pool.Substitute(missed, sub)
	}
	m.Propose.Push()
	defer m.Propose.Pop()
	m.Propose.Assert(q.before)
	for round := 0; ; round++ {
		r, err := m.Propose.Check(ctx)
		if err != nil || r.Verdict != solve.Sat {
			return r, err
		}
		if round >= mustRounds {
			return solve.Result{Reason: "no answer within the rounds allowed"}, nil
		}
		here, values := map[*term.Term]*term.Term{}, term.Model{}
		for _, v := range q.others {
			values[v] = r.Model[v]
			here[v] = m.Pool.Const(v.Sort(), r.Model[v])
		}
		does := m.Pool.Or(m.Pool.Not(q.domain), m.Pool.Substitute(q.goal, here))
		r, err = solve.ExistsForall(ctx, m.Pool, m.inner, m.Refute, q.choices, q.guesses, does, mustRounds)
		if err != nil {
			return solve.Result{}, err
		}
		switch r.Verdict {
		case solve.Unsat:
			return solve.Result{Verdict: solve.Sat, Model: values}, nil
		case solve.Unknown:
			return r, nil
		}
		found := map[*term.Term]*term.Term{}
		for _, v := range q.choices {
			found[v] = m.Pool.Const(v.Sort(), r.Model[v])
		}
		m.Propose.Assert(fails(found))
		if solve.Generalize(m.Pool, found, q.others, values) {
			m.Propose.Assert(fails(found))
		}
	}
}
