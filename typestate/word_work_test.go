// SPDX-License-Identifier: Apache-2.0

package typestate

// This file checks how many guards are evaluated for many words.

import (
	"fmt"
	"testing"
)

// TestGuardsOnce follows n*n words of an interface with n calls of a method: a token of n values that is
// returned by acquire and expected by release. Each value selects a call once.
func TestGuardsOnce(t *testing.T) {
	const n = 40
	free := 0
	i := &Interface{
		Constructors: []Constructor{{ID: "new", Method: "new", State: &free}},
		Calls:        []Call{{ID: "acquire", Method: "acquire", Guard: "true"}},
		States:       []State{{ID: 0}},
	}
	for k := range n {
		i.States = append(i.States, State{ID: k + 1})
		i.Calls = append(i.Calls, Call{ID: fmt.Sprint("release#", k), Method: "release", Params: []string{"x"}, Types: []string{"uint8"}, Guard: fmt.Sprint("x == ", k)})
		i.Edges = append(i.Edges, Edge{From: 0, Call: "acquire", Outcome: fmt.Sprint(k), To: k + 1})
		i.Calls[0].Outcomes = append(i.Calls[0].Outcomes, fmt.Sprint(k))
	}
	for s := range n {
		for k := range n {
			if s == k {
				i.Edges = append(i.Edges, Edge{From: s + 1, Call: fmt.Sprint("release#", k), Outcome: "*", To: 0})
			} else {
				i.Forbidden = append(i.Forbidden, Forbidden{State: s + 1, Call: fmt.Sprint("release#", k), Verdict: VerdictFails.String()})
			}
		}
	}
	x := newIndex(i)
	for s := range n {
		for k := range n {
			a := x.accepts([]Step{{Call: "acquire", Outcome: fmt.Sprint(s)}, {Call: "release", Args: map[string]string{"x": fmt.Sprint(k)}}})
			want := StepForbidden
			if s == k {
				want = StepNext
			}
			if a.Kind != want {
				t.Fatalf("acquire=%d release(%d): %v", s, k, a)
			}
		}
	}
	if want := 1 + n*n; x.evaluated != want { // one of acquire, and n of release for each value
		t.Errorf("%d guards were evaluated, expected %d", x.evaluated, want)
	}
	if want := 1 + n; len(x.guards) != want {
		t.Errorf("%d guards were parsed, expected %d", len(x.guards), want)
	}
}
