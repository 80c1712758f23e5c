// SPDX-License-Identifier: Apache-2.0

package cli

// This file tests what a script cannot: interruption at every point, the
// progress line with a clock of its own, and the small readers of words.
// Everything else about the command line is in testdata/script.

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/corpus"
)

// countdown is a context that is cancelled when it has been asked so often.
type countdown struct {
	context.Context
	left *atomic.Int64
	err  error
}

func newCountdown(n int64, err error) countdown {
	c := countdown{context.Background(), new(atomic.Int64), err}
	c.left.Store(n)
	return c
}

func (c countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return c.err
	}
	return nil
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestInterrupt cancels after every number of looks at the context until the
// command finishes. Each time but the last it must end with status 3, one line
// and no output; and there must be several such times, or the context is not
// looked at while there is work to do.
func TestInterrupt(t *testing.T) {
	big := write(t, "big.open", corpus.ListIterator(7))
	small := write(t, "small.open", corpus.ListIterator(2))
	stack := write(t, "stack.open", corpus.Stack(3))
	out := filepath.Join(t.TempDir(), "out.json")
	for _, c := range []struct {
		args  []string
		least int // looks
	}{
		{[]string{"infer", "-workers", "1", big}, 3},
		{[]string{"infer", "-workers", "2", "-o", out, big}, 3},
		{[]string{"infer", "-engine", "learn", stack}, 10},
		{[]string{"infer", "-engine", "hide", small}, 3},
		{[]string{"compare", small, small}, 4},
		{[]string{"explain", small, "next", "remove", "next"}, 3},
	} {
		t.Run(strings.Join(c.args[:len(c.args)-1], " "), func(t *testing.T) {
			// Steps grow, so that engines that look often are not run a
			// thousand times.
			for looks, n := int64(0), 0; ; looks, n = looks+1+looks/8, n+1 {
				var stdout, stderr bytes.Buffer
				code := Main(newCountdown(looks, context.Canceled), c.args, Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
				if code == exitDone {
					os.Remove(out)
					if n < c.least {
						t.Errorf("cancelled only %d times before it finished, expected %d", n, c.least)
					}
					return
				}
				want := fmt.Sprintf("interlock %s: undecided: interrupted before there was an answer\n", c.args[0])
				if code != exitUndecided || stderr.String() != want || stdout.Len() > 0 {
					t.Fatalf("after %d looks: status %d, printed %q and %q", looks, code, stdout.String(), stderr.String())
				}
				if entries, err := os.ReadDir(filepath.Dir(out)); err != nil || len(entries) > 0 {
					t.Fatalf("after %d looks: files were left: %v %v", looks, entries, err)
				}
			}
		})
	}
}

// TestDeadline: a limit that is not of the command's own making.
func TestDeadline(t *testing.T) {
	file := write(t, "small.open", corpus.ListIterator(2))
	for _, args := range [][]string{{"infer", file}, {"explain", file, "next"}} {
		var stdout, stderr bytes.Buffer
		code := Main(newCountdown(0, context.DeadlineExceeded), args, Streams{Out: &stdout, Err: &stderr})
		if want := "interlock " + args[0] + ": undecided: the time limit ran out\n"; code != exitUndecided || stderr.String() != want || stdout.Len() > 0 {
			t.Errorf("%s: status %d, printed %q and %q", args[0], code, stdout.String(), stderr.String())
		}
	}
}

// A recorder tells a test of each write.
type recorder struct {
	bytes.Buffer
	wrote chan struct{}
}

func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.Buffer.Write(p)
	if r.wrote != nil {
		r.wrote <- struct{}{}
	}
	return n, err
}

// TestProgress shows two lines and clears them; the test is the clock.
func TestProgress(t *testing.T) {
	ticks := make(chan time.Time)
	pauses := make(chan time.Duration, 10)
	rec := &recorder{wrote: make(chan struct{})}
	c := &invocation{Streams: Streams{Err: rec, Terminal: true, after: func(d time.Duration) <-chan time.Time {
		pauses <- d
		return ticks
	}}}
	p := c.startProgress("dir/lock.open")
	tick := func() {
		ticks <- time.Time{}
		<-rec.wrote
	}
	tick()
	p.report(interlock.Event{Phase: "exploring states", Count: 42})
	tick()
	p.report(interlock.Event{Phase: "minimizing", Count: 7})
	// The recorder is read only after the writer has ended.
	stopped := make(chan struct{})
	go func() { p.stop(); close(stopped) }()
	select {
	case <-rec.wrote:
		<-stopped
	case <-stopped: // without a write; what was printed says so
	}
	if got, want := rec.String(), "\r\x1b[Kreading dir/lock.open\r\x1b[Kexploring states: 42\r\x1b[K"; got != want {
		t.Errorf("printed %q, expected %q", got, want)
	}
	close(pauses)
	var got []time.Duration
	for d := range pauses {
		got = append(got, d)
	}
	if want := []time.Duration{time.Second, 200 * time.Millisecond, 200 * time.Millisecond}; !slices.Equal(got, want) {
		t.Errorf("waited %v, expected %v", got, want)
	}
}

