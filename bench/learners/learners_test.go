// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/learn"
)

// TestQuick checks on the quick subset that TTT and L# ask no more symbols than
// L* in the median.
func TestQuick(t *testing.T) {
	rows, err := plan{sizes: []int{20, 50}, seeds: 5, letters: 5}.rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 8 {
		t.Fatalf("%d rows", len(rows))
	}
	if learn.Learners()[0].Name != "lstar" {
		t.Fatal("the first learner is not L*")
	}
	for _, r := range rows {
		for k, l := range learn.Learners() {
			if r.stats[k].Symbols > r.stats[0].Symbols {
				t.Errorf("%+v: %s asks more symbols than lstar", r, l.Name)
			}
		}
	}
}

// TestSame checks that two runs print the same bytes.
func TestSame(t *testing.T) {
	p := plan{sizes: []int{10}, seeds: 3, letters: 3}
	var text [2]bytes.Buffer
	for i := range text {
		rows, err := p.rows(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := p.print(&text[i], rows); err != nil {
			t.Fatal(err)
		}
	}
	if text[0].String() != text[1].String() {
		t.Errorf("two runs differ:\n%s\n%s", &text[0], &text[1])
	}
}

// TestWalk checks that the words of a teacher are long, and legal but for the
// last letter.
func TestWalk(t *testing.T) {
	for seed := range uint64(20) {
		for _, closed := range []bool{true, false} {
			d := draw(seed, 10, 3, closed)
			m := &teacher{target: d, random: rand.New(rand.NewPCG(seed, 0))}
			long := 0
			for range 20 {
				word := m.walk(30)
				long = max(long, len(word))
				if closed && len(word) > 0 && d.Out[d.Run(word[:len(word)-1])] != automata.Accept {
					t.Fatalf("seed %d: %v is rejected before its end", seed, word)
				}
			}
			if long != 30 {
				t.Errorf("seed %d: longest walk has %d letters", seed, long)
			}
		}
	}
}

func TestBest(t *testing.T) {
	r := row{stats: []learn.Stats{{Queries: 3, Symbols: 1}, {Queries: 2, Symbols: 5}, {Queries: 2, Symbols: 4}}}
	if q, s := r.best(queries), r.best(symbols); q != "ttt=lsharp" || s != "lstar" {
		t.Errorf("got %s and %s", q, s)
	}
}

// TestDraw checks the promise that goes with closed automata, on all words of
// four letters.
func TestDraw(t *testing.T) {
	for seed := range uint64(20) {
		d := draw(seed, 10, 3, true)
		for n := range 81 {
			word, rejected := []int{n % 3, n / 3 % 3, n / 9 % 3, n / 27}, false
			for i := range len(word) + 1 {
				now := d.Out[d.Run(word[:i])] == automata.Reject
				if rejected && !now {
					t.Fatalf("seed %d: %v is rejected, %v not", seed, word[:i-1], word[:i])
				}
				rejected = now
			}
		}
	}
}
