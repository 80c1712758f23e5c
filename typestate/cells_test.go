// SPDX-License-Identifier: Apache-2.0

package typestate

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// TestCompareCells lists the pairs of random interfaces again by walking both sides call by call.
func TestCompareCells(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	different := 0
	for n := range 300 {
		s := shape{states: 1 + r.Intn(3), methods: 1 + r.Intn(2), outcomes: 1 + r.Intn(2), constructors: 1 + r.Intn(2), paramType: "int2", guards: []string{"x < 0", "x >= 0"}}
		a := random(r, s)
		b := mutate(r, a)
		if r.Intn(2) == 0 {
			b = random(r, s)
		}
		pairs, d := CompareCells(a, b)
		if got := Compare(a, b); fmt.Sprint(got.Kind, length(got.AllowedByA), length(got.AllowedByB), length(got.KnownByA), length(got.KnownByB)) !=
			fmt.Sprint(d.Kind, length(d.AllowedByA), length(d.AllowedByB), length(d.KnownByA), length(d.KnownByB)) {
			t.Fatalf("pair %d: %+v, and Compare says %+v", n, d, got)
		}
		want := reachedCells(a, b)
		for _, p := range pairs {
			at := fmt.Sprint(p.StateA, p.StateB, p.CallA, p.CallB)
			if want[at] != len(p.Word) {
				t.Fatalf("pair %d: %s with a word of %d calls, want %d\n%s%s", n, at, len(p.Word), want[at], a.Core(), b.Core())
			}
			delete(want, at)
			replaySeparation(t, a, b, &p.Separation)
			if (p.A == VerdictAllowed) != (p.B == VerdictAllowed) {
				different++
			}
		}
		if len(want) > 0 {
			t.Fatalf("pair %d: not listed: %v\n%s%s", n, want, a.Core(), b.Core())
		}
	}
	if different < 100 {
		t.Errorf("only %d pairs of cells differ", different)
	}
}

// reachedCells are the pairs of cells that words get to, with the length of a shortest. The guards of both sides are the same.
func reachedCells(a, b *Interface) map[string]int {
	found := map[string]int{}
	type pair struct{ a, b int }
	var level []pair
	seen := map[pair]bool{}
	next := []pair{}
	reach := func(x, y Result) {
		if p := (pair{x.State, y.State}); x.State >= 0 && y.State >= 0 && !x.Verdict.Forbidden() && !y.Verdict.Forbidden() && !seen[p] {
			seen[p] = true
			next = append(next, p)
		}
	}
	for _, c := range a.Constructors {
		found[fmt.Sprint(-1, -1, c.ID, c.ID)] = 1
		for _, o := range []string{"nil", "non-nil"} {
			reach(a.Start(c.ID, o), b.Start(c.ID, o))
		}
	}
	for depth := 2; len(next) > 0; depth++ {
		level, next = next, nil
		for _, p := range level {
			for _, c := range a.Calls {
				if a.CannotBeMade(p.a, c.ID) || b.CannotBeMade(p.b, c.ID) {
					continue
				}
				if at := fmt.Sprint(p.a, p.b, c.ID, c.ID); found[at] == 0 {
					found[at] = depth
				}
				for _, o := range c.Outcomes {
					reach(a.Step(p.a, c.ID, o), b.Step(p.b, c.ID, o))
				}
			}
		}
	}
	return found
}

// TestCompareCellsParameters compares a method whose parameter has another name in the new version.
func TestCompareCellsParameters(t *testing.T) {
	a := &Interface{
		Format:       Format,
		Component:    Component{Language: "open", Name: "Sink"},
		Guarantees:   Guarantees{Safe: "unknown", Permissive: "unknown", Tight: "unknown"},
		Constructors: []Constructor{{ID: "new", Method: "new", Params: []string{"size"}, Types: []string{"int8"}, Guard: "true", Outcome: "*", State: new(int), Verdict: "allowed"}},
		Calls: []Call{
			{ID: "put", Method: "put", Params: []string{"n"}, Types: []string{"int8"}, Guard: "n > 0", Outcomes: []string{"return"}},
			{ID: "put#2", Method: "put", Params: []string{"n"}, Types: []string{"int8"}, Guard: "n <= 0", Outcomes: []string{"return"}},
		},
		States:    []State{{ID: 0, Registers: []Register{}}},
		Edges:     []Edge{{From: 0, Call: "put", Outcome: "*", To: 0}},
		Forbidden: []Forbidden{{State: 0, Call: "put#2", Verdict: "fails", Errors: []ErrorSite{}, Witness: []Step{{Call: "new"}, {Call: "put", Args: map[string]string{"n": "0"}}}}},
	}
	if err := a.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	b := a.Clone()
	for k := range b.Calls {
		b.Calls[k].Params = []string{"count"}
	}
	b.Calls[0].Guard, b.Calls[1].Guard = "count <= 1", "count > 1" // in canonical order, as those of a
	b.Constructors[0].Params = []string{"capacity"}
	b.Forbidden[0].Witness[1].Args = map[string]string{"count": "0"}
	if err := b.Validate(); err != nil {
		t.Fatal(err)
	}
	pairs, d := CompareCells(a, b)
	if len(d.Reasons) > 0 || d.AllowedByA == nil || d.AllowedByA.Word[1].Args["n"] != "1" {
		t.Fatalf("%+v %+v", d, d.AllowedByA)
	}
	if !slices.ContainsFunc(pairs, func(p CellPair) bool { return p.CallA == "put#2" && p.CallB == "put" }) {
		t.Errorf("%+v", pairs)
	}
	// A name that means something else on that side stays.
	b.Calls[0].Guard, b.Calls[1].Guard = "count > 1 && n == 0", "!(count > 1 && n == 0)"
	if c := sameParameters(a, b); c.Calls[0].Guard != "count > 1 && n == 0" {
		t.Errorf("renamed to %s", c.Calls[0].Guard)
	}
}
