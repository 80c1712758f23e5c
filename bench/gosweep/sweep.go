// SPDX-License-Identifier: Apache-2.0

package main

// This file starts workers, gives them types, and replaces those that crash or
// hang.

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A sweep says what to do.
type sweep struct {
	patterns   string
	kind       string
	sample     int
	parallel   int
	limit      time.Duration
	keep       string
	lines      string // file of results; see lines.go
	processors int    // GOMAXPROCS of workers; 0 is the default
	reversed   bool
	progress   io.Writer
	grace      time.Duration // for stopping; 0 is usualGrace
	ready      *process      // that has nothing to do yet
}

// A process is a worker.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte // closed at the end
	stderr *tail
	types  []string
}

// loadLimit is how long a worker may take to load the packages.
const loadLimit = 5 * time.Minute

func (s *sweep) start(ctx context.Context) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
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
	p := &process{cmd: exec.CommandContext(ctx, self, args...), lines: make(chan []byte), stderr: &tail{}}
	p.cmd.Stderr = p.stderr
	if s.processors > 0 {
		p.cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", s.processors))
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	line, err := p.read(loadLimit)
	if err == nil {
		err = json.Unmarshal(line, &p.types)
	}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("loading %s: %w: %s", s.patterns, err, p.stderr)
	}
	return p, nil
}

var (
	errHang  = errors.New("no answer in time")
	errEnded = errors.New("the worker ended")
)

func (p *process) read(limit time.Duration) ([]byte, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case line, ok := <-p.lines:
		if !ok {
			return nil, errEnded
		}
		return line, nil
	case <-timer.C:
		return nil, errHang
	}
}

// stop ends the worker.
func (p *process) stop() {
	p.in.Close()
	p.cmd.Process.Kill()
	for range p.lines {
	}
	p.cmd.Wait()
}

// types returns all types there are.
func (s *sweep) types(ctx context.Context) ([]string, error) {
	p, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	s.ready = p // loading takes long
	return p.types, nil
}

// all does all types and returns results in the order of the types.
func (s *sweep) all(ctx context.Context, types []string) ([]*result, error) {
	type job struct {
		at   int
		name string
	}
	results := make([]*result, len(types))
	log, err := s.resume(types, results)
	if err != nil {
		return nil, err
	}
	defer log.close()
	var list []job
	for i, t := range types {
		if results[i] == nil {
			list = append(list, job{i, t})
		}
	}
	if s.reversed {
		slices.Reverse(list)
	}
	jobs := make(chan job)
	go func() {
		defer close(jobs)
		for _, j := range list {
			select {
			case jobs <- j:
			case <-ctx.Done():
				return
			}
		}
	}()
	errs := make([]error, max(1, s.parallel))
	done := len(types) - len(list)
	var mu sync.Mutex
	var group sync.WaitGroup
	for w := range errs {
		group.Go(func() {
			var p *process
			if w == 0 {
				p, s.ready = s.ready, nil
			}
			defer func() {
				if p != nil {
					p.stop()
				}
			}()
			for j := range jobs {
				if p == nil {
					if p, errs[w] = s.start(ctx); errs[w] != nil {
						return
					}
				}
				r := s.ask(p, j.name)
				if r.Status == crash || r.Status == hang {
					p.stop()
					p = nil
				}
				results[j.at] = r
				if ctx.Err() != nil {
					return // interrupted: that says nothing about the type
				}
				mu.Lock()
				done++
				if err := log.add(r); err != nil {
					errs[w] = err
				}
				fmt.Fprintf(s.progress, "%d/%d %-40s %-9s %6.2fs %4d MB %s\n", done, len(types), r.Type, r.Status, r.seconds(), r.Peak>>20, first(r.Message))
				mu.Unlock()
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, ctx.Err()
}

func first(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > 100 {
		line = line[:100] + "…"
	}
	return line
}

// A worker that is asked to stop and goes on for so much processor time ends itself,
// with status hung. One that does not answer after so many times the limit, and a
// while, waits for something.
const (
	slack      = 40
	usualGrace = 20 * time.Second
	hung       = 3
)

// ask does one type.
func (s *sweep) ask(p *process, name string) *result {
	r := &result{Type: name}
	if _, err := fmt.Fprintln(p.in, name); err != nil {
		r.Status, r.Message = crash, err.Error()
		return r
	}
	line, err := p.read(slack*s.limit + cmp.Or(s.grace, usualGrace))
	switch {
	case errors.Is(err, errHang):
		p.cmd.Process.Signal(syscall.SIGQUIT) // for the stack
		p.read(5 * time.Second)
		// What it wrote may still be on its way.
		for n := 0; n < 500 && !strings.Contains(p.stderr.String(), "goroutine "); n++ {
			time.Sleep(10 * time.Millisecond)
		}
		r.Status, r.Message, r.Explicit = hang, p.stderr.String(), -1
	case err != nil:
		p.cmd.Wait()
		r.Status = crash
		if p.cmd.ProcessState.ExitCode() == hung {
			r.Status = hang
		}
		r.Message, r.Explicit = p.stderr.String(), -1
	default:
		if err := json.Unmarshal(line, r); err != nil {
			r.Status, r.Message = crash, err.Error()
		}
	}
	return r
}

// tail keeps the beginning of what was written last: a stack is as long as it
// likes, and its first lines say most.
type tail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

const tailSize = 1 << 14

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := tailSize - t.b.Len(); room > 0 {
		t.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.b.String())
}
