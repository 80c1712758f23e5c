// SPDX-License-Identifier: Apache-2.0

package automata

import (
	"encoding/binary"
	"slices"
	"testing"
)

// checkMinimize compares Minimize with the table-filling count of classes and
// with the verdicts of all words up to depth.
func checkMinimize(t *testing.T, d *DFA, depth int) {
	t.Helper()
	before := clone(d)
	m, class := MinimizeMap(d)
	if !Equal(d, before) {
		t.Fatalf("Minimize changed its argument %s", show(before))
	}
	if got, want := m.States(), bruteClasses(d); got != want {
		t.Fatalf("%s: %d states, want %d", show(d), got, want)
	}
	for w := range words(d.Letters, depth) {
		if verdict(d, w) != verdict(m, w) {
			t.Fatalf("%s: verdict of %v is %v in %s", show(d), w, verdict(m, w), show(m))
		}
		if class[d.Run(w)] != m.Run(w) {
			t.Fatalf("%s: class of the state of %v is %d, want %d", show(d), w, class[d.Run(w)], m.Run(w))
		}
	}
	for s, reached := range Reachable(d) {
		if reached != (class[s] >= 0) {
			t.Fatalf("%s: state %d reachable %v, class %d", show(d), s, reached, class[s])
		}
	}
	if c := Canonical(m); !Equal(c, m) {
		t.Fatalf("%s: result %s is not canonical, %s is", show(d), show(m), show(c))
	}
}

func TestMinimizeExhaustive(t *testing.T) {
	for n := 1; n <= 3; n++ {
		for d := range allDFAs(n, 2, Accept, Reject) {
			checkMinimize(t, d, 2*n-1)
		}
	}
	for d := range allDFAs(2, 2, everyVerdict...) {
		checkMinimize(t, d, 3)
	}
	for d := range allDFAs(3, 1, everyVerdict...) {
		checkMinimize(t, d, 5)
	}
	for d := range allDFAs(1, 0, everyVerdict...) {
		checkMinimize(t, d, 1)
	}
}

func TestMinimizeRandom(t *testing.T) {
	for seed := range uint64(300) {
		r := seeded(seed)
		n, k := 1+r.IntN(40), 1+r.IntN(3)
		// A quotient of few states blown up to n: many equivalent states.
		small := randomDFA(r, 1+r.IntN(8), k, everyVerdict...)
		of := make([]int32, n)
		for s := range of {
			of[s] = int32(r.IntN(small.States()))
		}
		of[0] = 0
		for q := range min(n, small.States()) {
			of[q] = int32(q)
		}
		d := randomDFA(r, n, k, everyVerdict...)
		for s := range n {
			d.Out[s] = small.Out[of[s]]
			for x := range k {
				for tries := 0; tries < 200 && of[d.Next[s*k+x]] != small.Step(of[s], x); tries++ {
					d.Next[s*k+x] = int32(r.IntN(n))
				}
			}
		}
		checkMinimize(t, d, 6)
		// Renumbering the states changes nothing.
		if m, m2 := Minimize(d), Minimize(shuffled(d, seed)); !Equal(m, m2) {
			t.Fatalf("seed %d: %s after renumbering %s", seed, show(m), show(m2))
		}
	}
}

// shuffled returns d with all states but the initial one renumbered.
func shuffled(d *DFA, seed uint64) *DFA {
	n, k := d.States(), d.Letters
	to := make([]int32, n)
	for i, p := range seeded(seed).Perm(n - 1) {
		to[i+1] = int32(p + 1)
	}
	e := &DFA{Letters: k, Next: make([]int32, n*k), Out: make([]Verdict, n)}
	for s := range n {
		e.Out[to[s]] = d.Out[s]
		for x := range k {
			e.Next[int(to[s])*k+x] = to[d.Next[s*k+x]]
		}
	}
	return e
}

// counter counts letter 0 modulo n and is reset by letter 1; it accepts at 0.
func counter(n int) *DFA {
	d := &DFA{Letters: 2, Next: make([]int32, 2*n), Out: make([]Verdict, n)}
	for s := range n {
		d.Next[2*s] = int32((s + 1) % n)
		d.Out[s] = Reject
	}
	d.Out[0] = Accept
	return d
}

// chain accepts after exactly n-1 letters, whatever they are, and for ever after.
func chain(n int) *DFA {
	d := &DFA{Letters: 2, Next: make([]int32, 2*n), Out: make([]Verdict, n)}
	for s := range n {
		next := int32(min(s+1, n-1))
		d.Next[2*s], d.Next[2*s+1] = next, next
		d.Out[s] = Reject
	}
	d.Out[n-1] = Accept
	return d
}

