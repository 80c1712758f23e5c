// SPDX-License-Identifier: Apache-2.0

// Package text infers interfaces of components in the text form.
package text

import (
	"context"
	"errors"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/typestate"
)

// Infer returns the interface of a component.
func Infer(ctx context.Context, file, source string, o *interlock.Options) (*typestate.Interface, error) {
	p, err := interlock.ParseProgram(file, []byte(source))
	if err != nil {
		return nil, err
	}
	r, err := interlock.Infer(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return r.Interface, nil
}

// Undecided reports whether limits did not suffice.
func Undecided(err error) bool {
	var b *interlock.BudgetError
	return errors.As(err, &b)
}
