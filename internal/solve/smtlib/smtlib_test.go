// SPDX-License-Identifier: Apache-2.0

package smtlib

// This file tests what the suite for all solvers cannot: processes that crash,
// hang, talk nonsense or lie. The test binary itself is such a process, told by
// a variable of the environment what to do.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

const fakeVar = "INTERLOCK_FAKE_SOLVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeVar); mode != "" {
		fake(strings.Split(mode, "\x1f"))
		return
	}
	os.Exit(m.Run())
}

// fake is a process that answers. The mode is one of
//
//	(       give the answers that follow, one for each command that wants one
//	crash   exit at the first question
//	once    exit at the first question if there is no file of the given name,
//	        and make one; else be "("
//	hang    never answer a question
//	garbage answer questions with nonsense
//	mute    never answer anything
//	success say success to everything, then be "("
func fake(mode []string) {
	if mode[0] == "mute" {
		time.Sleep(time.Hour)
	}
	answers := mode[1:]
	if mode[0] == "once" {
		if _, err := os.Stat(answers[0]); err == nil {
			mode[0] = "("
		} else {
			os.WriteFile(answers[0], nil, 0o666)
		}
		answers = answers[1:]
	}
	in := bufio.NewReader(os.Stdin)
	for {
		x, err := readSexpr(in)
		if err != nil {
			return
		}
		switch command := x.list[0].atom; {
		case command == "get-info" && x.list[1].atom == ":name":
			fmt.Println(`(:name "fake")`)
		case command == "get-info" && x.list[1].atom == ":version":
			fmt.Println(`(:version "1.2")`)
		case strings.HasPrefix(command, "check-sat") || strings.HasPrefix(command, "get-"):
			switch mode[0] {
			case "crash", "once":
				fmt.Fprintln(os.Stderr, "assertion failed: x > y")
				os.Exit(3)
			case "hang":
				time.Sleep(time.Hour)
			case "garbage":
				fmt.Println("((( what )")
				fmt.Println("))")
				continue
			}
			if len(answers) == 0 {
				return
			}
			fmt.Println(answers[0])
			answers = answers[1:]
		case mode[0] == "success":
			fmt.Println("success")
		}
	}
}

// fakeCommand runs the test binary as a solver.
func fakeCommand(t *testing.T, mode ...string) Command {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Command{Name: "pretender", Path: path, Env: []string{fakeVar + "=" + strings.Join(mode, "\x1f")}}
}

// program finds a solver or skips the test.
func program(t *testing.T, name string) Command {
	t.Helper()
	c, err := Find(name)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return c
}

func open(t *testing.T, c Command, opt Options) *Solver {
	t.Helper()
	s, err := New(c, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestAbsent(t *testing.T) {
	for _, name := range []string{"no-such-solver", filepath.Join(t.TempDir(), "z3")} {
		_, err := Find(name)
		var absent *AbsentError
		if !errors.As(err, &absent) || absent.Name != name || !strings.Contains(err.Error(), "-solver embedded") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var absent *AbsentError
	if _, err := New(Command{Name: "gone", Path: filepath.Join(t.TempDir(), "gone")}, Options{}); !errors.As(err, &absent) {
		t.Errorf("gone: %v", err)
	}
}

func TestVersion(t *testing.T) {
	if v := open(t, fakeCommand(t, "("), Options{}).Version(); v != "fake 1.2" {
		t.Errorf("version %q", v)
	}
	for _, name := range []string{"z3", "cvc5"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, program(t, name), Options{})
			if v := strings.ToLower(s.Version()); !strings.HasPrefix(v, name+" ") || len(v) < len(name)+4 {
				t.Errorf("version %q", v)
			}
		})
	}
}

func TestPretenders(t *testing.T) {
	p := term.NewPool()
	x := p.Var("x", term.BV(8))
	once := filepath.Join(t.TempDir(), "crashed")
	for _, c := range []struct {
		name    string
		mode    []string
		opt     Options
		verdict solve.Verdict
		want    string // part of the error or reason
		starts  int
	}{
		{name: "right model", mode: []string{"(", "sat", "((x #x01))"}, verdict: solve.Sat, starts: 1},
		{name: "success", mode: []string{"success", "sat", "((x #x01))"}, verdict: solve.Sat, starts: 1},
		{name: "wrong model", mode: []string{"(", "sat", "((x #x07))"}, want: "its model does not satisfy x < 5", starts: 1},
		{name: "model of nothing", mode: []string{"(", "sat", "()"}, want: "unexpected answer ()", starts: 1},
		{name: "model of another", mode: []string{"(", "sat", "((y #x01))"}, want: "unexpected answer (y #x01)", starts: 1},
		{name: "too wide", mode: []string{"(", "sat", "((x #x101))"}, want: "unexpected answer", starts: 1},
		{name: "unsat", mode: []string{"(", "unsat", "(~!1)"}, verdict: solve.Unsat, starts: 1},
		{name: "unknown", mode: []string{"(", "unknown", `(:reason-unknown "bored")`}, want: "bored", starts: 1},
		{name: "unknown twice", mode: []string{"(", "unknown", `(:reason-unknown "bored")`}, opt: Options{Retry: true}, want: "bored", starts: 2},
		{name: "error", mode: []string{"(", `(error "line 1: no such ""thing""")`}, want: `line 1: no such`, starts: 1},
		{name: "garbage", mode: []string{"garbage"}, want: "unexpected answer (((what)))", starts: 1},
		{name: "ends", mode: []string{"("}, want: "died: exit status 0", starts: 2},
		{name: "crash", mode: []string{"crash"}, want: "died: assertion failed: x > y", starts: 2},
		{name: "crash once", mode: []string{"once", once, "sat", "((x #x01))"}, verdict: solve.Sat, starts: 2},
		{name: "hang", mode: []string{"hang"}, opt: Options{Timeout: 50 * time.Millisecond}, want: "no answer within 50ms", starts: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, fakeCommand(t, c.mode...), c.opt)
			s.Assert(p.SLt(x, p.Int(8, 5)))
			r, err := s.Check(t.Context(), p.SLt(p.Int(8, -9), x))
			got := r.Reason
			if err != nil {
				got = err.Error()
				if !strings.HasPrefix(got, "solver pretender: ") || strings.Contains(got, "\n") {
					t.Errorf("error %q is not one line that names the solver", got)
				}
			}
			if r.Verdict != c.verdict || !strings.Contains(got, c.want) || c.want == "" && err != nil {
				t.Errorf("%v %q, want %v %q", r.Verdict, got, c.verdict, c.want)
			}
			if s.Starts() != c.starts {
				t.Errorf("%d processes, want %d", s.Starts(), c.starts)
			}
		})
	}
}

