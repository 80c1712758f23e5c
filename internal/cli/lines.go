// SPDX-License-Identifier: Apache-2.0

package cli

// This file finds the lines of source that an interface speaks of, for pages: below the root of the standard library, below
// the current directory, and beside the arguments. Where there is no such file, or it has changed so much that it has no
// such line, there are no lines; the position is shown in any case.

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/typestate"
)

// contextLines is how many lines are shown before and after the one of a position.
const contextLines = 2

// sourceLines returns a function that reads lines around a position such as bufio/scan.go:277:8.
func (c *invocation) sourceLines(i *typestate.Interface) func(at string) []render.Line {
	var roots []string
	if i.Component.Language == "go" {
		if out, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
			roots = append(roots, filepath.Join(strings.TrimSpace(string(out)), "src"))
		}
	}
	roots = append(roots, ".")
	for _, arg := range c.args {
		roots = append(roots, filepath.Dir(arg))
	}
	module := moduleHere()
	files := map[string][]string{}
	return func(at string) []render.Line {
		name, line := splitPosition(at)
		if line == 0 || filepath.IsAbs(name) {
			return nil
		}
		text, ok := files[name]
		if !ok {
			text = firstFile(roots, name, module)
			files[name] = text
		}
		return linesAround(text, line)
	}
}

// splitPosition cuts file:line:column.
func splitPosition(at string) (file string, line int) {
	parts := strings.Split(at, ":")
	if len(parts) < 2 {
		return at, 0
	}
	line, err := strconv.Atoi(parts[1])
	if err != nil || line < 1 {
		return at, 0
	}
	return parts[0], line
}

// moduleHere is the path of the module of the current directory; "" for none.
func moduleHere() string {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		return ""
	}
	for _, l := range strings.Split(string(text), "\n") {
		if path, ok := strings.CutPrefix(l, "module "); ok {
			return strings.TrimSpace(path)
		}
	}
	return ""
}

// firstFile reads a file below the first root that has it.
func firstFile(roots []string, name, module string) []string {
	if rest, ok := strings.CutPrefix(name, module+"/"); ok && module != "" {
		name = rest
	}
	for _, root := range roots {
		if text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err == nil {
			return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		}
	}
	return nil
}

func linesAround(text []string, line int) (out []render.Line) {
	if line > len(text) {
		return nil
	}
	for n := max(1, line-contextLines); n <= min(len(text), line+contextLines); n++ {
		out = append(out, render.Line{N: n, Text: strings.TrimRight(text[n-1], "\r"), Hit: n == line})
	}
	return out
}
