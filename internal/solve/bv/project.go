// SPDX-License-Identifier: Apache-2.0

package bv

// This file enumerates the truth values that predicates can have. A model gives a
// combination of values; the combination is blocked by a clause and the solver is
// asked again. The clauses carry a literal of their own, assumed as long as the
// enumeration lasts.
//
// Before it is blocked, a combination is generalized: a predicate is freed if
// both of its values are possible whatever the other freed predicates are. It is
// enough that there are input bits of its own, on which, with the rest of the
// model fixed, neither the question nor a predicate that is kept depends
// (three-valued simulation tells), nor any other freed predicate (it does not
// have them in its cone), and which can give the predicate its other value
// (a search among these bits only tells). Independent predicates then cost one
// model instead of one for each combination.
//
// Dropping a literal and asking whether the rest still implies the formula, as
// for prime implicants, does not work here: what is sought is a projection, and
// whether a cube lies in it is a question with two quantifiers.

import (
	"context"
	"fmt"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/sat"
	"github.com/interlock-go/interlock/internal/term"
)

var _ solve.Projector = (*Solver)(nil)

// A projection is an enumeration under way.
type projection struct {
	s     *Solver
	query sat.Query
	nodes []uint32 // the cone, operands first
	must  []edge   // what holds
	preds []predicate
	cubes [][]solve.Lit3 // found
	value []uint8        // by node: 0, 1, or 2 for either
	owner []int32        // by input node: 1 + freed predicate that varies it
	watch []int32        // by node: how many of what must hold, and of the predicates that are kept, are its value
}

type predicate struct {
	e      edge
	lit    sat.Lit
	inputs []uint32 // input nodes in its cone
	cone   []int    // variables of its cone
	tries  int      // attempts to free it that failed, less those that did not
}

func (x *predicate) constant() bool { return x.e == yes || x.e == no }

// Project enumerates the combinations of truth values of preds; see
// [solve.Project].
func (s *Solver) Project(ctx context.Context, _ *term.Pool, assumptions, preds []*term.Term, f func(cube []solve.Lit3) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.stats.Checks++
	s.tidy(append(append([]*term.Term(nil), assumptions...), preds...))
	if !s.opt.SearchOnly {
		if _, ok := s.byBounds(assumptions); ok {
			s.stats.Bounds++
			return nil
		}
	}
	// The stack and assumptions, as for a search.
	if _, core := s.question(assumptions); core != nil {
		return nil
	}
	p := &projection{s: s}
	for _, a := range s.stack {
		p.must = append(p.must, a.e)
	}
	for _, t := range assumptions {
		p.must = append(p.must, s.enc.bool(t))
	}
	lits := append([]sat.Lit(nil), s.lits...)
	p.preds = make([]predicate, len(preds))
	for i, t := range preds {
		e := s.enc.bool(t)
		p.preds[i].e = e
		if p.preds[i].constant() {
			continue
		}
		p.preds[i].lit = s.enc.encode(e)
		s.enc.encode(e ^ 1)
	}
	p.cones()
	act := sat.Pos(s.sat.NewVar())
	defer s.clause(act ^ 1)
	p.query.Assumptions = append(lits, act)
	p.query.Cone = append(p.query.Cone, act.Var())
	p.query.Closed = true
	p.query.Conflicts = s.opt.Conflicts
	for {
		s.stats.Searches++
		status, err := s.sat.Solve(ctx, p.query)
		switch {
		case err != nil:
			return err
		case status == sat.Unsat:
			return s.certified(s.sat.Core())
		case status == sat.Unknown:
			return &solve.UndecidedError{Reason: fmt.Sprintf("no answer within %d conflicts", s.opt.Conflicts)}
		}
		cube := p.read()
		if err := p.generalize(ctx, cube); err != nil {
			return err
		}
		block := []sat.Lit{act ^ 1}
		for i, l := range cube {
			if l != solve.Any && !p.preds[i].constant() {
				block = append(block, p.preds[i].lit^satSign(l == solve.True))
			}
		}
		p.cubes = append(p.cubes, append([]solve.Lit3(nil), cube...))
		if !f(cube) || len(block) == 1 {
			return nil
		}
		s.clause(block...)
	}
}

