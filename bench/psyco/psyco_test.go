// SPDX-License-Identifier: Apache-2.0

package main

// This file asserts what does not depend on time: what is proved has the number
// of states and calls that follow from the code, whatever the papers say.

import (
	"fmt"
	"testing"
)

func TestProved(t *testing.T) {
	for file, want := range map[string][2]int{ // states, calls
		"corpus/signature":         {3, 5},
		"wide/piped-output-stream": {2, 5},
		"wide/int-math":            {1, 19},
		"wide/alt-bit":             {4, 5},
		"wide/alt-bit-truncating":  {4, 6},
		"wide/cev-flight-rule":     {2, 5},
		"wide/cev":                 {32, 26},
		"wide/cev-v2":              {18, 20},
		"wide/accelerometer":       {6, 8},
		"wide/socket-full":         {40, 56},
		"wide/count":               {7, 2},
		"wide/xor2":                {3, 4},
	} {
		r, err := run(t.Context(), "../../testdata", file, 0)
		if err != nil {
			t.Fatal(err)
		}
		if r.states != want[0] || r.symbols != want[1] {
			t.Errorf("%s: %d states, %d calls, want %d, %d", file, r.states, r.symbols, want[0], want[1])
		}
		safe, permissive := "proved", "proved"
		if file == "wide/int-math" { // one verdict is unknown, so there is no certificate that the judge could check
			safe, permissive = "claimed", "open"
		}
		if r.safe != safe || r.permissive != permissive {
			t.Errorf("%s: safe: %s, permissive: %s", file, r.safe, r.permissive)
		}
		if want := map[string]int{"wide/int-math": 1}[file]; r.unknown != want {
			t.Errorf("%s: %d unknown, want %d", file, r.unknown, want)
		}
	}
}

func TestDepth(t *testing.T) {
	r, err := run(t.Context(), "../../testdata", "wide/cev", 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("checked to depth %d", 3); r.safe != want || r.permissive != want {
		t.Errorf("CEV at depth 3: safe: %s, permissive: %s", r.safe, r.permissive)
	}
	// The published version of the paper has 24 symbols and 9 states with the error state.
	if r.states != 8 || r.symbols != 24 {
		t.Errorf("CEV at depth 3: %d states, %d calls", r.states, r.symbols)
	}
}
