// SPDX-License-Identifier: Apache-2.0

package cert

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// TestEnumerateLarge: an interface of many thousand edges (in continuous integration, 131,070)
// is judged within the budget, and one wrong edge among them is found.
func TestEnumerateLarge(t *testing.T) {
	bits := 11
	if os.Getenv("CI") == "true" {
		bits = 16
	}
	p, err := prog.Parse("", fmt.Appendf(nil, `component Counter
state n uint%d = 0
method up() { if n == %d { error "past the end" }; n++ }
method down() { if n == 0 { error "before the start" }; n-- }
`, bits, 1<<bits-1), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	i := upDown(p, 1<<bits)
	r, err := Enumerate(context.Background(), p, i, 0)
	if err != nil || !r.OK() || r.Tight() != Proved {
		t.Fatalf("%d edges: %v, %+v", len(i.Edges), err, r.First())
	}
	if len(r.Obligations) < len(i.Edges) {
		t.Errorf("%d obligations for %d edges", len(r.Obligations), len(i.Edges))
	}
	i.Edges[len(i.Edges)/2].To = 0
	if r, err = Enumerate(context.Background(), p, i, 0); err != nil || r.Count(Refuted) == 0 {
		t.Errorf("a wrong edge among %d is not found: %v", len(i.Edges), err)
	}
	// A budget that is too small is no answer.
	if r, err = Enumerate(context.Background(), p, i, 1000); err != nil || r.OK() || r.Count(Refuted) > 0 || r.Count(Unknown) == 0 {
		t.Errorf("1,000 steps decide %d edges: %v, %+v", len(i.Edges), err, r.First())
	}
}

// upDown is the interface of a counter with n values.
func upDown(p *prog.Program, n int) *typestate.Interface {
	up, down, zero := p.Methods[0].Name, p.Methods[1].Name, 0
	i := &typestate.Interface{Format: typestate.Format, Component: typestate.Component{Program: p.Hash()},
		Constructors: []typestate.Constructor{{ID: "new", Method: "new", Guard: "true", Outcome: "*", State: &zero, Verdict: "allowed"}},
		Guarantees:   typestate.Guarantees{Tight: typestate.TightYes}}
	for _, name := range []string{up, down} {
		i.Calls = append(i.Calls, typestate.Call{ID: name, Method: name, Guard: "true", Outcomes: []string{"return"}})
	}
	add := func(state int, call string, to int) {
		if to < 0 || to == n {
			i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: state, Call: call, Verdict: "fails"})
			return
		}
		i.Edges = append(i.Edges, typestate.Edge{From: state, Call: call, Outcome: "*", To: to})
	}
	for s := range n {
		i.States = append(i.States, typestate.State{ID: s})
		add(s, up, s+1)
		add(s, down, s-1)
	}
	return i
}
