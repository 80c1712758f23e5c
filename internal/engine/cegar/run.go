// SPDX-License-Identifier: Apache-2.0

package cegar

// This file turns a model of a word's formula into a concrete word, with
// arguments and results, and has the interpreter confirm it by following the
// run with the model's choices. A run that is not confirmed is an internal
// error, not a witness.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// witness returns a concrete word to the pair, then the call, that errs. It is
// empty if loops would have to be followed too far.
func (c *Run) witness(ctx context.Context, g *merger, at int32, call int) ([]typestate.Step, error) {
	word := c.word(at)
	w := c.Compose(word, call)
	r, err := c.Solver.Check(ctx, w.Conds()...)
	if err == nil && r.Verdict != solve.Sat && w.bound {
		w = c.composeWith(word, [2]int{call, EndErrs}, c.UnrolledFurther)
		r, err = c.Solver.Check(ctx, w.Conds()...)
	}
	ranked := false // the run is longer than what was unrolled
	if err == nil && r.Verdict != solve.Sat && len(c.Rankings[c.Calls[call].Sum]) > 0 {
		ranked = true
		w = c.composeRanked(word, call)
		r, err = c.Solver.Check(ctx, w.Conds()...)
	}
	if err != nil {
		return nil, err
	}
	if r.Verdict != solve.Sat {
		return []typestate.Step{}, nil
	}
	out := []typestate.Step{}
	for i := range w.Steps {
		m := c.Calls[w.Steps[i].Call].Sum.Method
		step := typestate.Step{Call: m.Name, Args: map[string]string{}}
		for k, v := range argsOf(m, &w.Steps[i], r.Model) {
			step.Args[m.Params[k].Name] = m.Params[k].Type.FormatValue(v)
		}
		if i < len(word) {
			step.Outcome = g.nameOf[c.Calls[word[i][0]].Letter+word[i][1]]
			if c.remembersResults(c.Calls[word[i][0]].Method) {
				step.Results = map[string]string{}
				for k, t := range w.Steps[i].results {
					step.Results[m.Results[k].Name] = m.Results[k].Type.FormatValue(term.Eval(t, r.Model))
				}
			}
		}
		out = append(out, step)
	}
	if err := c.replay(ctx, w, word, r.Model); err != nil && !ranked {
		return nil, err
	} else if err != nil {
		return []typestate.Step{}, nil // there is a run, but not with the choices that the model has, or it is too long to follow
	}
	return out, nil
}

func argsOf(m *prog.Method, s *wordStep, model term.Model) []term.Value {
	args := make([]term.Value, len(m.Params))
	for k, v := range m.Params {
		if copy := s.rename[v.Term]; copy != nil {
			args[k] = model[copy]
		}
	}
	return args
}

// replay confirms a model by the interpreter.
func (c *Run) replay(ctx context.Context, w *WordFormula, word [][2]int, model term.Model) error {
	in := prog.NewInterp(c.P.Program, prog.InterpOptions{})
	state := make(prog.State, len(c.P.Program.State))
	for i, v := range c.P.Program.State {
		if v.Init != nil {
			state[i] = v.Init.Value()
		} else if k := slices.Index(c.Sym.State, v); k >= 0 {
			state[i] = term.Eval(w.states[0][k], model)
		}
	}
	for i := range w.Steps {
		s := &w.Steps[i]
		sum := c.Calls[s.Call].Sum
		ch := &modelChooser{sum: sum, step: s, model: model, from: sum.Method.Entry}
		run, err := in.Follow(ctx, state, sum.Method, argsOf(sum.Method, s, model), ch, maxReplay)
		switch {
		case err != nil:
			return fmt.Errorf("internal error: the run of a witness is not confirmed: %w", err)
		case i == len(word) && run.Error == nil:
			return fmt.Errorf("internal error: the run of a witness does not err in %s", sum.Method.Name)
		case i < len(word) && run.Error != nil:
			return fmt.Errorf("internal error: the run of a witness errs too early, in %s", sum.Method.Name)
		case i < len(word):
			m := term.Model{}
			for k, r := range sum.Method.Results {
				m[r.Term] = run.Results[k]
			}
			if out := c.Calls[s.Call].Outcomes[word[i][1]]; !term.Holds(out.Cond, m) {
				return fmt.Errorf("internal error: the run of a witness does not return %s from %s", out.Name, sum.Method.Name)
			}
			state = run.After
		}
	}
	return nil
}

// A modelChooser makes the choices of a model. It counts the blocks that the
// run passes, since each makes its own.
type modelChooser struct {
	sum   *explore.Summary
	step  *wordStep
	model term.Model
	from  int // start of the current block
	n     int // its number in the run
	moved bool
}

func (m *modelChooser) At(loc int) {
	if slices.Contains(m.sum.Heads, loc) && m.moved {
		m.from = loc
		m.n++
	}
	m.moved = true
}

func (m *modelChooser) choice(match func(explore.Choice) bool) term.Value {
	for _, b := range m.sum.Blocks {
		if b.From != m.from {
			continue
		}
		for _, ch := range b.Choices {
			if match(ch) {
				v := predabs.ChoiceIn(ch, b.From, m.n)
				for raw, copy := range m.step.rename {
					if raw.Name() == v {
						return m.model[copy]
					}
				}
				return term.Value{}
			}
		}
	}
	return term.Value{}
}

func (m *modelChooser) Value(edge int) term.Value {
	return m.choice(func(c explore.Choice) bool { return c.Edge == edge })
}

func (m *modelChooser) Branch(loc int) int {
	return int(m.choice(func(c explore.Choice) bool { return c.Edge < 0 && c.Loc == loc }).Lo)
}
