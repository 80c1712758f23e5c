// SPDX-License-Identifier: Apache-2.0

package prog

// This file runs the files of testdata: print/*.txtar hold a source and the
// program printed from it, errors/*.txtar a source and its errors. -update
// rewrites the expectations.

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// An archive is a txtar file: a comment and named files.
type archive struct {
	comment string
	names   []string
	files   map[string]string
}

func readArchive(t *testing.T, path string) *archive {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{files: make(map[string]string)}
	name := ""
	for line := range strings.Lines(string(data)) {
		trimmed := strings.TrimSpace(line)
		if inner, ok := strings.CutPrefix(trimmed, "-- "); ok && strings.HasSuffix(inner, " --") {
			name = strings.TrimSuffix(inner, " --")
			a.names = append(a.names, name)
			a.files[name] = ""
			continue
		}
		if name == "" {
			a.comment += line
		} else {
			a.files[name] += line
		}
	}
	return a
}

func (a *archive) write(t *testing.T, path string) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(a.comment)
	for _, name := range a.names {
		fmt.Fprintf(&b, "-- %s --\n%s", name, a.files[name])
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// golden compares got with the archive's file of that name, or rewrites it.
func golden(t *testing.T, path string, a *archive, name, got string) {
	t.Helper()
	if *update {
		if _, ok := a.files[name]; !ok {
			a.names = append(a.names, name)
		}
		a.files[name] = got
		a.write(t, path)
		return
	}
	if want := a.files[name]; got != want {
		t.Errorf("%s:\n--- got\n%s--- want\n%s", name, got, want)
	}
}

func archives(t *testing.T, dir string, f func(t *testing.T, path string, a *archive)) {
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in testdata/%s: %v", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			f(t, path, readArchive(t, path))
		})
	}
}

// options reads "width: N" lines of an archive's comment.
func (a *archive) options(t *testing.T) (opt Options) {
	for line := range strings.Lines(a.comment) {
		if text, ok := strings.CutPrefix(line, "width: "); ok {
			if _, err := fmt.Sscan(text, &opt.Width); err != nil {
				t.Fatal(err)
			}
		}
	}
	return opt
}

func TestPrintGolden(t *testing.T) {
	archives(t, "print", func(t *testing.T, path string, a *archive) {
		p, err := Parse("in.open", []byte(a.files["in.open"]), a.options(t))
		if err != nil {
			t.Fatal(err.(ErrorList).Lines())
		}
		golden(t, path, a, "out.open", p.String())
		roundTrip(t, p)
	})
}

func TestErrorGolden(t *testing.T) {
	archives(t, "errors", func(t *testing.T, path string, a *archive) {
		_, err := Parse("in.open", []byte(a.files["in.open"]), a.options(t))
		list, ok := err.(ErrorList)
		if !ok {
			t.Fatalf("Parse: %v, want an ErrorList", err)
		}
		golden(t, path, a, "errors", list.Lines())
	})
}

// roundTrip checks that printing and reading p, with and without positions,
// gives p again, and that p is well formed.
func roundTrip(t *testing.T, p *Program) {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Errorf("Check: %v", err)
	}
	c := Canonical(p)
	for _, opt := range []PrintOptions{{}, {Positions: true}} {
		var b bytes.Buffer
		if err := Print(&b, p, opt); err != nil {
			t.Fatal(err)
		}
		q, err := Parse("printed.open", b.Bytes(), Options{})
		if err != nil {
			t.Fatalf("the printed program has errors:\n%s%s", err.(ErrorList).Lines(), b.String())
		}
		if ok, why := Equal(c, q); !ok {
			t.Fatalf("printed and read: %s\n%s\n--- read again as\n%s", why, b.String(), q)
		}
		if !opt.Positions {
			if p.Hash() != q.Hash() {
				t.Errorf("hash changes:\n%s\n--- then\n%s", b.String(), q)
			}
			continue
		}
		for _, pair := range [][2][]*Method{{c.Constructors, q.Constructors}, {c.Methods, q.Methods}} {
			for i, m := range pair[0] {
				checkPositions(t, m, pair[1][i], b.String())
			}
		}
	}
}

func checkPositions(t *testing.T, m, n *Method, text string) {
	t.Helper()
	for j, e := range m.Edges {
		// Both edges of a branch are written at the first.
		if s := (&structurer{m: m}).branches(e.From); s != nil {
			e = s[0]
		}
		if f := n.Edges[j]; e.Pos.Line > 0 && e.Pos != f.Pos {
			t.Fatalf("%s: position of edge %v: %v, then %v\n%s", m.Name, &e, e.Pos, f.Pos, text)
		}
	}
	for j, e := range m.Errors {
		if f := n.Errors[j]; e.Pos.Line > 0 && e.Pos != f.Pos {
			t.Fatalf("%s: position of error site %d: %v, then %v\n%s", m.Name, j, e.Pos, f.Pos, text)
		}
	}
}
