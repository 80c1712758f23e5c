// SPDX-License-Identifier: Apache-2.0

package engine

// This file computes what a call does in an abstract state.
//
// May comes from abstract reachability over the blocks of a method: the truth
// values of predicates at the next cut point are enumerated by the solver,
// those at loop heads up to a fixpoint. At a loop head there are, besides the
// predicates over the state, those of the head itself, which may speak of
// parameters, results and locals.
//
// Must is asked of loops unrolled a few times; with choices it is an
// exists-forall question.

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A partEffect is an effect in terms of the predicates that the call touches.
type partEffect struct {
	may     [][]valuation // by outcome: of the touched predicates, sorted
	via     []map[valuation]way
	must    [][][]int // by outcome: sets of numbers in may
	errs    []errorWay
	mustErr bool
	never   bool       // no state satisfies the guard
	nodes   []headNode // the entry, then abstract states at loop heads
}

// A headNode is an abstract state at a loop head. The first node of an effect
// is the entry instead.
type headNode struct {
	loc   int
	bits  valuation // of the touched predicates, then of those of the head
	block int       // by which it was first reached, from
	from  int
	next  []int // nodes to which a block may lead
}

// A way is a block taken from a node.
type way struct{ node, block int }

type errorWay struct {
	site *prog.ErrorSite
	way
}

// effect computes what a call does in an abstract state.
func (m *modal) effect(ctx context.Context, a int32, call int) (*effect, error) {
	key := [2]int32{a, int32(call)}
	if e := m.memo[key]; e != nil {
		return e, nil
	}
	part, err := m.part(ctx, a, call)
	if err != nil {
		return nil, err
	}
	e := m.lift(a, call, part)
	m.memo[key] = e
	return e, nil
}

// lift makes the effect in an abstract state of the effect on the predicates that the call touches.
func (m *modal) lift(a int32, call int, part *partEffect) *effect {
	pl := m.plan(call)
	bits := make([]byte, len(m.preds))
	copy(bits, m.cubes[a])
	e := &effect{may: make([][]int32, len(part.may)), must: make([][][]int32, len(part.may)), mustErr: part.mustErr, part: part}
	for o, list := range part.may {
		numbers := make([]int32, len(list))
		for n, v := range list {
			for k, i := range pl.touched {
				bits[i] = v[k]
			}
			numbers[n] = m.intern(valuation(bits))
		}
		for _, set := range part.must[o] {
			var t []int32
			for _, n := range set {
				t = append(t, numbers[n])
			}
			slices.Sort(t)
			e.must[o] = append(e.must[o], t)
		}
		slices.Sort(numbers)
		e.may[o] = numbers
	}
	for _, w := range part.errs {
		e.mayErr = append(e.mayErr, w.site)
	}
	return e
}

// part returns the effect in terms of what the call touches.
func (m *modal) part(ctx context.Context, a int32, call int) (*partEffect, error) {
	key := m.partKey(a, call)
	if e := m.parts[key]; e != nil {
		return e, nil
	}
	n := len(m.calls[call].outcomes)
	e := &partEffect{may: make([][]valuation, n), via: make([]map[valuation]way, n), must: make([][][]int, n)}
	if err := m.mayEffect(ctx, a, call, e); err != nil {
		return nil, err
	}
	switch {
	case m.mayOnly:
	case m.plain:
		if err := m.mustPlainly(ctx, a, call, e); err != nil {
			return nil, err
		}
	default:
		if err := m.mustEffect(ctx, a, call, e); err != nil {
			return nil, err
		}
	}
	m.parts[key] = e
	return e, nil
}

// before is what matters to a call of an abstract state before it, and the guard.
func (m *modal) before(a int32, call int) *term.Term {
	if a == 0 {
		return m.pool.And(m.initial(), m.calls[call].guard)
	}
	return m.pool.And(m.assumed, m.sym.Invariant, m.calls[call].guard, m.some(a, m.plan(call).matter))
}

// guardAt is what is left of the guard at loop heads: it is about the arguments,
// and there parameters may have other values.
func (m *modal) guardAt(call int) *term.Term {
	c := &m.calls[call]
	f := m.footprint(c.sum)
	if slices.ContainsFunc(term.FreeVars(c.guard), func(v *term.Term) bool { return !f.fixed[v] }) {
		return m.pool.True()
	}
	return c.guard
}

