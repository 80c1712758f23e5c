// SPDX-License-Identifier: Apache-2.0

// Command cegar measures the engine of predicate abstraction: what every
// component of the corpus costs, how the cost grows along families in which only
// one thing grows, and what JIST's questions come to beside those of its paper
// (Alur, Cerny, Madhusudan, Nam, POPL 2005).
//
// All numbers but milliseconds (of CPU, by all threads) are counts of steps and
// the same on every machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	quick := flag.Bool("quick", false, "a subset that takes seconds")
	dir := flag.String("corpus", "../testdata/corpus", "read the components from this `directory`")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: cegar [-quick] [-corpus directory]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := &bench{out: os.Stdout, quick: *quick, corpus: *dir}
	if err := b.all(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "cegar: %v\n", err)
		os.Exit(2)
	}
}
