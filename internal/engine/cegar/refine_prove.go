// SPDX-License-Identifier: Apache-2.0

package cegar

import (
	"context"

	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/predicates"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// proveEnding makes a run certain that errs at the end of loops. It applies if loops were followed only so far, no ranking is known of them, and
// the call errs from all that may be current if they end: runs that were not followed would be taken for quiet ones. If there is nothing to add, the
// conflict is given up.
type proveEnding struct {
	abs     *predabs.Abstraction
	endings *endings
	finder  *predicates.Finder
}

// Refine implements Refiner.
func (r proveEnding) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.errs(ctx, r.abs)
	if err != nil || run.Verdict != solve.Sat || !k.formula.Bounded || len(r.abs.Rankings[r.abs.Calls[k.call].Sum]) > 0 {
		return false, "", err
	}
	ends, err := r.endings.errsAtEnd(ctx, k.pair, k.call)
	switch {
	case err != nil || !ends:
		return false, "", err
	case r.abs.Scope == predabs.MustErrors:
		return false, reasonLoop, nil
	}
	before := r.abs.Known()
	if err := r.finder.ProveRun(ctx, k.formula, run.Model); err != nil {
		return false, "", err
	}
	if r.abs.Known() > before {
		return true, "", nil
	}
	return false, reasonLoop, nil
}

// proveError makes a run that errs certain. It applies if the word errs whatever the arguments and results. It makes progress because the
// predicates that it adds are not all known: the step would have been certain.
type proveError struct {
	abs    *predabs.Abstraction
	finder *predicates.Finder
}

// Refine implements Refiner.
func (r proveError) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.certain(ctx, r.abs)
	if run == nil || err != nil {
		return false, "", err
	}
	before := r.abs.Known()
	if err := r.finder.ProveRun(ctx, k.formula, run); err != nil || r.abs.Known() == before {
		return false, "", err
	}
	return true, k.doubt, nil
}

// certain returns a run of the word that errs. It returns nil if there is none, or if the abstraction m computes
// must-errors only for calls that never return. Refiners that split arguments or results come before those that call it.
func (k *conflict) certain(ctx context.Context, m *predabs.Abstraction) (term.Model, error) {
	run, err := k.errs(ctx, m)
	if err != nil || run.Verdict != solve.Sat || m.Scope == predabs.MustErrors {
		return nil, err
	}
	return run.Model, nil
}
