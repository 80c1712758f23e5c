// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
)

// TestFamilies checks the claims of the tables on the small sizes: the
// interface has the states that it must have, everything is decided, and what
// is said to be flat asks the same number of questions at every size.
func TestFamilies(t *testing.T) {
	for _, f := range families() {
		costs, sizes, err := f.run(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		for k, c := range costs {
			if c.failed != "" || c.unknown > 0 || c.states != f.states(sizes[k]) {
				t.Errorf("%s %d: %+v, want %d states and nothing unknown", f.name, sizes[k], c, f.states(sizes[k]))
			}
			if f.flat && c.questions != costs[0].questions {
				t.Errorf("%s: %d questions at %d, %d at %d", f.name, costs[0].questions, sizes[0], c.questions, sizes[k])
			}
		}
	}
}

// TestSizes checks that every component of the families is one.
func TestSizes(t *testing.T) {
	for _, f := range families() {
		for _, n := range f.sizes {
			if _, err := prog.Parse(f.name+".open", []byte(f.source(n)), prog.Options{}); err != nil {
				t.Errorf("%s %d: %v", f.name, n, err)
			}
		}
	}
}

// TestSame checks that two runs print the same bytes but for times.
func TestSame(t *testing.T) {
	times := regexp.MustCompile(`(?m) +\d+ *$|[\d.]+ s of CPU$|\bcpu ms\b`)
	spaces := regexp.MustCompile(` +`)
	var text [2]string
	for i := range text {
		var b bytes.Buffer
		if err := (&bench{out: &b, quick: true, corpus: "../../testdata/corpus"}).all(t.Context()); err != nil {
			t.Fatal(err)
		}
		text[i] = spaces.ReplaceAllString(times.ReplaceAllString(b.String(), ""), " ")
	}
	if text[0] != text[1] {
		t.Errorf("two runs differ:\n%s\n%s", text[0], text[1])
	}
	if !strings.Contains(text[0], "Signature") {
		t.Error("no table of JIST's queries")
	}
}
