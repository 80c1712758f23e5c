// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"testing"
)

// TestRecursionCoarse checks that a recursive call in a coarse program does what the code of the function may do, and not
// what others might do with what it is given.
func TestRecursionCoarse(t *testing.T) {
	dir, _ := unpacked(t, "testdata/recursion.txtar", "")
	s := Subject{Package: "m/chain", Type: "Link"}
	o := Options{Dir: dir, Errors: []string{"panic"}, level: &level{steps: 1}}
	l, err := load(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	p := explicitly(t, l, s, o)
	for _, test := range []struct {
		word []string
		want string
	}{
		{[]string{"chain.New", "Use"}, "allowed"},
		{[]string{"chain.New", "Close", "Use"}, "fails"},
		{[]string{"chain.New", "Append(`non-nil`)", "Close", "Use"}, "fails"},
		{[]string{"chain.New", "Append(`non-nil`)", "Use", "Rest", "Fresh"}, "allowed"},
	} {
		if got := verdict(t, p.Program, test.word); got != test.want {
			t.Errorf("%v\n got %s, want %s\n%s", test.word, got, test.want, p.Program)
		}
	}
}
