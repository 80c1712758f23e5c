// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"regexp"
	"strings"
	"testing"
)

// TestGrown checks which fields others can only add to, by what a call that gives the object to
// them does.
func TestGrown(t *testing.T) {
	dir, lines := unpacked(t, "testdata/grown.txtar", "fields")
	const cell = "(t\\.c\\.n|`[a-z]+@[0-9]+\\.n`)"
	n := 0
	for line := range strings.Lines(lines) {
		head, want, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if !ok {
			continue
		}
		n++
		s, o := asked(t, dir, head)
		l, err := load(context.Background(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		text := explicitly(t, l, s, o).Program.String()
		give := regexp.MustCompile(`(?s)method Give\(.*?\n}`).FindString(text)
		if !regexp.MustCompile(cell + " = `any").MatchString(give) {
			t.Fatalf("%s: others do not change it\n%s", head, text)
		}
		got := "no"
		if regexp.MustCompile("assume `any[^`]*` >= " + cell).MatchString(give) {
			got = "yes"
		}
		if got != want {
			t.Errorf("%s: got %s\n%s", line, got, text)
		}
	}
	if n == 0 {
		t.Error("no lines")
	}
}
