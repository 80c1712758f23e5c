// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/engine/problem"
)

// TestCegarCounters is about wide counters: solved where the interface is
// small, under the convention no-wrap where that is needed; with a register
// where states would be one per value.
func TestCegarCounters(t *testing.T) {
	t.Parallel()
	for _, width := range []int{32, 64} {
		for _, c := range []struct {
			name, source string
			noWrap       bool
			states       int
		}{
			{"count", `component Count
				state n intW = 0
				method tick() { n++ }
				method fire() { if n != 5 { error "not five" }; n = 0 }`, true, 1},
			{"retry", `component Retry
				state n intW = 0, done bool = false
				method try() (ok bool) { if done || n >= 3 { error "give up" }; ok = any; done = ok; n++ }
				method reset() { n = 0; done = false }`, false, 4},
			{"iterator", `component Iterator
				state cursor intW = 0, last intW = -1
				method next() { last = cursor; cursor++ }
				method previous() (ok bool) { if cursor <= 0 { return false }; cursor--; last = cursor; return true }
				method remove() { if last < 0 { error "no element" }
					if last < cursor { cursor-- }
					last = -1
				}
				method set() { if last < 0 { error "no element" } }
				method add() { cursor++; last = -1 }`, true, 2},
			{"semaphore", `component Semaphore
				state n uintW = 0
				method release() { n++ }
				method acquire() { if n == 0 { error "would block" }; n-- }`, true, 1},
		} {
			t.Run(fmt.Sprintf("%s%d", c.name, width), func(t *testing.T) {
				p := parse(t, strings.ReplaceAll(c.source, "intW", fmt.Sprintf("int%d", width)))
				i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded, NoWrap: c.noWrap})
				if err != nil {
					t.Fatal(err)
				}
				if c.noWrap != (len(i.Conventions) > 0) {
					t.Errorf("conventions: %v", i.Conventions)
				}
				if !problem.Complete(i) || len(i.States) != c.states {
					t.Errorf("%d states, want %d\n%s", len(i.States), c.states, file(t, i))
				}
			})
		}
	}
}
