// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
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
	fine, open := map[string]bool{}, map[string]bool{}
	for _, f := range archive.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		line := 0
		for text := range strings.Lines(string(f.Data)) {
			line++
			at := fmt.Sprintf("%s:%d", f.Name, line)
			switch _, mark, _ := strings.Cut(strings.TrimSpace(text), "// "); mark {
			case "fine":
				fine[at] = true
			case "open":
				open[at] = true
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
	left := map[string][]string{}
	met := map[string]bool{}
	line := func(p token.Pos) string {
		at := l.fset.Position(p)
		name, _ := strings.CutPrefix(filepath.ToSlash(at.Filename), filepath.ToSlash(dir)+"/")
		return fmt.Sprintf("%s:%d", name, at.Line)
	}
	for _, c := range h.checks {
		_, message := h.reach.describe(c.instr)
		at := line(c.instr.Pos())
		left[at], met[at] = append(left[at], message), true
	}
	for i := range h.certain {
		met[line(i.Pos())] = true
	}
	for _, sites := range h.left {
		for _, s := range sites {
			at := line(s.From.(ssa.Instruction).Pos())
			left[at], met[at] = append(left[at], s.Message), true
		}
	}
	for _, line := range slices.Sorted(maps.Keys(fine)) {
		if !met[line] || len(left[line]) > 0 {
			t.Errorf("%s: not proved: %q", line, left[line])
		}
	}
	for _, line := range slices.Sorted(maps.Keys(open)) {
		if len(left[line]) == 0 {
			t.Errorf("%s: proved, and not true", line)
		}
	}
}
