// SPDX-License-Identifier: Apache-2.0

package interlock

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// A Component is what has an interface: a [*Program], a [*GoComponent] or a [*JavaComponent]. Only this package has components.
type Component interface {
	infer(ctx context.Context, o *Options) (*typestate.Interface, error)
	// unknown is the interface without a verdict.
	unknown(ctx context.Context, reason string) (*typestate.Interface, error)
	verify(ctx context.Context, i *typestate.Interface, o synth.VerifyOptions) (synth.Verification, error)
}

// Options say how to infer. The zero value, or nil, is useful.
type Options struct {
	Engine Engine // nil is Auto{}
	Limits Limits
	// Assume are conventions. Those of a language are always assumed for its code.
	Assume []Convention
	// Progress, if not nil, is told from time to time what goes on.
	Progress func(Event)

	// Serial is the infinite-word reading: calls that lead to states from
	// which every continuation errs are forbidden too.
	Serial bool
	// Tight keeps states apart that differ only in which outcomes can happen.
	Tight bool
	// Certificate keeps the evidence for the guarantees in the interface. It is
	// checked in any case; an interface is smaller without.
	Certificate bool
	// Prover finds the invariants of certificates.
	Prover Prover
	// KeepAll explores also variables that cannot matter.
	KeepAll bool
}

// Limits bound the work.
type Limits struct {
	// Steps are the same on every machine; 0 is DefaultSteps.
	Steps int
	// Workers is the number of goroutines that explore states; 0 is one per
	// processor. The result does not depend on it.
	Workers int
}

// DefaultSteps are the steps of Limits that do not say.
const DefaultSteps = problem.DefaultBudget

// An Event tells what goes on: a phase, and how much of it is done. The count has no known end.
type Event struct {
	Phase string
	Count int
}

// A Report is what Infer found.
type Report struct {
	// Interface has the verdicts, and its certificate if that was asked for.
	Interface *typestate.Interface
	// Safe, Permissive and Tight say what is known of the interface, and how.
	Safe, Permissive, Tight typestate.Assurance
	// NoCertificate says why there is no certificate; it is empty if there is one.
	NoCertificate string
	// Statistics are counts, never times.
	Statistics map[string]int64
}

// Settled reports whether nothing is open: each cell has a verdict, for words of any
// length, that is proved or at least claimed.
func (r *Report) Settled() bool { return r.Interface.Settled() }

func newReport(i *typestate.Interface) *Report {
	g := i.Guarantees
	return &Report{Interface: i, Safe: typestate.ParseAssurance(g.Safe), Permissive: typestate.ParseAssurance(g.Permissive), Tight: typestate.ParseAssurance(g.Tight),
		NoCertificate: synth.NoCertificate(i), Statistics: i.Stats}
}

// Infer computes the minimal safe and permissive interface of a component. Cells that are not decided are unknown in it,
// with the reason. If there is no interface at all, the error is a [*RefusedError] or a [*BudgetError], or that
// of the context.
func Infer(ctx context.Context, c Component, o *Options) (*Report, error) {
	if o == nil {
		o = &Options{}
	}
	i, err := c.infer(ctx, o)
	if err != nil {
		err = refused(err, o.Engine)
		if b, ok := err.(*BudgetError); ok {
			i, wrong := c.unknown(ctx, err.Error())
			if wrong != nil {
				return nil, wrong
			}
			b.Partial = newReport(i)
		}
		return nil, err
	}
	return newReport(i), nil
}

// strategy is what the options mean.
func (o *Options) strategy() synth.Strategy {
	s := synth.Strategy{
		Prover:      o.Prover.String(),
		Serial:      o.Serial,
		Tight:       o.Tight,
		NoWrap:      slices.Contains(o.Assume, NoWrap),
		Ends:        slices.Contains(o.Assume, LoopsEnd),
		KeepAll:     o.KeepAll,
		Certificate: o.Certificate,
		Workers:     o.Limits.Workers,
		Progress:    phases(o.Progress),
	}
	if o.Engine != nil {
		o.Engine.choose(&s)
	}
	return s
}

// phases is a progress function as the packages below have it.
func phases(progress func(Event)) func(string, int) {
	if progress == nil {
		return nil
	}
	return func(phase string, count int) { progress(Event{phase, count}) }
}