// register is a shift register of bits bits that accepts if the oldest is set.
func register(bits int) *DFA {
	n := 1 << bits
	d := &DFA{Letters: 2, Next: make([]int32, 2*n), Out: make([]Verdict, n)}
	for s := range n {
		d.Next[2*s] = int32(2 * s % n)
		d.Next[2*s+1] = int32((2*s + 1) % n)
		d.Out[s] = Reject
		if s >= n/2 {
			d.Out[s] = Accept
		}
	}
	return d
}

// TestMinimizeLarge would not end in time if refinement went quadratic on long
// chains. The three automata are minimal, so nothing may be merged.
func TestMinimizeLarge(t *testing.T) {
	const bits = 17
	for _, d := range []*DFA{counter(1 << bits), chain(1 << bits), register(bits)} {
		if m := Minimize(shuffled(d, 1)); !Equal(m, Canonical(d)) {
			t.Errorf("a minimal automaton of %d states became one of %d", d.States(), m.States())
		}
	}
	// Two copies of a counter fall together.
	n := 1 << bits
	d := counter(2 * n)
	d.Out[n] = Accept
	if m := Minimize(d); m.States() != n {
		t.Errorf("a doubled counter of %d states became one of %d", n, m.States())
	}
}

func TestCanonicalAccess(t *testing.T) {
	for d := range allDFAs(3, 2, Accept, Reject) {
		access := Access(d)
		c := Canonical(d)
		var order [][]int
		for s := range d.States() {
			// The oracle: the first word of the enumeration that gets there.
			var want []int
			for w := range words(2, 2) {
				if d.Run(w) == int32(s) {
					want = append([]int{}, w...)
					break
				}
			}
			if !slices.Equal(access[s], want) || (access[s] == nil) != (want == nil) {
				t.Fatalf("%s: access word of %d is %v, want %v", show(d), s, access[s], want)
			}
			if want != nil {
				order = append(order, want)
				if c.Out[c.Run(want)] != d.Out[s] {
					t.Fatalf("%s: Canonical %s changes the verdict of %v", show(d), show(c), want)
				}
			}
		}
		slices.SortFunc(order, shortlex)
		if c.States() != len(order) {
			t.Fatalf("%s: Canonical has %d states, want %d", show(d), c.States(), len(order))
		}
		for i, w := range order {
			if c.Run(w) != int32(i) {
				t.Fatalf("%s: Canonical %s: %v leads to %d, want %d", show(d), show(c), w, c.Run(w), i)
			}
		}
		if e := Canonical(shuffled(d, 1)); !Equal(c, e) {
			t.Fatalf("%s: Canonical gives %s and after renumbering %s", show(d), show(c), show(e))
		}
	}
}

func shortlex(v, w []int) int {
	if len(v) != len(w) {
		return len(v) - len(w)
	}
	return slices.Compare(v, w)
}

// decodeDFA makes an automaton of up to 16 states and 3 letters out of any bytes.
func decodeDFA(data []byte) *DFA {
	at := func(i int) int {
		if i < len(data) {
			return int(data[i])
		}
		return 0
	}
	n, k := 1+at(0)%16, 1+at(1)%3
	d := &DFA{Letters: k, Next: make([]int32, n*k), Out: make([]Verdict, n)}
	for s := range n {
		d.Out[s] = Verdict(at(2+s*(k+1)) % 4)
		for x := range k {
			d.Next[s*k+x] = int32(at(3+s*(k+1)+x) % n)
		}
	}
	return d
}

func FuzzMinimize(f *testing.F) {
	f.Add([]byte{3, 1, 1, 0, 1, 2, 2, 0})
	f.Add(binary.LittleEndian.AppendUint64([]byte{15, 2}, 0x0123456789abcdef))
	f.Fuzz(func(t *testing.T, data []byte) { checkMinimize(t, decodeDFA(data), 6) })
}

func benchmarkMinimize(b *testing.B, d *DFA) {
	b.ReportAllocs()
	for b.Loop() {
		Minimize(d)
	}
}

func BenchmarkMinimizeRandom(b *testing.B) {
	benchmarkMinimize(b, randomDFA(seeded(1), 1<<20, 4, Accept, Reject))
}
func BenchmarkMinimizeCounter(b *testing.B)       { benchmarkMinimize(b, shuffled(counter(1<<20), 1)) }
func BenchmarkMinimizeChain(b *testing.B)         { benchmarkMinimize(b, shuffled(chain(1<<20), 1)) }
func BenchmarkMinimizeShiftRegister(b *testing.B) { benchmarkMinimize(b, register(20)) }
func BenchmarkMinimizeRandom22(b *testing.B) {
	benchmarkMinimize(b, randomDFA(seeded(1), 1<<22, 4, Accept, Reject))
}
