// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the command explain. For a component the reference
// interpreter answers, so an explanation does not depend on any engine; the
// synthesized interface only names the states. Interface files are explained in
// stored.go. Nothing is printed before the answer is there.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

func explainCommand() command {
	return command{
		name: "explain", args: "FILE WORD...",
		short: "say where a word of calls leads, or how it errs",
		long: `Explain simulates a word of calls on a component or an interface file. For
each call it prints the verdict, the state of the interface that is reached and
the states in which the component can be. If a call is forbidden it prints a run
that errs, line by line, with what each line changes; for an interface file, the
word that is stored in it. Where arguments decide, a call for each guard shows
both sides.

	interlock explain file.open ropen write
	interlock explain queue.open 'New(3)' offer=true take
	interlock explain lock.json acquire acquire
	interlock explain -approximations scanner.json

'interlock help words' says how words are written. The flags are for components.
Exit status 0: every call is allowed, 1: a call is forbidden or cannot happen,
3: could not tell.`,
		options: func() options { return &explainOptions{} },
	}
}

// explainOptions are those of explain.
type explainOptions struct {
	synthesis      synthesisOptions
	approximations bool
}

func (o *explainOptions) flags(fs *flagSet) {
	o.synthesis.flags(fs)
	fs.BoolVar(&o.approximations, "approximations", false, "print what is assumed and what is not modelled exactly in an interface file, instead of words")
}

func (o *explainOptions) check() error { return o.synthesis.check() }

