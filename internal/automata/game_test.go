// SPDX-License-Identifier: Apache-2.0

package automata

import (
	"slices"
	"testing"
)

// brutePrune is the greatest fixpoint by the definition: start from all states
// that are neither Reject nor Impossible and throw out what has no good call.
func brutePrune(g *Game) *Strategy {
	d := g.DFA
	n := d.States()
	good := make([]bool, n)
	for s := range n {
		good[s] = d.Out[s] != Reject && d.Out[s] != Impossible
	}
	wins := func(s, c int) bool {
		returns := false
		for x := range d.Letters {
			t := d.Step(int32(s), x)
			if g.Group[x] != c || d.Out[t] == Impossible {
				continue
			}
			returns = true
			if !good[t] {
				return false
			}
		}
		return returns
	}
	for changed := true; changed; {
		changed = false
		for s := range n {
			some := false
			for c := range g.Calls {
				some = some || wins(s, c)
			}
			if good[s] && !some {
				good[s] = false
				changed = true
			}
		}
	}
	w := &Strategy{Losing: make([]bool, n), Winning: make([]bool, n*g.Calls)}
	for s := range n {
		w.Losing[s] = !good[s] && d.Out[s] != Impossible
		for c := range g.Calls {
			w.Winning[s*g.Calls+c] = good[s] && wins(s, c)
		}
	}
	return w
}

func checkPrune(t *testing.T, g *Game) {
	t.Helper()
	got, want := Prune(g), brutePrune(g)
	if !slices.Equal(got.Losing, want.Losing) || !slices.Equal(got.Winning, want.Winning) {
		t.Fatalf("Prune(%s, calls %v of %d)\n got %v\nwant %v", show(g.DFA), g.Group, g.Calls, got, want)
	}
}

func TestPruneExhaustive(t *testing.T) {
	for _, g := range []Game{
		{Calls: 2, Group: []int{0, 1}},
		{Calls: 1, Group: []int{0, 0}},
		{Calls: 3, Group: []int{2, 0}},
	} {
		for d := range allDFAs(3, 2, Accept, Reject, Impossible) {
			g.DFA = d
			checkPrune(t, &g)
		}
		for d := range allDFAs(2, 2, everyVerdict...) {
			g.DFA = d
			checkPrune(t, &g)
		}
	}
	checkPrune(t, &Game{DFA: &DFA{0, nil, []Verdict{Accept}}})
}

func TestPruneRandom(t *testing.T) {
	for seed := range uint64(500) {
		r := seeded(seed)
		k := 1 + r.IntN(5)
		g := &Game{Calls: 1 + r.IntN(3), Group: make([]int, k)}
		for x := range k {
			g.Group[x] = r.IntN(g.Calls)
		}
		// Mostly Accept, or everything is lost at once.
		g.DFA = randomDFA(r, 1+r.IntN(30), k, Accept, Accept, Accept, Accept, Unknown, Reject, Impossible)
		checkPrune(t, g)
	}
}
