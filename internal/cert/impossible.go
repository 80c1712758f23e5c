// SPDX-License-Identifier: Apache-2.0

package cert

// This file derives the obligations of calls that an interface says cannot be made:
// in no node of the state does any component state that may be current satisfy the
// guard, whatever the arguments. A register stands for its state variable also where the
// state does not have it: the arguments then satisfy another guard for the value that the
// variable has, and what is claimed of that call is claimed of them.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// impossible adds one obligation for each node of the state of an impossible call.
func (c *checker) impossible(ctx context.Context) error {
	memory := map[*term.Term]*term.Term{}
	for _, r := range c.memory.vars {
		memory[r.Term] = c.memory.of[r.Name].Term
	}
	for _, m := range c.iface.Impossible {
		at := slices.IndexFunc(c.calls[0], func(k *callee) bool { return k.id == m.Call })
		for n := range c.nodes {
			if n == 0 || c.nodes[n].State != m.State {
				continue
			}
			if err := c.add(ctx, Obligation{Kind: "guards", Name: fmt.Sprintf("impossible %d %s", n, m.Call),
				What:   fmt.Sprintf("no arguments satisfy the guard of %s in node %d", m.Call, n),
				Assume: []*term.Term{c.label(n), c.pool.Substitute(c.calls[0][at].guard, memory)}}); err != nil {
				return err
			}
		}
	}
	return nil
}
