// SPDX-License-Identifier: Apache-2.0

package scxml_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/scxml"
)

// TestCharts reads testdata/*.scxml. A comment in each has the traces of the construct, one a
// line: "can a b", "cannot a c" (the last event is not possible), "errs a d" (the last event
// errs), "states n", "actions a b", or "wrong TEXT", the error of the reader.
func TestCharts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.scxml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d charts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".scxml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(text), "<!--\n")
			lines, _, ok := strings.Cut(rest, "\n-->")
			if !ok {
				t.Fatal("there is no comment with traces")
			}
			o := scxml.Options{Ignore: strings.Contains(lines, "ignore\n")}
			s, err := scxml.Parse(context.Background(), filepath.Base(file), text, o)
			for _, line := range strings.Split(lines, "\n") {
				kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				switch {
				case kind == "wrong":
					if err == nil || err.Error() != rest {
						t.Errorf("error %v\nwant %s", err, rest)
					}
				case err != nil:
					t.Fatal(err)
				case kind == "states" && rest != itoa(s.States()):
					t.Errorf("%d states, want %s", s.States(), rest)
				case kind == "actions" && rest != strings.Join(s.Alphabet, " "):
					t.Errorf("actions %v, want %s", s.Alphabet, rest)
				case kind == "can" || kind == "cannot" || kind == "errs":
					if got := follow(s, strings.Fields(rest)); got != kind {
						t.Errorf("%s: %s, want %s", rest, got, kind)
					}
				}
			}
		})
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func follow(s *lts.System, word []string) string {
	at := s.Initial
	for k, label := range word {
		to, found := lts.Error, false
		for _, e := range s.Edges(at) {
			if s.Label(e) == label {
				to, found = e.To, true
			}
		}
		last := k == len(word)-1
		switch {
		case !found && last:
			return "cannot"
		case !found:
			return "cannot before its end"
		case to == lts.Error && last:
			return "errs"
		case to == lts.Error:
			return "errs before its end"
		}
		at = to
	}
	return "can"
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.scxml")
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := scxml.Parse(context.Background(), "x.scxml", text, scxml.Options{Budget: 50}); err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("not one line: %q", err)
		}
	})
}
