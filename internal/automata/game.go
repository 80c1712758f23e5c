// SPDX-License-Identifier: Apache-2.0

package automata

// This file solves safety games: from where can a client go on calling for ever
// without ever being rejected? It is the pruning of Beyer, Henzinger and Singh
// ("Algorithms for interface synthesis", CAV 2007, algorithm 2), generalized
// from calls to calls with outcomes: the client picks the call, the environment
// the outcome. With one outcome per call it is theirs. The greatest fixpoint is
// computed from its complement, backwards with counters, in time linear in the
// number of transitions, instead of by rounds over all states.

import "fmt"

// A Game is played on the states of a DFA. In each round the client picks a call
// 0..Calls-1 and the environment one of the letters of that call (Group[x] is
// the call of letter x) that can happen, that is, whose successor is not
// Impossible. The client loses when a Reject state is reached and when it picks
// a call of which no letter can happen: such a call never returns.
type Game struct {
	DFA   *DFA
	Calls int
	Group []int
}

// A Strategy tells who wins a [Game] from where. States of verdict Impossible
// are no positions of the game; they are not losing and no call wins there.
type Strategy struct {
	Losing  []bool // by state: the client cannot play for ever
	Winning []bool // by state*Calls+call: it can, starting with this call
}

// Prune solves g. In a state that is not losing some call wins, and after it, in
// any state that can come next, again.
//
// It panics if Group does not give each letter a call.
func Prune(g *Game) *Strategy {
	d, k := g.DFA, g.DFA.Letters
	if len(g.Group) != k {
		panic(fmt.Sprintf("automata.Prune: %d letters but the calls of %d", k, len(g.Group)))
	}
	for x, c := range g.Group {
		if c < 0 || c >= g.Calls {
			panic(fmt.Sprintf("automata.Prune: letter %d has call %d of %d", x, c, g.Calls))
		}
	}
	n := d.States()
	w := &Strategy{Losing: make([]bool, n), Winning: make([]bool, n*g.Calls)}

	// A call wins until shown otherwise, if one of its outcomes can happen.
	left := make([]int, n) // by state: the calls that still win
	var lost []int32       // losing states whose predecessors have to be told
	off := make([]int32, n+1)
	for s := range n {
		if d.Out[s] == Impossible {
			continue
		}
		for x, t := range d.Next[s*k : s*k+k] {
			if d.Out[t] == Impossible {
				continue
			}
			off[t]++
			if e := s*g.Calls + g.Group[x]; !w.Winning[e] {
				w.Winning[e] = true
				left[s]++
			}
		}
		if d.Out[s] == Reject || left[s] == 0 {
			w.Losing[s] = true
			lost = append(lost, int32(s))
		}
	}

	// pre[off[t]:off[t+1]] are the transitions into t, as state*Letters+letter.
	sum := int32(0)
	for t := range off {
		sum += off[t]
		off[t] = sum
	}
	pre := make([]int, sum)
	for s := range n {
		if d.Out[s] == Impossible {
			continue
		}
		for e := s * k; e < s*k+k; e++ {
			if t := d.Next[e]; d.Out[t] != Impossible {
				off[t]--
				pre[off[t]] = e
			}
		}
	}

	for len(lost) > 0 {
		t := lost[len(lost)-1]
		lost = lost[:len(lost)-1]
		for _, e := range pre[off[t]:off[t+1]] {
			s := e / k
			c := s*g.Calls + g.Group[e%k]
			if !w.Winning[c] {
				continue
			}
			w.Winning[c] = false
			if left[s]--; left[s] == 0 && !w.Losing[s] {
				w.Losing[s] = true
				lost = append(lost, int32(s))
			}
		}
	}
	for s := range n {
		if d.Out[s] == Reject {
			clear(w.Winning[s*g.Calls : (s+1)*g.Calls])
		}
	}
	return w
}
