// SPDX-License-Identifier: Apache-2.0

// Gocheck runs the check of clients on the standard library and on modules of a list, which are downloaded, and prints every finding, for a person to
// judge.
//
//	go run ./gocheck -dir /tmp/gocheck -modules gocheck/modules.txt
//	go run ./gocheck -std
//
// A line of the list is a module and a version. All packages of a module are loaded from source, with what they import, in one process for each module;
// -tests adds those of its tests. Results go to standard output as they come: a line for each finding, and one for the module with the number of packages,
// lines, seconds and the peak of memory. Judgements of earlier findings are kept in gocheck/judged.txt: a finding that is not there is marked new.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
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
}

func main() {
	var o options
	flag.StringVar(&o.list, "modules", "gocheck/modules.txt", "a `file` with modules and versions")
	flag.StringVar(&o.dir, "dir", filepath.Join(os.TempDir(), "gocheck"), "copy modules to a `directory`")
	flag.StringVar(&o.only, "run", "", "only modules that match the regular `expression`")
	flag.StringVar(&o.judged, "judged", "gocheck/judged.txt", "a `file` with judgements")
	flag.BoolVar(&o.std, "std", false, "the standard library instead")
	flag.BoolVar(&o.tests, "tests", false, "with tests")
	flag.BoolVar(&o.may, "may", false, "also what may fail")
	flag.BoolVar(&o.one, "one", false, "check the module in the directory at hand (used by the command itself)")
	flag.DurationVar(&o.limit, "limit", 10*time.Minute, "give up a module after this `time`")
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
		return one(ctx, o, "./...")
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
	for _, line := range strings.Split(string(text), "\n") {
		f := strings.Fields(line)
		if len(f) != 2 || !only.MatchString(f[0]) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		fmt.Printf("# %s %s\n", f[0], f[1])
		if err := module(ctx, o, f[0], f[1], judged); err != nil {
			fmt.Printf("  failed: %v\n", err)
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

// module fetches a module and checks it in a process of its own.
func module(ctx context.Context, o options, path, version string, judged map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", path+"@"+version)
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go mod download: %w", err)
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		return err
	}
	dir := filepath.Join(o.dir, strings.ReplaceAll(path, "/", "_")+"@"+version)
	if _, err := os.Stat(dir); err != nil {
		if err := copyModule(dir, info.Dir, path); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd = exec.CommandContext(ctx, self, "-one", fmt.Sprintf("-tests=%t", o.tests), fmt.Sprintf("-may=%t", o.may))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	found, err := cmd.Output()
	for line := range strings.Lines(string(found)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "=") {
			fmt.Println(line)
			continue
		}
		said, ok := judged[path+" "+line]
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

// copyModule copies a module out of the cache, whose files cannot be written, so that the go command can add what go.sum lacks.
func copyModule(to, from, path string) error {
	tmp := to + ".part"
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	if err := os.CopyFS(tmp, os.DirFS(from)); err != nil {
		return err
	}
	mod := filepath.Join(tmp, "go.mod")
	if _, err := os.Stat(mod); err != nil {
		if err := os.WriteFile(mod, []byte("module "+path+"\n"), 0o666); err != nil {
			return err
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := os.Chmod(filepath.Join(tmp, name), 0o666); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.Rename(tmp, to)
}

// one checks packages in this process.
func one(ctx context.Context, o options, pattern string) error {
	start := time.Now()
	pkgs, err := packages.Load(&packages.Config{
		Context: ctx, Tests: o.tests,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
	}, pattern)
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
