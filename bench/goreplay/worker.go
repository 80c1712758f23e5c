// SPDX-License-Identifier: Apache-2.0

package main

// This file is a worker: it loads the packages, then infers and replays the types whose
// names it reads.

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/bench/internal/workers"
	"github.com/interlock-go/interlock/internal/replay"
	"github.com/interlock-go/interlock/typestate"
)

// A result is what came of one type.
type result struct {
	Type    string `json:"type"`
	Status  string `json:"status"` // see below
	Message string `json:"message,omitempty"`

	States        int      `json:"states"`
	Cells         int      `json:"cells"`   // of the interface
	Unknown       int      `json:"unknown"` // of these
	Driven        int      `json:"driven"`  // cells that were compared
	Words         int      `json:"words"`
	Disagreements []string `json:"disagreements,omitempty"`
	Notes         []string `json:"notes,omitempty"` // what was not driven, and why

	Infer  float64 `json:"inferSeconds"`
	Replay float64 `json:"replaySeconds"`
}

// What may come of a type.
const (
	agrees     = "agrees"
	disagrees  = "disagrees"
	notDriven  = "not driven"   // it cannot be driven without a fixture or arguments
	alone      = "left alone"   // it must not be driven, see alone.txt
	none       = "no interface" // undecided, over time, or an error message
	slow       = "over time"    // the replay
	uncompiled = "not compiled" // the generated test: a defect of the generator
	failed     = "failed"       // the test could not run, or something else went wrong
	crash      = "crash"        // of the worker
	hang       = "hang"
)

// kindOfResult is how results come from workers.
var kindOfResult = workers.Kind[result]{
	Type: func(r *result) string { return r.Type },
	Failed: func(name string, f workers.Failure) *result {
		r := &result{Type: name, Status: crash, Message: f.Message}
		if f.Hang {
			r.Status = hang
		}
		return r
	},
	Line: func(r *result) string {
		text := r.Message
		if len(r.Disagreements) > 0 {
			text = r.Disagreements[0]
		}
		return fmt.Sprintf("%-12s %4d of %4d cells %6.2fs %6.2fs %s", r.Status, r.Driven, r.Cells, r.Infer, r.Replay, workers.First(text))
	},
}

// aloneText lists types that are not driven, because they act on other processes or on the
// system: a name and the reason on a line.
//
//go:embed alone.txt
var aloneText string

func leftAlone() map[string]string {
	reasons := map[string]string{}
	for line := range strings.Lines(aloneText) {
		if name, why, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(name, "#") {
			reasons[name] = strings.TrimSpace(why)
		}
	}
	return reasons
}

// A worker has what types share.
type worker struct {
	sweep
	packages *interlock.GoPackages
	std      []string
	alone    map[string]string
	settings map[string]*replay.Settings // what types need, by component
}

func (s *sweep) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	packages, err := interlock.LoadGo(ctx, interlock.LoadConfig{Dir: s.dir}, strings.Fields(s.patterns)...)
	if err != nil {
		return err
	}
	debug.SetGCPercent(200) // the packages stay loaded
	debug.SetMemoryLimit(3 << 30)
	if s.dir == "" {
		if s.dir, err = os.Getwd(); err != nil {
			return err
		}
	}
	std, err := replay.Std(ctx, s.dir)
	if err != nil {
		return err
	}
	w := &worker{sweep: *s, packages: packages, std: std, alone: leftAlone()}
	if w.settings, err = readSettings(s.fixtures); err != nil {
		return err
	}
	return workers.Serve(in, out, packages.Types(), func(name string) any { return w.one(ctx, name) })
}

