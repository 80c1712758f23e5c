// SPDX-License-Identifier: Apache-2.0

package engine

// This file is the modal predicate abstraction of a component: abstract states
// are truth values of predicates over the state variables; for each abstract
// state and call it knows what may happen (some state, some arguments, some
// choices) and what must happen (every state, every arguments, some choices).
//
// May comes from abstract reachability over the blocks of a method: predicates
// at the next cut point are enumerated by the solver, loop heads by fixpoint.
// Must is asked of loops unrolled a few times; with choices it is an
// exists-forall question.
//
// A state of the component may be in several abstract states only if these
// differ; abstract state 0 is the object before construction.

import (
	"context"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A symCall is a method or constructor of the abstraction, all arguments alike.
type symCall struct {
	sum         *region.Summary
	constructor bool
	outcomes    []symOutcome
	letter      int  // number of its first outcome
	inexact     bool // has results that outcomes do not tell apart
}

// A symOutcome is a class of results: one for each combination of bools and
// enums, integers left open.
type symOutcome struct {
	name string
	cond *term.Term // over the result variables
}

// An effect is what a call does in an abstract state.
type effect struct {
	may     [][]int32   // by outcome: abstract states, sorted
	must    [][][]int32 // by outcome: minimal sets, one of which is reached for certain
	mayErr  []*prog.ErrorSite
	mustErr bool
	heads   []headState // abstract states at loop heads
}

// A headState is an abstract state at a loop head.
type headState struct {
	loc int
	a   int32
}

func (e *effect) returns() bool {
	return slices.ContainsFunc(e.may, func(m []int32) bool { return len(m) > 0 })
}

type modal struct {
	p      *Problem
	sym    *region.Symbolic
	pool   *term.Pool
	solver solve.Solver
	// Two more for exists-forall questions.
	propose, refute solve.Solver
	calls           []symCall
	letters         int
	preds           []*term.Term
	cubes           []uint64 // abstract state -> truth values of preds; the first is not used
	index           map[uint64]int32
	memo            map[[2]int32]*effect
	unrollings      map[unrollKey]unrolling
	assumed         *term.Term // of the state before every call: counters do not wrap
	work, limit     int        // questions asked, and allowed
	mayOnly         bool       // what must happen is not asked
}

// questionCost is how many steps of the budget a question to the solver counts.
const questionCost = 256

// maxPreds bounds the predicates: a cube is one machine word.
const maxPreds = 60

func newModal(p *Problem) *modal {
	m := &modal{p: p, unrollings: map[unrollKey]unrolling{}, limit: max(1, p.Budget/questionCost), sym: region.NewSymbolic(p.Program), pool: p.Program.Pool,
		solver: p.Solver(), propose: p.Solver(), refute: p.Solver()}
	add := func(sum *region.Summary, constructor bool) {
		c := symCall{sum: sum, constructor: constructor, letter: m.letters}
		c.outcomes, c.inexact = m.outcomes(sum.Method)
		m.letters += len(c.outcomes)
		m.calls = append(m.calls, c)
	}
	for _, s := range m.sym.Constructors {
		add(s, true)
	}
	for _, s := range m.sym.Methods {
		add(s, false)
	}
	m.assumed = m.pool.True()
	if p.NoWrap {
		for _, v := range prog.Counters(p.Program) {
			m.assumed = m.pool.And(m.assumed, prog.InRange(p.Program, v))
		}
	}
	m.reset()
	return m
}

func (m *modal) close() {
	for _, s := range []solve.Solver{m.solver, m.propose, m.refute} {
		s.Close()
	}
}

// reset forgets everything but the predicates.
func (m *modal) reset() {
	m.cubes = []uint64{0}
	m.index = map[uint64]int32{}
	m.memo = map[[2]int32]*effect{}
}

// outcomes lists the outcomes of a method.
func (m *modal) outcomes(method *prog.Method) (list []symOutcome, inexact bool) {
	type part struct {
		names []string
		cond  *term.Term
	}
	parts := []part{{nil, m.pool.True()}}
	visible := false
	for _, r := range method.Results {
		var next []part
		var values []term.Value
		switch r.Type.Sort.Kind {
		case term.BitVecKind:
			inexact = true
		case term.BoolKind:
			values = []term.Value{{}, {Lo: 1}}
		case term.EnumKind:
			for i := range r.Type.Sort.Enum.Values {
				values = append(values, term.Value{Lo: uint64(i)})
			}
		}
		for _, p := range parts {
			if values == nil {
				next = append(next, part{append(slices.Clone(p.names), "_"), p.cond})
				continue
			}
			visible = true
			for _, v := range values {
				next = append(next, part{append(slices.Clone(p.names), r.Type.FormatValue(v)),
					m.pool.And(p.cond, m.pool.Eq(r.Term, m.pool.Const(r.Type.Sort, v)))})
			}
		}
		parts = next
	}
	for _, p := range parts {
		name := "return"
		if visible {
			name = p.names[0]
			if len(p.names) > 1 {
				name = "(" + strings.Join(p.names, ", ") + ")"
			}
		}
		list = append(list, symOutcome{name, p.cond})
	}
	return list, inexact
}

// region returns the formula of an abstract state over the state variables.
func (m *modal) region(a int32) *term.Term {
	if a == 0 {
		var eqs []*term.Term
		for _, v := range m.sym.State {
			if v.Init != nil {
				eqs = append(eqs, m.pool.Eq(v.Term, v.Init))
			}
		}
		return m.pool.And(eqs...)
	}
	return m.pool.And(m.assumed, m.cube(m.cubes[a], nil))
}

// cube is the conjunction of the predicates with the given truth values, after
// a substitution.
func (m *modal) cube(bits uint64, sub map[*term.Term]*term.Term) *term.Term {
	lits := make([]*term.Term, len(m.preds))
	for i, p := range m.preds {
		if sub != nil {
			p = m.pool.Substitute(p, sub)
		}
		if bits>>i&1 == 0 {
			p = m.pool.Not(p)
		}
		lits[i] = p
	}
	return m.pool.And(lits...)
}

func (m *modal) intern(bits uint64) int32 {
	id, ok := m.index[bits]
	if !ok {
		id = int32(len(m.cubes))
		m.index[bits] = id
		m.cubes = append(m.cubes, bits)
	}
	return id
}

// step is one unit of the budget.
func (m *modal) step() error {
	if m.work++; m.work > m.limit {
		return &region.BudgetError{What: "solver questions", Limit: m.limit}
	}
	return nil
}

func (m *modal) check(ctx context.Context, ts ...*term.Term) (solve.Result, error) {
	if err := m.step(); err != nil {
		return solve.Result{}, err
	}
	r, err := m.solver.Check(ctx, ts...)
	if err == nil && r.Verdict == solve.Unknown {
		err = &solve.UndecidedError{Reason: r.Reason}
	}
	return r, err
}

// entry is the substitution at the entry of a call: results and locals are
// zero.
func (m *modal) entry(sum *region.Summary) map[*term.Term]*term.Term {
	sub := map[*term.Term]*term.Term{}
	for _, v := range sum.Vars[sum.States:] {
		if !slices.Contains(sum.Method.Params, v) {
			sub[v.Term] = m.pool.Const(v.Type.Sort, term.Value{})
		}
	}
	return sub
}

// after is the substitution of variables by their values at the end of a block.
func after(sum *region.Summary, vals []*term.Term) map[*term.Term]*term.Term {
	sub := make(map[*term.Term]*term.Term, len(vals))
	for i, v := range sum.Vars {
		sub[v.Term] = vals[i]
	}
	return sub
}

// targets enumerates the cubes of the predicates after a block.
func (m *modal) targets(ctx context.Context, sub map[*term.Term]*term.Term, assume ...*term.Term) ([]int32, error) {
	if err := m.step(); err != nil {
		return nil, err
	}
	preds := make([]*term.Term, len(m.preds))
	for i, p := range m.preds {
		preds[i] = m.pool.Substitute(p, sub)
	}
	var out []int32
	err := solve.Project(ctx, m.pool, m.solver, assume, preds, func(cube []solve.Lit3) bool {
		free := []int{}
		bits := uint64(0)
		for i, l := range cube {
			switch l {
			case solve.True:
				bits |= 1 << i
			case solve.Any:
				free = append(free, i)
			}
		}
		for n := range 1 << len(free) {
			b := bits
			for k, i := range free {
				if n>>k&1 != 0 {
					b |= 1 << i
				}
			}
			out = append(out, m.intern(b))
		}
		m.work += 1 << len(free)
		return m.work <= m.limit
	})
	if err == nil && m.work > m.limit {
		err = &region.BudgetError{What: "solver questions", Limit: m.limit}
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// effect computes what a call does in an abstract state.
func (m *modal) effect(ctx context.Context, a int32, call int) (*effect, error) {
	key := [2]int32{a, int32(call)}
	if e := m.memo[key]; e != nil {
		return e, nil
	}
	c := &m.calls[call]
	e := &effect{may: make([][]int32, len(c.outcomes)), must: make([][][]int32, len(c.outcomes))}
	if err := m.mayEffect(ctx, a, c, e); err != nil {
		return nil, err
	}
	if !m.mayOnly {
		if err := m.mustEffect(ctx, a, call, e); err != nil {
			return nil, err
		}
	}
	m.memo[key] = e
	return e, nil
}

func (m *modal) mayEffect(ctx context.Context, a int32, c *symCall, e *effect) error {
	type at struct {
		loc int
		a   int32 // at the entry: the source; at a head: a cube of predicates
	}
	method := c.sum.Method
	queue := []at{{method.Entry, a}}
	seen := map[at]bool{} // of loop heads
	for first := true; len(queue) > 0; first = false {
		here := queue[0]
		queue = queue[1:]
		base := m.region(here.a)
		for _, b := range c.sum.Blocks {
			if b.From != here.loc {
				continue
			}
			cond, vals := b.Cond, b.Vals
			if first {
				sub := m.entry(c.sum)
				cond = m.pool.Substitute(cond, sub)
				vals = m.pool.SubstituteAll(vals, sub)
			}
			sub := after(c.sum, vals)
			switch site := method.ErrorAt(b.To); {
			case site != nil:
				if site.Blamed || slices.Contains(e.mayErr, site) {
					continue
				}
				r, err := m.check(ctx, base, cond)
				if err != nil {
					return err
				}
				if r.Verdict == solve.Sat {
					e.mayErr = append(e.mayErr, site)
				}
			case b.To == method.Exit:
				for o, out := range c.outcomes {
					list, err := m.targets(ctx, sub, base, cond, m.pool.Substitute(out.cond, sub))
					if err != nil {
						return err
					}
					e.may[o] = append(e.may[o], list...)
				}
			default:
				list, err := m.targets(ctx, sub, base, cond)
				if err != nil {
					return err
				}
				for _, t := range list {
					if next := (at{b.To, t}); !seen[next] {
						seen[next] = true
						queue = append(queue, next)
						e.heads = append(e.heads, headState(next))
					}
				}
			}
		}
	}
	for o := range e.may {
		slices.Sort(e.may[o])
		e.may[o] = slices.Compact(e.may[o])
	}
	return nil
}

// mustEffect asks what is certain. Runs through loops count as far as they are
// unrolled: leaving runs out can only make less certain.
func (m *modal) mustEffect(ctx context.Context, a int32, call int, e *effect) error {
	c := &m.calls[call]
	if len(e.mayErr) > 0 {
		must, err := m.must(ctx, a, m.unrolled(call, true).cond)
		if err != nil {
			return err
		}
		e.mustErr = must
	}
	if c.inexact {
		return nil
	}
	exit := m.unrolled(call, false)
	exitCond, vals := exit.cond, exit.vals
	values := after(c.sum, vals)
	for o, out := range c.outcomes {
		may := e.may[o]
		if len(may) == 0 {
			continue
		}
		happens := m.pool.And(exitCond, m.pool.Substitute(out.cond, values))
		into := func(set []int32) *term.Term {
			var any []*term.Term
			for _, t := range set {
				any = append(any, m.cube(m.cubes[t], values))
			}
			return m.pool.And(happens, m.pool.Or(any...))
		}
		all, err := m.must(ctx, a, happens)
		if err != nil {
			return err
		}
		if !all {
			continue
		}
		// Minimal sets: single states if any will do, else one found by leaving
		// out what can be left out.
		if len(may) == 1 {
			e.must[o] = [][]int32{may}
			continue
		}
		for _, t := range may {
			ok, err := m.must(ctx, a, into([]int32{t}))
			if err != nil {
				return err
			}
			if ok {
				e.must[o] = append(e.must[o], []int32{t})
			}
		}
		if len(e.must[o]) > 0 {
			continue
		}
		set := slices.Clone(may)
		for i := 0; i < len(set) && len(set) > 1; {
			rest := slices.Delete(slices.Clone(set), i, i+1)
			ok, err := m.must(ctx, a, into(rest))
			if err != nil {
				return err
			}
			if ok {
				set = rest
			} else {
				i++
			}
		}
		e.must[o] = [][]int32{set}
	}
	return nil
}

// must reports whether for all states of a and all arguments there are choices
// such that goal holds. Initial values that are left open are a choice too: the
// object may have been in any of these states.
func (m *modal) must(ctx context.Context, a int32, goal *term.Term) (bool, error) {
	not := m.pool.And(m.region(a), m.pool.Not(goal))
	var choices, others []*term.Term
	for _, v := range term.FreeVars(not) {
		open := a == 0 && slices.ContainsFunc(m.sym.State, func(s *prog.Var) bool { return s.Term == v && s.Init == nil })
		if open || strings.HasPrefix(v.Name(), region.ChoicePrefix) {
			choices = append(choices, v)
		} else {
			others = append(others, v)
		}
	}
	if len(choices) == 0 {
		r, err := m.check(ctx, not)
		return r.Verdict == solve.Unsat, err
	}
	if err := m.step(); err != nil {
		return false, err
	}
	r, err := solve.ExistsForall(ctx, m.pool, m.propose, m.refute, others, choices, not, 1000)
	if err != nil {
		return false, err
	}
	if r.Verdict == solve.Unknown {
		return false, nil // not known to be certain
	}
	return r.Verdict == solve.Unsat, nil
}

// maxUnroll bounds the blocks in one unrolled run of a method with loops.
const maxUnroll = 6

// An unrolling is a set of runs of a call as one formula: under the condition,
// over the method's variables and the choices of each round, the call ends
// with these values. If bounded, there may be longer runs.
type unrolling struct {
	cond    *term.Term
	vals    []*term.Term
	bounded bool
}

type unrollKey struct {
	call int
	errs bool
}

// unrolled returns the condition and values of all runs of a call that end at
// the exit (or, for errs, at an error) within maxUnroll blocks.
func (m *modal) unrolled(call int, errs bool) unrolling {
	key := unrollKey{call, errs}
	if u, ok := m.unrollings[key]; ok {
		return u
	}
	var bounded bool
	sum := m.calls[call].sum
	method := sum.Method
	type run struct {
		loc  int
		cond *term.Term
		vals []*term.Term
		n    int
	}
	ident := make([]*term.Term, len(sum.Vars))
	entry := m.entry(sum)
	for i, v := range sum.Vars {
		ident[i] = v.Term
		if z := entry[v.Term]; z != nil {
			ident[i] = z
		}
	}
	cond, vals := m.pool.False(), ident
	queue := []run{{method.Entry, m.pool.True(), ident, 0}}
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		for _, b := range sum.Blocks {
			if b.From != r.loc {
				continue
			}
			sub := after(sum, r.vals)
			for _, ch := range b.Choices {
				if r.n > 0 { // each round makes its own choices
					sub[ch.Term] = m.pool.Var(choiceIn(ch, b.From, r.n), ch.Term.Sort())
				}
			}
			next := run{b.To, m.pool.And(r.cond, m.pool.Substitute(b.Cond, sub)), m.pool.SubstituteAll(b.Vals, sub), r.n + 1}
			if next.cond.IsFalse() {
				continue
			}
			site := method.ErrorAt(b.To)
			switch {
			case site != nil && (!errs || site.Blamed), b.To == method.Exit && errs && site == nil:
			case site != nil || b.To == method.Exit:
				merged := make([]*term.Term, len(vals))
				for i := range vals {
					merged[i] = next.vals[i]
					if cond != m.pool.False() && vals[i] != next.vals[i] {
						merged[i] = m.pool.Ite(cond, vals[i], next.vals[i])
					}
				}
				cond, vals = m.pool.Or(cond, next.cond), merged
			case next.n >= maxUnroll || len(queue) > 64:
				bounded = true
			default:
				queue = append(queue, next)
			}
		}
	}
	u := unrolling{cond, vals, bounded}
	m.unrollings[key] = u
	return u
}
