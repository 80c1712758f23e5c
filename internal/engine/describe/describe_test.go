// SPDX-License-Identifier: Apache-2.0

package describe

// This file holds prime implicants to their definition, and labels to the work that they may take.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/prog"
)

// greedyPrime drops literals one by one, the first of the order first.
func greedyPrime(o *order, at int, out bitset) []int {
	var kept []int
	for k, l := range o.lits {
		if l.holds.has(at) {
			kept = append(kept, k)
		}
	}
	for n := 0; n < len(kept); {
		left := slices.Clone(out)
		for k, i := range kept {
			if k != n {
				left.and(o.lits[i].holds)
			}
		}
		if left.first() < 0 {
			kept = slices.Delete(kept, n, n+1)
		} else {
			n++
		}
	}
	return kept
}

// TestPrime compares implicants with greedy ones, for random sets of random points.
func TestPrime(t *testing.T) {
	t.Parallel()
	p, err := prog.Parse("p.open", []byte(`component P

enum E { a, b, c }

state x int4 = 0, y uint3 = 0, f bool = false, e E = a

method m() { if x < 3 { error "x" }
 if f && y == 2 { error "y" }
 x = x + 1 }
`), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for n := range corpus.Loops(300, 5000) {
		var points [][]uint64
		seen := map[string]bool{}
		for range 2 + rng.IntN(30) {
			pt := []uint64{rng.Uint64N(16), rng.Uint64N(8), rng.Uint64N(2), rng.Uint64N(3)}
			if n%3 > 0 { // few values, so that they matter together
				pt[0], pt[1] = rng.Uint64N(3)*5%16, rng.Uint64N(2)*7
			}
			if key := fmt.Sprint(pt); !seen[key] {
				seen[key] = true
				points = append(points, pt)
			}
		}
		in := make([][]int32, len(points))
		for k := range in {
			in[k] = []int32{int32(rng.IntN(3))}
			if n%2 == 0 { // an interval or two
				in[k] = []int32{int32(points[k][0] / 6)}
			}
		}
		d := newDescriber(p, p.State, StateConditions(p), points, in)
		for set := range int32(3) {
			member, out := newBitset(len(d.Points)), newBitset(len(d.Points))
			for i := range points {
				if slices.Contains(in[i], set) {
					member.set(d.of[i])
				} else {
					out.set(d.of[i])
				}
			}
			for i := range d.Points {
				if !member.has(i) {
					continue
				}
				for _, o := range []*order{&d.kept, &d.other} {
					compared++
					if got, want := d.prime(o, i, out), greedyPrime(o, i, out); !slices.Equal(got, want) {
						t.Fatalf("seed %d, point %v: %v, greedily %v", n, d.Points[i], got, want)
					}
				}
			}
		}
	}
	if compared < 10*corpus.Loops(300, 5000) {
		t.Errorf("compared only %d implicants", compared)
	}
}

// counterLabel describes a value of a counter n that starts at 0.
func counterLabel(n int) string {
	if n == 0 {
		return "n <= 0"
	}
	return fmt.Sprintf("n == %d", n)
}

// TestLabelWork checks that labels of a counter take steps quadratic in its limit, and that
// descriptions end when too many were taken.
func TestLabelWork(t *testing.T) {
	t.Parallel()
	work := func(limit int) int {
		p, err := prog.Parse("p.open", fmt.Appendf(nil, "component P\n\nstate n uint16 = 0\n\nmethod up() { if n == %d { error \"full\" }\n n = n + 1 }\n", limit), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var points [][]uint64
		var in [][]int32
		for k := range limit + 1 {
			points = append(points, []uint64{uint64(k)})
			in = append(in, []int32{int32(k)})
		}
		d := newDescriber(p, p.State, StateConditions(p), points, in)
		member := make([]bool, len(points))
		for k := range member {
			member[k] = true
			if text, want := d.formula(member), counterLabel(k); text != want {
				t.Fatalf("%q, expected %q", text, want)
			}
			member[k] = false
		}
		member[0] = true
		if text, ok := d.FormulaWithin(2*d.work, member); !ok || text != "n <= 0" {
			t.Errorf("%q, %v within the limit", text, ok)
		}
		work := d.work
		if text, ok := d.FormulaWithin(0, member); ok {
			t.Errorf("%q beyond the limit", text)
		}
		return work
	}
	small, large := work(50), work(200)
	if large > 18*small { // 16 for four times the limit, and a little
		t.Errorf("%d steps for 50 states, %d for 200", small, large)
	}
}
