// SPDX-License-Identifier: Apache-2.0

package sat

// This file turns conflicts into clauses: the first unique implication point, then
// recursive minimization (Sörensson and Biere 2009) without recursion, then
// resolution with binary clauses for good clauses. It also finds cores.

import "slices"

// Marks in Solver.seen during analysis.
const (
	markSource  = 1 // in the learnt clause, or resolved away
	markImplied = 2 // follows from marked literals
	markPoison  = 3 // does not
)

// A frame is a suspended visit of implied: literal l, next position in its
// reason.
type frame struct {
	l Lit
	i int
}

// antecedent returns the literals other than the implied one of a reason. The
// buffer holds the answer for binary reasons.
func (s *Solver) antecedent(r uint32, buf *[1]uint32) []uint32 {
	if r&binary != 0 {
		buf[0] = r &^ binary
		return buf[:]
	}
	return s.arena[r+2 : r+1+s.arena[r]>>sizeShift]
}

// analyze leaves the clause learnt from a conflict in s.learnt and returns the
// level to go back to and the LBD. The first literal is the one that the clause
// then implies; the second, if any, is of that level.
func (s *Solver) analyze(conflict uint32) (back, lbd int) {
	learnt := append(s.learnt[:0], 0)
	seen, info, trail := s.seen, s.info, s.trail
	current := int32(s.level())
	open := 0 // marked literals of the current level not yet resolved
	i := len(trail)
	var buf [1]uint32
	var pair [2]uint32
	var lits []uint32
	if conflict&binary != 0 {
		pair = [2]uint32{uint32(s.conflict[0]), uint32(s.conflict[1])}
		lits = pair[:]
	} else {
		lits = s.lits(conflict)
		s.touch(conflict)
	}
	var p Lit
	for {
		for _, u := range lits {
			v := int32(u >> 1)
			if seen[v] != 0 {
				continue
			}
			lv := info[v].level
			if lv == 0 {
				continue
			}
			seen[v] = markSource
			s.toClear = append(s.toClear, v)
			s.bump(v)
			if lv >= current {
				open++
			} else {
				learnt = append(learnt, Lit(u))
			}
		}
		for {
			i--
			p = trail[i]
			if seen[p>>1] != 0 {
				break
			}
		}
		open--
		if open == 0 {
			break
		}
		r := info[p>>1].reason
		lits = s.antecedent(r, &buf)
		if r&binary == 0 {
			s.touch(r)
		}
	}
	learnt[0] = p ^ 1

	// Minimize.
	var levels uint32
	for _, l := range learnt[1:] {
		levels |= 1 << (uint32(s.info[l>>1].level) & 31)
	}
	j := 1
	for _, l := range learnt[1:] {
		if s.info[l>>1].reason == noReason || !s.implied(l, levels) {
			learnt[j] = l
			j++
		}
	}
	learnt = learnt[:j]
	lbd = s.lbdOf(learnt)
	if lbd <= 6 && len(learnt) <= 30 && len(learnt) > 2 {
		learnt = s.minimizeBinary(learnt)
	}
	for _, v := range s.toClear {
		s.seen[v] = 0
	}
	s.toClear = s.toClear[:0]
	s.learnt = learnt

	if len(learnt) == 1 {
		return 0, 1
	}
	m := 1
	for k := 2; k < len(learnt); k++ {
		if s.info[learnt[k]>>1].level > s.info[learnt[m]>>1].level {
			m = k
		}
	}
	learnt[1], learnt[m] = learnt[m], learnt[1]
	return int(s.info[learnt[1]>>1].level), min(lbd, len(learnt))
}

// touch notes that learnt clause r took part in a conflict, and lowers its LBD if
// it is better now.
func (s *Solver) touch(r uint32) {
	h := s.arena[r]
	if h&flagLearnt == 0 {
		return
	}
	g := s.grade(r)
	lbd := *g >> lbdShift
	if lbd > coreLBD {
		s.stampNow++
		var n uint32
		for _, u := range s.lits(r) {
			lv := s.info[u>>1].level
			if s.levelStamp[lv] != s.stampNow {
				s.levelStamp[lv] = s.stampNow
				if n++; n >= lbd {
					break
				}
			}
		}
		lbd = min(lbd, n)
	}
	*g = gradeOf(lbd)
}

