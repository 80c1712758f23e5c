// SPDX-License-Identifier: Apache-2.0

package interlock

// This file remembers the answers of the engines. The levels at which a Go type is
// lowered, and the depths of each, often lead to the same program: what a coarser level
// does not follow may not matter at all. Programs are compared as texts, the weakest
// comparison that needs no argument why it is right.

import (
	"context"
	"errors"

	"github.com/interlock-go/interlock/typestate"
)

// A memory holds the answers for programs of one Go type.
type memory map[memoryKey]memoryAnswer

type memoryKey struct {
	text                string
	budget, refinements int
	certificate         bool
	apart, plain        bool
}

type memoryAnswer struct {
	i   *typestate.Interface
	err error
}

// remembering is the configuration with an empty memory.
func (c Config) remembering() Config {
	c.memory = memory{}
	return c
}

// synthesize is Synthesize of a program that was lowered, which is not asked twice. The
// interface is the caller's own.
func (c Config) synthesize(ctx context.Context, text string) (*typestate.Interface, error) {
	c.Filename, c.Source = "", []byte(text)
	key := memoryKey{text, c.Budget, c.refinements, c.Certificate, c.apart, c.plain}
	a, ok := c.memory[key]
	if !ok {
		a.i, a.err = Synthesize(ctx, c)
		if c.memory != nil && (a.err == nil || errors.Is(a.err, ErrUndecided)) && ctx.Err() == nil {
			c.memory[key] = a
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	return a.i.Clone(), nil
}
