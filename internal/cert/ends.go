// SPDX-License-Identifier: Apache-2.0

package cert

// This file derives what the convention needs that the loops of a method end.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// ends adds the obligations by which a call whose loops end, by convention, errs
// from every state of the label: it does not return and reaches no error that
// is blamed on the environment, and wherever a run is, at the entry or at a loop
// head, it can go on. So a run that does not stay in a loop for ever errs. The convention is about loops that
// end, so for all arguments there must be a state of the label from which a run errs.
func (c *checker) ends(ctx context.Context, n int, k *callee, args *term.Term, name string) error {
	yes := func(map[*term.Term]*term.Term) *term.Term { return c.pool.True() }
	segs := c.segments(n, k)
	other := func(loc int) bool { return k.code.final(loc) && !k.errs(loc) }
	if err := c.add(ctx, Obligation{Kind: "ends", Name: "ends " + name, What: fmt.Sprintf("node %d, %s: it does not return, nor does the environment err", n, k.id),
		Assume: []*term.Term{args, c.some(k, segs, other, yes)}}); err != nil {
		return err
	}
	if err := c.someErrs(ctx, n, k, args, name); err != nil {
		return err
	}
	for _, loc := range append([]int{k.code.method.Entry}, k.code.heads...) {
		for at, base := range []*term.Term{c.label(n), c.pool.And(c.assumed, c.invariant(n, k, loc))} {
			if at == 0 && loc != k.code.method.Entry || at == 1 && !k.code.head[loc] {
				continue
			}
			vals, known := k.code.identity(), c.pool.And(base, k.guard, args)
			if at == 0 {
				vals, known = c.entry(k.code), c.recall(known, c.remembered(n))
			}
			sub := k.code.under(vals)
			var any, choices []*term.Term
			for _, s := range k.code.pieces[loc] {
				any = append(any, c.pool.Substitute(s.cond, sub))
				choices = s.choices
			}
			if err := c.add(ctx, Obligation{Kind: "ends", Name: fmt.Sprintf("ends %s %d.%d", name, at, loc), What: fmt.Sprintf("node %d, %s: a run at location %d can go on", n, k.id, loc),
				Assume: []*term.Term{known}, Goal: c.pool.Or(any...), Choices: choices}); err != nil {
				return err
			}
		}
	}
	return nil
}

// someErrs adds the obligation that for all arguments a run of the call errs from some state of the label.
func (c *checker) someErrs(ctx context.Context, n int, k *callee, args *term.Term, name string) error {
	label := c.label(n)
	given := c.recall(c.pool.And(k.guard, args), c.remembered(n))
	pinned := map[*term.Term]*term.Term{}
	pins(c.pool, label, pinned)
	vals := c.pool.SubstituteAll(c.entry(k.code), pinned)
	o := Obligation{Kind: "ends", Name: "ends " + name + " errs", What: fmt.Sprintf("node %d, %s: for all arguments it errs from some state", n, k.id), Assume: []*term.Term{c.pool.Substitute(given, pinned)}}
	free := term.FreeVars(o.Assume...)
	var states []*term.Term
	for _, v := range c.prog.State {
		if pinned[v.Term] == nil && !slices.Contains(free, v.Term) { // what the guard speaks of is given
			states = append(states, v.Term)
		}
	}
	for try, depth := range depths {
		runs, choices, whole := c.unroll(k.code, vals, depth, k.errs)
		var any []*term.Term
		for _, r := range runs {
			any = append(any, r.cond)
		}
		p := o
		p.Expect = solve.Unsat
		p.Goal, p.Choices = c.pool.Substitute(c.pool.And(label, c.pool.Or(any...)), pinned), append(slices.Clone(states), choices...)
		if err := c.decideChoices(ctx, &p); err != nil {
			return fmt.Errorf("obligation %s: %w", p.Name, err)
		}
		if p.Verdict == Refuted && !whole {
			p.Verdict, p.Detail = Unknown, fmt.Sprintf("%s, within %d rounds of loops", p.Detail, depth)
		}
		if p.Verdict == Proved || whole || try == len(depths)-1 {
			return c.put(p)
		}
	}
	return nil
}
