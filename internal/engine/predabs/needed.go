// SPDX-License-Identifier: Apache-2.0

package predabs

// This file finds predicates before there is a trace to refute: what every way to an error
// needs. An atom over the state that occurs in the condition of an error site, and whose truth that
// condition implies, is such. Refinement finds them as well, but one trace after the other, and each
// trace may first bring predicates about what only that trace does: in programs lowered from
// code with many ways to one site, more than the budget allows.

import (
	"context"
	"errors"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// SeedNeeded starts an abstraction with what errors need. It reports whether there is something.
func (m *Abstraction) SeedNeeded(ctx context.Context) (bool, error) {
	preds, err := m.Needed(ctx)
	if err != nil || len(preds) == 0 {
		return false, err
	}
	m.Preds = append(m.Preds, preds...)
	m.Reset()
	return true, nil
}

// Needed returns the atoms over the state that hold, or do not, whenever a call errs.
func (m *Abstraction) Needed(ctx context.Context) (all []*term.Term, err error) {
	_, err = m.Within(ctx, max(1, m.Limit/neededShare), func(ctx context.Context) (err error) {
		all, err = needs{m}.byAll(ctx)
		return err
	})
	return all, err
}

// needs finds what errors need.
type needs struct{ abs *Abstraction }

// byAll is Needed, as far as the limit allows.
func (n needs) byAll(ctx context.Context) (all []*term.Term, err error) {
	for k := range n.abs.Methods {
		sum := n.abs.Methods[k].Sum
		for i := range sum.Blocks {
			b := &sum.Blocks[i]
			if site := sum.Method.ErrorAt(b.To); site == nil || site.Blamed {
				continue
			}
			cond, _ := n.abs.Block(sum, b, b.From == sum.Method.Entry)
			list, err := n.impliedBy(ctx, cond)
			var budget *explore.BudgetError
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

// impliedBy returns the atoms whose truth a condition implies. Where it implies that a variable has one
// value, nothing else is said of it.
func (n needs) impliedBy(ctx context.Context, cond *term.Term) ([]*term.Term, error) {
	implies := func(t *term.Term) (bool, error) {
		r, err := n.abs.Check(ctx, n.abs.Assumed, cond, n.abs.Pool.Not(t))
		if Undecided(err) {
			return false, nil
		}
		return err == nil && r.Verdict == solve.Unsat, err
	}
	if never, err := implies(n.abs.Pool.False()); never || err != nil {
		return nil, err // it implies everything
	}
	var all []*term.Term
	has := map[*term.Term]bool{} // variables that have one value
	for _, a := range n.candidates(cond) {
		vars := term.FreeVars(a)
		if term.Size(a) > maxNeededSize || !n.isOfState(vars) || len(vars) == 1 && has[vars[0]] {
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
			if yes, err = implies(n.abs.Pool.Not(a)); err != nil {
				return nil, err
			}
		}
		if yes {
			all = append(all, a)
		}
	}
	return all, nil
}

// candidates are the atoms of a condition, and for each constant that something is compared with
// that a variable of the state has it.
func (n needs) candidates(cond *term.Term) []*term.Term {
	atoms := describe.AtomsOf(cond)
	var all []*term.Term
	for _, a := range atoms {
		if a.Op() != term.OpEq {
			continue
		}
		for _, x := range a.Args() {
			if !x.IsConst() || x.Sort().Kind != term.EnumKind {
				continue
			}
			for _, v := range n.abs.Sym.State {
				if v.Type.Sort == x.Sort() {
					if eq := n.abs.Pool.Eq(v.Term, x); !slices.Contains(all, eq) {
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
func (n needs) isOfState(vars []*term.Term) bool {
	return len(vars) > 0 && !slices.ContainsFunc(vars, func(v *term.Term) bool { return !IsVarOf(n.abs.Sym.State, v) })
}
