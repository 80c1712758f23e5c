// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds every engine to the corpus: the hand-derived expectation,
// the same core from every engine and learner (or the refusal that is written
// in testdata/refusals.txt), and agreement with the reference interpreter on
// all words up to a depth.

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

var update = flag.Bool("update", false, "rewrite golden files")

// loops is the number of random inputs.
func loops(usual, ci int) int { return corpus.Loops(usual, ci) }

// loadCorpus returns the corpus; a sample of it under the race detector.
func loadCorpus(t *testing.T) []corpus.Case {
	t.Helper()
	cases, err := corpus.Load(filepath.Join("..", "..", "testdata", "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	if corpus.Race {
		var sample []corpus.Case
		for n := 0; n < len(cases); n += 12 {
			sample = append(sample, cases[n])
		}
		return sample
	}
	return cases
}

func parseCase(t *testing.T, c corpus.Case) *prog.Program {
	t.Helper()
	p, err := prog.Parse(c.File, []byte(c.Source), prog.Options{Width: c.Width()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type variant struct{ engine, learner string }

func variants() []variant {
	list := []variant{{"direct", ""}, {"auto", ""}, {"hide", ""}}
	for _, l := range explicit.Learners() {
		list = append(list, variant{"learn", l.Name})
	}
	return list
}

func (v variant) String() string {
	if v.learner == "" {
		return v.engine
	}
	return v.engine + "/" + v.learner
}

// corpusBudget is enough for every case that an engine can do well, and small
// enough that a hopeless one is given up soon.
const corpusBudget = 1 << 20

func TestCorpus(t *testing.T) {
	t.Parallel()
	refusals := map[string]string{}
	for _, c := range loadCorpus(t) {
		t.Run(c.Name, func(t *testing.T) {
			p := parseCase(t, c)
			var want []byte
			for _, v := range variants() {
				i, err := Synthesize(context.Background(), problem.Problem{
					Program: p, Engine: v.engine, Learner: v.learner, Budget: corpusBudget, Workers: 2,
					Serial: c.Has("-serial"), Tight: c.Has("-tight"),
				})
				if err != nil {
					var r *problem.Refusal
					if !errors.As(err, &r) && !problem.Undecided(err) {
						t.Errorf("%v: %v", v, err)
					}
					if v.engine != "hide" {
						t.Errorf("%v: %v", v, err)
					}
					refusals[c.Name+" "+v.String()] = err.Error()
					continue
				}
				if err := i.Validate(); err != nil {
					t.Errorf("%v: %v", v, err)
				}
				if want == nil {
					want = i.Core()
					for _, d := range c.Expect.Check(i) {
						t.Errorf("%s", d)
					}
					if t.Failed() {
						var b bytes.Buffer
						typestate.Write(&b, i)
						t.Logf("%s", b.String())
					}
				} else if !bytes.Equal(want, i.Core()) {
					t.Errorf("%v: another core than %v:\n%s\nwant\n%s", v, variants()[0], i.Core(), want)
				}
			}
		})
	}
	golden(t, filepath.Join("testdata", "refusals.txt"), refusals)
}

// golden compares a map with a file of lines "key: value".
func golden(t *testing.T, file string, got map[string]string) {
	t.Helper()
	var keys []string
	for k := range got {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "%s: %s\n", k, got[k])
	}
	if corpus.Race { // a sample
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if !strings.Contains("\n"+string(want), "\n"+line) {
				t.Errorf("%s does not have the line\n%s", file, line)
			}
		}
		return
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != b.String() {
		t.Errorf("%s differs (run with -update to rewrite):\n%s", file, b.String())
	}
}
