// SPDX-License-Identifier: Apache-2.0

// Command psyco measures again what "Symbolic learning of component interfaces"
// (Giannakopoulou, Rakamaric, Raman, SAS 2012) reports in its Table 1, and what the
// later versions of PSYCO report on larger components (Howar, Giannakopoulou,
// Rakamaric, ISSTA 2013; Müller, Howar, Rakamaric, ISoLA 2018), beside engine
// symbolic: to the depth of the paper, and proved for words of any length.
//
// All numbers but seconds are counts and the same on every machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	dir := flag.String("testdata", "../testdata", "read the components from this `directory`")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: psyco [-testdata directory]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := report(ctx, os.Stdout, *dir); err != nil {
		fmt.Fprintf(os.Stderr, "psyco: %v\n", err)
		os.Exit(2)
	}
}

// report prints both tables.
func report(ctx context.Context, out io.Writer, dir string) error {
	fmt.Fprint(out, `Table 1 of SAS 2012, and ours. Symbols are guarded calls without the constructor, states include the error state.
  published   methods, symbols, refinements, states at depth k (the paper's choice), seconds
  to depth k  ours, to the same depth; questions are those asked of the solver
  proved      ours, safe and permissive for words of any length; depth is how far the conjecture was compared before its proof

`)
	fmt.Fprintln(out, "                  |  published                    |  to depth k                       |  proved")
	fmt.Fprintln(out, "                  |   m  sym  ref  st  k    time  |  sym  ref  st  questions    time  |  sym  ref  st  depth  questions    time  unknown")
	for _, r := range table1() {
		k, err := run(ctx, dir, r.file, r.k)
		if err != nil {
			return err
		}
		p, err := run(ctx, dir, r.file, 0)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-17s | %3d  %3d  %3d  %2d  %d  %6.1f  |  %3d  %3d  %2d  %9d  %6.2f  |  %3d  %3d  %2d  %5d  %9d  %6.2f  %s\n",
			r.name, r.methods, r.symbols, r.refinements, r.states, r.k, r.seconds,
			k.symbols, k.refinements, k.states+1, k.questions, k.time.Seconds(),
			p.symbols, p.refinements, p.states+1, p.depth, p.questions, p.time.Seconds(), p.said())
	}
	fmt.Fprint(out, `
Later versions of PSYCO, which count the constructor as a symbol and the object before construction as a state; so do these rows.

`)
	fmt.Fprintln(out, "                  |  published                                    |  proved")
	fmt.Fprintln(out, "                  |  sym  st  depth  by                           |  sym  st  depth  questions    time")
	for _, r := range later() {
		p, err := run(ctx, dir, r.file, 0)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-17s |  %3s  %2s  %5s  %-27s  |  %3d  %2d  %5d  %9d  %6.2f  %s\n", r.name, number(r.symbols), number(r.states), r.depth, r.by,
			p.symbols+p.constructors, p.states+2, p.depth, p.questions, p.time.Seconds(), p.said())
	}
	return nil
}

// number is a number that a paper gives, or that there is none.
func number(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// A result is what one run found and took.
type result struct {
	symbols, constructors, states int
	refinements, depth, questions int
	unknown                       int
	safe, permissive              string
	time                          time.Duration
}

// said is what is not as it should be.
func (r result) said() string {
	switch {
	case r.safe != "proved" || r.permissive != "proved":
		return "not proved"
	case r.unknown > 0:
		return fmt.Sprint(r.unknown)
	}
	return ""
}
