// SPDX-License-Identifier: Apache-2.0

package automata

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// agree tells whether r gives every word that can happen in d the verdict that d
// gives it. It walks all pairs of states that such words reach, and reports each.
func agree(d, r *DFA, visit func(s, q int32)) bool {
	if d.Out[0] == Impossible {
		return true
	}
	type pair struct{ s, q int32 }
	seen := map[pair]bool{{0, 0}: true}
	for work := []pair{{0, 0}}; len(work) > 0; {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if d.Out[p.s] != r.Out[p.q] {
			return false
		}
		visit(p.s, p.q)
		for x := range d.Letters {
			n := pair{d.Step(p.s, x), r.Step(p.q, x)}
			if d.Out[n.s] != Impossible && !seen[n] {
				seen[n] = true
				work = append(work, n)
			}
		}
	}
	return true
}

// bruteReduce returns the number of states of a smallest automaton that agrees
// with d, or limit+1 if none of up to limit states does.
func bruteReduce(d *DFA, limit int) int {
	for m := 1; m <= limit; m++ {
		for r := range allDFAs(m, d.Letters, Accept, Reject) {
			if agree(d, r, func(_, _ int32) {}) {
				return m
			}
		}
	}
	return limit + 1
}

// checkReduce checks everything Reduce promises except that minimal is true when
// it could be; it returns the number of states that count.
func checkReduce(t *testing.T, d *DFA, r *DFA, class []int32) int {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("Reduce(%s) = %s, %v: %s", show(d), show(r), class, fmt.Sprintf(format, args...))
	}
	if !Equal(r, Canonical(r)) {
		fail("not canonical")
	}
	hole := int32(-1)
	count := 0
	for q, v := range r.Out {
		if v != Impossible {
			count++
			continue
		}
		if hole >= 0 {
			fail("two Impossible states")
		}
		hole = int32(q)
		for x := range r.Letters {
			if r.Step(hole, x) != hole {
				fail("the Impossible state is not absorbing")
			}
		}
	}
	want := make([]int32, d.States())
	for s := range want {
		want[s] = -1
	}
	taken := make([]bool, len(r.Next))
	if d.Out[0] == Impossible {
		want[0] = hole
	}
	ok := agree(d, r, func(s, q int32) {
		if class[s] != q {
			fail("class of %d is %d, but a word leads to %d", s, class[s], q)
		}
		want[s] = q
		for x := range d.Letters {
			if next := d.Step(s, x); d.Out[next] != Impossible {
				taken[int(q)*d.Letters+x] = true
			} else {
				want[next] = hole
			}
		}
	})
	if !ok {
		fail("a verdict changed")
	}
	for s := range want {
		if class[s] != want[s] {
			fail("class of %d is %d, want %d", s, class[s], want[s])
		}
	}
	for e, next := range r.Next {
		if q := e / r.Letters; int32(q) != hole && taken[e] == (next == hole) {
			fail("cell %d of state %d: taken %v, leads to %d", e%r.Letters, q, taken[e], next)
		}
	}
	for w := range words(d.Letters, 5) {
		if possible(d, w) && verdict(d, w) != verdict(r, w) {
			fail("verdict of %v is %v", w, verdict(r, w))
		}
	}
	return count
}

func possible(d *DFA, w []int) bool {
	for i := range len(w) + 1 {
		if verdict(d, w[:i]) == Impossible {
			return false
		}
	}
	return true
}

func TestReduceExhaustive(t *testing.T) {
	smaller, proved, all := 0, 0, 0
	check := func(d *DFA) {
		t.Helper()
		before := clone(d)
		r, class, minimal := Reduce(d)
		if !Equal(d, before) {
			t.Fatalf("Reduce changed its argument %s", show(before))
		}
		got := checkReduce(t, d, r, class)
		want := bruteReduce(d, min(got, 2))
		if d.Out[0] == Impossible {
			want = 0
		}
		if got > want && minimal || got < want {
			t.Fatalf("Reduce(%s) = %s has %d states, proved minimal %v, want %d", show(d), show(r), got, minimal, want)
		}
		all++
		if minimal {
			proved++
		}
		if got < Minimize(d).States()-1 {
			smaller++
		}
	}
	for n := 1; n <= 3; n++ {
		for d := range allDFAs(n, 2, Accept, Reject, Impossible) {
			check(d)
		}
	}
	// All of three states that count: the fourth is where impossible letters lead.
	for d := range allDFAs(4, 2, Accept, Reject) {
		if d.Next[6] != 3 || d.Next[7] != 3 || d.Out[3] != Accept {
			continue
		}
		d.Out[3] = Impossible
		check(d)
	}
	t.Logf("%d automata, %d became smaller, %d proved minimal", all, smaller, proved)
	if smaller == 0 {
		t.Error("nothing was ever merged")
	}
}

