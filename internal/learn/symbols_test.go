// SPDX-License-Identifier: Apache-2.0

package learn

// This file compares what the learners ask. All three ask through the same
// cache, so the difference is in the questions.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/automata"
)

// TestSymbols checks that TTT and L# do not ask more letters than L*, in the
// median over random automata of each size. With -v it prints the table.
func TestSymbols(t *testing.T) {
	sizes, seeds := []int{20, 50, 100}, uint64(7)
	if testing.Short() {
		sizes = []int{20, 50}
	}
	if os.Getenv("CI") == "true" {
		sizes, seeds = []int{20, 50, 100, 150, 200}, 20
	}
	const letters = 5
	t.Logf("%-8s %6s %4s  median symbols/queries/equivalences", "kind", "states", "cex")
	for _, k := range kinds() {
		if k.name != "two" && k.name != "closed" {
			continue
		}
		for _, states := range sizes {
			for _, long := range []int{0, 2 * states} {
				line := ""
				var table int
				for _, l := range Learners() {
					s := medians(t, l, k, states, letters, long, seeds)
					line += fmt.Sprintf("  %s %d/%d/%d", l.Name, s.Symbols, s.Queries, s.Equivalences)
					if l.Name == "lstar" {
						table = s.Symbols
					} else if s.Symbols > table {
						t.Errorf("%s with %d states, counterexamples %d: %s asks %d symbols, lstar %d", k.name, states, long, l.Name, s.Symbols, table)
					}
				}
				t.Logf("%-8s %6d %4d%s", k.name, states, long, line)
			}
		}
	}
}

// medians returns the median of each count over random automata.
func medians(t *testing.T, l Learner, k kind, states, letters, long int, seeds uint64) Stats {
	t.Helper()
	var queries, symbols, equivalences []int
	for seed := range seeds {
		d := large(k, seed, states, letters)
		m := newMachine(d, long, k.closed)
		m.told = nil
		res, err := l.Run(t.Context(), letters, m, Options{PrefixClosed: k.closed})
		if err != nil {
			t.Fatal(err)
		}
		queries = append(queries, res.Stats.Queries)
		symbols = append(symbols, res.Stats.Symbols)
		equivalences = append(equivalences, res.Stats.Equivalences)
	}
	median := func(s []int) int { slices.Sort(s); return s[len(s)/2] }
	return Stats{Queries: median(queries), Symbols: median(symbols), Equivalences: median(equivalences)}
}

// large returns a random automaton whose minimal one has nearly as many
// states: sizes would mean nothing for those that collapse.
func large(k kind, seed uint64, states, letters int) *automata.DFA {
	r := rand.New(rand.NewPCG(seed, 13))
	for {
		d := k.make(r, states, letters)
		if automata.Minimize(d).States()*10 >= states*9 {
			return d
		}
	}
}

func BenchmarkLearners(b *testing.B) {
	for _, l := range Learners() {
		for _, k := range kinds() {
			d := k.make(rand.New(rand.NewPCG(1, 1)), 60, 6)
			b.Run(l.Name+"/"+k.name, func(b *testing.B) {
				var s Stats
				for b.Loop() {
					m := newMachine(d, 0, k.closed)
					m.told = nil
					res, err := l.Run(b.Context(), 6, m, Options{PrefixClosed: k.closed})
					if err != nil {
						b.Fatal(err)
					}
					s = res.Stats
				}
				b.ReportMetric(float64(s.Symbols), "symbols")
				b.ReportMetric(float64(s.Queries), "queries")
				b.ReportMetric(float64(s.Equivalences), "equivalences")
			})
		}
	}
}
