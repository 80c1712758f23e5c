// SPDX-License-Identifier: Apache-2.0

package cegar

// This file finds invariants of loops. A predicate that refutes one path
// through a loop often only pushes the trace one round further. So before such
// predicates are taken, relations are tried that may hold in every round: what
// the code compares and assigns, equalities and bounds between variables and
// with the constants of the code, and what the trace itself would need. Of all
// these the largest set is taken that holds at first and is preserved by every
// block between loop heads (Flanagan and Leino, "Houdini", FME 2001). If it
// refutes what the trace says of the call, those of it that are needed for that
// become predicates.
//
// Such a set is a conjunction. Disjunctions come from the abstraction itself,
// which keeps all combinations of truth values.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A loopProof is a search for invariants of the heads of one method.
type loopProof struct {
	abs *predabs.Abstraction
	sum *explore.Summary
	// What is known at the entry and, of what no block changes, everywhere.
	facts []*term.Term
	frame []*term.Term
	entry map[*term.Term]*term.Term // values at the entry
	fixed map[*term.Term]*term.Term // values of what no block changes
	inv   map[int][]*term.Term      // by head: what may be invariant
}

// A transition is a block from the entry or, if not, from a loop head.
type transition struct {
	*explore.Block
	entry bool
}

// findInvariant tries to refute, for the call of a gap, that it leads to where the path leaves the call. It reports whether predicates were
// added.
func (c *finder) findInvariant(ctx context.Context, g *gap) (bool, error) {
	path, k, entry := g.path, g.block, g.entry
	b := &path[k]
	sum := c.abs.Calls[b.call].Sum
	end := k
	for end+1 < len(path) && path[end+1].step == b.step {
		end++
	}
	foot := c.abs.Footprint(sum)
	// First from what the abstraction knows of the state before the call, which
	// makes the result independent of the word; then from what was reached.
	abstract := &loopProof{abs: c.abs, sum: sum, facts: []*term.Term{c.abs.Before(b.a, b.call)}, entry: c.abs.Entry(sum), fixed: map[*term.Term]*term.Term{}}
	abstract.frame = []*term.Term{c.abs.GuardAt(b.call)}
	if b.a != 0 {
		abstract.frame = append(abstract.frame, c.abs.Some(b.a, c.abs.Plan(b.call).Kept))
	}
	for x, z := range abstract.entry {
		if foot.Fixed[x] {
			abstract.fixed[x] = z
		}
	}
	concrete := &loopProof{abs: c.abs, sum: sum, facts: entry.facts, frame: entry.facts, entry: entry.under(sum), fixed: map[*term.Term]*term.Term{}}
	for x, z := range concrete.entry {
		if foot.Fixed[x] {
			concrete.fixed[x] = z
		}
	}
	candidates, err := c.candidates(ctx, path, k)
	if err != nil {
		return false, err
	}
	for _, p := range []*loopProof{abstract, concrete} {
		p.inv = map[int][]*term.Term{}
		for _, h := range sum.Heads {
			p.inv[h] = candidates
		}
		if err := p.filter(ctx); err != nil {
			return false, err
		}
		needed, ok, err := p.refutes(ctx, &path[end])
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		before := c.abs.Known()
		for _, h := range sum.Heads {
			var fresh []*term.Term
			for _, l := range needed[h] {
				atom := l
				if atom.Op() == term.OpNot {
					atom = atom.Args()[0]
				}
				if !slices.Contains(c.abs.Plan(b.call).Preds, atom) {
					fresh = append(fresh, l)
				}
			}
			c.addHeadPredicates(predabs.HeadKey{Sum: sum, Loc: h}, fresh)
		}
		if c.abs.Known() > before {
			return true, nil
		}
	}
	return false, nil
}

// transitions lists the blocks that lead to a location.
func (p *loopProof) transitions(to int) []transition {
	var out []transition
	for k := range p.sum.Blocks {
		b := &p.sum.Blocks[k]
		if b.To != to {
			continue
		}
		if b.From == p.sum.Method.Entry {
			out = append(out, transition{b, true})
		}
		if slices.Contains(p.sum.Heads, b.From) {
			out = append(out, transition{b, false})
		}
	}
	return out
}

