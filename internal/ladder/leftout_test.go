// SPDX-License-Identifier: Apache-2.0

package ladder

import (
	"context"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// TestGoLeftOut has a type with methods that are too large: calls of them are unknown in all
// states, and so is everything after them; the other methods have verdicts.
func TestGoLeftOut(t *testing.T) {
	ctx := context.Background()
	r, err := golang.Compile(ctx, golang.Subject{Package: "time", Type: "Time"}, golang.Options{Errors: []string{"panic"}})
	if err != nil {
		t.Fatal(err)
	}
	out := r.LeftOut()
	if len(out) == 0 {
		t.Fatal("no method is too large")
	}
	i, err := Synthesize(ctx, Component{Result: r, Name: "time.Time"}, synth.Strategy{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	decided := 0
	for _, c := range i.Calls {
		for _, s := range i.States {
			v := i.Verdict(s.ID, c.ID)
			if slices.Contains(out, c.Method) && v != typestate.VerdictUnknown {
				t.Errorf("%s is left out, and %v in state %d", c.ID, v, s.ID)
			}
			if v != typestate.VerdictUnknown {
				decided++
			}
		}
	}
	if decided < len(i.Calls)/2 {
		t.Errorf("only %d cells of %d calls are decided", decided, len(i.Calls))
	}
	for _, e := range i.Edges {
		if !slices.Contains(out, e.Call) {
			continue
		}
		for _, c := range i.Calls {
			if v := i.Verdict(e.To, c.ID); v != typestate.VerdictUnknown {
				t.Errorf("%s is %v in state %d, after %s", c.ID, v, e.To, e.Call)
			}
		}
	}
	// There is no certificate of what was left out.
	if _, err := Synthesize(ctx, Component{Result: r, Name: "time.Time"}, synth.Strategy{Certificate: true}, 0); !isUndecided(err) {
		t.Errorf("with a certificate: %v", err)
	}
}
