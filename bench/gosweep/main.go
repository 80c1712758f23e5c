// SPDX-License-Identifier: Apache-2.0

// Command gosweep synthesizes the interface of every exported type with methods of
// every package of the standard library, with -error misuse and the default budget, and
// reports what is decided, what not and why, how long it takes and how much memory.
//
// The packages are loaded once per worker process. A type that crashes or hangs
// its worker is reported, and another worker goes on with the next. With -lines every
// result is written down at once: a sweep that was interrupted goes on where it was,
// and shards of a sweep (-shard 1/4) are put together by -report.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"time"

	"github.com/interlock-go/interlock/bench/internal/workers"
)

func main() {
	var s sweep
	flag.StringVar(&s.patterns, "packages", "std", "a `pattern` of the go command: the packages whose types are tried")
	flag.StringVar(&s.kind, "error", "misuse", "the `kind` of errors")
	run := flag.String("run", "", "only types that match the regular `expression`")
	flag.IntVar(&s.sample, "sample", 0, "only about `N` types, every k-th")
	flag.IntVar(&s.parallel, "parallel", 1, "`number` of worker processes")
	flag.DurationVar(&s.limit, "limit", 2*time.Minute, "give up a type after this much processor `time`, and count it as over time")
	twice := flag.Bool("twice", false, "run everything a second time, in another order and with another GOMAXPROCS, and compare the bytes")
	out := flag.String("json", "", "write all results to a `file`")
	keep := flag.String("keep", "", "write the interfaces to a `directory`")
	shard := flag.String("shard", "", "`i/n`: only the i-th of n parts, every n-th type")
	lines := flag.String("lines", "", "write each result to a `file` as soon as there is one, and skip types that it already has; the second run of -twice goes to file"+again)
	reports := flag.Bool("report", false, "run nothing: report on the files given as arguments, which -lines wrote")
	list := flag.Int("list", 20, "`number` of types and reasons in lists")
	worker := flag.Bool("worker", false, "do types given on standard input (used by the command itself)")
	flag.Parse()
	if *reports {
		r, err := readReport(flag.Args())
		if err == nil {
			err = r.finish(*out, *list)
		}
		if err != nil {
			fatal(err)
		}
		return
	}
	if flag.NArg() > 0 {
		fatal(fmt.Errorf("unexpected argument %q", flag.Arg(0)))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *worker {
		if err := work(ctx, os.Stdin, os.Stdout, s, *keep); err != nil {
			fatal(err)
		}
		return
	}
	names, err := regexp.Compile(*run)
	if err != nil {
		fatal(err)
	}
	part, parts, err := parseShard(*shard)
	if err != nil {
		fatal(err)
	}
	s.keep, s.progress, s.lines = *keep, os.Stderr, *lines
	types, err := s.types(ctx)
	if err != nil {
		fatal(err)
	}
	types = share(workers.Choose(slices.DeleteFunc(types, workers.Hidden), names, s.sample), part, parts)
	first, err := s.all(ctx, types)
	if err != nil {
		fatal(err)
	}
	r := newReport(first)
	if *twice {
		t := s
		t.first = nil
		t.keep, t.processors, t.reversed = "", 1, true
		if t.lines != "" {
			t.lines += again
		}
		second, err := t.all(ctx, types)
		if err != nil {
			fatal(err)
		}
		r.compare(second)
	}
	if err := r.finish(*out, *list); err != nil {
		fatal(err)
	}
}

// finish prints a report and writes it to a file. What must not happen ends the
// process with status 1.
func (r *report) finish(out string, list int) error {
	r.print(os.Stdout, list)
	if out != "" {
		data, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(out, append(data, '\n'), 0o666); err != nil {
			return err
		}
	}
	if r.Bad() {
		os.Exit(1)
	}
	return nil
}

func fatal(err error) {
	fmt.Fprintf(os.Stderr, "gosweep: %v\n", err)
	os.Exit(2)
}

// parseShard reads "i/n"; "" is everything.
func parseShard(text string) (part, parts int, err error) {
	if text == "" {
		return 1, 1, nil
	}
	if _, err := fmt.Sscanf(text, "%d/%d", &part, &parts); err != nil || part < 1 || part > parts || fmt.Sprintf("%d/%d", part, parts) != text {
		return 0, 0, fmt.Errorf("-shard %s: want i/n with 1 <= i <= n", text)
	}
	return part, parts, nil
}

// share is one of so many parts of a list.
func share(types []string, part, parts int) []string {
	var out []string
	for i := part - 1; i < len(types); i += parts {
		out = append(out, types[i])
	}
	return out
}
