// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds engine symbolic, to which no depth is given, to what it says of words that are longer than those that it compared:
// what is proved is right for words of any length, and what is only checked to a depth says so.

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

const (
	// depthTruth bounds the exploration of one component.
	depthTruth = 300_000
	// depthWords is how many words an interface with registers is compared on.
	depthWords = 500
)

// depthBudgets are many questions, and so few that a proof often takes more.
var depthBudgets = []int{5_000, 20_000, symbolicBudget / 16}

// A depthTally counts what symbolic says without a depth.
type depthTally struct {
	proved, shallow, undecided int
	broken                     int // checked to a depth, and wrong for longer words
	deepest                    int
}

// TestSymbolicWithoutDepth takes a sample. With -first and -components it takes others, or more.
func TestSymbolicWithoutDepth(t *testing.T) {
	t.Parallel()
	count := *componentCount
	if count == 0 {
		count = loops(16, 60)
	}
	sum := &depthTally{}
	for n := range count {
		seed := int64(*firstComponent + n)
		width := 2 + int(seed)%4
		for _, kind := range []string{"deep", "agree"} {
			source := corpus.RandomDeep(seed, width)
			if kind == "agree" {
				source = corpus.RandomAgree(seed, width)
			}
			p, err := prog.Parse(kind+".open", []byte(source), prog.Options{})
			if err != nil {
				t.Fatalf("%s seed %d: %v\n%s", kind, seed, err, source)
			}
			g, err := newTruth(p, depthTruth)
			if errors.Is(err, errTooLarge) {
				continue
			}
			if err != nil {
				t.Fatalf("%s seed %d: %v\n%s", kind, seed, err, source)
			}
			if err := sum.budgets(g); err != nil {
				t.Errorf("%s seed %d: %v\n%s", kind, seed, err, source)
			}
		}
	}
	t.Logf("%+v", *sum)
	if *componentCount == 0 && !corpus.Race && (sum.proved == 0 || sum.shallow == 0 || sum.broken == 0) {
		t.Errorf("the components do not show what is tested: %+v", *sum)
	}
}

// budgets compares what symbolic says with few questions and with many.
func (s *depthTally) budgets(g *truth) error {
	for _, budget := range depthBudgets {
		i, err := Synthesize(context.Background(), problem.Problem{Program: g.p, Engine: "symbolic", Solver: embedded, Budget: budget})
		if err != nil && problem.Undecided(err) {
			s.undecided++
			continue
		}
		if err == nil {
			err = s.judge(g, i)
		}
		if err != nil {
			return fmt.Errorf("budget %d: %w", budget, err)
		}
	}
	return nil
}

// judge compares an interface with the truth, as far as it says to be right.
func (s *depthTally) judge(g *truth, i *typestate.Interface) error {
	depth := i.Guarantees.Depth
	switch {
	case depth != nil && (i.Settled() || i.Guarantees.Safe != typestate.DepthText(*depth)):
		return fmt.Errorf("depth %d with safe %s, permissive %s", *depth, i.Guarantees.Safe, i.Guarantees.Permissive)
	case depth == nil && i.Guarantees.Safe != typestate.GuaranteeProved:
		return fmt.Errorf("no depth with safe %s", i.Guarantees.Safe)
	case hasRegisters(i):
		s.proved++
		return g.checkWords(i, depthWords)
	case depth == nil:
		s.proved++
		return g.check(i)
	}
	s.shallow++
	s.deepest = max(s.deepest, *depth)
	if err := g.check(i); err != nil {
		return err
	}
	longer := i.Clone()
	longer.Guarantees = typestate.Guarantees{Safe: typestate.GuaranteeProved, Permissive: typestate.GuaranteeProved, Tight: "unknown"}
	if g.check(longer) != nil {
		s.broken++
	}
	return nil
}
