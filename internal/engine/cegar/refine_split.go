// SPDX-License-Identifier: Apache-2.0

package cegar

import (
	"context"

	"github.com/interlock-go/interlock/internal/engine/predicates"
	"github.com/interlock-go/interlock/internal/solve"
)

// splitDependence splits a class if the verdict depends on arguments or results (split.go). It applies if a run of the word errs. It makes progress
// because both parts of the class have members. If it is not known whether the verdict depends on them, it leaves a doubt.
type splitDependence struct{ splitter *splitter }

// Refine implements Refiner.
func (r splitDependence) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.errs(ctx, r.splitter.abs)
	if err != nil || run.Verdict != solve.Sat {
		return false, "", err
	}
	done, reason, err := r.splitter.splitWord(ctx, k.formula, run.Model)
	if !done && err == nil {
		k.doubt, reason = reason, ""
	}
	return done, reason, err
}

// splitUneven splits the class of a step that is certain only for a part of it. It applies if the word errs whatever the arguments and
// results. It makes progress because both parts of the class have members.
type splitUneven struct{ splitter *splitter }

// Refine implements Refiner.
func (r splitUneven) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.certain(ctx, r.splitter.abs)
	if run == nil || err != nil {
		return false, "", err
	}
	return r.splitter.splitUneven(ctx, k.formula, run)
}

// splitForced splits off an integer result that a call of the word has whatever the arguments and choices were. It applies if the word errs whatever
// the arguments and results. It makes progress because both parts of the class have members.
type splitForced struct{ splitter *splitter }

// Refine implements Refiner.
func (r splitForced) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.certain(ctx, r.splitter.abs)
	if run == nil || err != nil {
		return false, "", err
	}
	return r.splitter.splitForced(ctx, k.formula, run)
}

// addConditions adds one condition of the code as a predicate. It applies to words with loops, if nothing else makes progress. It makes progress
// until all conditions of these loops are predicates.
type addConditions struct{ finder *predicates.Finder }

// Refine implements Refiner.
func (r addConditions) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	before := r.finder.Abs.Known()
	if k.doubt == "" {
		r.finder.AddLoopAtoms(k.word, k.call)
	}
	return r.finder.Abs.Known() > before, "", nil
}
