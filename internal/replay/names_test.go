// SPDX-License-Identifier: Apache-2.0

package replay

// This file type-checks generated tests whose names could get into each other's way: those
// of objects, packages, results, parameters, and what the test declares itself.

import (
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
	"golang.org/x/tools/txtar"
)

// checker returns a function that type-checks a test as the compiler would, in the module of a
// directory: it may import what the packages do, and the driver.
func checker(t *testing.T, dir string, packages ...string) func(source []byte) error {
	t.Helper()
	args := append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "--"}, packages...)
	out, err := goCommand(context.Background(), dir, append(args, driverImports...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		exports[path] = file
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	})
	return func(source []byte) error {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "replay_test.go", source, 0)
		if err != nil {
			return err
		}
		config := types.Config{Importer: imp}
		_, err = config.Check("replay_test", fset, []*ast.File{f}, nil)
		return err
	}
}

const namesModule = `
-- go.mod --
module names

go 1.26
-- x/x.go --
package x

import "context"

// A T has results and parameters of all kinds of names.
type T struct{ Name string }

func New(x, err, o int) *T { return &T{} }

func Open(x int) (*T, error) { return &T{}, nil }

func (t *T) Len() (len int, true error)           { return }
func (t *T) R1() (_ int, r0 bool)                 { return }
func (t *T) X(T *T) (x, nil bool)                 { return }
func (t *T) M(m, n func(bytes []byte, T T) (a T)) { }
func (t *T) Errors() (errors error, ok bool)      { return }
func (t *T) Err() (err error, n int)              { return }
func (t *T) Self() (T, error)                     { return *t, nil }
func (t *T) Next() (*T, error)                    { return t, nil }

// A Handler is an interface that clients implement.
type Handler interface {
	Read(p []byte) (int, error)
	WriteString(strings string) (time int, err error)
	Open(bytes string) (*T, error)
	Close() error
	Context() context.Context
	Next(Handler) (Handler, bool)
	All(f func(n int) *T, rest ...string) (a, b T)
	Map() (m map[string]int, err error)
}

// Secret is one that they cannot implement.
type Secret interface {
	Handler
	secret()
}

func (t *T) Take(h Handler, more Handler)               {}
func (t *T) Keep(f func(Handler) (Handler, *T), s Secret) {}
func (t *T) Fill(key []byte, name []T)                  {}

// A Kind is a number.
type Kind uint8

func (k Kind) String() string { return "" }
-- time/time.go --
package time

// A Clock is not that of the standard library.
type Clock struct{}

func (c *Clock) Tick(d Duration) (time Duration, ok bool) { return d, true }

type Duration int64
`

// moduleDir writes the files of an archive to a directory.
func moduleDir(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestNames: no generated test declares a name twice, leaves one unused, or hides one that it needs.
func TestNames(t *testing.T) {
	dir := moduleDir(t, namesModule)
	check := checker(t, dir, "names/x", "names/time", "debug/elf", "net", "time", "bytes", "mime/multipart")
	all := []string{"Len", "R1", "X", "M", "Errors", "Err", "Self", "Take", "Keep"}
	code := func(code, object string, params ...string) typestate.Constructor {
		k := typestate.Constructor{Method: "made", Code: code, Object: object, Params: params}
		for range params {
			k.Types = append(k.Types, "value")
		}
		return k
	}
	for _, c := range []struct {
		name    string
		k       typestate.Constructor
		methods []string
		opt     Options
	}{
		{"debug/elf.OSABI", code("o := elf.OSABI(x)", "o", "x"), []string{"String", "GoString"}, Options{}},
		{"net.OpError", code("err := net.OpError{Op: Op}", "err", "Op"), []string{"Error", "Timeout"}, Options{}},
		{"time.Month", code("time := time.Month(x)", "time", "x"), []string{"String"}, Options{}},
		{"bytes.Buffer", code("bytes := bytes.NewBuffer(buf)", "bytes", "buf"), []string{"Len", "String"}, Options{}},
		{"mime/multipart.Writer", code("w := multipart.NewWriter(w)", "w", "w"), []string{"Close", "CreatePart"}, Options{}},
		{"mime/multipart.part", code("fmt := multipart.NewWriter(w); len, err := fmt.CreatePart(header)", "len", "w", "header"), []string{"Write", "fmt.Close"}, Options{}},
		{"names/x.T", code("x := x.New(x, err, o)", "x", "x", "err", "o"), all, Options{}},
		{"names/x.T", code("err := x.New(x, err, o); _, ok := err.Errors()", "err", "x", "err", "o"), all, Options{}},
		{"names/x.T", code("o, err := x.Open(x); _, err := o.Next()", "o", "x"), all, Options{}},
		{"names/x.T", code("o, failure := x.Open(x); nil, failure := o.Next()", "nil", "x"), append(all, "o.Len"), Options{}},
		{"names/x.T", code("var true x.T; var b x.T", "b"), append(all, "true.Len", "true = b"), Options{}},
		{"names/x.T", typestate.Constructor{Method: "New", Params: []string{"x", "err", "o"}, Types: []string{"int64", "int64", "int64"}}, all, Options{}},
		{"names/x.T", typestate.Constructor{Method: "zero"}, all, Options{Fixtures: map[string]string{"": "o, err := x.Open(1)"}}},
		{"names/x.T", typestate.Constructor{Method: "zero"}, all, Options{Fixtures: map[string]string{"": "&x.T{Name: strings.ToUpper(`x.`)}"}}},
		{"names/x.Kind", code("o := x.Kind(x)", "o", "x"), []string{"String"}, Options{}},
		{"names/x.Kind", code("k := x.Kind(x)", "k", "x"), []string{"String"}, Options{}},
		{"names/time.Clock", code("var time time.Clock", "time"), []string{"Tick"}, Options{}},
		{"names/time.Clock", code("var c time.Clock", "c"), []string{"Tick"}, Options{Args: map[string]string{"Tick.d": "time.Duration(1)"}}},
	} {
		s, err := Load(context.Background(), dir, c.name, "")
		if err != nil {
			t.Fatal(err)
		}
		i := oneState(c.name, c.k, nil, c.methods...)
		for k, call := range i.Calls {
			switch call.Method {
			case "Len", "Err", "true.Len", "o.Len":
				i.Calls[k].Outcomes = []string{"(_, nil)", "(_, non-nil)"}
			case "R1", "Errors", "Tick":
				i.Calls[k].Outcomes = []string{"(_, true)", "(_, false)"}
			case "X":
				i.Calls[k].Outcomes = []string{"(true, _)", "(false, true)", "(false, false)"}
			}
		}
		test, err := Generate(s, i, []string{"bytes", "strings", "fmt", "debug/elf", "net", "time"}, c.opt)
		if err != nil {
			t.Errorf("%s %s: %v", c.name, c.k.Code, err)
			continue
		}
		if len(test.Notes) > 0 {
			t.Errorf("%s %s: %q", c.name, c.k.Code, test.Notes)
		}
		if err := check(test.Source); err != nil {
			t.Errorf("%s %s: %v", c.name, c.k.Code, err)
			if testing.Verbose() {
				t.Logf("%s", test.Source[:strings.Index(string(test.Source), "memory holds")])
			}
		}
	}
}
