// SPDX-License-Identifier: Apache-2.0

package main

// This file checks the report, the list of modules, and a sweep of a small module, in which
// two types agree and one cannot be made; then an interface that is wrong.

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/interlock-go/interlock/bench/internal/workers"
)

// TestMain makes the test binary a worker when it is called as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-worker" {
		main()
		return
	}
	os.Exit(m.Run())
}

const source = `package p

// A Door must be opened before it is shut.
type Door struct{ open bool }

func (d *Door) Open() { d.open = true }

func (d *Door) Shut() {
	if !d.open {
		panic("shut already")
	}
	d.open = false
}

// A Key is a number.
type Key uint8

func (k Key) String() string { return "" }

type hidden struct{}

// A Box is made of what clients do not have.
type Box struct{ h *hidden }

func NewBox(h *hidden, f interface{ private() }) *Box { return &Box{h} }

func (b *Box) Get() { b.h.get() }

func (h *hidden) get() {}
`

func TestSweep(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles tests")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "p/p.go": source} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := sweep{patterns: "./p", dir: dir, kind: "misuse", interfaces: t.TempDir(), limit: time.Minute, run: driving{words: 20, random: 2, call: time.Second, limit: 5 * time.Minute}}
	sweepAll := func(lines string) *report {
		t.Helper()
		pool, err := s.pool(1, lines, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		types, err := pool.Types(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		all, err := workers.All(context.Background(), pool, kindOfResult, types)
		if err != nil {
			t.Fatal(err)
		}
		return newReport(all)
	}
	lines := filepath.Join(t.TempDir(), "lines")
	r := sweepAll(lines)
	var got []string
	for _, x := range r.results {
		got = append(got, x.Type+" "+x.Status)
	}
	if want := []string{"m/p.Box not driven", "m/p.Door agrees", "m/p.Key agrees"}; !slices.Equal(got, want) || r.Bad() {
		t.Fatalf("%q, want %q: %+v", got, want, r.results[0])
	}
	if door := r.results[1]; door.Cells != 4 || door.Driven != 4 || door.Words == 0 || door.States != 2 {
		t.Errorf("%+v", door)
	}
	// An interface that is not true, in the directory of interfaces. The other types are not done again.
	file := filepath.Join(s.interfaces, "m_p.Door.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var i map[string]any
	if err := json.Unmarshal(data, &i); err != nil {
		t.Fatal(err)
	}
	for _, f := range i["forbidden"].([]any) {
		cell := f.(map[string]any)
		i["edges"] = append(i["edges"].([]any), map[string]any{"from": cell["state"], "call": cell["call"], "outcome": "*", "to": cell["state"]})
	}
	i["forbidden"] = []any{}
	if data, err = json.Marshal(i); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	kept, err := workers.ReadLines[result](lines)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, x := range kept {
		if x.Type != "m/p.Door" {
			x.Words = 12345
			enc.Encode(x)
		}
	}
	if err := os.WriteFile(lines, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	r = sweepAll(lines)
	if !r.Bad() || r.status[disagrees] != 1 || r.results[0].Words != 12345 {
		t.Errorf("%+v", r.status)
	}
	b.Reset()
	if err := r.print(&b, 5); err != nil || !strings.Contains(b.String(), "disagreement: m/p.Door after new(p.Door); Shut(): the interface says allowed, but it panicked shut already") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestReport(t *testing.T) {
	no := "no object can be made: not driven: constructor p.New#2: "
	results := []*result{
		{Type: "p.B", Status: agrees, Cells: 10, Driven: 7, Unknown: 1, Words: 100, Notes: []string{"not driven: Write: no value of type p.W is known for its parameter w: give one with -arg", "not driven: Read: no value of type []p.X[int] is known for its parameter r: give one with -arg", "not driven: constructor p.New#2: its outcomes lead to different states"}},
		{Type: "p.A", Status: disagrees, Cells: 4, Driven: 4, Words: 9, Disagreements: []string{"new(p.A); F(): the interface says allowed, but it panicked x"}},
		{Type: "p.A", Status: crash},
		{Type: "p.C", Status: notDriven, Message: no + "no value of type *q.X is known for its parameter x: give one with -arg; not driven: constructor zero: other; -fixture EXPR says how"},
		{Type: "p.D", Status: notDriven, Message: no + "no value of type *q.Y is known for its parameter y: give one with -arg; -fixture EXPR says how"},
		{Type: "p.E", Status: none, Message: "undecided after 12 steps (p/e.go:3:4)"},
		{Type: "p.F", Status: uncompiled, Message: "the test does not compile: replay_test.go:1:2: no new variables"},
		{Type: "p.G", Status: slow},
	}
	r := newReport(results)
	if len(r.results) != 7 || !r.Bad() {
		t.Errorf("%d results, bad: %t", len(r.results), r.Bad())
	}
	var b bytes.Buffer
	if err := r.print(&b, 3); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"7 exported types with methods",
		"agrees              1       10        7        1      100\n",
		"disagrees           1        4        4        0        9\n",
		"disagreement: p.A after new(p.A); F(): the interface says allowed, but it panicked x\n",
		"not compiled: p.F\nthe test does not compile: replay_test.go:1:2: no new variables\n",
		"    2  not driven: no object can be made: no value is known for a parameter of some type: give one with -arg (p.C)\n",
		"    1  no interface: undecided after N steps (AT) (p.E)\n",
		"  ... and 1 more reasons\n",
		"    2  no value is known for a parameter of some type: give one with -arg\n",
		"    1  its outcomes lead to different states\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	for _, s := range []string{agrees, notDriven, none, alone, slow} {
		if newReport([]*result{{Status: s}}).Bad() {
			t.Errorf("%s is bad", s)
		}
	}
	for _, s := range []string{disagrees, uncompiled, failed, crash, hang} {
		if !newReport([]*result{{Status: s}}).Bad() {
			t.Errorf("%s is not bad", s)
		}
	}
	// Another order, the same bytes.
	slices.Reverse(results)
	results = slices.DeleteFunc(results, func(x *result) bool { return x.Status == crash })
	var again bytes.Buffer
	if err := newReport(results).print(&again, 3); err != nil || again.String() != b.String() {
		t.Errorf("another order: %v\n%s", err, again.String())
	}
}

func TestModules(t *testing.T) {
	list, err := parseModules("list", "# comment\n\nexample.org/a v1.2.3 # why\nexample.org/b/v2 v2.0.0-20200101000000-abcdefabcdef\n")
	if want := []module{{"example.org/a", "v1.2.3"}, {"example.org/b/v2", "v2.0.0-20200101000000-abcdefabcdef"}}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%v, %v", list, err)
	}
	for text, want := range map[string]string{"": "list lists no module", "\na\n": "list:2: expected a module path", "a latest": "list:1: ", "a v1 b": "list:1: "} {
		if _, err := parseModules("list", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	data, err := os.ReadFile("modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	if list, err := parseModules("modules.txt", string(data)); err != nil || len(list) < 10 {
		t.Errorf("modules.txt: %d, %v", len(list), err)
	}
	for name, why := range leftAlone() {
		if !strings.Contains(name, ".") || why == "" {
			t.Errorf("alone.txt: %s %s", name, why)
		}
	}
	if len(leftAlone()) == 0 {
		t.Error("alone.txt lists nothing")
	}
}
