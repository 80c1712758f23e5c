// SPDX-License-Identifier: Apache-2.0

package ladder

// This file remembers the answers of the engines. The levels at which a Go type is
// lowered, and the depths of each, often lead to the same program: what a coarser level
// does not follow may not matter at all. Programs are compared as texts, the weakest
// comparison that needs no argument why it is right.

import (
	"context"

	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// A memory holds the answers for programs of one type.
type memory map[question]remembered

// A question is a program and what an answer depends on. Everything else is the same in all questions about a type.
type question struct {
	text                string
	engine              string
	serial, tight       bool
	budget, refinements int
	certificate         bool
	apart, plain        bool
}

type remembered struct {
	i   *typestate.Interface
	err error
}

// ask does a task for a program in the text form, or remembers the answer. The interface is the caller's own.
func (m memory) ask(ctx context.Context, t synth.Task, text string) (*typestate.Interface, error) {
	q := question{text, t.Engine, t.Serial, t.Tight, t.Budget, t.Code.Refinements, t.Certificate, t.Code.Apart, t.Code.Plain}
	a, ok := m[q]
	if !ok {
		var p *synth.Program
		if p, a.err = synth.Parse(synth.Source{Text: []byte(text)}); a.err == nil {
			a.i, a.err = t.Synthesize(ctx, p)
		}
		if (a.err == nil || isUndecided(a.err)) && ctx.Err() == nil {
			m[q] = a
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	return a.i.Clone(), nil
}
