// SPDX-License-Identifier: Apache-2.0

package cli

// This file is the command line for models.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/model"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/synth"
	"github.com/interlock-go/interlock/typestate"
)

// modelOptions are the values of flags that only models have.
type modelOptions struct {
	alphabet   []string
	properties []string
	errorAt    []string
	others     string
	unhandled  string
}

func (o *modelOptions) flags(fs *flagSet) {
	fs.value("alphabet", "the actions of a model that a client sees: a `list` such as send,ack; others are hidden and happen any number of times (default: all; repeatable)", "a list of actions", func(text string) bool {
		list := splitActions(text)
		o.alphabet = append(o.alphabet, list...)
		return !slices.Contains(list, "")
	})
	fs.list(&o.properties, "property", "a model has this property if no run leaves it: a `file` with an FSP property (or file.lts:NAME), an automaton or an interface; what it forbids is an error (repeatable)", "a file", notEmpty)
	o.readFlags(fs)
}

// readFlags say how a model is read.
func (o *modelOptions) readFlags(fs *flagSet) {
	fs.list(&o.errorAt, "error-at", "count only errors of a model whose reason matches `pattern`, in which * stands for any text (repeatable)", "a pattern", notBlank)
	fs.choice(&o.others, "others", "what the errors do that -error-at leaves out: `how` is stop (default), which ends the run, or skip, which goes on", []string{"stop", "skip"})
	fs.choice(&o.unhandled, "unhandled", "an event that no transition of a statechart takes is `what`: impossible (default) or ignored", []string{"impossible", "ignored"})
}

// source says how a model is read.
func (o *modelOptions) source(budget int, errs []string) model.Source {
	return model.Source{Budget: budget, Errors: errs, At: o.errorAt, Others: o.others, Ignore: o.unhandled == "ignored"}
}

// given lists the flags that only models have.
func (o *modelOptions) given() []given {
	return []given{{"alphabet", o.alphabet != nil}, {"property", o.properties != nil}, {"error-at", o.errorAt != nil}, {"others", o.others != ""}, {"unhandled", o.unhandled != ""}}
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
func readModel(ctx context.Context, c *invocation, name string, src model.Source) (*model.System, error) {
	file, definition := model.SplitName(name)
	data, err := c.read(file)
	if err != nil {
		return nil, err
	}
	if isInterface(data) {
		i, err := readInterface(file, data)
		if err != nil {
			return nil, err
		}
		s, err := model.FromInterface(i)
		if err != nil {
			return nil, usagef("%s: %v", file, err)
		}
		return &model.System{System: s}, nil
	}
	src.Name, src.Text, src.Definition = file, data, definition
	s, err := model.Read(ctx, src)
	if err != nil {
		return nil, modelError(err)
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(c.Err, "%s: warning\n", w)
	}
	for _, l := range s.Left {
		fmt.Fprintf(c.Err, "%s: not an error here, because -error-at leaves it out: %s\n", file, l)
	}
	return s, nil
}

// readProperty reads a property and completes it.
func readProperty(ctx context.Context, c *invocation, name string, budget int) (*lts.System, error) {
	s, err := readModel(ctx, c, name, model.Source{Budget: budget})
	if err != nil {
		return nil, err
	}
	p, err := s.Completed()
	if err != nil {
		return nil, usagef("%s: %v", name, err)
	}
	return p, nil
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
	s, err := readModel(ctx, c, c.args[0], o.model.source(o.synthesis.budget, o.code.errorKinds))
	if err != nil {
		return exitWrong, err
	}
	var properties []*lts.System
	for _, name := range o.model.properties {
		q, err := readProperty(ctx, c, name, o.synthesis.budget)
		if err != nil {
			return exitWrong, err
		}
		properties = append(properties, q)
	}
	if err := o.model.known(s.Name, append([]*lts.System{s.System}, properties...)...); err != nil {
		return exitWrong, err
	}
	if len(properties) > 1 {
		for _, q := range properties {
			i, err := o.ensure(ctx, s.System, p, q)
			if err != nil {
				return exitWrong, err
			}
			fmt.Fprintf(c.Err, "property %s alone: %s\n", q.Name, count(len(i.States), "state"))
		}
	}
	i, err := o.ensure(ctx, s.System, p, properties...)
	if err != nil {
		return exitWrong, err
	}
	if len(properties) > 1 {
		fmt.Fprintf(c.Err, "all together: %s\n", count(len(i.States), "state"))
	}
	return o.inferred(c, t, &interlock.Report{Interface: i})
}

// ensure is the interface of a system that ensures properties.
func (o *inferOptions) ensure(ctx context.Context, s *lts.System, p synth.Problem, properties ...*lts.System) (*typestate.Interface, error) {
	p.System = s
	var err error
	if len(properties) > 0 {
		p.System, err = lts.Compose(ctx, s.Name, cmp.Or(o.synthesis.budget, model.DefaultBudget), append([]*lts.System{s}, properties...)...)
		if err != nil {
			return nil, modelError(err)
		}
	}
	p.Visible = p.System.Alphabet
	if o.model.alphabet != nil {
		p.Visible = nil
		for _, a := range o.model.alphabet {
			if _, ok := p.System.Action(a); ok && !slices.Contains(p.Visible, a) {
				p.Visible = append(p.Visible, a)
			}
		}
	}
	i, err := model.Infer(ctx, p)
	return i, modelError(err)
}

// known checks that each action that was asked for is one of a system.
func (o *modelOptions) known(name string, systems ...*lts.System) error {
	var all []string
	for _, s := range systems {
		all = append(all, s.Alphabet...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, a := range o.alphabet {
		if _, ok := slices.BinarySearch(all, a); !ok {
			return usagef("-alphabet: %s has no action %s; it has %s", name, a, strings.Join(all, ", "))
		}
	}
	return nil
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
