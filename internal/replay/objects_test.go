// SPDX-License-Identifier: Apache-2.0

package replay

// This file checks the code that makes objects, calls on other objects, and
// fixtures, on the real types.

import (
	"context"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

func state(n int) *int { return &n }

// one returns an interface with one constructor and one state, in which every call
// is allowed but those that fail.
func oneState(name string, k typestate.Constructor, fails []string, methods ...string) *typestate.Interface {
	i := &typestate.Interface{States: []typestate.State{{}}}
	i.Component.Name, i.Component.Language, i.Component.Errors = name, "go", []string{"panic"}
	k.ID, k.Guard, k.Outcome, k.State, k.Verdict = k.Method, "true", "*", state(0), "allowed"
	i.Constructors = []typestate.Constructor{k}
	for _, m := range append(methods, fails...) {
		i.Calls = append(i.Calls, typestate.Call{ID: m, Method: m, Guard: "true", Outcomes: []string{"return"}})
	}
	for _, m := range methods {
		i.Edges = append(i.Edges, typestate.Edge{Call: m, Outcome: "*"})
	}
	for _, m := range fails {
		i.Forbidden = append(i.Forbidden, typestate.Forbidden{Call: m, Verdict: "fails"})
	}
	return i
}

// TestObjects makes objects by code and fixtures, drives calls on all of them, and
// finds what is wrong in an interface of theirs.
func TestObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles tests")
	}
	copied := typestate.Constructor{Method: "zero", Code: "var a strings.Builder; var b strings.Builder", Object: "a"}
	part := typestate.Constructor{Method: "multipart.NewWriter(w).CreatePart(header)", Params: []string{"w", "header"}, Types: []string{"value", "value"},
		Code: "mw := multipart.NewWriter(w); p, err := mw.CreatePart(header)", Object: "p"}
	for _, c := range []struct {
		name  string
		i     *typestate.Interface
		opt   Options
		wants string
	}{
		{"copied", oneState("strings.Builder", copied, nil, "WriteString", "b = a", "b.WriteString"), Options{},
			"zero; a.WriteString(\"a\"); b = a; b.WriteString(\"a\"): the interface says allowed, but it panicked strings: illegal use of non-zero Builder"},
		{"part", oneState("mime/multipart.part", part, nil, "Write", "mw.Close", "mw.Boundary"), Options{}, ""},
		{"part fails", oneState("mime/multipart.part", part, []string{"mw.Boundary"}, "Write"), Options{}, "mw.Boundary(): the interface says fails, but it returned"},
		{"part of a fixture", oneState("mime/multipart.part", part, []string{"mw.Boundary"}, "Write"),
			Options{Fixtures: map[string]string{"": "mw := multipart.NewWriter(io.Discard); p, err := mw.CreateFormField(`a`)"}}, "mw.Boundary(): the interface says fails"},
		{"chain", oneState("flag.FlagSet", typestate.Constructor{Method: "zero"}, nil, "Output().Write", "Parsed"), Options{Args: map[string]string{"Write.p": "nil"}}, ""},
		{"literal", oneState("net/http.Cookie", typestate.Constructor{Method: "http.Cookie{Name}", Params: []string{"len(Name)"}, Types: []string{"uint47"},
			Code: "c := http.Cookie{Name: Name}", Object: "c"}, []string{"String"}, "Valid"), Options{Hints: map[string][][]string{"Valid": {{"y"}}}}, "String(): the interface says fails"},
		{"conversion", oneState("time.Month", typestate.Constructor{Method: "time.Month(x)", Params: []string{"x"}, Types: []string{"int64"},
			Code: "m := time.Month(x)", Object: "m"}, []string{"String"}), Options{}, "String(): the interface says fails"},
		{"test", oneState("testing.T", typestate.Constructor{Method: "zero"}, nil, "Log", "Parallel", "Setenv"),
			Options{Fixtures: map[string]string{"": "testing.RunTests(func(_, _ string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: `a`, F: use}})"},
				Args: map[string]string{"Setenv.key": `"A"`}},
			"Parallel(); Parallel(): the interface says allowed, but it panicked testing: t.Parallel called multiple times"},
	} {
		s, err := Load(context.Background(), ".", c.i.Component.Name, "")
		if err != nil {
			t.Fatal(err)
		}
		c.opt.Words, c.opt.Random, c.opt.Limit = 200, 5, 2e9
		test, err := Generate(s, c.i, []string{"bytes", "io", "strings", "testing"}, c.opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(test.Notes) > 0 {
			t.Errorf("%s: %q", c.name, test.Notes)
		}
		r, err := Run(context.Background(), ".", s, test, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := strings.Join(r.Disagreements, "\n")
		if (c.wants == "") != (got == "") || !strings.Contains(got, c.wants) {
			t.Errorf("%s: %q\nexpected %q", c.name, got, c.wants)
		}
	}
}

const lateModule = `
-- go.mod --
module late

go 1.26
-- late.go --
package late

var (
	started bool
	fire    = make(chan bool)
)

// A Job leaves a goroutine behind that panics later.
type Job struct{}

func (*Job) Start() {
	started = true
	go func() {
		<-fire
		panic("late")
	}()
}

func (*Job) Touch() {
	if started {
		fire <- true
		select {} // until the process ends
	}
}
`

// TestLate: a goroutine that an earlier word left behind ends the process during a later word; that
// says nothing about the later one.
func TestLate(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles tests")
	}
	dir := moduleDir(t, lateModule)
	i := oneState("late.Job", typestate.Constructor{Method: "zero"}, nil, "Touch", "Start")
	i.States = append(i.States, typestate.State{ID: 1})
	i.Edges[1].To = 1
	i.Edges = append(i.Edges, typestate.Edge{From: 1, Call: "Start", Outcome: "*", To: 1})
	i.Unknown = []typestate.Unknown{{State: 1, Call: "Touch", Reason: "goroutine"}}
	s, err := Load(context.Background(), dir, "late.Job", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func()
		wants  string
	}{
		{func() {}, ""},
		{func() { i.Unknown = nil }, "Start(); Touch(): the interface says allowed, but it was fatal: late"},
	} {
		c.change()
		test, err := Generate(s, i, nil, Options{Words: 20, Random: 5, Limit: 2e9})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), dir, s, test, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Disagreements, "\n"); (c.wants == "") != (got == "") || !strings.Contains(got, c.wants) {
			t.Errorf("%q, expected %q", got, c.wants)
		}
	}
}

