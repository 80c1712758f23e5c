// Package n has calls that never err although their code has errors, which are called Never,
// and calls that look as if they never did. Those called Only err by their arguments.
package n

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

var errBad = errors.New("n: bad")

type shape interface{ area() int }

type square struct{}

func (square) area() int { return 1 }

type hole struct{}

func (hole) area() int { panic("n: a hole") }

// A bad is an error.
type bad struct{ n int }

func (b *bad) Error() string { return "n: bad number" }

type N struct {
	n    int
	v    any
	p    *int
	e    error
	s    []any
	m    map[string]any
	f    func()
	wg   sync.WaitGroup
	once sync.Once
	box  atomic.Value
	sm   sync.Map
	buf  bytes.Buffer
	next shape
	kind string
}

func Make() *N { return &N{f: func() {}} }

// number errs for what is no number.
func number(v any) int {
	switch v := v.(type) {
	case int:
		return v
	case bool:
		return 0
	}
	panic("n: no number")
}

func need(p *int) int {
	if p == nil {
		panic("n: nil")
	}
	return *p
}

func area(s shape) int { return s.area() }

func fail(message string) error { return errors.New(message) }

func check(n int) error {
	if n < 0 {
		return errBad
	}
	return nil
}

func size[T any](v T, ok bool) T {
	if any(v) == nil {
		panic("n: nothing")
	}
	return v
}

// Calls that change the state.

func (n *N) Set(v any, p *int, e error) { n.v, n.p, n.e = v, p, e }
func (n *N) Put(k string, v any)        { n.s, n.m = append(n.s, v), map[string]any{k: v} }
func (n *N) Bad()                       { n.f = func() { panic("n: called") }; n.next = hole{}; n.e = errBad }
func (n *N) Count(k int)                { n.n += k }

// Calls that never err.

func (n *N) NeverNumber(k int) { n.n = number(k) }
func (n *N) NeverNil(k int)    { n.n = need(&n.n) + need(&k) }
func (n *N) NeverMissing() int { return need(new(int)) }
func (n *N) NeverOther() (string, int) {
	defer func() { n.n++ }()
	return n.kind, number(n.n)
}

// NeverGeneric: a pointer in an interface is not a nil interface.
func (n *N) NeverGeneric() bool { return size(n.p, true) != nil }

// Used makes errors that it does not return.
func (n *N) Used(k int) bool { return check(k) == nil && fail("n: unused") != nil }

// Calls that err by arguments.

func (n *N) OnlyNumber(v any) int    { return number(v) }
func (n *N) OnlyCheck(k int) error   { return check(k) }
func (n *N) OnlyRepeat(k int) string { return strings.Repeat("x", k) }
func (n *N) OnlyType(k int) error {
	if k > 3 {
		return &bad{k}
	}
	return nil
}

// Calls that err by state, or always.

func (n *N) Kept() int          { return number(n.v) }
func (n *N) Element() int       { return number(n.s[0]) }
func (n *N) Entry(k string) int { return number(n.m[k]) }
func (n *N) Pointer() int       { return need(n.p) }
func (n *N) Call()              { n.f() }
func (n *N) Area() int          { return area(n.next) }
func (n *N) Error() error       { return n.e }
func (n *N) Wrapped() error     { return fmt.Errorf("n: %w", n.e) }
func (n *N) Sign() error        { return check(n.n) }
func (n *N) Repeat() string     { return strings.Repeat("x", n.n) }
func (n *N) Done()              { n.wg.Done() }
func (n *N) Text() int          { return number("x") }
func (n *N) Exit()              { os.Exit(n.n) }
func (n *N) Fatal()             { log.Fatal("n: fatal") }
func (n *N) Panic()             { log.Panicln("n: panic") }
func (n *N) Gone()              { runtime.Goexit() }
func (n *N) Hole() int          { return area(hole{}) }
func (n *N) Fail() error        { return fail("n: always") }
func (n *N) Nothing() any       { return size[any](nil, true) }

func (n *N) Once() { n.once.Do(stop) }

func stop() { panic("n: once") }

func (n *N) Store(v any)         { n.box.Store(v) }
func (n *N) Swap(v any) bool     { return n.sm.CompareAndSwap(1, v, v) }
func (n *N) Truncate()           { n.buf.Truncate(n.n) }
func (n *N) Grow()               { n.buf.Grow(n.n) }
func (n *N) NeverGrow(s string)  { n.buf.Grow(len(s) + 1); n.buf.WriteString(s) }
func (n *N) NeverReset(s string) { n.buf.Truncate(0); n.buf.WriteString(s) }
func (n *N) OnlyTruncate(k int) error {
	b := bytes.NewBufferString("abc")
	b.Truncate(k)
	return check(k)
}

func (n *N) Either(k int) int {
	p := &k
	if n.n > 0 {
		p = nil
	}
	return need(p)
}

func (n *N) Later() (err error) {
	defer func() {
		if n.n > 0 {
			err = errBad
		}
	}()
	return nil
}

func (n *N) Closure() {
	stop := func() { panic("n: stopped") }
	if n.n > 0 {
		defer stop()
	}
}

func (n *N) Again() {
	defer func() {
		if r := recover(); r != nil {
			panic(r)
		}
	}()
	n.f()
}

func (n *N) Method() {
	f := n.Call
	f()
}

func (n *N) Shape() int {
	var s shape = square{}
	if n.n > 0 {
		s = n.next
	}
	return area(s)
}
