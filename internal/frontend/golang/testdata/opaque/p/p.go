// Package p has calls that err by their arguments alone, and others.
package p

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	file *os.File
}

var errBad = errors.New("bad")

var table = map[string]int{"one": 1, "two": 2}

var cache = map[string]bool{}

var limit = 10

var steps = []int{1, 2, 3}

// SetLimit changes a package variable.
func (t *T) SetLimit(n int) { limit = n }

// Change changes what others depend on.
func (t *T) Change(name string, f func(int) bool, file *os.File) { t.name, t.f, t.file = name, f, file }

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

// MayClient errs as a function of the client answers.
func (t *T) MayClient(f func(int) bool) error {
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

// MayEnvironment errs as the environment answers.
func (t *T) MayEnvironment(name string) error {
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

// MayBoth errs by its text, where the environment lets it.
func (t *T) MayBoth(name string) error {
	if os.Getenv("LET") == "x" {
		return nil
	}
	if strings.Contains(name, "()") {
		return errBad
	}
	return nil
}

// Asked errs as the environment answers that is given something of the state.
func (t *T) Asked(name string) error {
	if os.Getenv(t.name) == "x" {
		return nil
	}
	if strings.Contains(name, "()") {
		return errBad
	}
	return nil
}

// Method errs by what an object answers that the component has.
func (t *T) Method(name string) error {
	if n, err := t.file.Seek(0, 0); err != nil || n > 3 {
		return nil
	}
	if strings.Contains(name, "()") {
		return errBad
	}
	return nil
}

// Back gives code to the environment.
func (t *T) Back(name string) error {
	return filepath.WalkDir(name, func(string, fs.DirEntry, error) error {
		if t.n > 3 {
			return errBad
		}
		return nil
	})
}

// Loud gives code to a function of the client.
func (t *T) Loud(f func(func())) {
	f(func() {
		if t.n > 3 {
			panic("loud")
		}
	})
}

// OnlyOther returns another error by state.
func (t *T) OnlyOther(s string) error {
	if strings.Contains(s, "()") {
		return errBad
	}
	if t.n > 3 {
		return io.EOF
	}
	return nil
}

// OtherFirst returns another error by state, before it comes to its own.
func (t *T) OtherFirst(s string) error {
	if t.n > 3 {
		return io.EOF
	}
	if strings.Contains(s, "()") {
		return errBad
	}
	return nil
}

// Either returns one error or the other, by state.
func (t *T) Either(s string) error {
	err := errBad
	if t.n > 3 {
		err = io.EOF
	}
	if strings.Contains(s, "()") {
		return err
	}
	return nil
}

// Hidden makes its error by state, in a function that it calls.
func (t *T) Hidden(s string) error {
	if strings.Contains(s, "()") {
		return t.hidden()
	}
	return nil
}

func (t *T) hidden() error {
	if t.n > 3 {
		return errBad
	}
	return nil
}

// OnlyPlain calls a function of a text, which has an object of its own, and writes into
// another object of that type.
func (t *T) OnlyPlain(s string) error {
	u, err := parsed(s)
	if err != nil {
		return err
	}
	u.n = t.n
	return nil
}

func parsed(s string) (*T, error) {
	u := &T{}
	for _, c := range s {
		if c == '(' {
			u.n++
		}
	}
	if u.n > 3 {
		return nil, errBad
	}
	return u, nil
}

// PlainText calls it with a text of the state.
func (t *T) PlainText(s string) error {
	_, err := parsed(t.name + s)
	return err
}

// PlainThen looks at an object that such a function made and that has something of the state.
func (t *T) PlainThen(s string) error {
	u, err := parsed(s)
	if err != nil {
		return nil
	}
	u.n = t.n
	if u.n > 3 {
		return errBad
	}
	return nil
}

// PlainSome calls it if the state lets it.
func (t *T) PlainSome(s string) error {
	if t.n > 3 {
		return nil
	}
	_, err := parsed(s)
	return err
}

// NewOf errs by an object that is not the component.
func NewOf(u *T) (*T, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.n > 3 {
		return nil, errBad
	}
	return &T{next: u}, nil
}

// WorldLimited errs by a package variable.
func WorldLimited(n int) (*T, error) {
	if n > limit {
		return nil, errBad
	}
	return &T{}, nil
}

// NewRegistered takes a lock of the package that is free.
func NewRegistered(s string) (*T, error) {
	registry.Lock()
	defer registry.Unlock()
	if strings.Contains(s, "()") {
		return nil, errBad
	}
	return &T{}, nil
}

// WorldStarted starts a goroutine and waits for it.
func WorldStarted(s string) (*T, error) {
	c := make(chan error)
	go func() { c <- nil }()
	if <-c; strings.Contains(s, "()") {
		return nil, errBad
	}
	return &T{}, nil
}

// Unlimited has no arguments.
func Unlimited() (*T, error) {
	if limit < 3 {
		return nil, errBad
	}
	return &T{}, nil
}

// Harmless returns only errors of others.
func Harmless(name string) (*T, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	limit = len(f.Name())
	return &T{}, nil
}

var registry sync.Mutex

// OnlyKind calls a function for values of many types, with one of them.
func (t *T) OnlyKind(x any) error { return assign(&t.n, x, nil) }

// Kind calls it with a value of the state.
func (t *T) Kind(x any) error { return assign(t.x, x, nil) }

// OtherKind calls it with a pointer behind which there is another value.
func (t *T) OtherKind(x any) error { return assign(&t.x, x, nil) }

// KindOf calls it with an object that decides.
func (t *T) KindOf(x any) error { return assign(&t.n, x, t.next) }

func assign(dest, src any, u *T) error {
	switch dest.(type) {
	case *string:
		return errBad
	case fmt.Stringer:
		if cache["x"] {
			return errBad
		}
	}
	if u != nil && u.n > 3 {
		return errBad
	}
	v := reflect.ValueOf(dest)
	if v.Kind() != reflect.Pointer {
		return errors.New("no pointer")
	}
	d := v.Elem()
	switch d.Kind() {
	case reflect.Interface:
		if d.Elem().Kind() == reflect.Int {
			return errBad
		}
	case reflect.Int:
		s := reflect.ValueOf(src)
		if s.Kind() != reflect.Int || s.Int() > 100 {
			return errBad
		}
		d.SetInt(s.Int())
	}
	return nil
}

// Reflected reads the state.
func (t *T) Reflected(x any) error {
	if reflect.ValueOf(&t.n).Elem().Int() > 3 {
		return errBad
	}
	return nil
}

// Typed reads a type that the state has.
func (t *T) Typed(x any) error {
	if reflect.TypeOf(x) == reflect.TypeOf(t.x) {
		return errBad
	}
	return nil
}

// Stored reads what reflection wrote.
func (t *T) Stored(x any) error {
	n := 0
	reflect.ValueOf(&n).Elem().SetInt(int64(t.n))
	if n > 3 {
		return errBad
	}
	return nil
}

// MayFormat errs by a text that the argument makes of itself.
func (t *T) MayFormat(x any) error {
	if fmt.Sprint(x) == "x" {
		return errBad
	}
	return nil
}

// Formatted errs by a text that is made of the component.
func (t *T) Formatted(s string) error {
	if fmt.Sprint(t) == s {
		return errBad
	}
	return nil
}

// A U is lowered, too.
type U struct{ text []byte }

func (u *U) Only(s []byte) {
	for _, c := range s {
		if c == '!' {
			panic("loud")
		}
	}
}

// Within makes a call that errs by its arguments alone, with what the state has.
func (u *U) Within() { u.Only(u.text) }

func (u *U) Set(s []byte) { u.text = s }

func (u *U) May(s []byte) {
	if os.Getenv("LET") == "x" {
		return
	}
	for _, c := range s {
		if c == '!' {
			panic("loud")
		}
	}
}

// OnlyBefore asks the environment with something of the state, once it has decided.
func (t *T) OnlyBefore(name string) error {
	if strings.Contains(name, "()") {
		return errBad
	}
	_, err := os.Stat(t.name)
	return err
}

// Filled errs by memory that the environment wrote, with something of the state.
func (t *T) Filled(name string) error {
	b := make([]byte, 9)
	t.file.Read(b)
	if string(b) == name {
		return errBad
	}
	return nil
}

type named interface{ named() bool }

func (t *T) named() bool {
	if t == nil {
		return limit > 3
	}
	return false
}

// NilBoxed calls a method of nil that is in an interface.
func (t *T) NilBoxed(s string) error {
	var u *T
	if s == "x" {
		u = &T{}
	}
	if named(u).named() {
		return errBad
	}
	return nil
}

// Deferred changes its error by state, once it has returned.
func (t *T) Deferred(s string) (err error) {
	defer func() {
		if t.n > 3 {
			err = errBad
		}
	}()
	if strings.Contains(s, "()") {
		return errBad
	}
	return nil
}

// Dropped drops its error by state.
func (t *T) Dropped(s string) (err error) {
	defer func() {
		if t.n > 3 {
			err = nil
		}
	}()
	if strings.Contains(s, "()") {
		return errBad
	}
	return nil
}

// Filtered hands its error to a function that decides by state whether it is returned.
func (t *T) Filtered(s string) error {
	if strings.Contains(s, "()") {
		return t.filter(errBad)
	}
	return nil
}

func (t *T) filter(err error) error {
	if t.n > 3 {
		return io.EOF
	}
	return err
}

// Inner has its error in a struct, by state.
func (t *T) Inner(s string) error {
	r := struct{ err error }{}
	if t.n > 3 {
		r.err = errBad
	}
	if strings.Contains(s, "()") {
		return r.err
	}
	return nil
}

// Sent has its error in a map, by state.
func (t *T) Sent(s string) error {
	m := map[string]error{}
	if t.n > 3 {
		m["x"] = errBad
	}
	return m[s]
}

// Listed has its errors in a slice, by state.
func (t *T) Listed(s string) error {
	var l []error
	if t.n > 3 {
		l = append(l, errBad)
	}
	for _, err := range l {
		return err
	}
	return nil
}

// Joined joins errors of which one is there by state.
func (t *T) Joined(s string) error {
	var err error
	if t.n > 3 {
		err = errBad
	}
	return errors.Join(err, nil)
}

// Sorted calls code of its own by way of another package.
func (t *T) Sorted(s string) {
	l := strings.Split(s, ",")
	sort.Slice(l, func(i, j int) bool {
		if t.n > 3 {
			panic("by state")
		}
		return l[i] < l[j]
	})
}

// Swapped is called with nil, and with an object of the state.
func (t *T) Swapped(s string) error {
	if err := assign(&t.n, s, nil); err != nil {
		return nil
	}
	return assign(&t.n, 1, t.next)
}

// Looped errs when state says how often.
func (t *T) Looped(s string) error {
	n := 0
	for i := 0; i < t.n; i++ {
		n++
	}
	if n > len(s) {
		return errBad
	}
	return nil
}

// Assembled calls one of some functions that have no code in Go.
func (t *T) Assembled(n int32) error {
	if swaps[n&1](&n, 1) > 3 {
		return errBad
	}
	return nil
}

var swaps = [...]func(*int32, int32) int32{atomic.AddInt32, atomic.SwapInt32}