func satSign(b bool) sat.Lit {
	if b {
		return 1
	}
	return 0
}

// cones collects the nodes and variables of the enumeration and of each predicate.
func (p *projection) cones() {
	s := p.s
	if n := s.Gates(); n > len(s.stamp) {
		s.stamp = append(s.stamp, make([]uint32, n+n/2-len(s.stamp))...)
	}
	stamp := make([]uint32, s.Gates())
	var nodes []uint32
	for i := range p.preds {
		x := &p.preds[i]
		nodes = s.enc.visit(x.e, stamp, uint32(i+1), nodes[:0])
		for _, n := range nodes {
			if s.enc.nodes[n].kind == inputNode {
				x.inputs = append(x.inputs, n)
			}
			if s.enc.has(n) {
				x.cone = append(x.cone, int(s.enc.vars[n])-1)
			}
		}
	}
	now := uint32(len(p.preds) + 1)
	for _, e := range p.must {
		p.nodes = s.enc.visit(e, stamp, now, p.nodes)
	}
	for i := range p.preds {
		p.nodes = s.enc.visit(p.preds[i].e, stamp, now, p.nodes)
	}
	for _, n := range p.nodes {
		if s.enc.has(n) {
			p.query.Cone = append(p.query.Cone, int(s.enc.vars[n])-1)
		}
	}
	// Operands have smaller numbers: marking and sweeping sorts.
	p.nodes = p.nodes[:0]
	for n, k := range stamp {
		if k == now {
			p.nodes = append(p.nodes, uint32(n))
		}
	}
	p.value = make([]uint8, s.Gates())
	p.owner = make([]int32, s.Gates())
	p.watch = make([]int32, s.Gates())
}

// read takes the values of the inputs from the model, computes all others, and
// returns the combination.
func (p *projection) read() []solve.Lit3 {
	s := p.s
	for _, n := range p.nodes {
		if s.enc.nodes[n].kind == inputNode {
			p.value[n] = 0
			if s.enc.has(n) && s.sat.Value(int(s.enc.vars[n])-1) {
				p.value[n] = 1
			}
			p.owner[n] = 0
		}
	}
	clear(p.watch)
	p.simulate()
	cube := make([]solve.Lit3, len(p.preds))
	for i, x := range p.preds {
		cube[i] = solve.False
		if p.at(x.e) == 1 {
			cube[i] = solve.True
		}
	}
	return cube
}

// at is the value of an edge.
func (p *projection) at(e edge) uint8 {
	v := p.value[e.node()]
	if v < 2 {
		v ^= uint8(e & 1)
	}
	return v
}

// keep watches what must hold and the predicates, all of which are kept at first.
func (p *projection) keep() {
	for _, e := range p.must {
		p.watch[e.node()]++
	}
	for i := range p.preds {
		p.watch[p.preds[i].e.node()]++
	}
}

// simulate computes the values of gates from those of inputs. It ends, and reports false, at the first node that is
// watched and has either value: what is watched has the value of the model, or either.
func (p *projection) simulate() bool {
	for _, n := range p.nodes {
		x := &p.s.enc.nodes[n]
		var v uint8
		switch x.kind {
		case constNode:
			continue
		case inputNode:
			if p.value[n] == 2 && p.watch[n] > 0 {
				return false
			}
			continue
		case andNode:
			switch a, b := p.at(x.a), p.at(x.b); {
			case a == 0 || b == 0:
			case a == 1 && b == 1:
				v = 1
			default:
				v = 2
			}
		case xorNode:
			a, b := p.at(x.a), p.at(x.b)
			if v = a ^ b; a == 2 || b == 2 {
				v = 2
			}
		case muxNode:
			switch a, b, c := p.at(x.a), p.at(x.b), p.at(x.c); {
			case a == 1:
				v = b
			case a == 0:
				v = c
			case b == c:
				v = b
			default:
				v = 2
			}
		case majNode:
			switch a, b, c := p.at(x.a), p.at(x.b), p.at(x.c); {
			case a == b && a != 2 || a == c && a != 2:
				v = a
			case b == c:
				v = b
			default:
				v = 2
			}
		}
		if v == 2 && p.watch[n] > 0 {
			return false
		}
		p.value[n] = v
	}
	return true
}

