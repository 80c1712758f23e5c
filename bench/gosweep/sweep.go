// SPDX-License-Identifier: Apache-2.0

package main

// This file says how workers do types; package workers runs them.

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/interlock-go/interlock/bench/internal/workers"
)

// A sweep says what to do.
type sweep struct {
	patterns   string
	kind       string
	sample     int
	parallel   int
	limit      time.Duration
	keep       string
	lines      string // file of results
	processors int    // GOMAXPROCS of workers; 0 is the default
	reversed   bool
	progress   io.Writer
	grace      time.Duration // for stopping; 0 is the usual one

	first *workers.Pool // with a worker that has nothing to do yet
}

func (s *sweep) pool() (*workers.Pool, error) {
	args := []string{"-worker", "-packages", s.patterns, "-error", s.kind, "-limit", s.limit.String()}
	if s.keep != "" {
		dir, err := filepath.Abs(s.keep)
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		args = append(args, "-keep", dir)
	}
	return &workers.Pool{Args: args, Parallel: s.parallel, Processors: s.processors, Reversed: s.reversed, Limit: s.limit, Grace: s.grace, Lines: s.lines, Progress: s.progress}, nil
}

// types returns all types there are.
func (s *sweep) types(ctx context.Context) ([]string, error) {
	p, err := s.pool()
	if err != nil {
		return nil, err
	}
	s.first = p
	return p.Types(ctx)
}

// all does all types and returns results in the order of the types.
func (s *sweep) all(ctx context.Context, types []string) ([]*result, error) {
	p := s.first
	if s.first = nil; p == nil {
		var err error
		if p, err = s.pool(); err != nil {
			return nil, err
		}
	}
	defer p.Close()
	return workers.All(ctx, p, results, types)
}

// results are what workers write.
var results = workers.Kind[result]{
	Type: func(r *result) string { return r.Type },
	Failed: func(name string, f workers.Failure) *result {
		r := &result{Type: name, Status: crash, Message: f.Message, Explicit: -1}
		if f.Hang {
			r.Status = hang
		}
		return r
	},
	Line: func(r *result) string {
		return fmt.Sprintf("%-9s %6.2fs %4d MB %s", r.Status, r.seconds(), r.Peak>>20, workers.First(r.Message))
	},
}
