// SPDX-License-Identifier: Apache-2.0

package automata

import (
	"slices"
	"testing"
)

// checkSeparate compares the three searches with the enumeration of all words
// up to depth: found or not, the length of the word, and that it is one.
func checkSeparate(t *testing.T, a, b *DFA, depth int) {
	t.Helper()
	happens := func(w []int) bool {
		for i := range len(w) + 1 {
			if verdict(a, w[:i]) == Impossible || verdict(b, w[:i]) == Impossible {
				return false
			}
		}
		return true
	}
	// Not symmetric and not the complement of an equivalence.
	worse := func(va, vb Verdict) bool { return va == Accept && vb != Accept && vb != Impossible }
	for _, c := range []struct {
		name   string
		search func(a, b *DFA) ([]int, bool)
		differ func(w []int) bool
	}{
		{"Separate", Separate, func(w []int) bool { return verdict(a, w) != verdict(b, w) }},
		{"SeparateWhere", func(a, b *DFA) ([]int, bool) { return SeparateWhere(a, b, worse) },
			func(w []int) bool { return worse(verdict(a, w), verdict(b, w)) }},
		{"SeparateRealizable", SeparateRealizable,
			func(w []int) bool { return happens(w) && verdict(a, w) != verdict(b, w) }},
	} {
		got, ok := c.search(a, b)
		want, wantOK := bruteSeparate(a, b, depth, c.differ)
		if ok != wantOK || len(got) != len(want) || ok && !c.differ(got) {
			t.Fatalf("%s(%s, %s) = %v, %v, want like %v, %v", c.name, show(a), show(b), got, ok, want, wantOK)
		}
	}
}

// Two automata of m and n states that differ at all differ on a word shorter
// than m*n, which is the depth that makes the enumeration a proof.

func TestSeparateExhaustive(t *testing.T) {
	for a := range allDFAs(2, 2, everyVerdict...) {
		for b := range allDFAs(2, 2, everyVerdict...) {
			checkSeparate(t, a, b, 3)
		}
	}
	for a := range allDFAs(3, 1, everyVerdict...) {
		if a.Out[0] > Accept {
			continue // the others are covered by symmetry often enough
		}
		for b := range allDFAs(2, 1, everyVerdict...) {
			checkSeparate(t, a, b, 5)
		}
	}
}

func TestSeparateRandom(t *testing.T) {
	for seed := range uint64(400) {
		r := seeded(seed)
		a := randomDFA(r, 1+r.IntN(3), 2, everyVerdict[:2+r.IntN(3)]...)
		b := clone(a)
		if r.IntN(2) == 0 {
			b = randomDFA(r, 1+r.IntN(3), 2, everyVerdict[:2+r.IntN(3)]...)
		} else {
			b.Next[r.IntN(len(b.Next))] = int32(r.IntN(b.States()))
			b = shuffled(b, seed)
		}
		checkSeparate(t, a, b, a.States()*b.States()-1)
	}
}

// Long chains need long words, and union-find keeps the number of pairs linear.
func TestSeparateLarge(t *testing.T) {
	n := 100000
	a, b := chain(n), chain(n+1)
	if w, ok := Separate(a, b); !ok || len(w) != n-1 {
		t.Errorf("chains of %d and %d states: word of %d letters, %v", n, n+1, len(w), ok)
	}
	if w, ok := Separate(a, shuffled(a, 7)); ok {
		t.Errorf("a renumbered chain is told apart by a word of %d letters", len(w))
	}
	// The counters meet in n*(n+1) pairs; equal verdicts everywhere.
	a, b = counter(2000), counter(2001)
	for _, d := range []*DFA{a, b} {
		d.Out[0] = Reject
	}
	if w, ok := Separate(a, b); ok {
		t.Errorf("two empty languages told apart by %v", w)
	}
}

func TestSeparateLetters(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic on different numbers of letters")
		}
	}()
	Separate(chain(2), &DFA{Letters: 1, Next: []int32{0}, Out: []Verdict{Accept}})
}

func TestSets(t *testing.T) {
	for seed := range uint64(20) {
		r := seeded(seed)
		var s Sets
		number := map[string]int32{}
		var all [][]int32
		for range 3000 {
			set := []int32{}
			for e := range int32(12) {
				if r.IntN(3) == 0 {
					set = append(set, e*e*e*50021%(1<<30))
				}
			}
			slices.Sort(set)
			if r.IntN(4) == 0 {
				set = []int32{int32(r.IntN(100)) * 400000}
			}
			key := showSet(set)
			want, seen := number[key]
			if !seen {
				want = int32(len(all))
				number[key] = want
				all = append(all, slices.Clone(set))
			}
			if got := s.ID(set); got != want {
				t.Fatalf("seed %d: ID(%v) = %d, want %d", seed, set, got, want)
			}
			clear(set) // Sets must have kept a copy
		}
		if s.Len() != len(all) {
			t.Fatalf("seed %d: Len() = %d, want %d", seed, s.Len(), len(all))
		}
		for id, set := range all {
			if got := s.Set(int32(id)); !slices.Equal(got, set) || cap(got) != len(got) {
				t.Fatalf("seed %d: Set(%d) = %v, want %v", seed, id, got, set)
			}
		}
	}
}

func showSet(set []int32) string {
	b := []byte{}
	for _, e := range set {
		b = append(b, byte(e), byte(e>>8), byte(e>>16), byte(e>>24))
	}
	return string(b)
}

func TestSetsRejects(t *testing.T) {
	for _, set := range [][]int32{{2, 1}, {1, 1}, {-1}, {-1, 3}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("ID(%v) did not panic", set)
				}
			}()
			var s Sets
			s.ID(set)
		}()
	}
}
