// Package l has calls that lock. Those called Only go on at once, whatever was called before.
package l

import (
	"errors"
	"sync"
)

var errEmpty = errors.New("l: empty")

var (
	one sync.Mutex
	two sync.RWMutex
)

func check(s string) error {
	for _, c := range s {
		if c == ' ' {
			return errEmpty
		}
	}
	return nil
}

// L gives back what it locks.
type L struct {
	mu   sync.Mutex
	rw   sync.RWMutex
	next *L
}

func MakeL() *L { return new(L) }

func (l *L) OnlyDefer(s string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return check(s)
}

func (l *L) OnlyBoth(s string) error {
	l.rw.RLock()
	if len(s) > 3 {
		l.rw.RUnlock()
		return check(s)
	}
	l.rw.RUnlock()
	return nil
}

func (l *L) OnlyGlobal(s string) error {
	one.Lock()
	err := check(s)
	one.Unlock()
	return err
}

// Mixed locks in two ways, which is not followed.
func (l *L) Mixed(s string) error {
	two.RLock()
	two.RUnlock()
	two.Lock()
	defer two.Unlock()
	return check(s)
}

// H keeps it.
type H struct{ mu sync.Mutex }

func MakeH() *H { return new(H) }

func (h *H) Hold() { h.mu.Lock() }

func (h *H) Check(s string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return check(s)
}

// E keeps it on one way.
type E struct{ mu sync.Mutex }

func MakeE() *E { return new(E) }

func (e *E) Check(s string) error {
	e.mu.Lock()
	if s == "" {
		return nil
	}
	e.mu.Unlock()
	return check(s)
}

// X lets its clients lock it.
type X struct{ sync.Mutex }

func MakeX() *X { return new(X) }

func (x *X) Check(s string) error {
	x.Mutex.Lock()
	defer x.Mutex.Unlock()
	return check(s)
}

// G gives it away.
type G struct{ mu sync.Mutex }

func MakeG() *G { return new(G) }

func (g *G) Give() sync.Locker { return &g.mu }

func (g *G) Check(s string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return check(s)
}

// T tries.
type T struct{ mu sync.Mutex }

func MakeT() *T { return new(T) }

func (t *T) Check(s string) error {
	if t.mu.TryLock() {
		defer t.mu.Unlock()
	}
	return check(s)
}

// R goes on after panics.
type R struct{ mu sync.Mutex }

func MakeR() *R { return new(R) }

func (r *R) Try(f func()) {
	defer func() { _ = recover() }()
	r.mu.Lock()
	f()
	r.mu.Unlock()
}

func (r *R) Check(s string) error {
	r.mu.Lock()
	err := check(s)
	r.mu.Unlock()
	return err
}

// D goes on after panics, too, but gives it back then.
type D struct{ mu sync.Mutex }

func MakeD() *D { return new(D) }

func (d *D) Try(f func()) {
	defer func() { _ = recover() }()
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

func (d *D) OnlyCheck(s string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return check(s)
}

// C is overwritten while it is locked.
type C struct {
	mu sync.Mutex
	n  int
}

func MakeC() *C { return new(C) }

func (c *C) Reset(d *C) { *c = *d }

func (c *C) Check(s string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return check(s)
}

// S unlocks another one.
type S struct {
	mu   sync.Mutex
	next *S
}

func MakeS() *S { return &S{next: new(S)} }

func (x *S) Swap() {
	x.mu.Lock()
	x.next.mu.Unlock()
}

func (x *S) Check(s string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return check(s)
}

// W waits in a loop.
type W struct{ mu sync.Mutex }

func MakeW() *W { return new(W) }

func (w *W) Some(n int) {
	for k := range n {
		w.mu.Lock()
		if k > 5 {
			break
		}
		w.mu.Unlock()
	}
}

func (w *W) Check(s string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return check(s)
}
