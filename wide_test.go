// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file is about components with loops and counters of full width
// (testdata/corpus/wide): predicate abstraction solves them with integers of 32
// and of 64 bits, and the judge accepts its evidence. Where the width makes no
// difference, exploration at a small one must give the table too.

import (
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/corpus"
)

func TestWideCorpus(t *testing.T) {
	cases, err := corpus.Load("testdata/corpus/wide")
	if err != nil {
		t.Fatal(err)
	}
	for n, c := range cases {
		if corpus.Race && n%6 > 0 {
			continue // a sample
		}
		t.Run(c.Name, func(t *testing.T) {
			synthesize := func(engine string, width int) {
				t.Helper()
				conf := task{Filename: c.File, Source: []byte(c.Source), Width: width, Options: interlock.Options{Engine: engineNamed(engine), Assume: noWrap(c.Has("no-wrap"))}}
				i, err := conf.infer()
				if err != nil {
					t.Fatalf("%s at %d bits: %v", engine, width, err)
				}
				for _, d := range c.Expect.Check(i) {
					t.Errorf("%s at %d bits: %s", engine, width, d)
				}
				if i.Guarantees.Safe != "proved" || i.Guarantees.Permissive != "proved" {
					t.Errorf("%s at %d bits: %+v %v", engine, width, i.Guarantees, i.Stats)
				}
				if engine != "cegar" {
					return
				}
				noWrap := slices.ContainsFunc(i.Conventions, func(s string) bool { return strings.HasPrefix(s, "no-wrap:") })
				ends := slices.ContainsFunc(i.Conventions, func(s string) bool { return strings.HasPrefix(s, "ends:") })
				if noWrap != c.Has("no-wrap") || ends {
					t.Errorf("conventions at %d bits: %q", width, i.Conventions)
				}
			}
			synthesize("cegar", 32)
			if !testing.Short() {
				synthesize("cegar", 64)
			}
			if w := c.OracleWidth(); w > 0 {
				synthesize("direct", w)
			}
		})
	}
}
