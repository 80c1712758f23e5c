// SPDX-License-Identifier: Apache-2.0

package cli

// This file is the command check. The work is done by the go command: it runs this program as a vet tool, package by package, several at a time, and
// keeps the results for as long as nothing changes. A driver of our own was not chosen: it would hold all packages in memory, and know nothing after it ends.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/interlock-go/interlock/analyzer"
	"github.com/interlock-go/interlock/internal/library"
)

func checkCommand() command {
	return command{
		name: "check", args: "[PACKAGE...]",
		short: "find calls of Go code that fail whatever state their object is in",
		long: `Check holds Go packages (default ./...) against the interfaces of the types
that they use, and reports calls that must fail, such as Buffer of a
bufio.Scanner after Scan.

	interlock check                            packages below this directory
	interlock check -diff main ./...           what changed since a revision
	interlock check -may ./...                 also what may fail
	interlock check -infer ./store ./...       types of the module too
	interlock check -format sarif -o out.sarif for code scanning

Interfaces of the standard library are built in. Others are read from the files
in the directory protocols of each module that is used, and from -interfaces
('interlock infer -o protocols/store.json ./store.Tx' writes one). With -infer
they are inferred from the packages that it names, and kept in the user's cache
as long as the source stays the same.

The states of each object are followed through branches on results, loops,
deferred calls, closures and functions of any package. A finding is a call that
fails in every state that is possible. Where other code may have changed an
object, all that it can do is taken into account. A comment

	//interlock:ignore reason

on the line of a finding, or the line before, leaves it out. The same check runs
in 'go vet -vettool=$(command -v interlock-vet) ./...'.

Exit status 0: no findings, 1: there are some, 2: a package or a flag is wrong.`,
		options: func() options { return &checkOptions{} },
	}
}

type checkOptions struct {
	format, output, diff, dir, tags string
	interfaces, infer               []string
	may, tests                      bool
}

func (o *checkOptions) flags(fs *flagSet) {
	fs.choice(&o.format, "format", "output format: `name` is text, json or sarif (default text)", []string{"text", "json", "sarif"})
	fs.StringVar(&o.output, "o", "", "write to `file` instead of standard output; it is written whole or not at all")
	fs.StringVar(&o.diff, "diff", "", "only findings on lines that changed since a git `revision`")
	fs.StringVar(&o.dir, "dir", "", "run as if in `directory`")
	fs.StringVar(&o.tags, "tags", "", "build tags: a `list` such as linux,cgo")
	fs.list(&o.interfaces, "interfaces", "read interface files in `directory` (repeatable)", "a directory", notEmpty)
	fs.list(&o.infer, "infer", "infer interfaces of the types of the packages that match `pattern` (repeatable)", "a pattern of packages such as ./...", notEmpty)
	fs.BoolVar(&o.may, "may", false, "also report calls that fail in some of the states that are possible")
	fs.BoolVar(&o.tests, "tests", true, "also report calls in test files")
	fs.limit()
}

func (o *checkOptions) run(ctx context.Context, c *invocation) (int, error) {
	patterns := c.args
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	for _, p := range patterns {
		if strings.HasPrefix(p, "-") {
			return exitWrong, usagef("%s: expected a pattern of packages such as ./...", p)
		}
	}
	changed, err := o.changes(ctx)
	if err != nil {
		return exitWrong, err
	}
	dirs, err := o.directories(ctx, c, patterns)
	if err != nil {
		return exitWrong, err
	}
	p := c.startProgress(strings.Join(patterns, " "))
	p.say("checking " + strings.Join(patterns, " "))
	all, complaints, err := o.vet(ctx, dirs, patterns)
	p.stop()
	if err != nil {
		return exitWrong, err
	}
	var found []checkFinding
	for _, f := range all {
		if (o.tests || !strings.HasSuffix(f.File, "_test.go")) && changed.touches(f) {
			found = append(found, f)
		}
	}
	if err := o.report(c, found); err != nil {
		return exitWrong, err
	}
	switch {
	case complaints != "":
		fmt.Fprintln(c.Err, complaints)
		return exitWrong, usagef("some packages could not be checked")
	case len(found) > 0:
		return exitNo, nil
	}
	return exitDone, nil
}

