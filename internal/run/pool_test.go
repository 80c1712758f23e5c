// SPDX-License-Identifier: Apache-2.0

package run

// This file runs words of a component that does all that a process must survive.

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const hostile = `package m

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

type T struct {
	n  int
	mu sync.Mutex
}

var ErrClosed = errors.New("m: closed")

var kept [][]byte

func (t *T) Add() int    { t.n++; return t.n }
func (t *T) Exit()       { os.Exit(7) }
func (t *T) Spin()       { for { t.n++ } }
func (t *T) Lock()       { t.mu.Lock() }
func (t *T) Nap()        { time.Sleep(100 * time.Millisecond) }
func (t *T) Panic()      { panic("m: told to") }
func (t *T) Unlock()     { t.mu.Unlock() }
func (t *T) Err() error  { return ErrClosed }
func (t *T) Text() error { return errors.New("m: constant") }
func (t *T) Other() error { return fmt.Errorf("m: %d", t.n) }
func (t *T) Streams() { os.Stdin.Close(); fmt.Println("{\"did\":\"returned\"}"); fmt.Fprintln(os.Stderr, "noise"); os.Stdout.Close(); os.Stderr.Close() }
func (t *T) Leak()    { go func() { select {} }() }
func (t *T) Late()    { go func() { panic("m: late") }(); time.Sleep(50 * time.Millisecond) }
func (t *T) Allocate() {
	for {
		b := make([]byte, 1<<24)
		for k := range b {
			b[k] = 1
		}
		kept = append(kept, b)
	}
}
func (t *T) File() error { return os.WriteFile("file", nil, 0o666) }
func (t *T) Child() error {
	cmd := exec.Command("sleep", "97531")
	return cmd.Start()
}
func (t *T) Daemon() error {
	cmd := exec.Command("sleep", "97531")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}
func (t *T) Goexit() { runtime.Goexit() }
func (t *T) Chdir() error {
	if err := os.Mkdir("moved", 0o777); err != nil {
		return fmt.Errorf("%d: %w", t.n, err)
	}
	return os.Chdir("moved")
}
func (t *T) Close()      { for fd := range 100 { syscall.Close(fd) } }
func (t *T) Signal() { syscall.Kill(os.Getpid(), syscall.SIGKILL) }
`

var hostileDriver *driven

// driveHostile returns a driver of its own for a test, with the program of all.
func driveHostile(t *testing.T) driven {
	t.Helper()
	if hostileDriver == nil {
		d := drive(t, component(t, hostile), "example.com/m.T", "misuse", "block")
		hostileDriver = &d
	}
	d := *hostileDriver
	p := *d.program
	p.Dir = t.TempDir()
	d.program = &p
	return d
}

