// SPDX-License-Identifier: Apache-2.0

package sat

// This file keeps the clause database small: learnt clauses of little use are
// deleted by LBD (Audemard and Simon 2009) in three tiers, and clauses that
// level 0 has satisfied are dropped. Both visit only learnt clauses, or run
// after enough search has paid for visiting all.

import "slices"

const (
	coreLBD     = 2    // exempt for many rounds after use
	tierLBD     = 6    // exempt for two
	reduceKeep  = 0.25 // share of the others that is kept
	firstReduce = 1000 // conflicts before the first reduction
	reduceGrow  = 200  // each round is longer by so many conflicts
)

// gradeOf returns the last word of a learnt clause that took part in a conflict.
// Its use is the number of reductions that it is then exempt from; a new clause
// has none.
func gradeOf(lbd uint32) uint32 {
	use := uint32(0)
	switch {
	case lbd <= coreLBD:
		use = useMask
	case lbd <= tierLBD:
		use = 2
	}
	return lbd<<lbdShift | use
}

// locked reports whether clause r is the reason of its first literal.
func (s *Solver) locked(r uint32) bool {
	l := s.arena[r+1]
	return s.vals[l] > 0 && s.info[l>>1].reason == r
}

// reduce deletes the worse learnt clauses among those that were not used lately.
func (s *Solver) reduce() {
	s.stats.Reductions++
	s.reduceStep += s.reduceGrow
	s.nextReduce = s.stats.Conflicts + s.reduceStep
	keys := s.keys[:0]
	for i, r := range s.learnts {
		g := s.grade(r)
		lbd := *g >> lbdShift
		if *g&useMask > 0 {
			*g--
			continue
		}
		if s.locked(r) {
			continue
		}
		// Order by LBD, then size, then age: the sort needs no stability.
		size := min(s.arena[r]>>sizeShift, 1<<16-1)
		keys = append(keys, uint64(min(lbd, 1<<16-1))<<48|uint64(size)<<32|uint64(i))
	}
	slices.Sort(keys)
	for _, k := range keys[int(float64(len(keys))*reduceKeep):] {
		s.remove(s.learnts[uint32(k)])
	}
	s.keys = keys
	s.cleanWatches()
	s.learnts = s.undeleted(s.learnts)
	s.collect()
}

func (s *Solver) undeleted(refs []uint32) []uint32 {
	j := 0
	for _, r := range refs {
		if s.arena[r]&flagDeleted == 0 {
			refs[j] = r
			j++
		}
	}
	return refs[:j]
}

// simplifyDue reports whether level 0 has grown and search has paid for visiting
// every clause.
func (s *Solver) simplifyDue() bool {
	return len(s.trail) > s.simplifiedTop && s.stats.Propagations >= s.simplifyAt
}

// simplify deletes the clauses that level 0 satisfies and drops false literals
// from the others. It runs at level 0, after propagation.
func (s *Solver) simplify() {
	s.clauses = s.strengthen(s.clauses)
	s.learnts = s.strengthen(s.learnts)
	// A decided literal needs no watches: whatever has it is satisfied or has
	// lost it. Satisfied binary clauses have a second watch elsewhere.
	for _, t := range s.trail[s.simplifiedTop:] {
		for _, l := range [2]Lit{t, t ^ 1} {
			for _, w := range s.watches[l] {
				if w.ref&binary != 0 && s.vals[w.blocker] == 0 {
					s.markDirty(w.blocker ^ 1)
				}
			}
			s.watches[l] = nil
		}
	}
	s.cleanWatches()
	s.simplifiedTop = len(s.trail)
	s.simplifyAt = s.stats.Propagations + int64(len(s.arena)/2+len(s.watches))
	s.collect()
}

// strengthen visits clauses for simplify and returns those that remain.
func (s *Solver) strengthen(refs []uint32) []uint32 {
	j := 0
next:
	for _, r := range refs {
		lits := s.lits(r)
		falses := 0
		for _, u := range lits {
			switch v := s.vals[u]; {
			case v > 0:
				s.remove(r)
				continue next
			case v < 0:
				falses++
			}
		}
		if falses > 0 {
			// The watched literals are unassigned: nothing is left to propagate.
			out := s.buf[:0]
			for _, u := range lits {
				if s.vals[u] == 0 {
					out = append(out, Lit(u))
				}
			}
			s.buf = out
			s.proofAdd(out)
			if len(out) == 2 {
				s.remove(r)
				s.attachBinary(out[0], out[1])
				continue next
			}
			s.proofDelete(r)
			s.shrink(r, out)
		}
		refs[j] = r
		j++
	}
	return refs[:j]
}

// shrink replaces the literals of r by fewer, of which the first two are the
// same.
func (s *Solver) shrink(r uint32, lits []Lit) {
	h := s.arena[r]
	grade := s.arena[r+words(h)-1]
	for i, l := range lits {
		s.arena[r+1+uint32(i)] = uint32(l)
	}
	n := uint32(len(lits))<<sizeShift | h&flagLearnt
	if h&flagLearnt != 0 {
		s.arena[r+words(n)-1] = grade
	}
	s.wasted += int(words(h) - words(n))
	s.arena[r] = n
}
