// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds the engines for components that cannot be enumerated to
// testdata/wide: components with integers of their real width, and interfaces
// derived by hand.

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/engine/symbolic"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/typestate"
)

func quick() solve.Solver { return bv.New(bv.Options{Conflicts: 1_000}) }

func loadWide(t *testing.T) []corpus.Case {
	t.Helper()
	cases, err := corpus.Load(filepath.Join("..", "..", "testdata", "wide"))
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// TestWideSymbolic wants every interface proved and as derived, and unknown only
// what a loop decides.
func TestWideSymbolic(t *testing.T) {
	t.Parallel()
	for _, c := range loadWide(t) {
		t.Run(c.Name, func(t *testing.T) {
			p, err := prog.Parse(c.File, []byte(c.Source), prog.Options{})
			if err != nil {
				t.Fatal(err)
			}
			problem := problem.Problem{Program: p, Engine: "symbolic", Solver: embedded, QuickSolver: quick, NoWrap: c.Has("no-wrap")}
			i, err := Synthesize(context.Background(), problem)
			if err != nil {
				t.Fatal(err)
			}
			if err := i.Validate(); err != nil {
				t.Error(err)
			}
			for _, d := range c.Expect.Check(i) {
				t.Error(d)
			}
			if g := i.Guarantees; g.Safe != "proved" || g.Permissive != "proved" {
				t.Errorf("safe: %s, permissive: %s", g.Safe, g.Permissive)
			}
			for _, u := range i.Unknown {
				m := p.Method(strings.Split(u.Call, "#")[0])
				if !strings.Contains(u.Reason, "loop") || symbolic.LoopOf(m, m.Entry) == nil && !hasLoop(m) {
					t.Errorf("state %d, %s: unknown: %s", u.State, u.Call, u.Reason)
				}
			}
			// To a depth it claims that depth and no more, and what it says there is
			// what is proved.
			problem.Depth = 2
			k, err := Synthesize(context.Background(), problem)
			if err != nil {
				t.Fatal(err)
			}
			if g := k.Guarantees; g.Safe != "checked to depth 2" || g.Permissive != "checked to depth 2" && g.Permissive != "open" || g.Depth == nil || *g.Depth != 2 {
				t.Errorf("at depth 2: %+v", g)
			}
			if d := typestate.Compare(i, k); d.Kind == typestate.CompareDifferent {
				for _, s := range []*typestate.Separation{d.AllowedByA, d.AllowedByB} {
					if s != nil && len(s.Word) <= 3 {
						t.Errorf("at depth 2 it is wrong about %v", s.Word)
					}
				}
			}
		})
	}
}

func hasLoop(m *prog.Method) bool {
	for l := range m.Locs {
		if symbolic.LoopOf(m, l) != nil {
			return true
		}
	}
	return false
}
