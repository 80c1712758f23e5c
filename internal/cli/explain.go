// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the command explain. For a component the reference
// interpreter answers, so an explanation does not depend on any engine; the
// synthesized interface only names the states. For an interface file the
// interface answers, with the witness that is stored in it.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

func explainCommand() command {
	return command{
		name: "explain", args: "FILE WORD...",
		short: "say where a word of calls leads, or how it errs",
		long: `Explain simulates a word of calls on a component or an interface file. For
each call it prints the verdict and the state reached. If a call is forbidden it
prints a run that errs, line by line, with what each line changes.

	interlock explain file.open ropen write
	interlock explain queue.open 'New(3)' 'put(1)' get=true
	interlock explain lock.json acquire acquire

'interlock help words' says how words are written. Exit status 0: every call is
allowed, 1: a call is forbidden or cannot happen, 3: could not tell.`,
		flags: synthesisFlags,
		run:   explain,
	}
}

func explain(ctx context.Context, c *invocation) (int, error) {
	if len(c.args) < 2 {
		return exitWrong, usagef("expected FILE and the calls of a word, got %d arguments; 'interlock help explain' shows examples", len(c.args))
	}
	name, words := c.args[0], c.args[1:]
	data, err := c.read(name)
	if err != nil {
		return exitWrong, err
	}
	if isInterface(data) {
		i, err := typestate.Read(bytes.NewReader(data))
		if err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			return exitWrong, usagef("%s: %s", name, first)
		}
		return c.explainInterface(i, words)
	}
	base := filepath.Base(name)
	if name == "-" {
		base = "standard input"
	}
	p, err := prog.Parse(base, data, prog.Options{Width: c.width})
	if err != nil {
		return exitWrong, err
	}
	parsed, err := prog.ParseWord(p, words)
	if err != nil {
		return exitWrong, usagef("%v", err)
	}
	var calls []prog.Call
	for _, w := range parsed {
		call, err := w.Call()
		if err != nil {
			return exitWrong, usagef("%v", err)
		}
		calls = append(calls, call)
	}
	// The interface names the states; without it the explanation goes on.
	i, err := c.synthesize(ctx, name, data)
	var refused string
	if err != nil {
		if !errors.Is(err, interlock.ErrUndecided) {
			return exitWrong, err
		}
		refused = err.Error()
	}
	e := &explanation{c: c, p: p, i: i, source: strings.Split(string(data), "\n"), file: base}
	return e.run(ctx, parsed, calls, refused)
}

type explanation struct {
	c      *invocation
	p      *prog.Program
	i      *typestate.Interface // nil if it could not be synthesized
	source []string
	file   string
}

func (e *explanation) run(ctx context.Context, parsed []prog.WordCall, calls []prog.Call, refused string) (int, error) {
	in := prog.NewInterp(e.p, prog.InterpOptions{})
	states, err := in.Initial(ctx)
	if err != nil {
		return e.undecided(err)
	}
	at := newPosition(e.p, e.i)
	for n, call := range calls {
		k, err := in.Step(ctx, states, call)
		if err != nil {
			return e.undecided(err)
		}
		fmt.Fprintf(e.c.Out, "%2d  %s\n", n+1, callText(parsed[n]))
		switch k.Verdict {
		case prog.Fails, prog.MayFail:
			e.forbidden(k)
			if run, ok, err := in.Run(ctx, calls[:n+1]); err != nil {
				return e.undecided(err)
			} else if ok {
				e.trace(run)
			}
			return exitNo, nil
		case prog.Allowed:
		default:
			return exitUndecided, fmt.Errorf("internal error: verdict %v", k.Verdict)
		}
		if dead := e.deadEnd(at, call); dead != "" {
			fmt.Fprintf(e.c.Out, "    forbidden (-serial): %s\n", dead)
			return exitNo, nil
		}
		if len(k.States) == 0 {
			if len(k.Results) == 0 {
				fmt.Fprintln(e.c.Out, "    allowed, but no run returns")
				if n == len(calls)-1 {
					return exitDone, nil
				}
				return exitNo, nil
			}
			fmt.Fprintf(e.c.Out, "    allowed, but this outcome cannot happen; it returns %s\n", resultsText(call.Method, k.Results))
			return exitNo, nil
		}
		states = k.States
		at.step(parsed[n])
		fmt.Fprintf(e.c.Out, "    allowed%s\n", at.text())
		fmt.Fprintf(e.c.Out, "    %s\n", e.statesText(states))
	}
	if refused != "" {
		fmt.Fprintf(e.c.Err, "interlock explain: states are not named: %s\n", refused)
	}
	return exitDone, nil
}

// undecided turns an exhausted budget of the interpreter into exit status 3.
func (e *explanation) undecided(err error) (int, error) {
	var b *prog.BudgetError
	if errors.As(err, &b) {
		return exitUndecided, &exitError{exitUndecided, fmt.Errorf("undecided: %v; try -width 8", err)}
	}
	return exitWrong, err
}

