// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/txtar"
)

// TestGoRefuted says which explicit panics of an example are found to be out of reach, by the functions
// that they are in; its words say what the others do.
func TestGoRefuted(t *testing.T) {
	dir, _ := unpacked(t, "testdata/types/refuted.txtar", "")
	s, o := Subject{Package: "./p", Type: "T"}, Options{Dir: dir}
	found := func(o Options) []string {
		c := compilerOf(t, s, o)
		r, err := c.lower(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if r.Panics() != 9 {
			t.Errorf("%d panics are written, want 9, refuted or not", r.Panics())
		}
		names := map[string]bool{}
		if c.reach.refuted != nil {
			for i := range c.reach.refuted.never {
				if fn := i.(ssa.Instruction).Parent(); packageOf(fn) == c.l.pkg.Pkg {
					names[fn.Name()] = true
				}
			}
		}
		return slices.Sorted(maps.Keys(names))
	}
	if got, want := found(o), []string{"Compact", "Late", "Neither", "Text", "checkLength"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	o.BlameAny = true
	if got := found(o); len(got) > 0 {
		t.Errorf("got %q where errors of the environment count", got)
	}
}

// TestGoRefutedCases compares the explicit panics that are found to be out of reach with what the lines of examples say.
func TestGoRefutedCases(t *testing.T) {
	for _, file := range []string{"testdata/refuted-cases.txtar", "testdata/refuted-passed.txtar", "testdata/refuted-again.txtar", "testdata/refuted-down.txtar"} {
		t.Run(filepath.Base(file), func(t *testing.T) { refutedCases(t, file) })
	}
}

func refutedCases(t *testing.T, file string) {
	dir, _ := unpacked(t, file, "")
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]string{}
	for _, f := range archive.Files {
		line := 0
		for text := range strings.Lines(string(f.Data)) {
			line++
			if _, mark, ok := strings.Cut(strings.TrimSpace(text), "panic("); ok {
				_, want[line], _ = strings.Cut(mark, "// ")
			}
		}
	}
	s, o := Subject{Package: "./.", Type: "T"}, Options{Dir: dir}
	c := compilerOf(t, s, o)
	if _, err := c.lower(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	met := map[int]bool{}
	for _, fn := range c.reach.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if _, ok := i.(*ssa.Panic); !ok || packageOf(fn) != c.l.pkg.Pkg || !i.Pos().IsValid() {
					continue
				}
				line := c.l.fset.Position(i.Pos()).Line
				met[line] = true
				if got := c.reach.isRefuted(i); got != (want[line] == "out") {
					t.Errorf("line %d: out of reach: %v, want %q", line, got, want[line])
				}
			}
		}
	}
	for line := range want {
		if !met[line] {
			t.Errorf("line %d: no panic is there", line)
		}
	}
}

// TestGoUnmade compares the blocks that make errors and are found to be out of reach with what the lines of an example say.
func TestGoUnmade(t *testing.T) {
	const file = "testdata/refuted-made.txtar"
	dir, _ := unpacked(t, file, "")
	text, err := os.ReadFile(filepath.Join(dir, "made.go"))
	if err != nil {
		t.Fatal(err)
	}
	want, line := map[int]string{}, 0
	for text := range strings.Lines(string(text)) {
		line++
		if _, mark, ok := strings.Cut(strings.TrimSpace(text), " // "); ok {
			want[line] = mark
		}
	}
	found := func(o Options) map[int]string {
		c := compilerOf(t, Subject{Package: "./.", Type: "T"}, o)
		if _, err := c.lower(context.Background(), Subject{Package: "./.", Type: "T"}); err != nil {
			t.Fatal(err)
		}
		got := map[int]string{}
		for _, fn := range c.reach.fns {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if line := c.l.fset.Position(i.Pos()).Line; packageOf(fn) == c.l.pkg.Pkg && want[line] != "" {
						got[line] = "open"
						if c.reach.isUnrun(b) {
							got[line] = "out"
						}
					}
				}
			}
		}
		return got
	}
	got := found(Options{Dir: dir, Errors: []string{"misuse"}})
	for _, line := range slices.Sorted(maps.Keys(want)) {
		if got[line] != want[line] {
			t.Errorf("line %d: got %q, want %q", line, got[line], want[line])
		}
	}
	for _, o := range []Options{{Dir: dir}, {Dir: dir, Errors: []string{"misuse"}, BlameAny: true}, {Dir: dir, Errors: []string{"misuse"}, Wrap: true}} {
		for line, got := range found(o) {
			if got == "out" {
				t.Errorf("line %d: out of reach with %+v", line, o)
			}
		}
	}
}
