// SPDX-License-Identifier: Apache-2.0

// Command families measures how the cost of an interface grows with its component: families in which one thing
// grows, with the default engine, the judge included; and the same component as text and as Go.
//
// Seconds (of CPU, by all threads) and memory are of this machine; all other numbers are counts.
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
	quick := flag.Bool("quick", false, "the small sizes only")
	limit := flag.Duration("limit", time.Minute, "stop one run after this `time`; larger sizes of its family are not started")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: families [-quick] [-limit time]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := &bench{out: os.Stdout, quick: *quick, limit: *limit}
	if err := b.all(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "families: %v\n", err)
		os.Exit(2)
	}
}
