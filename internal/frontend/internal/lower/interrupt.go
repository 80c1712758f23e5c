// SPDX-License-Identifier: Apache-2.0

package lower

// This file lets lowering be stopped. Emitting code is one deep recursion without
// errors; to hand an error through all of it would double its size, so the end of the
// context unwinds it, as a panic that only this file sees.

import "context"

type interrupt struct{ err error }

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
