// SPDX-License-Identifier: Apache-2.0

package sat

// This file picks decisions by activity: variables met in recent conflicts count
// more (VSIDS, Moskewicz et al. 2001, with the exponential weights of Eén and
// Sörensson 2003). The heap holds variables of the cone only and is filled when
// a question needs its first decision; many questions are answered before that.
// Items carry their activity so that sifting stays within the heap.
//
// Variables that had no part in recent conflicts, most of a cone, are cold: they
// are not worth a heap and are decided in the order of the cone when the heap is
// empty. A cold variable that is met in a conflict goes to the heap.

type heapItem struct {
	activity float64
	v        int32
}

const (
	activityDecay = 0.95
	activityLimit = 1e100
	coldActivity  = 1e-6 // relative to the increment; some 270 conflicts old
)

// Values of Solver.heapPos that are not a position in the heap.
const (
	posNone = -1
	posCold = -2 // minus the position in Solver.cold
)

// fillHeap makes the heap and the cold list of the unassigned variables of the
// cone. The others come when they are taken back.
func (s *Solver) fillHeap() {
	limit := s.inc * coldActivity
	for _, v := range s.cone {
		if s.vals[v<<1] != 0 {
			continue
		}
		if a := s.activity[v]; a < limit {
			s.heapPos[v] = posCold - int32(len(s.cold))
			s.cold = append(s.cold, v)
		} else {
			s.heapPos[v] = int32(len(s.heap))
			s.heap = append(s.heap, heapItem{a, v})
		}
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.heapDown(i)
	}
	s.heapOn = true
}

func (s *Solver) clearHeap() {
	for _, it := range s.heap {
		s.heapPos[it.v] = posNone
	}
	s.heap = s.heap[:0]
	for _, v := range s.cold {
		s.heapPos[v] = posNone
	}
	s.cold, s.coldNext = s.cold[:0], 0
	s.heapOn = false
}

// makeAvailable is called when a variable of the cone is unassigned again.
func (s *Solver) makeAvailable(v int32) {
	switch p := s.heapPos[v]; {
	case p == posNone:
		s.heapInsert(v)
	case p <= posCold:
		s.coldNext = min(s.coldNext, int(posCold-p))
	}
}

// pick returns the next decision, or -1 if the cone is assigned.
func (s *Solver) pick() Lit {
	if !s.heapOn {
		s.fillHeap()
	}
	for len(s.heap) > 0 {
		if v := s.heapPop(); s.vals[v<<1] == 0 {
			return Lit(v<<1) | Lit(s.phase[v])
		}
	}
	for ; s.coldNext < len(s.cold); s.coldNext++ {
		// A variable that has left the list is assigned: the heap is empty.
		if v := s.cold[s.coldNext]; s.vals[v<<1] == 0 {
			return Lit(v<<1) | Lit(s.phase[v])
		}
	}
	return -1
}

func (s *Solver) heapInsert(v int32) {
	s.heap = append(s.heap, heapItem{s.activity[v], v})
	s.heapUp(len(s.heap) - 1)
}

func (s *Solver) heapUp(i int) {
	h := s.heap
	it := h[i]
	for i > 0 {
		p := (i - 1) >> 1
		if h[p].activity >= it.activity {
			break
		}
		h[i] = h[p]
		s.heapPos[h[i].v] = int32(i)
		i = p
	}
	h[i] = it
	s.heapPos[it.v] = int32(i)
}

func (s *Solver) heapDown(i int) {
	h := s.heap
	it := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1].activity > h[c].activity {
			c++
		}
		if it.activity >= h[c].activity {
			break
		}
		h[i] = h[c]
		s.heapPos[h[i].v] = int32(i)
		i = c
	}
	h[i] = it
	s.heapPos[it.v] = int32(i)
}

// heapPop removes a variable of greatest activity.
func (s *Solver) heapPop() int32 {
	v := s.heap[0].v
	s.heapPos[v] = posNone
	n := len(s.heap) - 1
	it := s.heap[n]
	s.heap = s.heap[:n]
	if n > 0 {
		s.heap[0] = it
		s.heapDown(0)
	}
	return v
}

func (s *Solver) bump(v int32) {
	a := s.activity[v] + s.inc
	s.activity[v] = a
	if p := s.heapPos[v]; p >= 0 {
		s.heap[p].activity = a
		s.heapUp(int(p))
	} else if p <= posCold {
		s.heapPos[v] = posNone
	}
	if a > activityLimit {
		s.rescale()
	}
}

// rescale keeps activities finite. It visits every variable, once in thousands
// of conflicts.
func (s *Solver) rescale() {
	for v := range s.activity {
		s.activity[v] *= 1 / activityLimit
	}
	for i := range s.heap {
		s.heap[i].activity *= 1 / activityLimit
	}
	s.inc *= 1 / activityLimit
}
