// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestGoObvious compares what is proved on SSA with what the lines of the example
// say. Each rule has a twin that breaks it.
func TestGoObvious(t *testing.T) {
	files, err := filepath.Glob("testdata/obvious*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { obvious(t, file) })
	}
}

func obvious(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fine, open := map[int]bool{}, map[int]bool{}
	for _, f := range archive.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		line := 0
		for text := range strings.Lines(string(f.Data)) {
			line++
			switch _, mark, _ := strings.Cut(strings.TrimSpace(text), "// "); mark {
			case "fine":
				fine[line] = true
			case "open":
				open[line] = true
			}
		}
	}
	s, o := Subject{Package: "./.", Type: "T"}, Options{Dir: dir}
	l, err := load(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	k, err := parseKinds(nil)
	if err != nil {
		t.Fatal(err)
	}
	known, err := readContracts(l.prog, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := l.newChecker(s, o, k, known, nil)
	if err != nil {
		t.Fatal(err)
	}
	left := map[int][]string{}
	met := map[int]bool{}
	here := func(p token.Pos) bool {
		return filepath.Base(l.fset.Position(p).Filename) == "obvious.go" && strings.HasPrefix(l.fset.Position(p).Filename, dir)
	}
	for _, c := range h.checks {
		if !here(c.instr.Pos()) {
			continue
		}
		_, message := h.reach.describe(c.instr)
		at := l.fset.Position(c.instr.Pos()).Line
		left[at], met[at] = append(left[at], message), true
	}
	for i := range h.certain {
		if !here(i.Pos()) {
			continue
		}
		met[l.fset.Position(i.Pos()).Line] = true
	}
	for _, line := range slices.Sorted(maps.Keys(fine)) {
		if !met[line] || len(left[line]) > 0 {
			t.Errorf("line %d: not proved: %q", line, left[line])
		}
	}
	for _, line := range slices.Sorted(maps.Keys(open)) {
		if len(left[line]) == 0 {
			t.Errorf("line %d: proved, and not true", line)
		}
	}
}
