// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/cegar"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// TestPlain holds attempts without what must happen to the reference interpreter: whatever they say is right, they never say that a call
// may fail, and where no call may both fail and return they decide nearly everything.
func TestPlain(t *testing.T) {
	t.Parallel()
	decided, left, both, fails := 0, 0, 0, 0
	one := func(seed int, source string) {
		t.Helper()
		p, err := prog.Parse("random.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, err := newTruth(p, 100_000)
		if errors.Is(err, errTooLarge) {
			return
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded, Plain: true, Refinements: 8, Budget: 1 << (13 + seed%4)})
		if err != nil {
			if !problem.Undecided(err) {
				t.Errorf("seed %d: %v\n%s", seed, err, source)
			}
			return
		}
		if err := g.check(i); err != nil {
			t.Errorf("seed %d: %v\n%s\n%s", seed, err, source, file(t, i))
		}
		for _, f := range i.Forbidden {
			if f.Verdict != "fails" {
				t.Errorf("seed %d: %s is %s\n%s", seed, f.Call, f.Verdict, source)
			}
			fails++
		}
		exact, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "direct", Budget: corpusBudget})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range i.Unknown {
			if strings.HasSuffix(u.Reason, cegar.Either) {
				both++
			}
		}
		may := slices.ContainsFunc(exact.Forbidden, func(f typestate.Forbidden) bool { return f.Verdict == "may-fail" }) ||
			slices.ContainsFunc(exact.Constructors, func(k typestate.Constructor) bool { return k.Verdict != "allowed" })
		if !may {
			decided += cellsOf(i) - len(i.Unknown)
			left += len(i.Unknown)
		}
	}
	for seed := range loops(100, 400) {
		one(seed, corpus.Random(int64(seed), corpus.RandomOptions{}))
		one(seed, corpus.RandomProgram(int64(seed), corpus.MinWidth))
	}
	t.Logf("%d cells decided and %d not where no call may fail, %d given up because it may, %d fail", decided, left, both, fails)
	if decided == 0 || both == 0 || fails == 0 {
		t.Errorf("%d cells decided, %d given up, %d fail: the test says nothing", decided, both, fails)
	}
	if !corpus.Race && 10*left > decided { // of few cells, as with the race detector, the share is chance
		t.Errorf("%d of %d cells are not decided although no call may fail", left, decided+left)
	}
}

// TestPlainAsksLess checks that a component of which a call depends on guesses takes few questions: what an erring run needs is not asked.
func TestPlainAsksLess(t *testing.T) {
	t.Parallel()
	questions := map[bool]int64{}
	for _, plain := range []bool{false, true} {
		p := parse(t, `
component Writer
state open bool = true, held int64 = 0, err int64 = 0
method Write(n int64) (ok bool) {
  var x int64
  if !open { error "closed" }
  if err != 0 { return false }
  held = held + n
  x = guess
  if x > held { err = x }
  return err == 0
}
method Close() (ok bool) {
  var x int64
  x = guess
  if x > held { return false }
  open = false
  return true
}
`)
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded, Plain: plain, Refinements: 8, Budget: 1 << 16, NoWrap: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(i.Unknown) > 0 || len(i.Forbidden) != 1 || i.Forbidden[0].Verdict != "fails" {
			t.Errorf("plain %v: %v", plain, string(file(t, i)))
		}
		questions[plain] = i.Stats["solverQuestions"]
	}
	if 4*questions[true] > 3*questions[false] {
		t.Errorf("%d questions, and %d of what must happen too", questions[true], questions[false])
	}
}
