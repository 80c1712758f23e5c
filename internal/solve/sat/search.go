// SPDX-License-Identifier: Apache-2.0

package sat

// This file searches: propagate, learn, decide. Assumption i is the decision of
// level i+1 (Eén and Sörensson 2003), with an empty level if it already holds,
// so that a question keeps the levels that it shares with the one before.
//
// Restarts alternate between two modes, as in CaDiCaL: quick ones when recent
// clauses are worse than the long-run average (Audemard and Simon 2012), good
// for refutations, and rare ones by the sequence of Luby et al. (1993), good
// for models. The modes change after amounts of work, not of time. Target phases,
// without rephasing, made little difference in one small trial and were left out.

import (
	"context"
	"fmt"
)

const (
	firstMode      = 1000 // conflicts before the first change of mode
	restartMin     = 2    // conflicts between quick restarts
	restartMargin  = 1.1
	fastWeight     = 1.0 / 32
	slowWeight     = 1.0 / 8192
	lubyUnit       = 512
	checkConflicts = 1000  // conflicts between looks at the context
	checkProps     = 50000 // propagations between looks at the context
)

// An average is an exponential moving average, corrected for its start.
type average struct {
	value, missing float64 // missing: weight of the samples before the first
}

func (a *average) reset() { *a = average{0, 1} }

func (a *average) add(x, weight float64) {
	a.value += weight * (x - a.value)
	a.missing *= 1 - weight
}

func (a *average) get() float64 {
	if a.missing >= 1 {
		return 0
	}
	return a.value / (1 - a.missing)
}

// luby returns term i, from 1, of 1 1 2 1 1 2 4 ...
func luby(i int64) int64 {
	for {
		k := int64(1)
		for k < i+1 {
			k <<= 1
		}
		if k == i+1 {
			return k >> 1
		}
		i -= k>>1 - 1
	}
}

// Solve answers q. An error is that of the context, and comes with Unknown.
// Unknown without an error says that a budget ran out; see [Solver.Exhausted].
// In both cases the solver keeps what it has learnt and can be asked again.
//
// It panics if a literal or variable was not made, or if an assumption is outside
// a closed cone.
func (s *Solver) Solve(ctx context.Context, q Query) (Status, error) {
	for _, l := range q.Assumptions {
		if l < 0 || int(l) >= len(s.vals) {
			panic(fmt.Sprintf("sat.Solve: assumption %d of %d variables", int(l), s.NumVars()))
		}
	}
	s.stats.Solves++
	s.last = Unknown
	s.exhausted = ""
	s.core = s.core[:0]
	if err := ctx.Err(); err != nil {
		return Unknown, err
	}
	if !s.ok {
		s.last = Unsat
		return Unsat, nil
	}

	// Keep the levels of the assumptions that both questions start with, unless
	// consequences that matter now were left out in the closed cone before.
	s.clearHeap()
	within := s.setCone(q.Cone)
	keep := 0
	if !s.closed || q.Closed && within {
		shared := min(len(q.Assumptions), len(s.assumptions), s.level())
		for keep < shared && q.Assumptions[keep] == s.assumptions[keep] {
			keep++
		}
	}
	s.cancelUntil(keep)
	s.assumptions = append(s.assumptions[:0], q.Assumptions...)
	s.closed = q.Closed && q.Cone != nil
	if s.closed {
		for _, l := range q.Assumptions {
			if s.inCone[l.Var()] != s.epoch && s.vals[l] == 0 {
				panic(fmt.Sprintf("sat.Solve: assumption %v is outside the closed cone", l))
			}
		}
	}

	var err error
	s.last, err = s.search(ctx, q)
	return s.last, err
}

// setCone stamps the variables to decide. It reports whether all of them were in
// the cone before.
func (s *Solver) setCone(cone []int) (within bool) {
	old := s.epoch
	s.epoch++
	if s.epoch == 0 {
		clear(s.inCone)
		old, s.epoch = 1, 2
	}
	s.cone = s.cone[:0]
	within = true
	add := func(v int) {
		if s.inCone[v] != s.epoch && (s.vals[Pos(v)] == 0 || s.info[v].level > 0) {
			within = within && s.inCone[v] == old
			s.inCone[v] = s.epoch
			s.cone = append(s.cone, int32(v))
		}
	}
	if cone == nil {
		for v := range s.info {
			add(v)
		}
		return within
	}
	for _, v := range cone {
		if v < 0 || v >= len(s.info) {
			panic(fmt.Sprintf("sat.Solve: variable %d of %d in the cone", v, s.NumVars()))
		}
		add(v)
	}
	return within
}

