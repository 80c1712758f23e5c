// SPDX-License-Identifier: Apache-2.0

package cegar

import (
	"context"

	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/predicates"
	"github.com/interlock-go/interlock/internal/engine/words"
	"github.com/interlock-go/interlock/internal/solve"
)

// refuteError removes an abstract trace of the word to an error. It applies if no run of the word errs: then the trace is spurious. It makes
// progress because the predicates that it adds are not all known: the step that they refute would not be on the trace.
type refuteError struct {
	graph  *pairs.Graph
	finder *predicates.Finder
}

// Refine implements Refiner.
func (r refuteError) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.errs(ctx, r.finder.Abs)
	if err != nil || run.Verdict == solve.Sat {
		return false, "", err
	}
	trace, err := r.graph.ErringTrace(ctx, k.call, k.word)
	if err != nil {
		return false, "", err
	}
	before := r.finder.Abs.Known()
	runs, err := r.finder.RemoveTrace(ctx, trace, k.word, k.ends(words.EndErrs))
	if runs {
		return false, reasonLoop, nil
	}
	return r.finder.Abs.Known() > before, "", err
}

// refuteByOrder removes an abstract trace of the word to a state in which the call need not err, by an order or an invariant of a loop. It
// applies if a run errs and predicates compare sums (predicates/order.go). It makes progress if it adds a predicate.
type refuteByOrder struct {
	graph  *pairs.Graph
	finder *predicates.Finder
}

// Refine implements Refiner.
func (r refuteByOrder) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.errs(ctx, r.finder.Abs)
	if err != nil || run.Verdict != solve.Sat || len(r.finder.Orders()) == 0 {
		return false, "", err
	}
	trace, end, err := r.graph.QuietTrace(ctx, k.call, k.word)
	if err != nil || trace == nil {
		return false, "", err
	}
	before := r.finder.Abs.Known()
	_, err = r.finder.RemoveTraceBy(ctx, trace, k.word, k.ends(end), predicates.ByOrders)
	if err != nil || r.finder.Abs.Known() == before {
		return false, "", err
	}
	return true, k.doubt, nil
}

// refuteReturn removes an abstract trace of the word to a state in which the call returns. It applies to may-only programs (plain.go) if a run
// errs. If the program has a run that returns, too, the conflict is given up.
type refuteReturn struct {
	graph  *pairs.Graph
	finder *predicates.Finder
}

// Refine implements Refiner.
func (r refuteReturn) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.errs(ctx, r.finder.Abs)
	if err != nil || run.Verdict != solve.Sat || r.finder.Abs.Scope != predabs.MustErrors {
		return false, "", err
	}
	before := r.finder.Abs.Known()
	trace, end, err := r.graph.QuietTrace(ctx, k.call, k.word)
	if err != nil || trace == nil {
		return false, "", err
	}
	runs, err := r.finder.RemoveTrace(ctx, trace, k.word, k.ends(end))
	switch {
	case err != nil:
		return false, "", err
	case r.finder.Abs.Known() > before:
		return true, "", nil
	case runs:
		reason, err := eitherAt(ctx, r.graph, k.cell)
		return false, reason, err
	}
	return false, "", nil
}

// refuteQuiet looks at abstract states that may be current after the word and in which the call need not err. It applies if the word errs
// whatever the arguments and results. It makes progress by predicates: either the word does not lead there, or what makes it err there is added.
type refuteQuiet struct {
	graph  *pairs.Graph
	finder *predicates.Finder
}

// Refine implements Refiner.
func (r refuteQuiet) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.certain(ctx, r.finder.Abs)
	if run == nil || err != nil {
		return false, "", err
	}
	before := r.finder.Abs.Known()
	if err := r.remove(ctx, k); err != nil || r.finder.Abs.Known() == before {
		return false, "", err
	}
	return true, k.doubt, nil
}

func (r refuteQuiet) remove(ctx context.Context, k *conflict) error {
	f := r.finder
	trace, end, err := r.graph.QuietTrace(ctx, k.call, k.word)
	if err != nil || trace == nil {
		return err
	}
	before := f.Abs.Known()
	if _, err := f.RemoveTrace(ctx, trace, k.word, k.ends(end)); err != nil || f.Abs.Known() > before {
		return err
	}
	conds := k.formula.Conds()
	for i := 1; i < len(trace); i++ {
		conds = append(conds, f.Abs.Cube(f.Abs.Cubes[trace[i]], k.formula.StateIn(i)))
	}
	q, err := f.Abs.Check(ctx, conds...)
	if err != nil || q.Verdict != solve.Sat {
		return err
	}
	return f.ProveRun(ctx, k.formula, q.Model)
}
