// Package p has calls that err by their arguments alone, and others.
package p

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

type T struct {
	n    int
	name string
	buf  []byte
	f    func(int) bool
	m    map[string]bool
	mu   sync.Mutex
	next *T
	x    any
}

var errBad = errors.New("bad")

var table = map[string]int{"one": 1, "two": 2}

var cache = map[string]bool{}

var limit = 10

var steps = []int{1, 2, 3}

// SetLimit changes a package variable.
func (t *T) SetLimit(n int) { limit = n }

// NewText errs by its text, in a loop, with a buffer and a parser of its own.
func NewText(s string) (*T, error) {
	p := &parser{text: s}
	for p.more() {
		if p.word() == "" {
			return nil, errBad
		}
	}
	return &T{}, nil
}

type parser struct {
	text string
	pos  int
	out  strings.Builder
}

func (p *parser) more() bool { return p.pos < len(p.text) }

func (p *parser) word() string {
	p.out.Reset()
	for p.more() && p.text[p.pos] != ' ' {
		p.out.WriteByte(p.text[p.pos])
		p.pos++
	}
	p.pos++
	return p.out.String()
}

func (t *T) OnlyText(s string) error {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return errBad
	}
	t.n = n
	return nil
}

// OnlyBytes reads contents of a slice, and writes some.
func (t *T) OnlyBytes(b []byte) error {
	c := append([]byte(nil), b...)
	for i := range c {
		c[i] ^= 1
	}
	if len(c) > 3 && c[2] == 7 {
		return errors.New("seven")
	}
	return nil
}

// OnlyTable looks into a table.
func (t *T) OnlyTable(s string) error {
	if table[s] == 0 {
		return fmt.Errorf("no entry %q", s)
	}
	return nil
}

// OnlyFunc hands a function on.
func (t *T) OnlyFunc(s string) error {
	if strings.IndexFunc(s, func(r rune) bool { return r == 'x' }) >= 0 {
		return errBad
	}
	return nil
}

// OnlyRecovers goes on after a panic of its own.
func (t *T) OnlyRecovers(s []int) (err error) {
	defer func() {
		if recover() != nil {
			err = errBad
		}
	}()
	if s[0] > steps[1] {
		panic("large")
	}
	return nil
}

// OnlyPanics panics.
func (t *T) OnlyPanics(s string) {
	for _, r := range s {
		if r == '!' {
			panic("loud")
		}
	}
}

// OnlyOverlap errs by where its arguments are.
func (t *T) OnlyOverlap(a, b []byte) error {
	if overlap(a, b[:len(b)/2]) {
		return errBad
	}
	return nil
}

func overlap(x, y []byte) bool {
	return len(x) > 0 && len(y) > 0 && uintptr(unsafe.Pointer(&x[0])) <= uintptr(unsafe.Pointer(&y[len(y)-1]))
}

// The others depend on something else.

// Place errs by where a variable of its own is.
func (t *T) Place(a []byte) error {
	b := make([]byte, 9)
	if len(a) > 0 && uintptr(unsafe.Pointer(&a[0])) < uintptr(unsafe.Pointer(&b[0])) {
		return errBad
	}
	return nil
}

// Kept errs by where something of the state is.
func (t *T) Kept(a []byte) error {
	if overlap2(a, t.buf) {
		return errBad
	}
	return nil
}

func overlap2(x, y []byte) bool {
	return len(x) > 0 && len(y) > 0 && uintptr(unsafe.Pointer(&x[0])) <= uintptr(unsafe.Pointer(&y[len(y)-1]))
}

// Looked reads an argument as another type, in which the state was written.
func (t *T) Looked(a []int32) error {
	if len(a) == 0 {
		return nil
	}
	a[0] = int32(t.n)
	if *(*int64)(unsafe.Pointer(&a[0])) > 7 {
		return errBad
	}
	return nil
}

func (t *T) State(s string) error {
	if s == t.name {
		return errBad
	}
	return nil
}

// Written compares with the state by way of the argument.
func (t *T) Written(b []byte) error {
	if len(b) > 0 {
		b[0] = byte(t.n)
		if b[0] == 7 {
			return errBad
		}
	}
	return nil
}

