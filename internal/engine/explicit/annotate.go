// SPDX-License-Identifier: Apache-2.0

package explicit

// This file adds to an interface what its states mean and why calls are
// forbidden. One breadth-first search over pairs (interface state, component
// state), along allowed calls, finds which component states each interface
// state may stand for, and a shortest concrete word to each pair.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

const (
	// MaxLabelWork bounds (states x variables) for which labels are looked for.
	MaxLabelWork = 1 << 22
	// maxLabelPoints bounds the points left after dropping variables, times
	// states, and maxLiterals the same points times literals.
	maxLabelPoints = 1 << 22
	maxLiterals    = 1 << 27
	// maxLabelSteps bounds the steps of covering for all labels of an interface:
	// about two seconds. States after that have none.
	maxLabelSteps = 1 << 28
	// maxWitnessSteps bounds the steps of all witnesses. If there are many
	// forbidden cells, those with long witnesses go without: n states in a row
	// would need n*n/2 steps.
	maxWitnessSteps = 1 << 22
	// minWitness is the length up to which a witness is always given.
	minWitness = 64
)

func (b *builder) annotate(ctx context.Context, i *typestate.Interface) error {
	// nodes[n].h is the dfa state, nodes[n].x the component state.
	var nodes []Node
	seen := newPairs()
	for _, s := range b.c.Initial {
		if seen.add(0, s) {
			nodes = append(nodes, Node{0, s, -1, -1})
		}
	}
	forbidden := b.forbiddenCells(i)
	for from := 0; from < len(nodes); {
		level := len(nodes)
		var todo []int32
		for _, n := range nodes[from:level] {
			if !b.c.Expanded(n.X) {
				todo = append(todo, n.X)
			}
		}
		if err := b.c.Expand(ctx, todo); err != nil {
			return err
		}
		for ; from < level; from++ {
			if from&0xffff == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			n := nodes[from]
			for _, e := range b.c.Edges(n.X) {
				part := int(^e.Letter)
				if e.Letter >= 0 {
					part = b.c.Letters[e.Letter].Call
				}
				if cell := forbidden[cellKey{n.H, part}]; cell != nil {
					cell.see(b, n.H, part, from, e.Letter, e.To)
					continue
				}
				if e.Letter < 0 {
					continue // cannot be: an allowed call does not err
				}
				if to := b.dfa.Step(n.H, int(e.Letter)); seen.add(to, e.To) {
					nodes = append(nodes, Node{to, e.To, int32(from), e.Letter})
				}
			}
		}
	}
	b.nameLetters()
	longest := max(minWitness, maxWitnessSteps/max(1, len(forbidden)))
	for _, cell := range forbidden {
		cell.finish(b, nodes, longest)
	}
	b.label(i, nodes)
	return nil
}

// A cellKey is a dfa state and a call of the component.
type cellKey struct {
	state int32
	part  int
}

// A cell is a forbidden cell of the interface, as it is found.
type cell struct {
	set      func(verdict string, errors []typestate.ErrorSite, witness []typestate.Step)
	returns  bool
	sites    []int32
	errs     place // first pair from which it errs
	dead     place // first pair from which it returns to a dead end
	finished bool
}

// A place is a node of the search and a call of the component made there.
// The zero value is none: node is counted from 1.
type place struct{ node, part int }

// forbiddenCells indexes the forbidden cells of the interface.
func (b *builder) forbiddenCells(i *typestate.Interface) map[cellKey]*cell {
	byID := map[string]*call{}
	for _, k := range b.calls {
		if !k.constructor {
			byID[k.id] = k
		}
	}
	cells := map[cellKey]*cell{}
	for n := range i.Forbidden {
		f := &i.Forbidden[n]
		c := &cell{set: func(v string, e []typestate.ErrorSite, w []typestate.Step) {
			f.Verdict, f.Errors, f.Witness = v, e, w
		}}
		for _, part := range byID[f.Call].parts {
			cells[cellKey{b.states[f.State], part}] = c
		}
	}
	for n := range i.Constructors {
		f := &i.Constructors[n]
		if f.Verdict == "allowed" {
			continue
		}
		c := &cell{set: func(v string, e []typestate.ErrorSite, w []typestate.Step) {
			f.Verdict, f.Errors, f.Witness = v, e, w
		}}
		for _, k := range b.calls {
			if k.constructor && k.id == f.ID {
				for _, part := range k.parts {
					cells[cellKey{0, part}] = c
				}
			}
		}
	}
	return cells
}

// see records that a component state of a pair has an edge of the cell's call.
func (c *cell) see(b *builder, state int32, part, at int, letter, site int32) {
	switch {
	case letter < 0:
		if c.errs.node == 0 {
			c.errs = place{at + 1, part}
		}
		if !slices.Contains(c.sites, site) {
			c.sites = append(c.sites, site)
		}
	case b.deadEnd[letterAt{letter, state}]:
		if c.dead.node == 0 {
			c.dead = place{at + 1, part}
		}
	default:
		c.returns = true
	}
}

