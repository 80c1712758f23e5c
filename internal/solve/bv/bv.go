// SPDX-License-Identifier: Apache-2.0

// Package bv is the embedded solver: it decides booleans, bit-vectors and enums
// in this process.
//
// A question passes three sieves; most do not get to the last one.
//
//   - Bounds (bounds.go): the asserted comparisons give terms lower and upper
//     bounds, under which another condition may be false.
//   - Models (models.go): one of the last few models may satisfy it.
//   - Search: terms become circuits (blast.go, arith.go) in an and-inverter
//     graph that shares equal parts (graph.go), gates become clauses (cnf.go)
//     once, when a question first needs them, and the sat solver is asked.
//
// Asserted terms are never clauses of their own: the literals of the stack's
// terms and of the assumptions are assumed together, in that order. Pop then
// has nothing to take back, everything learnt stays true, and the core of a
// refutation can name asserted terms. The cone of a question, the gates that
// its terms are made of, is all that the search looks at.
//
// Popped terms leave gates, clauses and learnt clauses behind. When there are too
// many, the solver starts afresh with the terms that are still there. That and
// everything else depends on the calls alone: the same calls give the same
// answers, models and cores.
package bv

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/sat"
	"github.com/interlock-go/interlock/internal/term"
)

// Options are fixed for the life of a solver. The zero value is usable.
type Options struct {
	// Conflicts bounds the search for each answer, deterministically; 0 is no
	// limit. Exceeding it gives Unknown.
	Conflicts int64
	// MinimizeCores makes every core minimal: without any one of its terms it
	// would be satisfiable. It costs a search for each.
	MinimizeCores bool
	// Certify checks each refutation of the sat solver with an independent
	// checker as it is found. An answer that fails is an error.
	Certify bool
	// SearchOnly leaves out the sieves before the search, for tests and
	// measurements.
	SearchOnly bool
	// MaxGates is the number of gates, or of terms, above which the solver may
	// start afresh; 0 is a default.
	MaxGates int
	// Done, if not nil, is told the Work of the solver when it is closed.
	Done func(work int64)
}

const defaultGates = 1 << 18

// Stats counts questions by what answered them.
type Stats struct {
	Checks   int64
	Bounds   int64 // refuted by bounds
	Models   int64 // answered by an earlier model
	Searches int64
	Restarts int64 // times that the solver started afresh
	Sat      sat.Stats
}

// A Solver is an incremental solver; see [solve.Solver].
type Solver struct {
	opt   Options
	stats Stats
	stack []assertion
	marks []mark

	enc     *encoder
	sat     *sat.Solver
	checker *sat.Checker
	old     sat.Stats // of sat solvers before this one
	gates   int64     // of the graphs before this one

	facts     facts
	models    []*model
	evalStack []*term.Term
	maxGates  int

	// The cone of the encoded part of the stack, and that of the last question
	// behind it.
	encoded int // assertions that have a literal
	nodes   []uint32
	ends    []int // by assertion: length of nodes after it
	stamp   []uint32
	cone    []int
	lits    []sat.Lit
}

type assertion struct {
	t   *term.Term
	e   edge
	lit sat.Lit
}

type mark struct{ stack, undo int }

var _ solve.Solver = (*Solver)(nil)

// New returns a solver without assertions.
func New(opt Options) *Solver {
	s := &Solver{opt: opt, facts: facts{known: make(map[*term.Term]fact)}, maxGates: opt.MaxGates}
	if s.maxGates == 0 {
		s.maxGates = defaultGates
	}
	s.fresh()
	return s
}

// fresh starts with an empty graph.
func (s *Solver) fresh() {
	if s.sat != nil {
		s.old = addStats(s.old, s.sat.Stats())
		s.gates += int64(s.Gates())
	}
	opt := sat.Options{}
	s.checker = nil
	if s.opt.Certify {
		s.checker = sat.NewChecker()
		opt.Proof = s.checker
	}
	s.sat = sat.New(opt)
	s.enc = &encoder{blaster: newBlaster(), newVar: s.sat.NewVar, add: s.clause}
	s.enc.domain = s.enc.domainClauses
	s.encoded, s.nodes, s.ends, s.stamp = 0, nil, nil, nil
	for _, m := range s.models {
		m.val, m.have = nil, nil
	}
}

func addStats(a, b sat.Stats) sat.Stats {
	a.Solves += b.Solves
	a.Conflicts += b.Conflicts
	a.Decisions += b.Decisions
	a.Propagations += b.Propagations
	a.Restarts += b.Restarts
	a.Learnt += b.Learnt
	a.Reductions += b.Reductions
	a.Deleted += b.Deleted
	return a
}

// clause adds a clause to the sat solver.
func (s *Solver) clause(lits ...sat.Lit) {
	if s.checker != nil {
		s.checker.Input(lits)
	}
	s.sat.AddClause(lits...)
}

// Stats returns the work done so far.
func (s *Solver) Stats() Stats {
	st := s.stats
	st.Sat = addStats(s.old, s.sat.Stats())
	return st
}

