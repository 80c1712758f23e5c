// SPDX-License-Identifier: Apache-2.0

package papers

// This file decides the calls that the learned automaton of abstract.go rejects, and leads words on after those that
// stay unknown.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/cegar"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/typestate"
)

// A settler decides the calls that the learned automaton rejects. Its nodes are
// 0, before construction; 1+q, the learned state q; and lost, where no call is
// decided.
type settler struct {
	abs     *predabs.Abstraction
	run     *cegar.Run
	teacher *abstractTeacher
	h       *automata.DFA
	numbers []int                // letter -> learner's letter, or -1
	unknown map[[2]int32]bool    // (node, call): not proved to err
	goal    map[[2]int32][]int32 // (node, letter of an unknown call): abstract states that may be current then
	target  map[[2]int32]int32   // and a node that is safe for them
	safes   map[[2]int32]bool
}

func (s *settler) lost() int32 { return int32(s.h.States()) + 1 }

// settle replaces the pairs of the abstraction by spots, with the verdicts
// that hold for every word reaching them. Marking a call unknown lets more words
// reach more nodes, so this repeats until nothing changes; calls only become
// unknown and goals only grow.
func (s *settler) settle(ctx context.Context) error {
	s.numbers = slices.Repeat([]int{-1}, s.abs.Letters)
	for i, x := range s.teacher.words.Letters {
		s.numbers[x] = i
	}
	for {
		spots, changed, err := s.walk(ctx)
		if err != nil {
			return err
		}
		if !changed {
			s.replace(spots)
			return nil
		}
	}
}

// allowed reports whether a node allows a call, by the learned automaton.
func (s *settler) allowed(n int32, call int) bool {
	if n == s.lost() {
		return false
	}
	c := &s.abs.Calls[call]
	for o := range c.Outcomes {
		if s.verdict(n, c.Letter+o) == automata.Reject {
			return false
		}
	}
	return true
}

// verdict is the verdict of a letter in a node, by the learned automaton.
func (s *settler) verdict(n int32, x int) automata.Verdict {
	if to := s.step(n, x); to >= 0 {
		return s.h.Out[to-1]
	}
	return automata.Impossible
}

// step is the node after a letter, by the learned automaton, or impossible.
func (s *settler) step(n int32, x int) int32 {
	switch {
	case n == 0 && x == s.teacher.words.Created:
		return 1
	case n == 0 && s.teacher.words.Created >= 0, n == s.lost(), s.numbers[x] < 0:
		return explicit.Impossible
	case n == 0:
		return s.h.Step(0, s.numbers[x]) + 1
	}
	return s.h.Step(n-1, s.numbers[x]) + 1
}

// A spot is a node with a pair of the abstraction, as a walk comes to it.
type spot struct {
	node, pair int32
	parent     int32 // spot it was first reached from, and how
	letter     int
	next       []int32 // by letter: spot, impossible, or rejected
	verdicts   []pairs.Verdict
}

// walk finds the spots, and reports whether a call became unknown or a target
// another one.
func (s *settler) walk(ctx context.Context) ([]spot, bool, error) {
	changed := false
	var spots []spot
	index := map[[2]int32]int32{}
	add := func(n, pair, from int32, x int) int32 {
		id, ok := index[[2]int32{n, pair}]
		if !ok {
			id = int32(len(spots))
			index[[2]int32{n, pair}] = id
			spots = append(spots, spot{node: n, pair: pair, parent: from, letter: x,
				next: slices.Repeat([]int32{explicit.Impossible}, s.abs.Letters), verdicts: make([]pairs.Verdict, len(s.abs.Calls))})
		}
		return id
	}
	add(0, 0, -1, -1)
	for at := int32(0); int(at) < len(spots); at++ {
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		if int(at) > s.abs.P.Budget {
			return nil, false, &explore.BudgetError{What: "pairs in deciding what the abstraction rejects", Limit: s.abs.P.Budget}
		}
		n, pair := spots[at].node, spots[at].pair
		for k := range s.abs.Calls {
			c := &s.abs.Calls[k]
			if c.Constructor != (n == 0) {
				continue
			}
			cell := [2]int32{n, int32(k)}
			v, err := s.run.Graph.Judge(ctx, pair, k)
			if err != nil {
				return nil, false, err
			}
			allowed := s.allowed(n, k)
			switch {
			case allowed && v.Verdict != typestate.VerdictAllowed:
				return nil, false, fmt.Errorf("internal error: a call of %s that may err is allowed", c.Sum.Method.Name)
			case !allowed && !v.Verdict.Forbidden() && !s.unknown[cell]:
				s.unknown[cell], changed = true, true
			}
			if s.unknown[cell] {
				v = pairs.Verdict{Reason: "the predicates given do not decide it"}
			}
			spots[at].verdicts[k] = v
			for o := range c.Outcomes {
				x := c.Letter + o
				if v.Verdict.Forbidden() {
					spots[at].next[x] = explicit.Rejected
					continue
				}
				if !allowed && c.Constructor {
					continue // nothing is said of what follows
				}
				next, err := s.run.Graph.Successor(ctx, pair, k, o)
				if err != nil {
					return nil, false, err
				}
				if next == explicit.Impossible {
					continue
				}
				to := s.step(n, x)
				if allowed {
					if to < 0 || s.h.Out[to-1] != automata.Accept {
						return nil, false, fmt.Errorf("internal error: %s can happen, which the automaton excludes", c.Outcomes[o].Name)
					}
				} else {
					moved, err := s.aim(ctx, [2]int32{n, int32(x)}, s.run.Graph.Sets.Set(s.run.Graph.Pairs[next].U))
					if err != nil {
						return nil, false, err
					}
					changed = changed || moved
					to = s.target[[2]int32{n, int32(x)}]
				}
				id := add(to, next, at, x)
				spots[at].next[x] = id
			}
		}
	}
	return spots, changed, nil
}

