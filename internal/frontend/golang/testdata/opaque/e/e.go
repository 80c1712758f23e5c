// Package e has errors of its own that say what they are, and errors of others.
package e

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

var errBad = errors.New("e: bad")

// A status is an error of this package.
type status struct{ n int }

func (s *status) Error() string        { return "e: status" }
func (s *status) Is(target error) bool { return s.n > 0 && target == fs.ErrNotExist }

type E struct {
	n   int
	err error
}

func Make() *E { return new(E) }

func (e *E) Set(n int)  { e.n, e.err = n, &status{n} }
func (e *E) Keep() bool { e.err = errBad; return e.n > 0 }

// same is handed errors of all kinds.
func same(err error) error { return err }

// missing asks an error what it is.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// MayOpen: whether there is such a file, others say; that they do not return errBad is known
// here, although others hand such errors to same.
func (e *E) MayOpen(name string) error {
	if _, err := os.Stat(name); err != nil {
		if missing(err) {
			return same(err)
		}
		return nil
	}
	if strings.Contains(name, " ") {
		return errBad
	}
	return nil
}

// OnlyText does not care what the error is.
func (e *E) OnlyText(name string) error {
	if strings.Contains(name, " ") {
		return errBad
	}
	_, err := os.Stat(name)
	return same(err)
}

// Calls that err by state.

func (e *E) Last() error { return same(e.err) }

func (e *E) Missing(name string) error {
	if missing(e.err) && strings.Contains(name, " ") {
		return errBad
	}
	return nil
}

func (e *E) Either(name string) error {
	_, err := os.Stat(name)
	if e.n > 0 {
		err = e.err
	}
	return same(err)
}

func (e *E) Own(name string) error {
	var err error = &status{e.n}
	if missing(err) && strings.Contains(name, " ") {
		return errBad
	}
	return nil
}

// D is a text that nobody changes.
type D string

func (d D) OnlyIn(name string) error {
	if strings.Contains(string(d), name) {
		return errBad
	}
	return nil
}

func (d D) OnlyOpen() error {
	if strings.HasPrefix(string(d), "/") {
		return errBad
	}
	return nil
}

// P is a text that one of its methods changes.
type P string

func (p *P) Set(s string) { *p = P(s) }

func (p P) In(name string) error {
	if strings.Contains(string(p), name) {
		return errBad
	}
	return nil
}

// Q is a text that a function may change which is given its address.
type Q string

func set(q *Q, s string) { *q = Q(s) }

func (q *Q) Put(f func(*Q)) { f(q) }

func (q Q) In(name string) error {
	if strings.Contains(string(q), name) {
		return errBad
	}
	return nil
}

// R is written as what it is underneath.
type R string

func (r *R) Put(s string) { p := (*string)(r); *p = s }

func (r R) In(name string) error {
	if strings.Contains(string(r), name) {
		return errBad
	}
	return nil
}
