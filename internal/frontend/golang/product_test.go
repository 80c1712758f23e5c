// SPDX-License-Identifier: Apache-2.0

package golang

// This file checks that products of variables are any value, that what is known of
// their size decides checks, and that what is decided by them is not claimed.

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGoProducts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "m.go": `package m

type Table struct{ cells []int }

func New(n int) *Table {
	if n <= 0 {
		panic("empty")
	}
	return &Table{make([]int, n)}
}

// Get is never out of range.
func (t *Table) Get(i uint) int { return t.cells[i%uint(len(t.cells))] }

func (t *Table) Area(a, b int) {
	if a*b == 6 {
		panic("six")
	}
}

func (t *Table) Room(a int) {
	if a*len(t.cells) == 8 {
		panic("eight")
	}
}

func (t *Table) Twice(a int) {
	if a*2 == 6 {
		panic("three")
	}
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := ParseSubject("./.Table")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compile(context.Background(), s, Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Component(Depth{Sites: -1, Results: -1}, func(*Site) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Text(c); strings.Contains(text, "a * b") || !strings.Contains(text, "* 2") && !strings.Contains(text, "2 * ") {
		t.Errorf("a product of variables, or none with a constant:\n%s", text)
	}
	unsure := map[string]bool{}
	for _, sites := range c.Sites {
		for _, s := range sites {
			unsure[s.Message] = s.Unsure
		}
	}
	// A product of two arguments is a property of them.
	if !unsure["eight"] || unsure["six"] || unsure["three"] || !strings.Contains(r.Text(c), "`errs at m.go:") {
		t.Errorf("sites that hang on something unmodelled: %v", unsure)
	}
	var messages []string
	for _, part := range r.Parts() {
		for _, s := range part.Sites()["Get"] {
			messages = append(messages, s.Message)
		}
	}
	for _, s := range r.checker.left["Get"] {
		messages = append(messages, s.Message)
	}
	if slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, "out of range") || strings.Contains(m, "divide") }) {
		t.Errorf("checks that are left in Get: %q", messages)
	}
}
