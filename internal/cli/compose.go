// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the command compose: systems of components, verified piece by piece.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/model"
	"github.com/interlock-go/interlock/internal/model/compose"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/program"
	"github.com/interlock-go/interlock/internal/prog"
)

func composeCommand() command {
	return command{
		name: "compose", args: "[check|discharge] COMPONENT...",
		short: "verify a system of components piece by piece",
		long: `Compose decides whether components that run side by side have properties,
without building the system. Components synchronize on the actions that they
share.

	interlock compose -property Order.lts Input.lts Output.lts

finds the assumption that the first component needs for the property, which is
its interface over the actions that it shares with the others, and discharges
it on them, one after the other. It prints what was assumed, or a shortest run
of the system that leaves the property or leads a component to an error; the
run is replayed by an interpreter. With -learn the assumption is learned for
these components.

	interlock compose check Input.lts -assume a.json -property Order.lts

decides whether no run of a component (or of several) that keeps to the
assumption leaves the property. Runs that leave the assumption are not runs.

	interlock compose discharge a.json Output.lts

decides whether the environment (one component or several) keeps to the
assumption.

A component is a model (.lts, .fsp, .aut, .dot, .scxml; file.lts:NAME is one
of its definitions), a program in the text form, an interface file, or a Go
type, of which the interface is found first. An action of a program is a call
with its arguments and its outcome, as FSP writes it: push.3.true for
push(3)=true, scan.false for Scan=false; where a method has no results, only
the call. An interface in place of a component errs where a call is forbidden.
Assumptions and properties are automata: FSP, .aut, .dot, interface files.

Exit status 0: holds, 1: violated, 2: the input is wrong, 3: undecided within
the budget.`,
		options: func() options { return &composeOptions{} },
	}
}

// composeOptions are those of compose.
type composeOptions struct {
	properties, assume []string
	learn, direct      bool
	learner            string
	budget, width      int
	errorKinds, met    []string // met are those of errorKinds that a component has
	model              modelOptions
	output             outputOptions
}

func (o *composeOptions) flags(fs *flagSet) {
	fs.list(&o.properties, "property", "no run may leave this property: a `file` with an FSP property (or file.lts:NAME), an automaton or an interface (repeatable)", "a file", notEmpty)
	fs.list(&o.assume, "assume", "with check: runs keep to this assumption: a `file` as for -property (repeatable)", "a file", notEmpty)
	fs.BoolVar(&o.learn, "learn", false, "learn the assumption for these components (TACAS 2003) instead of finding the weakest one")
	var learners []string
	for _, l := range learn.Learners() {
		learners = append(learners, l.Name)
	}
	fs.choice(&o.learner, "learner", "with -learn: `name` is "+alternatives(learners)+" (default "+learners[0]+")", learners)
	fs.BoolVar(&o.direct, "direct", false, "search the composed system instead, to compare")
	fs.count(&o.budget, "budget", fmt.Sprintf("give up when one search meets more than `n` states (default %d)", compose.DefaultBudget), anyCount("states"))
	fs.count(&o.width, "width", "narrow every integer type of programs to `n` bits; that is another component", upTo(64, "bits"))
	fs.list(&o.errorKinds, "error", "an error of a model besides its own: `what` is state=NAME or action=NAME, of the components that have it (repeatable)", "state=NAME or action=NAME", notBlank)
	o.model.readFlags(fs)
	o.output.flags(fs)
	fs.limit()
}

func (o *composeOptions) check() error {
	if o.learner != "" && !o.learn {
		return usagef("-learner %s: expected -learn with it", o.learner)
	}
	if o.learn && o.direct {
		return usagef("-direct: nothing is learned then; leave out -learn")
	}
	return nil
}

func (o *composeOptions) run(ctx context.Context, c *invocation) (int, error) {
	if len(c.args) == 0 {
		return exitWrong, c.expected("COMPONENT...")
	}
	switch first := c.args[0]; {
	case first == "check":
		return o.runCheck(ctx, c, c.args[1:])
	case first == "discharge":
		return o.runDischarge(ctx, c, c.args[1:])
	case o.assume != nil:
		return exitWrong, usagef("-assume: expected 'interlock compose check' with it; the rule finds assumptions itself")
	}
	return o.runRule(ctx, c)
}