func TestReduceRandom(t *testing.T) {
	rest, witnessed, all := 0, 0, 0
	for seed := range uint64(3000) {
		r := seeded(seed)
		n := 4 + r.IntN(6)
		d := randomDFA(r, n, 2, Accept, Reject)
		d.Out[n-1] = Impossible
		for e := range d.Next {
			if r.IntN(3) == 0 {
				d.Next[e] = int32(n - 1)
			}
		}
		small, class, minimal := Reduce(d)
		got := checkReduce(t, d, small, class)
		want := bruteReduce(d, min(got, 3))
		if got < want || got > want && want <= 3 && minimal {
			t.Fatalf("seed %d: Reduce(%s) = %s has %d states, proved minimal %v, want %d", seed, show(d), show(small), got, minimal, want)
		}
		if want := bruteQuotient(d); got != want {
			t.Fatalf("seed %d: Reduce(%s) = %s has %d states, the smallest quotient %d", seed, show(d), show(small), got, want)
		}
		all++
		if !minimal {
			rest++
			if want <= 3 {
				witnessed++
			}
		}
		// Cover has no reason to fail on automata this small.
		cover, at, proved := Cover(d)
		if got := checkCover(t, d, cover, at); !proved || got > small.States() || want <= 3 && got != want {
			t.Fatalf("seed %d: Cover(%s) = %s has %d states, proved minimal %v, want %d", seed, show(d), show(cover), got, proved, want)
		}
		// Any answer under any budget is correct, only not as small.
		for _, steps := range []int{0, 1, 5, 20} {
			rough, class, _, _ := reduce(d, steps, steps, steps)
			if c := checkReduce(t, d, rough, class); c < got && minimal {
				t.Fatalf("seed %d: %d steps: %d states, but %d were proved minimal", seed, steps, c, got)
			}
		}
	}
	// Smaller automata that are no quotients are rare, but they exist.
	t.Logf("%d of %d not minimal, for %d of them an automaton of three states or less is known", rest, all, witnessed)
	if rest > all/100 || witnessed == 0 {
		t.Errorf("%d of %d not proved minimal, %d with a smaller automaton", rest, all, witnessed)
	}
}

// checkCover checks everything Cover promises except minimality; it returns the
// number of states that count.
func checkCover(t *testing.T, d, r *DFA, at [][]int32) int {
	t.Helper()
	type pair struct{ s, q int32 }
	reached := map[pair]bool{}
	if !Equal(r, Canonical(r)) || !agree(d, r, func(s, q int32) { reached[pair{s, q}] = true }) {
		t.Fatalf("Cover(%s) = %s changes a verdict or is not canonical", show(d), show(r))
	}
	for s, states := range at {
		for i, q := range states {
			if !reached[pair{int32(s), q}] || i > 0 && states[i-1] >= q {
				t.Fatalf("Cover(%s) = %s: state %d with %v", show(d), show(r), s, states)
			}
			delete(reached, pair{int32(s), q})
		}
	}
	if len(reached) > 0 {
		t.Fatalf("Cover(%s) = %s, %v: %v is missing", show(d), show(r), at, reached)
	}
	count := 0
	for _, v := range r.Out {
		if v != Impossible {
			count++
		}
	}
	return count
}

// bruteQuotient returns the least number of blocks of a partition of the states
// that can be reached such that the blocks form an automaton.
func bruteQuotient(d *DFA) int {
	var states []int32
	seen := map[int32]bool{}
	agree(d, d, func(s, _ int32) {
		if !seen[s] {
			seen[s] = true
			states = append(states, s)
		}
	})
	block := map[int32]int{}
	closed := func() bool {
		for _, s := range states {
			for _, t := range states {
				if block[s] != block[t] {
					continue
				}
				if d.Out[s] != d.Out[t] {
					return false
				}
				for x := range d.Letters {
					u, v := d.Step(s, x), d.Step(t, x)
					if d.Out[u] != Impossible && d.Out[v] != Impossible && block[u] != block[v] {
						return false
					}
				}
			}
		}
		return true
	}
	best := len(states)
	var assign func(i, used int)
	assign = func(i, used int) {
		if used >= best {
			return
		}
		if i == len(states) {
			if closed() {
				best = used
			}
			return
		}
		for b := range used + 1 {
			block[states[i]] = b
			assign(i+1, max(used, b+1))
		}
	}
	assign(0, 0)
	return best
}