// readSettings reads the fixture files of a directory, in the order of their names.
func readSettings(dir string) (map[string]*replay.Settings, error) {
	all := map[string]*replay.Settings{}
	if dir == "" {
		return all, nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := replay.ParseSettings(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, c := range s.Components {
			if all[c] == nil {
				all[c] = s
			}
		}
	}
	return all, nil
}

// one does one type. A panic is not recovered: the crash of the process is
// reported with its stack.
func (w *worker) one(ctx context.Context, name string) *result {
	r := &result{Type: name}
	if why := w.alone[name]; why != "" {
		r.Status, r.Message = alone, why
		return r
	}
	start := time.Now()
	i, err := w.infer(ctx, name)
	r.Infer = time.Since(start).Seconds()
	if err != nil {
		r.Status, r.Message = none, err.Error()
		if strings.Contains(r.Message, "internal error") {
			r.Status = failed
		}
		return r
	}
	r.States, r.Cells, r.Unknown = len(i.States), len(i.States)*len(i.Calls), len(i.Unknown)
	start = time.Now()
	w.drive(ctx, i, r)
	r.Replay = time.Since(start).Seconds()
	return r
}

// infer reads the interface of a type, or infers it and writes it down.
func (w *worker) infer(ctx context.Context, name string) (*typestate.Interface, error) {
	file := ""
	if w.interfaces != "" {
		file = filepath.Join(w.interfaces, strings.ReplaceAll(name, "/", "_")+".json")
		if f, err := os.Open(file); err == nil {
			defer f.Close()
			return typestate.Read(f)
		}
	}
	limited, stop := workers.Limited(ctx, w.limit)
	defer stop()
	fail := func(err error) error {
		if limited.Err() != nil && ctx.Err() == nil {
			return errors.New("over time")
		}
		return err
	}
	c, err := w.packages.Type(limited, name, interlock.GoOptions{Errors: []string{w.kind}})
	if err != nil {
		return nil, fail(err)
	}
	report, err := interlock.Infer(limited, c, nil)
	if err != nil {
		return nil, fail(err)
	}
	i := report.Interface
	if file != "" {
		var b strings.Builder
		if err := typestate.Write(&b, i); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			return nil, err
		}
	}
	return i, nil
}

// drive replays an interface.
func (w *worker) drive(ctx context.Context, i *typestate.Interface, r *result) {
	limited, stop := context.WithTimeout(ctx, w.run.limit)
	defer stop()
	report, notes, err := w.replay(limited, i)
	r.Notes = notes
	var fixture *replay.FixtureError
	var compile *replay.CompileError
	switch {
	case limited.Err() != nil:
		r.Status = slow
		return
	case errors.As(err, &fixture):
		r.Status, r.Message = notDriven, err.Error()
		return
	case errors.As(err, &compile):
		r.Status, r.Message = uncompiled, err.Error()
		return
	case err != nil:
		r.Status, r.Message = failed, err.Error()
		return
	}
	r.Status, r.Disagreements, r.Notes = agrees, report.Disagreements, report.Notes
	r.Driven, r.Words = report.Cells, report.Words
	if len(r.Disagreements) > 0 {
		r.Status = disagrees
	}
}

func (w *worker) replay(ctx context.Context, i *typestate.Interface) (*replay.Report, []string, error) {
	opt := replay.Options{Fixtures: map[string]string{}, Words: w.run.words, Random: w.run.random, Limit: w.run.call}
	var as string
	var extra []replay.File
	if s := w.settings[i.Component.Name]; s != nil {
		as, extra = s.As, s.Files
		opt.Defaults, opt.Imports = s.Args, s.Imports
		for _, text := range s.Fixtures {
			constructor, expr := replay.SplitFixture(i, text)
			opt.Fixtures[constructor] = expr
		}
	}
	s, err := replay.Load(ctx, w.dir, i.Component.Name, as)
	if err != nil {
		return nil, nil, err
	}
	test, err := replay.Generate(s, i, w.std, opt)
	if err != nil {
		return nil, nil, err
	}
	report, err := replay.Run(ctx, w.dir, s, test, slices.Clone(extra))
	return report, test.Notes, err
}
