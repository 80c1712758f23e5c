// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/typestate"
)

// Reconstruct builds the largest automaton that is safe by what may happen. Its
// states are pairs whose second part is idle.
func (c *Graph) Reconstruct(ctx context.Context) error {
	c.Restart()
	for at := int32(0); int(at) < len(c.Pairs); at++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		row := slices.Repeat([]int32{explicit.Impossible}, c.Abs.Letters)
		verdicts := make([]Verdict, len(c.Abs.Calls))
		for k := range c.Abs.Calls {
			if c.Abs.Calls[k].Constructor != (at == 0) {
				continue
			}
			v, err := c.Judge(ctx, at, k)
			if err != nil {
				return err
			}
			if v.Verdict != typestate.VerdictAllowed {
				v.Verdict = typestate.VerdictMayFail
			}
			verdicts[k] = v
			for o := range c.Abs.Calls[k].Outcomes {
				x := c.Abs.Calls[k].Letter + o
				if v.Verdict != typestate.VerdictAllowed {
					row[x] = explicit.Rejected
				} else if row[x], err = c.Successor(ctx, at, k, o); err != nil {
					return err
				}
			}
		}
		c.Next = append(c.Next, row)
		c.Verdicts = append(c.Verdicts, verdicts)
	}
	return nil
}
