// SPDX-License-Identifier: Apache-2.0

package ladder

// This file checks partial interfaces of code: their certificates pass, every
// outcome leads somewhere, and what they decide is compared along words.

import (
	"context"
	"testing"

	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// partialSource has a call that is not decided with few refinements, because it
// depends on what a loop computed, and results that cannot happen everywhere.
const partialSource = `component Partial
	state on bool = false, n int64 = 0
	method Start() (ok bool) { if on { return false }; on = true; return true }
	method Work(k int64) (done bool) {
		var i int64 = 0
		while i < k { i++; n = n + i*i }
		return n > 100
	}
	method Stop() { if !on { error "not started" }; on = false; n = 0 }
	method Check() { if n*n*n == 12167 && on { error "unlucky" } }`

func TestPartialIsOpen(t *testing.T) {
	p, err := synth.Parse(synth.Source{Filename: "partial.open", Text: []byte(partialSource)})
	if err != nil {
		t.Fatal(err)
	}
	s := &search{strategy: synth.Strategy{Engine: "cegar", NoWrap: true, Certificate: true}, budget: problem.DefaultBudget}
	q := s.limited(1).task(1<<14, 1)
	i, err := q.Synthesize(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(i.Unknown) == 0 {
		t.Fatal("the test is weak: everything is decided")
	}
	if i.Guarantees.Safe != "proved" || i.Certificate == nil {
		t.Errorf("safe: %s, %v", i.Guarantees.Safe, i.Stats)
	}
	nowhere := -1
	for _, s := range i.States {
		if s.Label == "false" {
			nowhere = s.ID
		}
	}
	if nowhere < 0 {
		t.Fatal("the test is weak: every outcome can happen everywhere")
	}
	for _, s := range i.States {
		for _, c := range i.Calls {
			if i.Verdict(s.ID, c.ID).Forbidden() {
				continue
			}
			for _, o := range c.Outcomes {
				covered := false
				for _, e := range i.Edges {
					covered = covered || e.From == s.ID && e.Call == c.ID && (e.Outcome == o || e.Outcome == "*")
				}
				if !covered {
					t.Errorf("state %d: %s=%s leads nowhere", s.ID, c.ID, o)
				}
			}
			if v := i.Verdict(nowhere, c.ID); v != typestate.VerdictUnknown {
				t.Errorf("%s is %v where no object can be", c.ID, v)
			}
		}
	}
}

func TestDecision(t *testing.T) {
	zero, one := 0, 1
	base := func() *typestate.Interface {
		return &typestate.Interface{Guarantees: typestate.Guarantees{Safe: "proved"},
			Constructors: []typestate.Constructor{{ID: "new", Verdict: "allowed", State: &zero}},
			Calls:        []typestate.Call{{ID: "a", Outcomes: []string{"true", "false"}}, {ID: "b", Outcomes: []string{"return"}}},
			States:       []typestate.State{{ID: 0}, {ID: 1}},
			Edges:        []typestate.Edge{{From: 0, Call: "a", Outcome: "*", To: 1}, {From: 0, Call: "b", Outcome: "*", To: 0}, {From: 1, Call: "a", Outcome: "*", To: 1}, {From: 1, Call: "b", Outcome: "*", To: 0}}}
	}
	whole := base()
	late := base() // unknown only after a
	late.Unknown = []typestate.Unknown{{State: 1, Call: "b"}}
	early := base()
	early.Unknown = []typestate.Unknown{{State: 0, Call: "b"}}
	may := base()
	may.Edges = may.Edges[1:]
	may.Forbidden = []typestate.Forbidden{{State: 0, Call: "a", Verdict: "may-fail"}}
	fails := base()
	fails.Edges = fails.Edges[1:]
	fails.Forbidden = []typestate.Forbidden{{State: 0, Call: "a", Verdict: "fails"}}
	unproved := base()
	unproved.Guarantees.Safe = "unknown"
	lost := base()
	lost.Constructors = append(lost.Constructors, typestate.Constructor{ID: "other", Verdict: "unknown", State: &one})
	never := base() // one of its outcomes does not happen
	never.States = append(never.States, typestate.State{ID: 2, Label: "false"})
	never.Edges[0].Outcome = "true"
	never.Edges = append(never.Edges, typestate.Edge{From: 0, Call: "a", Outcome: "false", To: 2})
	never.Unknown = []typestate.Unknown{{State: 2, Call: "a"}, {State: 2, Call: "b"}}
	order := []struct {
		name string
		i    *typestate.Interface
	}{{"fails", fails}, {"whole", whole}, {"late", late}, {"lost", lost}, {"early", early}, {"may", may}, {"unproved", unproved}}
	for k := range order[1:] {
		a, b := order[k], order[k+1]
		if x, y := decision(a.i), decision(b.i); x < y {
			t.Errorf("%s decides %d, %s %d", a.name, x, b.name, y)
		}
	}
	if decision(late) <= decision(early) || decision(whole) <= decision(late) || decision(unproved) != 0 {
		t.Errorf("whole %d, late %d, early %d, unproved %d", decision(whole), decision(late), decision(early), decision(unproved))
	}
	if decision(never) != decision(whole) {
		t.Errorf("an outcome that does not happen counts: %d, without %d", decision(never), decision(whole))
	}
}