// A solver that was killed in the middle of a question knows the stack again at
// the next one.
func TestReplay(t *testing.T) {
	for _, name := range []string{"z3", "cvc5"} {
		for _, opt := range []Options{{}, {Cores: true}, {Scopes: true, Cores: true}} {
			t.Run(fmt.Sprint(name, opt), func(t *testing.T) {
				p := term.NewPool()
				s := open(t, program(t, name), opt)
				e := &term.Enum{Name: "e", Values: []string{"a", "b", "c"}}
				x, y := p.Var("x", term.BV(8)), p.Var("y", term.EnumOf(e))
				k := func(n int64) *term.Term { return p.Int(8, n) }
				ask := func(want solve.Verdict, as ...*term.Term) {
					t.Helper()
					r, err := s.Check(t.Context(), as...)
					if err != nil || r.Verdict != want {
						t.Errorf("%v %s %v, want %v", r.Verdict, r.Reason, err, want)
					}
				}
				die := func() { s.proc.cmd.Process.Kill(); s.proc.cmd.Process.Wait() }
				s.Assert(p.ULt(x, k(10)))
				s.Push()
				s.Assert(p.Ne(y, p.EnumValue(e, "a")))
				ask(solve.Sat, p.Ne(y, p.EnumValue(e, "b")))
				s.Push()
				s.Assert(p.ULt(k(5), x))
				die()
				ask(solve.Unsat, p.ULt(x, k(6)))
				ask(solve.Unsat, p.Ne(y, p.EnumValue(e, "b")), p.Ne(y, p.EnumValue(e, "c")))
				die()
				s.Pop()
				ask(solve.Sat, p.ULt(x, k(6)))
				s.Pop()
				die()
				ask(solve.Sat, p.Eq(y, p.EnumValue(e, "a")))
				ask(solve.Unsat, p.Eq(x, k(10)))
				if s.Starts() != 4 {
					t.Errorf("%d processes, want 4", s.Starts())
				}
			})
		}
	}
}

// A cancelled question ends at once with its process, and the solver can be asked
// again.
func TestCancel(t *testing.T) {
	c := program(t, "z3")
	p := term.NewPool()
	s := open(t, c, Options{})
	x, y := p.Var("x", term.BV(64)), p.Var("y", term.BV(64))
	hard := p.And(p.Eq(p.Mul(x, y), p.Int(64, 1<<61-1)), p.ULt(x, p.Int(64, 1<<32)), p.ULt(y, p.Int(64, 1<<32)), p.ULt(p.Int(64, 1), x), p.ULt(p.Int(64, 1), y))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Check(ctx, hard); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: %v", err)
	}
	if s.proc != nil {
		t.Error("the process is still there")
	}
	if _, err := s.Check(ctx, hard); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled before: %v", err)
	}
	r, err := s.Check(t.Context(), p.ULt(x, y))
	if err != nil || r.Verdict != solve.Sat {
		t.Errorf("afterwards: %v %v", r, err)
	}
	limited := open(t, c, Options{Timeout: 100 * time.Millisecond, Retry: true})
	r, err = limited.Check(t.Context(), hard)
	if err != nil || r.Verdict != solve.Unknown || r.Reason == "" {
		t.Errorf("limited: %v %v", r, err)
	}
	s.Close()
	if _, err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("closed: %v", err)
	}
}

// Nothing stays behind: no process, no goroutine.
func TestNothingLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	p := term.NewPool()
	x := p.Var("x", term.BV(8))
	var pids []int
	for _, mode := range []string{"(", "crash", "hang", "garbage"} {
		s := open(t, fakeCommand(t, mode), Options{Timeout: 20 * time.Millisecond})
		pids = append(pids, s.proc.cmd.Process.Pid)
		s.Check(t.Context(), p.ULt(x, p.Int(8, 5)))
		s.Close()
		s.Close() // twice is fine
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
	if runtime.GOOS == "linux" {
		for _, pid := range pids {
			if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err == nil {
				t.Errorf("process %d is still there", pid)
			}
		}
	}
}

func TestReadSexpr(t *testing.T) {
	in := bufio.NewReader(strings.NewReader("sat\n((|a b| #x0f) ; why\n (\"q\"\"r\" ()))x"))
	for _, want := range []string{"sat", `((|a b| #x0f) ("q"r" ()))`, "x"} {
		x, err := readSexpr(in)
		if err != nil || x.String() != want {
			t.Errorf("%v %v, want %s", x, err, want)
		}
	}
	if x, err := readSexpr(in); err == nil {
		t.Errorf("%v at the end", x)
	}
}
