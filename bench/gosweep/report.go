// SPDX-License-Identifier: Apache-2.0

package main

// This file counts results and prints what the standard library looks like.

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"

	"github.com/interlock-go/interlock/bench/internal/workers"
)

// A report is what is written as JSON.
type report struct {
	Go      string         `json:"go"`
	Types   int            `json:"types"`
	Status  map[string]int `json:"status"`       // all types
	Written map[string]int `json:"withWritten"`  // types whose code has an explicit error site
	Errs    map[string]int `json:"withExplicit"` // of these, with one that lowering left
	Checks  int            `json:"checks"`       // implicit ones, in types with an interface
	Left    int            `json:"left"`
	Large   int            `json:"unchecked"` // types too large for implicit checks
	Seconds distribution   `json:"seconds"`
	CPU     distribution   `json:"cpuSeconds"`
	Memory  distribution   `json:"peakBytes"`
	Reasons []reason       `json:"reasons"`
	Differ  []string       `json:"differ,omitempty"` // types with other bytes in the second run
	Twice   bool           `json:"twice"`
	// Compared is the number of types that ended in time in both runs.
	Compared int       `json:"compared"`
	Results  []*result `json:"results"`
}

// A distribution of a measure over types.
type distribution struct {
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	P99    float64 `json:"p99"`
	Max    float64 `json:"max"`
}

// A reason is why something is not decided, of types with an explicit error
// site.
type reason struct {
	Text  string   `json:"text"`
	Cells int      `json:"cells"`
	Types []string `json:"types"`
}

func newReport(results []*result) *report {
	r := &report{Go: runtime.Version(), Types: len(results), Status: map[string]int{}, Written: map[string]int{}, Errs: map[string]int{}, Results: results}
	var seconds, cpu, memory []float64
	reasons := map[string]*reason{}
	for _, x := range results {
		r.Status[x.Status]++
		if x.Status != refused {
			seconds, cpu, memory = append(seconds, x.seconds()), append(cpu, x.CPU), append(memory, float64(x.Peak))
		}
		if x.Status == decided || x.Status == partly {
			r.Checks, r.Left = r.Checks+x.Checks, r.Left+min(x.Left, x.Checks)
		}
		if x.Unchecked {
			r.Large++
		}
		if x.Explicit != 0 || x.Panics > 0 {
			r.Written[x.Status]++
		}
		if x.Explicit == 0 {
			continue // where it is not known, there may be one
		}
		r.Errs[x.Status]++
		why := maps.Clone(x.Reasons)
		switch {
		case x.Status == partly && len(why) == 0:
			why = map[string]int{fmt.Sprintf("safe %s, permissive %s, no cell unknown", x.Safe, x.Perm): 1}
		case x.Status != partly && x.Status != decided:
			why = map[string]int{x.Status + ": " + workers.General(workers.First(x.Message)): 1}
		}
		for text, n := range why {
			if reasons[text] == nil {
				reasons[text] = &reason{Text: text}
			}
			reasons[text].Cells += n
			reasons[text].Types = append(reasons[text].Types, x.Type)
		}
	}
	r.Seconds, r.CPU, r.Memory = distributed(seconds), distributed(cpu), distributed(memory)
	for _, text := range slices.Sorted(maps.Keys(reasons)) {
		r.Reasons = append(r.Reasons, *reasons[text])
	}
	slices.SortStableFunc(r.Reasons, func(a, b reason) int { return cmp.Compare(len(b.Types), len(a.Types)) })
	return r
}

// distributed uses the nearest-rank definition of percentiles.
func distributed(x []float64) distribution {
	if len(x) == 0 {
		return distribution{}
	}
	slices.Sort(x)
	at := func(p float64) float64 { return x[max(0, int(math.Ceil(p*float64(len(x))))-1)] }
	return distribution{at(0.5), at(0.9), at(0.99), x[len(x)-1]}
}

