// SPDX-License-Identifier: Apache-2.0

package predabs

// This file computes what a call does in an abstract state.
//
// May comes from abstract reachability over the blocks of a method: the truth
// values of predicates at the next cut point are enumerated by the solver,
// those at loop heads up to a fixpoint. At a loop head there are, besides the
// predicates over the state, those of the head itself, which may speak of
// parameters, results and locals.
//
// A must query unrolls loops a few times. If the call makes choices, the query is an
// exists-forall formula.

import (
	"context"
	"errors"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A PartEffect is an effect in terms of the predicates that the call touches.
type PartEffect struct {
	May     [][]Valuation // by outcome: of the touched predicates, sorted
	Via     []map[Valuation]Way
	Must    [][][]int // by outcome: sets of numbers in may
	Errs    []errorWay
	MustErr bool
	Never   bool       // no state satisfies the guard
	Nodes   []headNode // the entry, then abstract states at loop heads
}

// A headNode is an abstract state at a loop head. The first node of an effect
// is the entry instead.
type headNode struct {
	Loc   int
	Bits  Valuation // of the touched predicates, then of those of the head
	Block int       // by which it was first reached, from
	From  int
	Next  []int // nodes to which a block may lead
}

// A Way is a block taken from a node.
type Way struct{ Node, Block int }

type errorWay struct {
	site *prog.ErrorSite
	Way
}

// Effect computes what a call does in an abstract state.
func (m *Abstraction) Effect(ctx context.Context, a int32, call int) (*Effect, error) {
	key := [2]int32{a, int32(call)}
	if e := m.Memo[key]; e != nil {
		return e, nil
	}
	part, err := m.part(ctx, a, call)
	if err != nil {
		return nil, err
	}
	e := m.Lift(a, call, part)
	m.Memo[key] = e
	return e, nil
}

// Lift makes the effect in an abstract state of the effect on the predicates that the call touches.
func (m *Abstraction) Lift(a int32, call int, part *PartEffect) *Effect {
	pl := m.Plan(call)
	bits := make([]byte, len(m.Preds))
	copy(bits, m.Cubes[a])
	e := &Effect{May: make([][]int32, len(part.May)), Must: make([][][]int32, len(part.May)), MustErr: part.MustErr, Part: part}
	for o, list := range part.May {
		numbers := make([]int32, len(list))
		for n, v := range list {
			for k, i := range pl.Touched {
				bits[i] = v[k]
			}
			numbers[n] = m.Intern(Valuation(bits))
		}
		for _, set := range part.Must[o] {
			var t []int32
			for _, n := range set {
				t = append(t, numbers[n])
			}
			slices.Sort(t)
			e.Must[o] = append(e.Must[o], t)
		}
		slices.Sort(numbers)
		e.May[o] = numbers
	}
	for _, w := range part.Errs {
		e.MayErr = append(e.MayErr, w.site)
	}
	return e
}

// part returns the effect in terms of what the call touches.
func (m *Abstraction) part(ctx context.Context, a int32, call int) (*PartEffect, error) {
	key := m.partKey(a, call)
	if e := m.parts[key]; e != nil {
		return e, nil
	}
	n := len(m.Calls[call].Outcomes)
	e := &PartEffect{May: make([][]Valuation, n), Via: make([]map[Valuation]Way, n), Must: make([][][]int, n)}
	if err := m.mayEffect(ctx, a, call, e); err != nil {
		return nil, err
	}
	switch m.Scope {
	case MustNone:
	case MustErrors:
		if err := m.mustPlainly(ctx, a, call, e); err != nil {
			return nil, err
		}
	default:
		if err := m.mustEffect(ctx, a, call, e, ForSome); err != nil {
			return nil, err
		}
	}
	m.parts[key] = e
	return e, nil
}

// Before is what matters to a call of an abstract state before it, and the guard.
func (m *Abstraction) Before(a int32, call int) *term.Term {
	if a == 0 {
		return m.Pool.And(m.initial(), m.Calls[call].Guard)
	}
	return m.Pool.And(m.Assumed, m.Sym.Invariant, m.Calls[call].Guard, m.Some(a, m.Plan(call).matter))
}

// GuardAt is what is left of the guard at loop heads: it is about the arguments,
// and there parameters may have other values.
func (m *Abstraction) GuardAt(call int) *term.Term {
	c := &m.Calls[call]
	f := m.Footprint(c.Sum)
	if slices.ContainsFunc(term.FreeVars(c.Guard), func(v *term.Term) bool { return !f.Fixed[v] }) {
		return m.Pool.True()
	}
	return c.Guard
}

// Some is the conjunction of some predicates as they are in an abstract state.
func (m *Abstraction) Some(a int32, which []int) *term.Term {
	preds := make([]*term.Term, len(which))
	for k, i := range which {
		preds[k] = m.Preds[i]
	}
	return m.Valued(preds, m.Cubes[a].Pick(which), nil)
}

// Tracked lists the predicates whose truth is known at a loop head.
func (m *Abstraction) Tracked(call, loc int) []*term.Term {
	return slices.Concat(m.Plan(call).Preds, m.HeadPreds[HeadKey{m.Calls[call].Sum, loc}])
}

// At is what is known at a node of an effect, over the variables of the method;
// of the predicates that the call does not touch, those that matter.
func (m *Abstraction) At(a int32, call int, e *PartEffect, n int) *term.Term {
	if n == 0 {
		return m.Before(a, call)
	}
	node := e.Nodes[n]
	here := m.Valued(m.Tracked(call, node.Loc), node.Bits, nil)
	if a == 0 {
		return m.Pool.And(m.Assumed, m.GuardAt(call), here)
	}
	return m.Pool.And(m.Assumed, m.GuardAt(call), m.Some(a, m.Plan(call).Kept), here)
}

// targets enumerates the truth values that predicates can have under
// assumptions. What the solver cannot decide may be.
func (m *Abstraction) targets(ctx context.Context, preds []*term.Term, assume ...*term.Term) ([]Valuation, error) {
	if len(preds) == 0 {
		r, err := m.Check(ctx, assume...)
		if Undecided(err) || err == nil && r.Verdict == solve.Sat {
			return []Valuation{""}, nil
		}
		return nil, err
	}
	out, err := m.project(ctx, m.Solver, preds, assume)
	if Undecided(err) { // one by one it may be easier
		out, err = m.project(ctx, struct{ solve.Solver }{m.Solver}, preds, assume)
	}
	if Undecided(err) && len(preds) <= maxOpen {
		out, err = nil, nil
		for n := range 1 << len(preds) {
			bits := make([]byte, len(preds))
			for i := range preds {
				bits[i] = '0' + byte(n>>i&1)
			}
			out = append(out, Valuation(bits))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// Undecided reports whether a solver had no answer.
func Undecided(err error) bool {
	var u *solve.UndecidedError
	return errors.As(err, &u)
}

func (m *Abstraction) project(ctx context.Context, solver solve.Solver, preds, assume []*term.Term) ([]Valuation, error) {
	if err := m.Step(ctx); err != nil {
		return nil, err
	}
	var out []Valuation
	err := solve.Project(ctx, m.Pool, solver, assume, preds, func(cube []solve.Lit3) bool {
		free := []int{}
		bits := make([]byte, len(cube))
		for i, l := range cube {
			bits[i] = '0'
			switch l {
			case solve.True:
				bits[i] = '1'
			case solve.Any:
				free = append(free, i)
			}
		}
		if m.Work += 1 << min(len(free), 30); m.exceeded(ctx) != nil {
			return false
		}
		for n := range 1 << len(free) {
			for k, i := range free {
				bits[i] = '0' + byte(n>>k&1)
			}
			out = append(out, Valuation(bits))
		}
		return true
	})
	if err == nil {
		err = m.exceeded(ctx)
	}
	return out, err
}

func (m *Abstraction) mayEffect(ctx context.Context, a int32, call int, e *PartEffect) error {
	c := &m.Calls[call]
	method, pl := c.Sum.Method, m.Plan(call)
	e.Nodes = []headNode{{Loc: method.Entry, From: -1}}
	type id struct {
		loc  int
		bits Valuation
	}
	index := map[id]int{} // of loop heads
	for o := range e.Via {
		e.Via[o] = map[Valuation]Way{}
	}
	for n := 0; n < len(e.Nodes); n++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		base := m.At(a, call, e, n)
		for k := range c.Sum.Blocks {
			b := &c.Sum.Blocks[k]
			if b.From != e.Nodes[n].Loc {
				continue
			}
			cond, vals := m.Block(c.Sum, b, n == 0)
			sub := After(c.Sum, vals)
			switch site := method.ErrorAt(b.To); {
			case site != nil:
				if site.Blamed || slices.ContainsFunc(e.Errs, func(w errorWay) bool { return w.site == site }) {
					continue
				}
				r, err := m.Check(ctx, base, cond)
				if err != nil && !Undecided(err) {
					return err
				}
				if err != nil || r.Verdict == solve.Sat {
					e.Errs = append(e.Errs, errorWay{site, Way{n, k}})
				}
			case b.To == method.Exit:
				preds := m.Pool.SubstituteAll(pl.Preds, sub)
				for o, out := range c.Outcomes {
					list, err := m.targets(ctx, preds, base, cond, m.Pool.Substitute(out.Cond, sub))
					if err != nil {
						return err
					}
					for _, v := range list {
						if _, ok := e.Via[o][v]; !ok {
							e.Via[o][v] = Way{n, k}
							e.May[o] = append(e.May[o], v)
						}
					}
				}
			default:
				list, err := m.targets(ctx, m.Pool.SubstituteAll(m.Tracked(call, b.To), sub), base, cond)
				if err != nil {
					return err
				}
				for _, v := range list {
					next, ok := index[id{b.To, v}]
					if !ok {
						next = len(e.Nodes)
						index[id{b.To, v}] = next
						e.Nodes = append(e.Nodes, headNode{Loc: b.To, Bits: v, Block: k, From: n})
					}
					e.Nodes[n].Next = append(e.Nodes[n].Next, next)
				}
			}
		}
	}
	for o := range e.May {
		slices.Sort(e.May[o])
	}
	return nil
}

// Block returns the condition and the values of a block; at the entry results
// and locals are zero.
func (m *Abstraction) Block(sum *explore.Summary, b *explore.Block, entry bool) (*term.Term, []*term.Term) {
	if !entry {
		return b.Cond, b.Vals
	}
	sub := m.Entry(sum)
	return m.Pool.Substitute(b.Cond, sub), m.Pool.SubstituteAll(b.Vals, sub)
}
