// SPDX-License-Identifier: Apache-2.0

// Package workers has other processes do types, one after another, and replaces those that
// crash or hang. A worker is this program itself, run with other arguments: it writes the
// list of types as its first line, in JSON, then reads names of types, one on a line, and writes
// a result for each, as JSON on a line.
package workers

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
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Pool says how workers are run.
type Pool struct {
	Args       []string // of the program, which make it a worker
	Parallel   int      // number of processes
	Processors int      // GOMAXPROCS of workers; 0 is the default
	Reversed   bool     // the last type first
	Limit      time.Duration
	Grace      time.Duration // for stopping; 0 is UsualGrace
	Lines      string        // file of results; see lines.go
	Progress   io.Writer

	ready *process // that has nothing to do yet
}

// A Kind says what the results of types are.
type Kind[R any] struct {
	Type   func(*R) string                 // that a result is of
	Failed func(name string, f Failure) *R // the result of a type that the worker did not survive
	Line   func(*R) string                 // of the progress, without the type
}

// A Failure is how a worker ended.
type Failure struct {
	Hang    bool   // it did not stop when it was asked to; otherwise it crashed
	Message string // with stacks, if there are
}

// A process is a worker.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte // closed at the end
	stderr *tail
	types  []string
}

// loadLimit is how long a worker may take to load the packages. A busy machine takes minutes.
const loadLimit = 30 * time.Minute

func (p *Pool) start(ctx context.Context) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &process{cmd: exec.CommandContext(ctx, self, p.Args...), lines: make(chan []byte), stderr: &tail{}}
	w.cmd.Stderr = w.stderr
	if p.Processors > 0 {
		w.cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", p.Processors))
	}
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(w.lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			w.lines <- line
		}
	}()
	line, err := w.read(loadLimit)
	if err == nil {
		err = json.Unmarshal(line, &w.types)
	}
	if err != nil {
		w.stop()
		return nil, fmt.Errorf("loading the packages: %w: %s", err, w.stderr)
	}
	return w, nil
}

var (
	errHang  = errors.New("no answer in time")
	errEnded = errors.New("the worker ended")
)

func (w *process) read(limit time.Duration) ([]byte, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case line, ok := <-w.lines:
		if !ok {
			return nil, errEnded
		}
		return line, nil
	case <-timer.C:
		return nil, errHang
	}
}

// stop ends the worker.
func (w *process) stop() {
	w.in.Close()
	w.cmd.Process.Kill()
	for range w.lines {
	}
	w.cmd.Wait()
}

// Types returns all types there are.
func (p *Pool) Types(ctx context.Context) ([]string, error) {
	w, err := p.start(ctx)
	if err != nil {
		return nil, err
	}
	p.ready = w // loading takes long
	return w.types, nil
}

// Close ends a worker that has nothing to do.
func (p *Pool) Close() {
	if p.ready != nil {
		p.ready.stop()
		p.ready = nil
	}
}

// All does all types and returns results in the order of the types. Results that the file of
// lines has are not made again.
func All[R any](ctx context.Context, p *Pool, k Kind[R], types []string) ([]*R, error) {
	type job struct {
		at   int
		name string
	}
	results := make([]*R, len(types))
	log, err := resume(p.Lines, k, types, results)
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
	if p.Reversed {
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
	errs := make([]error, max(1, p.Parallel))
	done := len(types) - len(list)
	var mu sync.Mutex
	var group sync.WaitGroup
	for n := range errs {
		group.Go(func() {
			var w *process
			if n == 0 {
				w, p.ready = p.ready, nil
			}
			defer func() {
				if w != nil {
					w.stop()
				}
			}()
			for j := range jobs {
				if w == nil {
					if w, errs[n] = p.start(ctx); errs[n] != nil {
						return
					}
				}
				r, alive := ask(p, k, w, j.name)
				if !alive {
					w.stop()
					w = nil
				}
				results[j.at] = r
				if ctx.Err() != nil {
					return // interrupted: that says nothing about the type
				}
				mu.Lock()
				done++
				if err := log.add(r); err != nil {
					errs[n] = err
				}
				fmt.Fprintf(p.Progress, "%d/%d %-40s %s\n", done, len(types), k.Type(r), k.Line(r))
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

// A worker that is asked to stop and goes on for UsualGrace of processor time ends itself,
// with status hung. One that does not answer after slack times the limit, and a
// while, waits for something.
const (
	slack      = 40
	UsualGrace = 20 * time.Second
	hung       = 3
)

// ask does one type; alive reports whether the worker can do more.
func ask[R any](p *Pool, k Kind[R], w *process, name string) (r *R, alive bool) {
	if _, err := fmt.Fprintln(w.in, name); err != nil {
		return k.Failed(name, Failure{Message: err.Error()}), false
	}
	line, err := w.read(slack*p.Limit + cmp.Or(p.Grace, UsualGrace))
	switch {
	case errors.Is(err, errHang):
		w.cmd.Process.Signal(syscall.SIGQUIT) // for the stack
		w.read(5 * time.Second)
		// What it wrote may still be on its way.
		for n := 0; n < 500 && !strings.Contains(w.stderr.String(), "goroutine "); n++ {
			time.Sleep(10 * time.Millisecond)
		}
		return k.Failed(name, Failure{true, w.stderr.String()}), false
	case err != nil:
		w.cmd.Wait()
		return k.Failed(name, Failure{w.cmd.ProcessState.ExitCode() == hung, w.stderr.String()}), false
	}
	r = new(R)
	if err := json.Unmarshal(line, r); err != nil {
		return k.Failed(name, Failure{Message: err.Error()}), false
	}
	return r, true
}

// Serve is the other side: it writes the list of types, then a result for each name that it reads.
func Serve(in io.Reader, out io.Writer, types []string, do func(name string) any) error {
	enc := json.NewEncoder(out)
	if err := enc.Encode(types); err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if err := enc.Encode(do(lines.Text())); err != nil {
			return err
		}
	}
	return nil
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