const onceModule = `
-- go.mod --
module once

go 1.26
-- once.go --
package once

var made = map[string]bool{}

// A Metric is known by its name.
type Metric struct{}

func New(name string) *Metric {
	if made[name] {
		panic("once: " + name + " is there already")
	}
	made[name] = true
	return &Metric{}
}

func (*Metric) Get() {}

func (*Metric) Set(n int) {}
`

// TestOnce: an object that can be made once in a process is made in one for each word.
func TestOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles tests")
	}
	dir := moduleDir(t, onceModule)
	k := typestate.Constructor{Method: "New", Params: []string{"name"}, Types: []string{"value"}}
	s, err := Load(context.Background(), dir, "once.Metric", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fails []string
		wants string
	}{{nil, ""}, {[]string{"Get"}, "Get(): the interface says fails, but it returned"}} {
		test, err := Generate(s, oneState("once.Metric", k, c.fails, "Set"), nil, Options{Words: 10, Random: 3, Limit: 2e9})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), dir, s, test, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Disagreements, "\n"); (c.wants == "") != (got == "") || !strings.Contains(got, c.wants) || len(r.Disagreements) > 1 {
			t.Errorf("%q, expected %q", got, c.wants)
		}
	}
}

// TestObjectsWrong checks what is said about code that cannot be run.
func TestObjectsWrong(t *testing.T) {
	for _, c := range []struct{ name, code, method, want string }{
		{"archive/zip.fileWriter", "", "Write", "archive/zip.fileWriter is not exported: say with -as"},
		{"archive/zip.Writer", "w := zip.Nothing(w)", "Flush", "package archive/zip has no function Nothing"},
		{"archive/zip.Writer", "w := nopkg.New(w)", "Flush", "there is no package nopkg"},
		{"archive/zip.Writer", "w, err := zip.NewWriter(w)", "Flush", "has 1 results"},
		{"archive/zip.Writer", "w := zip.NewWriter(w).Nothing()", "Flush", "the type has no such method"},
		{"archive/zip.Writer", "w :=", "Flush", "its code is not Go"},
		{"archive/zip.Writer", "w := zip.NewWriter(w)", "zr.Flush", "no constructor says what zr is"},
		{"archive/zip.Writer", "w := zip.NewWriter(w)", "a = w", "no constructor says what these objects are"},
	} {
		s, err := Load(context.Background(), ".", c.name, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Generate(s, oneState(c.name, typestate.Constructor{Method: "x", Code: c.code, Object: "w"}, nil, c.method), nil, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, expected %s", c.code, c.method, err, c.want)
		}
	}
}
