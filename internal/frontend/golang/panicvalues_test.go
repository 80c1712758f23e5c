// SPDX-License-Identifier: Apache-2.0

package golang

// This file tests errors of types that wrap others on their way through a panic, in the
// program with what is relevant alone: in coarse ones they are many objects, and the
// interpreter takes long to try what each may be.

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

const wrappingPanics = `package r

import (
	"errors"
	"runtime"
)

var ErrClosed = errors.New("r: closed")
var errBusy = errors.New("r: busy")

type ExecError struct {
	Name string
	Err  error
}

func (e ExecError) Error() string { return e.Err.Error() }

func errRecover(errp *error) {
	e := recover()
	if e != nil {
		switch err := e.(type) {
		case runtime.Error:
			panic(e)
		case ExecError:
			*errp = err
		default:
			panic(e)
		}
	}
}

type T struct{ closed, busy bool }

func New() *T              { return new(T) }
func (t *T) Close()         { t.closed = true }
func (t *T) Busy()          { t.busy = true }
func (t *T) fail(err error) { panic(ExecError{Name: "t", Err: err}) }

func (t *T) Exec() (err error) {
	defer errRecover(&err)
	if t.closed {
		t.fail(ErrClosed)
	}
	if t.busy {
		t.fail(errBusy)
	}
	return nil
}
`

func TestRecoveredErrors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module r\ngo 1.26\n", "r.go": wrappingPanics} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := Subject{Package: ".", Type: "T"}
	l, err := load(context.Background(), s, Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		errors, word []string
		want         string
	}{
		{[]string{"message r: closed"}, []string{"r.New", "Exec"}, "allowed"},
		{[]string{"message r: closed"}, []string{"r.New", "Close", "Exec"}, "fails"},
		{[]string{"message r: closed"}, []string{"r.New", "Busy", "Exec"}, "allowed"},
		{[]string{"message r: busy"}, []string{"r.New", "Busy", "Exec"}, "fails"},
		{[]string{"message r: busy"}, []string{"r.New", "Busy", "Close", "Exec"}, "allowed"},
		{[]string{"return r.ErrClosed"}, []string{"r.New", "Busy", "Close", "Exec"}, "fails"},
		{[]string{"panic"}, []string{"r.New", "Close", "Exec"}, "allowed"},
	} {
		o := Options{Dir: dir, Errors: k.errors}
		kinds, err := parseKinds(k.errors)
		if err != nil {
			t.Fatal(err)
		}
		r, err := l.compile(context.Background(), s, o, kinds)
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.Component(Depth{Sites: -1, Results: -1}, func(*Site) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		if got := verdict(t, c.Program, k.word); got != k.want {
			t.Errorf("%v: %v: got %s, want %s\n%s", k.errors, k.word, got, k.want, c.Program)
		}
	}
}
