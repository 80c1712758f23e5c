// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds every engine to the interpreter on random programs of the
// size of a small class, and counts what is left unknown, by reason.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// A census counts what an engine says about many components.
type census struct {
	components, complete, refused int
	cells, unknown                int
	share                         float64        // of unknown cells, summed over components
	reasons                       map[string]int // unknown cells
}

func newCensus() *census { return &census{reasons: map[string]int{}} }

// add counts an interface. Constructors are cells too.
func (c *census) add(i *typestate.Interface) {
	cells, unknown := len(i.States)*len(i.Calls), 0
	lost := func(reason string) {
		unknown++
		c.reasons[kindOfReason(reason)]++
	}
	for _, u := range i.Unknown {
		lost(u.Reason)
	}
	seen := map[string]bool{}
	for _, k := range i.Constructors {
		if seen[k.ID] {
			continue
		}
		seen[k.ID] = true
		cells++
		if k.Verdict == "unknown" {
			lost(k.Reason)
		}
	}
	c.count(cells, unknown)
}

// addNothing counts that there is no interface of a component with so many
// cells: as many unknown verdicts.
func (c *census) addNothing(cells int, reason string) {
	c.reasons[kindOfReason(reason)] += cells
	c.count(cells, cells)
}

func (c *census) count(cells, unknown int) {
	c.components++
	if unknown == 0 {
		c.complete++
	}
	c.cells += cells
	c.unknown += unknown
	c.share += float64(unknown) / float64(max(cells, 1))
}

func (c *census) join(d *census) {
	c.components += d.components
	c.complete += d.complete
	c.refused += d.refused
	c.cells += d.cells
	c.unknown += d.unknown
	c.share += d.share
	for r, n := range d.reasons {
		c.reasons[r] += n
	}
}

// most reports whether more than one verdict in ten is unknown, of all or in
// the mean of the components.
func (c *census) most() bool {
	return 10*c.unknown > c.cells || 10*c.share > float64(c.components)
}

func (c *census) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d components, %d complete, %d refused; %d cells, %d unknown, %.1f%% in the mean",
		c.components, c.complete, c.refused, c.cells, c.unknown, 100*c.share/float64(max(c.components, 1)))
	for _, r := range slices.Sorted(maps.Keys(c.reasons)) {
		fmt.Fprintf(&b, "; %d: %s", c.reasons[r], r)
	}
	return b.String()
}

var (
	reasonNames  = regexp.MustCompile(`\b(of|about|by|in|decides|after) [^;:]*`)
	reasonDigits = regexp.MustCompile(`\d+`)
)

// kindOfReason leaves names and numbers out of a reason.
func kindOfReason(s string) string {
	return reasonDigits.ReplaceAllString(reasonNames.ReplaceAllString(s, "$1 ..."), "N")
}

// cellsOf is the number of cells of an interface as census counts them.
func cellsOf(i *typestate.Interface) int {
	c := newCensus()
	c.add(i)
	return c.cells
}

// programEngines are the engines that are compared with the interpreter; "short
// of questions" is cegar with a budget that often runs out.
var programEngines = []string{"learn", "hide", "cegar", "short of questions", "witness", "abstract", "symbolic", "auto"}

// The programs whose counts are in the golden file, and how many are tried.
const goldenPrograms = 60

// programBudget is a quarter of the default; few programs need more.
const programBudget = 8_000 * problem.QuestionCost

func programCount() int {
	switch {
	case corpus.Race:
		return 4
	case os.Getenv("CI") == "true":
		return 240
	case testing.Short():
		return goldenPrograms / 2
	}
	return goldenPrograms
}

// A programSurvey is what all engines say about some programs.
type programSurvey struct {
	judged int
	all    map[string]*census // by name of programEngines
	golden map[string]*census // of the first programs
}

func newProgramSurvey() *programSurvey {
	s := &programSurvey{all: map[string]*census{}, golden: map[string]*census{}}
	for _, name := range programEngines {
		s.all[name], s.golden[name] = newCensus(), newCensus()
	}
	return s
}