// blown returns an automaton of n states that Reduce should bring down to about
// the size of small: each state of small many times, a fraction 1/holes of the
// letters of each copy impossible, but not all. (Copies of different states that
// have no possible letter are one state of the minimal automaton, and then small
// is no quotient of it any more.)
func blown(small *DFA, n, holes int, seed uint64) *DFA {
	r := seeded(seed)
	m, k := small.States(), small.Letters
	copies := n / m
	d := &DFA{Letters: k, Next: make([]int32, m*copies*k+k), Out: make([]Verdict, m*copies+1)}
	hole := int32(m * copies)
	d.Out[hole] = Impossible
	for x := range k {
		d.Next[int(hole)*k+x] = hole
	}
	for s := range m * copies { // copies of small's state s%m
		d.Out[s] = small.Out[s%m]
		for x := range k {
			d.Next[s*k+x] = int32(r.IntN(copies)*m) + small.Step(int32(s%m), x)
			if r.IntN(holes) == 0 && x != s%k {
				d.Next[s*k+x] = hole
			}
		}
	}
	return d
}

func TestReduceLarge(t *testing.T) {
	quotients := 0
	for seed := range uint64(4) {
		small := Minimize(randomDFA(seeded(seed), 10, 4, Accept, Accept, Reject))
		d := Minimize(blown(small, 20000, 4, seed))
		cover, at, minimal := Cover(d)
		if got := checkCover(t, d, cover, at); got != small.States() || !minimal {
			t.Errorf("seed %d: %d states became %d, proved minimal %v, want %d", seed, d.States(), got, minimal, small.States())
		}
		// Is it a quotient of d? It need not be, see Reduce.
		function := true
		for _, states := range at {
			function = function && len(states) <= 1
		}
		if !function {
			continue
		}
		quotients++
		r, class, minimal := Reduce(d)
		if got := checkReduce(t, d, r, class); got != small.States() || !minimal {
			t.Errorf("seed %d: %d states became a quotient of %d, proved minimal %v, want %d", seed, d.States(), got, minimal, small.States())
		}
	}
	if quotients < 2 {
		t.Errorf("only %d quotients", quotients)
	}
}

func benchmarkReduce(b *testing.B, d *DFA) {
	for b.Loop() {
		r, _, minimal := Cover(d)
		b.ReportMetric(float64(r.States()), "states")
		b.ReportMetric(map[bool]float64{true: 1}[minimal], "minimal")
	}
}

func BenchmarkReduceBlown(b *testing.B) {
	small := Minimize(randomDFA(seeded(1), 20, 4, Accept, Accept, Reject))
	for _, holes := range []int{8, 4, 2} {
		d := Minimize(blown(small, 100000, holes, 1))
		b.Run(fmt.Sprintf("holes%d", holes), func(b *testing.B) { benchmarkReduce(b, d) })
	}
}

// A counter that cannot go down from 0: nothing can be merged, and telling two
// states apart takes long words.
func BenchmarkReduceCounter(b *testing.B) {
	n := 100000
	d := &DFA{Letters: 2, Next: make([]int32, 2*n+2), Out: make([]Verdict, n+1)}
	for s := range n {
		d.Out[s] = Accept
		d.Next[2*s] = int32(min(s+1, n-1))
		d.Next[2*s+1] = int32(s - 1)
	}
	d.Next[1] = int32(n)
	d.Out[n-1] = Reject
	d.Out[n], d.Next[2*n], d.Next[2*n+1] = Impossible, int32(n), int32(n)
	benchmarkReduce(b, d)
}

// TestReduceUniform checks that nothing is searched where the same letters can happen in all states with the same verdict:
// there is nothing to merge.
func TestReduceUniform(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 2 + r.IntN(30)
		d := randomDFA(r, n, 4, Accept, Reject)
		// An Impossible state, where letter 0 leads from states that accept, and letter 1 from the others.
		for s, v := range d.Out {
			if v == Accept {
				d.Next[s*4] = int32(n)
			} else {
				d.Next[s*4+1] = int32(n)
			}
		}
		d.Out = append(d.Out, Impossible)
		d.Next = append(d.Next, int32(n), int32(n), int32(n), int32(n))
		q, class, minimal, _ := reduce(d, 0, 0, 0)
		if !minimal {
			t.Fatalf("seed %d: a search was needed for %s", seed, show(d))
		}
		checkReduce(t, d, q, class)
		if all, _, _ := Reduce(d); !Equal(q, all) {
			t.Fatalf("seed %d: %s without a search, %s with it", seed, show(q), show(all))
		}
	}
}
