// SPDX-License-Identifier: Apache-2.0

package engine

// This file is about loops: those that the protocol does not depend on must not
// cost more the more they do, and random loops must not lead the engine to a
// verdict that the interpreter contradicts.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
)

// TestIrrelevantLoops pins that the number of questions does not depend on the
// size of a loop body that only computes.
func TestIrrelevantLoops(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{
		"sum = sum * 3 + i",                  // never tested: left out
		"if sum > i { sum = sum - i } sum++", // tested, but not by the protocol
		"var t int64 = any; if t > sum { sum = t }",
	} {
		var want int64
		for _, size := range []int{1, 10, 100} {
			body := strings.ReplaceAll(strings.Repeat(statement+"\n", size), "var t int64 = any", "t = any")
			p := parse(t, fmt.Sprintf(`component Busy
				state open bool = false, sum int64 = 0
				method start() { if open { error "twice" } open = true }
				method work(k int64) {
					var i int64 = 0
					var t int64 = 0
					if !open { error "closed" }
					while i < k {
						i++
						%s
					}
				}
				method stop() { if !open { error "closed" } open = false }`, body))
			i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded})
			if err != nil {
				t.Fatal(err)
			}
			if !problem.Complete(i) || len(i.States) != 2 {
				t.Errorf("%d statements %q: %d states\n%s", size, statement, len(i.States), file(t, i))
			}
			got := i.Stats["solverQuestions"]
			if size == 1 {
				want = got
			}
			if got != want || got > 60 {
				t.Errorf("%d statements %q: %d questions, %d for one", size, statement, got, want)
			}
		}
	}
}

// randomLoops writes a component whose methods walk with local variables, in
// loops and loops in loops, and err depending on where they end.
func randomLoops(r *rand.Rand) string {
	var b strings.Builder
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	number := func() string { return fmt.Sprint(r.IntN(5) - 1) }
	vars := []string{"x", "y", "i", "j"}
	value := func() string { return pick(append(slices.Clone(vars), number())...) }
	cond := func() string { return pick(vars...) + pick(" < ", " <= ", " == ", " != ", " > ") + value() }
	var body func(depth int, indent string)
	body = func(depth int, indent string) {
		for range 1 + r.IntN(2) {
			switch v := pick(vars...); r.IntN(9) {
			case 0, 1:
				fmt.Fprintf(&b, "%s%s%s\n", indent, v, pick("++", "--"))
			case 2:
				fmt.Fprintf(&b, "%s%s = %s\n", indent, v, value())
			case 3, 4:
				if depth > 0 {
					fmt.Fprintf(&b, "%sif %s {\n", indent, cond())
					body(depth-1, indent+"\t")
					fmt.Fprintf(&b, "%s}\n", indent)
				}
			case 5, 6:
				if depth > 0 {
					w := pick("i", "j")
					fmt.Fprintf(&b, "%swhile %s < %s {\n", indent, w, value())
					body(depth-1, indent+"\t")
					fmt.Fprintf(&b, "%s\t%s++\n%s}\n", indent, w, indent)
				}
			case 7:
				fmt.Fprintf(&b, "%s%s = %s\n", indent, pick("i", "j"), pick("any", "choose"))
			case 8:
				fmt.Fprintf(&b, "%sif %s { error \"bad\" }\n", indent, cond())
			}
		}
	}
	b.WriteString("component Loops\nstate x int3 = 0, y int3 = 1\n")
	for m := range 2 + r.IntN(2) {
		fmt.Fprintf(&b, "method m%d() (ok bool) {\n\tvar i int3 = 0\n\tvar j int3 = 0\n", m)
		body(2, "\t")
		fmt.Fprintf(&b, "\twhile i < %s { i++ }\n", value())
		body(1, "\t")
		fmt.Fprintf(&b, "\treturn %s\n}\n", cond())
	}
	return b.String()
}

// TestRandomLoops compares with the interpreter. Under the convention that the
// loops of a method end, calls that stay in one are not compared.
func TestRandomLoops(t *testing.T) {
	t.Parallel()
	count := loops(60, 80)
	cells, unknown, ending := 0, 0, 0
	for seed := range count {
		source := randomLoops(rand.New(rand.NewPCG(uint64(seed), 9)))
		p, err := prog.Parse("loops.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded, Budget: cegarBudget / 4})
		if err != nil {
			if !problem.Undecided(err) {
				t.Errorf("seed %d: %v\n%s", seed, err, source)
			}
			continue
		}
		cells += len(i.States) * len(i.Calls)
		unknown += len(i.Unknown)
		if slices.ContainsFunc(i.Conventions, func(s string) bool { return strings.HasPrefix(s, "ends:") }) {
			ending++
		}
		if err := newOracle(p, i).run(context.Background(), 2_000); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, source)
		}
	}
	t.Logf("%d of %d cells unknown, %d components with a convention", unknown, cells, ending)
	if 5*unknown > cells || 10*ending > count {
		t.Errorf("%d of %d cells unknown, %d of %d components with a convention", unknown, cells, ending, count)
	}
}
