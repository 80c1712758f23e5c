// SPDX-License-Identifier: Apache-2.0

package ladder

// This file tests that a remembered answer is the answer, that it is asked for once, and
// that whoever gets it may change it.

import (
	"context"
	"errors"
	"testing"

	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/synth"
)

func TestMemory(t *testing.T) {
	const lock = `component Lock
state held bool = false
method Lock() { if held { error "held" } held = true }
method Unlock() { if !held { error "not held" } held = false }
`
	asked := 0
	s := &search{strategy: synth.Strategy{Progress: func(string, int) { asked++ }}, budget: problem.DefaultBudget, memory: memory{}}
	c := s.limited(1).task(1<<16, codeRefinements)
	first, err := s.memory.ask(context.Background(), c, lock)
	if err != nil {
		t.Fatal(err)
	}
	core := string(first.Core())
	if len(first.Forbidden) != 2 || asked == 0 {
		t.Fatalf("%d calls are forbidden, %d reports", len(first.Forbidden), asked)
	}
	first.Forbidden, first.Edges[0].To, asked = nil, 7, 0
	again, err := s.memory.ask(context.Background(), c, lock)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(again.Core()); got != core || asked > 0 {
		t.Errorf("after %d reports:\n%s\nwant\n%s", asked, got, core)
	}
	// Another budget is another question; an answer that the budget did not allow is
	// remembered, and one that was not given because somebody stopped it is not.
	const wide = `component Wide
state n int64 = 0, m int64 = 1
method Add(k int64) { n = n*m + k; m = m*k }
method Test() { if n*n == m { error "met" } }
`
	small := c
	small.Budget = 1
	_, err = s.memory.ask(context.Background(), small, wide)
	if !isUndecided(err) {
		t.Fatalf("got %v, want that it is undecided", err)
	}
	asked = 0
	if _, twice := s.memory.ask(context.Background(), small, wide); !isUndecided(twice) || asked > 0 {
		t.Errorf("after %d reports %v, first %v", asked, twice, err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	other := c
	other.Budget = 1 << 17
	if _, err := s.memory.ask(stopped, other, lock); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want that it is canceled", err)
	}
	if i, err := s.memory.ask(context.Background(), other, lock); err != nil || string(i.Core()) != core {
		t.Errorf("got %v after it was stopped once", err)
	}
}
