// Package w has calls of code that is not known, and package variables that change or not.
package w

import (
	"context"
	"errors"
	"os"

	"m/w/v"
)

type W struct {
	n     int8
	words [4]uint64
	told  func(int8)
	fill  func([]byte, int8)
	visit func(*W, int16)
	ctx   context.Context
}

func (w *W) SetContext(ctx context.Context) { w.ctx = ctx }

// WithValue errs by a field that a call is given which panics if it is nil.
func (w *W) WithValue(s string) context.Context { return context.WithValue(w.ctx, s, 1) }

// OnlyWithValue errs by an argument that is.
func (w *W) OnlyWithValue(ctx context.Context) context.Context { return context.WithValue(ctx, "", 1) }

var errBad = errors.New("bad")

func (w *W) Change(n int8, told func(int8), fill func([]byte, int8), visit func(*W, int16)) {
	w.n, w.told, w.fill, w.visit = n, told, fill, visit
}

func bad(p []byte) bool {
	for _, b := range p {
		if b == 'x' {
			return true
		}
	}
	return false
}

// OnlyTold tells others of the state, who get at nothing by that.
func (w *W) OnlyTold(p []byte) error {
	w.told(w.n)
	if bad(p) {
		return errBad
	}
	return nil
}

// Filled errs by what others write who know of the state.
func (w *W) Filled(p []byte) error {
	w.fill(p, w.n)
	if bad(p) {
		return errBad
	}
	return nil
}

// Visited gives the component away, whose methods may write elements.
func (w *W) Visited(p []byte) error {
	w.visit(w, 1)
	if bad(p) {
		return errBad
	}
	return nil
}

// mix is written in assembly.
func mix(words *[4]uint64)

// spread is, too.
func spread(to, from *[4]uint64)

type part struct{ n int64 }

// touch writes a field that is not exported.
func touch(p *part, n int8)

// leak is given what it may call.
func leak(w *W)

// OnlyMixed has words of the state changed by code that gets at nothing else.
func (w *W) OnlyMixed(p []byte) error {
	mix(&w.words)
	if bad(p) {
		return errBad
	}
	return nil
}

// Spread errs by words of the state that were copied.
func (w *W) Spread(n uint64) error {
	var words [4]uint64
	spread(&words, &w.words)
	if words[1] > n {
		return errBad
	}
	return nil
}

// Touched errs by a field that was written so.
func (w *W) Touched(n int64) error {
	p := &part{}
	touch(p, w.n)
	if p.n > n {
		return errBad
	}
	return nil
}

// Leaked gives functions away that the state leads to.
func (w *W) Leaked(p []byte) error {
	leak(w)
	if bad(p) {
		return errBad
	}
	return nil
}

var early, late, hooked, open int

var hook func(n int)

func init() {
	setEarly()
	setLate(len(os.Args))
	SetOpen(len(os.Args))
	hook = func(n int) { hooked = n }
}

func setEarly()     { early = len(os.Args) }
func setLate(n int) { late = n }

// SetOpen is for clients, too.
func SetOpen(n int) { open = n }

func (w *W) SetLate(n int) { setLate(n) }
func (w *W) Hook(n int)    { hook(n) }

// count is how often there is an x.
func count(p []byte) (n int) {
	for _, b := range p {
		if b == 'x' {
			n++
		}
	}
	return n
}

// OnlyEarly errs by a variable that was set while the package was initialized.
func (w *W) OnlyEarly(p []byte) error {
	if count(p) > early {
		return errBad
	}
	return nil
}

// Late errs by one that is set later by the same code.
func (w *W) Late(p []byte) error {
	if count(p) > late {
		return errBad
	}
	return nil
}

// Hooked errs by one that a function literal sets later.
func (w *W) Hooked(p []byte) error {
	if count(p) > hooked {
		return errBad
	}
	return nil
}

// Open errs by one that clients set, too.
func (w *W) Open(p []byte) error {
	if count(p) > open {
		return errBad
	}
	return nil
}

func (w *W) SetLimit(n int) { v.Limit = n }

// Limit errs by a variable of another package that a method sets.
func (w *W) Limit(p []byte) error {
	if count(p) > v.Limit {
		return errBad
	}
	return nil
}

// OnlyBound errs by one that nobody sets.
func (w *W) OnlyBound(p []byte) error {
	if count(p) > v.Bound {
		return errBad
	}
	return nil
}

// OnlyFrozen errs by an object of another package that never changes.
func (w *W) OnlyFrozen(p []byte) error {
	for _, b := range p {
		if !v.Std.Has(b) {
			return errBad
		}
	}
	return nil
}

func (w *W) SetWide(b byte) { v.Wide.Set(b) }

// Wide errs by one that changes.
func (w *W) Wide(p []byte) error {
	for _, b := range p {
		if !v.Wide.Has(b) {
			return errBad
		}
	}
	return nil
}

func (w *W) Swap() { *v.One = *v.Two }

// Whole errs by one that a method assigns as a whole.
func (w *W) Whole(p []byte) error {
	for _, b := range p {
		if !v.One.Has(b) {
			return errBad
		}
	}
	return nil
}

func (w *W) Put(b byte) { v.Put(b) }

// Within errs by one that is a part of another.
func (w *W) Within(p []byte) error {
	for _, b := range p {
		if !v.Within.Has(b) {
			return errBad
		}
	}
	return nil
}
