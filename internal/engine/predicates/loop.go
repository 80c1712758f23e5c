// SPDX-License-Identifier: Apache-2.0

package predicates

// This file finds predicates at loop heads: relations that are invariant and refute what the trace says of the call, before predicates that only
// push the trace one round further.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/loops"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// findInvariant tries to refute, for the call of a gap, that it leads to where the path leaves the call. It reports whether predicates were
// added.
func (f *Finder) findInvariant(ctx context.Context, g *gap) (bool, error) {
	path, k, entry := g.path, g.block, g.entry
	b := &path[k]
	sum := f.Abs.Calls[b.call].Sum
	end := k
	for end+1 < len(path) && path[end+1].step == b.step {
		end++
	}
	// First from what the abstraction knows of the state before the call, which
	// makes the result independent of the word; then from what was reached.
	frame := []*term.Term{f.Abs.GuardAt(b.call)}
	if b.a != 0 {
		frame = append(frame, f.Abs.Some(b.a, f.Abs.Plan(b.call).Kept))
	}
	abstract := loops.NewProof(f.Abs, sum, f.Abs.Entry(sum), []*term.Term{f.Abs.Before(b.a, b.call)}, frame)
	concrete := loops.NewProof(f.Abs, sum, entry.under(sum), entry.facts, entry.facts)
	candidates, err := f.candidates(ctx, path, k)
	if err != nil {
		return false, err
	}
	for _, p := range []*loops.Proof{abstract, concrete} {
		needed, ok, err := p.Refute(ctx, candidates, path[end].to, path[end].goal)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		before := f.Abs.Known()
		for _, h := range sum.Heads {
			var fresh []*term.Term
			for _, l := range needed[h] {
				atom := l
				if atom.Op() == term.OpNot {
					atom = atom.Args()[0]
				}
				if !slices.Contains(f.Abs.Plan(b.call).Preds, atom) {
					fresh = append(fresh, l)
				}
			}
			f.addHead(predabs.HeadKey{Sum: sum, Loc: h}, fresh)
		}
		if f.Abs.Known() > before {
			return true, nil
		}
	}
	return false, nil
}

// candidates lists what may be invariant in the loops of the call of a block of
// a path, the likeliest first.
func (f *Finder) candidates(ctx context.Context, path []pathBlock, k int) ([]*term.Term, error) {
	b := &path[k]
	sum := f.Abs.Calls[b.call].Sum
	var out []*term.Term
	seen := map[*term.Term]bool{}
	add := func(t *term.Term) {
		for _, l := range []*term.Term{t, f.Abs.Pool.Not(t)} {
			if !l.IsConst() && !seen[l] && len(out) < loops.MaxCandidates {
				seen[l] = true
				out = append(out, l)
			}
		}
	}
	for _, p := range f.Abs.Plan(b.call).Preds {
		add(p)
	}
	for _, p := range f.Orders() {
		add(p)
	}
	for _, h := range sum.Heads {
		for _, p := range f.Abs.HeadPreds[predabs.HeadKey{Sum: sum, Loc: h}] {
			add(p)
		}
	}
	for _, t := range loops.Congruences(f.Abs.Pool, sum) {
		add(t)
	}
	// What the trace needs, in this block and where it leaves the call.
	for n := k; n < len(path) && path[n].step == b.step; n++ {
		block := &sum.Blocks[path[n].block]
		goal := f.Abs.Pool.And(block.Cond, path[n].goal(block.Vals))
		r, err := f.Abs.Check(ctx, f.Abs.At(b.a, b.call, path[n].part, path[n].node), goal)
		if err != nil {
			return nil, err
		}
		if r.Verdict == solve.Sat {
			for _, l := range f.literals(goal, r.Model, sum.Vars) {
				add(l)
			}
		}
	}
	loops.Relations(f.Abs.Pool, sum, add)
	return out, nil
}
