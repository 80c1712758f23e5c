// SPDX-License-Identifier: Apache-2.0

package engine

// This file tests that registers come instead of many states, and not instead of few, and that
// this does not depend on the budget: components lowered from code have a smaller one.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/engine/registers"
	"github.com/interlock-go/interlock/internal/prog"
)

func limited(typ string, limit uint64) string {
	return fmt.Sprintf(`component Limited
state n %s = 0
method inc() { if n == %d { error "limit" }; n = n + 1 }
method dec() { if n == 0 { error "zero" }; n = n - 1 }
`, typ, limit)
}

const symbolicCapacity = `component Buffer
state used uint32 = 0, size uint32 = 0
constructor New(k uint32) { size = k }
method put() { if used == size { error "full" }; used = used + 1 }
method get() { if used == 0 { error "empty" }; used = used - 1 }
`

var inSight = []struct {
	name, source string
	sight        bool // registerInSight
	states       int  // with registers: at most so many
	registers    int64
}{
	{"limit 2^4", limited("int32", 1<<4), true, 17, 0},
	{"limit 60", limited("int32", 60), true, 61, 0},
	{"limit 70", limited("int32", 70), true, 1, 1},
	{"limit 255 of a byte", limited("uint8", 255), false, 256, 0},
	{"limit 2^8", limited("int64", 1<<8), true, 1, 1},
	{"limit 2^10", limited("int32", 1<<10), true, 1, 1},
	{"limit 2^20", limited("uint21", 1<<20), true, 1, 1},
	{"limit 2^32", limited("uint64", 1<<32), true, 1, 1},
	{"iterator", `component Iterator
state i int32 = 0, n int32 = 0
constructor New(k int32) { assume k >= 0; n = k }
method more() (ok bool) { return i < n }
method next() { if i >= n { error "exhausted" }; i = i + 1 }
`, true, 1, 2},
	{"buffer", symbolicCapacity, true, 1, 2},
	// A value from an argument that is one of few: states tell them apart.
	{"phase", `component Phase
state phase int32 = 0
method set(k int32) { if k < 0 || k > 2 { error "k" }; phase = k }
method work() { if phase != 2 { error "phase" } }
`, true, 2, 0},
	// Constants only.
	{"constants", `component Constants
state phase int32 = 0, other int32 = 0
method open() { if phase != 0 { error "twice" }; phase = 7 }
method close() { if phase != 7 { error "closed" }; phase = 0 }
method count() { other = other + 1 }
`, false, 2, 0},
}

func TestInSight(t *testing.T) {
	t.Parallel()
	for k, c := range inSight {
		t.Run(c.name, func(t *testing.T) {
			p, err := prog.Parse("c.open", []byte(c.source), prog.Options{})
			if err != nil {
				t.Fatal(err)
			}
			asked := problem.Problem{Program: p, Solver: embedded, QuickSolver: quick, Certificate: true}
			if got := registers.InSight(&asked); got != c.sight {
				t.Errorf("a register is in sight: %v, want %v", got, c.sight)
			}
			for _, refinements := range []int{0, 8} {
				if refinements > 0 {
					asked.Budget, asked.Refinements = problem.DefaultBudget/32, refinements
				}
				i, err := Synthesize(context.Background(), asked)
				if err != nil {
					t.Fatal(err)
				}
				if n := len(i.States); n > c.states || n < c.states && c.registers == 0 || i.Stats["registers"] != c.registers || !problem.Complete(i) || !problem.Proved(i) {
					t.Errorf("at most %d refinements: %d states, %d registers, want %d and %d\n%s", refinements, n, i.Stats["registers"], c.states, c.registers, i.Core())
				}
				w := &wordMaker{oracle: newOracle(p, i), Rand: rand.New(rand.NewPCG(uint64(k), 5))}
				for range loops(50, 500) {
					if err := w.word(context.Background(), 8); err != nil {
						t.Fatalf("%v\n%s", err, i.Core())
					}
				}
				if w.judged == 0 && !corpus.Race {
					t.Error("no verdict was compared")
				}
			}
		})
	}
}