func (e *explanation) deadEnd(at *position, call prog.Call) string {
	if e.i == nil || !e.i.Component.Serial || at.state == nil {
		return ""
	}
	for _, f := range e.i.Forbidden {
		if f.State == *at.state && f.Call == at.callID(call.Method.Name, call.Args) {
			for _, s := range f.Errors {
				if s.Kind == "dead-end" {
					return s.Message
				}
			}
		}
	}
	return ""
}

func (e *explanation) forbidden(k prog.Step) {
	fmt.Fprintf(e.c.Out, "    forbidden (%v):", k.Verdict)
	for n, s := range k.Errors {
		if n > 0 {
			fmt.Fprint(e.c.Out, ";")
		}
		fmt.Fprintf(e.c.Out, " %q (%v)", s.Message, s.Pos)
	}
	fmt.Fprintln(e.c.Out)
}

// trace prints a run, one line of the source at a time.
func (e *explanation) trace(run []prog.CallRun) {
	fmt.Fprintf(e.c.Out, "\na run that errs:\n")
	for n, r := range run {
		if n == 0 && r.Call.Method.Implicit {
			continue
		}
		fmt.Fprintf(e.c.Out, "  %s\n", r)
		line := 0
		for k, s := range r.Trace {
			pos := s.Pos()
			if pos.Line != line || k == 0 {
				line = pos.Line
				fmt.Fprintf(e.c.Out, "    %-*s  %s\n", len(e.file)+6, fmt.Sprintf("%s:%d", pos.File, pos.Line), e.line(pos))
			}
			for _, ch := range s.Changes {
				fmt.Fprintf(e.c.Out, "    %-*s    %s: %s -> %s%s\n", len(e.file)+6, "", ch.Var.Name,
					ch.Var.Type.FormatValue(ch.Old), ch.Var.Type.FormatValue(ch.New), origin(s.Edge))
			}
		}
		if r.Error != nil {
			if r.Error.Pos.Line != line {
				fmt.Fprintf(e.c.Out, "    %-*s  %s\n", len(e.file)+6, fmt.Sprintf("%s:%d", r.Error.Pos.File, r.Error.Pos.Line), e.line(r.Error.Pos))
			}
			fmt.Fprintf(e.c.Out, "    %-*s    error: %s\n", len(e.file)+6, "", r.Error.Message)
		}
	}
}

func origin(edge *prog.Edge) string {
	if edge.Kind != prog.HavocEdge {
		return ""
	}
	if edge.Origin == prog.Hidden {
		return "   (hidden choice)"
	}
	return "   (environment)"
}

func (e *explanation) line(pos prog.Pos) string {
	if pos.File == e.file && pos.Line >= 1 && pos.Line <= len(e.source) {
		return strings.TrimSpace(e.source[pos.Line-1])
	}
	return ""
}

// statesText shows the component states a client must reckon with.
func (e *explanation) statesText(states []prog.State) string {
	const most = 3
	var parts []string
	for _, s := range states[:min(most, len(states))] {
		parts = append(parts, e.p.FormatState(s))
	}
	text := strings.Join(parts, "  or  ")
	if n := len(states) - most; n > 0 {
		text += fmt.Sprintf("  or %d more", n)
	}
	return text
}

func callText(w prog.WordCall) string { return w.Text }

func resultsText(m *prog.Method, results [][]term.Value) string {
	const most = 5
	var parts []string
	for _, r := range results[:min(most, len(results))] {
		parts = append(parts, prog.FormatOutcome(m, r))
	}
	text := strings.Join(parts, " or ")
	if n := len(results) - most; n > 0 {
		text += fmt.Sprintf(" or %d more", n)
	}
	return text
}

// A position follows a word on the synthesized interface, as far as the
// outcomes that were said allow.
type position struct {
	p     *prog.Program
	i     *typestate.Interface
	state *int
	lost  bool
}

func newPosition(p *prog.Program, i *typestate.Interface) *position {
	return &position{p: p, i: i, lost: i == nil}
}

// callID returns the id of the call whose guard the arguments satisfy.
func (a *position) callID(method string, args []term.Value) string {
	m := a.p.Method(method)
	for _, c := range a.i.Calls {
		if c.Method == method && a.holds(m.Params, args, c.Guard) {
			return c.ID
		}
	}
	return ""
}

func (a *position) holds(vars []*prog.Var, values []term.Value, text string) bool {
	t, err := prog.ParseExpr(a.p, vars, text)
	if err != nil {
		return false
	}
	m := term.Model{}
	for i, v := range vars {
		m[v.Term] = values[i]
	}
	return term.Eval(t, m).Bool()
}

// step follows a call; the position is lost where the outcome that was said
// fits edges to different states.
func (a *position) step(w prog.WordCall) {
	if a.lost {
		return
	}
	var targets []int
	if a.state == nil {
		for _, k := range a.i.Constructors {
			if k.Method == w.Method.Name && k.State != nil && a.holds(w.Method.Params, w.Args, k.Guard) && a.fits(w, k.Outcome) {
				targets = append(targets, *k.State)
			}
		}
	} else {
		id := a.callID(w.Method.Name, w.Args)
		for _, e := range a.i.Edges {
			if e.From == *a.state && e.Call == id && a.fits(w, e.Outcome) {
				targets = append(targets, e.To)
			}
		}
	}
	for _, t := range targets {
		if t != targets[0] {
			a.lost = true
		}
	}
	if len(targets) == 0 {
		a.lost = true
	}
	if !a.lost {
		a.state = &targets[0]
	}
}