// TestHostile: whatever a call does is an answer, and the words after it have theirs.
func TestHostile(t *testing.T) {
	d := driveHostile(t)
	patient, err := NewPool(d.program, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer patient.Close()
	quick := *d.program
	quick.Limit = time.Second
	hasty, err := NewPool(&quick, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer hasty.Close()
	for _, c := range []struct {
		call, did, text string
		errs, guess     bool
	}{
		{"Add()", Returned, "return", false, false},
		{"Exit()", Exited, "exit status 7", true, false},
		{"Spin()", Blocked, "", true, false},
		{"Panic()", Panicked, "m: told to", true, false},
		{"Unlock()", Fatal, "sync: unlock of unlocked mutex", true, false},
		{"Err()", Returned, "non-nil", true, true},
		{"Text()", Returned, "non-nil", true, true},
		{"Other()", Returned, "non-nil", false, false},
		{"Streams()", Returned, "return", false, false},
		{"Leak()", Returned, "return", false, false},
		{"Late()", Fatal, "m: late", true, false},
		{"Nap()", Returned, "return", false, false},
		{"Allocate()", Memory, "", false, false},
		{"File()", Returned, "nil", false, false},
		{"Child()", Returned, "nil", false, false},
		{"Daemon()", Returned, "nil", false, false},
		{"Goexit()", Exited, "", true, false},
		{"Chdir()", Returned, "nil", false, false},
		{"Close()", Exited, "exit status", true, false},
		{"Signal()", Exited, "signal: killed", true, false},
	} {
		pool := patient
		if c.call == "Spin()" {
			pool = hasty // it takes all the time that it is given
		}
		add, call := d.call(t, "Add()"), d.call(t, c.call)
		words := []Word{{Calls: []int{add}}, {Calls: []int{call, add}}, {Calls: []int{add}}}
		answers, err := pool.Run(context.Background(), words)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{0, 2} {
			if s := answers[k].Steps; len(s) != 2 || s[1].Did != Returned {
				t.Errorf("%s: a word beside it has %v", c.call, s)
			}
		}
		s := answers[1].Steps
		if len(s) < 2 || s[1].Did != c.did || !strings.HasPrefix(s[1].Text, c.text) || len(s) == 3 != (c.did == Returned) {
			t.Errorf("%s: %+v, expected that it %s %s", c.call, s, c.did, c.text)
			continue
		}
		if c.call == "Chdir()" { // a word is where the one before it was
			alone, err := NewPool(d.program, 1)
			if err != nil {
				t.Fatal(err)
			}
			answers, err := alone.Run(context.Background(), []Word{{Calls: []int{call}}, {Calls: []int{call}}})
			alone.Close()
			if err != nil || alone.Started != 1 || answers[1].Steps[1].Text != "nil" {
				t.Errorf("%s twice: %v %v", c.call, answers, err)
			}
		}
		if errs, guess := pool.Errs(s[1]); errs != c.errs || guess != c.guess {
			t.Errorf("%s: an error under study: %t (guessed: %t)", c.call, errs, guess)
		}
	}
	patient.Close()
	hasty.Close()
	left, err := os.ReadDir(d.program.Dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
	if running(t, "97531") {
		t.Error("a child of a driver is left")
	}
}

// TestBlock: a lock that nobody gives back is seen to block long before the limit.
func TestBlock(t *testing.T) {
	d := driveHostile(t)
	d.program.Limit = time.Hour
	pool, err := NewPool(d.program, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	lock := d.call(t, "Lock()")
	answers, err := pool.Run(context.Background(), []Word{{Calls: []int{lock, lock}}, {Calls: []int{lock}}})
	if err != nil {
		t.Fatal(err)
	}
	if s := answers[0].Steps; len(s) != 3 || s[2].Did != Blocked {
		t.Errorf("Lock(); Lock(): %v", s)
	} else if errs, _ := pool.Errs(s[2]); !errs {
		t.Error("that it blocks is no error")
	}
	if s := answers[1].Steps; len(s) != 2 || s[1].Did != Returned {
		t.Errorf("Lock(): %v", s)
	}
}

// TestCancel: words that are given up leave no process.
func TestCancel(t *testing.T) {
	d := driveHostile(t)
	d.program.Limit = time.Hour
	pool, err := NewPool(d.program, 2)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	spin := Word{Calls: []int{d.call(t, "Spin()")}}
	if _, err := pool.Run(ctx, []Word{spin, spin, spin}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if running(t, d.program.Path) {
		t.Error("a driver is left")
	}
	pool.Close()
	if left, err := os.ReadDir(d.program.Dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// TestSnapshots reads the fields of an object in the end.
func TestSnapshots(t *testing.T) {
	d := driveHostile(t)
	pool, err := NewPool(d.program, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	add := d.call(t, "Add()")
	answers, err := pool.Snapshots(context.Background(), []Word{{Calls: []int{add, add}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := answers[0].Fields["n"]; got != "2" {
		t.Errorf("n is %q after two calls: %v", got, answers[0].Fields)
	}
}

// running reports whether the command line of a process contains a text.
func running(t *testing.T, text string) bool {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(list) == 0 {
		t.Skip("there is no list of processes")
	}
	for _, name := range list {
		if line, err := os.ReadFile(name); err == nil && strings.Contains(string(line), text) {
			return true
		}
	}
	return false
}
