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
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// A census counts what an engine says about many components.
type census struct {
	components, complete, refused int
	cells, unknown                int
	reasons                       map[string]int // unknown cells
}

// add counts an interface. Constructors are cells too.
func (c *census) add(i *typestate.Interface) {
	c.components++
	if complete(i) {
		c.complete++
	}
	c.cells += len(i.States) * len(i.Calls)
	for _, u := range i.Unknown {
		c.lost(1, u.Reason)
	}
	seen := map[string]bool{}
	for _, k := range i.Constructors {
		if seen[k.ID] {
			continue
		}
		seen[k.ID] = true
		c.cells++
		if k.Verdict == "unknown" {
			c.lost(1, k.Reason)
		}
	}
}

func (c *census) lost(n int, reason string) {
	c.unknown += n
	c.reasons[kindOfReason(reason)] += n
}

var (
	reasonNames  = regexp.MustCompile(`\b(of|about|by|in|decides|after) [^;:,]*`)
	reasonDigits = regexp.MustCompile(`\d+`)
)

// kindOfReason leaves names and numbers out of a reason.
func kindOfReason(s string) string {
	return reasonDigits.ReplaceAllString(reasonNames.ReplaceAllString(s, "$1 ..."), "N")
}

// cellsOf is the number of cells of an interface as census counts them.
func cellsOf(i *typestate.Interface) int {
	c := census{reasons: map[string]int{}}
	c.add(i)
	return c.cells
}

func (c *census) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d components, %d complete, %d refused; %d cells, %d unknown", c.components, c.complete, c.refused, c.cells, c.unknown)
	for _, r := range slices.Sorted(maps.Keys(c.reasons)) {
		fmt.Fprintf(&b, "; %d: %s", c.reasons[r], r)
	}
	return b.String()
}

// programBudget lets every engine finish that can do so in a few seconds.
const programBudget = 4_000 * questionCost

// programEngines are the engines that are compared with the interpreter.
var programEngines = []string{"learn", "hide", "cegar", "witness", "abstract", "auto"}

// programCount is how many random programs are tried.
func programCount() int {
	switch {
	case os.Getenv("CI") == "true":
		return 600
	case testing.Short():
		return 30
	}
	return 60
}

// TestPrograms compares every engine with exhaustive interpretation.
func TestPrograms(t *testing.T) {
	count := programCount()
	counts := map[string]*census{}
	for _, name := range programEngines {
		counts[name] = &census{reasons: map[string]int{}}
	}
	judged := 0
	for seed := range count {
		source := corpus.RandomProgram(int64(seed), corpus.MinWidth)
		p, err := prog.Parse("program.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		g, err := newTruth(p, 200_000)
		if errors.Is(err, errTooLarge) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		judged++
		exact, err := Synthesize(context.Background(), Problem{Program: p, Engine: "direct", Budget: corpusBudget})
		if err != nil {
			t.Fatalf("seed %d: direct: %v\n%s", seed, err, source)
		}
		if err := g.check(exact); err != nil {
			t.Fatalf("seed %d: direct: %v\n%s\n%s", seed, err, source, file(t, exact))
		}
		for _, name := range programEngines {
			v := variant{name, ""}
			if name == "learn" {
				v.learner = Learners()[seed%len(Learners())].Name
			}
			c := counts[name]
			pr := Problem{Program: p, Engine: v.engine, Learner: v.learner, Solver: embedded, Budget: programBudget}
			if v.engine == "abstract" {
				pr.Predicates = somePredicates(p)
			}
			i, err := Synthesize(context.Background(), pr)
			var refusal *Refusal
			switch {
			case errors.As(err, &refusal) && (v.engine == "hide" || v.engine == "witness"):
				c.refused++
				continue
			case Undecided(err):
				// No answer at all: as many unknown verdicts as there are.
				n := cellsOf(exact)
				c.components++
				c.cells += n
				c.lost(n, "no interface: "+err.Error())
				continue
			case err != nil:
				t.Fatalf("seed %d: %v: %v\n%s", seed, v, err, source)
			}
			c.add(i)
			if err := g.check(i); err != nil {
				t.Errorf("seed %d: %v: %v\n%s\n%s", seed, v, err, source, file(t, i))
				break
			}
			if slices.Contains([]string{"learn", "hide", "auto"}, v.engine) && !bytes.Equal(i.Core(), exact.Core()) {
				t.Errorf("seed %d: another core by %v\n%s\nwant\n%s\n%s", seed, v, i.Core(), exact.Core(), source)
			}
		}
	}
	for _, v := range programEngines {
		t.Logf("%s: %v", v, counts[v])
	}
	if 10*judged < 9*count {
		t.Errorf("only %d of %d programs were small enough to explore", judged, count)
	}
}

// somePredicates are conditions of the component's own code over its state.
func somePredicates(p *prog.Program) []string {
	var list []string
	for _, m := range p.Methods {
		for _, t := range conditions(m) {
			if overVars(t, p.State) {
				if s := prog.FormatExpr(p, p.State, t); len(list) < 4 && !slices.Contains(list, s) {
					list = append(list, s)
				}
			}
		}
	}
	return list
}
