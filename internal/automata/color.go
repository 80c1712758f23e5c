// SPDX-License-Identifier: Apache-2.0

package automata

// This file searches for a quotient of at most m states, as the colouring of a
// graph: states are nodes, those known to be apart are joined, and states of one
// colour must have successors of one colour. Backtracking always takes the node
// that has fewest colours left (Brélaz, "New methods to color the vertices of a
// graph", 1979), and of the unused colours, which are alike, only the first.
// Biermann's search, transition by transition, was tried first and needed more
// than a hundred times as many steps for six to eight states. Translation to SAT
// was not chosen: this package imports nothing.

// What a search found out. The zero value is that its steps ran out.
type finding uint8

const (
	undecided finding = iota
	found
	refuted
)

// maxCells bounds the space of a search.
const maxCells = 1 << 24

// A coloring in progress. Its invariants, when nothing is left to do: states with
// equal colours are not apart; to[q*k+x] is the colour of the x-successors of all
// states of colour q, -1 if none of them has a colour; banned and allowed count.
type coloring struct {
	*partial
	c       *conflicts
	m       int
	steps   *int
	pre     [][]int32 // by state: its transitions, as state*k+letter
	color   []int32   // by state, -1 if none
	banned  []int32   // by state*m+colour: states of the colour that it is apart from
	allowed []int32   // by state: colours not banned
	members [][]int32 // by colour
	to      []int32
	used    int // colours in use: the first ones
	log     []colorStep
	todo    [][2]int32 // states and the colours they must get
}

// A colorStep is a state that got a colour or, if state is -1, a cell of to that
// was set.
type colorStep struct{ state, cell int32 }

// quotientOf looks for a quotient of p with at most m states. If one is found,
// block gives its states by states of p.
func (p *partial) quotientOf(m int, c *conflicts, steps *int) (block []int32, how finding) {
	if m < 1 {
		return nil, refuted
	}
	if c.table == nil || p.n > maxCells/m {
		return nil, undecided
	}
	s := &coloring{
		partial: p, c: c, m: m, steps: steps,
		pre:     make([][]int32, p.n),
		color:   make([]int32, p.n),
		banned:  make([]int32, p.n*m),
		allowed: make([]int32, p.n),
		members: make([][]int32, m),
		to:      make([]int32, m*p.k),
	}
	for e, t := range p.next {
		if t >= 0 {
			s.pre[t] = append(s.pre[t], int32(e))
		}
	}
	for i := range s.color {
		s.color[i], s.allowed[i] = -1, int32(m)
	}
	for cell := range s.to {
		s.to[cell] = -1
	}
	s.todo = append(s.todo, [2]int32{0, 0})
	switch {
	case s.propagate() && s.search():
		return s.color, found
	case *steps <= 0:
		return nil, undecided
	}
	return nil, refuted
}

// search colours the states that have no colour yet.
func (s *coloring) search() bool {
	next := int32(-1)
	for i, c := range s.color {
		if c < 0 && (next < 0 || s.allowed[i] < s.allowed[next]) {
			next = int32(i)
		}
	}
	if next < 0 {
		return true
	}
	mark, used := len(s.log), s.used
	for q := range min(used+1, s.m) {
		if *s.steps <= 0 {
			return false
		}
		if s.banned[int(next)*s.m+q] > 0 {
			continue
		}
		s.todo = append(s.todo[:0], [2]int32{next, int32(q)})
		if s.propagate() && s.search() {
			return true
		}
		s.undo(mark)
		s.used = used
	}
	return false
}

// propagate gives the states of the to-do list their colours, and the states for
// which that leaves one colour theirs; false if there is a conflict.
func (s *coloring) propagate() bool {
	for len(s.todo) > 0 {
		t, q := s.todo[len(s.todo)-1][0], s.todo[len(s.todo)-1][1]
		s.todo = s.todo[:len(s.todo)-1]
		if s.color[t] == q {
			continue
		}
		if s.color[t] >= 0 || s.banned[int(t)*s.m+int(q)] > 0 {
			return false
		}
		if *s.steps -= 1 + s.n/16; *s.steps <= 0 {
			return false
		}
		s.color[t] = q
		s.members[q] = append(s.members[q], t)
		s.used = max(s.used, int(q)+1)
		s.log = append(s.log, colorStep{state: t})
		// All counts are brought up to date before a conflict is reported, so
		// that undo finds them so.
		dead := false
		for v, apart := range s.c.table[int(t)*s.n : int(t+1)*s.n] {
			if !apart {
				continue
			}
			b := &s.banned[v*s.m+int(q)]
			if *b++; *b > 1 {
				continue
			}
			s.allowed[v]--
			if s.color[v] >= 0 {
				continue
			}
			switch s.allowed[v] {
			case 0:
				dead = true
			case 1:
				s.todo = append(s.todo, [2]int32{int32(v), s.lastColor(v)})
			}
		}
		if dead {
			return false
		}
		for x := range s.k {
			next, cell := s.next[int(t)*s.k+x], int(q)*s.k+x
			switch {
			case next < 0:
			case s.to[cell] >= 0:
				s.todo = append(s.todo, [2]int32{next, s.to[cell]})
			case s.color[next] >= 0:
				s.set(int32(cell), s.color[next])
			}
		}
		for _, e := range s.pre[t] {
			p, x := e/int32(s.k), e%int32(s.k)
			if s.color[p] < 0 {
				continue
			}
			cell := s.color[p]*int32(s.k) + x
			if s.to[cell] < 0 {
				s.set(cell, q)
			} else if s.to[cell] != q {
				return false
			}
		}
	}
	return true
}

// lastColor returns the one colour that is not banned for v.
func (s *coloring) lastColor(v int) int32 {
	for q := range s.m {
		if s.banned[v*s.m+q] == 0 {
			return int32(q)
		}
	}
	panic("automata: no colour left")
}

// set makes q the colour of the successors that cell is about.
func (s *coloring) set(cell, q int32) {
	s.to[cell] = q
	s.log = append(s.log, colorStep{state: -1, cell: cell})
	x := cell % int32(s.k)
	for _, t := range s.members[cell/int32(s.k)] {
		if next := s.next[t*int32(s.k)+x]; next >= 0 {
			s.todo = append(s.todo, [2]int32{next, q})
		}
	}
}

// undo takes back what was logged after mark.
func (s *coloring) undo(mark int) {
	for i := len(s.log) - 1; i >= mark; i-- {
		step := s.log[i]
		if step.state < 0 {
			s.to[step.cell] = -1
			continue
		}
		q := s.color[step.state]
		s.color[step.state] = -1
		s.members[q] = s.members[q][:len(s.members[q])-1]
		for v, apart := range s.c.table[int(step.state)*s.n : int(step.state+1)*s.n] {
			if !apart {
				continue
			}
			b := &s.banned[v*s.m+int(q)]
			if *b--; *b == 0 {
				s.allowed[v]++
			}
		}
	}
	s.log = s.log[:mark]
}