// fits reports whether the outcome can be the one that was said.
func (a *position) fits(w prog.WordCall, outcome string) bool {
	if outcome == "*" || outcome == "return" {
		return true
	}
	parts := []string{outcome}
	if len(w.Method.Results) > 1 {
		parts = strings.SplitN(strings.Trim(outcome, "()"), ", ", len(w.Method.Results))
		if len(parts) != len(w.Method.Results) {
			return true
		}
	}
	for i, r := range w.Method.Results {
		if i >= len(w.Results) || w.Results[i] == nil || parts[i] == "_" {
			continue
		}
		v := *w.Results[i]
		if parts[i] == r.Type.FormatValue(v) {
			continue
		}
		if r.Type.Sort.Kind != term.BitVecKind || !a.holds([]*prog.Var{r}, []term.Value{v}, parts[i]) {
			return false
		}
	}
	return true
}

func (a *position) text() string {
	if a.lost || a.state == nil {
		return ""
	}
	s := fmt.Sprintf(", state %d", *a.state)
	if l := a.i.States[*a.state].Label; l != "" && l != "true" {
		s += ": " + l
	}
	return s
}

// explainInterface runs a word on an interface file.
func (c *invocation) explainInterface(i *typestate.Interface, words []string) (int, error) {
	var word []typestate.Step
	for _, text := range words {
		s, err := parseStep(i, text)
		if err != nil {
			return exitWrong, usagef("%q: %v", text, err)
		}
		word = append(word, s)
	}
	a := i.Accepts(word)
	for n := range word[:min(a.Pos, len(word))] {
		prefix := i.Accepts(word[:n+1])
		fmt.Fprintf(c.Out, "%2d  %s\n    allowed%s\n", n+1, words[n], labelText(i, prefix.State))
	}
	if a.Kind == typestate.StepNext {
		return exitDone, nil
	}
	fmt.Fprintf(c.Out, "%2d  %s\n", a.Pos+1, words[min(a.Pos, len(words)-1)])
	switch a.Kind {
	case typestate.StepForbidden:
		fmt.Fprintf(c.Out, "    forbidden (%v): %s\n", a.Verdict, a.Reason)
		if f := a.Forbidden; f != nil {
			for _, e := range f.Errors {
				fmt.Fprintf(c.Out, "    %s: %q (%s)\n", e.Kind, e.Message, e.At)
			}
		}
		return exitNo, nil
	case typestate.StepImpossible:
		fmt.Fprintf(c.Out, "    cannot happen: %s\n", a.Reason)
		return exitNo, nil
	case typestate.StepInvalid:
		return exitWrong, usagef("%s", a.Reason)
	}
	fmt.Fprintf(c.Out, "    %v: %s\n", a.Kind, a.Reason)
	return exitUndecided, nil
}

func labelText(i *typestate.Interface, state int) string {
	if state < 0 || state >= len(i.States) {
		return ""
	}
	s := fmt.Sprintf(", state %d", state)
	if l := i.States[state].Label; l != "" && l != "true" {
		s += ": " + l
	}
	return s
}

// parseStep reads NAME(ARGS)=OUTCOME against the calls of an interface.
func parseStep(i *typestate.Interface, text string) (typestate.Step, error) {
	s := typestate.Step{Args: map[string]string{}}
	call, outcome, _ := strings.Cut(text, "=")
	if open := strings.IndexByte(text, '('); open >= 0 && strings.IndexByte(text, '=') > open {
		// The = of an outcome comes after the arguments.
		if shut := strings.IndexByte(text, ')'); shut >= 0 {
			call, outcome = text[:shut+1], strings.TrimPrefix(text[shut+1:], "=")
		}
	}
	s.Outcome = outcome
	name, rest, hasArgs := strings.Cut(call, "(")
	s.Call = name
	var params []string
	found := false
	for _, k := range i.Calls {
		if k.Method == name {
			params, found = k.Params, true
		}
	}
	for _, k := range i.Constructors {
		if k.Method == name {
			params, found = k.Params, true
		}
	}
	if !found {
		return s, fmt.Errorf("no call %s in the interface of %s", name, i.Component.Name)
	}
	if hasArgs {
		rest = strings.TrimSuffix(rest, ")")
		var args []string
		if strings.TrimSpace(rest) != "" {
			args = strings.Split(rest, ",")
		}
		if len(args) != len(params) {
			return s, fmt.Errorf("%s takes %d arguments (%s), got %d", name, len(params), strings.Join(params, ", "), len(args))
		}
		for k, p := range params {
			s.Args[p] = strings.TrimSpace(args[k])
		}
	}
	return s, nil
}
