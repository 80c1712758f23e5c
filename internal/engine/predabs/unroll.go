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
	sum    *explore.Summary
	errs   bool
	rounds int
}

// Unrolled returns the condition and values of the runs of a call that end at
// the exit (or, for errs, at an error that is not blamed on the environment).
func (m *Abstraction) Unrolled(sum *explore.Summary, errs bool) Unrolling {
	return m.unroll(unrollKey{sum, errs, maxUnroll})
}

// UnrolledFurther is Unrolled with more rounds.
func (m *Abstraction) UnrolledFurther(sum *explore.Summary, errs bool) Unrolling {
	return m.unroll(unrollKey{sum, errs, maxFurther})
}

// A partialRun is the runs that are at one location after the same number of blocks.
type partialRun struct {
	loc  int
	cond *term.Term
	vals []*term.Term
}

// An unroller follows the runs of a call, one block in each round.
type unroller struct {
	abs *Abstraction
	unrollKey
	ended partialRun // the runs that ended as asked for
	work  int        // values computed
	cut   bool       // some blocks were not followed, because there are too many values
}

func (m *Abstraction) unroll(key unrollKey) Unrolling {
	if u, ok := m.unrollings[key]; ok {
		return u
	}
	start := m.EntryValues(key.sum)
	x := &unroller{abs: m, unrollKey: key, ended: partialRun{cond: m.Pool.False(), vals: start}}
	level := []partialRun{{key.sum.Method.Entry, m.Pool.True(), start}}
	open := 0 // rounds with more than one way
	for n := 0; len(level) > 0 && open < key.rounds && n < maxForced && x.work < maxUnrolled; n++ {
		next, forced := x.round(n, level)
		if level = next; !forced {
			open++
		}
	}
	u := Unrolling{x.ended.cond, x.ended.vals, x.cut || len(level) > 0}
	m.unrollings[key] = u
	return u
}

// round follows runs by one block, the n-th. It reports whether each could go one way at most.
func (x *unroller) round(n int, level []partialRun) (next []partialRun, forced bool) {
	forced = true
	for _, r := range level {
		ways := 0
		sub := After(x.sum, r.vals)
		for k := range x.sum.Blocks {
			b := &x.sum.Blocks[k]
			if b.From != r.loc {
				continue
			}
			if x.work >= maxUnrolled {
				x.cut = true
				break
			}
			x.choose(b, n, sub)
			cond := x.abs.Pool.Substitute(b.Cond, sub)
			if cond.IsFalse() {
				continue
			}
			ways++
			if to, ok := x.take(b, x.abs.Pool.And(r.cond, cond), sub); ok {
				next = x.join(next, to)
			}
		}
		forced = forced && ways <= 1
	}
	return next, forced
}

// choose adds the choices of a block in round n to a substitution, and notes what is known of guesses among them. Each round makes its own choices.
func (x *unroller) choose(b *explore.Block, n int, sub map[*term.Term]*term.Term) {
	guesses := map[int]*term.Term{} // by edge
	for _, ch := range b.Choices {
		made := ch.Term
		if n > 0 {
			made = x.abs.Pool.Var(ChoiceIn(ch, b.From, n), ch.Term.Sort())
			sub[ch.Term] = made
		}
		if ch.Origin == prog.Guess && ch.Edge >= 0 {
			guesses[ch.Edge] = made
		}
	}
	for _, ch := range b.Choices {
		if made := guesses[ch.Edge]; made != nil && x.abs.guessed[made] == nil {
			x.abs.guessed[made] = x.abs.domain(x.sum.Method, ch.Edge, guesses)
		}
	}
}

// take follows a block under a condition. It returns the runs after it if these go on; those that end as asked for join the others that did.
func (x *unroller) take(b *explore.Block, cond *term.Term, sub map[*term.Term]*term.Term) (partialRun, bool) {
	if cond.IsFalse() {
		return partialRun{}, false
	}
	site := x.sum.Method.ErrorAt(b.To)
	ends := site != nil || b.To == x.sum.Method.Exit
	if ends && (site != nil) != x.errs || site != nil && site.Blamed {
		return partialRun{}, false
	}
	to := partialRun{b.To, cond, x.abs.Pool.SubstituteAll(b.Vals, sub)}
	x.work += len(to.vals)
	switch {
	case !ends:
		return to, true
	case x.ended.cond.IsFalse():
		x.ended = to
	default:
		x.ended = x.merge(x.ended, to)
	}
	return partialRun{}, false
}

// join adds runs to a list with one entry for each location.
func (x *unroller) join(list []partialRun, r partialRun) []partialRun {
	if k := slices.IndexFunc(list, func(o partialRun) bool { return o.loc == r.loc }); k >= 0 {
		list[k] = x.merge(list[k], r)
		return list
	}
	return append(list, r)
}

// merge is the runs of both.
func (x *unroller) merge(a, b partialRun) partialRun {
	vals := make([]*term.Term, len(a.vals))
	for i := range vals {
		vals[i] = a.vals[i]
		if a.vals[i] != b.vals[i] {
			vals[i] = x.abs.Pool.Ite(a.cond, a.vals[i], b.vals[i])
		}
	}
	return partialRun{a.loc, x.abs.Pool.Or(a.cond, b.cond), vals}
}

// EntryValues are the values of the variables of a method at its entry: results and locals are zero.
func (m *Abstraction) EntryValues(sum *explore.Summary) []*term.Term {
	entry := m.Entry(sum)
	vals := make([]*term.Term, len(sum.Vars))
	for i, v := range sum.Vars {
		if vals[i] = v.Term; entry[v.Term] != nil {
			vals[i] = entry[v.Term]
		}
	}
	return vals
}
