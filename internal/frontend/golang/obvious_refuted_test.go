// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"maps"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// TestGoRefuted says which explicit panics of an example are found to be out of reach, by the functions
// that they are in; its words say what the others do.
func TestGoRefuted(t *testing.T) {
	dir, _ := unpacked(t, "testdata/types/refuted.txtar", "")
	s, o := Subject{Package: "./p", Type: "T"}, Options{Dir: dir}
	found := func(o Options) []string {
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
		c := l.compiler(o, k, known)
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
				if fn := i.(ssa.Instruction).Parent(); packageOf(fn) == l.pkg.Pkg {
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
