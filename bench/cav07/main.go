// SPDX-License-Identifier: Apache-2.0

// Command cav07 measures again what "Algorithms for interface synthesis"
// (Beyer, Henzinger, Singh, CAV 2007) reports: Table 1, the classes of section 5
// and the separation families of section 4, with every engine, beside the
// paper's figures; then components larger than the paper's.
//
// All numbers but seconds and memory are counts of steps and the same on every
// machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "a subset that takes seconds")
	workers := flag.Int("workers", 2, "threads that explore states; counts do not depend on it")
	limit := flag.Duration("limit", 30*time.Second, "give up a run of parts a and b after this `time`, one of part c after four times this")
	single := flag.String("one", "", "do one job given as JSON and write its result as JSON (used by the command itself)")
	judged := flag.Int("judged", 0, "instead say of the interface of each family, up to size `k`, whether the judge has checked it")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "cav07: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case *single != "":
		err = one(ctx, *single)
	case *judged > 0:
		err = judge(ctx, os.Stdout, *judged)
	default:
		b := &bench{out: os.Stdout, run: apart, quick: *quick, workers: *workers, limit: *limit}
		err = b.all(ctx)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "cav07: %v\n", err)
		os.Exit(2)
	}
}