// aim adds to the goal of a letter and chooses its target: of the nodes that
// are safe for the goal one with the most calls allowed. It reports whether the
// target is another one now.
func (s *settler) aim(ctx context.Context, key [2]int32, states []int32) (bool, error) {
	goal := slices.Clone(s.goal[key])
	for _, a := range states {
		if !slices.Contains(goal, a) {
			goal = append(goal, a)
		}
	}
	if len(goal) == len(s.goal[key]) {
		return false, nil
	}
	s.goal[key] = goal
	best, most := s.lost(), -1
	for n := int32(1); n < s.lost(); n++ {
		if s.h.Out[n-1] != automata.Accept {
			continue
		}
		count := 0
		for k := range s.abs.Calls {
			if !s.abs.Calls[k].Constructor && s.allowed(n, k) {
				count++
			}
		}
		if count <= most {
			continue
		}
		ok := true
		for _, a := range goal {
			safe, err := s.safe(ctx, n, a)
			if err != nil {
				return false, err
			}
			if ok = ok && safe; !ok {
				break
			}
		}
		if ok {
			best, most = n, count
		}
	}
	old, had := s.target[key]
	s.target[key] = best
	return had && old != best, nil
}

// safe reports whether no run from an abstract state errs in a call that the
// node allows, or does what the automaton says cannot happen, as long as only
// allowed calls are made.
func (s *settler) safe(ctx context.Context, n, a int32) (bool, error) {
	if ok, known := s.safes[[2]int32{n, a}]; known {
		return ok, nil
	}
	seen := map[[2]int32]bool{{n, a}: true}
	ok := true
search:
	for queue := [][2]int32{{n, a}}; len(queue) > 0; queue = queue[1:] {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		n, a := queue[0][0], queue[0][1]
		for k := range s.abs.Calls {
			c := &s.abs.Calls[k]
			if c.Constructor || !s.allowed(n, k) {
				continue
			}
			e, err := s.abs.Effect(ctx, a, k)
			if err != nil {
				return false, err
			}
			if ok = len(e.MayErr) == 0; !ok {
				break search
			}
			for o, may := range e.May {
				to := s.step(n, c.Letter+o)
				if ok = len(may) == 0 || to >= 0 && s.h.Out[to-1] == automata.Accept; !ok {
					break search
				}
				for _, b := range may {
					if next := [2]int32{to, b}; !seen[next] {
						seen[next] = true
						queue = append(queue, next)
					}
				}
			}
		}
	}
	s.safes[[2]int32{n, a}] = ok
	return ok, nil
}

// replace makes the spots the pairs that the interface is written from.
func (s *settler) replace(spots []spot) {
	c := s.run
	old := c.Graph.Pairs
	c.Graph.Pairs, c.Graph.Next, c.Graph.Verdicts = nil, nil, nil
	for _, p := range spots {
		c.Graph.Pairs = append(c.Graph.Pairs, pairs.Pair{U: old[p.pair].U, L: old[p.pair].L, Parent: p.parent, Letter: p.letter})
		c.Graph.Next = append(c.Graph.Next, p.next)
		c.Graph.Verdicts = append(c.Graph.Verdicts, p.verdicts)
	}
}
