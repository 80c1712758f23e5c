// SPDX-License-Identifier: Apache-2.0

package engine

// This file compares interfaces with registers with the truth about small components. The interface runs the
// shortest word to each pair of what a client can know and where the interface is, registers included.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// hasRegisters reports whether a state of the interface remembers values.
func hasRegisters(i *typestate.Interface) bool {
	return slices.ContainsFunc(i.States, func(s typestate.State) bool { return len(s.Registers) > 0 })
}

// checkWords returns the first promise that the interface breaks on some word. It lets the interface
// run at most so many words.
func (g *truth) checkWords(i *typestate.Interface, limit int) error {
	if err := i.Validate(); err != nil {
		return fmt.Errorf("invalid: %w", err)
	}
	w := &wordMaker{oracle: newOracle(g.p, i)}
	type pair struct {
		node int32
		word []typestate.Step
	}
	seen := map[string]bool{}
	for queue := []pair{{}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		node := &g.nodes[at.node]
		for n := range node.moves {
			if w.judged >= limit {
				return nil
			}
			mv, c := &node.moves[n], g.calls[node.phase][n]
			step := typestate.Step{Call: c.Method.Name, Args: map[string]string{}}
			for k, v := range c.Method.Params {
				step.Args[v.Name] = v.Type.FormatValue(c.Args[k])
			}
			goesOn, err := w.agrees(at.word, step, mv.verdict)
			if err != nil {
				return err
			}
			if !goesOn {
				continue
			}
			for r, results := range mv.results {
				word, to, err := w.extend(at.word, step, c.Method, results)
				if err != nil {
					return err
				}
				if key := fmt.Sprintf("%d %s", mv.to[r], to); !seen[key] {
					seen[key] = true
					queue = append(queue, pair{mv.to[r], word})
				}
			}
		}
	}
	return nil
}

// agrees compares the verdict of a step after a word with the true one. Words go on after calls that are allowed,
// in truth and as far as the interface knows.
func (w *wordMaker) agrees(word []typestate.Step, step typestate.Step, truth prog.Verdict) (goesOn bool, err error) {
	w.judged++
	a := w.i.Accepts(append(slices.Clone(word), step))
	switch {
	case a.Kind == typestate.StepUnknown:
		w.undecided++
		return false, nil
	case a.Kind == typestate.StepNext && truth == prog.Allowed:
		return true, nil
	case a.Kind == typestate.StepForbidden && truth != prog.Allowed && (a.Verdict == typestate.VerdictMayFail || truth == prog.Fails):
		return false, nil
	}
	return false, fmt.Errorf("%v then %v: the interface says %v %v (%s), the interpreter %v", word, step, a.Kind, a.Verdict, a.Reason, truth)
}

// extend appends a step with its results. It also says where the interface is then.
func (w *wordMaker) extend(word []typestate.Step, step typestate.Step, m *prog.Method, results []term.Value) ([]typestate.Step, string, error) {
	var err error
	if step.Outcome, err = w.outcomeOf(m, results); err != nil {
		return nil, "", err
	}
	for k, r := range w.listed(m.Name) {
		if step.Results == nil {
			step.Results = map[string]string{}
		}
		step.Results[r.Name] = m.Results[k].Type.FormatValue(results[k])
	}
	word = append(slices.Clone(word), step)
	a := w.i.Accepts(word)
	if a.Kind != typestate.StepNext {
		return nil, "", fmt.Errorf("%v happens, the interface says %v: %s", word, a.Kind, a.Reason)
	}
	var to strings.Builder
	fmt.Fprint(&to, a.State)
	for _, name := range slices.Sorted(maps.Keys(a.Registers)) {
		fmt.Fprintf(&to, " %s=%s", name, a.Registers[name])
	}
	return word, to.String(), nil
}
