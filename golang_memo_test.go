// SPDX-License-Identifier: Apache-2.0

package interlock

// This file tests that a remembered answer is the answer, that it is asked for once, and
// that whoever gets it may change it.

import (
	"context"
	"errors"
	"testing"
)

func TestMemory(t *testing.T) {
	const lock = `component Lock
state held bool = false
method Lock() { if held { error "held" } held = true }
method Unlock() { if !held { error "not held" } held = false }
`
	asked := 0
	c := Config{Progress: func(string, int) { asked++ }}.program(1<<16, codeRefinements).remembering()
	first, err := c.synthesize(context.Background(), lock)
	if err != nil {
		t.Fatal(err)
	}
	core := string(first.Core())
	if len(first.Forbidden) != 2 || asked == 0 {
		t.Fatalf("%d calls are forbidden, %d reports", len(first.Forbidden), asked)
	}
	first.Forbidden, first.Edges[0].To, asked = nil, 7, 0
	again, err := c.synthesize(context.Background(), lock)
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
	_, err = small.synthesize(context.Background(), wide)
	if !errors.Is(err, ErrUndecided) {
		t.Fatalf("got %v, want that it is undecided", err)
	}
	asked = 0
	if _, twice := small.synthesize(context.Background(), wide); !errors.Is(twice, ErrUndecided) || asked > 0 {
		t.Errorf("after %d reports %v, first %v", asked, twice, err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	other := c
	other.Budget = 1 << 17
	if _, err := other.synthesize(stopped, lock); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want that it is canceled", err)
	}
	if i, err := other.synthesize(context.Background(), lock); err != nil || string(i.Core()) != core {
		t.Errorf("got %v after it was stopped once", err)
	}
}
