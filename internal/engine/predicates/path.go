// SPDX-License-Identifier: Apache-2.0

package predicates

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

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/words"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A pathBlock is a block of an abstract trace.
type pathBlock struct {
	step int // of the word
	call int
	a    int32 // the abstract state before the call
	part *predabs.PartEffect
	node int // where it starts; 0 is the entry
	// The block, to where it leads, and what holds with the values there.
	block, to int
	goal      func(vals []*term.Term) *term.Term
}

// pathOf finds the blocks of a trace of the word and a last call.
func (f *Finder) pathOf(ctx context.Context, trace []int32, word [][2]int, last [2]int) ([]pathBlock, error) {
	var path []pathBlock
	for i, a := range trace {
		x := last
		if i < len(word) {
			x = word[i]
		}
		e, err := f.Abs.Effect(ctx, a, x[0])
		if err != nil {
			return nil, err
		}
		call, pl, part := &f.Abs.Calls[x[0]], f.Abs.Plan(x[0]), e.Part
		end := pathBlock{step: i, call: x[0], a: a, part: part, goal: func([]*term.Term) *term.Term { return f.Abs.Pool.True() }}
		var w predabs.Way
		switch {
		case i < len(word):
			want := f.Abs.Cubes[trace[i+1]].Pick(pl.Touched)
			w = part.Via[x[1]][want]
			end.goal = func(vals []*term.Term) *term.Term {
				sub := predabs.After(call.Sum, vals)
				return f.Abs.Pool.And(f.Abs.Pool.Substitute(call.Outcomes[x[1]].Cond, sub), f.Abs.Valued(pl.Preds, want, sub))
			}
		case x[1] == words.EndErrs:
			w = part.Errs[0].Way
		case x[1] >= 0:
			w = part.Via[x[1]][part.May[x[1]][0]]
			end.goal = func(vals []*term.Term) *term.Term {
				return f.Abs.Pool.Substitute(call.Outcomes[x[1]].Cond, predabs.After(call.Sum, vals))
			}
		default:
			for o := len(part.May) - 1; o >= 0; o-- {
				if len(part.May[o]) > 0 {
					w = part.Via[o][part.May[o][0]]
				}
			}
		}
		end.node, end.block = w.Node, w.Block
		blocks := []pathBlock{end}
		for n := w.Node; n > 0; n = part.Nodes[n].From {
			node := part.Nodes[n]
			b := end
			b.node, b.block = node.From, node.Block
			b.goal = func(vals []*term.Term) *term.Term {
				return f.Abs.Valued(f.Abs.Tracked(x[0], node.Loc), node.Bits, predabs.After(call.Sum, vals))
			}
			blocks = append(blocks, b)
		}
		slices.Reverse(blocks)
		path = append(path, blocks...)
	}
	for k := range path {
		path[k].to = f.Abs.Calls[path[k].call].Sum.Blocks[path[k].block].To
	}
	return path, nil
}

// A reached is what the component has reached along a path.
type reached struct {
	facts []*term.Term // over initial values, arguments and choices, renamed
	vals  []*term.Term // of the variables of the current method
}

// under is the substitution by the values reached.
func (r *reached) under(sum *explore.Summary) map[*term.Term]*term.Term {
	return predabs.After(sum, r.vals)
}

// A Removal is by which predicates a trace is removed.
type Removal int

const (
	byAny    Removal = iota
	ByOrders         // only orders (order.go), and invariants of loops
)

// RemoveTrace adds predicates that remove an abstract trace of a word and a
// last call. It reports true if there is nothing to remove, the component
// having such a run.
func (f *Finder) RemoveTrace(ctx context.Context, trace []int32, word [][2]int, last [2]int) (bool, error) {
	return f.RemoveTraceBy(ctx, trace, word, last, byAny)
}

// RemoveTraceBy is RemoveTrace by some predicates only.
func (f *Finder) RemoveTraceBy(ctx context.Context, trace []int32, word [][2]int, last [2]int, by Removal) (bool, error) {
	path, err := f.pathOf(ctx, trace, word, last)
	if err != nil {
		return false, err
	}
	here := reached{vals: words.Start(f.Abs)}
	var entry reached
	for k := range path {
		b := &path[k]
		sum := f.Abs.Calls[b.call].Sum
		if b.node == 0 {
			here = f.enter(b, here)
			entry = here
		}
		block := &sum.Blocks[b.block]
		sub := here.under(sum)
		for _, ch := range block.Choices {
			sub[ch.Term] = f.Abs.Pool.Var(fmt.Sprintf("%s@%d", ch.Term.Name(), k), ch.Term.Sort())
		}
		next := reached{facts: append(slices.Clone(here.facts), f.Abs.Pool.Substitute(block.Cond, sub)), vals: f.Abs.Pool.SubstituteAll(block.Vals, sub)}
		next.facts = append(next.facts, b.goal(next.vals))
		r, err := f.Abs.Check(ctx, next.facts...)
		if err != nil {
			return false, err
		}
		if r.Verdict == solve.Unsat {
			return false, f.separate(ctx, &gap{path, k, here, entry}, by)
		}
		here = next
	}
	return true, nil
}

