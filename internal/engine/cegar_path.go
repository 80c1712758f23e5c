// SPDX-License-Identifier: Apache-2.0

package engine

// This file refutes spurious traces. An abstract trace of a word is followed
// block by block: each call has a path through its loop heads by which the
// abstraction reached what the trace says (partEffect). The component is
// followed along as far as it goes; at the first block that it cannot take, or
// not to where the trace is next, predicates are added that tell the states
// reached from those that could: over the state between two calls, over all
// variables of the method at a loop head (Newton's way, Ball and Rajamani, SPIN
// 2001: weakest preconditions of a core, no interpolating solver needed).
//
// A path has as many rounds of a loop as the abstraction took, so a trace of
// which every block can be taken is a run, however long.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A pathBlock is a block of an abstract trace.
type pathBlock struct {
	step int // of the word
	call int
	a    int32 // the abstract state before the call
	part *partEffect
	node int // where it starts; 0 is the entry
	// The block, to where it leads, and what holds with the values there.
	block, to int
	goal      func(vals []*term.Term) *term.Term
}

// pathOf finds the blocks of a trace of the word and a last call.
func (c *cegar) pathOf(ctx context.Context, trace []int32, word [][2]int, last [2]int) ([]pathBlock, error) {
	var path []pathBlock
	for i, a := range trace {
		x := last
		if i < len(word) {
			x = word[i]
		}
		e, err := c.effect(ctx, a, x[0])
		if err != nil {
			return nil, err
		}
		call, pl, part := &c.calls[x[0]], c.plan(x[0]), e.part
		end := pathBlock{step: i, call: x[0], a: a, part: part, goal: func([]*term.Term) *term.Term { return c.pool.True() }}
		var w way
		switch {
		case i < len(word):
			want := c.cubes[trace[i+1]].pick(pl.touched)
			w = part.via[x[1]][want]
			end.goal = func(vals []*term.Term) *term.Term {
				sub := after(call.sum, vals)
				return c.pool.And(c.pool.Substitute(call.outcomes[x[1]].cond, sub), c.valued(pl.preds, want, sub))
			}
		case x[1] == endErrs:
			w = part.errs[0].way
		case x[1] >= 0:
			w = part.via[x[1]][part.may[x[1]][0]]
			end.goal = func(vals []*term.Term) *term.Term {
				return c.pool.Substitute(call.outcomes[x[1]].cond, after(call.sum, vals))
			}
		default:
			for o := len(part.may) - 1; o >= 0; o-- {
				if len(part.may[o]) > 0 {
					w = part.via[o][part.may[o][0]]
				}
			}
		}
		end.node, end.block = w.node, w.block
		blocks := []pathBlock{end}
		for n := w.node; n > 0; n = part.nodes[n].from {
			node := part.nodes[n]
			b := end
			b.node, b.block = node.from, node.block
			b.goal = func(vals []*term.Term) *term.Term {
				return c.valued(c.tracked(x[0], node.loc), node.bits, after(call.sum, vals))
			}
			blocks = append(blocks, b)
		}
		slices.Reverse(blocks)
		path = append(path, blocks...)
	}
	for k := range path {
		path[k].to = c.calls[path[k].call].sum.Blocks[path[k].block].To
	}
	return path, nil
}

// A reached is what the component has reached along a path.
type reached struct {
	facts []*term.Term // over initial values, arguments and choices, renamed
	vals  []*term.Term // of the variables of the current method
}

// under is the substitution by the values reached.
func (r *reached) under(sum *region.Summary) map[*term.Term]*term.Term { return after(sum, r.vals) }

// removeTrace adds predicates that remove an abstract trace of a word and a
// last call. It reports true if there is nothing to remove, the component
// having such a run.
func (c *cegar) removeTrace(ctx context.Context, trace []int32, word [][2]int, last [2]int) (bool, error) {
	path, err := c.pathOf(ctx, trace, word, last)
	if err != nil {
		return false, err
	}
	var here, entry reached
	for _, v := range c.sym.State {
		t := v.Init
		if t == nil {
			t = c.pool.Var(fmt.Sprintf("\x00init %s", v.Name), v.Type.Sort)
		}
		here.vals = append(here.vals, t)
	}
	for k := range path {
		b := &path[k]
		sum := c.calls[b.call].sum
		if b.node == 0 {
			here = c.enter(b, here)
			entry = here
		}
		block := &sum.Blocks[b.block]
		sub := here.under(sum)
		for _, ch := range block.Choices {
			sub[ch.Term] = c.pool.Var(fmt.Sprintf("%s@%d", ch.Term.Name(), k), ch.Term.Sort())
		}
		next := reached{facts: append(slices.Clone(here.facts), c.pool.Substitute(block.Cond, sub)), vals: c.pool.SubstituteAll(block.Vals, sub)}
		next.facts = append(next.facts, b.goal(next.vals))
		r, err := c.check(ctx, next.facts...)
		if err != nil {
			return false, err
		}
		if r.Verdict == solve.Unsat {
			return false, c.separate(ctx, path, k, here, entry)
		}
		here = next
	}
	return true, nil
}

