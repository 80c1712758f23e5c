// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds labels at 32 bits to the regions of Henzinger, Jhala, Majumdar,
// "Permissive interfaces" (FSE 2005), up to equivalence on the states that can be
// reached; a solver decides.

import (
	"context"
	"fmt"
	"testing"

	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

func TestPaperLabels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source, reachable string
		labels                  []string
	}{
		{"P1", p1Source, "true", []string{"a == 0", "a != 0"}},
		{"P2", p2Source, "a != 0 || x == 0", []string{"a == 0 && x == 0", "a != 0 && x == 0", "a != 0 && x != 0"}},
		{"P3", p3Source, "true", []string{"a == 0", "a != 0"}},
		{"P4", p4Source, "f == 0 || f == 1", []string{"a == 0", "a != 0"}},
		{"E8", e8Source, "x == 0 && y == 0", []string{"x == 0 && y == 0"}},
	} {
		for _, engine := range []string{"witness", "cegar"} {
			p := parse(t, c.source)
			i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: engine, Solver: embedded})
			if err != nil {
				t.Fatal(err)
			}
			if len(i.States) != len(c.labels) {
				t.Errorf("%s %s: %d states, want %d", c.name, engine, len(i.States), len(c.labels))
				continue
			}
			read := func(text string) *term.Term {
				f, err := prog.ParseExprAs(p, p.State, text, prog.Type{Sort: term.BoolSort})
				if err != nil {
					t.Fatalf("%s %s: %q: %v", c.name, engine, text, err)
				}
				return f
			}
			// Which state is which is told by the labels themselves.
			for _, s := range i.States {
				matches := 0
				for _, want := range c.labels {
					solver := embedded()
					r, err := solver.Check(context.Background(), read(c.reachable), p.Pool.Not(p.Pool.Iff(read(s.Label), read(want))))
					solver.Close()
					if err != nil {
						t.Fatal(err)
					}
					if r.Verdict == solve.Unsat {
						matches++
					}
				}
				if matches != 1 {
					t.Errorf("%s %s: the label %q is like %d of the paper's %q", c.name, engine, s.Label, matches, c.labels)
				}
			}
		}
	}
}

// TestSilentLock is P3 without outputs at 32 bits, which the paper excludes: after
// acq the lock may or may not be held, so read is never allowed.
func TestSilentLock(t *testing.T) {
	t.Parallel()
	i, err := Synthesize(context.Background(), problem.Problem{Program: parse(t, p3SilentSource), Engine: "cegar", Solver: embedded})
	if err != nil {
		t.Fatal(err)
	}
	if !problem.Complete(i) || len(i.States) != 1 || len(i.Forbidden) != 1 || i.Forbidden[0].Call != "read" || i.Forbidden[0].Verdict != "may-fail" || i.Certificate == nil {
		t.Errorf("%s", file(t, i))
	}
}

// TestLabelsOfCounter checks that all states of a large counter have labels.
func TestLabelsOfCounter(t *testing.T) {
	t.Parallel()
	p, err := prog.Parse("c.open", []byte("component C\n\nstate n uint16 = 0\n\nmethod up() { if n == 300 { error \"full\" }\n n = n + 1 }\n"), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "direct"})
	if err != nil {
		t.Fatal(err)
	}
	for s := range i.States {
		if want := map[bool]string{true: "n <= 0", false: fmt.Sprintf("n == %d", s)}[s == 0]; i.States[s].Label != want {
			t.Errorf("state %d is %q, expected %q", s, i.States[s].Label, want)
		}
	}
	if len(i.States) != 301 {
		t.Errorf("%d states", len(i.States))
	}
}
