// SPDX-License-Identifier: Apache-2.0

package explore

// This file checks what happens to a runner after a call that took too long.

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
)

// TestRunAfterTooLong uses a runner again after a call that has too many runs, for one with
// fewer locations: nothing of the first is left.
func TestRunAfterTooLong(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for range 40 {
		long.WriteString("  x = any\n  if x > 9 { n = n + 1 }\n")
	}
	p, err := prog.Parse("long.open", []byte(`component Long
state n int8 = 0
method short() (ok bool) { return n > 3 }
method long() {
  var x uint8 = 0
`+long.String()+`}
`), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var codes []*code
	for _, m := range p.Methods {
		c, err := compile(p, m, everything(p), p.State, func(*prog.ErrorSite) int32 { return 0 })
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, c)
	}
	r := &runner{limit: 1000}
	returns := 0
	run := func(k int) error {
		return r.run(context.Background(), codes[k], []uint64{0}, nil, func(frame) { returns++ }, func(int32) {})
	}
	var budget *BudgetError
	if err := run(1); !errors.As(err, &budget) || budget.Limit != 1000 || !strings.Contains(err.Error(), "steps in one call of long") {
		t.Errorf("the long call: %v", err)
	}
	returns = 0
	if err := run(0); err != nil || returns != 1 {
		t.Errorf("the short call returns %d times, %v", returns, err)
	}
}