// premise is what is known before a transition and that it is taken, without
// candidates, and the values after it.
func (p *loopProof) premise(t transition) ([]*term.Term, []*term.Term) {
	sub, known := p.fixed, slices.Concat(p.frame, []*term.Term{p.abs.Pool.Substitute(p.abs.Assumed, p.fixed)})
	if t.entry {
		sub, known = p.entry, p.facts
	}
	return append(slices.Clone(known), p.abs.Pool.Substitute(t.Cond, sub)), p.abs.Pool.SubstituteAll(t.Vals, sub)
}

// assumptions are the candidates at the start of a transition.
func (p *loopProof) assumptions(t transition) []*term.Term {
	if t.entry {
		return nil
	}
	return p.abs.Pool.SubstituteAll(p.inv[t.From], p.fixed)
}

// filter drops candidates until the others are invariant.
func (p *loopProof) filter(ctx context.Context) error {
	for changed := true; changed; {
		changed = false
		for _, h := range p.sum.Heads {
			for _, t := range p.transitions(h) {
				for len(p.inv[h]) > 0 {
					known, vals := p.premise(t)
					known = append(known, p.assumptions(t)...)
					then := p.abs.Pool.SubstituteAll(p.inv[h], predabs.After(p.sum, vals))
					r, err := p.abs.Check(ctx, append(known, p.abs.Pool.Not(p.abs.Pool.And(then...)))...)
					if err != nil {
						return err
					}
					if r.Verdict == solve.Unsat {
						break
					}
					changed = true
					var rest []*term.Term
					for i, l := range p.inv[h] {
						if term.Holds(then[i], r.Model) {
							rest = append(rest, l)
						}
					}
					p.inv[h] = rest
				}
			}
		}
	}
	return nil
}

// refutes reports whether the invariants exclude the last block of a path in
// its call, from wherever that block's target is reached, and which of them
// are needed for that, by head.
func (p *loopProof) refutes(ctx context.Context, last *pathBlock) (map[int][]*term.Term, bool, error) {
	needed := map[int][]*term.Term{}
	type claim struct {
		t    transition
		goal *term.Term
	}
	var todo []claim
	for _, t := range p.transitions(last.to) {
		_, vals := p.premise(t)
		todo = append(todo, claim{t, last.goal(vals)})
	}
	for len(todo) > 0 {
		x := todo[0]
		todo = todo[1:]
		known, _ := p.premise(x.t)
		known = append(known, x.goal)
		lits := p.assumptions(x.t)
		core, ok, err := p.core(ctx, known, lits)
		if err != nil || !ok {
			return nil, false, err
		}
		for _, i := range core {
			l := p.inv[x.t.From][i]
			if slices.Contains(needed[x.t.From], l) {
				continue
			}
			needed[x.t.From] = append(needed[x.t.From], l)
			for _, t := range p.transitions(x.t.From) {
				_, vals := p.premise(t)
				todo = append(todo, claim{t, p.abs.Pool.Not(p.abs.Pool.Substitute(l, predabs.After(p.sum, vals)))})
			}
		}
	}
	return needed, true, nil
}

// core returns the numbers of literals that suffice to contradict what is
// known, if they do; large ones are left out first.
func (p *loopProof) core(ctx context.Context, known, lits []*term.Term) ([]int, bool, error) {
	r, err := p.abs.Check(ctx, slices.Concat(known, lits)...)
	if err != nil || r.Verdict != solve.Unsat {
		return nil, false, err
	}
	var keep []int
	for i, l := range lits {
		if len(r.Core) == 0 || slices.Contains(r.Core, l) {
			keep = append(keep, i)
		}
	}
	slices.SortStableFunc(keep, func(a, b int) int { return term.Size(lits[b]) - term.Size(lits[a]) })
	for n := 0; n < len(keep); {
		rest := slices.Delete(slices.Clone(keep), n, n+1)
		ask := slices.Clone(known)
		for _, i := range rest {
			ask = append(ask, lits[i])
		}
		r, err := p.abs.Check(ctx, ask...)
		if err != nil {
			return nil, false, err
		}
		if r.Verdict == solve.Unsat {
			keep = rest
		} else {
			n++
		}
	}
	slices.Sort(keep)
	return keep, true, nil
}

