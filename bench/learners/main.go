// SPDX-License-Identifier: Apache-2.0

// Command learners compares what L*, TTT and L# ask: medians of membership
// queries, of letters in them (symbols) and of equivalence queries, over random
// automata of growing size. All numbers are counts and the same on every
// machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	quick := flag.Bool("quick", false, "small automata, few seeds")
	seeds := flag.Uint64("seeds", 0, "automata per row (0: 11, with -quick 5)")
	letters := flag.Int("letters", 5, "letters of the automata")
	flag.Parse()
	if flag.NArg() > 0 || *letters < 1 {
		fmt.Fprintln(os.Stderr, "usage: learners [-quick] [-seeds n] [-letters n]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p := plan{sizes: []int{20, 50, 100, 200}, seeds: 11, letters: *letters}
	if *quick {
		p.sizes, p.seeds = []int{20, 50}, 5
	}
	if *seeds > 0 {
		p.seeds = *seeds
	}
	rows, err := p.rows(ctx)
	if err == nil {
		err = p.print(os.Stdout, rows)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "learners: %v\n", err)
		os.Exit(2)
	}
}
