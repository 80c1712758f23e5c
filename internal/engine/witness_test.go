// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds the engine of two abstractions to the examples of its paper,
// at 32 bits, to engine cegar, and to the interpreter at small widths.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
)

const (
	p1Source = `component P1
		state a int32 = 0
		method acq() { if a == 0 { a = any; assume a != 0 } }
		method read() { if a == 0 { error "not held" } }
		method rel() { a = 0 }`
	p2Source = `component P2
		state a int32 = 0, x int32 = 0
		method acq() { if a == 0 { a = any; assume a != 0 } }
		method read() { if a == 0 { error "not held" } }
		method rel() { a, x = 0, 0 }
		method acq_x() { if a == 0 { a = any; x = any; assume a != 0 && x != 0 } }
		method write() { if x == 0 { error "not held exclusively" } }
		method rel_x() { a, x = 0, 0 }`
	p3Source = `component P3
		state a int32 = 0
		method acq() (ok bool) {
			if a == 0 {
				var c bool = any
				if !c { return false }
				a = any
				assume a != 0
			}
			return true
		}
		method read() { if a == 0 { error "not held" } }
		method rel() { a = 0 }`
	p3SilentSource = `component P3
		state a int32 = 0
		method acq() { var c bool = any; if a == 0 && c { a = any; assume a != 0 } }
		method read() { if a == 0 { error "not held" } }
		method rel() { a = 0 }`
	p4Source = `component P4
		state a int32 = 0, f int32 = 0
		method acq() (ok bool) {
			if a == 0 {
				var c bool = any
				if !c && f == 0 { f = 1; return false }
				a = any
				assume a != 0
			}
			return true
		}
		method read() { if a == 0 { error "not held" } }
		method rel() { a = 0 }`
	e8Source = `component E8
		state x int32 = 0, y int32 = 0
		method f1() { if x != 0 { error "x" } }
		method f2() { if y == 0 { error "y" } }`
)

func TestWitnessExamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source string
		states       int
		safety       []string // predicates, sorted
		permissive   []string
	}{
		{"P1", p1Source, 2, []string{"a == 0"}, []string{"a == 0"}},
		{"P2", p2Source, 3, []string{"a == 0", "x == 0"}, []string{"a == 0", "x == 0"}},
		{"P3", p3Source, 2, []string{"a == 0"}, []string{"a == 0"}},
		{"P4", p4Source, 2, []string{"a == 0"}, []string{"a == 0"}},
		// The two proofs need nothing of each other.
		{"E8", e8Source, 1, []string{"x == 0"}, []string{"y == 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, c.source)
			found := map[string][]string{}
			i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "witness", Solver: embedded,
				Refined: func(r problem.Refinement) { found[r.Abstraction] = append(found[r.Abstraction], r.Predicates...) }})
			if err != nil {
				t.Fatal(err)
			}
			if err := i.Validate(); err != nil {
				t.Error(err)
			}
			if !problem.Complete(i) || len(i.States) != c.states {
				t.Errorf("%d states, want %d\n%s", len(i.States), c.states, file(t, i))
			}
			for name, want := range map[string][]string{"safety": c.safety, "permissiveness": c.permissive} {
				got := found[name]
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("%s: predicates %q, want %q", name, got, want)
				}
			}
			j, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(i.Core(), j.Core()) {
				t.Errorf("another core than cegar:\n%s\nwant\n%s", i.Core(), j.Core())
			}
		})
	}
}

