// SPDX-License-Identifier: Apache-2.0

package engine

// This file says where registers come instead of states. States are better as long as they are few: a table
// of them is exact, and shows the protocol. Where they are many, they mostly follow a value, and a client that keeps the
// value needs few of them.
//
// A variable of the state MOVES if a method or constructor gives it a value that is not one of finitely many
// constants in the code: one that depends on what it was, on another variable, or on an argument. A register is IN SIGHT if a
// call errs, on a way without loops, by a comparison with a variable that moves and that has many values
// (manyBits). This is a test on the code and proves nothing; it only orders the engines.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

const (
	// toldApart is the number of states up to which a component, or its table, has no registers instead of states. To
	// explore them costs next to nothing, and a person can read them.
	toldApart = 64
	// sightStates is how many states and sets are explored before predicates are tried where a register is in
	// sight: they may have a small table all the same. They take some milliseconds.
	sightStates = 1 << 14
	// sightShare is the part of the budget, one of so many, that predicates have then before other engines, and sightSteps
	// what they have at least, if the budget is that large.
	sightShare = 16
	sightSteps = 1 << 18
)

// registerInSight reports whether a register is in sight in the program.
func registerInSight(p *Problem) bool {
	m := newModal(p)
	defer m.close()
	moves := map[*term.Term]bool{}
	for k := range m.methods {
		sum := m.methods[k].sum
		for n := range sum.Blocks {
			_, vals := m.block(sum, &sum.Blocks[n], false)
			for i, v := range sum.Vars {
				if slices.Contains(m.sym.State, v) && v.Type.Sort.Kind == term.BitVecKind && v.Type.Sort.Width >= manyBits && !isFixed(v, vals[i]) {
					moves[v.Term] = true
				}
			}
		}
	}
	for k := range m.methods {
		sum := m.methods[k].sum
		if m.methods[k].constructor {
			continue
		}
		for n := range sum.Blocks {
			b := &sum.Blocks[n]
			if site := sum.Method.ErrorAt(b.To); site == nil || site.Blamed || b.From != sum.Method.Entry {
				continue
			}
			cond, _ := m.block(sum, b, true)
			if slices.ContainsFunc(term.FreeVars(cond), func(t *term.Term) bool { return moves[t] }) {
				return true
			}
		}
	}
	return false
}

// isFixed reports whether a variable is left alone or gets a constant, in each case.
func isFixed(v *prog.Var, t *term.Term) bool {
	switch {
	case t == v.Term || t.IsConst():
		return true
	case t.Op() == term.OpIte:
		return isFixed(v, t.Args()[1]) && isFixed(v, t.Args()[2])
	}
	return false
}

// synthesizeInSight is what auto does first where a register is in sight: explore a few states, and if the
// table is not small, look for an interface with predicates that decides everything. It is small if it is such a table, or has
// registers and fewer states; otherwise to explore more may still give an exact table.
func synthesizeInSight(ctx context.Context, p *Problem) (i *typestate.Interface, small bool, err error) {
	q := *p
	q.Budget = min(p.Budget, sightStates)
	st, states := stats{}, 0
	t, err := runDirect(ctx, &q, st)
	switch {
	case err == nil:
		if states = t.dfa.States(); states <= toldApart+sinks {
			i, err = build(ctx, p, t, st)
			return i, err == nil, err
		}
	case !Undecided(err):
		return nil, false, err
	}
	q.Budget = min(p.Budget, max(sightSteps, p.Budget/sightShare))
	if p.QuickSolver != nil {
		q.Solver = p.QuickSolver
	}
	st = stats{}
	i, err = synthesizeCegar(ctx, &q, st)
	if err != nil || !complete(i) || !proved(i) {
		return nil, false, orNothing(err)
	}
	return i, st["registers"] > 0 && (states == 0 || len(i.States) < states), nil
}

// sinks is the number of states of a table that are none of an interface: the object before construction, and where rejected and
// impossible letters lead.
const sinks = 3

// hasFewStates reports whether the component has at most toldApart states.
func (c *cegar) hasFewStates(ctx context.Context) (bool, error) {
	if c.fewStates == nil {
		r, err := region.New(ctx, c.p.Program, region.Options{Workers: 1, Budget: toldApart, Steps: toldApart * callSteps})
		if err == nil {
			err = r.Explore(ctx)
		}
		if err != nil && !Undecided(err) {
			return false, err
		}
		few := err == nil
		c.fewStates = &few
	}
	return *c.fewStates, nil
}
