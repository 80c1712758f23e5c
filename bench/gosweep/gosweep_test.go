// SPDX-License-Identifier: Apache-2.0

package main

// This file checks the sweep: on small packages, twice; and with workers that
// crash and hang.

import (
	"bufio"
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
)

// fake makes the test binary a worker that fails as the names of types say.
const fake = "GOSWEEP_FAKE"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-worker" {
		if os.Getenv(fake) != "" {
			fakeWorker()
		} else {
			main()
		}
		return
	}
	os.Exit(m.Run())
}

func fakeWorker() {
	out := json.NewEncoder(os.Stdout)
	out.Encode([]string{"p.A", "p.Crash", "p.B", "p.Hang", "p.C"})
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch name := lines.Text(); name {
		case "p.Crash":
			panic("the worker crashes")
		case "p.Hang":
			time.Sleep(time.Hour)
		default:
			out.Encode(result{Type: name, Status: decided, Explicit: 1, SHA256: name, Synthesis: 0.5})
		}
	}
}

func TestSweep(t *testing.T) {
	s := sweep{patterns: "container/list sync/errgroup-is-not-there", kind: "misuse", limit: time.Minute, progress: io.Discard}
	if _, err := s.types(context.Background()); err == nil || !strings.Contains(err.Error(), "errgroup-is-not-there") {
		t.Errorf("a package that is not there: %v", err)
	}
	s.patterns = "container/list container/ring"
	types, err := s.types(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"container/list.Element", "container/list.List", "container/ring.Ring"}; !slices.Equal(types, want) {
		t.Fatalf("types %v, want %v", types, want)
	}
	types = types[:1]
	first, err := s.all(context.Background(), types)
	if err != nil {
		t.Fatal(err)
	}
	s.processors, s.reversed = 1, true
	second, err := s.all(context.Background(), types)
	if err != nil {
		t.Fatal(err)
	}
	r := newReport(first)
	r.compare(second)
	if r.Bad() || r.Status[decided] != 1 {
		var b bytes.Buffer
		r.print(&b, 5)
		t.Errorf("%s", b.String())
	}
}

func TestSweepOfBadWorkers(t *testing.T) {
	t.Setenv(fake, "1")
	s := sweep{limit: 50 * time.Millisecond, grace: time.Second, progress: io.Discard}
	types, err := s.types(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	results, err := s.all(context.Background(), types)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, r.Type+" "+r.Status)
	}
	if want := []string{"p.A decided", "p.Crash crash", "p.B decided", "p.Hang hang", "p.C decided"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !strings.Contains(results[1].Message, "panic: the worker crashes") || !strings.Contains(results[3].Message, "fakeWorker") {
		t.Errorf("messages without a stack:\n%s\n%s", results[1].Message, results[3].Message)
	}
	r := newReport(results)
	changed := slices.Clone(results)
	other := *changed[0]
	other.SHA256 = "other"
	changed[0] = &other
	r.compare(changed)
	if !r.Bad() || !slices.Equal(r.Differ, []string{"p.A"}) {
		t.Errorf("differ: %v", r.Differ)
	}
	var b bytes.Buffer
	r.print(&b, 3)
	if !strings.Contains(b.String(), "3   60.0%        3   60.0%") { // of those with an explicit error site
		t.Errorf("%s", b.String())
	}
	b.Reset()
	newReport([]*result{{Status: decided, Panics: 2}, {Status: decided}, {Status: partly, Explicit: 1, Panics: 1}, {Status: slow, Explicit: -1}}).print(&b, 3)
	for _, want := range []string{"types                                 4        3                2", "decided                               2        1   33.3%        0    0.0%", "over time                             1        1   33.3%        1   50.0%"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestLines(t *testing.T) {
	t.Setenv(fake, "1")
	s := sweep{limit: 50 * time.Millisecond, grace: time.Second, progress: io.Discard, lines: filepath.Join(t.TempDir(), "a")}
	// What is there is not done again; half a line is.
	if err := os.WriteFile(s.lines, []byte(`{"type":"p.A","status":"partly","explicit":1}`+"\n"+`{"type":"p.B"`), 0o666); err != nil {
		t.Fatal(err)
	}
	results, err := s.all(context.Background(), share([]string{"p.A", "p.C", "p.B"}, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 2 || results[0].Status != partly || results[1].Status != decided {
		t.Errorf("%v", results)
	}
	other := s
	other.lines += ".2"
	if _, err := other.all(context.Background(), share([]string{"p.A", "p.C", "p.B"}, 2, 2)); err != nil {
		t.Fatal(err)
	}
	r, err := readReport([]string{s.lines, other.lines})
	if err != nil {
		t.Fatal(err)
	}
	if r.Types != 3 || r.Status[decided] != 2 || r.Status[partly] != 1 || r.Twice {
		t.Errorf("%+v", r)
	}
	// A second run with other bytes.
	for _, f := range []struct{ name, line string }{{s.lines, `{"type":"p.B","status":"decided","explicit":1,"sha256":"other"}`}, {other.lines, ""}} {
		if err := os.WriteFile(f.name+again, []byte(f.line+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := readReport([]string{s.lines, other.lines}); err == nil || !strings.Contains(err.Error(), ":1: ") {
		t.Errorf("an empty line: %v", err)
	}
	if err := os.WriteFile(other.lines+again, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if r, err = readReport([]string{s.lines, other.lines}); err != nil || !r.Twice || r.Compared != 1 || !slices.Equal(r.Differ, []string{"p.B"}) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := readReport([]string{s.lines + "no"}); err == nil {
		t.Error("no error for a file that is not there")
	}
	for text, ok := range map[string]bool{"": true, "1/1": true, "2/3": true, "0/2": false, "3/2": false, "x": false, "1/2x": false} {
		if _, _, err := parseShard(text); (err == nil) != ok {
			t.Errorf("-shard %q: %v", text, err)
		}
	}
}

func TestDistributed(t *testing.T) {
	if d := distributed([]float64{4, 1, 3, 2}); d != (distribution{2, 4, 4, 4}) {
		t.Errorf("distributed: %v", d)
	}
}
