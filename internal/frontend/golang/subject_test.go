// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestGoWrong checks what is said about subjects, factories and calls that do not
// exist. The package is loaded once.
func TestGoWrong(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/wrong.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	lines := ""
	for _, f := range archive.Files {
		if f.Name == "wrong" {
			lines = string(f.Data)
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]*loaded{}
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		head, want, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("expected SUBJECT FLAGS => ERROR: %s", line)
		}
		fields := strings.Split(head, " | ")
		o := Options{Dir: dir}
		s, err := ParseSubject(fields[0])
		if path, ok := strings.CutPrefix(fields[0], "package:"); ok {
			s, err = Subject{Package: path}, nil
		}
		for _, f := range fields[1:] {
			name, value, _ := strings.Cut(f, " ")
			switch name {
			case "-constructor":
				o.Constructors = append(o.Constructors, value)
			case "-factory":
				o.Factories = append(o.Factories, value)
			case "-methods":
				o.Methods = strings.Split(value, ",")
			default:
				t.Fatalf("what is %s?", f)
			}
		}
		l := all[s.Package]
		if l == nil && err == nil {
			if l, err = load(context.Background(), s, o); err == nil {
				all[s.Package] = l
			}
		}
		if err == nil {
			_, err = l.compile(context.Background(), s, o, kinds{panics: true})
		}
		switch {
		case err == nil:
			t.Errorf("%s: no error", head)
		case err.Error() != want:
			t.Errorf("%s\n     got %s\nexpected %s", head, err, want)
		}
	}
}
