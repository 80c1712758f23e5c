// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds engine symbolic to the interpreter: no verdict contradicts it
// on words up to the depth that was claimed, or of any length where more was.

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

const symbolicBudget = 5_000_000

// checkSymbolic compares an interface with the interpreter as far as it claims
// to be right.
func checkSymbolic(t *testing.T, name string, p *prog.Program, i *typestate.Interface, limit int) *oracle {
	t.Helper()
	if err := i.Validate(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	o := newOracle(p, i)
	if i.Guarantees.Depth != nil {
		o.most = *i.Guarantees.Depth + 1
	}
	if err := o.run(context.Background(), limit); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	o.witnesses(t)
	return o
}

// TestSymbolicCorpus checks each component at depth 2 and without one,
// and pins what is found.
func TestSymbolicCorpus(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, c := range loadCorpus(t) {
		if c.Has("-serial") || c.Has("-tight") {
			continue
		}
		for _, depth := range []int{0, 2} {
			p, err := prog.Parse(c.File, []byte(c.Source), prog.Options{Width: c.OracleWidth()})
			if err != nil {
				t.Fatal(err)
			}
			i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "symbolic", Solver: embedded, Budget: symbolicBudget, Depth: depth})
			if err != nil {
				if !problem.Undecided(err) {
					t.Errorf("%s at depth %d: %v", c.Name, depth, err)
				}
				got[c.Name] = err.Error()
				continue
			}
			if depth > 0 && (i.Guarantees.Depth == nil || *i.Guarantees.Depth != depth) {
				t.Errorf("%s at depth %d claims to be %s", c.Name, depth, i.Guarantees.Safe)
			}
			o := checkSymbolic(t, fmt.Sprintf("%s at depth %d", c.Name, depth), p, i, 3_000)
			if depth == 0 {
				got[c.Name] = fmt.Sprintf("%d states, %d calls, %d unknown, %s", len(i.States), len(i.Calls), len(i.Unknown), i.Guarantees.Safe)
				if o.missing > 0 {
					got[c.Name] += fmt.Sprintf(", %d without witness", o.missing)
				}
				if i.Guarantees.Safe == "proved" && problem.Complete(i) && len(i.States) != c.Expect.States {
					t.Errorf("%s: %d states, want %d", c.Name, len(i.States), c.Expect.States)
				}
				if j, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "direct", Budget: symbolicBudget}); err == nil && problem.Complete(i) {
					if d := typestate.Compare(i, j); d.Kind == typestate.CompareDifferent {
						t.Errorf("%s: differs from engine direct: %+v", c.Name, d)
					} else if string(i.Core()) != string(j.Core()) {
						got[c.Name] += ", another core than direct"
					}
				}
			}
		}
	}
	golden(t, filepath.Join("testdata", "symbolic.txt"), got)
}

// TestSymbolicRandom checks random components, of the general kind and of one
// with much arithmetic on arguments and results.
func TestSymbolicRandom(t *testing.T) {
	t.Parallel()
	count := loops(20, 100)
	cells, unknown, undecided, missing := 0, 0, 0, 0
	reasons := map[string]int{}
	for seed := range count {
		for kind, source := range []string{corpus.Random(int64(seed), corpus.RandomOptions{}), randomData(int64(seed))} {
			p := parse(t, source)
			for _, depth := range []int{0, 2} {
				i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "symbolic", Solver: embedded, Budget: symbolicBudget, Depth: depth})
				if err != nil {
					if !problem.Undecided(err) {
						t.Errorf("seed %d kind %d: %v\n%s", seed, kind, err, source)
					}
					undecided++
					continue
				}
				cells += len(i.States) * len(i.Calls)
				unknown += len(i.Unknown)
				for _, u := range i.Unknown {
					reasons[u.Reason]++
				}
				o := checkSymbolic(t, fmt.Sprintf("seed %d kind %d depth %d", seed, kind, depth), p, i, 2_000)
				missing += o.missing
				if t.Failed() {
					t.Fatalf("%s", source)
				}
			}
		}
	}
	t.Logf("%d of %d cells unknown, %d without witness, %d components undecided: %v", unknown, cells, missing, undecided, reasons)
	if 5*unknown > cells {
		t.Errorf("%d of %d cells are unknown", unknown, cells)
	}
}

// TestSymbolicManyPaths has calls with more paths than are followed, each to a state of its own. What follows
// such a call is not known; it is not that nothing does.
func TestSymbolicManyPaths(t *testing.T) {
	t.Parallel()
	const flags = 10 // 1,024 states
	var state, body, all strings.Builder
	for i := range flags {
		fmt.Fprintf(&state, "state b%d bool = false\n", i)
		fmt.Fprintf(&body, "  c = any\n  if c { b%d = true; while { d = any; if !d { break } } } else { b%[1]d = false; while { d = any; if !d { break } } }\n", i)
		fmt.Fprintf(&all, "b%d && ", i)
	}
	for _, call := range []string{"constructor New", "method Set"} {
		source := fmt.Sprintf("component Many\n%s%s() {\n  var c bool\n  var d bool\n%s}\nmethod Get() {\n  if %strue { error \"all\" }\n}\n", state.String(), call, body.String(), all.String())
		p, err := prog.Parse("many.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "symbolic", Solver: embedded, Budget: symbolicBudget, Refinements: 2})
		if err == nil {
			checkSymbolic(t, call, p, i, 3_000)
		} else if !problem.Undecided(err) {
			t.Errorf("%s: %v", call, err)
		}
	}
}

// TestSymbolicUnknownNeverReturns has a call that never returns, and whose verdict depends on an argument of an earlier
// call. What is not known of it after that call is no reason to take the state for one in which it is allowed.
func TestSymbolicUnknownNeverReturns(t *testing.T) {
	t.Parallel()
	const source = `component Limit
state k int5 = 1
method a(p int5) {
  if p < 1 { error "a" }
  k = p
}
method b(p int5) {
  if p <= k { error "b" }
  stop
}
`
	p := parse(t, source)
	for depth := range 4 {
		for _, budget := range []int{20_000, symbolicBudget} {
			i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "symbolic", Solver: embedded, Budget: budget, Depth: depth})
			if err != nil {
				t.Fatalf("depth %d: %v", depth, err)
			}
			if i.Guarantees.Depth != nil {
				checkSymbolic(t, fmt.Sprintf("depth %d, budget %d", depth, budget), p, i, 3_000)
			} else if err := followed(p, i); err != nil {
				t.Errorf("budget %d: %v", budget, err)
			}
		}
	}
}
