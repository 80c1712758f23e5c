// SPDX-License-Identifier: Apache-2.0

package lower

// This file has what must be found out about components written by hand: a
// check that never errs is removed, one that may err is not.

import (
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
)

func TestInterpretFacts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		left       int // error sites that may err
	}{
		{"window", `
component c
state lo int32 = 0, hi int32 = 0, n int32 = 0
constructor New(size int8) { assume size >= 0; n = int32(size) }
method fill(k int32) { assume 0 <= k && k <= n - hi; hi = hi + k }
method take(k int32) { assume 0 <= k && k <= hi - lo; lo = lo + k }
method use() { if lo < 0 || lo > hi || hi > n { error "bounds" } }
`, 0},
		{"a way out", `
component c
state lo int32 = 0, hi int32 = 0
method fill(k int8) { assume k >= 0 && hi < 1000; hi = hi + int32(k) }
method take(k int8) { assume k >= 0 && lo < 1000; lo = lo + int32(k) }
method use() { if lo > hi { error "bounds" } }
`, 1},
		{"a loop", `
component c
method use(n int8) { var i int8 = 0; while i < n { if i < 0 || i >= n { error "bounds" }; i = i + 1 } }
`, 0},
		{"wrap around", `
component c
state i int8 = 0
method use() { i = i + 1; if i < 0 { error "negative" } }
`, 1},
		{"a flag", `
component c
state started bool = false, end int32 = 0, n int32 = 0
method resize(k int8) { assume k >= 0; if !started { n = int32(k) } }
method fill(k int32) { started = true; assume 0 <= k && k <= n - end; end = end + k }
method use() { if end > n { error "bounds" } }
`, 0},
	} {
		p, err := prog.Parse(c.name, []byte(c.text), prog.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		w := NewWorld()
		methods := func(list []*prog.Method) []*Method {
			var out []*Method
			for _, m := range list {
				x := &Method{W: w, M: m}
				for _, s := range m.Errors {
					x.sites = append(x.sites, &Site{ErrorSite: s, Implicit: true})
				}
				out = append(out, x)
			}
			return out
		}
		makers, bodies := methods(p.Constructors), methods(p.Methods)
		if len(makers) == 0 {
			w.Pool = p.Pool
			m := &prog.Method{Name: "zero", Locs: 2, Entry: 0, Exit: 1, Edges: []prog.Edge{{From: 0, To: 1, Kind: prog.AssignEdge}}}
			makers = []*Method{{W: w, M: m}}
		}
		steps := AllSteps
		interpret(p, makers, bodies, false, &steps)
		left := 0
		for _, m := range bodies {
			left += len(m.sites)
		}
		if left != c.left {
			t.Errorf("%s: %d sites are left, want %d\n%s", c.name, left, c.left, describe(p, bodies))
		}
	}
}