// enter is the entry of a call, in the state that was reached.
func (f *Finder) enter(b *pathBlock, from reached) reached {
	sum := f.Abs.Calls[b.call].Sum
	to := reached{facts: slices.Clone(from.facts), vals: slices.Clone(from.vals[:sum.States])}
	for _, v := range sum.Vars[sum.States:] {
		t := f.Abs.Pool.Const(v.Type.Sort, term.Value{})
		if slices.Contains(sum.Method.Params, v) {
			t = f.Abs.Pool.Var(fmt.Sprintf("%s@%d", v.Name, b.step), v.Type.Sort)
		}
		to.vals = append(to.vals, t)
	}
	to.facts = append(to.facts, f.Abs.Pool.Substitute(f.Abs.Calls[b.call].Guard, to.under(sum)))
	if b.step > 0 {
		to.facts = append(to.facts, f.Abs.Pool.Substitute(f.Abs.Region(b.a), to.under(sum)))
	}
	return to
}

// A gap is where the component cannot go on along a path: the number of the block that it cannot take, or not to where the path goes on, and
// what it has reached before the block, and at the entry of its call.
type gap struct {
	path        []pathBlock
	block       int
	here, entry reached
}

// separate adds predicates at a gap that tell what was reached there from what can take the block to where the path goes on.
func (f *Finder) separate(ctx context.Context, g *gap, by Removal) error {
	b := &g.path[g.block]
	sum := f.Abs.Calls[b.call].Sum
	if b.node > 0 || by == ByOrders && len(sum.Heads) > 0 {
		found, err := f.findInvariant(ctx, g)
		if err != nil || found {
			return err
		}
	}
	if b.node > 0 && by == ByOrders {
		return nil
	}
	goal, facts := f.goalAt(g)
	r, err := f.Abs.Check(ctx, f.Abs.At(b.a, b.call, b.part, b.node), goal)
	if err != nil || r.Verdict != solve.Sat {
		return err
	}
	keep := sum.Vars
	if b.node == 0 {
		keep = f.Abs.Sym.State
	}
	lits := f.literals(goal, r.Model, keep)
	sub := g.here.under(sum)
	moved := f.Abs.Pool.SubstituteAll(lits, sub)
	f.Abs.Solver.Push()
	defer f.Abs.Solver.Pop()
	for _, t := range facts {
		f.Abs.Solver.Assert(t)
	}
	if b.node == 0 {
		p, err := f.excludes(ctx, b, goal, sub)
		if p != nil && err == nil {
			f.Add([]*term.Term{p})
		}
		if p != nil || err != nil {
			return err
		}
	}
	if by == ByOrders {
		return nil
	}
	core, err := f.shrink(ctx, lits, moved)
	if err != nil {
		return err
	}
	if b.node > 0 {
		f.addHead(predabs.HeadKey{Sum: sum, Loc: sum.Blocks[b.block].From}, core)
		return nil
	}
	return f.addCore(ctx, g, f.applying(b.a, core))
}

// goalAt is the condition, over the variables of the method, to take the block of a gap to where the path goes on, and the facts that hold there. A
// guard of registers is no fact of what was reached, but a condition to go on.
func (f *Finder) goalAt(g *gap) (goal *term.Term, facts []*term.Term) {
	b := &g.path[g.block]
	sum := f.Abs.Calls[b.call].Sum
	cond, vals := f.Abs.Block(sum, &sum.Blocks[b.block], b.node == 0)
	goal = f.Abs.Pool.And(cond, b.goal(vals))
	guard := f.Abs.Calls[b.call].Guard
	if b.node > 0 || !slices.ContainsFunc(term.FreeVars(guard), func(t *term.Term) bool { return predabs.IsVarOf(f.Abs.Sym.State, t) }) {
		return goal, g.here.facts
	}
	is := f.Abs.Pool.Substitute(guard, g.here.under(sum))
	return f.Abs.Pool.And(guard, goal), slices.DeleteFunc(slices.Clone(g.here.facts), func(t *term.Term) bool { return t == is })
}

// addCore adds the predicates of a core before the call of a gap, or those that go on where they lead to; what was reached is asserted.
func (f *Finder) addCore(ctx context.Context, g *gap, core []*term.Term) error {
	// A state that was reached, to see whether a chain meets it.
	r, err := f.Abs.Check(ctx)
	if err != nil {
		return err
	}
	state := term.Model{}
	for i, v := range f.Abs.Sym.State {
		state[v.Term] = term.Eval(g.here.vals[i], r.Model)
	}
	if f.addChain(core, state) {
		return nil
	}
	if core, err = f.widen(ctx, core, g.here.under(f.Abs.Calls[g.path[g.block].call].Sum)); err != nil {
		return err
	}
	f.Add(core)
	return nil
}

// addHead adds the atoms of literals that are new at a loop head.
func (f *Finder) addHead(h predabs.HeadKey, lits []*term.Term) {
	for _, l := range lits {
		if l.Op() == term.OpNot {
			l = l.Args()[0]
		}
		have := f.Abs.HeadPreds[h]
		if l.IsConst() || slices.Contains(have, l) || slices.Contains(have, f.Abs.Pool.Not(l)) || len(have) >= maxHeadPreds {
			continue
		}
		f.Abs.HeadPreds[h] = append(slices.Clip(have), l)
	}
}

// AdoptHeads adds the predicates at loop heads of another abstraction of the
// same program.
func (f *Finder) AdoptHeads(from *predabs.Abstraction) {
	for k := range f.Abs.Methods {
		sum, theirs := f.Abs.Methods[k].Sum, from.Methods[k].Sum
		for _, h := range sum.Heads {
			f.addHead(predabs.HeadKey{Sum: sum, Loc: h}, from.HeadPreds[predabs.HeadKey{Sum: theirs, Loc: h}])
		}
	}
}