// lbdOf counts the levels of lits. levelStamp has room for every level.
func (s *Solver) lbdOf(lits []Lit) int {
	s.stampNow++
	n := 0
	for _, l := range lits {
		lv := s.info[l>>1].level
		if s.levelStamp[lv] != s.stampNow {
			s.levelStamp[lv] = s.stampNow
			n++
		}
	}
	return n
}

// implied reports whether the complement of l, which is true, follows from
// literals marked markSource. levels is a Bloom set of the learnt clause's
// levels: a literal of another level cannot follow.
func (s *Solver) implied(l Lit, levels uint32) bool {
	stack := append(s.stack[:0], frame{l, 0})
	var buf [1]uint32
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		lits := s.antecedent(s.info[f.l>>1].reason, &buf)
		pushed, poison := false, false
		for f.i < len(lits) {
			u := lits[f.i]
			f.i++
			v := int32(u >> 1)
			in := s.info[v]
			if in.level == 0 || s.seen[v] == markSource || s.seen[v] == markImplied {
				continue
			}
			if in.reason == noReason || s.seen[v] == markPoison || levels&(1<<(uint32(in.level)&31)) == 0 {
				poison = true
				break
			}
			stack = append(stack, frame{Lit(u), 0})
			pushed = true
			break
		}
		if poison {
			for _, f := range stack {
				if v := int32(f.l >> 1); s.seen[v] == 0 {
					s.seen[v] = markPoison
					s.toClear = append(s.toClear, v)
				}
			}
			s.stack = stack
			return false
		}
		if pushed {
			continue
		}
		if v := int32(f.l >> 1); s.seen[v] == 0 {
			s.seen[v] = markImplied
			s.toClear = append(s.toClear, v)
		}
		stack = stack[:len(stack)-1]
	}
	s.stack = stack
	return true
}

// minimizeBinary removes literals whose complement is implied by a binary clause
// with the complement of the first literal: {a, b, ...} and {a, -b} give {a, ...}.
func (s *Solver) minimizeBinary(learnt []Lit) []Lit {
	removed := false
	for _, w := range s.watches[learnt[0]^1] {
		// The list has the clauses with learnt[0] in them. Marked variables that
		// were resolved away do no harm; those in learnt are false there.
		if v := w.blocker >> 1; w.ref&binary != 0 && s.vals[w.blocker] > 0 && s.seen[v] == markSource {
			s.seen[v] = markPoison
			removed = true
		}
	}
	if !removed {
		return learnt
	}
	j := 1
	for _, l := range learnt[1:] {
		if s.seen[l>>1] != markPoison {
			learnt[j] = l
			j++
		}
	}
	return learnt[:j]
}

// analyzeFinal sets the core when assumption p is false. All levels belong to
// assumptions, in order.
func (s *Solver) analyzeFinal(p Lit) {
	s.core = s.core[:0]
	var buf [1]uint32
	if s.info[p>>1].level > 0 {
		s.seen[p>>1] = markSource
		for i := len(s.trail) - 1; i >= s.trailLim[0]; i-- {
			l := s.trail[i]
			v := l >> 1
			if s.seen[v] == 0 {
				continue
			}
			s.seen[v] = 0
			r := s.info[v].reason
			if r == noReason {
				s.core = append(s.core, l)
				continue
			}
			for _, u := range s.antecedent(r, &buf) {
				if s.info[u>>1].level > 0 {
					s.seen[u>>1] = markSource
				}
			}
		}
		slices.Reverse(s.core) // found last to first
	}
	s.core = append(s.core, p)
	if s.opt.Proof != nil {
		final := s.buf[:0]
		for _, l := range s.core {
			final = append(final, l^1)
		}
		s.buf = final
		s.proofAdd(final)
	}
}
