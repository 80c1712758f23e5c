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
func (g *Graph) Reconstruct(ctx context.Context) error {
	g.Restart()
	for at := int32(0); int(at) < len(g.Pairs); at++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		row := slices.Repeat([]int32{explicit.Impossible}, g.Abs.Letters)
		verdicts := make([]Verdict, len(g.Abs.Calls))
		for k := range g.Abs.Calls {
			if g.Abs.Calls[k].Constructor != (at == 0) {
				continue
			}
			v, err := g.Judge(ctx, at, k)
			if err != nil {
				return err
			}
			if v.Verdict != typestate.VerdictAllowed {
				v.Verdict = typestate.VerdictMayFail
			}
			verdicts[k] = v
			for o := range g.Abs.Calls[k].Outcomes {
				x := g.Abs.Calls[k].Letter + o
				if v.Verdict != typestate.VerdictAllowed {
					row[x] = explicit.Rejected
				} else if row[x], err = g.Successor(ctx, at, k, o); err != nil {
					return err
				}
			}
		}
		g.Next = append(g.Next, row)
		g.Verdicts = append(g.Verdicts, verdicts)
	}
	return nil
}
