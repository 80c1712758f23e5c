// SPDX-License-Identifier: Apache-2.0

package automata

import (
	"context"
	"slices"
	"testing"
)

// An inclusion test is compared with the determinized automata.
func checkIncluded(t *testing.T, a, b *NFA) bool {
	t.Helper()
	ctx := context.Background()
	da, err := Determinize(ctx, a, 0)
	if err != nil {
		t.Fatal(err)
	}
	db, err := Determinize(ctx, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	want, differ := SeparateWhere(da, db, func(va, vb Verdict) bool { return va == Accept && vb != Accept })
	got, included, err := Included(ctx, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if included == differ || len(got) != len(want) || differ && (!accepts(a, got) || accepts(b, got)) {
		t.Fatalf("Included(%+v, %+v) = %v, %v, want like %v, %v", *a, *b, got, included, want, !differ)
	}
	// Universality of b, against words shorter than the number of subsets.
	all := &DFA{b.Letters, make([]int32, b.Letters), []Verdict{Accept}}
	want, differ = Separate(all, db)
	got, universal, err := Universal(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	if universal == differ || len(got) != len(want) || differ && accepts(b, got) {
		t.Fatalf("Universal(%+v) = %v, %v, want like %v, %v", *b, got, universal, want, !differ)
	}
	return included
}

// allNFAs returns every NFA of n states with one initial state, except that
// letters beyond the first have at most one successor each when n > 1 (all would
// be too many pairs).
func allNFAs(n int) []*NFA {
	var all []*NFA
	full := 1 << n
	total := 1
	for range n {
		total *= full * (n + 1) * 2
	}
	for code := range total {
		a := &NFA{Letters: 2, Initial: []int32{0}, Accept: make([]bool, n), Next: make([][]int32, 2*n)}
		c := code
		for s := range n {
			a.Accept[s] = c%2 == 1
			c /= 2
			for u := range n {
				if c%full>>u&1 == 1 {
					a.Next[2*s] = append(a.Next[2*s], int32(u))
				}
			}
			c /= full
			if u := c % (n + 1); u < n {
				a.Next[2*s+1] = []int32{int32(u)}
			}
			c /= n + 1
		}
		all = append(all, a)
	}
	return all
}

func TestIncludedExhaustive(t *testing.T) {
	small := allNFAs(1)
	all := append(small, allNFAs(2)...)
	step := 7
	if testing.Short() {
		step = 61
	}
	for i, a := range all {
		for j, b := range all {
			if a.States() == 1 || b.States() == 1 || (i*len(all)+j)%step == 0 {
				checkIncluded(t, a, b)
			}
		}
	}
}

func TestIncludedRandom(t *testing.T) {
	yes := 0
	for seed := range uint64(1500) {
		r := seeded(seed)
		a := randomNFA(r, 1+r.IntN(6), 2, 2*r.Float64(), 0.4)
		b := randomNFA(r, 1+r.IntN(8), 2, 0.5+2*r.Float64(), 0.8)
		b.Initial = append(b.Initial, int32(r.IntN(b.States())))
		a.Initial = append(a.Initial, int32(r.IntN(a.States())))
		if r.IntN(3) == 0 {
			b = disjoint(a, b) // then a is included
		}
		if checkIncluded(t, a, b) {
			yes++
		}
	}
	if yes < 300 || yes > 1200 {
		t.Errorf("included in %d of 1500 cases: one answer is hardly tested", yes)
	}
}

// disjoint returns an automaton for the union of both languages.
func disjoint(a, b *NFA) *NFA {
	shift := func(states []int32) []int32 {
		moved := slices.Clone(states)
		for i := range moved {
			moved[i] += int32(a.States())
		}
		return moved
	}
	u := &NFA{
		Letters: a.Letters,
		Initial: append(slices.Clone(a.Initial), shift(b.Initial)...),
		Accept:  append(slices.Clone(a.Accept), b.Accept...),
		Next:    slices.Clone(a.Next),
	}
	for _, next := range b.Next {
		u.Next = append(u.Next, shift(next))
	}
	return u
}

func TestIncludedCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a := randomNFA(seeded(1), 5, 2, 2, 1)
	a.Accept = []bool{true, true, true, true, true}
	if _, ok, err := Included(ctx, a, a); ok || err != context.Canceled {
		t.Errorf("cancelled: %v, %v", ok, err)
	}
}

// decodeNFA makes an automaton of up to 6 states and 2 letters out of any bytes
// and returns the rest of them.
func decodeNFA(data []byte) (*NFA, []byte) {
	take := func() byte {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return b
	}
	bitsOf := func(n int) (set []int32) {
		mask := take()
		for s := range n {
			if mask>>s&1 == 1 {
				set = append(set, int32(s))
			}
		}
		return set
	}
	n := int(take() % 7)
	a := &NFA{Letters: 2, Initial: bitsOf(n), Accept: make([]bool, n), Next: make([][]int32, 2*n)}
	for _, s := range bitsOf(n) {
		a.Accept[s] = true
	}
	for e := range a.Next {
		a.Next[e] = bitsOf(n)
	}
	return a, data
}

func FuzzIncluded(f *testing.F) {
	f.Add([]byte{2, 1, 2, 1, 2, 3, 0, 2, 3, 1, 1, 2, 2, 3})
	f.Add([]byte{6, 1, 255, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 5, 3, 255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	f.Fuzz(func(t *testing.T, data []byte) {
		a, rest := decodeNFA(data)
		b, _ := decodeNFA(rest)
		checkIncluded(t, a, b)
	})
}

// nthLast accepts the words whose n-th last letter is x; its subsets are 2^n.
func nthLast(n, x int) *NFA {
	a := &NFA{Letters: 2, Initial: []int32{0}, Accept: make([]bool, n+1), Next: make([][]int32, 2*n+2)}
	a.Accept[n] = true
	a.Next[0], a.Next[1] = []int32{0}, []int32{0}
	a.Next[x] = append(a.Next[x], 1)
	for s := 1; s < n; s++ {
		a.Next[2*s], a.Next[2*s+1] = []int32{int32(s + 1)}, []int32{int32(s + 1)}
	}
	return a
}

// shorter accepts the words of fewer than n letters.
func shorter(n int) *NFA {
	a := &NFA{Letters: 2, Initial: []int32{0}, Accept: make([]bool, n), Next: make([][]int32, 2*n)}
	for s := range n {
		a.Accept[s] = true
		if s+1 < n {
			a.Next[2*s], a.Next[2*s+1] = []int32{int32(s + 1)}, []int32{int32(s + 1)}
		}
	}
	return a
}

func BenchmarkIncludedRegister(b *testing.B) {
	const n = 12
	all := &NFA{2, []int32{0}, []bool{true}, [][]int32{{0}, {0}}}
	either := disjoint(disjoint(nthLast(n, 0), nthLast(n, 1)), shorter(n))
	for _, c := range []struct {
		name string
		x, y *NFA
	}{
		{"self", nthLast(n, 1), nthLast(n, 1)},
		{"part", nthLast(n, 1), either},
		{"universal", all, either},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, ok, _ := Included(context.Background(), c.x, c.y); !ok {
					b.Fatal("not included")
				}
			}
		})
	}
}

// The hard region of Tabakov and Vardi's model is around density 1.25 for
// universality; acceptance is high so that many answers are yes.
func BenchmarkIncluded(b *testing.B) {
	for _, c := range []struct {
		name               string
		na, nb             int
		density, accepting float64
		union              bool
	}{
		{"universal30", 1, 30, 2, 0.9, false},
		{"universal100", 1, 100, 2, 0.9, false},
		{"random20", 20, 20, 1.25, 0.5, false},
		{"union20", 20, 20, 1.25, 0.5, true},
		{"union20dense", 20, 20, 2, 0.8, true},
		{"union40sparse", 40, 40, 1.05, 0.5, true},
		{"union40", 40, 40, 1.25, 0.5, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			var xs, ys []*NFA
			for seed := range uint64(20) {
				r := seeded(seed)
				x := randomNFA(r, c.na, 2, c.density, c.accepting)
				y := randomNFA(r, c.nb, 2, c.density, c.accepting)
				if c.na == 1 {
					x = &NFA{2, []int32{0}, []bool{true}, [][]int32{{0}, {0}}}
				}
				if c.union {
					y = disjoint(y, x)
				}
				xs, ys = append(xs, x), append(ys, y)
			}
			yes := 0.0
			for b.Loop() {
				yes = 0
				for i, x := range xs {
					if _, ok, _ := Included(context.Background(), x, ys[i]); ok {
						yes++
					}
				}
			}
			b.ReportMetric(yes, "yes/20")
		})
	}
}
