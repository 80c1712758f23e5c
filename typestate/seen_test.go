// SPDX-License-Identifier: Apache-2.0

package typestate

// This file tests what interfaces say of runs.

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// ran is an interface of two states, the second of which was seen.
func ran() *Interface {
	one := 1
	return &Interface{
		Format:    Format,
		Component: Component{Language: "go", Name: "p.T", Errors: []string{"panic"}},
		Constructors: []Constructor{
			{ID: "p.New", Method: "p.New", Params: []string{}, Types: []string{}, Guard: "true", Outcome: "*", State: &one, Verdict: "allowed"},
		},
		Calls: []Call{
			{ID: "Use", Method: "Use", Params: []string{"n"}, Types: []string{"int64"}, Guard: "n > 0", Outcomes: []string{"return"}},
			{ID: "Use#2", Method: "Use", Params: []string{"n"}, Types: []string{"int64"}, Guard: "n <= 0", Outcomes: []string{"return"}},
			{ID: "Close", Method: "Close", Params: []string{}, Types: []string{}, Guard: "true", Outcomes: []string{"return"}},
		},
		States: []State{{ID: 0, Registers: []Register{}}, {ID: 1, Registers: []Register{}}},
		Edges: []Edge{
			{From: 1, Call: "Close", Outcome: "*", To: 0}, {From: 1, Call: "Use", Outcome: "*", To: 1}, {From: 1, Call: "Use#2", Outcome: "*", To: 1},
			{From: 0, Call: "Use", Outcome: "*", To: 0}, {From: 0, Call: "Use#2", Outcome: "*", To: 0},
		},
		Forbidden: []Forbidden{{State: 0, Call: "Close", Verdict: "fails"}},
		Unknown:   []Unknown{{0, "Use", "nobody looked"}, {1, "Use", "nobody looked"}, {1, "Use#2", "nobody looked"}},
		Seen: []Seen{
			{State: 0, Call: "Use", Verdict: "fails", Words: 2, Erred: 2, Word: []string{"New()", "Close()", "Use(1)"}, Did: "panicked"},
			{State: 1, Call: "Use", Verdict: "allowed", Words: 3, Word: []string{"New()", "Use(1)"}, Did: "returned"},
		},
		Tested:     &Tested{Words: 9, Depth: 2, Extra: 1, Tried: []Tried{{"Use", []string{"Use(1)"}}, {"p.New", []string{"New()"}}}},
		Guarantees: Guarantees{Safe: GuaranteeProved, Permissive: GuaranteeOpen, Tight: GuaranteeUnknown},
	}
}

// TestSeenCanonical: seen cells keep their places when states and calls get other numbers.
func TestSeenCanonical(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, ran()); err != nil {
		t.Fatal(err)
	}
	i, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := i.SeenIn(0, "Use#2"); !ok || s.Verdict != "allowed" || s.Words != 3 {
		t.Errorf("in the first state: %v", i.Seen)
	}
	if s, ok := i.SeenIn(1, "Use#2"); !ok || s.Verdict != "fails" || s.Erred != 2 {
		t.Errorf("in the second state: %v", i.Seen)
	}
	if want := []Tried{{"Use#2", []string{"Use(1)"}}, {"p.New", []string{"New()"}}}; !reflect.DeepEqual(i.Tested.Tried, want) {
		t.Errorf("tried: %v", i.Tested.Tried)
	}
	if n := i.Unseen(); n != 1 {
		t.Errorf("%d unknown cells are not seen, expected 1", n)
	}
	if i.Verdict(0, "Use#2") != VerdictUnknown {
		t.Error("what was seen changes a verdict")
	}
}

func TestSeenValidate(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*Interface)
	}{
		{"seen[0]: Close in state 1 is neither unknown nor uncovered", func(i *Interface) { i.Seen[0].State, i.Seen[0].Call = 1, "Close" }},
		{"seen[1]: Use in state 0 is seen twice", func(i *Interface) { i.Seen[1].State = 0 }},
		{"seen[0]: 3 of 2 words erred", func(i *Interface) { i.Seen[0].Erred = 3 }},
		{"seen[0]: 0 of 0 words erred", func(i *Interface) { i.Seen[0].Words, i.Seen[0].Erred = 0, 0 }},
		{`seen[0]: verdict "fails", but 1 of 2 words erred`, func(i *Interface) { i.Seen[0].Erred = 1 }},
		{`seen[1]: verdict "fails", but 0 of 3 words erred`, func(i *Interface) { i.Seen[1].Verdict = "fails" }},
		{"seen[0]: no word", func(i *Interface) { i.Seen[0].Word = nil }},
		{"seen[1]: no word, or not what its last call did", func(i *Interface) { i.Seen[1].Did = "" }},
		{"tested does not say how the component was run", func(i *Interface) { i.Tested = nil }},
		{"tested.tried[0]: no call", func(i *Interface) { i.Tested.Tried[0].With = nil }},
		{"tested: words, depth and extra are not negative", func(i *Interface) { i.Tested.Depth = -1 }},
	} {
		i := ran()
		c.change(i)
		if err := i.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, expected %s", err, c.want)
		}
	}
}
