// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/types"
	"testing"
)

// TestTiny says which functions are followed in methods that are too large.
func TestTiny(t *testing.T) {
	c := compilerOf(t, Subject{Package: "sync/atomic", Type: "Bool"}, Options{})
	for name, want := range map[string]bool{"Store": true, "Load": true, "CompareAndSwap": true} {
		fn := c.l.prog.LookupMethod(types.NewPointer(c.named), c.l.pkg.Pkg, name)
		if fn == nil || c.isTiny(fn, maxTiny) != want {
			t.Errorf("(*atomic.Bool).%s: tiny is not %v", name, want)
		}
	}
	c = compilerOf(t, Subject{Package: "bytes", Type: "Buffer"}, Options{})
	for name, want := range map[string]bool{"Len": true, "WriteString": false, "ReadFrom": false} {
		fn := c.l.prog.LookupMethod(types.NewPointer(c.named), c.l.pkg.Pkg, name)
		if fn == nil || c.isTiny(fn, maxTiny) != want {
			t.Errorf("(*bytes.Buffer).%s: tiny is not %v", name, want)
		}
	}
}