// Work is how much the solver has done, in propagations; gates count as some.
func (s *Solver) Work() int64 {
	return s.old.Propagations + s.sat.Stats().Propagations + 8*(s.gates+int64(s.Gates()))
}

// Gates is the number of gates that the solver holds.
func (s *Solver) Gates() int { return len(s.enc.nodes) }

// Assert adds a conjunct.
func (s *Solver) Assert(t *term.Term) {
	if t.Sort() != term.BoolSort {
		panic("bv.Assert: want bool, have " + t.Sort().String())
	}
	s.stack = append(s.stack, assertion{t: t})
	if !s.opt.SearchOnly && !s.facts.isDead {
		s.facts.assume(t, int32(len(s.stack)-1))
	}
}

// Push opens a scope.
func (s *Solver) Push() { s.marks = append(s.marks, mark{len(s.stack), len(s.facts.undo)}) }

// Pop removes what was asserted since the last Push. It panics if there was none.
func (s *Solver) Pop() {
	if len(s.marks) == 0 {
		panic("bv.Pop: no Push")
	}
	m := s.marks[len(s.marks)-1]
	s.marks = s.marks[:len(s.marks)-1]
	clear(s.stack[m.stack:])
	s.stack = s.stack[:m.stack]
	s.facts.rewind(m.undo)
	for _, x := range s.models {
		x.popped(m.stack)
	}
	s.retract(m.stack)
}

// retract takes back the cones of assertions from n on.
func (s *Solver) retract(n int) {
	if s.encoded <= n {
		return
	}
	end := 0
	if n > 0 {
		end = s.ends[n-1]
	}
	for _, k := range s.nodes[end:] {
		s.stamp[k] = 0
	}
	s.nodes = s.nodes[:end]
	s.ends = s.ends[:n]
	s.encoded = n
}

// Close releases the memory. The solver must not be used afterwards.
func (s *Solver) Close() error {
	if s.opt.Done != nil {
		s.opt.Done(s.Work())
	}
	*s = Solver{}
	return nil
}

// Check decides the asserted terms together with the assumptions.
func (s *Solver) Check(ctx context.Context, assumptions ...*term.Term) (solve.Result, error) {
	s.stats.Checks++
	if err := ctx.Err(); err != nil {
		return solve.Result{}, err
	}
	for _, t := range assumptions {
		if t.Sort() != term.BoolSort {
			panic("bv.Check: want bool, have " + t.Sort().String())
		}
	}
	s.tidy(assumptions)
	if !s.opt.SearchOnly {
		if core, ok := s.byBounds(assumptions); ok {
			s.stats.Bounds++
			if s.opt.MinimizeCores && len(core) > 1 {
				return s.shrink(ctx, core)
			}
			return solve.Result{Verdict: solve.Unsat, Core: core}, nil
		}
		if m, ok := s.fromModels(assumptions); ok {
			s.stats.Models++
			return solve.Result{Verdict: solve.Sat, Model: m}, nil
		}
	}
	s.stats.Searches++
	return s.search(ctx, assumptions)
}

// named are the terms at positions of the stack, continued by the assumptions.
func (s *Solver) named(at []int32, assumptions []*term.Term) []*term.Term {
	var core []*term.Term
	for _, i := range at {
		t := (*term.Term)(nil)
		if int(i) < len(s.stack) {
			t = s.stack[i].t
		} else {
			t = assumptions[int(i)-len(s.stack)]
		}
		if !slices.Contains(core, t) {
			core = append(core, t)
		}
	}
	return core
}

// byBounds looks for a contradiction between bounds.
func (s *Solver) byBounds(assumptions []*term.Term) (core []*term.Term, ok bool) {
	f := &s.facts
	undo := len(f.undo)
	for i, t := range assumptions {
		if f.isDead {
			break
		}
		f.assume(t, int32(len(s.stack)+i))
	}
	if f.isDead {
		core, ok = s.named(f.dead, assumptions), true
	}
	f.rewind(undo)
	return core, ok
}

// shrink minimizes a core that did not come from a search by searching for one
// among its terms.
func (s *Solver) shrink(ctx context.Context, core []*term.Term) (solve.Result, error) {
	opt := s.opt
	opt.SearchOnly = true
	u := New(opt)
	r, err := u.Check(ctx, core...)
	if err != nil {
		return solve.Result{}, err
	}
	if r.Verdict != solve.Unsat { // a budget; the core itself is right
		return solve.Result{Verdict: solve.Unsat, Core: core}, nil
	}
	return r, nil
}

// search asks the sat solver.
func (s *Solver) search(ctx context.Context, assumptions []*term.Term) (solve.Result, error) {
	q, core := s.question(assumptions)
	if core != nil {
		return solve.Result{Verdict: solve.Unsat, Core: core}, nil
	}
	q.Conflicts = s.opt.Conflicts
	status, err := s.sat.Solve(ctx, q)
	if err != nil {
		return solve.Result{}, err
	}
	switch status {
	case sat.Sat:
		m := s.model()
		if !s.opt.SearchOnly {
			s.remember(m)
		}
		return solve.Result{Verdict: solve.Sat, Model: m}, nil
	case sat.Unsat:
		return s.refuted(ctx, assumptions)
	}
	return solve.Result{Reason: fmt.Sprintf("no answer within %d conflicts", s.opt.Conflicts)}, nil
}

