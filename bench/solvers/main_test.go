// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/interlock-go/interlock/internal/solve/solvetest"
)

// TestRows makes small rows without other solvers: the table must have a cell for
// each column and no error in it.
func TestRows(t *testing.T) {
	b := &bench{limit: time.Minute, re: regexp.MustCompile("")}
	b.workload("paths", func() *solvetest.Workload { return solvetest.Paths(1, 2, 10) })
	b.workload("predicates", func() *solvetest.Workload { return solvetest.Predicates(1, 3, 4) })
	b.algebra()
	if len(b.rows) != 3 {
		t.Fatalf("%d rows, want 3: %v", len(b.rows), b.rows)
	}
	for _, r := range b.rows {
		if len(r) != 5 || strings.Contains(strings.Join(r, " "), "error") || r[2] != "-" {
			t.Errorf("row %q", r)
		}
	}
}
