// SPDX-License-Identifier: Apache-2.0

// Gocheck runs the check of clients on the standard library and on modules of a list, which are downloaded, and prints every finding, for a person to
// judge.
//
//	go run ./gocheck -dir /tmp/gocheck -modules gocheck/modules.txt
//	go run ./gocheck -std
//
// A line of the list is a module and a version. The packages of -batch modules at a time are loaded from source, with what they import, in one process; where
// they require newer versions of each other, these count. -tests adds their tests, as far as what these import is there. Results go to standard output as
// they come: a line for each finding, and one for the batch with the number of packages, lines, seconds and the peak of memory. Judgements of earlier findings are kept in gocheck/judged.txt: a finding that is not there is marked new.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/interlock-go/interlock/analyzer"
)

type options struct {
	list, dir, only, judged string
	std, tests, may, one    bool
	limit                   time.Duration
	batch                   int
}

func main() {
	var o options
	flag.StringVar(&o.list, "modules", "gocheck/modules.txt", "a `file` with modules and versions")
	flag.StringVar(&o.dir, "dir", filepath.Join(os.TempDir(), "gocheck"), "make scratch modules in a `directory`")
	flag.StringVar(&o.only, "run", "", "only modules that match the regular `expression`")
	flag.StringVar(&o.judged, "judged", "gocheck/judged.txt", "a `file` with judgements")
	flag.BoolVar(&o.std, "std", false, "the standard library instead")
	flag.BoolVar(&o.tests, "tests", false, "with tests")
	flag.BoolVar(&o.may, "may", false, "also what may fail")
	flag.BoolVar(&o.one, "one", false, "check packages in this process (used by the command itself)")
	flag.DurationVar(&o.limit, "limit", 10*time.Minute, "give up a batch after this `time`")
	flag.IntVar(&o.batch, "batch", 8, "check so many modules in one process: a `number`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "gocheck:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, o options) error {
	switch {
	case o.one:
		return one(ctx, o, flag.Args()...)
	case o.std:
		return one(ctx, o, "std")
	}
	text, err := os.ReadFile(o.list)
	if err != nil {
		return err
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	judged, err := readJudged(o.judged)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return err
	}
	var modules []required
	for _, line := range strings.Split(string(text), "\n") {
		if f := strings.Fields(line); len(f) == 2 && only.MatchString(f[0]) {
			modules = append(modules, required{f[0], f[1]})
		}
	}
	for some := range slices.Chunk(modules, o.batch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, m := range some {
			fmt.Printf("# %s %s\n", m.path, m.version)
		}
		if err := batch(ctx, o, some, judged); err != nil {
			fmt.Printf("= failed: %v\n", err)
		}
	}
	return nil
}

// readJudged reads judgements: a finding without the column, a tab, and what a person said of it.
func readJudged(name string) (map[string]string, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	out := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if k, v, ok := strings.Cut(line, "\t"); ok {
			out[k] = v
		}
	}
	return out, err
}

// A required module.
type required struct{ path, version string }

// batch checks some modules in a process of its own, as dependencies of a scratch module, so that what they share is loaded once.
func batch(ctx context.Context, o options, modules []required, judged map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	dir, err := os.MkdirTemp(o.dir, "batch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	text := "module scratch\n\ngo 1.26.0\n\n"
	args := []string{"-one", fmt.Sprintf("-tests=%t", o.tests), fmt.Sprintf("-may=%t", o.may)}
	for _, m := range modules {
		text += fmt.Sprintf("require %s %s\n", m.path, m.version)
		args = append(args, m.path+"/...")
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o666); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	found, err := cmd.Output()
	for line := range strings.Lines(string(found)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "=") {
			fmt.Println(line)
			continue
		}
		said, ok := judged[line]
		if !ok {
			said = "new"
		}
		fmt.Printf("%s [%s]\n", line, said)
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return nil
}

// one checks packages in this process.
func one(ctx context.Context, o options, patterns ...string) error {
	start := time.Now()
	pkgs, err := packages.Load(&packages.Config{
		Context: ctx, Tests: o.tests,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
	}, patterns...)
	if err != nil {
		return err
	}
	loaded := time.Since(start)
	if err := analyzer.Analyzer.Flags.Set("may", fmt.Sprint(o.may)); err != nil {
		return err
	}
	// Packages that import some that cannot be loaded are not checked.
	graph, err := checker.Analyze([]*analysis.Analyzer{analyzer.Analyzer}, pkgs, nil)
	if err != nil {
		return err
	}
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	lines, bad, count := 0, 0, 0
	printed := map[string]bool{}
	for _, act := range graph.Roots {
		if act.Err != nil {
			bad++
			continue
		}
		count++
		for _, f := range act.Package.Syntax {
			lines += act.Package.Fset.File(f.FileStart).LineCount()
		}
		for _, d := range act.Diagnostics {
			p := act.Package.Fset.Position(d.Pos)
			text := fmt.Sprintf("%s:%d: %s", relative(wd, p.Filename), p.Line, d.Message)
			if printed[text] {
				continue
			}
			printed[text] = true
			fmt.Println(text)
			for _, r := range d.Related {
				q := act.Package.Fset.Position(r.Pos)
				fmt.Printf("\t%s:%d: %s\n", relative(wd, q.Filename), q.Line, r.Message)
			}
		}
	}
	fmt.Printf("= %d packages, %d not loaded, %d lines, %.1f s loading, %.1f s checking, %d MB\n", count, bad, lines, loaded.Seconds(), (time.Since(start) - loaded).Seconds(), peakMemory())
	return nil
}

func relative(base, name string) string {
	if _, in, ok := strings.Cut(name, "/pkg/mod/"); ok {
		return in
	}
	if rel, err := filepath.Rel(base, name); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return name
}

// peakMemory is the most memory that this process has had, in megabytes; 0 where /proc does not tell.
func peakMemory() int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kb int
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kb); err == nil {
			return kb / 1024
		}
	}
	return 0
}