// components reads all components. Errors by name must be those of one at least.
func (o *composeOptions) components(ctx context.Context, c *invocation, names []string) ([]*lts.System, error) {
	var out []*lts.System
	for _, name := range names {
		s, err := o.component(ctx, c, name)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	for _, text := range o.errorKinds {
		if !slices.Contains(o.met, text) {
			return nil, usagef("-error %s: no component has it", text)
		}
	}
	return out, nil
}

func (o *composeOptions) component(ctx context.Context, c *invocation, name string) (*lts.System, error) {
	if isModel(name) {
		src := o.model.source(o.budget, o.errorKinds)
		src.Optional = true
		s, err := readModel(ctx, c, name, src)
		if err != nil {
			return nil, err
		}
		o.met = append(o.met, s.Met...)
		return s.System, nil
	}
	if isGo(name) {
		i, err := new(synthesisOptions).load(ctx, c, name)
		if err != nil {
			return nil, err
		}
		s, err := model.Component(i)
		if err != nil {
			return nil, usagef("%s: %v", name, err)
		}
		return s, nil
	}
	data, err := c.read(name)
	if err != nil {
		return nil, err
	}
	if isInterface(data) {
		i, err := readInterface(name, data)
		if err != nil {
			return nil, err
		}
		s, err := model.Component(i)
		if err != nil {
			return nil, usagef("%s: %v", name, err)
		}
		return s, nil
	}
	p, err := prog.Parse(inPositions(name), data, (&synthesisOptions{width: o.width}).programOptions(c, name))
	if err != nil {
		return nil, located(name, err)
	}
	s, err := program.System(ctx, p, o.budget)
	var budget *prog.BudgetError
	if errors.As(err, &budget) {
		return nil, &exitError{exitUndecided, fmt.Errorf("%s: undecided: %w; narrow its types with -width, or use an interface file in its place", shown(name), err)}
	}
	return s, modelError(err)
}

// automata reads properties, completed, or assumptions, which are not.
func (o *composeOptions) automata(ctx context.Context, c *invocation, names []string, complete bool) ([]*lts.System, error) {
	var out []*lts.System
	for _, name := range names {
		if file, _ := model.SplitName(name); !isModel(name) && filepath.Ext(file) != ".json" {
			return nil, usagef("%s: expected an automaton: a model (%s) or an interface file", name, strings.Join(model.Extensions(), ", "))
		}
		if complete {
			p, err := readProperty(ctx, c, name, o.budget)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
			continue
		}
		s, err := readModel(ctx, c, name, model.Source{Budget: o.budget})
		if err != nil {
			return nil, err
		}
		out = append(out, s.System)
	}
	return out, nil
}

func (o *composeOptions) runCheck(ctx context.Context, c *invocation, names []string) (int, error) {
	if len(names) == 0 {
		return exitWrong, usagef("check: expected COMPONENT..., got none; 'interlock help compose' shows examples")
	}
	components, err := o.components(ctx, c, names)
	if err != nil {
		return exitWrong, err
	}
	assumptions, err := o.automata(ctx, c, o.assume, false)
	if err != nil {
		return exitWrong, err
	}
	properties, err := o.automata(ctx, c, o.properties, true)
	if err != nil {
		return exitWrong, err
	}
	if err := o.somethingToCheck(components, properties); err != nil {
		return exitWrong, err
	}
	s, err := compose.Check(ctx, components, assumptions, properties, o.budget)
	if err != nil {
		return exitWrong, modelError(err)
	}
	what := namesOf(components)
	if len(assumptions) > 0 {
		what = "<" + namesOf(assumptions) + "> " + what
	}
	if len(properties) > 0 {
		what += " <" + namesOf(properties) + ">"
	}
	parts := append(append(slices.Clone(components), assumptions...), properties...)
	return o.answer(c, s.Violation, parts, fmt.Sprintf("holds: %s\n%s met\n", what, count(s.States, "state")))
}

// somethingToCheck refuses questions whose answer is yes whatever the components do.
func (o *composeOptions) somethingToCheck(components, properties []*lts.System) error {
	if len(properties) == 0 && !slices.ContainsFunc(components, (*lts.System).CanErr) {
		return usagef("there is no -property, and no component has errors; expected one of them")
	}
	return nil
}

func (o *composeOptions) runDischarge(ctx context.Context, c *invocation, names []string) (int, error) {
	if len(names) < 2 {
		return exitWrong, usagef("discharge: expected an assumption and COMPONENT...; 'interlock help compose' shows examples")
	}
	if o.properties != nil || o.assume != nil {
		return exitWrong, usagef("discharge: the assumption is its first argument; leave out -property and -assume")
	}
	assumption, err := o.automata(ctx, c, names[:1], true)
	if err != nil {
		return exitWrong, err
	}
	components, err := o.components(ctx, c, names[1:])
	if err != nil {
		return exitWrong, err
	}
	s, err := compose.Check(ctx, components, nil, assumption, o.budget)
	if err != nil {
		return exitWrong, modelError(err)
	}
	return o.answer(c, s.Violation, append(components, assumption...), fmt.Sprintf("discharged: %s keeps to %s\n%s met\n", namesOf(components), assumption[0].Name, count(s.States, "state")))
}

func (o *composeOptions) runRule(ctx context.Context, c *invocation) (int, error) {
	var t target
	if o.output.output != "" {
		var err error
		if t, err = o.output.target(); err != nil {
			return exitWrong, err
		}
	}
	components, err := o.components(ctx, c, c.args)
	if err != nil {
		return exitWrong, err
	}
	properties, err := o.automata(ctx, c, o.properties, true)
	if err != nil {
		return exitWrong, err
	}
	if err := o.somethingToCheck(components, properties); err != nil {
		return exitWrong, err
	}
	parts := append(slices.Clone(components), properties...)
	if o.direct {
		s, err := compose.Check(ctx, components, nil, properties, o.budget)
		if err != nil {
			return exitWrong, modelError(err)
		}
		return o.answer(c, s.Violation, parts, fmt.Sprintf("holds: of the composed system\n%s met\n", count(s.States, "state")))
	}
	sys := compose.System{Components: components, Properties: properties, Budget: o.budget}
	if o.learn {
		l := learn.Learners()[0]
		for _, other := range learn.Learners() {
			if other.Name == o.learner {
				l = other
			}
		}
		sys.Learn = &l
	}
	r, err := compose.Verify(ctx, sys)
	if err != nil {
		return exitWrong, modelError(err)
	}
	if o.output.output != "" && len(r.Assumptions) > 0 {
		if err := c.write(t, r.Assumptions[0].Interface); err != nil {
			return exitWrong, err
		}
	}
	return o.answer(c, r.Violation, parts, holdsText(r))
}

// holdsText says what a system rests on.
func holdsText(r compose.Result) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, "holds")
	for _, a := range r.Assumptions {
		var actions []string
		for _, call := range a.Interface.Calls {
			actions = append(actions, call.ID)
		}
		over := "no shared actions"
		if len(actions) > 0 {
			over = strings.Join(actions, ", ")
		}
		fmt.Fprintf(&b, "  %s, if the others keep to an assumption of %s over %s\n", a.Of, count(len(a.Interface.States), "state"), over)
	}
	if r.Last != "" {
		fmt.Fprintf(&b, "  %s keeps to the last of them\n", r.Last)
	}
	fmt.Fprintf(&b, "%s met", count(r.States, "state"))
	if r.Queries > 0 {
		fmt.Fprintf(&b, ", %s asked", count(int(r.Queries), "word"))
	}
	fmt.Fprintln(&b)
	return b.String()
}

// answer prints what holds, or the run that shows that it does not.
func (o *composeOptions) answer(c *invocation, v *compose.Violation, parts []*lts.System, holds string) (int, error) {
	if v == nil {
		return exitDone, c.print([]byte(holds))
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "violated: %s\n", v.Why)
	title := "a shortest run"
	if !v.Shortest {
		title = "a run (the budget did not suffice to find a shortest one)"
	}
	fmt.Fprintf(&b, "%s, %s:\n", title, count(len(v.Trace), "step"))
	width := 0
	for _, a := range v.Trace {
		width = max(width, len(a))
	}
	for _, a := range v.Trace {
		var who []string
		for _, p := range parts {
			if _, ok := p.Action(a); ok {
				who = append(who, p.Name)
			}
		}
		fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %-*s  %s", width, a, strings.Join(who, ", ")), " "))
	}
	return exitNo, c.print(b.Bytes())
}

func namesOf(list []*lts.System) string {
	var out []string
	for _, s := range list {
		out = append(out, s.Name)
	}
	return strings.Join(out, " || ")
}