// directories are those that interface files are read from.
func (o *checkOptions) directories(ctx context.Context, c *invocation, patterns []string) ([]string, error) {
	var dirs []string
	for _, d := range o.interfaces {
		abs, err := filepath.Abs(d)
		if err != nil {
			return nil, usagef("-interfaces %s: %v", d, err)
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return nil, usagef("-interfaces %s: no such directory", d)
		}
		dirs = append(dirs, abs)
	}
	if len(o.infer) > 0 {
		dir, err := o.inferAll(ctx, c)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, dir...)
	}
	args := append(o.goFlags("list", "-deps", "-e", "-f", "{{with .Module}}{{.Dir}}{{end}}"), patterns...)
	out, err := o.goCommand(ctx, args...)
	if err != nil {
		return nil, err
	}
	modules := strings.Fields(string(out))
	slices.Sort(modules)
	for _, m := range slices.Compact(modules) {
		d := filepath.Join(m, "protocols")
		if info, err := os.Stat(d); err == nil && info.IsDir() {
			dirs = append(dirs, d)
		}
	}
	return dirs, nil
}

// goFlags is a go command with the flags that the user gave.
func (o *checkOptions) goFlags(command string, flags ...string) []string {
	args := append([]string{command}, flags...)
	if o.tags != "" {
		args = append(args, "-tags="+o.tags)
	}
	return args
}

// goCommand runs the go command and returns what it prints.
func (o *checkOptions) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = o.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, usagef("go %s: %s", args[0], firstLine(stderr.String(), err))
	}
	return stdout.Bytes(), nil
}

func firstLine(text string, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return err.Error()
	}
	return line
}

// vet runs this program under go vet.
func (o *checkOptions) vet(ctx context.Context, dirs, patterns []string) (found []checkFinding, complaints string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	digest, err := digestOf(dirs)
	if err != nil {
		return nil, "", err
	}
	args := o.goFlags("vet", "-json", "-vettool="+self, "-interlock.digest="+digest)
	if len(dirs) > 0 {
		args = append(args, "-interlock.interfaces="+strings.Join(dirs, string(filepath.ListSeparator)))
	}
	if o.may {
		args = append(args, "-interlock.may")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, patterns...)...)
	cmd.Dir = o.dir
	cmd.Env = append(os.Environ(), vetToolVariable+"=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, "", err
	}
	where := o.dir
	if where == "" {
		where = "."
	}
	base, err := filepath.Abs(where)
	if err != nil {
		return nil, "", err
	}
	rest := ""
	for _, text := range []string{stdout.String(), stderr.String()} {
		more, other, err := parseVet(text, base)
		if err != nil {
			return nil, "", err
		}
		found = append(found, more...)
		rest += other
	}
	return sortFindings(found), strings.TrimSpace(rest), nil
}

// digestOf identifies the interface files of directories.
func digestOf(dirs []string) (string, error) {
	h := sha256.New()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) != ".json" {
				return err
			}
			data, err := os.ReadFile(name)
			if err == nil && library.IsInterface(data) {
				fmt.Fprintf(h, "%d\n", len(data))
				h.Write(data)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

// parseVet reads what go vet -json prints: objects by package and analyzer, between lines that begin with "#". The rest is what it
// complains of.
func parseVet(text, base string) (found []checkFinding, rest string, err error) {
	var data strings.Builder
	depth := 0
	for line := range strings.Lines(text) {
		switch {
		case depth == 0 && strings.HasPrefix(line, "#"):
			continue
		case depth == 0 && !strings.HasPrefix(line, "{"):
			rest += line
			continue
		case strings.HasPrefix(line, "{"):
			depth++
		}
		data.WriteString(line)
		if strings.HasPrefix(line, "}") || strings.HasPrefix(line, "{}") {
			depth = 0
		}
	}
	d := json.NewDecoder(strings.NewReader(data.String()))
	for {
		var unit map[string]map[string]json.RawMessage
		if err := d.Decode(&unit); err == io.EOF {
			return found, rest, nil
		} else if err != nil {
			return nil, "", fmt.Errorf("what go vet prints: %w", err)
		}
		for pkg, results := range unit {
			for _, raw := range results {
				var list []vetDiagnostic
				if err := json.Unmarshal(raw, &list); err != nil {
					rest += pkg + ": " + string(raw) + "\n"
					continue
				}
				for _, v := range list {
					found = append(found, v.finding(base))
				}
			}
		}
	}
}

// vetToolVariable tells this program that the go command runs it as a vet tool.
const vetToolVariable = "INTERLOCK_VETTOOL"

// vetTool is this program as a tool of go vet, if that is what it is run as: it does not return then.
func vetTool(args []string) {
	if len(args) == 0 || os.Getenv(vetToolVariable) == "" {
		return
	}
	if args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg") {
		unitchecker.Main(analyzer.Analyzer)
	}
}