// enter is the entry of a call, in the state that was reached.
func (c *cegar) enter(b *pathBlock, from reached) reached {
	sum := c.calls[b.call].sum
	to := reached{facts: slices.Clone(from.facts), vals: slices.Clone(from.vals[:sum.States])}
	for _, v := range sum.Vars[sum.States:] {
		t := c.pool.Const(v.Type.Sort, term.Value{})
		if slices.Contains(sum.Method.Params, v) {
			t = c.pool.Var(fmt.Sprintf("%s@%d", v.Name, b.step), v.Type.Sort)
		}
		to.vals = append(to.vals, t)
	}
	to.facts = append(to.facts, c.pool.Substitute(c.calls[b.call].guard, to.under(sum)))
	if b.step > 0 {
		to.facts = append(to.facts, c.pool.Substitute(c.region(b.a), to.under(sum)))
	}
	return to
}

// separate adds predicates at the start of a block of a path that tell what was
// reached there from what can take the block to where the path goes on.
func (c *cegar) separate(ctx context.Context, path []pathBlock, k int, here, entry reached) error {
	b := &path[k]
	sum := c.calls[b.call].sum
	if b.node > 0 || c.byOrder && len(sum.Heads) > 0 {
		found, err := c.findInvariant(ctx, path, k, entry)
		if err != nil || found {
			return err
		}
	}
	if b.node > 0 && c.byOrder {
		return nil
	}
	cond, vals := c.block(sum, &sum.Blocks[b.block], b.node == 0)
	goal := c.pool.And(cond, b.goal(vals))
	if guard := c.calls[b.call].guard; b.node == 0 && slices.ContainsFunc(term.FreeVars(guard), func(t *term.Term) bool { return c.stateVar(t) != nil }) {
		// A guard of registers is no fact of what was reached, but a condition to go on.
		is := c.pool.Substitute(guard, here.under(sum))
		here.facts = slices.DeleteFunc(slices.Clone(here.facts), func(t *term.Term) bool { return t == is })
		goal = c.pool.And(guard, goal)
	}
	r, err := c.check(ctx, c.at(b.a, b.call, b.part, b.node), goal)
	if err != nil || r.Verdict != solve.Sat {
		return err
	}
	keep := sum.Vars
	if b.node == 0 {
		keep = c.sym.State
	}
	lits := c.literals(goal, r.Model, keep)
	sub := here.under(sum)
	moved := make([]*term.Term, len(lits))
	for i, l := range lits {
		moved[i] = c.pool.Substitute(l, sub)
	}
	c.solver.Push()
	defer c.solver.Pop()
	for _, t := range here.facts {
		c.solver.Assert(t)
	}
	if b.node == 0 {
		if p, err := c.excludes(ctx, b.call, c.at(b.a, b.call, b.part, 0), goal, sub); err != nil {
			return err
		} else if p != nil {
			c.addPredicates([]*term.Term{p})
			return nil
		}
		if p, err := c.orderExcludes(ctx, c.at(b.a, b.call, b.part, 0), goal, sub); err != nil {
			return err
		} else if p != nil {
			c.addPredicates([]*term.Term{p})
			return nil
		}
	}
	if c.byOrder {
		return nil
	}
	core, err := c.shrink(ctx, lits, moved)
	if err != nil {
		return err
	}
	if b.node > 0 {
		c.addHeadPredicates(headKey{sum, sum.Blocks[b.block].From}, core)
		return nil
	}
	core = c.applying(b.a, core)
	// A state that was reached, to see whether a chain meets it.
	if r, err = c.check(ctx); err != nil {
		return err
	}
	state := term.Model{}
	for i, v := range c.sym.State {
		state[v.Term] = term.Eval(here.vals[i], r.Model)
	}
	if c.addChain(core, state) {
		return nil
	}
	if core, err = c.widen(ctx, core, sub); err != nil {
		return err
	}
	c.addPredicates(core)
	return nil
}

// addHeadPredicates adds the atoms of literals that are new at a loop head.
func (c *cegar) addHeadPredicates(h headKey, lits []*term.Term) {
	for _, l := range lits {
		if l.Op() == term.OpNot {
			l = l.Args()[0]
		}
		have := c.headPreds[h]
		if l.IsConst() || slices.Contains(have, l) || slices.Contains(have, c.pool.Not(l)) || len(have) >= maxHeadPreds {
			continue
		}
		c.headPreds[h] = append(slices.Clip(have), l)
	}
}

// adoptHeads adds the predicates at loop heads of another abstraction of the
// same program.
func (c *cegar) adoptHeads(from *cegar) {
	for k := range c.methods {
		sum, theirs := c.methods[k].sum, from.methods[k].sum
		for _, h := range sum.Heads {
			c.addHeadPredicates(headKey{sum, h}, from.headPreds[headKey{theirs, h}])
		}
	}
}

// maxHeadPreds bounds the predicates of one loop head.
const maxHeadPreds = 16

// known counts the predicates of all kinds.
func (c *cegar) known() int {
	n := len(c.preds)
	for _, list := range c.headPreds {
		n += len(list)
	}
	return n
}

// A savepoint is the predicates at some time.
type savepoint struct {
	preds []*term.Term
	heads map[headKey][]*term.Term
}

func (c *cegar) save() savepoint {
	s := savepoint{slices.Clip(c.preds), map[headKey][]*term.Term{}}
	for h, list := range c.headPreds {
		s.heads[h] = list
	}
	return s
}

func (c *cegar) restore(s savepoint) { c.preds, c.headPreds = s.preds, s.heads }

func isVarOf(vars []*prog.Var, t *term.Term) bool {
	return slices.ContainsFunc(vars, func(v *prog.Var) bool { return v.Term == t })
}
