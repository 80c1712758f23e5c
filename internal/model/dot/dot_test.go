// SPDX-License-Identifier: Apache-2.0

package dot_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/model/dot"
	"github.com/interlock-go/interlock/internal/model/lts"
)

func list(s *lts.System) string {
	text := fmt.Sprintf("%s %d %v\n", s.Name, s.Initial, s.Alphabet)
	for x := range int32(s.States()) {
		for _, e := range s.Edges(x) {
			text += fmt.Sprintf("%d %s %d\n", x, s.Label(e), e.To)
		}
	}
	return text
}

// TestGraphs reads the graphs of testdata/graphs.txt: == NAME [ERRORSTATE], the graph, --, the
// system.
func TestGraphs(t *testing.T) {
	data, err := os.ReadFile("testdata/graphs.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range strings.Split(string(data), "== ")[1:] {
		head, rest, _ := strings.Cut(g, "\n")
		text, want, ok := strings.Cut(rest, "--\n")
		if !ok {
			t.Fatalf("graph %s has no result", head)
		}
		name, failing, _ := strings.Cut(head, " ")
		s, err := dot.Parse(name+".dot", text, func(state string) bool { return state == failing })
		got := ""
		if err != nil {
			got = err.Error() + "\n"
		} else {
			got = list(s)
		}
		if got != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	data, err := os.ReadFile("testdata/graphs.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, g := range strings.Split(string(data), "== ")[1:] {
		_, rest, _ := strings.Cut(g, "\n")
		f.Add(rest)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := dot.Parse("x.dot", text, nil); err != nil && (strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "x.dot:")) {
			t.Fatalf("not one line with a position: %q", err)
		}
	})
}
