// SPDX-License-Identifier: Apache-2.0

package sat

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
)

func lits(ns ...int) []Lit {
	var c []Lit
	for _, n := range ns {
		if n > 0 {
			c = append(c, Pos(n-1))
		} else {
			c = append(c, Neg(-n-1))
		}
	}
	return c
}

// TestCheckProofRejects has proofs that are wrong in one way each.
func TestCheckProofRejects(t *testing.T) {
	square := [][]Lit{lits(1, 2), lits(1, -2), lits(-1, 2), lits(-1, -2)}
	for _, tt := range []struct {
		name    string
		clauses [][]Lit
		steps   []Step
		goal    []Lit
		want    string // in the error; empty: accepted
	}{
		{"good", square, []Step{{false, lits(1)}, {false, nil}}, nil, ""},
		{"units are found", square, []Step{{false, lits(1)}}, nil, ""},
		{"goal needs a case split", square, nil, nil, "goal"},
		{"goal clause", square[:2], nil, lits(1), ""},
		{"goal clause that does not follow", square[:2], nil, lits(2), "goal"},
		{"lemma that does not follow", square[:3], []Step{{false, lits(-1)}}, nil, "step 1"},
		{"lemma after deletion", square, []Step{{true, lits(2, 1)}, {false, lits(1)}}, nil, "step 2"},
		{"deletion of nothing", square, []Step{{true, lits(1, 3)}}, nil, "step 1"},
		{"deletion twice", square, []Step{{true, lits(1, 2)}, {true, lits(1, 2)}}, nil, "step 2"},
		{"deletion of a copy", append(square, lits(2, 1)), []Step{{true, lits(1, 2)}, {false, lits(1)}}, nil, ""},
		{"top level stays", [][]Lit{lits(1), lits(-1, 2)}, []Step{{true, lits(1)}}, lits(2), ""},
		{"empty formula", nil, nil, nil, "goal"},
		{"empty clause", [][]Lit{nil}, nil, nil, ""},
		{"tautology", nil, []Step{{false, lits(1, -1)}}, lits(2, -2), ""},
	} {
		err := CheckProof(tt.clauses, tt.steps, tt.goal)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestTrace checks recorded proofs, and that an unsatisfiable formula with a clause
// taken out does not pass: a checker that accepts everything would be no check.
func TestTrace(t *testing.T) {
	rejected := 0
	for seed := range 200 {
		rng := rand.New(rand.NewPCG(uint64(seed), 6))
		f := randomKSAT(rng, 20, 3, 6)
		var trace Trace
		s := New(Options{Proof: &trace})
		s.Load(f)
		if st, _ := s.Solve(context.Background(), Query{}); st != Unsat {
			continue
		}
		if err := CheckProof(f.Clauses, trace.Steps, nil); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		less := &CNF{f.Vars, f.Clauses[len(f.Clauses)/2:]}
		s = New(Options{})
		s.Load(less)
		if st, _ := s.Solve(context.Background(), Query{}); st == Sat {
			if CheckProof(less.Clauses, trace.Steps, nil) == nil {
				t.Fatalf("seed %d: proof accepted for a satisfiable formula", seed)
			}
			rejected++
		}
	}
	if rejected < 50 {
		t.Errorf("only %d wrong proofs tried", rejected)
	}
}
