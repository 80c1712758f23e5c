// SPDX-License-Identifier: Apache-2.0

package interlock

// This file takes components apart: several small interfaces instead of one.

import (
	"context"
	"errors"
	"fmt"

	"github.com/interlock-go/interlock/internal/engine"
	"github.com/interlock-go/interlock/internal/engine/parts"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/typestate"
)

// A Part is the interface of a part of a component.
type Part struct {
	Title     string // which part
	Interface *typestate.Interface
}

// A Decomposition is a component taken apart. A call is forbidden by the
// component iff the interface of some part forbids it.
type Decomposition struct {
	Parts []Part
	// Product is the product of the parts, not minimized, and Whole the
	// interface of the component as it is. They are made only for
	// Config.Compare; each is nil if the budget did not suffice for it.
	Product, Whole *typestate.Interface
	// Comparison says whether Product and Whole were found equal on the words
	// that can happen; if not, Why is a word, or the reason why it is not known.
	// Without Config.Compare it is unknown, and Why is empty.
	Comparison typestate.Comparison
	Why        string
}

// SplitErrors synthesizes one interface per error site of a component. Where it
// would reach another error site, a part does not return. Config.Serial is
// refused: dead ends of a component are not those of its parts.
func SplitErrors(ctx context.Context, c Config) (*Decomposition, error) {
	return c.decompose(ctx, parts.SplitErrors)
}

// Partition synthesizes one interface per group of methods that share no state
// with other groups. Config.Serial is refused.
func Partition(ctx context.Context, c Config) (*Decomposition, error) {
	return c.decompose(ctx, parts.Partition)
}

func (c Config) decompose(ctx context.Context, apart func(context.Context, problem.Problem, parts.Synthesizer) ([]parts.Part, error)) (*Decomposition, error) {
	if _, err := c.prover(); err != nil {
		return nil, err
	}
	p, used, err := c.parse()
	if err != nil {
		return nil, err
	}
	asked := c.problem(p)
	pieces, err := apart(ctx, asked, engine.Synthesize)
	if err != nil {
		return nil, classified(err)
	}
	d := &Decomposition{}
	var list []*typestate.Interface
	for _, part := range pieces {
		if err := certify(ctx, part.Program, part.Interface, c); err != nil {
			return nil, err
		}
		if err := used.limit(part.Interface); err != nil {
			return nil, err
		}
		d.Parts = append(d.Parts, Part{part.Title, part.Interface})
		list = append(list, part.Interface)
	}
	if !c.Compare {
		return d, nil
	}
	// The parts are the answer; that they cannot be compared with the whole,
	// which may be too large, does not take it away.
	d.Product, err = parts.Product(ctx, asked, list)
	if d.Why, err = d.excuse("product", err); err != nil || d.Why != "" {
		return d, err
	}
	d.Whole, err = engine.Synthesize(ctx, asked)
	if d.Why, err = d.excuse("undivided interface", err); err != nil || d.Why != "" {
		return d, err
	}
	if err := certify(ctx, p, d.Whole, c); err != nil {
		return nil, err
	}
	if err := used.limit(d.Whole); err != nil {
		return nil, err
	}
	a, err := parts.Agree(ctx, asked, d.Product, d.Whole)
	d.Comparison, d.Why = a.Kind, a.Why
	return d, err
}

// excuse turns an error that is only a limit into a reason.
func (d *Decomposition) excuse(what string, err error) (string, error) {
	var refusal *problem.Refusal
	if err != nil && (problem.Undecided(err) || errors.As(err, &refusal)) {
		return fmt.Sprintf("no %s: %v", what, err), nil
	}
	return "", err
}
