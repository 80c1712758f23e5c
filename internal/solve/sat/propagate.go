// SPDX-License-Identifier: Apache-2.0

package sat

// This file assigns, propagates and takes back. Propagation watches two literals
// of each clause (Moskewicz et al. 2001) with a blocker beside each watch, so
// that most visits do not touch the clause; clauses of two literals are the
// watch itself.
//
// Invariant between calls: if a watched literal is false, the other one is true,
// and was not assigned at a later level, or it is outside a closed cone. A clause that is the reason of a
// literal has it first.

func (s *Solver) level() int { return len(s.trailLim) }

// assign makes an unassigned literal true at the current level.
func (s *Solver) assign(l Lit, reason uint32) {
	s.vals[l] = 1
	s.vals[l^1] = -1
	s.info[l>>1] = varInfo{reason, int32(len(s.trailLim))}
	s.trail = append(s.trail, l)
}

// propagate assigns what follows from the trail. It returns noReason, or the
// clause that is false; for binary, its literals are in s.conflict.
func (s *Solver) propagate() uint32 {
	vals, info, arena := s.vals, s.info, s.arena
	level := int32(len(s.trailLim))
	trail := s.trail
	start := s.qhead
	qhead := start
	conflict := uint32(noReason)
	// In a closed cone, variables outside stay unassigned above level 0. A clause
	// that has one then implies nothing, so the invariant holds for the rest.
	closed := s.closed && level > 0
	inCone, epoch := s.inCone, s.epoch
	for qhead < len(trail) {
		p := trail[qhead]
		qhead++
		np := p ^ 1
		ws := s.watches[p]
		j := 0
	visit:
		for i := 0; i < len(ws); i++ {
			w := ws[i]
			b := vals[w.blocker]
			if b > 0 {
				ws[j] = w
				j++
				continue
			}
			if w.ref&binary != 0 {
				ws[j] = w
				j++
				if b < 0 {
					s.conflict = [2]Lit{w.blocker, np}
					conflict = binary
					j += copy(ws[j:], ws[i+1:])
					break
				}
				if closed && inCone[w.blocker>>1] != epoch {
					continue
				}
				vals[w.blocker] = 1
				vals[w.blocker^1] = -1
				info[w.blocker>>1] = varInfo{binary | uint32(np), level}
				trail = append(trail, w.blocker)
				continue
			}
			c := arena[w.ref:]
			lits := c[1 : 1+c[0]>>sizeShift]
			_ = lits[2]
			other := Lit(lits[0]) ^ Lit(lits[1]) ^ np
			ov := vals[other]
			if ov > 0 {
				ws[j] = watch{other, w.ref}
				j++
				continue
			}
			for k := 2; k < len(lits); k++ {
				l := Lit(lits[k])
				if vals[l] >= 0 {
					lits[0] = uint32(other)
					lits[1] = uint32(l)
					lits[k] = uint32(np)
					s.watches[l^1] = append(s.watches[l^1], watch{other, w.ref})
					continue visit
				}
			}
			ws[j] = watch{other, w.ref}
			j++
			if ov < 0 {
				conflict = w.ref
				j += copy(ws[j:], ws[i+1:])
				break
			}
			if closed && inCone[other>>1] != epoch {
				continue
			}
			lits[0] = uint32(other)
			lits[1] = uint32(np)
			vals[other] = 1
			vals[other^1] = -1
			info[other>>1] = varInfo{w.ref, level}
			trail = append(trail, other)
		}
		if j < len(ws) {
			s.watches[p] = ws[:j]
		}
		if conflict != noReason {
			break
		}
	}
	s.stats.Propagations += int64(qhead - start)
	if conflict != noReason {
		qhead = len(trail)
	}
	s.trail, s.qhead = trail, qhead
	return conflict
}

// cancelUntil takes back every level above the given one.
func (s *Solver) cancelUntil(level int) {
	if len(s.trailLim) <= level {
		return
	}
	lim := s.trailLim[level]
	for i := len(s.trail) - 1; i >= lim; i-- {
		l := s.trail[i]
		v := l >> 1
		s.vals[l] = 0
		s.vals[l^1] = 0
		s.phase[v] = int8(l & 1)
		if s.heapOn && s.inCone[v] == s.epoch {
			s.makeAvailable(int32(v))
		}
	}
	s.trail = s.trail[:lim]
	s.trailLim = s.trailLim[:level]
	s.qhead = lim
}
