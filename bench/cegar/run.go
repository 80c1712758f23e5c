// SPDX-License-Identifier: Apache-2.0

package main

// This file runs the engine and prints what it cost.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/typestate"
)

type bench struct {
	out    io.Writer
	quick  bool
	corpus string
}

// A cost is what one run took. Counts are as the interface's stats have them,
// but for checks, which are counted at the solver: a question of the engine may
// take several (projections, exists-forall).
type cost struct {
	states, unknown, cells       int
	questions, checks            int64
	predicates, abstract, rounds int64
	splits                       int64
	time                         time.Duration
	failed                       string
}

func measure(ctx context.Context, file, source string, width int, noWrap bool) (cost, error) {
	p, err := prog.Parse(file, []byte(source), prog.Options{Width: width})
	if err != nil {
		return cost{}, err
	}
	var counters []*solve.Counter
	solver := func() solve.Solver {
		c := solve.Count(bv.New(bv.Options{Conflicts: 100_000}))
		counters = append(counters, c)
		return c
	}
	start := cpuTime()
	i, err := engine.Synthesize(ctx, problem.Problem{Program: p, Engine: "cegar", Solver: solver, NoWrap: noWrap})
	c := cost{time: cpuTime() - start}
	for _, n := range counters {
		c.checks += n.Checks + n.Cubes
	}
	var refusal *problem.Refusal
	switch {
	case errors.As(err, &refusal) || err != nil && problem.Undecided(err):
		c.failed = err.Error()
		return c, nil
	case err != nil:
		return cost{}, err
	}
	c.states, c.unknown, c.cells = len(i.States), len(i.Unknown), len(i.States)*len(i.Calls)
	seen := map[string]bool{}
	for _, k := range i.Constructors {
		if !seen[k.ID] {
			seen[k.ID] = true
			c.cells++
			if k.Verdict == typestate.VerdictUnknown.String() {
				c.unknown++
			}
		}
	}
	c.questions, c.predicates, c.abstract, c.rounds = i.Stats["solverQuestions"], i.Stats["predicates"], i.Stats["abstractStates"], i.Stats["refinements"]
	c.splits = i.Stats["splits"]
	return c, nil
}

func (b *bench) all(ctx context.Context) error {
	for _, part := range []func(context.Context) error{b.corpusTable, b.familyTables, b.jistTable} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

const costHead = "states\tcells\tunknown\tquestions\tsolver calls\tpredicates\tabstract states\trefinements\tsplits\tcpu ms\t"

func (c cost) row() string {
	if c.failed != "" {
		return fmt.Sprintf("-\t-\t-\t-\t%d\t-\t-\t-\t-\t%d\t%s", c.checks, c.time.Milliseconds(), c.failed)
	}
	return fmt.Sprintf("%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t", c.states, c.cells, c.unknown, c.questions, c.checks, c.predicates, c.abstract, c.rounds, c.splits, c.time.Milliseconds())
}

func (b *bench) table(head string, rows []string) error {
	w := tabwriter.NewWriter(b.out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, head)
	for _, r := range rows {
		fmt.Fprintln(w, r)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(b.out)
	return err
}

// corpusTable measures every component as its case gives it, at its full width.
func (b *bench) corpusTable(ctx context.Context) error {
	cases, err := corpus.Load(b.corpus)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "(a) the corpus, integers as wide as the components have them\n\n")
	var rows []string
	var sum cost
	solved, refused := 0, 0
	for n, c := range cases {
		if c.Has("-serial") || c.Has("-tight") || b.quick && n%10 != 0 {
			continue
		}
		cost, err := measure(ctx, c.File, c.Source, c.Width(), c.Has("-assume"))
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		rows = append(rows, c.Name+"\t"+cost.row())
		switch {
		case cost.failed != "":
			refused++
		case cost.unknown == 0:
			solved++
		}
		sum.cells, sum.unknown, sum.questions, sum.checks, sum.time = sum.cells+cost.cells, sum.unknown+cost.unknown, sum.questions+cost.questions, sum.checks+cost.checks, sum.time+cost.time
	}
	if err := b.table("component\t"+costHead, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(b.out, "%d components: %d solved, %d without an interface; %d of %d verdicts unknown; %d solver calls, %.1f s of CPU\n\n",
		len(rows), solved, refused, sum.unknown, sum.cells, sum.checks, sum.time.Seconds())
	return err
}

func (b *bench) familyTables(ctx context.Context) error {
	fmt.Fprintf(b.out, "(b) growth: one thing grows, all else stays\n\n")
	last := ""
	for _, f := range families() {
		if f.doc != last {
			last = f.doc
			fmt.Fprintf(b.out, "%s%s\n\n", strings.ToUpper(last[:1]), last[1:])
		}
		costs, sizes, err := f.run(ctx, b.quick)
		if err != nil {
			return err
		}
		var rows []string
		for k, c := range costs {
			rows = append(rows, fmt.Sprintf("%s\t%d\t%s", f.name, sizes[k], c.row()))
		}
		if err := b.table("family\tn\t"+costHead, rows); err != nil {
			return err
		}
	}
	return nil
}

// run measures a family.
func (f family) run(ctx context.Context, quick bool) ([]cost, []int, error) {
	sizes := f.sizes
	if quick {
		sizes = f.quick
	}
	var costs []cost
	for _, n := range sizes {
		c, err := measure(ctx, f.name+".open", f.source(n), 0, false)
		if err != nil {
			return nil, nil, fmt.Errorf("%s %d: %w", f.name, n, err)
		}
		costs = append(costs, c)
	}
	return costs, sizes, nil
}