// some is the conjunction of some predicates as they are in an abstract state.
func (m *modal) some(a int32, which []int) *term.Term {
	preds := make([]*term.Term, len(which))
	for k, i := range which {
		preds[k] = m.preds[i]
	}
	return m.valued(preds, m.cubes[a].pick(which), nil)
}

// tracked lists the predicates whose truth is known at a loop head.
func (m *modal) tracked(call, loc int) []*term.Term {
	return slices.Concat(m.plan(call).preds, m.headPreds[headKey{m.calls[call].sum, loc}])
}

// at is what is known at a node of an effect, over the variables of the method;
// of the predicates that the call does not touch, those that matter.
func (m *modal) at(a int32, call int, e *partEffect, n int) *term.Term {
	if n == 0 {
		return m.before(a, call)
	}
	node := e.nodes[n]
	here := m.valued(m.tracked(call, node.loc), node.bits, nil)
	if a == 0 {
		return m.pool.And(m.assumed, m.guardAt(call), here)
	}
	return m.pool.And(m.assumed, m.guardAt(call), m.some(a, m.plan(call).kept), here)
}

// maxOpen bounds the predicates that may all be open where the solver does not
// know their values.
const maxOpen = 6

// targets enumerates the truth values that predicates can have under
// assumptions. What the solver cannot decide may be.
func (m *modal) targets(ctx context.Context, preds []*term.Term, assume ...*term.Term) ([]valuation, error) {
	if len(preds) == 0 {
		r, err := m.check(ctx, assume...)
		if undecided(err) || err == nil && r.Verdict == solve.Sat {
			return []valuation{""}, nil
		}
		return nil, err
	}
	out, err := m.project(ctx, m.solver, preds, assume)
	if undecided(err) { // one by one it may be easier
		out, err = m.project(ctx, struct{ solve.Solver }{m.solver}, preds, assume)
	}
	if undecided(err) && len(preds) <= maxOpen {
		out, err = nil, nil
		for n := range 1 << len(preds) {
			bits := make([]byte, len(preds))
			for i := range preds {
				bits[i] = '0' + byte(n>>i&1)
			}
			out = append(out, valuation(bits))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

func undecided(err error) bool {
	var u *solve.UndecidedError
	return errors.As(err, &u)
}

func (m *modal) project(ctx context.Context, solver solve.Solver, preds, assume []*term.Term) ([]valuation, error) {
	if err := m.step(); err != nil {
		return nil, err
	}
	var out []valuation
	err := solve.Project(ctx, m.pool, solver, assume, preds, func(cube []solve.Lit3) bool {
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
		if m.work += 1 << min(len(free), 30); m.work > m.limit {
			return false
		}
		for n := range 1 << len(free) {
			for k, i := range free {
				bits[i] = '0' + byte(n>>k&1)
			}
			out = append(out, valuation(bits))
		}
		return true
	})
	if err == nil && m.work > m.limit {
		err = &region.BudgetError{What: "solver questions", Limit: m.limit}
	}
	return out, err
}

func (m *modal) mayEffect(ctx context.Context, a int32, call int, e *partEffect) error {
	c := &m.calls[call]
	method, pl := c.sum.Method, m.plan(call)
	e.nodes = []headNode{{loc: method.Entry, from: -1}}
	type id struct {
		loc  int
		bits valuation
	}
	index := map[id]int{} // of loop heads
	for o := range e.via {
		e.via[o] = map[valuation]way{}
	}
	for n := 0; n < len(e.nodes); n++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		base := m.at(a, call, e, n)
		for k := range c.sum.Blocks {
			b := &c.sum.Blocks[k]
			if b.From != e.nodes[n].loc {
				continue
			}
			cond, vals := m.block(c.sum, b, n == 0)
			sub := after(c.sum, vals)
			switch site := method.ErrorAt(b.To); {
			case site != nil:
				if site.Blamed || slices.ContainsFunc(e.errs, func(w errorWay) bool { return w.site == site }) {
					continue
				}
				r, err := m.check(ctx, base, cond)
				if err != nil && !undecided(err) {
					return err
				}
				if err != nil || r.Verdict == solve.Sat {
					e.errs = append(e.errs, errorWay{site, way{n, k}})
				}
			case b.To == method.Exit:
				preds := m.pool.SubstituteAll(pl.preds, sub)
				for o, out := range c.outcomes {
					list, err := m.targets(ctx, preds, base, cond, m.pool.Substitute(out.cond, sub))
					if err != nil {
						return err
					}
					for _, v := range list {
						if _, ok := e.via[o][v]; !ok {
							e.via[o][v] = way{n, k}
							e.may[o] = append(e.may[o], v)
						}
					}
				}
			default:
				list, err := m.targets(ctx, m.pool.SubstituteAll(m.tracked(call, b.To), sub), base, cond)
				if err != nil {
					return err
				}
				for _, v := range list {
					next, ok := index[id{b.To, v}]
					if !ok {
						next = len(e.nodes)
						index[id{b.To, v}] = next
						e.nodes = append(e.nodes, headNode{loc: b.To, bits: v, block: k, from: n})
					}
					e.nodes[n].next = append(e.nodes[n].next, next)
				}
			}
		}
	}
	for o := range e.may {
		slices.Sort(e.may[o])
	}
	return nil
}

// block returns the condition and the values of a block; at the entry results
// and locals are zero.
func (m *modal) block(sum *region.Summary, b *region.Block, entry bool) (*term.Term, []*term.Term) {
	if !entry {
		return b.Cond, b.Vals
	}
	sub := m.entry(sum)
	return m.pool.Substitute(b.Cond, sub), m.pool.SubstituteAll(b.Vals, sub)
}

// isNeverMade reports whether no state of an abstract one satisfies the guard of a call, which speaks of registers. All states that may
// be current agree on registers, so where such a call is made none of them is in that abstract state.
func (m *modal) isNeverMade(ctx context.Context, call int, before *term.Term, e *partEffect) (bool, error) {
	about := slices.ContainsFunc(term.FreeVars(m.calls[call].guard), func(t *term.Term) bool { return isVarOf(m.sym.State, t) })
	if !about || len(e.errs) > 0 || slices.ContainsFunc(e.may, func(list []valuation) bool { return len(list) > 0 }) {
		return false, nil
	}
	r, err := m.check(ctx, before)
	if undecided(err) {
		return false, nil
	}
	return r.Verdict == solve.Unsat, err
}

// mustEffect asks what is certain. Runs through loops count as far as they are
// unrolled, or have rankings: leaving runs out can only make less certain.
func (m *modal) mustEffect(ctx context.Context, a int32, call int, e *partEffect) error {
	c := &m.calls[call]
	before := m.before(a, call)
	if never, err := m.isNeverMade(ctx, call, before, e); never || err != nil {
		if never {
			// All of it must happen, in no state.
			e.never, e.mustErr = true, true
			for o := range e.must {
				e.must[o] = [][]int{{}}
			}
		}
		return err
	}
	if len(e.errs) > 0 {
		must, err := m.must(ctx, a, before, m.unrolledOrRanked(c.sum, true).cond)
		if err != nil {
			return err
		}
		e.mustErr = must
	}
	preds := m.pool.SubstituteAll(m.plan(call).preds, after(c.sum, m.unrolled(c.sum, false).vals))
	for o := range c.outcomes {
		may := e.may[o]
		if len(may) == 0 {
			continue
		}
		given, happens := m.returning(c, o)
		before := m.pool.And(before, given)
		states := make([]*term.Term, len(may)) // after the call
		into := func(set []int) *term.Term {
			var any []*term.Term
			for _, n := range set {
				if states[n] == nil {
					states[n] = m.valued(preds, may[n], nil)
				}
				any = append(any, states[n])
			}
			return m.pool.And(happens, m.pool.Or(any...))
		}
		all, err := m.must(ctx, a, before, happens)
		if err != nil {
			return err
		}
		if !all {
			continue
		}
		// Minimal sets: single states if any will do, else one found by leaving
		// out what can be left out.
		if len(may) == 1 {
			e.must[o] = [][]int{{0}}
			continue
		}
		for n := range may {
			ok, err := m.must(ctx, a, before, into([]int{n}))
			if err != nil {
				return err
			}
			if ok {
				e.must[o] = append(e.must[o], []int{n})
			}
		}
		if len(e.must[o]) > 0 {
			continue
		}
		set := make([]int, len(may))
		for n := range may {
			set[n] = n
		}
		for i := 0; i < len(set) && len(set) > 1; {
			rest := slices.Delete(slices.Clone(set), i, i+1)
			ok, err := m.must(ctx, a, before, into(rest))
			if err != nil {
				return err
			}
			if ok {
				set = rest
			} else {
				i++
			}
		}
		e.must[o] = [][]int{set}
	}
	return nil
}

// seenPrefix begins the names of results that a client saw.
const seenPrefix = "\x00seen "

// seen is the result that a client saw.
func (m *modal) seen(r *prog.Var) *term.Term { return m.pool.Var(seenPrefix+r.Name, r.Type.Sort) }

// otherPrefix begins the names of the values of another current state.
const otherPrefix = "\x00other "

// returning is the condition for a call to return with an outcome. If the outcome
// does not say what the results are, it is to return with those that the client
// saw, of which given says that they are of the outcome and that the call can have
// returned them, if perhaps from another state: nothing is said of words that
// cannot happen. (Results often depend on arguments: a read of k bytes returns at
// most k.)
func (m *modal) returning(c *symCall, o int) (given, goal *term.Term) {
	exit := m.unrolled(c.sum, false)
	values := after(c.sum, exit.vals)
	if !c.inexact {
		return m.pool.True(), m.pool.And(exit.cond, m.pool.Substitute(c.outcomes[o].cond, values))
	}
	seen := map[*term.Term]*term.Term{}
	goal = exit.cond
	for _, r := range c.sum.Method.Results {
		seen[r.Term] = m.seen(r)
		goal = m.pool.And(goal, m.pool.Eq(seen[r.Term], values[r.Term]))
	}
	given = m.pool.Substitute(c.outcomes[o].cond, seen)
	if exit.bounded {
		return given, goal // longer runs may return other results
	}
	here := m.pool.And(m.assumed, m.sym.Invariant)
	if c.constructor {
		here = m.initial()
	}
	can := m.pool.And(here, goal)
	other := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(can) {
		if !strings.HasPrefix(v.Name(), seenPrefix) && !isVarOf(c.sum.Method.Params, v) {
			other[v] = m.pool.Var(otherPrefix+v.Name(), v.Sort())
		}
	}
	return m.pool.And(given, m.pool.Substitute(can, other)), goal
}

// mustShare is the part of the budget, one of so many, that one question about
// choices may take, and mustRounds how many proposals are refuted in it.
const (
	mustShare  = 64
	mustRounds = 64
)

// must reports whether for all states of a, arguments and results seen, of which
// before is known, there are choices such that goal holds. Initial values that
// are left open are a choice too: the object may have been in any of these
// states. Surely means for all guesses (cegar_sure.go), and for all initial values; otherwise
// guesses are choices, too.
func (m *modal) must(ctx context.Context, a int32, before, goal *term.Term) (bool, error) {
	not := m.pool.And(before, m.pool.Not(goal))
	var choices, others, guesses []*term.Term
	for _, v := range term.FreeVars(not) {
		if m.surely && m.guessed[v] != nil {
			guesses = append(guesses, v)
			continue
		}
		if strings.HasPrefix(v.Name(), seenPrefix) {
			others = slices.Insert(others, 0, v) // choices are likely to be what was seen
			continue
		}
		open := a == 0 && !m.surely && slices.ContainsFunc(m.sym.State, func(s *prog.Var) bool { return s.Term == v && s.Init == nil })
		if open || strings.HasPrefix(v.Name(), region.ChoicePrefix) {
			choices = append(choices, v)
		} else {
			others = append(others, v)
		}
	}
	guesses, domain := m.guessedWith(guesses)
	if len(guesses) > 0 {
		// Of guesses that cannot be nothing is sure.
		if r, err := m.check(ctx, domain); undecided(err) || err == nil && r.Verdict != solve.Sat {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	if len(choices) == 0 {
		r, err := m.check(ctx, not, domain)
		if undecided(err) {
			return false, nil // not known to be certain
		}
		return r.Verdict == solve.Unsat, err
	}
	if err := m.step(); err != nil {
		return false, err
	}
	limit := m.limit
	m.limit = min(limit, m.work+max(1, m.p.questions()/mustShare))
	var r solve.Result
	var err error
	if len(guesses) > 0 {
		r, err = m.mustSurely(ctx, others, choices, guesses, domain, before, goal, mustRounds)
	} else {
		r, err = solve.ExistsForall(ctx, m.pool, m.propose, m.refute, others, choices, not, mustRounds)
	}
	var budget *region.BudgetError
	if errors.As(err, &budget) && m.limit < limit {
		r, err = solve.Result{}, nil
	}
	m.limit = limit
	if err != nil {
		return false, err
	}
	if r.Verdict == solve.Unknown {
		return false, nil // not known to be certain
	}
	return r.Verdict == solve.Unsat, nil
}
