// SPDX-License-Identifier: Apache-2.0

package bv

import (
	"testing"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/solvetest"
	"github.com/interlock-go/interlock/internal/term"
)

func BenchmarkPaths(b *testing.B) {
	w := solvetest.Paths(1, 40, 25)
	b.ReportAllocs()
	for b.Loop() {
		s := New(Options{})
		var count [3]int
		if err := w.Run(ctx, s, nil, func(a solvetest.Answer) { count[a.Result.Verdict]++ }); err != nil {
			b.Fatal(err)
		}
		st := s.Stats()
		b.ReportMetric(float64(st.Bounds), "bounds")
		b.ReportMetric(float64(st.Models), "models")
		b.ReportMetric(float64(st.Searches), "searches")
		b.ReportMetric(float64(st.Sat.Conflicts), "conflicts")
		b.ReportMetric(float64(count[solve.Unsat]), "unsat")
		b.ReportMetric(float64(s.Gates()), "gates")
	}
}

func BenchmarkPredicates(b *testing.B) {
	w := solvetest.Predicates(1, 100, 8)
	for b.Loop() {
		s := New(Options{})
		models, cubes := 0.0, 0
		if err := w.Run(ctx, s, nil, func(a solvetest.Answer) { models += a.Models; cubes += a.Cubes }); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(models, "combinations")
		b.ReportMetric(float64(cubes), "cubes")
		b.ReportMetric(float64(s.Stats().Searches), "searches")
	}
}

func BenchmarkPuzzles(b *testing.B) {
	for _, z := range solvetest.Puzzles(term.NewPool()) {
		b.Run(z.Name, func(b *testing.B) {
			for b.Loop() {
				s := New(Options{})
				r, err := s.Check(ctx, z.Formula)
				if err != nil || r.Verdict != z.Want {
					b.Fatal(r, err)
				}
				b.ReportMetric(float64(s.Stats().Sat.Conflicts), "conflicts")
			}
		})
	}
}
