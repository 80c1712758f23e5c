// SPDX-License-Identifier: Apache-2.0

package predabs

import (
	"context"
	"fmt"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// mustSurely reports whether for all values of others, of which before is known, there are
// choices such that for all guesses in the domain goal holds. It proposes values of others, looks for choices
// that do for them, and asks for others for which these do not.
func (m *Abstraction) mustSurely(ctx context.Context, others, choices, guesses []*term.Term, domain, before, goal *term.Term, rounds int) (solve.Result, error) {
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
		for _, g := range guesses {
			sub[g] = m.Pool.Var(fmt.Sprintf("%s again %d", g.Name(), copies), g.Sort())
		}
		missed := m.Pool.And(domain, m.Pool.Not(m.Pool.Substitute(goal, choices)))
		return m.Pool.Substitute(missed, sub)
	}
	m.Propose.Push()
	defer m.Propose.Pop()
	m.Propose.Assert(before)
	for round := 0; ; round++ {
		r, err := m.Propose.Check(ctx)
		if err != nil || r.Verdict != solve.Sat {
			return r, err
		}
		if round >= rounds {
			return solve.Result{Reason: "no answer within the rounds allowed"}, nil
		}
		here, values := map[*term.Term]*term.Term{}, term.Model{}
		for _, v := range others {
			values[v] = r.Model[v]
			here[v] = m.Pool.Const(v.Sort(), r.Model[v])
		}
		does := m.Pool.Or(m.Pool.Not(domain), m.Pool.Substitute(goal, here))
		r, err = solve.ExistsForall(ctx, m.Pool, m.inner, m.Refute, choices, guesses, does, rounds)
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
		for _, v := range choices {
			found[v] = m.Pool.Const(v.Sort(), r.Model[v])
		}
		m.Propose.Assert(fails(found))
		if solve.Generalize(m.Pool, found, others, values) {
			m.Propose.Assert(fails(found))
		}
	}
}
