// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"strings"
	"testing"
)

// TestTold checks that coarse programs, which do not follow what the code of told.txtar tests, know that what is
// tested is what is returned.
func TestTold(t *testing.T) {
	dir, words := unpacked(t, "testdata/types/told.txtar", "words")
	s := Subject{Package: "m/p", Type: "T"}
	o := Options{Dir: dir, Errors: []string{"message p: closed"}, level: &level{results: true}}
	l, err := load(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	c := explicitly(t, l, s, o)
	for line := range strings.Lines(words) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), " : ")
		word, want, ok := strings.Cut(rest, " => ")
		if !ok {
			continue
		}
		if got := verdict(t, c.Program, blanks(strings.Fields(word))); got != want {
			t.Errorf("%s\n got %s\n%s", word, got, c.Program)
		}
	}
}
