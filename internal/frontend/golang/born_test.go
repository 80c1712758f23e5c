// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

// compilerOf loads a type for tests of analyses.
func compilerOf(t *testing.T, s Subject, o Options) *compiler {
	t.Helper()
	l, err := load(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	k, err := parseKinds(o.Errors)
	if err != nil {
		t.Fatal(err)
	}
	known, err := readContracts(l.prog, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := l.compiler(o, k, known)
	if err := c.subject(&s); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestBorn names the fields that are only set where objects are made. All others of these types
// can be written otherwise, some only by clients.
func TestBorn(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/types/born.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, o := Subject{Package: "./p", Type: "Set"}, Options{Dir: dir}
	c := compilerOf(t, s, o)
	var got []string
	for f := range newReach(c, nil).bornFields() {
		got = append(got, c.l.prog.Fset.Position(f.Pos()).String()[len(dir):]+" "+f.Name())
	}
	slices.Sort(got)
	want := []string{"/p/p.go:238:2 reset", "/p/p.go:7:2 mode", "/p/p.go:8:2 next"}
	if !slices.Equal(got, want) {
		t.Errorf("born are %q, not %q", got, want)
	}
}