// TestWitnessTrace is Example 13 of the paper: from a = 0 for both, the
// predicate x = 0 is found, first for safety, then for permissiveness. (The
// paper has the second from acq write, of which write alone is a suffix.)
func TestWitnessTrace(t *testing.T) {
	t.Parallel()
	var trace []string
	i, err := Synthesize(context.Background(), problem.Problem{Program: parse(t, p2Source), Engine: "witness", Solver: embedded,
		Predicates: []string{"a == 0"}, Refined: func(r problem.Refinement) { trace = append(trace, r.String()) }})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"acq_x write: safety: x == 0", "write: permissiveness: x == 0"}
	if !slices.Equal(trace, want) {
		t.Errorf("%q, want %q", trace, want)
	}
	if len(i.States) != 3 || i.Stats["refinements"] != 2 {
		t.Errorf("%d states after %d refinements", len(i.States), i.Stats["refinements"])
	}
	var labels []string
	for _, s := range i.States {
		labels = append(labels, s.Label)
	}
	// The paper's safe labels are a = 0, a != 0, a != 0 and x != 0; these are
	// the same on the states that can be reached, and disjoint.
	if want := []string{"a == 0", "a != 0 && x == 0", "x != 0"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
}

func TestWitnessRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		problem problem.Problem
		want    string
	}{
		{problem.Problem{Program: parse(t, p3SilentSource)}, "engine witness: not visibly deterministic: read may err and may return after acq"},
		{problem.Problem{Program: parse(t, "component C\nstate n int32 = 0\nmethod put(k int32) { n = k }\nmethod get() { if n == 0 { error \"empty\" } }")},
			"engine witness: whether get errs after put depends on the arguments of put"},
		{problem.Problem{Program: parse(t, "component C\nstate n int32 = 0\nmethod roll() (r int32) { n = any; return n }\nmethod get() { if n == 0 { error \"empty\" } }")},
			"engine witness: whether get errs after roll may depend on an integer result of roll"},
		{problem.Problem{Program: parse(t, p1Source), Serial: true}, "engine witness: the infinite-word reading (-serial) is for finite components"},
	} {
		c.problem.Engine, c.problem.Solver = "witness", embedded
		_, err := Synthesize(context.Background(), c.problem)
		var r *problem.Refusal
		if !errors.As(err, &r) || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// witnessAgainstInterpreter checks that an interface is right, if there is one.
func witnessAgainstInterpreter(t *testing.T, name string, p *prog.Program, limit int) string {
	t.Helper()
	i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "witness", Solver: embedded, Budget: cegarBudget})
	if err != nil {
		var r *problem.Refusal
		if !errors.As(err, &r) && !problem.Undecided(err) {
			t.Errorf("%s: %v", name, err)
		}
		if problem.Undecided(err) {
			return "undecided"
		}
		return err.Error()
	}
	if err := i.Validate(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if !problem.Complete(i) {
		t.Errorf("%s: something is unknown", name)
	}
	o := newOracle(p, i)
	if err := o.run(context.Background(), limit); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	o.witnesses(t)
	return fmt.Sprintf("%d states", len(i.States))
}

func TestWitnessCorpus(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, c := range loadCorpus(t) {
		if c.Has("-serial") || c.Has("-tight") {
			continue
		}
		p, err := prog.Parse(c.File, []byte(c.Source), prog.Options{Width: c.OracleWidth()})
		if err != nil {
			t.Fatal(err)
		}
		got[c.Name] = witnessAgainstInterpreter(t, c.Name, p, 5_000)
		var n int
		if _, err := fmt.Sscanf(got[c.Name], "%d states", &n); err == nil && n != c.Expect.States {
			t.Errorf("%s: %d states, want %d", c.Name, n, c.Expect.States)
		}
	}
	golden(t, filepath.Join("testdata", "witness.txt"), got)
}

func TestWitnessRandom(t *testing.T) {
	t.Parallel()
	count := loops(200, 1_000)
	answers, refused := 0, 0
	for seed := range count {
		source := corpus.Random(int64(seed), corpus.RandomOptions{})
		p, err := prog.Parse("random.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		switch s := witnessAgainstInterpreter(t, fmt.Sprintf("seed %d", seed), p, 3_000); {
		case strings.Contains(s, "engine witness:"):
			refused++
		case strings.Contains(s, "states"):
			answers++
		}
	}
	t.Logf("%d answers, %d refusals, %d undecided", answers, refused, count-answers-refused)
	if !corpus.Race && (5*answers < count || refused == 0) {
		t.Errorf("%d answers and %d refusals: too few to tell", answers, refused)
	}
}
