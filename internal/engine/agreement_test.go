// SPDX-License-Identifier: Apache-2.0

package engine

// This file compares all engines on random components. Each interface is followed along
// all words by the reference interpreter, so that two engines which differ on a word that can
// happen are found by the one that is wrong. Engines that compute the table give the same
// bytes; how often the others give them is counted.

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

var (
	agreeFirst = flag.Int("agree.first", 0, "the first seed of TestEnginesAgree")
	agreeCount = flag.Int("agree.count", 0, "how many seeds TestEnginesAgree takes; 0: a sample")
)

const (
	// agreeBudget is enough for nearly all components, agreeLearning for engines that
	// ask one question at a time.
	agreeBudget, agreeLearning = 20_000, 5_000
	// agreeCalls bounds the calls of the interpreter for one interface.
	agreeCalls = 300
	// agreeWords is how many words are tried of an interface with registers.
	agreeWords = 60
)

// An agreeTally counts what engines answered.
type agreeTally struct {
	answers, partial, refused, undecided, judged, bytes int
}

// TestEnginesAgree takes a sample. All of it:
//
//	go test ./internal/engine -run TestEnginesAgree -agree.count 20000 -timeout 3h
func TestEnginesAgree(t *testing.T) {
	t.Parallel()
	count := *agreeCount
	if count == 0 {
		count = loops(60, 600)
	}
	counts := map[string]*agreeTally{}
	for seed := *agreeFirst; seed < *agreeFirst+count; seed++ {
		width := 2 + seed%4
		source := corpus.RandomAgree(int64(seed), width)
		p := parse(t, source)
		for _, tight := range []bool{false, true} {
			if tight && seed%4 > 0 {
				continue
			}
			if err := agree(t, p, tight, counts); err != nil {
				t.Errorf("seed %d, width %d, tight %v: %v\n%s", seed, width, tight, err, source)
			}
		}
	}
	for _, e := range agreeing {
		if n := counts[e.String()]; n != nil {
			t.Logf("%v: %+v", e, *n)
		}
	}
}

// agreeing are the engines that are compared: first those that compute the table.
var agreeing = []variant{{"direct", ""}, {"hide", ""}, {"learn", "lsharp"}, {"learn", "ttt"}, {"cegar", ""}, {"symbolic", ""}, {"witness", ""}}

func agree(t *testing.T, p *prog.Program, tight bool, counts map[string]*agreeTally) error {
	var want, first *typestate.Interface
	var judged [][]byte
	for _, v := range agreeing {
		n := counts[v.String()]
		if n == nil {
			n = &agreeTally{}
			counts[v.String()] = n
		}
		budget := agreeBudget
		if v.engine == "learn" {
			budget = agreeLearning
		}
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: v.engine, Learner: v.learner, Tight: tight, Solver: embedded, Budget: budget})
		var refusal *problem.Refusal
		switch {
		case errors.As(err, &refusal):
			n.refused++
			continue
		case err != nil && problem.Undecided(err):
			n.undecided++
			continue
		case err != nil:
			return fmt.Errorf("%v: %w", v, err)
		case !problem.Proved(i):
			n.undecided++ // checked to some depth
			continue
		case !problem.Complete(i):
			n.partial++
		default:
			n.answers++
		}
		core := i.Core()
		if !slices.ContainsFunc(judged, func(k []byte) bool { return bytes.Equal(k, core) }) {
			judged = append(judged, core)
			n.judged++
			if err := followed(p, i); err != nil {
				return fmt.Errorf("%v: %w", v, err)
			}
		}
		if !problem.Complete(i) {
			continue
		}
		table := v.engine == "direct" || v.engine == "hide" || v.engine == "learn"
		if first == nil && table {
			first = i
		}
		if want = first; want == nil {
			continue
		}
		if !bytes.Equal(core, want.Core()) {
			n.bytes++
			if table {
				return fmt.Errorf("%v: another core\n%s\nwant\n%s", v, core, want.Core())
			}
		}
	}
	return nil
}

// followed compares an interface with the interpreter: along all words up to a number of
// calls, or along some words if it has registers, whose values only the words tell.
func followed(p *prog.Program, i *typestate.Interface) error {
	o := newOracle(p, i)
	if !hasRegisters(i) {
		return o.run(context.Background(), agreeCalls)
	}
	w := &wordMaker{oracle: o, Rand: rand.New(rand.NewPCG(1, 2))}
	for range agreeWords {
		if err := w.word(context.Background(), 6); err != nil {
			return err
		}
	}
	return nil
}

// TestSameBytes gives components to engines that once gave other bytes for them.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/agree/*.open")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := parse(t, string(source))
		var want []byte
		for _, engine := range []string{"direct", "learn", "cegar", "symbolic"} {
			i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: engine, Solver: embedded})
			if err != nil || !problem.Proved(i) || !problem.Complete(i) {
				t.Errorf("%s: %s: %v", file, engine, err)
				continue
			}
			if core := i.Core(); want == nil {
				want = core
			} else if !bytes.Equal(core, want) {
				t.Errorf("%s: %s: another core\n%s\nwant\n%s", file, engine, core, want)
			}
		}
	}
}
