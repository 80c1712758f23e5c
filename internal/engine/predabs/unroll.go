// SPDX-License-Identifier: Apache-2.0

package predabs

// This file writes the runs of a call as one formula, loops being followed so
// many rounds. Runs that are at the same loop head after the same number of
// blocks are merged, so the formula grows with the rounds, not with the paths.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// An Unrolling is a set of runs of a call as one formula: under the condition,
// over the method's variables and the choices of each round, the call ends
// with these values. If bounded, there may be longer runs.
type Unrolling struct {
	Cond    *term.Term
	Vals    []*term.Term
	Bounded bool
}

type unrollKey struct {
	sum     *explore.Summary
	errs    bool
	further bool
}

// Unrolled returns the condition and values of the runs of a call that end at
// the exit (or, for errs, at an error that is not blamed on the environment).
func (m *Abstraction) Unrolled(sum *explore.Summary, errs bool) Unrolling {
	key := unrollKey{sum, errs, m.Further}
	if u, ok := m.unrollings[key]; ok {
		return u
	}
	method := sum.Method
	type run struct {
		loc  int
		cond *term.Term
		vals []*term.Term
	}
	merge := func(a, b run) run {
		vals := make([]*term.Term, len(a.vals))
		for i := range vals {
			vals[i] = a.vals[i]
			if a.vals[i] != b.vals[i] {
				vals[i] = m.Pool.Ite(a.cond, a.vals[i], b.vals[i])
			}
		}
		return run{a.loc, m.Pool.Or(a.cond, b.cond), vals}
	}
	ident := make([]*term.Term, len(sum.Vars))
	entry := m.Entry(sum)
	for i, v := range sum.Vars {
		ident[i] = v.Term
		if z := entry[v.Term]; z != nil {
			ident[i] = z
		}
	}
	ended := run{cond: m.Pool.False(), vals: ident}
	level := []run{{method.Entry, m.Pool.True(), ident}}
	open := 0 // rounds with more than one way
	rounds := maxUnroll
	if m.Further {
		rounds = maxFurther
	}
	work, cut := 0, false
	for n := 0; len(level) > 0 && open < rounds && n < maxForced && work < maxUnrolled; n++ {
		var next []run
		forced := true
		for _, r := range level {
			ways := 0
			sub := After(sum, r.vals)
			for _, b := range sum.Blocks {
				if b.From != r.loc {
					continue
				}
				if work >= maxUnrolled {
					cut = true
					break
				}
				guesses := map[int]*term.Term{} // by edge
				for _, ch := range b.Choices {
					made := ch.Term
					if n > 0 { // each round makes its own choices
						made = m.Pool.Var(ChoiceIn(ch, b.From, n), ch.Term.Sort())
						sub[ch.Term] = made
					}
					if ch.Origin == prog.Guess && ch.Edge >= 0 {
						guesses[ch.Edge] = made
					}
				}
				for _, ch := range b.Choices {
					if made := guesses[ch.Edge]; made != nil && m.guessed[made] == nil {
						m.guessed[made] = m.domain(method, ch.Edge, guesses)
					}
				}
				cond := m.Pool.Substitute(b.Cond, sub)
				if cond.IsFalse() {
					continue
				}
				ways++
				to := run{b.To, m.Pool.And(r.cond, cond), nil}
				if to.cond.IsFalse() {
					continue
				}
				site := method.ErrorAt(b.To)
				ends := site != nil || b.To == method.Exit
				if ends && (site != nil) != errs || site != nil && site.Blamed {
					continue
				}
				to.vals = m.Pool.SubstituteAll(b.Vals, sub)
				work += len(to.vals)
				if ends {
					if ended.cond.IsFalse() {
						ended = to
					} else {
						ended = merge(ended, to)
					}
					continue
				}
				if k := slices.IndexFunc(next, func(o run) bool { return o.loc == b.To }); k >= 0 {
					next[k] = merge(next[k], to)
				} else {
					next = append(next, to)
				}
			}
			forced = forced && ways <= 1
		}
		level = next
		if !forced {
			open++
		}
	}
	u := Unrolling{ended.cond, ended.vals, cut || len(level) > 0}
	m.unrollings[key] = u
	return u
}
