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
func (c *splitter) splitOrder(ctx context.Context, w *words.Formula) (bool, string, error) {
	orders := c.finder.Orders()
	n := len(w.Steps) - 1
	for i := range w.Steps[:n] {
		s := &w.Steps[i]
		call := &c.abs.Calls[s.Call]
		final := predabs.After(call.Sum, s.RawVals)
		for _, p := range orders {
			raw := c.abs.Pool.Substitute(p, final)
			if raw.IsConst() || !describe.OverVars(raw, call.Sum.Method.Params) {
				continue
			}
			is := c.abs.Pool.Substitute(raw, s.Rename)
			decides, err := c.decides(ctx, w, is)
			if err != nil {
				return false, "", err
			}
			if !decides {
				continue
			}
			if done, reason, err := c.abs.Split(ctx, c.abs.ArgClass(call), raw); done || err != nil {
				return done, reason, err
			}
		}
	}
	return false, "", nil
}

// decides reports whether a condition makes all runs of a word err at its end, or none.
func (c *splitter) decides(ctx context.Context, w *words.Formula, is *term.Term) (bool, error) {
	errs := c.abs.Pool.And(w.Conds()...)
	happens := c.abs.Pool.And(w.Happens()...)
	r, err := c.abs.Check(ctx, is, errs)
	if err != nil {
		return false, err
	}
	if r.Verdict == solve.Sat {
		r, err = c.abs.Check(ctx, is, happens, c.abs.Pool.Not(errs))
	}
	return r.Verdict == solve.Unsat, err
}
