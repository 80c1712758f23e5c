// SPDX-License-Identifier: Apache-2.0

package sat

// This file picks decisions by activity: variables met in recent conflicts count
// more (VSIDS, Moskewicz et al. 2001, with the exponential weights of Eén and
// Sörensson 2003). The heap holds variables of the cone only and is filled when
// a question needs its first decision; many questions are answered before that.
// Items carry their activity so that sifting stays within the heap.

type heapItem struct {
	activity float64
	v        int32
}

const (
	activityDecay = 0.95
	activityLimit = 1e100
)

// fillHeap makes the heap of the unassigned variables of the cone.
func (s *Solver) fillHeap() {
	for _, v := range s.cone {
		if s.vals[v<<1] == 0 {
			s.heapPos[v] = int32(len(s.heap))
			s.heap = append(s.heap, heapItem{s.activity[v], v})
		}
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.heapDown(i)
	}
	s.heapOn = true
}

func (s *Solver) clearHeap() {
	for _, it := range s.heap {
		s.heapPos[it.v] = -1
	}
	s.heap = s.heap[:0]
	s.heapOn = false
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
	s.heapPos[v] = -1
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
