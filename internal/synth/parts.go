// SPDX-License-Identifier: Apache-2.0

package synth

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
	// Product is the product of the parts, not minimized, and Undivided the
	// interface of the component as it is. They are made only for a comparison;
	// each is nil if the budget did not suffice for it.
	Product, Undivided *typestate.Interface
	// Comparison says whether Product and Undivided were found equal on the words
	// that can happen; if not, Why is a word, or the reason why it is not known.
	// Without a comparison it is unknown, and Why is empty.
	Comparison typestate.Comparison
	Why        string
}

// A Divider takes a problem apart.
type Divider func(context.Context, problem.Problem, parts.Synthesizer) ([]parts.Part, error)

// The dividers. Both refuse Strategy.Serial: dead ends of a component are not those of its parts.
var (
	// SplitErrors has one part for each error site; where it would reach another site, a part does not return.
	SplitErrors Divider = parts.SplitErrors
	// Partition has one part for each group of methods that share no state with other groups.
	Partition Divider = parts.Partition
)

// Decompose synthesizes the interfaces of the parts of a program, and if compare is set also their product and the
// interface of the undivided program, which may be exponentially larger.
func (t *Task) Decompose(ctx context.Context, p *Program, divide Divider, compare bool) (*Decomposition, error) {
	if _, err := t.prover(); err != nil {
		return nil, err
	}
	asked := t.problem(p.Program)
	pieces, err := divide(ctx, asked, engine.Synthesize)
	if err != nil {
		return nil, undecided(err)
	}
	d := &Decomposition{}
	for _, part := range pieces {
		if err := t.certify(ctx, part.Program, part.Interface); err != nil {
			return nil, err
		}
		if err := p.used.limit(part.Interface); err != nil {
			return nil, err
		}
		d.Parts = append(d.Parts, Part{part.Title, part.Interface})
	}
	if !compare {
		return d, nil
	}
	return d, t.compare(ctx, p, asked, d)
}

// compare compares the product of the parts with the undivided interface.
func (t *Task) compare(ctx context.Context, p *Program, asked problem.Problem, d *Decomposition) (err error) {
	var list []*typestate.Interface
	for _, part := range d.Parts {
		list = append(list, part.Interface)
	}
	// The parts are the answer; that they cannot be compared with the undivided component,
	// which may be too large, does not take it away.
	d.Product, err = parts.Product(ctx, asked, list)
	if d.Why, err = excuse("product", err); err != nil || d.Why != "" {
		return err
	}
	d.Undivided, err = engine.Synthesize(ctx, asked)
	if d.Why, err = excuse("undivided interface", err); err != nil || d.Why != "" {
		return err
	}
	if err := t.certify(ctx, p.Program, d.Undivided); err != nil {
		return err
	}
	if err := p.used.limit(d.Undivided); err != nil {
		return err
	}
	a, err := parts.Agree(ctx, asked, d.Product, d.Undivided)
	d.Comparison, d.Why = a.Kind, a.Why
	return err
}

// excuse turns an error that is only a limit into a reason.
func excuse(what string, err error) (string, error) {
	var refusal *problem.Refusal
	if err != nil && (problem.Undecided(err) || errors.As(err, &refusal)) {
		return fmt.Sprintf("no %s: %v", what, err), nil
	}
	return "", err
}
