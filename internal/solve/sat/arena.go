// SPDX-License-Identifier: Apache-2.0

package sat

// This file stores clauses of three literals and more in one slice of words. A
// clause is a reference r: arena[r] is the header, the literals follow, and a
// learnt clause has one more word with its LBD and whether it was used lately.
// Clauses as Go objects would cost an allocation and a pointer each, which the
// collector would have to follow. Clauses of two literals live in the watch
// lists alone.
//
// Deleted clauses stay until collect moves the others together.

const (
	// noReason is the reason of decisions, and "no conflict". Reference 0 is
	// never a clause.
	noReason = 0
	// binary marks a reference to a clause of two literals. As a reason, the
	// low bits are the literal that is false; see also Solver.conflict.
	binary = 1 << 31

	// Header: size above, flags below.
	sizeShift   = 3
	flagLearnt  = 1
	flagDeleted = 2
	flagMoved   = 4 // only within collect: the next word is the new reference

	// Last word of a learnt clause: LBD above, use below.
	lbdShift = 4
	useMask  = 15
)

// alloc stores a clause without watching it.
func (s *Solver) alloc(lits []Lit, learnt bool, lbd int) uint32 {
	if len(s.arena) == 0 {
		s.arena = append(s.arena, 0) // reference 0 is noReason
	}
	r := len(s.arena)
	if r+len(lits)+2 >= binary {
		panic("sat: clauses need more than 8 GiB")
	}
	h := uint32(len(lits)) << sizeShift
	if learnt {
		h |= flagLearnt
	}
	s.arena = append(s.arena, h)
	for _, l := range lits {
		s.arena = append(s.arena, uint32(l))
	}
	if learnt {
		s.arena = append(s.arena, uint32(lbd)<<lbdShift)
	}
	return uint32(r)
}

// lits returns the literals of clause r. They may be permuted in place.
func (s *Solver) lits(r uint32) []uint32 {
	return s.arena[r+1 : r+1+s.arena[r]>>sizeShift]
}

// words returns the length of a clause with header h in the arena.
func words(h uint32) uint32 { return 1 + h>>sizeShift + h&flagLearnt }

// grade returns the word with LBD and use of learnt clause r.
func (s *Solver) grade(r uint32) *uint32 { return &s.arena[r+1+s.arena[r]>>sizeShift] }

func (s *Solver) attach(r uint32) {
	l0, l1 := Lit(s.arena[r+1]), Lit(s.arena[r+2])
	s.watches[l0^1] = append(s.watches[l0^1], watch{l1, r})
	s.watches[l1^1] = append(s.watches[l1^1], watch{l0, r})
}

func (s *Solver) attachBinary(a, b Lit) {
	s.watches[a^1] = append(s.watches[a^1], watch{b, binary})
	s.watches[b^1] = append(s.watches[b^1], watch{a, binary})
}

func (s *Solver) markDirty(l Lit) {
	if !s.isDirty[l] {
		s.isDirty[l] = true
		s.dirty = append(s.dirty, l)
	}
}

// remove deletes clause r. Its watches go when cleanWatches is next called,
// which must be before the next propagation.
func (s *Solver) remove(r uint32) {
	for _, l := range s.arena[r+1 : r+3] {
		s.markDirty(Lit(l ^ 1))
	}
	s.proofDelete(r)
	s.wasted += int(words(s.arena[r]))
	s.arena[r] |= flagDeleted
	s.stats.Deleted++
}

// cleanWatches drops the watches of deleted clauses and, at level 0, of satisfied
// binary ones. Only dirty lists are visited.
func (s *Solver) cleanWatches() {
	for _, l := range s.dirty {
		// The second watch of a satisfied clause is in the list of an assigned
		// literal, which is left alone: each clause is counted once.
		top := s.level() == 0 && s.vals[l] == 0
		s.isDirty[l] = false
		ws := s.watches[l]
		j := 0
		for _, w := range ws {
			switch {
			case w.ref&binary == 0 && s.arena[w.ref]&flagDeleted != 0:
			case w.ref&binary != 0 && top && s.vals[w.blocker] > 0:
				s.stats.Deleted++
				if s.opt.Proof != nil {
					s.opt.Proof.Delete([]Lit{l ^ 1, w.blocker})
				}
			default:
				ws[j] = w
				j++
			}
		}
		s.watches[l] = ws[:j]
	}
	s.dirty = s.dirty[:0]
}

// collect moves the clauses together if a quarter of the arena is waste. It
// touches every watch list, which the waste has paid for.
func (s *Solver) collect() {
	if s.wasted == 0 || s.wasted*4 < len(s.arena) {
		return
	}
	old := s.arena
	s.arena = make([]uint32, 1, 1+len(old)-s.wasted+len(old)/4)
	move := func(refs []uint32) []uint32 {
		j := 0
		for _, r := range refs {
			h := old[r]
			if h&flagDeleted != 0 {
				continue
			}
			n := uint32(len(s.arena))
			s.arena = append(s.arena, old[r:r+words(h)]...)
			old[r] |= flagMoved
			old[r+1] = n
			refs[j] = n
			j++
		}
		return refs[:j]
	}
	s.clauses = move(s.clauses)
	s.learnts = move(s.learnts)
	for _, ws := range s.watches {
		for i := range ws {
			if ws[i].ref&binary == 0 {
				ws[i].ref = old[ws[i].ref+1]
			}
		}
	}
	for _, l := range s.trail {
		in := &s.info[l>>1]
		if in.reason == noReason || in.reason&binary != 0 {
			continue
		}
		if old[in.reason]&flagMoved != 0 {
			in.reason = old[in.reason+1]
		} else {
			// Only reasons at level 0 may be deleted; nobody reads them again.
			in.reason = noReason
		}
	}
	s.wasted = 0
}
