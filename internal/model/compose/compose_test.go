// SPDX-License-Identifier: Apache-2.0

package compose_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/model/compose"
	"github.com/interlock-go/interlock/internal/model/fsp"
	"github.com/interlock-go/interlock/internal/model/judge"
	"github.com/interlock-go/interlock/internal/model/lts"
)

// random makes a component over some of the actions; it may have errors of its own.
func random(rng *rand.Rand, name string, errs bool) *lts.System {
	var names []string
	for _, a := range []string{"a", "b", "c", "d", "e"} {
		if rng.IntN(2) == 0 {
			names = append(names, a)
		}
	}
	b := lts.NewBuilder(names...)
	n := int32(1 + rng.IntN(4))
	for range 1 + rng.IntN(10) {
		action := lts.Hidden
		if len(names) > 0 && rng.IntN(8) > 0 {
			action = b.Action(names[rng.IntN(len(names))])
		}
		to := rng.Int32N(n)
		if errs && rng.IntN(6) == 0 {
			to = lts.Error
		}
		b.Edge(rng.Int32N(n), action, to)
	}
	return b.System(name, 0)
}

// property makes a deterministic automaton and completes it.
func property(t *testing.T, rng *rand.Rand) *lts.System {
	t.Helper()
	names := []string{"a", "b", "c", "d", "e"}[rng.IntN(3):][:1+rng.IntN(3)]
	b := lts.NewBuilder(names...)
	n := int32(1 + rng.IntN(3))
	for s := range n {
		for _, a := range names {
			if rng.IntN(4) > 0 {
				b.Edge(s, b.Action(a), rng.Int32N(n))
			}
		}
	}
	p, err := b.System("P", 0).Property()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func dump(list []*lts.System) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%s %v\n", s.Name, s.Alphabet)
		for x := range int32(s.States()) {
			for _, e := range s.Edges(x) {
				fmt.Fprintf(&b, "  %d -%s-> %d\n", x, s.Label(e), e.To)
			}
		}
	}
	return b.String()
}

// TestRandom compares the rule, by synthesis and by learning, with direct composition.
func TestRandom(t *testing.T) {
	n := 800
	if os.Getenv("CI") == "true" {
		n = 5000
	}
	rng := rand.New(rand.NewPCG(39, 3))
	holds, violated, learned, own := 0, 0, 0, 0
	for k := range n {
		var parts []*lts.System
		for c := range 2 + rng.IntN(3) {
			parts = append(parts, random(rng, fmt.Sprint("M", c), k%3 == 0))
		}
		properties := []*lts.System{property(t, rng)}
		if rng.IntN(4) == 0 {
			properties = append(properties, property(t, rng))
		}
		direct, err := compose.Check(context.Background(), parts, nil, properties, 0)
		if err != nil {
			t.Fatal(err)
		}
		all := append(append([]*lts.System{}, parts...), properties...)
		for _, l := range append([]learn.Learner{{}}, learn.Learners()...) {
			s := compose.System{Components: parts, Properties: properties}
			if l.Run != nil {
				s.Learn = &l
			}
			r, err := compose.Verify(context.Background(), s)
			if err != nil && l.Run != nil && strings.HasPrefix(err.Error(), "-learn: ") {
				own++
				continue
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, dump(all))
			}
			if l.Run != nil {
				learned++
			}
			if (r.Violation == nil) != (direct.Violation == nil) {
				t.Fatalf("%s: violated %v, and directly %v\n%s", l.Name, r.Violation, direct.Violation, dump(all))
			}
			if r.Violation == nil {
				holds++
				continue
			}
			violated++
			if !r.Violation.Shortest || len(r.Violation.Trace) != len(direct.Violation.Trace) {
				t.Fatalf("the run %v is not shortest: %v\n%s", r.Violation.Trace, direct.Violation.Trace, dump(all))
			}
			if !judge.Replay(all, r.Violation.Trace) || r.Violation.Why == "" {
				t.Fatalf("the run %v, %q", r.Violation, r.Violation.Why)
			}
		}
	}
	t.Logf("%d systems: holds %d, violated %d, learned %d, not learned because of own errors %d", n, holds, violated, learned, own)
	if holds == 0 || violated == 0 || learned == 0 || own == 0 {
		t.Error("the systems are too simple to tell anything")
	}
}

func model(t *testing.T, text, name string) *lts.System {
	t.Helper()
	m, err := fsp.Parse("m.lts", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.System(context.Background(), name, 10000)
	if err != nil {
		t.Fatal(err)
	}
	return r.System
}

const inputOutput = `
Input = (input -> send -> acknowledge -> Input).
Output = (send -> output -> acknowledge -> Output).
Faulty = (send -> Sent), Sent = (send -> Sent | output -> acknowledge -> Faulty | acknowledge -> acknowledge -> Faulty).
property Order = (input -> output -> Order).
`

// TestInputOutput is the example of TACAS 2003.
func TestInputOutput(t *testing.T) {
	input, order := model(t, inputOutput, "Input"), model(t, inputOutput, "Order")
	s := compose.System{Components: []*lts.System{input, model(t, inputOutput, "Output")}, Properties: []*lts.System{order}}
	r, err := compose.Verify(context.Background(), s)
	if err != nil || r.Violation != nil || len(r.Assumptions) != 1 || len(r.Assumptions[0].Interface.States) != 4 {
		t.Errorf("%+v %v, want an assumption of 4 states", r, err)
	}
	l := learn.Learners()[0]
	s.Learn = &l
	if r, err = compose.Verify(context.Background(), s); err != nil || r.Violation != nil || len(r.Assumptions) != 1 {
		t.Errorf("learned: %+v %v", r, err)
	}
	s.Components[1] = model(t, inputOutput, "Faulty")
	for _, s.Learn = range []*learn.Learner{nil, &l} {
		r, err = compose.Verify(context.Background(), s)
		if err != nil || r.Violation == nil || strings.Join(r.Violation.Trace, " ") != "input send acknowledge input" || r.Violation.Why != "property Order is violated" {
			t.Errorf("a faulty Output: %+v %v", r.Violation, err)
		}
	}
}
