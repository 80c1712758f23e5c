// SPDX-License-Identifier: Apache-2.0

package main

// This file asks for the interface of each family and size what is guaranteed of it:
// whether the judge has checked it ("proved"), or only an engine says so ("claimed").

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/bench/internal/text"
	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/typestate"
)

// judge writes a line for each family and k up to most.
func judge(ctx context.Context, out io.Writer, most int) error {
	fmt.Fprintf(out, "%-18s %3s %7s %8s  %-8s %-10s %-8s %8s  %s\n", "family", "k", "states", "edges", "safe", "permissive", "tight", "seconds", "not proved because")
	for _, f := range corpus.Families() {
		for k := f.Min; k <= min(most, f.Max); k++ {
			start := time.Now()
			i, err := guaranteed(ctx, f, k)
			if err != nil {
				return fmt.Errorf("%s k=%d: %w", f.Name, k, err)
			}
			g := i.Guarantees
			fmt.Fprintf(out, "%-18s %3d %7d %8d  %-8s %-10s %-8s %8.2f  %s\n", f.Name, k, len(i.States), len(i.Edges), g.Safe, g.Permissive, g.Tight, time.Since(start).Seconds(), g.Reason)
		}
	}
	return nil
}

// guaranteed is the interface of a member of a family.
func guaranteed(ctx context.Context, f corpus.Family, k int) (*typestate.Interface, error) {
	return text.Infer(ctx, f.Name+".open", f.Source(k), &interlock.Options{Engine: interlock.Direct{}})
}
