// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds all engines to the interpreter on random components whose loops count, many of which diverge. A call that does
// not return in any run and errs in none is allowed; one that errs in some run fails or may fail. At few bits everything is
// enumerated, so an interface is right for all words or the test says for which it is not.

import (
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

var (
	componentCount = flag.Int("components", 0, "how many random components TestCountingLoops tries; 0: a few")
	firstComponent = flag.Int("first", 0, "the seed of the first of them")
)

// loopWidths are the widths of the integers, in turn: the interpreter enumerates their values.
var loopWidths = []int{3, 4, 5, 6}

const (
	// truthLimit bounds the exploration of one component.
	truthLimit = 400_000
	// wordsOfLoops is how many words an interface with registers is compared on: some milliseconds.
	wordsOfLoops = 1_000
)

func TestCountingLoops(t *testing.T) {
	t.Parallel()
	count := *componentCount
	if count == 0 {
		count = loops(30, 300)
	}
	engines := []string{"direct", "learn", "hide", "cegar", "symbolic", "auto"}
	known := map[string]*census{}
	for _, e := range engines {
		known[e] = newCensus()
	}
	large, remembering := 0, 0
	for n := range count {
		seed := *firstComponent + n
		source := corpus.RandomLoops(int64(seed), loopWidths[seed%len(loopWidths)])
		p, err := prog.Parse("loops.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		truth, err := newTruth(p, truthLimit)
		if errors.Is(err, errTooLarge) {
			large++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		for _, e := range engines {
			i := tryLoops(t, p, e, known[e])
			if i == nil {
				continue
			}
			check := truth.check
			if hasRegisters(i) {
				remembering++
				check = func(i *typestate.Interface) error { return truth.checkWords(i, wordsOfLoops) }
			}
			if err := check(i); err != nil {
				t.Errorf("seed %d, %s: %v\n%s", seed, e, err, source)
			}
			if len(i.Conventions) > 0 {
				t.Errorf("seed %d, %s: %q are assumed\n%s", seed, e, i.Conventions, source)
			}
		}
	}
	if large > count/10 {
		t.Errorf("%d of %d components were too large to judge", large, count)
	}
	t.Logf("%d components, %d too large to judge, %d interfaces with registers", count, large, remembering)
	for _, e := range engines {
		c := known[e]
		t.Logf("%s: %d of %d components complete, %d refused, %d of %d cells unknown %v", e, c.complete, c.components, c.refused, c.unknown, c.cells, c.reasons)
		if c.components == 0 || 5*c.complete < 4*c.components {
			t.Errorf("%s: %d of %d components are complete", e, c.complete, c.components)
		}
	}
}

// tryLoops runs an engine on a component; nil if it refuses or the budget ends.
func tryLoops(t *testing.T, p *prog.Program, engine string, known *census) *typestate.Interface {
	t.Helper()
	asked := problem.Problem{Program: p, Engine: engine, Solver: embedded, QuickSolver: quick}
	if engine == "cegar" || engine == "symbolic" {
		asked.Budget = cegarBudget / 4
	}
	i, err := Synthesize(context.Background(), asked)
	var refusal *problem.Refusal
	if errors.As(err, &refusal) || err != nil && problem.Undecided(err) {
		known.refused++
		return nil
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", engine, err, p.Name)
		return nil
	}
	known.add(i)
	return i
}

// TestWideCountingLoops compares the engines that work with predicates, at widths where nothing can be enumerated, with each other and, on
// short words and loops of few rounds, with the interpreter.
func TestWideCountingLoops(t *testing.T) {
	t.Parallel()
	engines := []string{"cegar", "symbolic", "auto"}
	known := map[string]*census{}
	for _, e := range engines {
		known[e] = newCensus()
	}
	compared := 0
	for seed := range loops(6, 30) {
		for _, width := range []int{32, 64} {
			source := corpus.RandomLoops(int64(*firstComponent+seed), width)
			var found []*typestate.Interface
			for _, e := range engines {
				i := tryLoops(t, parse(t, source), e, known[e])
				if i == nil {
					continue
				}
				if len(i.Conventions) > 0 {
					t.Errorf("seed %d, %s: %q are assumed\n%s", seed, e, i.Conventions, source)
				}
				p := parse(t, source)
				o := newOracle(p, i)
				o.in, o.most = prog.NewInterp(p, prog.InterpOptions{MaxConfigs: 1000, MaxDomain: 16}), 3
				var long *prog.BudgetError
				if err := o.run(context.Background(), 200); err != nil && !errors.As(err, &long) {
					t.Errorf("seed %d, %s: %v\n%s", seed, e, err, source)
				}
				compared += o.calls
				for _, j := range found {
					if d := typestate.Compare(i, j); d.AllowedByA != nil || d.AllowedByB != nil {
						t.Errorf("seed %d at %d bits: %s differs\n%s\n%s\n%s", seed, width, e, source, j.Core(), i.Core())
					}
				}
				found = append(found, i)
			}
		}
	}
	for _, e := range engines {
		c := known[e]
		t.Logf("%s: %d of %d components complete, %d refused, %d of %d cells unknown %v", e, c.complete, c.components, c.refused, c.unknown, c.cells, c.reasons)
	}
	if compared == 0 {
		t.Error("nothing was compared with the interpreter")
	}
}
