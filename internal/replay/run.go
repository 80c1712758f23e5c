// SPDX-License-Identifier: Apache-2.0

package replay

// This file compiles and runs a generated test. Everything is written to a
// temporary directory, which is removed: a package of the user's module is
// tested through an overlay of the go command, so that nothing appears in it.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// A File is a Go file that the test needs, with fixtures.
type File struct {
	Name string
	Data []byte
}

// A Report is what a test found.
type Report struct {
	Summary string
	Words   int // that were run
	Cells   int // pairs of state and call that were compared, of Of
	Of      int
	// Disagreements are words on which type and interface disagree, a shortest
	// one first.
	Disagreements []string
	Notes         []string // what was not driven, and why
}

// Std lists the packages of the standard library.
func Std(ctx context.Context, dir string) ([]string, error) {
	out, err := goCommand(ctx, dir, "list", "std").Output()
	if err != nil {
		return nil, fmt.Errorf("go list std: %w", err)
	}
	var list []string
	for _, p := range strings.Fields(string(out)) {
		if !internalPath(p) {
			list = append(list, p)
		}
	}
	return list, nil
}

// Run compiles and runs a test. Dir is the directory from which the subject was
// loaded.
func Run(ctx context.Context, dir string, s *Subject, t *Test, extra []File) (r *Report, err error) {
	tmp, err := os.MkdirTemp("", "interlock-replay-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	files := append([]File{{"replay_test.go", t.Source}}, extra...)
	for k := range files {
		if k > 0 {
			if files[k].Data, err = inPackage(files[k], "replay_test"); err != nil {
				return nil, err
			}
			files[k].Name = fmt.Sprintf("with%d_test.go", k)
		}
	}
	binary := filepath.Join(tmp, "replay.test")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if err := compile(ctx, dir, tmp, s, files, []string{"test", "-c", "-vet=off", "-o", binary}); err != nil {
		return nil, err
	}
	work := filepath.Join(tmp, "work")
	if err := os.Mkdir(work, 0o777); err != nil {
		return nil, err
	}
	run := exec.CommandContext(ctx, binary, "-test.v", "-test.timeout=0", "-test.run=^"+t.Name+"$")
	run.Dir = work
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	err = run.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r = parseReport(out.String())
	r.Notes = append(slices.Clone(t.Notes), r.Notes...)
	var exit *exec.ExitError
	switch {
	case err == nil && r.Summary != "":
		return r, nil
	case errors.As(err, &exit) && len(r.Disagreements) > 0:
		return r, nil
	case err == nil:
		err = errors.New("no word was run")
	}
	text := "the test could not run: " + reportLine(out.String(), err)
	if strings.Contains(text, noObject) {
		return nil, &FixtureError{strings.Join(append([]string{text}, t.Notes...), "; ")}
	}
	return nil, errors.New(text)
}

// compile runs a command that builds files, which it puts into an empty directory.
func compile(ctx context.Context, dir, tmp string, s *Subject, files []File, build []string) error {
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(tmp, f.Name), f.Data, 0o666); err != nil {
			return err
		}
	}
	from, target := tmp, "."
	if s.Standard {
		if err := os.WriteFile(filepath.Join(tmp, "go.mod"), []byte("module replay\n\ngo 1.26\n"), 0o666); err != nil {
			return err
		}
	} else {
		var err error
		from = dir
		if target, err = overlay(ctx, dir, tmp, s, files); err != nil {
			return err
		}
		build = append(build, "-overlay", filepath.Join(tmp, "overlay.json"))
	}
	cmd := goCommand(ctx, from, append(build, target)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &CompileError{strings.TrimPrefix(strings.TrimPrefix(lastLine(out, err), tmp+string(filepath.Separator)), "./")}
	}
	return nil
}

// A CompileError is what the compiler says of a test. Without expressions of the user it is a
// defect of this package.
type CompileError struct{ text string }

func (e *CompileError) Error() string { return "the test does not compile: " + e.text }

// noObject begins what the driver says if no constructor made an object, or no call on
// it could be told.
const noObject = "no call was compared"

// tally matches the line that the driver ends with.
var tally = regexp.MustCompile(`^replayed (\d+) words: .*; (\d+) of (\d+) cells$`)

var logged = regexp.MustCompile(`^\s+\w+_test\.go:\d+: (.*)$`)

func parseReport(output string) *Report {
	r := &Report{}
	for _, line := range strings.Split(output, "\n") {
		m := logged.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if text, ok := strings.CutPrefix(m[1], "disagreement after "); ok {
			r.Disagreements = append(r.Disagreements, text)
		} else if strings.HasPrefix(m[1], "replayed ") {
			r.Summary = m[1]
			fmt.Sscanf(tally.ReplaceAllString(m[1], "$1 $2 $3"), "%d %d %d", &r.Words, &r.Cells, &r.Of)
		} else if strings.HasPrefix(m[1], "not driven: ") {
			r.Notes = append(r.Notes, m[1])
		}
	}
	return r
}

func reportLine(output string, err error) string {
	for _, line := range strings.Split(output, "\n") {
		if m := logged.FindStringSubmatch(line); m != nil {
			return m[1]
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
	}
	return err.Error()
}

// overlay writes an overlay that puts the files into a directory that does not
// exist: below the package if it is in the module of the working directory, so
// that its internal packages can be imported, else in that module's root.
func overlay(ctx context.Context, dir, tmp string, s *Subject, files []File) (target string, err error) {
	base := s.Dir
	if !s.Main {
		out, err := goCommand(ctx, dir, "env", "GOMOD").Output()
		mod := strings.TrimSpace(string(out))
		if err != nil || mod == "" || mod == os.DevNull {
			return "", fmt.Errorf("%s is not in the standard library: run replay in a module that requires it", s.Path)
		}
		base = filepath.Dir(mod)
	}
	target = filepath.Join(base, "interlock_replay")
	if _, err := os.Stat(target); err == nil {
		return "", fmt.Errorf("%s exists: it is in the way", target)
	}
	replace := map[string]string{}
	for _, f := range files {
		replace[filepath.Join(target, f.Name)] = filepath.Join(tmp, f.Name)
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return target, os.WriteFile(filepath.Join(tmp, "overlay.json"), data, 0o666)
}

// inPackage gives a file another package clause.
func inPackage(f File, name string) ([]byte, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, f.Name, f.Data, parser.PackageClauseOnly)
	if err != nil {
		return nil, err
	}
	from, to := fset.Position(syntax.Name.Pos()).Offset, fset.Position(syntax.Name.End()).Offset
	return append(append(append([]byte{}, f.Data[:from]...), name...), f.Data[to:]...), nil
}

// PackageFor returns the package clause of a test file in a directory: that of the
// other Go files there, as an external test.
func PackageFor(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || e.IsDir() {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.PackageClauseOnly)
		if err != nil {
			continue
		}
		return strings.TrimSuffix(f.Name.Name, "_test") + "_test"
	}
	return ""
}
