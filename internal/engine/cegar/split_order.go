// SPDX-License-Identifier: Apache-2.0

package cegar

import (
	"context"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/words"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// splitOrder divides the arguments of a call of a word by whether a sum that it sets
// is above or below a constant, if that decides whether the last call errs.
func (sp *splitter) splitOrder(ctx context.Context, w *words.Formula) (bool, string, error) {
	orders := sp.finder.Orders()
	n := len(w.Steps) - 1
	for i := range w.Steps[:n] {
		s := &w.Steps[i]
		call := &sp.abs.Calls[s.Call]
		final := predabs.After(call.Sum, s.RawVals)
		for _, p := range orders {
			raw := sp.abs.Pool.Substitute(p, final)
			if raw.IsConst() || !describe.OverVars(raw, call.Sum.Method.Params) {
				continue
			}
			is := sp.abs.Pool.Substitute(raw, s.Rename)
			decides, err := sp.decides(ctx, w, is)
			if err != nil {
				return false, "", err
			}
			if !decides {
				continue
			}
			if done, reason, err := sp.abs.Split(ctx, sp.abs.ArgClass(call), raw); done || err != nil {
				return done, reason, err
			}
		}
	}
	return false, "", nil
}

// decides reports whether a condition makes all runs of a word err at its end, or none.
func (sp *splitter) decides(ctx context.Context, w *words.Formula, is *term.Term) (bool, error) {
	errs := sp.abs.Pool.And(w.Conds()...)
	happens := sp.abs.Pool.And(w.Happens()...)
	r, err := sp.abs.Check(ctx, is, errs)
	if err != nil {
		return false, err
	}
	if r.Verdict == solve.Sat {
		r, err = sp.abs.Check(ctx, is, happens, sp.abs.Pool.Not(errs))
	}
	return r.Verdict == solve.Unsat, err
}
