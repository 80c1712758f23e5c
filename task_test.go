// SPDX-License-Identifier: Apache-2.0

package interlock_test

import (
	"context"
	"errors"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/typestate"
)

// A task is the text of a program and how its interface is inferred.
type task struct {
	Filename string
	Source   []byte
	Width    int
	Uses     func(file string) (*typestate.Interface, error)
	interlock.Options
}

func (t task) report() (*interlock.Report, error) {
	opts := []interlock.ProgramOption{interlock.Width(t.Width)}
	if t.Uses != nil {
		opts = append(opts, interlock.Uses(t.Uses))
	}
	p, err := interlock.ParseProgram(t.Filename, t.Source, opts...)
	if err != nil {
		return nil, err
	}
	return interlock.Infer(context.Background(), p, &t.Options)
}

func (t task) infer() (*typestate.Interface, error) {
	r, err := t.report()
	if err != nil {
		return nil, err
	}
	return r.Interface, nil
}

// engineNamed is the engine of that name without settings, nil for "".
func engineNamed(name string) interlock.Engine {
	for _, e := range interlock.Engines() {
		if e.String() == name {
			return e
		}
	}
	return nil
}

// noWrap is the convention, if it is assumed.
func noWrap(assumed bool) []interlock.Convention {
	if assumed {
		return []interlock.Convention{interlock.NoWrap}
	}
	return nil
}

func undecided(err error) bool {
	var b *interlock.BudgetError
	return errors.As(err, &b)
}
