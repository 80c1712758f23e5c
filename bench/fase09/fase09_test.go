// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"testing"

	"github.com/interlock-go/interlock/internal/model"
	"github.com/interlock-go/interlock/internal/model/synth"
)

// TestRows checks the sizes that are known, and that all is proved.
func TestRows(t *testing.T) {
	for _, r := range rows() {
		got, err := r.run(context.Background(), "testdata")
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		if got.states != r.want || got.safe != "proved" || got.permissive != "proved" {
			t.Errorf("%s: %+v, want %d states", r.name, got, r.want)
		}
	}
}

// TestChain checks that pieces need fewer states from some length on: 6^n are the states of the cells.
func TestChain(t *testing.T) {
	power := 6
	for n := 2; n <= 5; n++ {
		power *= 6
		pieces, direct, err := measure(context.Background(), n, true)
		if err != nil {
			t.Fatal(err)
		}
		if direct != power {
			t.Errorf("%d cells: %d states directly, want %d", n, direct, power)
		}
		if n >= 4 && pieces*4 > direct {
			t.Errorf("%d cells: %d states by pieces, and %d directly", n, pieces, direct)
		}
	}
}

// TestBig checks the large system at a small size: a counts levels, b doubles them.
func TestBig(t *testing.T) {
	s, err := model.Read(context.Background(), model.Source{Name: "big.aut", Text: big(16, 5)})
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := synth.Problem{System: s.System, Visible: []string{"a", "b"}}.Automaton(context.Background())
	if err != nil || s.Transitions() != 16*5*4 {
		t.Fatalf("%d transitions, %v", s.Transitions(), err)
	}
	if d.States() != 17 {
		t.Errorf("%d states, want one for each level and the error", d.States())
	}
}
