// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds engines cegar and symbolic to the interpreter on random
// components whose verdicts depend on arguments: every argument is tried, so
// guards that overlap or leave arguments out are found, and every wrong verdict.

import (
	"context"
	"fmt"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
)

func TestGuardedRandom(t *testing.T) {
	t.Parallel()
	count := loops(25, 45)
	for _, e := range []struct {
		engine string
		depth  int
	}{{"cegar", 0}, {"symbolic", 0}, {"symbolic", 1}, {"symbolic", 3}} {
		t.Run(fmt.Sprintf("%s-%d", e.engine, e.depth), func(t *testing.T) {
			cells, unknown, undecided, split := 0, 0, 0, 0
			reasons := map[string]int{}
			for seed := range count {
				source := corpus.RandomGuarded(int64(seed))
				p := parse(t, source)
				i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: e.engine, Depth: e.depth, Solver: embedded, QuickSolver: quick, Budget: 4_000 * problem.QuestionCost})
				if err != nil {
					if !problem.Undecided(err) {
						t.Fatalf("seed %d: %v\n%s", seed, err, source)
					}
					undecided++
					continue
				}
				checkSymbolic(t, fmt.Sprintf("seed %d", seed), p, i, 4_000)
				if t.Failed() {
					t.Fatalf("%s", source)
				}
				cells += len(i.States) * len(i.Calls)
				unknown += len(i.Unknown)
				for _, u := range i.Unknown {
					reasons[kindOfReason(u.Reason)]++
				}
				split += len(i.Calls) - len(p.Methods)
			}
			t.Logf("%d of %d cells unknown, %d components undecided, %d guards more than methods: %v", unknown, cells, undecided, split, reasons)
			if split < count/4 {
				t.Errorf("only %d guards were split: the components test nothing", split)
			}
			if 4*unknown > cells || 4*undecided > count {
				t.Errorf("%d of %d cells unknown, %d of %d components undecided", unknown, cells, undecided, count)
			}
		})
	}
}
