// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/types"
	"testing"
)

// TestHooks checks that what depends on package variables which nothing sets is not there, even in programs that
// do not follow them; and that it is there if something sets them, or others choose them.
func TestHooks(t *testing.T) {
	o := Options{Errors: []string{"panic"}, level: &level{}}
	l := testCoarse(t, "testdata/types/hooks.txtar", Subject{Package: "m/p", Type: "T"}, o)
	c := l.compiler(o, kinds{panics: true}, &contracts{})
	for name, want := range map[string]int{"Close": 1, "Use": 3, "Spoil": 0, "Check": 0} {
		fn := l.prog.LookupMethod(types.NewPointer(l.pkg.Type("T").Type()), l.pkg.Pkg, name)
		if got := len(c.deadBlocks(fn)); got != want {
			t.Errorf("%s: %d blocks are dead, want %d", name, got, want)
		}
	}
}