// TestPrograms compares every engine with exhaustive interpretation.
func TestPrograms(t *testing.T) {
	t.Parallel()
	const shards = 4
	count := programCount()
	var parts [shards]*programSurvey
	t.Run("all", func(t *testing.T) {
		for k := range shards {
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				t.Parallel()
				parts[k] = newProgramSurvey()
				for seed := k; seed < count && !t.Failed(); seed += shards {
					parts[k].program(t, seed)
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	sum := newProgramSurvey()
	for _, s := range parts {
		sum.judged += s.judged
		for _, name := range programEngines {
			sum.all[name].join(s.all[name])
			sum.golden[name].join(s.golden[name])
		}
	}
	got := map[string]string{}
	for _, name := range programEngines {
		t.Logf("%s: %v", name, sum.all[name])
		if name != "short of questions" { // which every change to the engine changes
			got[name] = sum.golden[name].String()
		}
	}
	if 10*sum.judged < 9*count {
		t.Errorf("only %d of %d programs were small enough to explore", sum.judged, count)
	}
	for _, name := range []string{"cegar", "auto"} {
		if c := sum.all[name]; c.most() {
			t.Errorf("%s leaves too much unknown: %v", name, c)
		}
	}
	if count >= goldenPrograms {
		golden(t, filepath.Join("testdata", "programs.txt"), got)
	}
}

// program tries one program, if it is small enough to explore.
func (s *programSurvey) program(t *testing.T, seed int) {
	source := corpus.RandomProgram(int64(seed), corpus.MinWidth)
	p, err := prog.Parse("program.open", []byte(source), prog.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, source)
	}
	g, err := newTruth(p, 1_000_000)
	if errors.Is(err, errTooLarge) {
		return
	}
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, source)
	}
	s.judged++
	exact, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "direct", Budget: corpusBudget})
	if err != nil {
		t.Fatalf("seed %d: direct: %v\n%s", seed, err, source)
	}
	if err := g.check(exact); err != nil {
		t.Fatalf("seed %d: direct: %v\n%s\n%s", seed, err, source, file(t, exact))
	}
	for _, name := range programEngines {
		if name == "symbolic" && seed%3 != 0 {
			continue // it takes longest
		}
		pr := problem.Problem{Program: p, Engine: name, Solver: embedded, Budget: programBudget}
		switch name {
		case "learn":
			pr.Learner = explicit.Learners()[seed%len(explicit.Learners())].Name
		case "abstract":
			pr.Predicates = somePredicates(p)
		case "symbolic":
			pr.Budget, pr.Depth = 3_000*problem.QuestionCost, seed/3%4 // 0: as deep as it takes
		case "short of questions":
			pr.Engine, pr.Budget = "cegar", (300+seed*37%2000)*problem.QuestionCost
		}
		one := newCensus()
		i, err := Synthesize(context.Background(), pr)
		var refusal *problem.Refusal
		switch {
		case errors.As(err, &refusal) && (name == "hide" || name == "witness"):
			one.refused++
		case err != nil && problem.Undecided(err):
			one.addNothing(cellsOf(exact), "no interface: "+err.Error())
		case err != nil:
			t.Fatalf("seed %d: %s: %v\n%s", seed, name, err, source)
		default:
			one.add(i)
			if err := g.check(i); err != nil {
				t.Fatalf("seed %d: %s: %v\n%s\n%s", seed, name, err, source, file(t, i))
			}
			if slices.Contains([]string{"learn", "hide", "auto"}, name) && !bytes.Equal(i.Core(), exact.Core()) {
				t.Fatalf("seed %d: another core by %s\n%s\nwant\n%s\n%s", seed, name, i.Core(), exact.Core(), source)
			}
		}
		s.all[name].join(one)
		if seed < goldenPrograms {
			s.golden[name].join(one)
		}
	}
}

// somePredicates are conditions of the component's own code over its state.
func somePredicates(p *prog.Program) []string {
	var list []string
	for _, m := range p.Methods {
		for _, t := range describe.Conditions(m) {
			if describe.OverVars(t, p.State) {
				if s := prog.FormatExpr(p, p.State, t); len(list) < 4 && !slices.Contains(list, s) {
					list = append(list, s)
				}
			}
		}
	}
	return list
}
