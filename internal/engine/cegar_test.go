// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds the engine of predicate abstraction to the interpreter, on
// the corpus and on random components, and to hand-derived results on
// components that cannot be enumerated.

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/typestate"
)

func embedded() solve.Solver { return bv.New(bv.Options{Conflicts: 100_000}) }

const cegarBudget = 5_000_000

// TestCegarCorpus checks that no verdict contradicts the interpreter, and pins
// how much is decided and at what cost.
func TestCegarCorpus(t *testing.T) {
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
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded, Budget: cegarBudget})
		if err != nil {
			if !problem.Undecided(err) {
				t.Errorf("%s: %v", c.Name, err)
			}
			got[c.Name] = err.Error()
			continue
		}
		if err := i.Validate(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		unknown := len(i.Unknown)
		for _, k := range i.Constructors {
			if k.Verdict == "unknown" {
				unknown++
			}
		}
		got[c.Name] = fmt.Sprintf("%d states, %d unknown, %d predicates", len(i.States), unknown, i.Stats["predicates"])
		if d, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "direct", Budget: corpusBudget}); err == nil && unknown == 0 && !bytes.Equal(d.Core(), i.Core()) {
			got[c.Name] += ", another core"
			if testing.Verbose() {
				t.Logf("%s\n%s\n%s", c.Name, i.Core(), d.Core())
			}
		}
		o := newOracle(p, i)
		if err := o.run(context.Background(), 5_000); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		o.witnesses(t)
		if problem.Complete(i) && len(i.States) != c.Expect.States {
			t.Errorf("%s: %d states, want %d", c.Name, len(i.States), c.Expect.States)
		}
	}
	golden(t, filepath.Join("testdata", "cegar.txt"), got)
}

// TestCegarRandom checks that no verdict contradicts the interpreter, and that
// not too many are unknown.
func TestCegarRandom(t *testing.T) {
	t.Parallel()
	count := loops(200, 400)
	cells, unknown, missing := 0, 0, 0
	reasons := map[string]int{}
	for seed := range count {
		source := corpus.Random(int64(seed), corpus.RandomOptions{})
		p, err := prog.Parse("random.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded, Budget: cegarBudget})
		if err != nil {
			if !problem.Undecided(err) {
				t.Errorf("seed %d: %v\n%s", seed, err, source)
			}
			reasons["budget"]++
			continue
		}
		cells += len(i.States) * len(i.Calls)
		unknown += len(i.Unknown)
		for _, u := range i.Unknown {
			reasons[u.Reason]++
		}
		o := newOracle(p, i)
		if err := o.run(context.Background(), 3_000); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, source)
		}
		o.witnesses(t)
		missing += o.missing
	}
	t.Logf("%d of %d cells unknown, %d without witness: %v", unknown, cells, missing, reasons)
	if 50*missing > cells {
		t.Errorf("%d of %d cells have no witness", missing, cells)
	}
	if 5*unknown > cells {
		t.Errorf("%d of %d cells are unknown", unknown, cells)
	}
}

