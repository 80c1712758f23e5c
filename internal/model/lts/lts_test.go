// SPDX-License-Identifier: Apache-2.0

package lts_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/model/lts"
)

// random makes a small system over some of the actions a, b and c.
func random(rng *rand.Rand) *lts.System {
	names := []string{"a", "b", "c"}
	names = names[rng.IntN(2):]
	b := lts.NewBuilder(names...)
	states := int32(1 + rng.IntN(4))
	for range rng.IntN(9) {
		action := lts.Hidden
		if rng.IntN(5) > 0 {
			action = b.Action(names[rng.IntN(len(names))])
		}
		to := rng.Int32N(states)
		if rng.IntN(8) == 0 {
			to = lts.Error
		}
		b.Edge(rng.Int32N(states), action, to)
	}
	return b.System("r", 0)
}

// words lists the traces of a system up to a length that do not end in Error, with "!" added those whose
// last action may lead to Error, and with "?" those behind which a hidden step may. It follows sets of
// states, and shares nothing with the operations that are tested.
func words(s *lts.System, alphabet []string, length int) []string {
	var out []string
	var walk func(word string, set map[int32]bool)
	walk = func(word string, set map[int32]bool) {
		if set[lts.Error] {
			out = append(out, word+"!")
			delete(set, lts.Error)
		}
		for changed := true; changed; { // hidden steps
			changed = false
			for x := range set {
				if x == lts.Error {
					continue
				}
				for _, e := range s.Edges(x) {
					if e.Action == lts.Hidden && !set[e.To] {
						set[e.To], changed = true, true
					}
				}
			}
		}
		if set[lts.Error] {
			out = append(out, word+"?")
			delete(set, lts.Error)
		}
		if len(set) > 0 {
			out = append(out, word)
		}
		if len(word) == length {
			return
		}
		for _, a := range alphabet {
			next := map[int32]bool{}
			for x := range set {
				for _, e := range s.Edges(x) {
					if e.Action != lts.Hidden && s.Label(e) == a {
						next[e.To] = true
					}
				}
			}
			if len(next) > 0 {
				walk(word+a, next)
			}
		}
	}
	walk("", map[int32]bool{s.Initial: true})
	return out
}

// TestCompose compares a composition with its definition: a word is a trace iff its
// projections on the alphabets are traces of the parts. It errs by its last action if a part that takes part
// errs and the others go on or err with it, and by a hidden step if a part does while the other goes on.
func TestCompose(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	errs := 0
	for range 2000 {
		parts := []*lts.System{random(rng), random(rng)}
		c, err := lts.Compose(context.Background(), "c", 1000, parts...)
		if err != nil {
			t.Fatal(err)
		}
		sets := []map[string]bool{{}, {}, {}}
		for k, s := range append(parts, c) {
			for _, w := range words(s, s.Alphabet, 4) {
				sets[k][w] = true
			}
		}
		var check func(word string)
		check = func(word string) {
			alive, visible, hidden, takes := [2]bool{}, [2]bool{}, [2]bool{}, [2]bool{}
			for k, s := range parts {
				p := strings.Map(func(r rune) rune {
					if slices.Contains(s.Alphabet, string(r)) {
						return r
					}
					return -1
				}, word)
				alive[k], hidden[k] = sets[k][p], sets[k][p+"?"]
				takes[k] = word != "" && slices.Contains(s.Alphabet, word[len(word)-1:])
				visible[k] = takes[k] && sets[k][p+"!"]
			}
			wantAlive := alive[0] && alive[1]
			wantHidden := hidden[0] && alive[1] || hidden[1] && alive[0]
			wantVisible := visible[0] && (alive[1] || visible[1]) || visible[1] && (alive[0] || visible[0])
			got := sets[2]
			if wantVisible || wantHidden {
				errs++
			}
			if got[word] != wantAlive || got[word+"!"] != wantVisible || got[word+"?"] != wantHidden {
				t.Fatalf("word %q: %v %v %v, and the composition says %v %v %v", word, wantAlive, wantVisible, wantHidden, got[word], got[word+"!"], got[word+"?"])
			}
			if len(word) < 4 {
				for _, a := range c.Alphabet {
					check(word + a)
				}
			}
		}
		check("")
	}
	if errs == 0 {
		t.Error("no composition erred")
	}
}

// TestMinimize compares with the definition of bisimilarity on all pairs of states.
func TestMinimize(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	smaller := 0
	for range 3000 {
		s := random(rng)
		m := s.Minimize()
		want := classes(s)
		if m.States() != want {
			t.Fatalf("%d states of %d, and %d classes", m.States(), s.States(), want)
		}
		if m.States() < s.States() {
			smaller++
		}
		if a, b := fmt.Sprint(words(s, s.Alphabet, 4)), fmt.Sprint(words(m, s.Alphabet, 4)); a != b {
			t.Fatalf("traces differ: %s and %s", a, b)
		}
	}
	if smaller == 0 {
		t.Error("nothing got smaller")
	}
}

// classes counts classes of bisimilar states: pairs are taken for equivalent until
// an edge of one has none of the other.
func classes(s *lts.System) int {
	n := int32(s.States())
	differ := map[[2]int32]bool{}
	simulates := func(x, y int32) bool {
		for _, e := range s.Edges(x) {
			if !slices.ContainsFunc(s.Edges(y), func(f lts.Edge) bool {
				return e.Action == f.Action && (e.To == f.To || e.To != lts.Error && f.To != lts.Error && !differ[[2]int32{e.To, f.To}])
			}) {
				return false
			}
		}
		return true
	}
	for changed := true; changed; {
		changed = false
		for x := range n {
			for y := range n {
				if p := [2]int32{x, y}; !differ[p] && !(simulates(x, y) && simulates(y, x)) {
					differ[p], differ[[2]int32{y, x}], changed = true, true, true
				}
			}
		}
	}
	count := 0
	for x := range n {
		first := true
		for y := range x {
			first = first && differ[[2]int32{x, y}]
		}
		if first {
			count++
		}
	}
	return count
}

func TestBudget(t *testing.T) {
	b := lts.NewBuilder()
	for k := range int32(9) {
		b.Edge(k, b.Action(fmt.Sprint("a", k)), k+1)
	}
	s := b.System("s", 0)
	other := s.Relabel(func(a string) []string { return []string{"x" + a} })
	_, err := lts.Compose(context.Background(), "both", 50, s, other)
	var budget *lts.BudgetError
	if !errors.As(err, &budget) || budget.Budget != 50 {
		t.Errorf("a budget of 50: %v", err)
	}
	if c, err := lts.Compose(context.Background(), "both", 100, s, other); err != nil || c.States() != 100 {
		t.Errorf("a budget of 100: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := lts.Compose(ctx, "both", 100, s, other); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
