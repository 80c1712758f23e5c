// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// TestEmbedded says of which variables it is known what they hold at first.
func TestEmbedded(t *testing.T) {
	dir, _ := unpacked(t, "testdata/embedded.txtar", "")
	l, err := load(context.Background(), Subject{Package: "./p", Type: "T"}, Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	c := l.compiler(Options{Dir: dir}, kinds{}, &contracts{})
	for name, want := range map[string]bool{"text": true, "none": false} {
		if got := c.uses(l.pkg.Members[name].(*ssa.Global)).unknown; got != want {
			t.Errorf("%s: unknown %t, want %t", name, got, want)
		}
	}
}
