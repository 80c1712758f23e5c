// SPDX-License-Identifier: Apache-2.0

package cegar

// This file turns a model of a word's formula into a concrete word, with
// arguments and results, and has the interpreter confirm it by following the
// run with the model's choices. A run that is not confirmed is an internal
// error, not a witness.

import (
	"context"

	"github.com/interlock-go/interlock/internal/engine/words"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// witness returns a concrete word to the pair, then the call, that errs. It is
// empty if loops would have to be followed too far.
func (bd *builder) witness(ctx context.Context, g *merger, at int32, call int) ([]typestate.Step, error) {
	word := bd.graph.Word(at)
	w := words.Compose(bd.abs, word, call)
	r, err := bd.abs.Solver.Check(ctx, w.Conds()...)
	if err == nil && r.Verdict != solve.Sat && w.Bounded {
		w = words.ComposeFurther(bd.abs, word, call)
		r, err = bd.abs.Solver.Check(ctx, w.Conds()...)
	}
	ranked := false // the run is longer than what was unrolled
	if err == nil && r.Verdict != solve.Sat && len(bd.abs.Rankings[bd.abs.Calls[call].Sum]) > 0 {
		ranked = true
		w = words.ComposeRanked(bd.abs, word, call)
		r, err = bd.abs.Solver.Check(ctx, w.Conds()...)
	}
	if err != nil {
		return nil, err
	}
	if r.Verdict != solve.Sat {
		return []typestate.Step{}, nil
	}
	out := []typestate.Step{}
	for i := range w.Steps {
		m := bd.abs.Calls[w.Steps[i].Call].Sum.Method
		step := typestate.Step{Call: m.Name, Args: map[string]string{}}
		for k, v := range w.Steps[i].Args(m, r.Model) {
			step.Args[m.Params[k].Name] = m.Params[k].Type.FormatValue(v)
		}
		if i < len(word) {
			step.Outcome = g.nameOf[bd.abs.Calls[word[i][0]].Letter+word[i][1]]
			if bd.remembersResults(bd.abs.Calls[word[i][0]].Method) {
				step.Results = map[string]string{}
				for k, t := range w.Steps[i].Results {
					step.Results[m.Results[k].Name] = m.Results[k].Type.FormatValue(term.Eval(t, r.Model))
				}
			}
		}
		out = append(out, step)
	}
	if err := w.Replay(ctx, r.Model); err != nil && !ranked {
		return nil, err
	} else if err != nil {
		return []typestate.Step{}, nil // there is a run, but not with the choices that the model has, or it is too long to follow
	}
	return out, nil
}
