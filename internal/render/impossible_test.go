// SPDX-License-Identifier: Apache-2.0

package render

// This file checks what people see of states in which no object can be, of states of
// which nothing is known, and of cells that are unknown.

import (
	"bytes"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// doubtful is an interface with a state in which no object can be (1), one of which nothing is
// known (2), and one with two unknown cells for one reason (0).
func doubtful() *typestate.Interface {
	zero := 0
	pair := []string{"(nil, nil)", "(nil, non-nil)", "(non-nil, nil)", "(non-nil, non-nil)"}
	i := &typestate.Interface{
		Component:    typestate.Component{Language: "go", Name: "db.Tx"},
		Constructors: []typestate.Constructor{{ID: "New", Method: "New", Guard: "true", Outcome: "*", State: &zero, Verdict: "allowed"}},
		States:       []typestate.State{{ID: 0, Label: "true"}, {ID: 1, Label: "false"}, {ID: 2, Label: "true"}},
		Conventions:  []string{"receiver: the receiver is not nil"},
		Calls: []typestate.Call{
			{ID: "Close", Method: "Close", Guard: "true", Outcomes: []string{"return"}},
			{ID: "Exec", Method: "Exec", Guard: "true", Outcomes: pair, Returns: results("_ Result", "_ error")},
			{ID: "Query", Method: "Query", Guard: "true", Outcomes: pair, Returns: results("_ *Rows", "_ error")},
		},
		Edges: []typestate.Edge{
			{From: 0, Call: "Exec", Outcome: pair[0], To: 1}, {From: 0, Call: "Exec", Outcome: pair[1], To: 0},
			{From: 0, Call: "Exec", Outcome: pair[2], To: 2}, {From: 0, Call: "Exec", Outcome: pair[3], To: 1},
			{From: 0, Call: "Query", Outcome: "*", To: 2}, {From: 0, Call: "Close", Outcome: "*", To: 0},
		},
		Uncovered: []typestate.Uncovered{
			{State: 0, Call: "Close", Site: typestate.ErrorSite{Kind: "runtime", Message: "index out of range", At: "tx.go:7"}, Reason: "too large"},
			{State: 0, Call: "Exec", Site: typestate.ErrorSite{Kind: "runtime", Message: "index out of range", At: "tx.go:7"}, Reason: "too large"},
			{State: 0, Call: "Exec", Site: typestate.ErrorSite{Kind: "runtime", Message: "index out of range", At: "tx.go:9"}, Reason: "too large"},
		},
	}
	for _, call := range []string{"Exec", "Query"} {
		i.Unknown = append(i.Unknown, typestate.Unknown{State: 0, Call: call, Reason: "the budget is used up"})
	}
	for _, c := range i.Calls {
		for _, s := range []int{1, 2} {
			i.Unknown = append(i.Unknown, typestate.Unknown{State: s, Call: c.ID, Reason: "after a call that is unknown"})
			i.Edges = append(i.Edges, typestate.Edge{From: s, Call: c.ID, Outcome: "*", To: s})
		}
	}
	return i
}

func TestDoubtfulText(t *testing.T) {
	const want = `db.Tx   2 states, 3 calls   safe: unknown   permissive: unknown (8 of 10 cells unknown)
uncovered: 2 cells   tight: unknown
starts in 0 (New)

0
   Close, Exec=err?  → 0
   Exec=ok?, Query?  → 2
   2 run-time checks are not covered: -checks lists them

2  nothing is known
   every call  unknown: after a call that is unknown

1 state is not shown: no object can be there

undecided
   Exec, Query  unknown: the budget is used up

1 convention is assumed: -assumptions lists it
`
	var b bytes.Buffer
	if err := writeText(&b, doubtful(), Options{}); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := writeText(&b, doubtful(), Options{Checks: true, Assumptions: true}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"   2 run-time checks are not covered\n",
		"\nrun-time checks that are not covered\n" +
			"   Close, Exec  not covered: \"index out of range\" (tx.go:7): too large\n" +
			"   Exec         not covered: \"index out of range\" (tx.go:9): too large\n",
		"\nconventions\n   receiver: the receiver is not nil\n",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("got\n%s\nwithout\n%s", b.String(), line)
		}
	}
}

// TestImpossibleState checks that pictures have no state in which no object can be, and no arrow to it.
func TestImpossibleState(t *testing.T) {
	for name, marks := range map[string][2]string{"dot": {"s2 ", "s1 "}, "mermaid": {"s2 ", "s1 "}, "svg": {">2</text>", ">1</text>"}} {
		f, _ := Find(name)
		text := written(f, doubtful())
		if !strings.Contains(text, marks[0]) || strings.Contains(text, marks[1]) {
			t.Errorf("%s: expected %q and not %q in\n%s", name, marks[0], marks[1], text)
		}
	}
}

// TestImpossibleCall checks that a call that nobody can make in a state is not shown there, least of all as
// one that never returns.
func TestImpossibleCall(t *testing.T) {
	i := doubtful()
	i.Calls = append(i.Calls, typestate.Call{ID: "Get", Method: "Get", Guard: "true", Outcomes: []string{"return"}})
	i.Impossible = []typestate.Impossible{{State: 0, Call: "Get"}, {State: 1, Call: "Get"}, {State: 2, Call: "Get"}}
	for _, name := range []string{"text", "dot", "mermaid", "svg"} {
		f, _ := Find(name)
		if text := written(f, i); strings.Contains(text, "Get") || strings.Contains(text, "never") {
			t.Errorf("%s shows it:\n%s", name, text)
		}
	}
}
