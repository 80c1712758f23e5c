// SPDX-License-Identifier: Apache-2.0

package cli

// This file is the command line for models.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/model"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/synth"
)

// modelOptions are the values of flags that only models have.
type modelOptions struct {
	alphabet []string
}

func (o *modelOptions) flags(fs *flagSet) {
	fs.value("alphabet", "the actions of a model that a client sees: a `list` such as send,ack; others are hidden and happen any number of times (default: all; repeatable)", "a list of actions", func(text string) bool {
		list := splitActions(text)
		o.alphabet = append(o.alphabet, list...)
		return !slices.Contains(list, "")
	})
}

// given lists the flags that only models have.
func (o *modelOptions) given() []given {
	return []given{{"alphabet", o.alphabet != nil}}
}

// notModel is the error of a flag that only models have.
func notModel(flag, name string) error {
	return usagef("-%s: %s is not a model; expected one such as lock.lts or lock.aut with it", flag, shown(name))
}

// splitActions divides a list at its commas, but not within parentheses, brackets or braces.
func splitActions(text string) []string {
	var out []string
	depth, from := 0, 0
	for k, r := range text {
		switch {
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		case r == ',' && depth == 0:
			out = append(out, strings.TrimSpace(text[from:k]))
			from = k + 1
		}
	}
	return append(out, strings.TrimSpace(text[from:]))
}

// isModel tells the file of a model from that of a component.
func isModel(name string) bool { return model.IsModel(name) }

// readModel reads a model. Warnings are printed.
func (o *modelOptions) read(ctx context.Context, c *invocation, name string, src model.Source) (*model.System, error) {
	file, definition := model.SplitName(name)
	data, err := c.read(file)
	if err != nil {
		return nil, err
	}
	src.Name, src.Text, src.Definition = file, data, definition
	s, err := model.Read(ctx, src)
	if err != nil {
		return nil, modelError(err)
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(c.Err, "%s: warning\n", w)
	}
	return s, nil
}

// modelError gives the errors of models their exit status.
func modelError(err error) error {
	var budget *lts.BudgetError
	var learning *learn.BudgetError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &budget), errors.As(err, &learning):
		return &exitError{exitUndecided, fmt.Errorf("undecided: %w; -budget allows more, -alphabet asks for less", err)}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return usagef("%v", err)
}

// inferModel is infer for a model.
func (o *inferOptions) inferModel(ctx context.Context, c *invocation) (int, error) {
	code := o.code
	code.errorKinds = nil
	if name := firstGiven(append(code.given(), given{"program", o.program}, given{"run", o.running.mode != ""})); name != "" {
		return exitWrong, notGo(name, c.args[0])
	}
	t, err := o.output.target()
	if err != nil {
		return exitWrong, err
	}
	p, err := o.synthesis.modelProblem()
	if err != nil {
		return exitWrong, err
	}
	s, err := o.model.read(ctx, c, c.args[0], model.Source{Budget: o.synthesis.budget, Errors: o.code.errorKinds})
	if err != nil {
		return exitWrong, err
	}
	p.System = s.System
	if p.Visible, err = visibleActions(s.System, o.model.alphabet); err != nil {
		return exitWrong, err
	}
	i, err := model.Infer(ctx, p)
	if err != nil {
		return exitWrong, modelError(err)
	}
	return o.inferred(c, t, i)
}

// visibleActions are the actions that were asked for; by default all.
func visibleActions(s *lts.System, list []string) ([]string, error) {
	if len(list) == 0 {
		return s.Alphabet, nil
	}
	for _, a := range list {
		if _, ok := s.Action(a); !ok {
			return nil, usagef("-alphabet: %s has no action %s; it has %s", s.Name, a, strings.Join(s.Alphabet, ", "))
		}
	}
	out := slices.Sorted(slices.Values(list))
	return slices.Compact(out), nil
}

// modelProblem takes the flags that choose how an interface is found.
func (o *synthesisOptions) modelProblem() (synth.Problem, error) {
	p := synth.Problem{Tight: o.tight, Budget: o.budget}
	none := []given{{"serial", o.serial}, {"width", o.width > 0}, {"assume", o.assume != nil}, {"certificate", o.certificate}, {"prover", o.prover != ""}, {"slice=false", !o.slice}}
	if name := firstGiven(none); name != "" {
		return p, usagef("-%s: it has no meaning for a model; expected a component in code or in the text form with it", name)
	}
	switch o.engine {
	case "", "auto":
	case "direct":
		p.Method = synth.BySets
	case "learn":
		p.Method = synth.ByLearning
	default:
		return p, usagef("-engine %s: interfaces of models are found by direct (sets of states) or learn; auto chooses", o.engine)
	}
	if k := slices.IndexFunc(learn.Learners(), func(l learn.Learner) bool { return l.Name == o.learner }); k >= 0 {
		p.Learner, p.Method = learn.Learners()[k], synth.ByLearning
	}
	return p, nil
}
