// SPDX-License-Identifier: Apache-2.0

package engine

// This file finds predicates before there is a trace to refute: what every way to an error
// needs. An atom over the state that occurs in the condition of an error site, and whose truth that
// condition implies, is such. Refinement finds them as well, but one trace after the other, and each
// trace may first bring predicates about what only that trace does: in programs lowered from
// code with many ways to one site, more than the budget allows.

import (
	"context"
	"errors"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// maxNeeded bounds the predicates that errors need, maxNeededSize each of them, and neededShare what is
// asked for them: a part of the budget, one of so many.
const (
	maxNeeded     = 8
	maxNeededSize = 8
	neededShare   = 8
)

// seedNeeded starts an abstraction with what errors need. It reports whether there is something.
func (m *modal) seedNeeded(ctx context.Context) (bool, error) {
	preds, err := m.needed(ctx)
	if err != nil || len(preds) == 0 {
		return false, err
	}
	m.preds = append(m.preds, preds...)
	m.reset()
	return true, nil
}

// needed returns the atoms over the state that hold, or do not, whenever a call errs.
func (m *modal) needed(ctx context.Context) (all []*term.Term, err error) {
	limit := m.limit
	defer func() { m.limit = limit }()
	m.limit = min(limit, m.work+max(1, limit/neededShare))
	for k := range m.methods {
		sum := m.methods[k].sum
		for n := range sum.Blocks {
			b := &sum.Blocks[n]
			if site := sum.Method.ErrorAt(b.To); site == nil || site.Blamed {
				continue
			}
			cond, _ := m.block(sum, b, b.From == sum.Method.Entry)
			list, err := m.neededFor(ctx, cond)
			var budget *region.BudgetError
			if errors.As(err, &budget) {
				return all, nil // what was found so far
			}
			if err != nil {
				return nil, err
			}
			for _, a := range list {
				if len(all) < maxNeeded && !slices.Contains(all, a) {
					all = append(all, a)
				}
			}
		}
	}
	return all, nil
}

// neededFor returns the atoms whose truth a condition implies. Where it implies that a variable has one
// value, nothing else is said of it.
func (m *modal) neededFor(ctx context.Context, cond *term.Term) ([]*term.Term, error) {
	implies := func(t *term.Term) (bool, error) {
		r, err := m.check(ctx, m.assumed, cond, m.pool.Not(t))
		if undecided(err) {
			return false, nil
		}
		return err == nil && r.Verdict == solve.Unsat, err
	}
	if never, err := implies(m.pool.False()); never || err != nil {
		return nil, err // it implies everything
	}
	var all []*term.Term
	has := map[*term.Term]bool{} // variables that have one value
	for _, a := range m.candidatesOf(cond) {
		vars := term.FreeVars(a)
		if term.Size(a) > maxNeededSize || !m.isOfState(vars) || len(vars) == 1 && has[vars[0]] {
			continue
		}
		yes, err := implies(a)
		if err != nil {
			return nil, err
		}
		if yes && len(vars) == 1 {
			has[vars[0]] = true
			all = slices.DeleteFunc(all, func(b *term.Term) bool { return slices.Equal(term.FreeVars(b), vars) })
		}
		if !yes {
			if yes, err = implies(m.pool.Not(a)); err != nil {
				return nil, err
			}
		}
		if yes {
			all = append(all, a)
		}
	}
	return all, nil
}

// candidatesOf are the atoms of a condition, and for each constant that something is compared with
// that a variable of the state has it.
func (m *modal) candidatesOf(cond *term.Term) []*term.Term {
	atoms := atomsOf(cond)
	var all []*term.Term
	for _, a := range atoms {
		if a.Op() != term.OpEq {
			continue
		}
		for _, x := range a.Args() {
			if !x.IsConst() || x.Sort().Kind != term.EnumKind {
				continue
			}
			for _, v := range m.sym.State {
				if v.Type.Sort == x.Sort() {
					if eq := m.pool.Eq(v.Term, x); !slices.Contains(all, eq) {
						all = append(all, eq)
					}
				}
			}
		}
	}
	for _, a := range atoms {
		if !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}

// isOfState reports whether variables are of the state.
func (m *modal) isOfState(vars []*term.Term) bool {
	return len(vars) > 0 && !slices.ContainsFunc(vars, func(v *term.Term) bool { return !isVarOf(m.sym.State, v) })
}
