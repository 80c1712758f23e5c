// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"testing"
	"time"

	"github.com/interlock-go/interlock/internal/prog"
)

// TestSources checks that every component of the families is one.
func TestSources(t *testing.T) {
	for _, f := range families() {
		for _, n := range f.sizes {
			if _, err := prog.Parse("c.open", []byte(f.source(n)), prog.Options{}); err != nil {
				t.Errorf("%s %d: %v", f.name, n, err)
			}
		}
	}
}

// TestFlat checks what the table is for: the states that are left where registers take their place do not grow with
// the limit, the parts of locks grow with their number, and there is a state for each set of marks.
func TestFlat(t *testing.T) {
	b := &bench{out: io.Discard, limit: time.Hour}
	for _, f := range families() {
		want := 0
		switch f.name {
		case "counter", "bounded buffer", "ring":
			want = 3
		case "locks, -partition", "subsets":
		default:
			continue
		}
		for _, n := range f.sizes {
			c, err := b.text(t.Context(), f, n)
			if err != nil {
				t.Fatal(err)
			}
			if c.failed != "" || c.unknown > 0 {
				t.Errorf("%s %d: %+v", f.name, n, c)
			}
			if want > 0 && n >= 8 && (c.states > want || c.registers == 0) {
				t.Errorf("%s %d: %d states, %d registers; want at most %d states", f.name, n, c.states, c.registers, want)
			}
			if f.partition && c.states != 2*n {
				t.Errorf("%s %d: %d states, want two for each", f.name, n, c.states)
			}
			if f.name == "subsets" && c.states != 1<<n {
				t.Errorf("%s %d: %d states, want one for each set", f.name, n, c.states)
			}
		}
	}
}
