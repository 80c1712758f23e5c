// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file runs the command line: the scripts of testdata/script, the
// transcripts in the documentation, and the pictures that are kept as files.
// The command is the test binary itself, started again under the name
// interlock; see script_server_test.go.
//
//	go test . -run 'Script|Transcripts|Pictures' -update
//
// rewrites what is shown; the difference is to be read, not only accepted.

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/interlock-go/interlock/internal/cli"
	"github.com/interlock-go/interlock/internal/corpus"
)

var update = flag.Bool("update", false, "rewrite golden files, transcripts and pictures")

func TestMain(m *testing.M) {
	cli.SetCollector() // as the command does; it is this binary, too
	testscript.Main(m, map[string]func(){
		"interlock": scriptCommand,
	})
}

// TestScript runs the scripts. Beside the commands of testscript they have
//
//	interlock ARGS...       must exit with status 0
//	exits N interlock ARGS  must exit with status N
//	notemp DIR              the directory holds no temporary file
//	columns FILE N          no line of the file is longer than N characters
//	case NAME               writes NAME.open of the corpus
//	module DIR PATH@VERSION puts a directory into the module cache
//
// and the conditions [root] and [race]: the race detector is at work, under which reading
// Go code takes minutes.
//
// A file that a script compares with must not be empty, so "! stdout ." says
// that nothing was printed.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		UpdateScripts:      *update,
		RequireUniqueNames: true,
		Setup:              scriptGo,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "race":
				return corpus.Race, nil
			case "ci": // scripts that take long are for continuous integration
				return os.Getenv("CI") == "true", nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   scriptExits,
			"notemp":  scriptNoTemp,
			"columns": scriptColumns,
			"case":    scriptCase,
			"module":  scriptModule,
		},
	})
}

// scriptGo lets scripts run the go command: they have no home directory, so it
// must be told where its caches are.
func scriptGo(env *testscript.Env) error {
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPATH").Output()
	if err != nil {
		return err
	}
	values := strings.Split(string(out), "\n")
	for k, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		env.Setenv(name, values[k])
	}
	return scriptStart(env)
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, expected %d", got, want)
	}
}

// scriptNoTemp fails if a directory holds a hidden file: temporary files are.
func scriptNoTemp(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: notemp DIR")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && e.Name() != ".tmp" { // .tmp is testscript's own
			ts.Fatalf("%s was left in %s", e.Name(), args[0])
		}
	}
}

func scriptColumns(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: columns FILE N")
	}
	most, err := strconv.Atoi(args[1])
	ts.Check(err)
	for n, line := range strings.Split(ts.ReadFile(args[0]), "\n") {
		line = strings.ReplaceAll(line, "\t", "        ")
		if got := len([]rune(line)); got > most {
			ts.Fatalf("%s:%d: %d characters: %s", args[0], n+1, got, line)
		}
	}
}

// scriptCase writes the component of a case of the corpus into the directory.
func scriptCase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: case NAME")
	}
	c, err := loadCase(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(c.File), []byte(c.Source), 0o666))
}

func loadCase(name string) (corpus.Case, error) {
	text, err := os.ReadFile(filepath.Join("testdata/corpus", name+".txtar"))
	if err != nil {
		return corpus.Case{}, err
	}
	return corpus.Parse(name, text)
}

// run runs a command line in this process and in the root of the project.
func run(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = cli.Main(context.Background(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &err})
	return code, out.String(), err.String()
}

// golden compares a file with what it should hold, or rewrites it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test . -update makes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s is not what is printed now: %s\n(go test . -update rewrites it; look at the difference)", file, firstDifference(string(want), got))
	}
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for n := range max(len(w), len(g)) {
		a, b := "(end)", "(end)"
		if n < len(w) {
			a = w[n]
		}
		if n < len(g) {
			b = g[n]
		}
		if a != b {
			return fmt.Sprintf("line %d\n\twant %s\n\tgot  %s", n+1, a, b)
		}
	}
	return "no difference"
}

// TestPictures keeps pictures of interfaces, to be looked at as pictures.
func TestPictures(t *testing.T) {
	for _, name := range []string{"file-library", "signature", "socket", "p4-tight", "constructor-guard"} {
		c, err := loadCase(name)
		if err != nil {
			t.Fatal(err)
		}
		source := filepath.Join(t.TempDir(), c.File)
		if err := os.WriteFile(source, []byte(c.Source), 0o666); err != nil {
			t.Fatal(err)
		}
		for format, ext := range map[string]string{"svg": ".svg", "mermaid": ".mmd"} {
			code, out, errs := run(append(append([]string{"infer", "-format", format}, c.Flags...), source)...)
			if code != 0 {
				t.Errorf("%s: exit status %d: %s", name, code, errs)
				continue
			}
			golden(t, filepath.Join("testdata/pictures", name+ext), out)
		}
	}
}

// TestImages checks that each picture of the documentation is that of an
// example.
func TestImages(t *testing.T) {
	files, err := filepath.Glob("doc/images/*.svg")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pictures in doc/images: %v", err)
	}
	for _, file := range files {
		example := "examples/" + strings.TrimSuffix(filepath.Base(file), ".svg") + ".open"
		code, out, errs := run("infer", "-format", "svg", example)
		if code != 0 {
			t.Errorf("%s: %s", file, errs)
			continue
		}
		golden(t, file, out)
	}
}

// scriptModule puts a version of a module into the module cache, as the go command does.
func scriptModule(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: module DIR PATH@VERSION")
	}
	path, version, _ := strings.Cut(args[1], "@")
	at := filepath.Join(ts.Getenv("GOMODCACHE"), "cache", "download", filepath.FromSlash(path), "@v")
	ts.Check(os.MkdirAll(at, 0o777))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(ts.MkAbs(args[0]), e.Name()))
		ts.Check(err)
		w, err := z.Create(args[1] + "/" + e.Name())
		ts.Check(err)
		_, err = w.Write(text)
		ts.Check(err)
		if e.Name() == "go.mod" {
			ts.Check(os.WriteFile(filepath.Join(at, version+".mod"), text, 0o666))
		}
	}
	ts.Check(z.Close())
	ts.Check(os.WriteFile(filepath.Join(at, version+".zip"), b.Bytes(), 0o666))
	ts.Check(os.WriteFile(filepath.Join(at, version+".info"), fmt.Appendf(nil, "{\"Version\":%q}\n", version), 0o666))
	list, err := os.OpenFile(filepath.Join(at, "list"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	ts.Check(err)
	fmt.Fprintln(list, version)
	ts.Check(list.Close())
}