// Buffered compares with what an earlier call left.
func (t *T) Buffered(b []byte) error {
	t.buf = append(t.buf, b...)
	if len(t.buf) > 3 && t.buf[2] == 7 {
		return errBad
	}
	return nil
}

// Chosen lets the state choose a part of the argument.
func (t *T) Chosen(s string) error {
	h := s
	if t.n > 0 {
		h = s[:len(s)/2]
	}
	if strings.Contains(h, "no") {
		return errBad
	}
	return nil
}

func pick(b bool, x, y string) string {
	if b {
		return x
	}
	return y
}

// Picked is Chosen with a function and a variable behind a pointer.
func (t *T) Picked(s, r string) error {
	p := new(string)
	set(p, pick(t.n > 0, s, r))
	if strings.Contains(*p, "no") {
		return errBad
	}
	return nil
}

func set(p *string, s string) { *p = s }

// Implicit has the state decide what a variable holds, by control only.
func (t *T) Implicit(s string) error {
	k := 0
	if t.n > 0 {
		k = 1
	}
	if k < len(s) && s[k] == 'x' {
		return errBad
	}
	return nil
}

func (t *T) Variable(s string) error {
	if len(s) > limit {
		return errBad
	}
	return nil
}

func (t *T) Cached(s string) error {
	if cache[s] {
		return errBad
	}
	cache[s] = true
	return nil
}

func (t *T) Map(s string) error {
	if t.m[s] {
		return errBad
	}
	return nil
}

func (t *T) Calls(n int) error {
	if t.f(n) {
		return errBad
	}
	return nil
}

func (t *T) Client(f func(int) bool) error {
	if f(1) {
		return errBad
	}
	return nil
}

func (t *T) Own(u *T) error {
	if u.n > 3 {
		return errBad
	}
	return nil
}

// Boxed may be given an object of the component.
func (t *T) Boxed(x any) error {
	if u, ok := x.(*T); ok && u.n > 3 {
		return errBad
	}
	return nil
}

func (t *T) Locks(s string) error {
	t.mu.Lock()
	if s == "x" {
		return errBad
	}
	t.mu.Unlock()
	return nil
}

func (t *T) Waits(c chan string) error {
	if <-c == "x" {
		return errBad
	}
	return nil
}

func (t *T) Environment(name string) error {
	if os.Getenv(name) == "x" {
		return errBad
	}
	return nil
}

// Unsafe reads memory as another type.
func (t *T) Unsafe(s string) error {
	p := (*int)(unsafe.Pointer(&t.n))
	if *p > len(s) {
		return errBad
	}
	return nil
}

// Recovered goes on after a panic of the run time that the state decides.
func (t *T) Recovered(s string) (err error) {
	defer func() {
		if recover() != nil {
			err = errBad
		}
	}()
	_ = s[t.n]
	return nil
}

// Panics errs by the text, unless the state has made it panic before.
func (t *T) Panics(s string) error {
	if t.n > 3 {
		panic("much")
	}
	if s == "x" {
		return errBad
	}
	return nil
}

// Closure reads the state in a function literal.
func (t *T) Closure(s string) error {
	if strings.IndexFunc(s, func(r rune) bool { return int(r) == t.n }) >= 0 {
		return errBad
	}
	return nil
}

type inner struct{ err error }

func (e *inner) Error() string { return "inner: " + e.err.Error() }

// Inside returns an error of which the state decides what is in it.
func (t *T) Inside(s string) error {
	e := &inner{err: errBad}
	if t.n > 0 {
		e.err = os.ErrClosed
	}
	return e
}

// Held is a value of the state that the argument is compared with.
func (t *T) Held(x any) error {
	if t.x == x {
		return errBad
	}
	return nil
}

// Next changes an object of the component through another.
func (t *T) Next(n int) error {
	u := t.next
	u.n = n
	if u.next.n > n {
		return errBad
	}
	return nil
}

// Within makes a call that errs by its arguments alone, with what the state has.
func (t *T) Within() { t.OnlyPanics(t.name) }