// search answers the question that Solve has set up.
func (s *Solver) search(ctx context.Context, q Query) (Status, error) {
	maxConflicts, maxProps := int64(1)<<62, int64(1)<<62
	if q.Conflicts > 0 {
		maxConflicts = s.stats.Conflicts + q.Conflicts
	}
	if q.Propagations > 0 {
		maxProps = s.stats.Propagations + q.Propagations
	}
	lookConflicts := s.stats.Conflicts + checkConflicts
	lookProps := s.stats.Propagations + checkProps

	s.fast.reset()
	s.slow.reset()
	stable := false
	modes := int64(0)
	modeStart := s.stats.Propagations
	modeUnit := int64(0) // propagations in the first mode
	modeConflicts := s.stats.Conflicts + firstMode
	modeEnd := int64(1) << 62
	nextRestart := s.stats.Conflicts + restartMin
	lubyIndex := int64(1)

	for {
		if conflict := s.propagate(); conflict != noReason {
			s.stats.Conflicts++
			if s.level() == 0 {
				s.ok = false
				s.proofAdd(nil)
				return Unsat, nil
			}
			s.learn(conflict)
			continue
		}

		conflicts, props := s.stats.Conflicts, s.stats.Propagations
		switch {
		case conflicts >= maxConflicts:
			s.exhausted = "conflicts"
			return Unknown, nil
		case props >= maxProps:
			s.exhausted = "propagations"
			return Unknown, nil
		case conflicts >= lookConflicts || props >= lookProps:
			if err := ctx.Err(); err != nil {
				return Unknown, err
			}
			lookConflicts, lookProps = conflicts+checkConflicts, props+checkProps
		}

		if conflicts >= nextRestart && s.level() > len(s.assumptions) {
			if stable || s.fast.get() > restartMargin*s.slow.get() {
				s.restart()
			}
			if modes == 0 && conflicts >= modeConflicts || props >= modeEnd {
				if modes++; modes == 1 {
					modeUnit = props - modeStart
				}
				modeEnd = props + modeUnit*modes*modes
				stable = !stable
				lubyIndex = 1
			}
			nextRestart = conflicts + restartMin
			if stable {
				nextRestart = conflicts + lubyUnit*luby(lubyIndex)
				lubyIndex++
			}
		}
		if conflicts >= s.nextReduce {
			s.reduce()
		}
		if s.level() == 0 && s.simplifyDue() {
			s.simplify()
		}

		next := Lit(-1)
		for s.level() < len(s.assumptions) {
			p := s.assumptions[s.level()]
			if s.vals[p] > 0 {
				s.newLevel()
				continue
			}
			if s.vals[p] < 0 {
				s.analyzeFinal(p)
				return Unsat, nil
			}
			next = p
			break
		}
		if next < 0 {
			next = s.pick()
			if next < 0 {
				return Sat, nil
			}
			s.stats.Decisions++
		}
		s.newLevel()
		s.assign(next, noReason)
	}
}

func (s *Solver) newLevel() {
	s.trailLim = append(s.trailLim, len(s.trail))
	if len(s.levelStamp) <= len(s.trailLim) {
		s.levelStamp = append(s.levelStamp, make([]uint32, len(s.trailLim)+1)...)
	}
}

// learn analyses a conflict, goes back, and assigns the new literal.
func (s *Solver) learn(conflict uint32) {
	back, lbd := s.analyze(conflict)
	s.cancelUntil(back)
	s.proofAdd(s.learnt)
	s.stats.Learnt++
	switch l := s.learnt; len(l) {
	case 1:
		s.assign(l[0], noReason)
	case 2:
		s.attachBinary(l[0], l[1])
		s.assign(l[0], binary|uint32(l[1]))
	default:
		r := s.alloc(l, true, lbd)
		s.learnts = append(s.learnts, r)
		s.attach(r)
		s.assign(l[0], r)
	}
	s.inc *= 1 / activityDecay
	s.fast.add(float64(lbd), fastWeight)
	s.slow.add(float64(lbd), slowWeight)
}

// restart goes back to the assumptions, but keeps the levels that would be decided
// again the same way (van der Tak, Ramos and Heule 2011).
func (s *Solver) restart() {
	s.stats.Restarts++
	level := len(s.assumptions)
	for len(s.heap) > 0 && s.vals[s.heap[0].v<<1] != 0 {
		s.heapPop()
	}
	if len(s.heap) > 0 {
		a := s.heap[0].activity
		for level < s.level() && s.activity[s.trail[s.trailLim[level]]>>1] > a {
			level++
		}
	}
	s.cancelUntil(level)
}
