// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
)

// TestNeeded says what the errors of a component need.
func TestNeeded(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, source string
		want         []string
	}{
		{"one flag", `
component C
state on bool = false, n int8 = 0, other bool = false
method Set(b bool) { on = b; n = n + 1; other = b }
method Use() {
  if other { n = 0 }
  if on { if n > 3 || n < 1 { error "used" } }
}
`, []string{"on"}},
		{"a value of an enumeration, and nothing else of the same variable", `
component C
enum e { a, b, c }
state x e = a, on bool = false
method Set(v e) { x = v }
method Use(k bool) {
  if x != a { if x != b { if k { error "used" } } }
}
`, []string{"x == c"}},
		{"a site for each value", `
component C
enum e { a, b, c }
state x e = a
method Set(v e) { x = v }
method One() { if x == b { error "one" } }
method Two() { if x == c { error "two" } }
`, []string{"x == b", "x == c"}},
		{"a site that no state reaches needs nothing", `
component C
state on bool = false, off bool = false
method Set(b bool) { on = b; off = !b }
method Use() { if on { if off { if !on { error "never" } } } }
`, nil},
		{"no condition of the state alone", `
component C
state n int8 = 0
method Set(v int8) { n = v }
method Use(k int8) { if n + k > 3 { error "used" } }
`, nil},
	} {
		p, err := prog.Parse("c.open", []byte(x.source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := predabs.New(&problem.Problem{Program: p, Solver: embedded, Refinements: 1, Budget: 1 << 16})
		preds, err := m.Needed(context.Background())
		m.Close()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, t := range preds {
			got = append(got, t.String())
		}
		slices.Sort(got)
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: got %q, want %q", x.name, got, x.want)
		}
	}
}
