// SPDX-License-Identifier: Apache-2.0

package loops

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

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A Proof is a search for invariants of the heads of one method.
type Proof struct {
	abs *predabs.Abstraction
	sum *explore.Summary
	// What is known at the entry and, of what no block changes, everywhere.
	facts []*term.Term
	frame []*term.Term
	entry map[*term.Term]*term.Term // values at the entry
	fixed map[*term.Term]*term.Term // values of what no block changes
	inv   map[int][]*term.Term      // by head: what may be invariant
}

// NewProof starts a search with what is known at the entry, the values there, and what is known everywhere of what no block changes.
func NewProof(m *predabs.Abstraction, sum *explore.Summary, entry map[*term.Term]*term.Term, facts, frame []*term.Term) *Proof {
	p := &Proof{abs: m, sum: sum, facts: facts, frame: frame, entry: entry, fixed: map[*term.Term]*term.Term{}, inv: map[int][]*term.Term{}}
	foot := m.Footprint(sum)
	for x, z := range entry {
		if foot.Fixed[x] {
			p.fixed[x] = z
		}
	}
	return p
}

// Refute looks for invariants among candidates that exclude a goal after the blocks that lead to a location. It reports whether there are some, and
// which are needed for that, by head.
func (p *Proof) Refute(ctx context.Context, candidates []*term.Term, to int, goal func(vals []*term.Term) *term.Term) (map[int][]*term.Term, bool, error) {
	for _, h := range p.sum.Heads {
		p.inv[h] = candidates
	}
	if err := p.filter(ctx); err != nil {
		return nil, false, err
	}
	return p.refutes(ctx, to, goal)
}

// A transition is a block from the entry or, if not, from a loop head.
type transition struct {
	*explore.Block
	entry bool
}

// transitions lists the blocks that lead to a location.
func (p *Proof) transitions(to int) []transition {
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
func (p *Proof) premise(t transition) ([]*term.Term, []*term.Term) {
	sub, known := p.fixed, slices.Concat(p.frame, []*term.Term{p.abs.Pool.Substitute(p.abs.Assumed, p.fixed)})
	if t.entry {
		sub, known = p.entry, p.facts
	}
	return append(slices.Clone(known), p.abs.Pool.Substitute(t.Cond, sub)), p.abs.Pool.SubstituteAll(t.Vals, sub)
}

// assumptions are the candidates at the start of a transition.
func (p *Proof) assumptions(t transition) []*term.Term {
	if t.entry {
		return nil
	}
	return p.abs.Pool.SubstituteAll(p.inv[t.From], p.fixed)
}

// filter drops candidates until the others are invariant.
func (p *Proof) filter(ctx context.Context) error {
	for changed := true; changed; {
		changed = false
		for _, h := range p.sum.Heads {
			for _, t := range p.transitions(h) {
				for len(p.inv[h]) > 0 {
					known, vals := p.premise(t)
					known = append(known, p.assumptions(t)...)
					then := p.abs.Pool.SubstituteAll(p.inv[h], predabs.After(p.sum, vals))
					rest, all, err := preserved(ctx, p.abs, p.inv[h], then, known...)
					if err != nil {
						return err
					}
					if all {
						break
					}
					p.inv[h], changed = rest, true
				}
			}
		}
	}
	return nil
}

// preserved asks whether conditions, which are then after a step, hold after it, if what is known does. If not, it returns those that hold after one
// such step.
func preserved(ctx context.Context, m *predabs.Abstraction, inv, then []*term.Term, known ...*term.Term) (rest []*term.Term, all bool, err error) {
	r, err := m.Check(ctx, append(known, m.Pool.Not(m.Pool.And(then...)))...)
	if err != nil || r.Verdict == solve.Unsat {
		return inv, true, err
	}
	for i, l := range inv {
		if term.Holds(then[i], r.Model) {
			rest = append(rest, l)
		}
	}
	return rest, false, nil
}

// refutes reports whether the invariants exclude a goal after the blocks that lead to a location, and which of them
// are needed for that, by head.
func (p *Proof) refutes(ctx context.Context, to int, goal func(vals []*term.Term) *term.Term) (map[int][]*term.Term, bool, error) {
	needed := map[int][]*term.Term{}
	type claim struct {
		t    transition
		goal *term.Term
	}
	var todo []claim
	for _, t := range p.transitions(to) {
		_, vals := p.premise(t)
		todo = append(todo, claim{t, goal(vals)})
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
func (p *Proof) core(ctx context.Context, known, lits []*term.Term) ([]int, bool, error) {
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
