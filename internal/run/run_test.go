// SPDX-License-Identifier: Apache-2.0

package run

// This file builds drivers for tests. One driver is shared by all words of a test: to compile
// it takes seconds.

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/interlock-go/interlock/internal/replay"
	"github.com/interlock-go/interlock/typestate"
)

// shared is a directory for drivers that several tests use.
var shared string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "interlock-run-test-")
	if err != nil {
		panic(err)
	}
	shared = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// component is a module with one package.
func component(t *testing.T, source string) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp(shared, "module-")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/" + strings.Fields(source)[1] + "\n\ngo 1.26\n", "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A driven is a component with its driver.
type driven struct {
	*replay.Driver
	i       *typestate.Interface
	program *Program
}

// drive builds the driver of a type with no more than its methods known.
func drive(t *testing.T, dir, name string, kinds ...string) driven {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles a driver")
	}
	ctx := context.Background()
	s, err := replay.Load(ctx, dir, name, "")
	if err != nil {
		t.Fatal(err)
	}
	std, err := replay.Std(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	i, err := s.Skeleton(kinds)
	if err != nil {
		t.Fatal(err)
	}
	d, err := replay.Drive(s, i, std, replay.Options{Package: "main"})
	if err != nil {
		t.Fatal(err)
	}
	tmp, err := os.MkdirTemp(shared, "driver-")
	if err != nil {
		t.Fatal(err)
	}
	path, err := d.Build(ctx, dir, tmp, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, d.Source)
	}
	if err := os.Mkdir(filepath.Join(tmp, "work"), 0o777); err != nil {
		t.Fatal(err)
	}
	return driven{d, i, &Program{Path: path, Dir: filepath.Join(tmp, "work"), Starts: len(d.Starts), Calls: len(d.Calls), Fresh: d.Fresh, Panics: d.Panics, Blocks: d.Blocks, Limit: time.Minute}}
}

// call is the number of a call.
func (d driven) call(t *testing.T, text string) int {
	t.Helper()
	for n, c := range d.Calls {
		if c.Text == text {
			return n
		}
	}
	t.Fatalf("no call %s among %v", text, d.Calls)
	return -1
}
