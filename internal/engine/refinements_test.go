// SPDX-License-Identifier: Apache-2.0

package engine

// This file tests engine cegar with few refinements for each method: what it says is right however soon it gives up, and a counter that only
// moves while a flag is off is seen as a counter.

import (
	"context"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
)

// TestImpatient holds partial interfaces to the reference interpreter.
func TestImpatient(t *testing.T) {
	t.Parallel()
	answers, unknown := 0, 0
	for seed := range loops(60, 200) {
		source := corpus.Random(int64(seed), corpus.RandomOptions{})
		p, err := prog.Parse("random.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		refinements := 1 + seed%3
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded, Refinements: refinements, Budget: 1 << (12 + seed%4)})
		if err != nil {
			if !problem.Undecided(err) {
				t.Errorf("seed %d: %v\n%s", seed, err, source)
			}
			continue
		}
		answers++
		unknown += len(i.Unknown)
		o := newOracle(p, i)
		if err := o.run(context.Background(), 2_000); err != nil {
			t.Errorf("seed %d, refinements %d: %v\n%s", seed, refinements, err, source)
		}
	}
	if answers == 0 || unknown == 0 {
		t.Errorf("%d answers with %d unknown verdicts: the test says nothing", answers, unknown)
	}
}

func TestFlaggedCounter(t *testing.T) {
	t.Parallel()
	p, err := prog.Parse("order.open", []byte(`
component Order
state items int64 = 0, paid bool = false
method Add() {
  if paid { } else { items = items + 1 }
}
method Pay() {
  if items == 0 { error "nothing to pay" }
  if paid { error "twice" }
  paid = true
}
`), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded, NoWrap: true, Refinements: 8, Budget: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	if len(i.States) != 3 || !problem.Complete(i) || !problem.Proved(i) {
		t.Errorf("%d states, complete %v, proved %v; want 3 states and everything decided", len(i.States), problem.Complete(i), problem.Proved(i))
	}
}