// question encodes the stack and the assumptions. If one of them is constantly
// false it is returned as the core instead.
func (s *Solver) question(assumptions []*term.Term) (q sat.Query, core []*term.Term) {
	for s.encoded < len(s.stack) {
		a := &s.stack[s.encoded]
		a.e = s.enc.bool(a.t)
		if a.e == no {
			return q, []*term.Term{a.t}
		}
		if a.e != yes {
			a.lit = s.enc.encode(a.e)
		}
		s.nodes = s.visit(a.e, s.nodes)
		s.ends = append(s.ends, len(s.nodes))
		s.encoded++
	}
	s.lits = s.lits[:0]
	for _, a := range s.stack {
		if a.e != yes {
			s.lits = append(s.lits, a.lit)
		}
	}
	base := len(s.nodes)
	nodes := s.nodes
	for _, t := range assumptions {
		e := s.enc.bool(t)
		if e == no {
			core = []*term.Term{t}
			break
		}
		if e != yes {
			s.lits = append(s.lits, s.enc.encode(e))
			nodes = s.visit(e, nodes)
		}
	}
	for _, n := range nodes[base:] {
		s.stamp[n] = 0
	}
	s.nodes = nodes[:base]
	if core != nil {
		return q, core
	}
	s.cone = s.cone[:0]
	for _, n := range nodes {
		if s.enc.has(n) {
			s.cone = append(s.cone, int(s.enc.vars[n])-1)
		}
	}
	// An empty cone is not the same as none.
	if s.cone == nil {
		s.cone = []int{}
	}
	return sat.Query{Assumptions: s.lits, Cone: s.cone, Closed: true}, nil
}

// visit adds the cone of e.
func (s *Solver) visit(e edge, nodes []uint32) []uint32 {
	if n := s.Gates(); n > len(s.stamp) {
		s.stamp = append(s.stamp, make([]uint32, n+n/2-len(s.stamp))...)
	}
	return s.enc.visit(e, s.stamp, 1, nodes)
}

// size is what the tables grow with.
func (s *Solver) size() int { return max(s.Gates(), s.sat.NumVars(), len(s.enc.terms)) }

// tidy starts afresh if too much was left behind, and sees how much is really
// needed.
func (s *Solver) tidy(assumptions []*term.Term) {
	if s.size() <= s.maxGates {
		return
	}
	s.stats.Restarts++
	s.fresh()
	for _, a := range s.stack {
		s.enc.bool(a.t)
	}
	for _, t := range assumptions {
		s.enc.bool(t)
	}
	limit := s.opt.MaxGates
	if limit == 0 {
		limit = defaultGates
	}
	s.maxGates = max(limit, 3*s.size())
}

// model reads the model of the last search. Variables without a bit in the cone
// are absent; bits outside are zero.
func (s *Solver) model() term.Model {
	m := make(term.Model)
	for _, v := range s.cone {
		n := s.enc.nodeOf[v]
		x := &s.enc.nodes[n]
		if x.kind != inputNode {
			continue
		}
		in := s.enc.inputs[x.a]
		val := m[in.v]
		if s.sat.Value(v) {
			if in.bit < 64 {
				val.Lo |= 1 << in.bit
			} else {
				val.Hi |= 1 << (in.bit - 64)
			}
		}
		m[in.v] = val
	}
	return m
}

// refuted makes the answer of a refutation.
func (s *Solver) refuted(ctx context.Context, assumptions []*term.Term) (solve.Result, error) {
	lits := s.sat.Core()
	if s.opt.MinimizeCores {
		var err error
		lits, err = s.sat.MinimizeCore(ctx, s.opt.Conflicts)
		if ctx.Err() != nil {
			return solve.Result{}, ctx.Err()
		}
		_ = err // the core is right, if not minimal, when the budget ran out
	}
	if err := s.certified(lits); err != nil {
		return solve.Result{}, err
	}
	var core []*term.Term
	found := make(map[sat.Lit]bool, len(lits))
	for _, l := range lits {
		found[l] = true
	}
	take := func(t *term.Term, e edge) {
		if e == yes || e == no {
			return
		}
		if l := s.enc.lit(e); found[l] {
			delete(found, l) // one term is enough for each literal
			core = append(core, t)
		}
	}
	for _, a := range s.stack {
		take(a.t, a.e)
	}
	for _, t := range assumptions {
		take(t, s.enc.bool(t))
	}
	return solve.Result{Verdict: solve.Unsat, Core: core}, nil
}

// certified asks the checker, if there is one, whether the core was refuted.
func (s *Solver) certified(core []sat.Lit) error {
	if s.checker == nil {
		return nil
	}
	goal := make([]sat.Lit, len(core))
	for i, l := range core {
		goal[i] = l ^ 1
	}
	if err := s.checker.Err(); err != nil {
		return fmt.Errorf("bv: %w", err)
	}
	if !s.checker.Implied(goal) {
		return fmt.Errorf("bv: core %v was not proved", core)
	}
	return nil
}
