// SPDX-License-Identifier: Apache-2.0

package golang

// This file checks when a package that was loaded is loaded again.

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func TestRemember(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n\ngo 1.26\n")
	write("p/p.go", "package p\n\nimport \"m/q\"\n\ntype T struct{ n q.N }\n\nfunc (t *T) M() {}\n")
	write("q/q.go", "package q\n\ntype N int\n")
	ctx := Remember(context.Background())
	get := func(path string, o Options) *loaded {
		t.Helper()
		o.Dir = dir
		l, err := load(ctx, Subject{Package: path, Type: "T"}, o)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	last := get("m/p", Options{})
	if get("m/p", Options{}) != last {
		t.Error("loaded again without a change")
	}
	for _, c := range []struct{ name, file, text string }{
		{"a file changed", "p/p.go", "package p\n\nimport \"m/q\"\n\ntype T struct{ n, m q.N }\n\nfunc (t *T) M() {}\n"},
		{"a file of another package changed", "q/q.go", "package q\n\ntype N uint\n"},
		{"there is another file", "p/more.go", "package p\n"},
		{"go.mod changed", "go.mod", "module m\n\ngo 1.25\n"},
		{"there is a go.work", "go.work", "go 1.26\n\nuse .\n"},
	} {
		write(c.file, c.text)
		now := get("m/p", Options{})
		if now == last {
			t.Errorf("%s, and what was loaded before is returned", c.name)
		}
		if get("m/p", Options{}) != now {
			t.Errorf("%s, and it is loaded twice", c.name)
		}
		last = now
	}
	if get("m/p", Options{Tags: "x"}) == last {
		t.Error("loaded with other tags")
	}
	// An error is not remembered.
	write("p/p.go", "package p\n\ntype T int\n\nfunc (t *T) M() { x }\n")
	if _, err := load(ctx, Subject{Package: "m/p", Type: "T"}, Options{Dir: dir}); err == nil {
		t.Error("no error")
	}
	write("p/p.go", "package p\n\ntype T int\n\nfunc (t *T) M() {}\n")
	last = get("m/p", Options{})
	// Only the last loads stay.
	get("m/q", Options{})
	if get("m/p", Options{}) != last {
		t.Error("the one before the last is loaded again")
	}
	get("errors", Options{})
	get("m/q", Options{})
	if get("m/p", Options{}) == last {
		t.Error("too much is remembered")
	}
}