// compare notes the types whose bytes differ in a second run. One that ran out
// of time says nothing.
func (r *report) compare(second []*result) {
	r.Twice = true
	of := map[string]*result{}
	for _, y := range second {
		of[y.Type] = y
	}
	for _, x := range r.Results {
		y := of[x.Type]
		if y == nil || x.Status == slow || y.Status == slow {
			continue
		}
		r.Compared++
		if x.SHA256 != y.SHA256 || x.Status != y.Status {
			r.Differ = append(r.Differ, x.Type)
		}
	}
}

// Bad reports whether something happened that must not.
func (r *report) Bad() bool {
	return r.Status[crash]+r.Status[hang]+r.Status[internal]+len(r.Differ) > 0
}

var statuses = []string{decided, partly, undecided, refused, slow, internal, crash, hang}

func (r *report) print(w io.Writer, list int) {
	fmt.Fprintf(w, "%d exported types with methods, %s\n\n", r.Types, r.Go)
	written, errs := sum(r.Written), sum(r.Errs)
	fmt.Fprintf(w, "  %-32s %6s   %s\n", "", "", "with an explicit error site, or not known")
	fmt.Fprintf(w, "  %-32s %6s   %-16s %s\n", "", "all", "in the code", "not proved out of reach at once")
	fmt.Fprintf(w, "  %-32s %6d   %6d           %6d\n", "types", r.Types, written, errs)
	for _, s := range statuses {
		if r.Status[s] > 0 {
			fmt.Fprintf(w, "  %-32s %6d   %6d  %5.1f%%   %6d  %5.1f%%\n", s, r.Status[s], r.Written[s], percent(r.Written[s], written), r.Errs[s], percent(r.Errs[s], errs))
		}
	}
	fmt.Fprintf(w, "\n  run-time checks that lowering met: %d, covered: %.1f%%; types too large for that: %d\n\n", r.Checks, percent(r.Checks-r.Left, r.Checks), r.Large)
	fmt.Fprintf(w, "  %-32s %8s %8s %8s %8s\n", "per type, without loading", "median", "90%", "99%", "max")
	for _, d := range []struct {
		name  string
		d     distribution
		scale float64
	}{{"seconds", r.Seconds, 1}, {"CPU seconds", r.CPU, 1}, {"peak memory, all loaded, MB", r.Memory, 1 << 20}} {
		fmt.Fprintf(w, "  %-32s %8.2f %8.2f %8.2f %8.2f\n", d.name, d.d.Median/d.scale, d.d.P90/d.scale, d.d.P99/d.scale, d.d.Max/d.scale)
	}
	if r.Twice {
		fmt.Fprintf(w, "\n  types with other bytes in a second run: %d of %d\n", len(r.Differ), r.Compared)
		for _, t := range r.Differ {
			fmt.Fprintf(w, "    %s\n", t)
		}
	}
	fmt.Fprintf(w, "\nwhy not decided (types with an explicit error site)\n")
	for i, x := range r.Reasons {
		if i == list {
			fmt.Fprintf(w, "  ... and %d more reasons\n", len(r.Reasons)-list)
			break
		}
		fmt.Fprintf(w, "  %4d types %5d cells  %s (%s)\n", len(x.Types), x.Cells, x.Text, x.Types[0])
	}
	slowest := slices.Clone(r.Results)
	slices.SortStableFunc(slowest, func(a, b *result) int { return cmp.Compare(b.seconds(), a.seconds()) })
	fmt.Fprintf(w, "\nslowest\n")
	for _, x := range slowest[:min(list, len(slowest))] {
		fmt.Fprintf(w, "  %-40s %-9s lowering %6.2fs, synthesis %6.2fs, %d MB\n", x.Type, x.Status, x.Lowering, x.Synthesis, x.Peak>>20)
	}
	for _, s := range []string{internal, crash, hang, slow} {
		for _, x := range r.Results {
			if x.Status == s {
				fmt.Fprintf(w, "\n%s: %s\n%s\n", s, x.Type, x.Message)
			}
		}
	}
}

func sum(counts map[string]int) (all int) {
	for _, n := range counts {
		all += n
	}
	return all
}

func percent(n, of int) float64 {
	if of == 0 {
		return 100
	}
	return 100 * float64(n) / float64(of)
}
