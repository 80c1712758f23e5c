// SPDX-License-Identifier: Apache-2.0

package main

// This file runs engine symbolic on a component of testdata.

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/bench/internal/text"
	"github.com/interlock-go/interlock/internal/corpus"
)

// run synthesizes the interface of a component to a depth, or proves it if the
// depth is 0. The certificate is checked within the time.
func run(ctx context.Context, dir, file string, depth int) (result, error) {
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)+".txtar"))
	if err != nil {
		return result{}, err
	}
	c, err := corpus.Parse(path.Base(file), data)
	if err != nil {
		return result{}, err
	}
	start := time.Now()
	o := &interlock.Options{Engine: interlock.Symbolic{Depth: depth}}
	if c.Has("no-wrap") {
		o.Assume = []interlock.Convention{interlock.NoWrap}
	}
	i, err := text.Infer(ctx, c.File, c.Source, o)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", file, err)
	}
	r := result{symbols: len(i.Calls), states: len(i.States), unknown: len(i.Unknown), safe: i.Guarantees.Safe, permissive: i.Guarantees.Permissive, time: time.Since(start)}
	seen := map[string]bool{}
	for _, k := range i.Constructors {
		if !seen[k.ID] {
			r.constructors++
		}
		seen[k.ID] = true
	}
	r.refinements = int(i.Stats["refinements"])
	r.depth = int(i.Stats["depth"])
	r.questions = int(i.Stats["solverQuestions"] + i.Stats["proofQuestions"])
	return r, nil
}
