// SPDX-License-Identifier: Apache-2.0

package lower

// This file lets lowering be stopped. Emitting code is one deep recursion without
// errors; to hand an error through all of it would double its size, so the end of the
// context unwinds it, as a panic that only this file sees.

import (
	"context"
	"errors"
)

type interrupt struct{ err error }

// ErrTooLarge is why lowering stopped if the code is beyond the limits of
// [World.Limit].
var ErrTooLarge = errors.New("the code is too large to be lowered")

// Limit bounds the edges that one pass may have and those of all passes together.
func (w *World) Limit(pass, all int) { w.maxPass, w.maxAll = pass, all }

// count counts an edge.
func (w *World) count() {
	w.emitted++
	w.emittedAll++
	if w.maxPass > 0 && w.emitted > w.maxPass || w.maxAll > 0 && w.emittedAll > w.maxAll {
		panic(interrupt{ErrTooLarge})
	}
}

// TooLarge stops lowering.
func (w *World) TooLarge() { panic(interrupt{ErrTooLarge}) }

// Stoppable makes the lowering of a component stop when the context ends; see
// [Stopped].
func (w *World) Stoppable(ctx context.Context) { w.ctx = ctx }

// Check stops lowering if the context has ended. Loops whose length depends on
// the code call it.
func (w *World) Check() {
	if w.ctx == nil {
		return
	}
	if err := w.ctx.Err(); err != nil {
		panic(interrupt{err})
	}
}

// Stopped, deferred, turns what stopped lowering into an error.
func Stopped(err *error) {
	switch r := recover().(type) {
	case nil:
	case interrupt:
		*err = r.err
	default:
		panic(r)
	}
}
