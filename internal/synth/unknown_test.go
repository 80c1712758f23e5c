// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"slices"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// TestUnknown has an interface that says nothing but is valid.
func TestUnknown(t *testing.T) {
	p, err := Parse(Source{Text: []byte("component Pool\nstate n int8 = 0\nconstructor New(size int8) { n = size }\nconstructor Zero() { }\nmethod put(k int8) (ok bool) { return k < n }\nmethod close() { }")})
	if err != nil {
		t.Fatal(err)
	}
	i, err := Unknown(p.Program, "too large")
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Validate(); err != nil {
		t.Fatal(err)
	}
	if n := i.OpenCells(); len(i.Constructors) != 2 || len(i.Calls) != 2 || n.Unknown != n.Cells || n.Unknown != 2 || i.Settled() {
		t.Errorf("%d constructors, %d calls, %+v", len(i.Constructors), len(i.Calls), n)
	}
	if k := slices.IndexFunc(i.Calls, func(c typestate.Call) bool { return c.ID == "put" }); k < 0 || !slices.Equal(i.Calls[k].Types, []string{"int8"}) {
		t.Errorf("calls: %+v", i.Calls)
	}
	if a := i.Accepts([]typestate.Step{{Call: "New", Args: map[string]string{"size": "1"}}, {Call: "close"}}); a.Kind != typestate.StepUnknown {
		t.Errorf("a word is %v", a.Kind)
	}
}
