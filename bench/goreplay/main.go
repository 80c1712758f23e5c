// SPDX-License-Identifier: Apache-2.0

// Command goreplay holds the front end for Go against real code: it infers the interface of
// every exported type with methods of every package of the standard library, or of the modules of a
// list, and has package replay run the type through the words of its interface. It
// reports which cells were driven, what disagrees, which types cannot be driven and why.
//
//	go run ./goreplay -results std.lines
//	go run ./goreplay -modules goreplay/modules.txt -results modules.lines
//	go run ./goreplay -only '^bufio\.' -error panic
//	go run ./goreplay -report std.lines modules.lines
//
// A disagreement, a generated test that does not compile, and a test or a worker that fails end it
// with status 1. With -results every result is written down at once: a run that was
// interrupted goes on where it was.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/interlock-go/interlock/bench/internal/workers"
)

// A sweep says what to do.
type sweep struct {
	patterns   string
	dir        string // in which the go command finds the packages; "" is the working directory
	kind       string
	interfaces string // directory of interface files
	fixtures   string // directory of fixture files
	limit      time.Duration
	run        driving
}

// A driving says how types are driven.
type driving struct {
	words, random int
	call          time.Duration // for one call
	limit         time.Duration // for one type
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "goreplay: %v\n", err)
		os.Exit(2)
	}
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	var s sweep
	fs := flag.NewFlagSet("goreplay", flag.ExitOnError)
	fs.StringVar(&s.patterns, "packages", "std", "a `pattern` of the go command: the packages whose types are tried")
	modules := fs.String("modules", "", "try the types of the modules that a `file` lists instead: a path and a version on a line; they are downloaded")
	fs.StringVar(&s.kind, "error", "misuse", "the `kind` of errors")
	only := fs.String("only", "", "only types that match the regular `expression`")
	sample := fs.Int("sample", 0, "only about `N` types, every k-th")
	jobs := fs.Int("jobs", 1, "`number` of worker processes")
	fs.DurationVar(&s.limit, "limit", 20*time.Second, "give up the interface of a type after this much processor `time`")
	fs.DurationVar(&s.run.limit, "replay-limit", 5*time.Minute, "give up the replay of a type after this `time`")
	fs.DurationVar(&s.run.call, "call-limit", time.Second, "a call that takes longer than this `time` blocks")
	fs.IntVar(&s.run.words, "words", 500, "run about `n` short words of each type")
	fs.IntVar(&s.run.random, "random", 100, "run `n` random words of each type")
	fs.StringVar(&s.interfaces, "interfaces", "", "read interfaces from a `directory` where it has them, and write the others to it; gosweep -keep writes such a directory, too")
	fs.StringVar(&s.fixtures, "fixtures", "../testdata/replay", "the `directory` of .txtar files with what types need to be driven, as in interlock replay -fixtures")
	results := fs.String("results", "", "write each result to a `file` as soon as there is one, and skip types that it already has")
	reports := fs.Bool("report", false, "run nothing: report on the files given as arguments, which -results wrote")
	list := fs.Int("list", 20, "`number` of reasons in lists")
	worker := fs.Bool("worker", false, "do types given on standard input (used by the command itself)")
	fs.StringVar(&s.dir, "dir", "", "the `directory` in which the go command looks for the packages")
	fs.Parse(args)
	if *reports {
		r, err := readReport(fs.Args())
		if err != nil {
			return err
		}
		return r.finish(stdout, *list)
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *worker {
		return s.serve(ctx, stdin, stdout)
	}
	names, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	// What driven types leave in the directory for temporary files goes, too.
	tmp, err := os.MkdirTemp("", "goreplay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	os.Setenv("TMPDIR", tmp)
	if *modules != "" {
		if s.dir, s.patterns, err = moduleOf(ctx, tmp, *modules, stderr); err != nil {
			return err
		}
	}
	pool, err := s.pool(*jobs, *results, stderr)
	if err != nil {
		return err
	}
	defer pool.Close()
	types, err := pool.Types(ctx)
	if err != nil {
		return err
	}
	types = workers.Choose(slices.DeleteFunc(types, workers.Hidden), names, *sample)
	all, err := workers.All(ctx, pool, kindOfResult, types)
	if err != nil {
		return err
	}
	return newReport(all).finish(stdout, *list)
}

func (s *sweep) pool(jobs int, results string, progress io.Writer) (*workers.Pool, error) {
	args := []string{"-worker", "-packages", s.patterns, "-error", s.kind, "-limit", s.limit.String(), "-replay-limit", s.run.limit.String(),
		"-call-limit", s.run.call.String(), "-words", fmt.Sprint(s.run.words), "-random", fmt.Sprint(s.run.random)}
	for flag, dir := range map[string]string{"-interfaces": s.interfaces, "-dir": s.dir, "-fixtures": s.fixtures} {
		if dir == "" {
			continue
		}
		full, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if flag == "-interfaces" {
			if err := os.MkdirAll(full, 0o777); err != nil {
				return nil, err
			}
		}
		args = append(args, flag, full)
	}
	return &workers.Pool{Args: args, Parallel: jobs, Limit: s.limit + s.run.limit, Lines: results, Progress: progress}, nil
}

// finish prints a report. What must not happen ends the process with status 1.
func (r *report) finish(w io.Writer, list int) error {
	if err := r.print(w, list); err != nil {
		return err
	}
	if r.Bad() {
		os.Exit(1)
	}
	return nil
}

// readReport reports on files of results.
func readReport(names []string) (*report, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("-report needs the names of files")
	}
	var all []*result
	for _, name := range names {
		part, err := workers.ReadLines[result](name)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	return newReport(all), nil
}
