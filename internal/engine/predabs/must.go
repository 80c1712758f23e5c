// SPDX-License-Identifier: Apache-2.0

package predabs

// This file asks what a call must do in an abstract state.

import (
	"context"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// isNeverMade reports whether no state of an abstract one satisfies the guard of a call, which speaks of registers. All states that may
// be current agree on registers, so where such a call is made none of them is in that abstract state.
func (m *Abstraction) isNeverMade(ctx context.Context, call int, before *term.Term, e *PartEffect) (bool, error) {
	about := slices.ContainsFunc(term.FreeVars(m.Calls[call].Guard), func(t *term.Term) bool { return IsVarOf(m.Sym.State, t) })
	if !about || len(e.Errs) > 0 || slices.ContainsFunc(e.May, func(list []Valuation) bool { return len(list) > 0 }) {
		return false, nil
	}
	r, err := m.Check(ctx, before)
	if Undecided(err) {
		return false, nil
	}
	return r.Verdict == solve.Unsat, err
}

// mustEffect asks what is certain. Runs through loops count as far as they are
// unrolled, or have rankings: leaving runs out can only make less certain.
func (m *Abstraction) mustEffect(ctx context.Context, a int32, call int, e *PartEffect, g Guesses) error {
	c := &m.Calls[call]
	before := m.Before(a, call)
	if never, err := m.isNeverMade(ctx, call, before, e); never || err != nil {
		if never {
			// All of it must happen, in no state.
			e.Never, e.MustErr = true, true
			for o := range e.Must {
				e.Must[o] = [][]int{{}}
			}
		}
		return err
	}
	if len(e.Errs) > 0 {
		must, err := m.must(ctx, mustQuery{a, before, m.UnrolledOrRanked(c.Sum, true).Cond, g})
		if err != nil {
			return err
		}
		e.MustErr = must
	}
	preds := m.Pool.SubstituteAll(m.Plan(call).Preds, After(c.Sum, m.Unrolled(c.Sum, false).Vals))
	for o := range c.Outcomes {
		if len(e.May[o]) == 0 {
			continue
		}
		given, happens := m.Returning(c, o)
		r := &reach{abs: m, query: mustQuery{a, m.Pool.And(before, given), happens, g}, preds: preds, may: e.May[o], states: make([]*term.Term, len(e.May[o]))}
		sets, err := r.minimal(ctx)
		if err != nil {
			return err
		}
		e.Must[o] = sets
	}
	return nil
}

// SureEffect is a copy of the effect of a call, with what it must do for all guesses.
func (m *Abstraction) SureEffect(ctx context.Context, a int32, call int, e *PartEffect) (*PartEffect, error) {
	sure := *e
	sure.Must, sure.MustErr = make([][][]int, len(e.May)), false
	return &sure, m.mustEffect(ctx, a, call, &sure, ForAll)
}

// A reach asks into which abstract states a call must lead that returns with an outcome.
type reach struct {
	abs    *Abstraction
	query  mustQuery    // that the call returns with the outcome
	preds  []*term.Term // the predicates that the call touches, after it
	may    []Valuation  // of these predicates: where it may lead
	states []*term.Term // the same as terms; nil: not yet made
}

// into reports whether the call must lead into some of the abstract states of a set.
func (r *reach) into(ctx context.Context, set []int) (bool, error) {
	var any []*term.Term
	for _, n := range set {
		if r.states[n] == nil {
			r.states[n] = r.abs.Valued(r.preds, r.may[n], nil)
		}
		any = append(any, r.states[n])
	}
	q := r.query
	q.goal = r.abs.Pool.And(q.goal, r.abs.Pool.Or(any...))
	return r.abs.must(ctx, q)
}

// minimal returns minimal sets: single states if any will do, else one found by leaving
// out what can be left out. There is none if the call need not return with the outcome.
func (r *reach) minimal(ctx context.Context) (sets [][]int, err error) {
	if all, err := r.abs.must(ctx, r.query); err != nil || !all {
		return nil, err
	}
	if len(r.may) == 1 {
		return [][]int{{0}}, nil
	}
	set := make([]int, len(r.may))
	for n := range r.may {
		set[n] = n
		ok, err := r.into(ctx, []int{n})
		if err != nil {
			return nil, err
		}
		if ok {
			sets = append(sets, []int{n})
		}
	}
	if len(sets) > 0 {
		return sets, nil
	}
	for i := 0; i < len(set) && len(set) > 1; {
		rest := slices.Delete(slices.Clone(set), i, i+1)
		ok, err := r.into(ctx, rest)
		if err != nil {
			return nil, err
		}
		if ok {
			set = rest
		} else {
			i++
		}
	}
	return [][]int{set}, nil
}

// SeenPrefix begins the names of results that a client saw.
const SeenPrefix = "\x00seen "

// Seen is the result that a client saw.
func (m *Abstraction) Seen(r *prog.Var) *term.Term { return m.Pool.Var(SeenPrefix+r.Name, r.Type.Sort) }

// otherPrefix begins the names of the values of another current state.
const otherPrefix = "\x00other "

// Returning is the condition for a call to return with an outcome. If the outcome
// does not say what the results are, it is to return with those that the client
// saw, of which given says that they are of the outcome and that the call can have
// returned them, if perhaps from another state: nothing is said of words that
// cannot happen. (Results often depend on arguments: a read of k bytes returns at
// most k.)
func (m *Abstraction) Returning(c *SymCall, o int) (given, goal *term.Term) {
	exit := m.Unrolled(c.Sum, false)
	values := After(c.Sum, exit.Vals)
	if !c.Inexact {
		return m.Pool.True(), m.Pool.And(exit.Cond, m.Pool.Substitute(c.Outcomes[o].Cond, values))
	}
	seen := map[*term.Term]*term.Term{}
	goal = exit.Cond
	for _, r := range c.Sum.Method.Results {
		seen[r.Term] = m.Seen(r)
		goal = m.Pool.And(goal, m.Pool.Eq(seen[r.Term], values[r.Term]))
	}
	given = m.Pool.Substitute(c.Outcomes[o].Cond, seen)
	if exit.Bounded {
		return given, goal // longer runs may return other results
	}
	here := m.Pool.And(m.Assumed, m.Sym.Invariant)
	if c.Constructor {
		here = m.initial()
	}
	can := m.Pool.And(here, goal)
	other := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(can) {
		if !strings.HasPrefix(v.Name(), SeenPrefix) && !IsVarOf(c.Sum.Method.Params, v) {
			other[v] = m.Pool.Var(otherPrefix+v.Name(), v.Sort())
		}
	}
	return m.Pool.And(given, m.Pool.Substitute(can, other)), goal
}

// Guesses says how the guesses of a program, and initial values that are left open, are quantified in what must happen.
type Guesses int

const (
	ForSome Guesses = iota // they are choices: the object may have been in any of these states
	ForAll                 // it happens for each of them (cegar/sure.go)
)

// A mustQuery asks whether for all states of an abstract one, arguments and results seen, of which before is
// known, there are choices such that goal holds.
type mustQuery struct {
	a            int32
	before, goal *term.Term
	over         Guesses
}

// Must reports whether for all states of a, arguments and results seen, of which
// before is known, there are choices such that goal holds. Guesses and initial values that
// are left open are choices, too.
func (m *Abstraction) Must(ctx context.Context, a int32, before, goal *term.Term) (bool, error) {
	return m.must(ctx, mustQuery{a, before, goal, ForSome})
}

func (m *Abstraction) must(ctx context.Context, query mustQuery) (bool, error) {
	q := m.quantify(query)
	if len(q.guesses) > 0 {
		// Of guesses that cannot be nothing is sure.
		if r, err := m.Check(ctx, q.domain); Undecided(err) || err == nil && r.Verdict != solve.Sat {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	if len(q.choices) == 0 {
		r, err := m.Check(ctx, q.not, q.domain)
		if Undecided(err) {
			return false, nil // not known to be certain
		}
		return r.Verdict == solve.Unsat, err
	}
	if err := m.Step(ctx); err != nil {
		return false, err
	}
	var r solve.Result
	enough, err := m.Within(ctx, max(1, m.P.Questions()/mustShare), func(ctx context.Context) (err error) {
		if len(q.guesses) > 0 {
			r, err = m.forAllGuesses(ctx, q)
		} else {
			r, err = solve.ExistsForall(ctx, m.Pool, m.Propose, m.Refute, q.others, q.choices, q.not, mustRounds)
		}
		return err
	})
	// What is not known is not certain.
	return enough && err == nil && r.Verdict == solve.Unsat, err
}

// A quantified question is a mustQuery with the variables in it: for all values of others, of which before is known, there are
// choices such that for all guesses in the domain the goal holds.
type quantified struct {
	mustQuery
	not                      *term.Term // before, and not the goal
	others, choices, guesses []*term.Term
	domain                   *term.Term // what is known of the guesses
}

func (m *Abstraction) quantify(query mustQuery) *quantified {
	q := &quantified{mustQuery: query, not: m.Pool.And(query.before, m.Pool.Not(query.goal))}
	all := query.over == ForAll
	var guesses []*term.Term
	for _, v := range term.FreeVars(q.not) {
		if all && m.guessed[v] != nil {
			guesses = append(guesses, v)
			continue
		}
		if strings.HasPrefix(v.Name(), SeenPrefix) {
			q.others = slices.Insert(q.others, 0, v) // choices are likely to be what was seen
			continue
		}
		open := query.a == 0 && !all && slices.ContainsFunc(m.Sym.State, func(s *prog.Var) bool { return s.Term == v && s.Init == nil })
		if open || strings.HasPrefix(v.Name(), explore.ChoicePrefix) {
			q.choices = append(q.choices, v)
		} else {
			q.others = append(q.others, v)
		}
	}
	q.guesses, q.domain = m.guessedWith(guesses)
	return q
}
