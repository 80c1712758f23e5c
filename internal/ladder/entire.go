// SPDX-License-Identifier: Apache-2.0

package ladder

// This file has the strategy for text that another front end made: only the program that follows everything is asked. Programs that
// leave code out know too little of errors that are values of types of their own.

import (
	"context"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// Entire computes the interface of a component from the program that follows everything; if that is too large, there is none.
func Entire(ctx context.Context, c Component, s synth.Strategy, budget int) (*typestate.Interface, error) {
	if c.IsPartial() {
		return nil, TooLarge(c.Name, golang.ErrTooLarge)
	}
	best, err := newSearch(s, budget, c.Result).explicit(ctx, c.Result)
	if err != nil {
		return nil, err
	}
	if !best.sure {
		best.forget()
	}
	return c.finish(c.Result, best.i)
}