func (o *explainOptions) run(ctx context.Context, c *invocation) (int, error) {
	if o.approximations {
		return c.explainApproximations()
	}
	if len(c.args) < 2 {
		return exitWrong, c.expected("FILE and the calls of a word")
	}
	name, words := c.args[0], c.args[1:]
	if isGo(name) {
		return exitWrong, usagef("%s is a Go type; expected its interface file, which 'interlock infer -o FILE %s' writes", shown(name), name)
	}
	data, err := c.read(name)
	if err != nil {
		return exitWrong, err
	}
	if isInterface(data) {
		i, err := readInterface(name, data)
		if err != nil {
			return exitWrong, err
		}
		return c.explainStored(i, words)
	}
	p, err := prog.Parse(inPositions(name), data, o.synthesis.programOptions(c, name))
	if err != nil {
		return exitWrong, located(name, err)
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
	var i *typestate.Interface
	var refused string
	if r, err := o.synthesis.synthesize(ctx, c, name, data); err == nil {
		i = r.Interface
	} else {
		if !undecided(err) {
			return exitWrong, err
		}
		refused = err.Error()
	}
	e := &explanation{p: p, i: i, source: strings.Split(string(data), "\n"), file: inPositions(name)}
	code, err := e.run(ctx, parsed, calls)
	if err != nil {
		return code, err
	}
	if refused != "" {
		fmt.Fprintf(c.Err, "interlock explain: states are not named, because the interface is undecided: %s\n", refused)
	}
	return code, c.print(e.out.Bytes())
}

type explanation struct {
	out    bytes.Buffer
	p      *prog.Program
	i      *typestate.Interface // nil if it could not be synthesized
	source []string
	file   string
}

func (e *explanation) run(ctx context.Context, parsed []prog.WordCall, calls []prog.Call) (int, error) {
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
		fmt.Fprintf(&e.out, "%2d  %s\n", n+1, parsed[n].Text)
		guards := at.examples(call.Method.Name)
		switch k.Verdict {
		case prog.Fails, prog.MayFail:
			e.forbidden(k)
			printGuards(&e.out, e.i, guards)
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
		if dead := e.deadEnd(at, call, states); dead != "" {
			fmt.Fprintf(&e.out, "    forbidden (-serial): %s\n", dead)
			return exitNo, nil
		}
		if len(k.States) == 0 {
			if len(k.Results) == 0 {
				fmt.Fprintln(&e.out, "    allowed, but it never returns")
				if n == len(calls)-1 {
					return exitDone, nil
				}
				fmt.Fprintf(&e.out, "%2d  %s\n    cannot happen: the call before never returns\n", n+2, parsed[n+1].Text)
				return exitNo, nil
			}
			fmt.Fprintf(&e.out, "    allowed, but this outcome cannot happen: it returns %s\n", resultsText(call.Method, k.Results))
			return exitNo, nil
		}
		at.step(parsed[n], states, k.Results)
		states = k.States
		fmt.Fprintf(&e.out, "    allowed%s\n", at.text())
		printGuards(&e.out, e.i, guards)
		if len(e.p.State) > 0 {
			fmt.Fprintf(&e.out, "    %s\n", e.componentStates(states))
		}
	}
	return exitDone, nil
}

// undecided turns an exhausted budget of the interpreter into exit status 3.
func (e *explanation) undecided(err error) (int, error) {
	var b *prog.BudgetError
	if errors.As(err, &b) {
		return exitUndecided, &exitError{exitUndecided, fmt.Errorf("undecided: %w; 'interlock help undecided' says what helps", err)}
	}
	return exitWrong, err
}

// deadEnd says why -serial forbids a call that does not err, or nothing.
func (e *explanation) deadEnd(at *position, call prog.Call, states []prog.State) string {
	if e.i == nil || !e.i.Component.Serial {
		return ""
	}
	id := at.callID(call.Method.Name, call.Args, states)
	for _, f := range e.i.Forbidden {
		if !at.before && f.Call == id && slices.Contains(at.states, f.State) {
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
	fmt.Fprintf(&e.out, "    forbidden (%v):", k.Verdict)
	for n, s := range k.Errors {
		if n > 0 {
			fmt.Fprint(&e.out, ";")
		}
		fmt.Fprintf(&e.out, " %q (%v)", s.Message, s.Pos)
	}
	fmt.Fprintln(&e.out)
}

// trace prints a run, one line of the source at a time.
func (e *explanation) trace(run []prog.CallRun) {
	fmt.Fprintf(&e.out, "\na run that errs:\n")
	for n, r := range run {
		if n == 0 && r.Call.Method.Implicit {
			continue
		}
		fmt.Fprintf(&e.out, "  %s\n", r)
		line := 0
		values := map[*prog.Var]term.Value{} // results and locals begin with zero
		for k, v := range e.p.State {
			values[v] = r.Before[k]
		}
		for k, v := range r.Call.Method.Params {
			values[v] = r.Call.Args[k]
		}
		for k, s := range r.Trace {
			pos := s.Pos()
			if pos.Line != line || k == 0 {
				line = pos.Line
				fmt.Fprintf(&e.out, "    %-*s  %s\n", len(e.file)+6, fmt.Sprintf("%s:%d", pos.File, pos.Line), e.line(pos))
			}
			for _, ch := range s.Changes {
				fmt.Fprintf(&e.out, "    %-*s    %s: %s -> %s%s\n", len(e.file)+6, "", ch.Var.Name,
					ch.Var.Type.FormatValue(ch.Old), ch.Var.Type.FormatValue(ch.New), origin(s.Edge))
				values[ch.Var] = ch.New
			}
			if s.Edge.Kind == prog.HavocEdge && len(s.Changes) == 0 {
				// The choice fell on the value that was there: a choice all the same.
				v := s.Edge.Vars[0]
				fmt.Fprintf(&e.out, "    %-*s    %s: %s%s\n", len(e.file)+6, "", v.Name, v.Type.FormatValue(values[v]), origin(s.Edge))
			}
		}
		if r.Error != nil {
			if r.Error.Pos.Line != line {
				fmt.Fprintf(&e.out, "    %-*s  %s\n", len(e.file)+6, fmt.Sprintf("%s:%d", r.Error.Pos.File, r.Error.Pos.Line), e.line(r.Error.Pos))
			}
			fmt.Fprintf(&e.out, "    %-*s    error: %s\n", len(e.file)+6, "", r.Error.Message)
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
	if edge.Origin == prog.Guess {
		return "   (a value that is not modelled)"
	}
	return "   (environment)"
}

func (e *explanation) line(pos prog.Pos) string {
	if pos.File == e.file && pos.Line >= 1 && pos.Line <= len(e.source) {
		return strings.TrimSpace(e.source[pos.Line-1])
	}
	return ""
}

// componentStates shows the component states a client must reckon with.
func (e *explanation) componentStates(states []prog.State) string {
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

// A position follows a word on the synthesized interface. There are several
// states if results that were not said lead to different ones, and none if
// there is no interface.
type position struct {
	p      *prog.Program
	i      *typestate.Interface
	before bool // no constructor was called yet
	states []int
	// word is what was called so far, as the interface says it, unless lost.
	word []typestate.Step
	lost bool
}

// examples shows both sides of the guards of a method.
func (a *position) examples(method string) []typestate.Example {
	if a.i == nil || a.lost {
		return nil
	}
	return a.i.Examples(a.word, method)
}

// say adds a call to the word, with the outcome that all results belong to.
func (a *position) say(w prog.WordCall, results [][]term.Value, outcomes []string) {
	step := typestate.Step{Call: w.Method.Name, Args: map[string]string{}}
	for k, v := range w.Method.Params {
		step.Args[v.Name] = v.Type.FormatValue(w.Args[k])
	}
	for _, r := range results {
		for _, o := range outcomes {
			if w.Matches(r) && a.fits(w.Method, r, o) {
				a.lost = a.lost || step.Outcome != "" && step.Outcome != o
				step.Outcome = o
			}
		}
	}
	a.word = append(a.word, step)
}

func newPosition(p *prog.Program, i *typestate.Interface) *position {
	return &position{p: p, i: i, before: true}
}

// callID returns the id of the call whose guard the arguments satisfy. A register
// in a guard has the value of its state variable, in whatever state may be current.
func (a *position) callID(method string, args []term.Value, states []prog.State) string {
	m := a.p.Method(method)
	if m == nil || len(states) == 0 {
		return "" // a constructor
	}
	vars, values := slices.Concat(m.Params, a.p.State), slices.Concat(args, states[0])
	for _, c := range a.i.Calls {
		if c.Method == method && a.holds(vars, values, c.Guard) {
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

// step follows a call that may have had any of the results that agree with
// what was said.
func (a *position) step(w prog.WordCall, states []prog.State, results [][]term.Value) {
	if a.i == nil {
		return
	}
	var to []int
	add := func(outcome string, state int) {
		fits := func(r []term.Value) bool { return w.Matches(r) && a.fits(w.Method, r, outcome) }
		if slices.ContainsFunc(results, fits) {
			to = append(to, state)
		}
	}
	if a.before {
		for _, k := range a.i.Constructors {
			if k.Method == w.Method.Name && k.State != nil && a.holds(w.Method.Params, w.Args, k.Guard) {
				add(k.Outcome, *k.State)
			}
		}
		a.say(w, results, nil)
	} else {
		id := a.callID(w.Method.Name, w.Args, states)
		for _, c := range a.i.Calls {
			if c.ID == id {
				a.say(w, results, c.Outcomes)
			}
		}
		for _, e := range a.i.Edges {
			if e.Call == id && slices.Contains(a.states, e.From) {
				add(e.Outcome, e.To)
			}
		}
	}
	slices.Sort(to)
	a.before, a.states = false, slices.Compact(to)
}

// fits reports whether results belong to an outcome.
func (a *position) fits(m *prog.Method, results []term.Value, outcome string) bool {
	if outcome == "*" || outcome == prog.FormatOutcome(m, results) {
		return true
	}
	parts := []string{outcome}
	if len(m.Results) > 1 {
		parts = tuple(outcome)
	}
	if len(parts) != len(m.Results) {
		return false
	}
	for i, r := range m.Results {
		switch {
		case parts[i] == "_", parts[i] == r.Type.FormatValue(results[i]):
		case r.Type.Sort.Kind != term.BitVecKind, !a.holds([]*prog.Var{r}, results[i:i+1], parts[i]):
			return false
		}
	}
	return true
}

func (a *position) text() string {
	if a.i == nil {
		return ""
	}
	return statesText(a.i, a.states)
}

// statesText names states of an interface, with the label if there is only one.
func statesText(i *typestate.Interface, states []int) string {
	if len(states) == 0 {
		return ""
	}
	var ids []string
	for _, s := range states {
		ids = append(ids, fmt.Sprint(s))
	}
	text := ", state " + alternatives(ids)
	if s := states[0]; len(states) == 1 && s >= 0 && s < len(i.States) {
		if l := render.StateLabel(i, i.States[s]); l != "" {
			text += ": " + l
		}
	}
	return text
}
