// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"strings"
	"testing"
)

// TestContexts says which methods have checks in functions that they give away.
func TestContexts(t *testing.T) {
	dir, _ := unpacked(t, "testdata/contexts.txtar", "")
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
	own := map[string]bool{} // methods that run a check of their own function
	has := map[string]bool{}
	for _, c := range h.checks {
		if _, message := h.reach.describe(c.instr); !strings.Contains(message, "index out of range") {
			continue
		}
		has[c.method] = true
		name := c.fn.Name()
		if p := c.fn.Parent(); p != nil {
			name = p.Name()
		}
		if name == c.method || name == "index" {
			own[c.method] = true
		}
	}
	named, err := l.named(s)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for fn := range named.Methods() {
		name := fn.Name()
		switch {
		case strings.HasPrefix(name, "Bad"):
			n++
			if !own[name] {
				t.Errorf("%s has no check", name)
			}
		case strings.HasPrefix(name, "Fine"):
			n++
			if has[name] {
				t.Errorf("%s has a check", name)
			}
		}
	}
	if n != 19 {
		t.Errorf("%d methods", n)
	}
}
