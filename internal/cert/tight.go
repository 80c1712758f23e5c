// SPDX-License-Identifier: Apache-2.0

package cert

// This file derives what a tight interface claims: each edge can be taken after every
// word that reaches its source. After such a word some state of the label is current, and
// one of each set. So it suffices that the call can return with the outcome, for some
// arguments and choices, from every state of one of these.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// tight adds the obligations of tightness, if the interface claims it.
func (c *checker) tight(ctx context.Context) error {
	if c.iface.Guarantees.Tight != typestate.TightYes {
		return nil
	}
	if err := c.put(Obligation{Kind: "tight", Name: "tight", What: "every edge can be taken", Verdict: Proved, Expect: solve.Unsat, Assume: []*term.Term{c.pool.False()}}); err != nil {
		return err
	}
	for n := range c.nodes {
		for _, k := range c.callsOf(n) {
			verdict, ways := c.says(n, k)
			if verdict.Forbidden() || n == 0 && verdict == typestate.VerdictUnknown {
				continue
			}
			for _, w := range ways {
				if err := c.taken(ctx, n, k, w); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// taken adds the obligation that an edge of the interface can be taken in a node.
func (c *checker) taken(ctx context.Context, n int, k *callee, w way) error {
	o := Obligation{Kind: "tight", Name: fmt.Sprintf("tight %d %s %s", n, k.id, w.outcome),
		What: fmt.Sprintf("node %d, %s: outcome %s can happen after each word", n, k.id, w.outcome), Expect: solve.Unsat}
	from := []*term.Term{c.label(n)}
	if n > 0 {
		from = append(from, c.nodes[n].sets...)
	}
	var last Obligation
	for _, set := range from {
		p, err := c.takenFrom(ctx, o, n, k, w, set)
		if err != nil {
			return err
		}
		if last = p; p.Verdict == Proved {
			break
		}
		// That it is not so of one set is no counterexample: another may do, or fewer
		// states may be current than the label says.
		last.Verdict = Unknown
	}
	return c.put(last)
}

func (c *checker) takenFrom(ctx context.Context, o Obligation, n int, k *callee, w way, set *term.Term) (Obligation, error) {
	pinned := map[*term.Term]*term.Term{}
	var open []*term.Term
	if n == 0 {
		for _, v := range c.prog.State {
			if v.Init != nil {
				pinned[v.Term] = v.Init
			} else {
				open = append(open, v.Term)
			}
		}
	} else {
		pins(c.pool, set, pinned)
	}
	for _, a := range k.code.args {
		delete(pinned, a)
		open = append(open, a)
	}
	vals := c.pool.SubstituteAll(c.entry(k.code), pinned)
	guard := c.recall(k.guard, c.remembered(n))
	for _, depth := range depths {
		if o.Detail = c.over(); o.Detail != "" {
			return o, nil
		}
		runs, choices, whole := c.unroll(k.code, vals, depth, k.returns)
		var any []*term.Term
		for _, r := range runs {
			cond := c.pool.Substitute(w.cond, c.withoutArguments(k, k.code.under(r.vals)))
			any = append(any, c.pool.And(r.cond, c.pool.Substitute(c.pool.And(guard, cond), pinned)))
		}
		p := o
		p.Goal, p.Choices = c.pool.Or(any...), slices.Concat(open, choices)
		p.Assume = []*term.Term{set, c.assumed}
		if n == 0 {
			p.Assume = []*term.Term{c.pool.True()}
		}
		if err := c.decideChoices(ctx, &p); err != nil {
			return p, fmt.Errorf("obligation %s: %w", p.Name, err)
		}
		o.Verdict, o.Detail, o.Goal, o.Choices, o.Assume, o.Instances = p.Verdict, p.Detail, p.Goal, p.Choices, p.Assume, p.Instances
		if p.Verdict == Proved || whole {
			break
		}
	}
	return o, nil
}
