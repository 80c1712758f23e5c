// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds tight interfaces of the engines with predicates to those of
// exploration, which are unique, and to the full interface of the paper.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// TestTightExample15 is Example 15 of the paper at 32 bits: the predicate f = 0 is
// found, and the full interface has four states, its fifth being for words that
// cannot happen.
func TestTightExample15(t *testing.T) {
	t.Parallel()
	var cores [][]byte
	for _, engine := range []string{"cegar", "witness", "auto"} {
		var trace []string
		i, err := Synthesize(context.Background(), problem.Problem{Program: parse(t, p4Source), Engine: engine, Solver: embedded, Tight: true,
			Refined: func(r problem.Refinement) {
				if r.Abstraction == "tightness" {
					trace = append(trace, r.String())
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		if len(i.States) != 4 || i.Guarantees.Tight != "yes" || i.Certificate == nil || !problem.Complete(i) {
			t.Errorf("%s: %d states, %+v, %v", engine, len(i.States), i.Guarantees, i.Stats)
		}
		if want := []string{"acq=false: tightness: f == 0"}; !slices.Equal(trace, want) {
			t.Errorf("%s: %q, want %q", engine, trace, want)
		}
		var labels []string
		for _, s := range i.States {
			labels = append(labels, s.Label)
		}
		if want := []string{"a == 0 && f == 0", "a == 0 && f != 0", "a != 0 && f == 0", "a != 0 && f != 0"}; !slices.Equal(labels, want) {
			t.Errorf("%s: labels %q, want %q", engine, labels, want)
		}
		cores = append(cores, i.Core())
	}
	// The narrow one is that of exploration.
	for _, core := range cores[1:] {
		if !bytes.Equal(core, cores[0]) {
			t.Errorf("engines differ:\n%s\n%s", cores[0], core)
		}
	}
}

// tightAgainstDirect compares an engine with exploration. It returns what the
// engine says of tightness, or that it has no answer.
func tightAgainstDirect(t *testing.T, name, engine string, p *prog.Program) string {
	t.Helper()
	want, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "direct", Tight: true})
	if err != nil {
		return "undecided"
	}
	i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: engine, Solver: embedded, Tight: true, Budget: cegarBudget})
	var refusal *problem.Refusal
	switch {
	case problem.Undecided(err):
		return "undecided"
	case errors.As(err, &refusal):
		return "refused"
	case err != nil:
		t.Errorf("%s: %v", name, err)
		return "undecided"
	}
	if err := i.Validate(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	// Exploration tells all integers apart, and always knows that a call fails.
	integers := func(m *prog.Method) bool {
		return slices.ContainsFunc(slices.Concat(m.Params, m.Results), func(v *prog.Var) bool { return v.Type.Sort.Kind == term.BitVecKind })
	}
	core := func(i *typestate.Interface) []byte {
		return bytes.ReplaceAll(i.Core(), []byte("may-fail"), []byte("fails"))
	}
	unique := !slices.ContainsFunc(slices.Concat(p.Constructors, p.Methods), integers)
	if unique && i.Guarantees.Tight == "yes" && !bytes.Equal(core(i), core(want)) {
		t.Errorf("%s: %s: another tight interface\n%s\nthan exploration has\n%s", name, engine, i.Core(), want.Core())
	}
	o := newOracle(p, i)
	if err := o.run(context.Background(), 3_000); err != nil {
		t.Errorf("%s: %s: %v", name, engine, err)
	}
	return i.Guarantees.Tight
}

func TestTightCorpus(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	var loose []string
	for n, c := range loadCorpus(t) {
		if c.Has("-serial") || os.Getenv("CI") != "true" && n%3 > 0 {
			continue
		}
		p, err := prog.Parse(c.File, []byte(c.Source), prog.Options{Width: c.OracleWidth()})
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range []string{"cegar", "witness"} {
			s := tightAgainstDirect(t, c.Name, engine, p)
			count[engine+" "+s]++
			if s != "yes" {
				loose = append(loose, fmt.Sprintf("%s %s: %s", c.Name, engine, s))
			}
		}
	}
	t.Logf("%v %q", count, loose)
	if corpus.Race {
		return
	}
	if 3*count["cegar yes"] < 2*(count["cegar yes"]+count["cegar unknown"]+count["cegar undecided"]) || count["witness yes"] == 0 {
		t.Errorf("too few tight interfaces: %v", count)
	}
}

func TestTightRandom(t *testing.T) {
	t.Parallel()
	seeds := loops(60, 400)
	count := map[string]int{}
	for seed := range seeds {
		p, err := prog.Parse("random.open", []byte(corpus.Random(int64(seed), corpus.RandomOptions{})), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		count[tightAgainstDirect(t, fmt.Sprintf("seed %d", seed), "cegar", p)]++
	}
	t.Logf("%v", count)
	if 2*count["yes"] < seeds {
		t.Errorf("too few tight interfaces: %v", count)
	}
}

// TestTightGivesUp is about a component whose full interface has a state per value.
func TestTightGivesUp(t *testing.T) {
	t.Parallel()
	p := parse(t, `component Buffer
		state n uint32 = 0
		method put() { n++ }
		method get() (ok bool) { if n == 0 { return false }; n--; return true }`)
	i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded, Tight: true, NoWrap: true, Budget: cegarBudget / 8})
	if err != nil {
		t.Fatal(err)
	}
	if i.Guarantees.Tight != "unknown" || i.Guarantees.Safe != "proved" || !problem.Complete(i) {
		t.Errorf("%+v\n%s", i.Guarantees, file(t, i))
	}
}
