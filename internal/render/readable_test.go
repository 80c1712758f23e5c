// SPDX-License-Identifier: Apache-2.0

package render

// This file checks how formulas of Go types are shown.

import "testing"

func TestGoText(t *testing.T) {
	for formula, want := range map[string]string{
		"p == `non-nil` && `len(p)` != 0":    "p != nil && len(p) != 0",
		"p != `non-nil` || `cap(b.buf)` > 3": "p == nil || cap(b.buf) > 3",
		"!a.open":                            "!a.open",
		"r == `Order@16`":                    "r == `Order@16`",
		"`a.b` && x":                         "a.b && x",
		"s.err != `&bufio.ErrTooLong`":       "s.err != bufio.ErrTooLong",
		"t == `&pkg.root`":                   "t == `&pkg.root`",
	} {
		if got := GoText(formula); got != want {
			t.Errorf("GoText(%q) = %q, want %q", formula, got, want)
		}
	}
}
