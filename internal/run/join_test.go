// SPDX-License-Identifier: Apache-2.0

package run

// This file joins interfaces with runs.

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

func (d driven) refs() (starts, calls []Ref) {
	for _, s := range d.Starts {
		starts = append(starts, Ref{Text: s.Text, ID: s.ID, State: s.State})
	}
	for _, c := range d.Calls {
		calls = append(calls, Ref{Text: c.Text, ID: c.ID})
	}
	return starts, calls
}

// after is the state of an interface after calls, each with its outcome.
func after(t *testing.T, i *typestate.Interface, word string) int {
	t.Helper()
	s := *i.Constructors[0].State
	for _, part := range strings.Fields(word) {
		call, outcome, _ := strings.Cut(part, "=")
		if outcome == "" {
			outcome = "return"
		}
		to := -1
		for _, e := range i.Edges {
			if e.From == s && e.Call == call && (e.Outcome == outcome || e.Outcome == "*") {
				to = e.To
			}
		}
		if to < 0 {
			t.Fatalf("%s cannot be followed after %s", part, word)
		}
		s = to
	}
	return s
}

// TestJoin: of a type of which nothing was read, every cell that runs get to is seen.
func TestJoin(t *testing.T) {
	for _, c := range []struct{ name, word, call, verdict string }{
		{"Gate", "", "Open", "allowed"},
		{"Gate", "", "Close", "fails"},
		{"Gate", "Open", "Pass", "allowed"},
		{"Gate", "Open Pass=true", "Close", "allowed"},
		{"Gate", "Open Pass=true Pass=true Pass=false", "Open", "allowed"},
		{"Gate", "Open Close", "Open", "fails"},
		{"Gate", "Open Close", "Pass", "fails"},
		{"Gate", "Open Pass=false", "Pass", "allowed"}, // it returned that later, in what is one state for who asks what errs
		{"Dice", "Roll=true", "Six", "allowed"},
		{"Dice", "Roll=true Six Roll=false", "Six", "fails"},
		{"Dice", "Roll=true", "Maybe", "may-fail"},
	} {
		l, d := learned(t, c.name, Effort{Words: 5000, Random: 200})
		starts, calls := d.refs()
		i, wrong, err := Join(context.Background(), d.i, Runs{l, starts, calls, typestate.Tested{Depth: l.Depth}}, nil)
		if err != nil || len(wrong) > 0 {
			t.Fatal(err, wrong)
		}
		var b bytes.Buffer
		if err := typestate.Write(&b, i); err != nil {
			t.Fatal(err)
		}
		if i, err = typestate.Read(&b); err != nil {
			t.Fatal(err)
		}
		seen, ok := i.SeenIn(after(t, i, c.word), c.call)
		if ok != (c.verdict != "") || seen.Verdict != c.verdict {
			t.Errorf("%s: %s after %s: %+v, expected %s", c.name, c.call, c.word, seen, c.verdict)
		}
		if v := i.Verdict(after(t, i, c.word), c.call); v != typestate.VerdictUnknown {
			t.Errorf("%s: %s after %s: %v without proof", c.name, c.call, c.word, v)
		}
	}
}

// TestLabels: states get labels in the names of fields.
func TestLabels(t *testing.T) {
	l, d := learned(t, "Gate", Effort{Words: 5000, Random: 200})
	pool, err := NewPool(d.program, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	starts, calls := d.refs()
	i, _, err := Join(context.Background(), d.i, Runs{l, starts, calls, typestate.Tested{Depth: l.Depth}}, pool)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ word, label string }{
		{"", "seen: !closed && !open"},
		{"Open", "seen: !closed && open"},
		{"Open Pass=true", "seen: !closed && open"},
		{"Open Close", "seen: closed"},
	} {
		if got := i.States[after(t, i, c.word)].Label; got != c.label {
			t.Errorf("after %q: %q, expected %q", c.word, got, c.label)
		}
	}
}

// TestContradictions: traces that an interface says cannot be are found, and nothing else is.
func TestContradictions(t *testing.T) {
	zero, one, two := 0, 1, 2
	for _, c := range []struct {
		want   string // of the first one
		change func(*typestate.Interface)
	}{
		{"", func(*typestate.Interface) {}},
		{"new(gate.Gate); Close() (panicked m: not open): the interface says that it is allowed", func(i *typestate.Interface) {
			i.Forbidden = i.Forbidden[1:]
			i.Edges = append(i.Edges, typestate.Edge{From: 0, Call: "Close", Outcome: "*", To: 2})
		}},
		{"new(gate.Gate); Open() (returned): the interface says that it fails", func(i *typestate.Interface) {
			i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: 0, Call: "Open", Verdict: "fails"})
			i.Edges = i.Edges[4:]
		}},
		{"new(gate.Gate); Open(); Pass() (returned true); Pass() (returned true); Pass() (returned false): the interface says that this outcome cannot happen", func(i *typestate.Interface) {
			i.Unknown = slices.Delete(i.Unknown, 1, 2)
			i.Edges = append(i.Edges[1:], typestate.Edge{From: 1, Call: "Pass", Outcome: "true", To: 1})
		}},
	} {
		l, d := learned(t, "Gate", Effort{Words: 5000, Random: 200})
		starts, calls := d.refs()
		i := d.i.Clone()
		i.States = []typestate.State{{ID: 0}, {ID: 1}, {ID: 2}}
		i.Constructors[0].State = &zero
		i.Forbidden = []typestate.Forbidden{{State: 0, Call: "Close", Verdict: "fails"}, {State: 2, Call: "Close", Verdict: "fails"}, {State: 2, Call: "Open", Verdict: "may-fail"}}
		i.Unknown = []typestate.Unknown{{State: 0, Call: "Pass", Reason: "why"}, {State: 1, Call: "Pass", Reason: "why"}, {State: 2, Call: "Pass", Reason: "why"}}
		i.Edges = []typestate.Edge{{From: 1, Call: "Pass", Outcome: "*", To: one}, {From: 0, Call: "Open", Outcome: "*", To: one}, {From: 1, Call: "Open", Outcome: "*", To: one}, {From: 1, Call: "Close", Outcome: "*", To: two}, {From: 0, Call: "Pass", Outcome: "*", To: zero}, {From: 2, Call: "Pass", Outcome: "*", To: two}}
		c.change(i)
		_, wrong, err := Join(context.Background(), i, Runs{l, starts, calls, typestate.Tested{}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(wrong) > 0 {
			got = wrong[0].String()
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, expected %q", got, c.want)
		}
		confirmed, err := Confirm(context.Background(), d.program, wrong)
		if err != nil || len(confirmed) != min(len(wrong), maxConfirmed) {
			t.Errorf("%d of %d contradictions are seen again (%v)", len(confirmed), len(wrong), err)
		}
	}
}
