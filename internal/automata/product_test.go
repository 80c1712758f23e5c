// SPDX-License-Identifier: Apache-2.0

package automata

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
)

func TestProductExhaustive(t *testing.T) {
	// A change of either verdict alone changes the result, so nothing is hidden.
	pack := func(va, vb Verdict) Verdict { return (va*3 + vb) % 4 }
	for a := range allDFAs(2, 2, everyVerdict...) {
		c := Complement(a)
		for b := range allDFAs(2, 2, Accept, Impossible) {
			p, u, i := Product(a, b, pack), Union(a, b), Intersection(a, b)
			if !Equal(p, Canonical(p)) {
				t.Fatalf("product %s of %s and %s is not canonical", show(p), show(a), show(b))
			}
			for w := range words(2, 4) {
				va, vb := verdict(a, w), verdict(b, w)
				if verdict(p, w) != pack(va, vb) || verdict(u, w) != Or(va, vb) || verdict(i, w) != And(va, vb) {
					t.Fatalf("product of %s and %s is wrong on %v", show(a), show(b), w)
				}
				if verdict(c, w) != Not(va) {
					t.Fatalf("complement of %s is wrong on %v", show(a), w)
				}
			}
		}
	}
}

// The connectives must agree with replacing each Unknown by either answer: the
// result is known exactly if all replacements agree.
func TestKleene(t *testing.T) {
	may := func(v Verdict) []bool {
		switch v {
		case Accept:
			return []bool{true}
		case Reject:
			return []bool{false}
		}
		return []bool{false, true}
	}
	check := func(name string, got, a, b Verdict, op func(x, y bool) bool) {
		yes, no := false, false
		for _, x := range may(a) {
			for _, y := range may(b) {
				yes = yes || op(x, y)
				no = no || !op(x, y)
			}
		}
		want := Unknown
		switch {
		case a == Impossible || b == Impossible:
			want = Impossible
		case yes && !no:
			want = Accept
		case no && !yes:
			want = Reject
		}
		if got != want {
			t.Errorf("%s(%v, %v) = %v, want %v", name, a, b, got, want)
		}
	}
	for _, a := range everyVerdict {
		check("Not", Not(a), a, Accept, func(x, _ bool) bool { return !x })
		for _, b := range everyVerdict {
			check("And", And(a, b), a, b, func(x, y bool) bool { return x && y })
			check("Or", Or(a, b), a, b, func(x, y bool) bool { return x || y })
		}
	}
}

// randomNFA has n states, about density successors per state and letter, and
// about accepting*n accepting states (Tabakov and Vardi's model).
func randomNFA(r *rand.Rand, n, letters int, density, accepting float64) *NFA {
	a := &NFA{Letters: letters, Initial: []int32{0}, Accept: make([]bool, n), Next: make([][]int32, n*letters)}
	for x := range letters {
		for range int(density*float64(n) + 0.5) {
			e := r.IntN(n)*letters + x
			a.Next[e] = append(a.Next[e], int32(r.IntN(n)))
		}
	}
	for range int(accepting*float64(n) + 0.5) {
		a.Accept[r.IntN(n)] = true
	}
	return a
}

// accepts runs n on the word by marking states.
func accepts(n *NFA, word []int) bool {
	at := make([]bool, n.States())
	for _, s := range n.Initial {
		at[s] = true
	}
	for _, x := range word {
		next := make([]bool, n.States())
		for s, here := range at {
			if here {
				for _, t := range n.Next[s*n.Letters+x] {
					next[t] = true
				}
			}
		}
		at = next
	}
	for s, here := range at {
		if here && n.Accept[s] {
			return true
		}
	}
	return false
}

func TestDeterminize(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(300) {
		r := seeded(seed)
		n := randomNFA(r, 1+r.IntN(6), 2, 2*r.Float64(), 0.4)
		n.Initial = append(n.Initial, int32(r.IntN(n.States())), 0)
		d, err := Determinize(ctx, n, 0)
		if err != nil {
			t.Fatal(err)
		}
		for w := range words(2, 8) {
			if accepts(n, w) != (verdict(d, w) == Accept) || verdict(d, w) == Unknown || verdict(d, w) == Impossible {
				t.Fatalf("seed %d: %v is %v, in the NFA %v", seed, w, verdict(d, w), accepts(n, w))
			}
		}
		if !Equal(d, Canonical(d)) {
			t.Fatalf("seed %d: %s is not canonical", seed, show(d))
		}
		// The budget is exact: as many subsets as there are fit, fewer do not.
		if _, err := Determinize(ctx, n, d.States()); err != nil {
			t.Errorf("seed %d: budget %d of %d states: %v", seed, d.States(), d.States(), err)
		}
		if d.States() > 1 {
			if e, err := Determinize(ctx, n, d.States()-1); !errors.Is(err, ErrBudget) || e != nil {
				t.Errorf("seed %d: budget %d of %d states: %v", seed, d.States()-1, d.States(), err)
			}
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Determinize(cancelled, randomNFA(seeded(1), 3, 2, 1, 1), 0); err != context.Canceled {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestDeterminizeEmpty(t *testing.T) {
	d, err := Determinize(context.Background(), &NFA{Letters: 2}, 0)
	if err != nil || !Equal(d, &DFA{2, []int32{0, 0}, []Verdict{Reject}}) {
		t.Errorf("an NFA without states: %v, %v", d, err)
	}
}
