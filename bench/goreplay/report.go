// SPDX-License-Identifier: Apache-2.0

package main

// This file counts results and prints them.

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/bench/internal/workers"
)

// A report is what came of all types.
type report struct {
	results []*result // by type
	status  map[string]int
	reasons map[string][]string // types that are not driven, by status and reason
	calls   map[string]int      // calls and constructors of driven types that are not, by reason
}

func newReport(results []*result) *report {
	r := &report{results: slices.Clone(results), status: map[string]int{}, reasons: map[string][]string{}, calls: map[string]int{}}
	slices.SortStableFunc(r.results, func(a, b *result) int { return cmp.Compare(a.Type, b.Type) })
	r.results = slices.CompactFunc(r.results, func(a, b *result) bool { return a.Type == b.Type })
	for _, x := range r.results {
		r.status[x.Status]++
		switch x.Status {
		case agrees, disagrees:
			for _, n := range x.Notes {
				r.calls[reason(n)]++
			}
		default:
			why := x.Status
			if text := reason(x.Message); text != "" {
				why += ": " + text
			}
			r.reasons[why] = append(r.reasons[why], x.Type)
		}
	}
	return r
}

var (
	subject    = regexp.MustCompile(`^(no object can be made: |no call can be driven: |no call was compared: |the test could not run: )*(not driven: )?((constructor )?\S.*?: )?`)
	valueOf    = regexp.MustCompile(`value of type .* is known for its parameter .*?: `)
	ofGuard    = regexp.MustCompile(`guard .*?: give them`)
	elsewhere  = regexp.MustCompile(`no function of package \S+`)
	noMore     = regexp.MustCompile(`(; not driven: |; -fixture EXPR).*`)
	beginsWith = regexp.MustCompile(`^(no object can be made|no call can be driven|no call was compared|not driven|the test could not run)`)
)

// reason makes a message about a type, a constructor or a call one for many. Of several
// reasons in a message the first counts.
func reason(message string) string {
	message = noMore.ReplaceAllString(message, "")
	if m := beginsWith.FindString(message); m != "" {
		if rest := subject.ReplaceAllString(message, ""); rest != "" && m != "no call was compared" {
			message = rest
			if m == "no object can be made" || m == "no call can be driven" {
				message = m + ": " + rest
			}
		}
	}
	message = valueOf.ReplaceAllString(message, "value is known for a parameter of some type: ")
	message = ofGuard.ReplaceAllString(message, "guard: give them")
	message = elsewhere.ReplaceAllString(message, "no function of the package")
	return workers.General(message)
}

// Bad reports whether something happened that must not.
func (r *report) Bad() bool {
	return r.status[disagrees]+r.status[uncompiled]+r.status[failed]+r.status[crash]+r.status[hang] > 0
}

var statuses = []string{agrees, disagrees, notDriven, none, alone, slow, uncompiled, failed, crash, hang}

func (r *report) print(out io.Writer, list int) error {
	var w bytes.Buffer
	fmt.Fprintf(&w, "%d exported types with methods, %s\n\n", len(r.results), runtime.Version())
	fmt.Fprintf(&w, "  %-14s %6s %8s %8s %8s %8s\n", "", "types", "cells", "driven", "unknown", "words")
	for _, s := range statuses {
		if r.status[s] == 0 {
			continue
		}
		var sum result
		for _, x := range r.results {
			if x.Status == s {
				sum.Cells, sum.Driven, sum.Unknown, sum.Words = sum.Cells+x.Cells, sum.Driven+x.Driven, sum.Unknown+x.Unknown, sum.Words+x.Words
			}
		}
		fmt.Fprintf(&w, "  %-14s %6d %8d %8d %8d %8d\n", s, r.status[s], sum.Cells, sum.Driven, sum.Unknown, sum.Words)
	}
	for _, x := range r.results {
		for _, d := range x.Disagreements {
			fmt.Fprintf(&w, "\ndisagreement: %s after %s\n", x.Type, d)
		}
		switch x.Status {
		case uncompiled, failed, crash, hang:
			fmt.Fprintf(&w, "\n%s: %s\n%s\n", x.Status, x.Type, x.Message)
		}
	}
	counts := map[string]int{}
	for why, types := range r.reasons {
		counts[why] = len(types)
	}
	fmt.Fprintf(&w, "\ntypes that were not driven, by reason\n")
	printCounts(&w, counts, list, func(why string) string { return " (" + r.reasons[why][0] + ")" })
	fmt.Fprintf(&w, "\ncalls and constructors of driven types that were not driven, by reason\n")
	printCounts(&w, r.calls, list, func(string) string { return "" })
	_, err := out.Write(w.Bytes())
	return err
}

// printCounts prints the most frequent first.
func printCounts(w io.Writer, counts map[string]int, list int, more func(string) string) {
	texts := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(texts, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	for n, text := range texts {
		if n == list {
			fmt.Fprintf(w, "  ... and %d more reasons\n", len(texts)-list)
			return
		}
		fmt.Fprintf(w, "  %5d  %s%s\n", counts[text], strings.TrimSpace(text), more(text))
	}
}