// finish writes down what was seen. A call that only leads to dead ends fails
// in the infinite-word reading; one that errs after some words and leads to a
// dead end after others may fail.
func (c *cell) finish(b *builder, nodes []Node, longest int) {
	if c.finished {
		return
	}
	c.finished = true
	at := c.errs
	if at.node == 0 {
		at = c.dead
	}
	if at.node == 0 {
		panic("engine: a forbidden call neither errs nor leads to a dead end")
	}
	verdict := "fails"
	if c.returns || c.errs.node > 0 && c.dead.node > 0 {
		verdict = "may-fail"
	}
	slices.Sort(c.sites)
	errs := []typestate.ErrorSite{}
	for _, s := range c.sites {
		e := b.c.Sites[s]
		errs = append(errs, typestate.ErrorSite{Kind: e.Kind, Message: e.Message, At: e.Pos.String()})
	}
	if c.dead.node > 0 {
		errs = append(errs, typestate.ErrorSite{Kind: "dead-end", Message: "every continuation ends in an error", At: b.c.Calls[c.dead.part].Method.Pos.String()})
	}
	c.set(verdict, errs, b.witness(nodes, at.node-1, at.part, longest))
}

// witness is the concrete word to a pair, then the call; nothing if it is
// longer than allowed.
func (b *builder) witness(nodes []Node, at, part, longest int) []typestate.Step {
	steps := []typestate.Step{b.step(part, "")}
	for n := nodes[at]; n.Parent >= 0; n = nodes[n.Parent] {
		if len(steps) == longest {
			return []typestate.Step{}
		}
		steps = append(steps, b.step(b.c.Letters[n.Letter].Call, b.outcomeOf[n.Letter]))
	}
	slices.Reverse(steps)
	return steps
}

func (b *builder) step(part int, outcome string) typestate.Step {
	k := b.c.Calls[part]
	args := map[string]string{}
	for i, v := range k.Method.Params {
		args[v.Name] = describe.FormatValue(v.Type, k.Args[0][i])
	}
	return typestate.Step{Call: k.Method.Name, Args: args, Outcome: outcome}
}

// nameLetters finds the outcome that each letter belongs to.
func (b *builder) nameLetters() {
	b.outcomeOf = make([]string, len(b.c.Letters))
	for _, k := range b.calls {
		for _, part := range k.parts {
			letters := b.c.Calls[part].Letters
			for _, x := range letters {
				b.outcomeOf[x] = "return"
			}
			for _, o := range k.outcomes {
				for _, r := range o.results {
					b.outcomeOf[letters[r]] = o.name
				}
			}
		}
	}
}

// label describes each interface state by the component states it may stand
// for, over the reachable ones.
func (b *builder) label(i *typestate.Interface, nodes []Node) {
	// Component states of constructed objects, and which interface states each
	// may be in.
	index := map[int32]int{}
	var ids []int32
	in := [][]int32{}
	if len(nodes)*len(b.c.State) > MaxLabelWork {
		return
	}
	for _, n := range nodes {
		if n.H == 0 {
			continue
		}
		k, ok := index[n.X]
		if !ok {
			k = len(ids)
			index[n.X] = k
			ids = append(ids, n.X)
			in = append(in, nil)
		}
		in[k] = append(in[k], b.state[n.H])
	}
	if len(i.States) == 1 {
		i.States[0].Label = "true"
		return
	}
	points := make([][]uint64, len(ids))
	for k, id := range ids {
		points[k] = b.c.Values(id)
	}
	for s, text := range Labels(b.c.Prog, b.c.State, points, in, len(i.States)) {
		i.States[s].Label = text
	}
}

// Labels describes sets of component states: points are the states, in lists
// the sets that each is in. A description that would be too long is empty.
func Labels(p *prog.Program, vars []*prog.Var, points [][]uint64, in [][]int32, sets int) []string {
	out := make([]string, sets)
	for k := range in {
		slices.Sort(in[k])
	}
	// Drop variables first, on the classes of points with the same sets.
	d := describe.DropVariables(p, vars, points, in)
	if len(d.Points)*sets > maxLabelPoints || d.Size() > maxLiterals {
		return out
	}
	d.Literals(describe.StateConditions(p))
	member := make([]bool, len(points))
	for s := range out {
		for k := range points {
			_, member[k] = slices.BinarySearch(in[k], int32(s))
		}
		text, ok := d.FormulaWithin(maxLabelSteps, member)
		if !ok {
			break
		}
		if len(text) <= describe.MaxLabel {
			out[s] = text
		}
	}
	return out
}