// TestCegarWide is about components with integers that cannot be enumerated.
// Each is given with its interface, as words that are allowed and forbidden.
func TestCegarWide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source string
		states       int
		allowed      [][]string
		forbidden    [][]string
	}{
		{"lock", `component P1
			state a int32 = 0
			method acq() { if a == 0 { a = any; assume a != 0 } }
			method read() { if a == 0 { error "not held" } }
			method rel() { a = 0 }`, 2,
			[][]string{{"acq", "read"}, {"acq", "acq", "read", "rel"}},
			[][]string{{"read"}, {"acq", "rel", "read"}}},
		{"two locks", `component P2
			state a int32 = 0, x int32 = 0
			method acq() { if a == 0 { a = any; assume a != 0 } }
			method acq_x() { if a == 0 { a = any; x = any; assume a != 0 && x != 0 } }
			method read() { if a == 0 { error "not held" } }
			method write() { if x == 0 { error "not held for writing" } }
			method rel() { a = 0; x = 0 }`, 3,
			[][]string{{"acq_x", "write"}, {"acq", "rel", "acq_x", "read", "write"}},
			[][]string{{"acq", "write"}, {"write"}, {"acq", "acq_x", "write"}}},
		{"failing lock", `component P4
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
			method rel() { a = 0 }`, 2,
			[][]string{{"acq=true", "read"}}, [][]string{{"acq=false", "read"}}},
		{"lock without a result", `component P3
			state a int64 = 0
			method acq() { var c bool = any; if a == 0 && c { a = any; assume a != 0 } }
			method read() { if a == 0 { error "not held" } }
			method rel() { a = 0 }`, 1,
			[][]string{{"acq", "rel"}}, [][]string{{"acq", "read"}, {"read"}}},
		{"reentrant lock", `component Reentrant
			state n int64 = 0
			method lock() { assume n < 1000000000; n++ }
			method unlock() (free bool) { if n <= 0 { error "not locked" }; n--; return n == 0 }`, 2,
			[][]string{{"lock", "lock", "unlock=false", "unlock=true"}},
			[][]string{{"unlock"}, {"lock", "lock", "unlock=false", "unlock=true", "unlock"}}},
		{"two abstractions", `component E8
			state x int32 = 0, y int32 = 0
			method f1() { if x != 0 { error "x" } }
			method f2() { if y == 0 { error "y" } }`, 1,
			[][]string{{"f1", "f1"}}, [][]string{{"f2"}, {"f1", "f2"}}},
		{"parts of a number, of several widths", `component Parts
			state n int64 = 0
			method set(k int64) { n = k }
			method use() { if int8(n) == -1 { error "byte" }; if uint16(n) == 7 { error "half" } }`, 2,
			[][]string{{"set(1)", "use"}}, [][]string{{"set(255)", "use"}, {"set(65543)", "use"}}},
		{"a number that says nothing, of a state that is not known", `component Number
			state b bool = any, n int32 = 2
			method get() (r int32) { return n }
			method use() { if b { error "used" } }`, 1,
			[][]string{{"get", "get"}}, [][]string{{"use"}, {"get", "use"}, {"get", "get", "use"}}},
		{"a number that says nothing, after a choice", `component Number
			state b bool = false, n int32 = -1
			method choose1() { b = any }
			method get() (r int32) { return n - 1 }
			method use() { if b { error "used" } }`, 2,
			[][]string{{"use", "get", "use", "choose1", "get"}}, [][]string{{"choose1", "use"}, {"choose1", "get", "use"}}},
		{"loop that does not matter", `component Loop
			state open bool = false, sum int32 = 0
			method start() { if open { error "twice" }; open = true }
			method add(k int32) { if !open { error "closed" }
				var i int32 = 0
				while i < k { i++; sum = sum + i }
			}
			method stop() { if !open { error "closed" }; open = false }`, 2,
			[][]string{{"start", "add(3)", "stop"}}, [][]string{{"add(3)"}, {"start", "start"}, {"start", "stop", "stop"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			i, err := Synthesize(context.Background(), problem.Problem{Program: parse(t, c.source), Engine: "cegar", Solver: embedded})
			if err != nil {
				t.Fatal(err)
			}
			if !problem.Complete(i) || len(i.States) != c.states {
				t.Errorf("%d states, want %d\n%s", len(i.States), c.states, file(t, i))
			}
			for _, w := range c.allowed {
				if a := i.Accepts(steps(w)); a.Kind != typestate.StepNext {
					t.Errorf("%v: %v at %d: %s", w, a.Kind, a.Pos, a.Reason)
				}
			}
			for _, w := range c.forbidden {
				if a := i.Accepts(steps(w)); a.Kind != typestate.StepForbidden || a.Pos != len(w)-1 {
					t.Errorf("%v: %v at %d, want forbidden at the end", w, a.Kind, a.Pos)
				}
			}
		})
	}
}

func steps(word []string) []typestate.Step {
	var out []typestate.Step
	for _, w := range word {
		s := typestate.Step{Call: w, Args: map[string]string{}}
		for i := range w {
			switch w[i] {
			case '=':
				s.Call, s.Outcome = w[:i], w[i+1:]
			case '(':
				s.Call, s.Args["k"] = w[:i], w[i+1:len(w)-1]
			}
		}
		out = append(out, s)
	}
	return out
}

// TestCegarRefuses checks what the engine does not do.
func TestCegarRefuses(t *testing.T) {
	t.Parallel()
	p := parse(t, corpus.Stack(2))
	for _, pr := range []problem.Problem{{Serial: true, Solver: embedded}, {}} {
		pr.Program, pr.Engine = p, "cegar"
		if _, err := Synthesize(context.Background(), pr); err == nil || problem.Undecided(err) {
			t.Errorf("%v, want a refusal", err)
		}
	}
}
