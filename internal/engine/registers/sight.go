// SPDX-License-Identifier: Apache-2.0

package registers

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

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// InSight reports whether a register is in sight in the program.
func InSight(p *problem.Problem) bool {
	m := predabs.New(p)
	defer m.Close()
	moves := map[*term.Term]bool{}
	for k := range m.Methods {
		sum := m.Methods[k].Sum
		for n := range sum.Blocks {
			_, vals := m.Block(sum, &sum.Blocks[n], false)
			for i, v := range sum.Vars {
				if slices.Contains(m.Sym.State, v) && v.Type.Sort.Kind == term.BitVecKind && v.Type.Sort.Width >= manyBits && !isFixed(v, vals[i]) {
					moves[v.Term] = true
				}
			}
		}
	}
	for k := range m.Methods {
		sum := m.Methods[k].Sum
		if m.Methods[k].Constructor {
			continue
		}
		for n := range sum.Blocks {
			b := &sum.Blocks[n]
			if site := sum.Method.ErrorAt(b.To); site == nil || site.Blamed || b.From != sum.Method.Entry {
				continue
			}
			cond, _ := m.Block(sum, b, true)
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

// hasFewStates reports whether the component has at most toldApart states.
func (rs *Registers) hasFewStates(ctx context.Context) (bool, error) {
	if rs.fewStates == nil {
		r, err := explore.New(ctx, rs.Abs.P.Program, explore.Options{Workers: 1, Budget: ToldApart, Steps: ToldApart * problem.CallSteps})
		if err == nil {
			err = r.Explore(ctx)
		}
		if err != nil && !problem.Undecided(err) {
			return false, err
		}
		few := err == nil
		rs.fewStates = &few
	}
	return *rs.fewStates, nil
}