// candidates lists what may be invariant in the loops of the call of a block of
// a path, the likeliest first.
func (c *finder) candidates(ctx context.Context, path []pathBlock, k int) ([]*term.Term, error) {
	b := &path[k]
	sum := c.abs.Calls[b.call].Sum
	var out []*term.Term
	seen := map[*term.Term]bool{}
	add := func(t *term.Term) {
		for _, l := range []*term.Term{t, c.abs.Pool.Not(t)} {
			if !l.IsConst() && !seen[l] && len(out) < maxCandidates {
				seen[l] = true
				out = append(out, l)
			}
		}
	}
	for _, p := range c.abs.Plan(b.call).Preds {
		add(p)
	}
	for _, p := range c.orders() {
		add(p)
	}
	for _, h := range sum.Heads {
		for _, p := range c.abs.HeadPreds[predabs.HeadKey{Sum: sum, Loc: h}] {
			add(p)
		}
	}
	for _, t := range c.abs.Congruences(sum) {
		add(t)
	}
	// What the trace needs, in this block and where it leaves the call.
	for n := k; n < len(path) && path[n].step == b.step; n++ {
		block := &sum.Blocks[path[n].block]
		goal := c.abs.Pool.And(block.Cond, path[n].goal(block.Vals))
		r, err := c.abs.Check(ctx, c.abs.At(b.a, b.call, path[n].part, path[n].node), goal)
		if err != nil {
			return nil, err
		}
		if r.Verdict == solve.Sat {
			for _, l := range c.literals(goal, r.Model, sum.Vars) {
				add(l)
			}
		}
	}
	for _, t := range describe.Conditions(sum.Method) {
		if describe.OverVars(t, sum.Vars) {
			add(t)
		}
	}
	ints := []*prog.Var{}
	for _, v := range sum.Vars {
		switch v.Type.Sort.Kind {
		case term.BoolKind:
			add(v.Term)
		case term.BitVecKind:
			ints = append(ints, v)
		}
	}
	together := together(sum)
	for _, v := range ints {
		for _, k := range constantsOf(sum, v) {
			compare(c.abs.Pool, v, c.abs.Pool.Const(v.Type.Sort, k), add)
		}
	}
	for i, v := range ints {
		for _, w := range ints[:i] {
			if v.Type == w.Type && together[v] == together[w] {
				compare(c.abs.Pool, w, v.Term, add)
			}
		}
	}
	return out, nil
}

// compare adds the comparisons of a variable with a term.
func compare(pool *term.Pool, v *prog.Var, t *term.Term, add func(*term.Term)) {
	less := pool.ULe
	if v.Type.Signed {
		less = pool.SLe
	}
	add(pool.Eq(v.Term, t))
	add(less(v.Term, t))
	add(less(t, v.Term))
}

// together numbers the variables of a method such that those that occur in one
// edge, directly or by others, have the same number.
func together(sum *explore.Summary) map[*prog.Var]int {
	number := map[*prog.Var]int{}
	for i, v := range sum.Vars {
		number[v] = i
	}
	for changed := true; changed; {
		changed = false
		for _, e := range sum.Method.Edges {
			var here []*prog.Var
			for i, x := range e.Exprs {
				free := term.FreeVars(x)
				for _, v := range sum.Vars {
					if slices.Contains(free, v.Term) || i < len(e.Vars) && e.Vars[i] == v {
						here = append(here, v)
					}
				}
			}
			for _, v := range here {
				if n := min(number[v], number[here[0]]); number[v] != n || number[here[0]] != n {
					number[v], number[here[0]] = n, n
					changed = true
				}
			}
		}
	}
	return number
}

// constantsOf lists the constants that a variable is compared with or set to,
// zero first for those that start with it.
func constantsOf(sum *explore.Summary, v *prog.Var) []term.Value {
	var out []term.Value
	add := func(k term.Value) {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	if !slices.Contains(sum.Method.Params, v) {
		add(term.Value{})
	}
	for _, t := range describe.Conditions(sum.Method) {
		a := t.Args()
		for i := range a {
			if a[i] == v.Term && a[1-i].IsConst() {
				add(a[1-i].Value())
			}
		}
	}
	for _, e := range sum.Method.Edges {
		if e.Kind == prog.AssignEdge {
			for i, x := range e.Vars {
				if x == v && e.Exprs[i].IsConst() {
					add(e.Exprs[i].Value())
				}
			}
		}
	}
	return out
}
