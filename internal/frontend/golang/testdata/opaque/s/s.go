// Package s has calls that recover. Those called Never end all panics below them; the others look like it.
package s

import (
	"errors"
	"os"
	"slices"
	"sort"
)

var errClosed = errors.New("s: closed")

// S has a state on which everything depends.
type S struct {
	n    int
	on   bool
	list []*S
}

func MakeS() *S { return new(S) }

func (s *S) Set(n int)    { s.n = n }
func (s *S) On()          { s.on = true }
func (s *S) Add(other *S) { s.list = append(s.list, other) }

func (s *S) check() int {
	if s.n > 3 {
		panic("large")
	}
	return s.n
}

func (s *S) NeverDirect() {
	defer func() { _ = recover() }()
	s.check()
}

func (s *S) NeverResult() (n int) {
	was := s
	defer func() {
		if r := recover(); r != nil {
			n = was.n
		}
	}()
	for _, x := range s.list {
		n += x.NeverResult() + x.check()
	}
	return n
}

// NeverMethod defers a method that recovers.
func (s *S) NeverMethod() {
	defer s.stop()
	s.check()
}

func (s *S) stop() { recover() }

// NeverLater defers something that panics, which runs first.
func (s *S) NeverLater() {
	defer s.stop()
	defer s.check()
	defer panic("s: always")
}

// NeverOthers has others run what panics.
func (s *S) NeverOthers() {
	defer s.stop()
	slices.IndexFunc(s.list, func(x *S) bool { return x.check() > 1 })
}

// Before panics before anything is deferred.
func (s *S) Before() {
	s.check()
	defer s.stop()
}

// Argument panics where the arguments of what is deferred are computed.
func (s *S) Argument() {
	defer func(int) { recover() }(s.check())
}

// Earlier defers something before that panics, which runs last.
func (s *S) Earlier() {
	defer s.check()
	defer s.stop()
}

// Perhaps does not recover always.
func (s *S) Perhaps() {
	if s.on {
		defer s.stop()
	}
	s.check()
}

// Sometimes recovers only in some states.
func (s *S) Sometimes() {
	defer func() {
		if s.on {
			return
		}
		recover()
	}()
	s.check()
}

// Again panics again.
func (s *S) Again() {
	defer func() {
		if r := recover(); r != nil && s.on {
			panic(r)
		}
	}()
	s.check()
}

// After panics after it has recovered.
func (s *S) After() {
	defer func() {
		recover()
		s.check()
	}()
	s.check()
}

// AfterOthers has others run what panics after it has recovered.
func (s *S) AfterOthers() {
	defer func() {
		recover()
		sort.Search(3, func(int) bool { s.check(); return true })
	}()
	s.check()
}

// AfterSort does so with methods.
func (s *S) AfterSort() {
	defer func() {
		recover()
		sort.Sort(sorted{s})
	}()
	s.check()
}

type sorted struct{ s *S }

func (s sorted) Len() int           { return 3 }
func (s sorted) Swap(i, j int)      {}
func (s sorted) Less(i, j int) bool { return s.s.check() > 0 }

// Deep calls recover in a function that was not deferred: that recovers nothing.
func (s *S) Deep() {
	defer func() { s.stop() }()
	s.check()
}

// Deeper calls it in one that was deferred by what was deferred: that recovers nothing, either.
func (s *S) Deeper() {
	defer func() { defer s.stop() }()
	s.check()
}

// Called does not defer it.
func (s *S) Called() {
	func() { recover() }()
	s.check()
}

// Exits ends the program.
func (s *S) Exits() {
	defer s.stop()
	if s.n > 3 {
		os.Exit(1)
	}
	s.check()
}

// Goes panics in another goroutine.
func (s *S) Goes() {
	defer s.stop()
	go s.check()
	s.check()
}

// Returns returns an error.
func (s *S) Returns() error {
	defer s.stop()
	s.check()
	if s.on {
		return errClosed
	}
	return nil
}

// Nil dereferences something before it defers, in a state.
func (s *S) Nil() {
	x := s.list[s.n]
	defer x.stop()
	s.check()
}

// Each defers in a loop, and not at first.
func (s *S) Each() {
	for _, x := range s.list {
		defer x.stop()
	}
	s.check()
}

// V is called by way of pointers, P by way of a V.
type V struct{ n, m int }

func MakeV(n int) V { return V{n: n} }

func (v *V) Set(n int) { v.n = n }

func (v V) check() {
	if v.n > 3 {
		panic("large")
	}
}

func (v V) NeverResolve() (w V) {
	was := v
	defer func() {
		if r := recover(); r != nil {
			w = was
		}
	}()
	v.check()
	return v
}

type P struct{ V }

func MakeP(n int) *P { return &P{V: MakeV(n)} }

func (p *P) Check() { p.check() }

// I is called by way of an interface, of which it is not known what its methods recover from.
type I struct{ checker }

type checker interface{ Check() }

func MakeI(n int) *I {
	if n > 3 {
		return &I{&P{}}
	}
	return &I{quiet{}}
}

func (i *I) Set(n int) { i.checker.(*P).Set(n) }

type quiet struct{}

func (quiet) Check() { defer func() { recover() }(); panic("quiet") }
