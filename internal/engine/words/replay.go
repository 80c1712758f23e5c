// SPDX-License-Identifier: Apache-2.0

package words

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
	"github.com/interlock-go/interlock/internal/term"
)

// Args are the arguments of a step in a model.
func (s *Step) Args(m *prog.Method, model term.Model) []term.Value {
	args := make([]term.Value, len(m.Params))
	for k, v := range m.Params {
		if copy := s.Rename[v.Term]; copy != nil {
			args[k] = model[copy]
		}
	}
	return args
}

// Replay confirms by the interpreter that the word happens and errs with the arguments and choices of a model. It returns an error if it does not.
func (w *Formula) Replay(ctx context.Context, model term.Model) error {
	m := w.abs
	in := prog.NewInterp(m.P.Program, prog.InterpOptions{})
	state := make(prog.State, len(m.P.Program.State))
	for i, v := range m.P.Program.State {
		if v.Init != nil {
			state[i] = v.Init.Value()
		} else if k := slices.Index(m.Sym.State, v); k >= 0 {
			state[i] = term.Eval(w.States[0][k], model)
		}
	}
	for i := range w.Steps {
		s := &w.Steps[i]
		sum := m.Calls[s.Call].Sum
		ch := &modelChooser{sum: sum, step: s, model: model, from: sum.Method.Entry}
		run, err := in.Follow(ctx, state, sum.Method, s.Args(sum.Method, model), ch, maxReplay)
		switch {
		case err != nil:
			return fmt.Errorf("internal error: the run of a witness is not confirmed: %w", err)
		case i == w.Last() && run.Error == nil:
			return fmt.Errorf("internal error: the run of a witness does not err in %s", sum.Method.Name)
		case i < w.Last() && run.Error != nil:
			return fmt.Errorf("internal error: the run of a witness errs too early, in %s", sum.Method.Name)
		case i < w.Last():
			results := term.Model{}
			for k, r := range sum.Method.Results {
				results[r.Term] = run.Results[k]
			}
			if out := m.Calls[s.Call].Outcomes[s.Outcome]; !term.Holds(out.Cond, results) {
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
	step  *Step
	model term.Model
	from  int // start of the current block
	n     int // its number in the run
	moved bool
}

// At implements prog.Chooser.
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
				for raw, copy := range m.step.Rename {
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

// Value implements prog.Chooser.
func (m *modelChooser) Value(edge int) term.Value {
	return m.choice(func(c explore.Choice) bool { return c.Edge == edge })
}

// Branch implements prog.Chooser.
func (m *modelChooser) Branch(loc int) int {
	return int(m.choice(func(c explore.Choice) bool { return c.Edge < 0 && c.Loc == loc }).Lo)
}
