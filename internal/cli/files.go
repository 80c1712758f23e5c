// SPDX-License-Identifier: Apache-2.0

package cli

// This file reads inputs, writes outputs whole or not at all, and shows
// progress.

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/typestate"
)

// duration is a flag of type time.Duration.
type duration time.Duration

func (d duration) std() time.Duration { return time.Duration(d) }

func synthesisFlags(fs *flag.FlagSet, o *options) {
	fs.StringVar(&o.engine, "engine", "", "how to synthesize: "+names(interlock.Engines())+" (default auto)")
	fs.StringVar(&o.learner, "learner", "", "learner of engine learn: "+names(interlock.Learners())+" (default lstar)")
	fs.BoolVar(&o.serial, "serial", false, "infinite-word reading: forbid calls after which every continuation errs")
	fs.BoolVar(&o.tight, "tight", false, "keep apart states that differ only in which outcomes can happen")
	fs.IntVar(&o.width, "width", 0, "narrow every integer type to `n` bits")
	fs.IntVar(&o.budget, "budget", 0, fmt.Sprintf("give up after `n` steps (default %d)", interlock.DefaultBudget))
	fs.IntVar(&o.workers, "workers", 0, "explore with `n` goroutines (default: one per processor; the result is the same)")
	fs.BoolVar(&o.slice, "slice", true, "drop variables that cannot matter")
	fs.DurationVar((*time.Duration)(&o.timeout), "timeout", 0, "give up after this `time`, e.g. 90s")
}

func outputFlags(fs *flag.FlagSet, o *options) {
	var all []string
	for _, f := range render.Formats() {
		all = append(all, f.Name)
	}
	fs.StringVar(&o.format, "format", "", "output format: "+strings.Join(all, ", ")+" (default: by the extension of -o, else text)")
	fs.StringVar(&o.output, "o", "", "write to `file` instead of standard output")
}

func names(list []interlock.Choice) string {
	var all []string
	for _, c := range list {
		all = append(all, c.Name)
	}
	return strings.Join(all, ", ")
}

// read returns the content of a file, or of standard input for "-".
func (c *invocation) read(name string) ([]byte, error) {
	if name == "-" {
		data, err := io.ReadAll(c.In)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return data, nil
	}
	data, err := os.ReadFile(name)
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("%s: no such file", name)
	case errors.As(err, &pe):
		return nil, usagef("%s: %v", name, pe.Err)
	}
	return data, err
}

// isInterface tells an interface file from the text of a component: it is a
// JSON object.
func isInterface(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{"))
}

// load reads an interface file, or synthesizes the interface of a component.
func (c *invocation) load(ctx context.Context, name string) (*typestate.Interface, error) {
	data, err := c.read(name)
	if err != nil {
		return nil, err
	}
	if isInterface(data) {
		i, err := typestate.Read(bytes.NewReader(data))
		if err != nil {
			first, rest, more := strings.Cut(err.Error(), "\n")
			if more {
				first += fmt.Sprintf(" (and %d more problems)", strings.Count(rest, "\n")+1)
			}
			return nil, usagef("%s: %s", name, first)
		}
		return i, nil
	}
	return c.synthesize(ctx, name, data)
}

func (c *invocation) synthesize(ctx context.Context, name string, source []byte) (*typestate.Interface, error) {
	p := c.startProgress(name)
	defer p.stop()
	if name == "-" {
		name = "standard input"
	} else {
		name = filepath.Base(name)
	}
	return interlock.Synthesize(ctx, interlock.Config{
		Filename: name,
		Source:   source,
		Engine:   c.engine,
		Learner:  c.learner,
		Serial:   c.serial,
		Tight:    c.tight,
		Width:    c.width,
		Budget:   c.budget,
		Workers:  c.workers,
		KeepAll:  !c.slice,
		Progress: p.report,
	})
}

// write renders the interface to -o or standard output.
func (c *invocation) write(i *typestate.Interface) error {
	name := c.format
	if name == "" {
		name = "text"
		for _, f := range render.Formats() {
			if c.output != "" && filepath.Ext(c.output) == f.Ext {
				name = f.Name
			}
		}
	}
	f, ok := render.Find(name)
	if !ok {
		var all []string
		for _, f := range render.Formats() {
			all = append(all, f.Name)
		}
		return usagef("-format %q: expected one of %s", name, strings.Join(all, ", "))
	}
	var buf bytes.Buffer
	if err := f.Write(&buf, i, render.Options{}); err != nil {
		return err
	}
	if c.output == "" {
		_, err := c.Out.Write(buf.Bytes())
		return err
	}
	return writeFile(c.output, buf.Bytes())
}

// writeFile writes a file whole or not at all: to a temporary file beside it,
// which then takes its place.
func writeFile(name string, data []byte) (err error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, data, 0o666) // a device or pipe: nothing to replace
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".interlock-*")
	if err != nil {
		return usagef("-o %s: cannot write there: %v", name, errors.Unwrap(err))
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// progress shows one changing line on a terminal when work takes over a second.
type progress struct {
	c     *invocation
	mu    sync.Mutex
	line  string
	shown bool
	done  chan struct{}
	wait  sync.WaitGroup
}

func (c *invocation) startProgress(name string) *progress {
	p := &progress{c: c, line: "reading " + name, done: make(chan struct{})}
	if !c.Terminal {
		return p
	}
	p.wait.Add(1)
	go func() {
		defer p.wait.Done()
		select {
		case <-time.After(time.Second):
		case <-p.done:
			return
		}
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			p.mu.Lock()
			fmt.Fprintf(c.Err, "\r\x1b[K%s", p.line)
			p.shown = true
			p.mu.Unlock()
			select {
			case <-tick.C:
			case <-p.done:
				return
			}
		}
	}()
	return p
}

func (p *progress) report(phase string, count int) {
	p.mu.Lock()
	p.line = fmt.Sprintf("%s: %d", phase, count)
	p.mu.Unlock()
}

func (p *progress) stop() {
	close(p.done)
	p.wait.Wait()
	if p.shown {
		fmt.Fprint(p.c.Err, "\r\x1b[K")
	}
}
