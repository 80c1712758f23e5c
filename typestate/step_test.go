// SPDX-License-Identifier: Apache-2.0

package typestate

// This file tests single steps against a definition in terms of sets.

import (
	"math/rand"
	"slices"
	"testing"
)

// naive defines what a step is: the cell decides first, then the set of edges
// that agree with the outcome.
func naive(i *Interface, state int, call Call, outcome string) (StepKind, Verdict, int) {
	verdict := VerdictAllowed
	left := -1
	for _, f := range i.Forbidden {
		if f.State == state && f.Call == call.ID {
			verdict = map[string]Verdict{"fails": VerdictFails, "may-fail": VerdictMayFail}[f.Verdict]
			if f.To != nil {
				left = *f.To
			}
		}
	}
	for _, u := range i.Unknown {
		if u.State == state && u.Call == call.ID {
			verdict = VerdictUnknown
		}
	}
	known := append([]string{"", "*"}, call.Outcomes...)
	if !slices.Contains(known, outcome) {
		return StepInvalid, VerdictUnknown, -1
	}
	if verdict == VerdictFails || verdict == VerdictMayFail {
		return StepForbidden, verdict, left
	}
	targets := map[int]bool{}
	to := -1
	for _, o := range call.Outcomes {
		if outcome != "" && outcome != "*" && outcome != o {
			continue
		}
		for _, e := range i.Edges {
			if e.From == state && e.Call == call.ID && (e.Outcome == o || e.Outcome == "*") {
				targets[e.To] = true
				to = e.To
			}
		}
	}
	if len(targets) > 1 {
		to = -1
	}
	switch {
	case verdict == VerdictUnknown:
		return StepUnknown, verdict, to
	case len(targets) == 0:
		return StepImpossible, verdict, -1
	case len(targets) == 1:
		return StepNext, verdict, to
	}
	return StepAmbiguous, verdict, -1
}

func TestStep(t *testing.T) {
	seen := map[StepKind]int{}
	for n, i := range samples(t, rand.New(rand.NewSource(2)), 300) {
		x := newIndex(i)
		for s := range i.States {
			for k, c := range i.Calls {
				if got := i.Verdict(s, c.ID); got != x.result(cell{s, k}).Verdict {
					t.Fatalf("sample %d: Verdict(%d, %s) = %s", n, s, c.ID, got)
				}
				for _, o := range append([]string{"", "*", "bogus"}, c.Outcomes...) {
					kind, verdict, to := naive(i, s, c, o)
					seen[kind]++
					for _, r := range []Result{i.Step(s, c.ID, o), x.step(cell{s, k}, o)} {
						if r.Kind != kind || r.Verdict != verdict || r.State != to {
							t.Fatalf("sample %d: Step(%d, %s, %q) = %+v, want %s, %s, %d", n, s, c.ID, o, r, kind, verdict, to)
						}
						if (r.Reason == "") != (kind == StepNext) {
							t.Fatalf("sample %d: Step(%d, %s, %q): %s with reason %q", n, s, c.ID, o, kind, r.Reason)
						}
					}
				}
			}
		}
	}
	for k := StepUnknown; k <= StepInvalid; k++ {
		if seen[k] == 0 {
			t.Errorf("no step was %q", k)
		}
	}
}

func TestStepOutside(t *testing.T) {
	i := read(t, "file")
	for _, r := range []Result{i.Step(-1, "read", ""), i.Step(3, "read", ""), i.Step(0, "fly", ""), i.Start("fly", "")} {
		if r.Kind != StepInvalid || r.State != -1 || r.Verdict != VerdictUnknown {
			t.Errorf("got %+v", r)
		}
	}
	if v := i.Verdict(9, "read"); v != VerdictUnknown {
		t.Errorf("verdict in a state that does not exist: %s", v)
	}
	if v := (Result{}).Kind; v != StepUnknown {
		t.Errorf("zero value is %s", v)
	}
}

func TestStart(t *testing.T) {
	i := read(t, "pool")
	for _, c := range []struct {
		id, outcome string
		kind        StepKind
		verdict     Verdict
		state       int
	}{
		{"Make", "", StepForbidden, VerdictFails, -1},
		{"Make", "nil", StepForbidden, VerdictFails, -1},
		{"Make#2", "nil", StepNext, VerdictAllowed, 0},
		{"Make#2", "non-nil", StepNext, VerdictAllowed, 2},
		{"Make#2", "*", StepAmbiguous, VerdictAllowed, -1},
		{"Make#2", "maybe", StepImpossible, VerdictAllowed, -1},
		{"Restore", "", StepUnknown, VerdictUnknown, -1},
		{"Zero", "", StepNext, VerdictAllowed, 2},
		{"Zero", "return", StepNext, VerdictAllowed, 2},
	} {
		r := i.Start(c.id, c.outcome)
		if r.Kind != c.kind || r.Verdict != c.verdict || r.State != c.state {
			t.Errorf("Start(%s, %q) = %+v", c.id, c.outcome, r)
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, s := range []string{"unknown", "allowed", "fails", "may-fail"} {
		if v, ok := ParseVerdict(s); !ok || v.String() != s {
			t.Errorf("%s: got %s, %t", s, v, ok)
		}
	}
	for _, s := range []string{"", "forbidden", "Allowed"} {
		if v, ok := ParseVerdict(s); ok || v != VerdictUnknown {
			t.Errorf("%q: got %s, %t", s, v, ok)
		}
	}
}
