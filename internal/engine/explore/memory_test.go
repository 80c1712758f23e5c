// SPDX-License-Identifier: Apache-2.0

package explore

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
)

// TestMemory stops exploration by what it stores, at the same state with any number of workers, and says so.
func TestMemory(t *testing.T) {
	t.Parallel()
	p, err := prog.Parse("count.open", []byte(`component Count
state n uint16 = 0
method inc() { n = n + 1 }
method dec() { n = n - 1 }
`), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const limit = 1 << 16
	states := 0
	for _, workers := range []int{1, 3} {
		c, err := New(context.Background(), p, Options{Workers: workers, Memory: limit, KeepAll: true})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Explore(context.Background())
		var budget *BudgetError
		if !errors.As(err, &budget) || budget.What != BytesBudget || !strings.Contains(err.Error(), "more than 65536 bytes") {
			t.Fatalf("%d workers: %v", workers, err)
		}
		if states != 0 && c.States() != states {
			t.Errorf("%d states with %d workers, %d with one", c.States(), workers, states)
		}
		if states = c.States(); states < 1000 || states > 3000 {
			t.Errorf("stopped at %d states", states)
		}
	}
	c, err := New(context.Background(), p, Options{Workers: 1, KeepAll: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Explore(context.Background()); err != nil || c.States() != 1<<16+1 {
		t.Errorf("%d states, %v", c.States(), err)
	}
}

// TestManyTuples explores a call with as many tuples of arguments as there may be: it is run from few states at a time.
func TestManyTuples(t *testing.T) {
	t.Parallel()
	p, err := prog.Parse("many.open", []byte(`component Many
state n uint2 = 0
method add(k uint16) { if k > 300 { error "k" }; if k == 7 { n = n + 1 } }
`), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(context.Background(), p, Options{Workers: 2, KeepAll: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Explore(context.Background()); err != nil || c.States() != 5 || len(c.Calls) != 4 {
		t.Errorf("%d states, %d calls, %v", c.States(), len(c.Calls), err)
	}
}
