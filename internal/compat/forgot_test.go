// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// TestForgotten is about a call that is this one or that by what an earlier call returned. Where the protocol does not tell
// what that was, the call is unknown; it is not one of them everywhere.
func TestForgotten(t *testing.T) {
	const protocol = `[{"id": "r", "language": "go", "component": "p.R", "constructors": [{"expr": "p.New()", "initial": "begin"}],
		"calls": [{"id": "Read", "expr": "r.Read()", "outcomes": ["*"]}, {"id": "Back", "expr": "r.Back()", "outcomes": ["*"]}], "initial": "begin",
		"states": {"begin": {"forbidden": {"Back": "fails"}, "next": {"Read": {"*": "on"}}}, "on": {"forbidden": {}, "next": {"Back": {"*": "begin"}, "Read": {"*": "on"}}}},
		"errors": {"kind": "panic", "messages": ["panic: at the beginning"]}, "regular": true, "difficulty": "easy", "verified_depth": 3}]`
	start := 0
	i := &typestate.Interface{
		Format:     typestate.Format,
		Component:  typestate.Component{Language: "go", Name: "p.R", Errors: []string{"panic"}},
		Guarantees: typestate.Guarantees{Safe: "proved", Permissive: "proved", Tight: "unknown"},
		Stats:      map[string]int64{},
		Constructors: []typestate.Constructor{{ID: "p.New", Method: "p.New", Guard: "true", Outcome: "*", State: &start, Verdict: "allowed",
			Update: map[string]string{"at": "0"}}},
		States: []typestate.State{{ID: 0, Label: "true", Registers: []typestate.Register{{Name: "at", Type: "int64"}}}},
		Calls: []typestate.Call{
			{ID: "Back", Method: "Back", Guard: "at <= 0", Outcomes: []string{"*"}},
			{ID: "Back#2", Method: "Back", Guard: "at > 0", Outcomes: []string{"*"}},
			{ID: "Read", Method: "Read", Guard: "true", Outcomes: []string{"*"}, Results: []typestate.Register{{Name: "n", Type: "int64"}}},
		},
		Edges: []typestate.Edge{
			{From: 0, Call: "Back#2", Outcome: "*", To: 0, Update: map[string]string{"at": "at - 1"}},
			{From: 0, Call: "Read", Outcome: "*", To: 0, Update: map[string]string{"at": "at + n"}},
		},
		Forbidden: []typestate.Forbidden{{State: 0, Call: "Back", Verdict: "fails"}},
	}
	list, err := ReadProtocols([]byte(protocol))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Conform(context.Background(), i, list[0])
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != Unknown || r.Counts.Wrong > 0 {
		t.Errorf("%v, %d wrong", r.Verdict, r.Counts.Wrong)
	}
	told := false
	for _, c := range r.Cells {
		told = told || strings.Contains(c.Reason, "results that the protocol does not tell")
	}
	if !told {
		t.Errorf("no reason: %+v", r.Cells)
	}
	// With what is returned told, it is known.
	i.Edges[1].Update["at"] = "1"
	if r, err = Conform(context.Background(), i, list[0]); err != nil || r.Verdict != Exact {
		t.Errorf("%v %v: %+v", r.Verdict, err, r.Cells)
	}
}
