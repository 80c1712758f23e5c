// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// TestEffects says which functions of package reflect write nothing that they are given.
func TestEffects(t *testing.T) {
	s, o := Subject{Package: "reflect", Type: "MapIter"}, Options{}
	c := compilerOf(t, s, o)
	r := newReach(c, nil)
	want := map[string]bool{
		"(reflect.Value).Kind": true, "(reflect.Value).IsNil": true, "(reflect.Value).Len": true, "(reflect.Value).CanSet": true,
		"(reflect.Value).Set": false, "(reflect.Value).SetBool": false, "(reflect.Value).SetInt": false, "(reflect.Value).SetZero": false,
		"(reflect.Value).SetMapIndex": false, "(reflect.Value).SetLen": false, "(reflect.Value).Call": false, "reflect.Copy": false, "reflect.Swapper": false,
	}
	got := map[string]bool{}
	for fn := range ssautil.AllFunctions(c.l.prog) {
		if _, ok := want[fn.String()]; ok && fn.Synthetic == "" {
			got[fn.String()] = changesNothing(r, fn)
		}
	}
	for name, want := range want {
		if has, ok := got[name]; !ok || has != want {
			t.Errorf("%s changes nothing: %v, found: %v", name, has, ok)
		}
	}
}

// changesNothing reports whether a function writes only what it makes itself: errors that it panics with.
func changesNothing(r *reach, fn *ssa.Function) bool {
	m := r.effectsOf(fn)
	if m == nil || len(m.nodes) > 0 {
		return false
	}
	for l := range m.locs {
		if v, ok := l.(*types.Var); !ok || v.Name() != "Method" && v.Name() != "Kind" { // of ValueError
			return false
		}
	}
	return true
}
