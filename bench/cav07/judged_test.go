// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
)

// TestJudged: the judge has checked the interface of each family, or it is claimed with a
// reason; the small ones it has checked.
func TestJudged(t *testing.T) {
	for _, f := range corpus.Families() {
		for k := f.Min; k <= 6; k++ {
			i, err := guaranteed(t.Context(), f, k)
			if err != nil {
				t.Fatal(err)
			}
			if g := i.Guarantees; g.Safe != "proved" || g.Permissive != "proved" || g.Reason != "" {
				t.Errorf("%s k=%d: %+v", f.Name, k, g)
			}
		}
	}
}
