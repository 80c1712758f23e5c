// SPDX-License-Identifier: Apache-2.0

package loops

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// AlwaysGoesOn reports whether at every node of an effect a run can go on, not
// into an error that is blamed on the environment, and may at last get to an
// error: from a loop that has no way out nothing is to be expected.
func AlwaysGoesOn(ctx context.Context, c *predabs.Abstraction, a int32, call int, part *predabs.PartEffect) (bool, error) {
	sum := c.Calls[call].Sum
	errs := make([]bool, len(part.Nodes))
	for n := range part.Nodes {
		here := c.At(a, call, part, n)
		var any []*term.Term
		for k := range sum.Blocks {
			b := &sum.Blocks[k]
			if b.From != part.Nodes[n].Loc {
				continue
			}
			cond, _ := c.Block(sum, b, n == 0)
			any = append(any, cond)
			if site := sum.Method.ErrorAt(b.To); site != nil {
				r, err := c.Check(ctx, here, cond)
				if err != nil || site.Blamed && r.Verdict != solve.Unsat {
					return false, err
				}
				errs[n] = errs[n] || r.Verdict == solve.Sat
			}
		}
		ok, err := c.Must(ctx, a, here, c.Pool.Or(any...))
		if err != nil || !ok {
			return false, err
		}
	}
	for changed := true; changed; {
		changed = false
		for n := range part.Nodes {
			if !errs[n] && slices.ContainsFunc(part.Nodes[n].Next, func(t int) bool { return errs[t] }) {
				errs[n], changed = true, true
			}
		}
	}
	return !slices.Contains(errs, false), nil
}