// TestNoProgress: nothing is shown for short work, nor without a terminal.
func TestNoProgress(t *testing.T) {
	file := write(t, "small.open", corpus.ListIterator(2))
	for _, terminal := range []bool{true, false} {
		asked := false
		after := func(time.Duration) <-chan time.Time {
			asked = true
			return nil // never
		}
		var stdout, stderr bytes.Buffer
		code := Main(context.Background(), []string{"infer", file}, Streams{Out: &stdout, Err: &stderr, Terminal: terminal, after: after})
		if code != exitDone || stderr.Len() > 0 || stdout.Len() == 0 {
			t.Errorf("terminal=%v: status %d, printed %q", terminal, code, stderr.String())
		}
		if asked && !terminal {
			t.Error("there is a clock without a terminal")
		}
	}
}

// TestWidth checks the help of every command and topic: no line is wider than a
// terminal of 80 columns, and none ends in blanks.
func TestWidth(t *testing.T) {
	names := []string{"help", "version"}
	for _, c := range commands() {
		names = append(names, c.name)
	}
	for _, t := range topics() {
		names = append(names, t.name)
	}
	for _, name := range append(names, "") {
		var stdout, stderr bytes.Buffer
		args := []string{"help", name}
		if name == "" {
			args = args[:1]
		}
		if code := Main(context.Background(), args, Streams{Out: &stdout, Err: &stderr}); code != exitDone || stderr.Len() > 0 {
			t.Errorf("help %s: status %d, %s", name, code, stderr.String())
		}
		for n, line := range strings.Split(stdout.String(), "\n") {
			wide := strings.ReplaceAll(line, "\t", "        ")
			if len([]rune(wide)) > 80 || strings.TrimRight(line, " \t") != line {
				t.Errorf("help %s: line %d is too wide or ends in blanks: %q", name, n+1, line)
			}
		}
	}
}

func TestParenthesized(t *testing.T) {
	for _, c := range []struct {
		text  string
		parts []string
		rest  string
		ok    bool
	}{
		{"", nil, "", false},
		{"x", nil, "x", false},
		{"(", nil, "(", false},
		{"()", nil, "", true},
		{"( )=x", nil, "=x", true},
		{"(a)", []string{"a"}, "", true},
		{"(a, b )=(c, d)", []string{"a", "b"}, "=(c, d)", true},
		{"((a, b), c)", []string{"(a, b)", "c"}, "", true},
		{"(a,)", []string{"a", ""}, "", true},
		{"((a)", nil, "((a)", false},
		{"(ä,ö)ü", []string{"ä", "ö"}, "ü", true},
	} {
		parts, rest, ok := parenthesized(c.text)
		if !slices.Equal(parts, c.parts) || rest != c.rest || ok != c.ok {
			t.Errorf("parenthesized(%q) = %q, %q, %v", c.text, parts, rest, ok)
		}
	}
}

func TestOutcomeFits(t *testing.T) {
	for _, c := range []struct {
		outcome, written string
		want             bool
	}{
		{"*", "anything", true},
		{"true", "true", true},
		{"true", "false", false},
		{"(true, red)", "(true,red)", true},
		{"(true, red)", "(_,red)", true},
		{"(true, red)", "(_,green)", false},
		{"(true, red)", "true", false},
		{"(_, red)", "(7, red)", true},
		{"n >= 1", "1", true},
		{"n >= 1", "0", false},
		{"n >= 1", "-1", false},
		{"n >= 1", "n >= 1", true},
		{"n >= 1 && n != 4", "4", false},
		{"n >= 1", "18446744073709551615", true},
		{"n >= 1", "red", false},
		{"(v <= 99, true)", "(5, true)", true},
		{"(v <= 99, true)", "(100, true)", false},
		{"(v <= 99, true)", "(5, _)", true},
		{"3", "3", true},
		{"3", "4", false},
	} {
		if got := outcomeFits(c.outcome, c.written); got != c.want {
			t.Errorf("outcomeFits(%q, %q) = %v", c.outcome, c.written, got)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"ropen":      "ropen",
		"get=true":   "get=true",
		"New(3)":     "'New(3)'",
		"x y":        "'x y'",
		"it's":       `'it'\''s'`,
		"":           "''",
		"a.open":     "a.open",
		"get=(_, 3)": "'get=(_, 3)'",
	} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %s, expected %s", in, got, want)
		}
	}
}