// maxTries is the number of failures after which a predicate is not tried again.
const maxTries = 3

// generalize frees predicates of the combination that was read last.
func (p *projection) generalize(ctx context.Context, cube []solve.Lit3) error {
	// The values of the model, for inputs that are varied.
	var kept []uint8
	p.keep()
	for i := range p.preds {
		x := &p.preds[i]
		if x.constant() || x.tries >= maxTries || p.overlaps(cube, i) {
			continue
		}
		var vary []uint32
		shared := false
		for _, n := range x.inputs {
			if p.owner[n] != 0 {
				shared = true // with a freed predicate
				break
			}
			if p.varies(n) {
				vary = append(vary, n)
			}
		}
		if shared || len(vary) == 0 {
			x.tries++
			continue
		}
		kept = kept[:0]
		for _, n := range vary {
			kept = append(kept, p.value[n])
			p.value[n] = 2
		}
		p.watch[x.e.node()]--
		ok := p.simulate()
		for j, n := range vary {
			p.value[n] = kept[j]
		}
		if ok {
			var err error
			if ok, err = p.flips(ctx, x, vary, cube[i]); err != nil {
				return err
			}
		}
		if !ok {
			p.watch[x.e.node()]++
			x.tries++
			continue
		}
		x.tries--
		cube[i] = solve.Any
		for _, n := range vary {
			p.owner[n] = int32(i) + 1
			p.value[n] = 2
		}
	}
	return nil
}

// varies says whether an input may be varied alone. A bit of an enum may not: the
// other bits, which the predicate need not have, would have to change with it.
func (p *projection) varies(n uint32) bool {
	in := p.s.enc.inputs[p.s.enc.nodes[n].a]
	return in.v.Sort().Kind != term.EnumKind
}

// overlaps says whether the cube without its literal i meets an earlier one.
func (p *projection) overlaps(cube []solve.Lit3, i int) bool {
next:
	for _, c := range p.cubes {
		for j := range c {
			if j != i && c[j] != solve.Any && cube[j] != solve.Any && c[j] != cube[j] {
				continue next
			}
		}
		return true
	}
	return false
}

// flips says whether predicate x can get the other value by varying the given
// inputs, all others being as in the model.
func (p *projection) flips(ctx context.Context, x *predicate, vary []uint32, now solve.Lit3) (bool, error) {
	s := p.s
	free := make(map[uint32]bool, len(vary))
	for _, n := range vary {
		free[n] = true
	}
	q := sat.Query{Cone: x.cone, Closed: true, Conflicts: s.opt.Conflicts}
	for _, n := range x.inputs {
		if !free[n] {
			q.Assumptions = append(q.Assumptions, sat.Lit(s.enc.vars[n]-1)<<1^satSign(p.value[n] == 0))
		}
	}
	q.Assumptions = append(q.Assumptions, x.lit^satSign(now == solve.True))
	s.stats.Searches++
	status, err := s.sat.Solve(ctx, q)
	return status == sat.Sat, err // a budget that ran out only costs generality
}

// ExistsForall asks for values of exist such that the formula holds for all values
// of forall, with two embedded solvers; see [solve.ExistsForall].
func ExistsForall(ctx context.Context, pool *term.Pool, opt Options, exist, forall []*term.Term, formula *term.Term, rounds int) (solve.Result, error) {
	return solve.ExistsForall(ctx, pool, New(opt), New(opt), exist, forall, formula, rounds)
}
