// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"go/types"
	"strings"
	"testing"
)

// TestHooks checks that what depends on package variables which nothing sets is not there, even in programs that
// do not follow them; and that it is there if something sets them, or others choose them.
func TestHooks(t *testing.T) {
	dir, _ := unpacked(t, "testdata/types/hooks.txtar", "words")
	s := Subject{Package: "m/p", Type: "T"}
	o := Options{Dir: dir, Errors: []string{"panic"}}
	l, err := load(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	c := l.compiler(o, kinds{panics: true}, nil)
	dead := map[string]int{"Close": 1, "Use": 3, "Spoil": 0, "Check": 0}
	for name, want := range dead {
		fn := l.prog.LookupMethod(types.NewPointer(l.pkg.Type("T").Type()), l.pkg.Pkg, name)
		if got := len(c.deadBlocks(fn)); got != want {
			t.Errorf("%s: %d blocks are dead, want %d", name, got, want)
		}
	}
	o.level = &level{}
	p := explicitly(t, l, s, o)
	for _, test := range []struct{ word, want string }{
		{"p.New Use", "allowed"},
		{"p.New Close Use", "fails"},
		{"p.New Spoil Check", "may-fail"},
	} {
		if got := verdict(t, p.Program, strings.Fields(test.word)); got != test.want {
			t.Errorf("%s\n got %s, want %s\n%s", test.word, got, test.want, p.Program)
		}
	}
}
