// SPDX-License-Identifier: Apache-2.0

package cli

// This file explains words on an interface file: the interface answers, and for
// a forbidden call shows the word that is stored as its witness. An outcome that
// was not said is every outcome; the word goes on as long as all of them lead to
// the same state. Following sets of states instead would need the component,
// which knows which outcomes go together.

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/typestate"
)

func (c *invocation) explainStored(i *typestate.Interface, words []string) (int, error) {
	var calls []storedCall
	for n, text := range words {
		s, err := parseStored(i, text)
		if err == nil && n > 0 && s.constructor {
			err = fmt.Errorf("a constructor can only come first")
		}
		if err != nil {
			return exitWrong, usagef("call %d of the word, %q: %v", n+1, text, err)
		}
		if n == 0 && !s.constructor {
			first, err := onlyConstructor(i)
			if err != nil {
				return exitWrong, err
			}
			calls = append(calls, first)
		}
		calls = append(calls, s)
	}
	var out bytes.Buffer
	var word []typestate.Step
	for n, s := range calls {
		fmt.Fprintf(&out, "%2d  %s\n", n+1, s.text)
		a, ways := s.follow(i, word)
		guards := i.Examples(word, s.step.Call)
		switch {
		case a.Kind == typestate.StepForbidden:
			printForbidden(&out, i, a, guards)
			return exitNo, c.print(out.Bytes())
		case a.Kind == typestate.StepInvalid:
			return exitWrong, usagef("call %d of the word, %q: %s", n+1-(len(calls)-len(words)), s.text, a.Reason)
		case a.Kind == typestate.StepUnknown:
			fmt.Fprintf(&out, "    unknown: %s\n", a.Reason)
			printSeen(&out, i, a.From, a.Call)
			printGuards(&out, i, guards)
			return exitUndecided, c.print(out.Bytes())
		case a.Kind == typestate.StepImpossible && i.CannotBeMade(a.From, a.Call):
			fmt.Fprintf(&out, "    cannot happen: %s\n", a.Reason)
			return exitNo, c.print(out.Bytes())
		case len(ways) == 0 && s.outcome != "":
			fmt.Fprintln(&out, "    allowed, but this outcome cannot happen")
			return exitNo, c.print(out.Bytes())
		case len(ways) == 0:
			fmt.Fprintln(&out, "    allowed, but it never returns")
			if n == len(calls)-1 {
				return exitDone, c.print(out.Bytes())
			}
			fmt.Fprintf(&out, "%2d  %s\n    cannot happen: the call before never returns\n", n+2, calls[n+1].text)
			return exitNo, c.print(out.Bytes())
		}
		var states []int
		for _, w := range ways {
			states = append(states, w.state)
		}
		slices.Sort(states)
		states = slices.Compact(states)
		fmt.Fprintf(&out, "    allowed%s\n", statesText(i, states))
		printSeen(&out, i, a.From, a.Call)
		printGuards(&out, i, guards)
		if len(states) == 1 && len(ways[0].registers) > 0 {
			fmt.Fprintf(&out, "    remembered: %s\n", registersText(ways[0].registers))
		}
		if len(states) > 1 {
			// The next state is not known: say which outcomes decide it.
			for _, state := range states {
				step := s.step
				step.Outcome = s.wayText(i, ways, state)
				fmt.Fprintf(&out, "    %s leads to state %d\n", stepText(i, step), state)
			}
			if n < len(calls)-1 {
				fmt.Fprintf(&out, "%2d  %s\n    could not tell: say which outcome call %d had\n", n+2, calls[n+1].text, n+1)
				return exitUndecided, c.print(out.Bytes())
			}
		}
		s.step.Outcome = ways[0].outcome
		word = append(word, s.step)
	}
	return exitDone, c.print(out.Bytes())
}

// printSeen tells what runs have shown of a cell, and the word that shows it again.
func printSeen(w io.Writer, i *typestate.Interface, state int, call string) {
	seen, ok := i.SeenIn(state, call)
	if !ok {
		return
	}
	what := "it erred in none of them"
	switch {
	case seen.Erred == seen.Words:
		what = "it erred in all of them"
	case seen.Erred > 0:
		what = fmt.Sprintf("it erred in %d of them", seen.Erred)
	}
	fmt.Fprintf(w, "    seen, not proved: %s made the call here, and %s\n", count(seen.Words, "word"), what)
	fmt.Fprintf(w, "    a shortest word, to be run again in this order:\n")
	for _, line := range seen.Word {
		fmt.Fprintf(w, "        %s\n", line)
	}
	fmt.Fprintf(w, "      the last call %s\n", seen.Did)
}

// A storedCall is a call as it was written, matched with an interface.
type storedCall struct {
	text        string
	constructor bool
	step        typestate.Step
	outcome     string   // as written
	outcomes    []string // of the call, those that agree with what was written
}

// A way is an outcome and the state it leads to.
type way struct {
	outcome   string
	state     int
	registers map[string]string
}

// wayText names the outcomes that lead to a state.
func (s storedCall) wayText(i *typestate.Interface, ways []way, state int) string {
	var set, possible []string
	for _, w := range ways {
		possible = append(possible, w.outcome)
		if w.state == state {
			set = append(set, w.outcome)
		}
	}
	call := typestate.Call{Outcomes: s.outcomes}
	for _, k := range i.Calls {
		if !s.constructor && k.Method == s.step.Call {
			call = k
		}
	}
	return render.OutcomeText(call, set, possible)
}

func registersText(values map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, name+" = "+values[name])
	}
	return strings.Join(parts, ", ")
}

// follow makes the call after a word. The answer says what became of it; an
// allowed call has the ways it can go on.
func (s storedCall) follow(i *typestate.Interface, word []typestate.Step) (typestate.Answer, []way) {
	var ways []way
	var last typestate.Answer
	for _, o := range s.outcomes {
		step := s.step
		step.Outcome = o
		last = i.Accepts(append(slices.Clone(word), step))
		switch last.Kind {
		case typestate.StepImpossible:
		case typestate.StepNext:
			if last.State >= 0 {
				ways = append(ways, way{o, last.State, last.Registers})
			}
		default:
			return last, nil // the verdict, whatever the outcome
		}
	}
	return last, ways
}

// printGuards shows both sides of guards: a concrete call for each, and its verdict.
func printGuards(w *bytes.Buffer, i *typestate.Interface, list []typestate.Example) {
	for _, e := range list {
		verdict := "is " + e.Verdict.String()
		if e.Verdict.Forbidden() {
			verdict = strings.ReplaceAll(e.Verdict.String(), "-", " ")
		}
		guard := e.Guard
		if i.Component.Language == "go" {
			guard = render.GoText(guard)
		}
		fmt.Fprintf(w, "      %s, where %s, %s\n", stepText(i, e.Step), guard, verdict)
	}
}

func printForbidden(w *bytes.Buffer, i *typestate.Interface, a typestate.Answer, guards []typestate.Example) {
	var sites []typestate.ErrorSite
	var witness []typestate.Step
	if f := a.Forbidden; f != nil {
		sites, witness = f.Errors, f.Witness
	}
	for _, k := range i.Constructors {
		if a.From < 0 && k.ID == a.Call {
			sites, witness = k.Errors, k.Witness
		}
	}
	var parts []string
	serial := len(sites) > 0
	for _, s := range sites {
		text := fmt.Sprintf("%q", s.Message)
		if s.Message == "" {
			text = s.Kind
		}
		if s.At != "" {
			text += " (" + s.At + ")"
		}
		parts = append(parts, text)
		serial = serial && s.Kind == "dead-end"
	}
	verdict := a.Verdict.String()
	if serial {
		verdict = "-serial"
	}
	fmt.Fprintf(w, "    forbidden (%s)", verdict)
	if len(parts) > 0 {
		fmt.Fprintf(w, ": %s", strings.Join(parts, "; "))
	}
	fmt.Fprintln(w)
	printGuards(w, i, guards)
	if len(witness) == 0 {
		return
	}
	parts = nil
	for _, s := range witness {
		if s.Outcome == "return" {
			s.Outcome = "" // it says nothing
		}
		parts = append(parts, quote(stepText(i, s)))
		for _, action := range s.Hidden {
			parts = append(parts, "("+action+")")
		}
	}
	title := "a word that errs"
	if serial {
		title = "a word that cannot go on"
	}
	fmt.Fprintf(w, "\n%s, from the interface file:\n  %s\n", title, strings.Join(parts, " "))
}

// parseStored reads NAME(ARGS)=OUTCOME against the calls of an interface.
func parseStored(i *typestate.Interface, text string) (storedCall, error) {
	text = strings.TrimSpace(text)
	s := storedCall{text: text, step: typestate.Step{Args: map[string]string{}}}
	var methods, constructors, params, types, guards []string
	// The longest name that fits, because a name may hold any character.
	rest := ""
	consider := func(constructor bool, method string, ps, ts []string) {
		list := &methods
		if constructor {
			list = &constructors
		}
		if !slices.Contains(*list, method) {
			*list = append(*list, method)
		}
		after, ok := strings.CutPrefix(text, method)
		after = strings.TrimSpace(after)
		if ok && (after == "" || after[0] == '(' || after[0] == '=') && len(method) > len(s.step.Call) {
			s.step.Call, s.constructor, rest, params, types = method, constructor, after, ps, ts
		}
	}
	for _, k := range i.Constructors {
		consider(true, k.Method, k.Params, k.Types)
	}
	for _, k := range i.Calls {
		consider(false, k.Method, k.Params, k.Types)
	}
	if s.step.Call == "" {
		return s, fmt.Errorf("expected a method (%s) or a constructor (%s)", strings.Join(methods, ", "), strings.Join(constructors, ", "))
	}
	var outcomes []string
	var results, returns []typestate.Register
	for _, k := range i.Constructors {
		if s.constructor && k.Method == s.step.Call {
			guards, results = append(guards, k.Guard), k.Results
			if k.Outcome != "" && !slices.Contains(outcomes, k.Outcome) {
				outcomes = append(outcomes, k.Outcome)
			}
		}
	}
	for _, k := range i.Calls {
		if !s.constructor && k.Method == s.step.Call {
			guards, outcomes, results, returns = append(guards, k.Guard), k.Outcomes, k.Results, k.Returns
		}
	}
	signature := signatureText(s.step.Call, params, types)
	if args, after, ok := parenthesized(rest); ok {
		if len(args) != len(params) {
			return s, fmt.Errorf("too %s arguments; expected %s", map[bool]string{true: "few", false: "many"}[len(args) < len(params)], signature)
		}
		for k, p := range params {
			s.step.Args[p] = args[k]
		}
		rest = strings.TrimSpace(after)
	} else if strings.HasPrefix(rest, "(") {
		return s, fmt.Errorf("expected \")\" after the arguments of %s", signature)
	} else if slices.ContainsFunc(guards, func(g string) bool { return g != "true" }) {
		return s, fmt.Errorf("it needs arguments: %s", signature)
	}
	outcome, said := strings.CutPrefix(rest, "=")
	if rest != "" && !said {
		return s, fmt.Errorf("expected (arguments), =outcome or the end of the call, found %q", rest)
	}
	s.outcome = strings.TrimSpace(outcome)
	if s.outcome == "*" || s.outcome == "return" {
		s.outcome = ""
	}
	if said && strings.TrimSpace(outcome) == "" {
		return s, fmt.Errorf("expected an outcome after =")
	}
	if len(outcomes) == 0 {
		outcomes = []string{""} // a constructor that never returns
	}
	call := typestate.Call{Outcomes: outcomes, Returns: returns}
	var err error
	if s.outcome, err = render.ReadOutcome(call, s.outcome); err != nil {
		return s, err
	}
	// Values of results that registers may remember.
	if parts := tuple(s.outcome); len(parts) == len(results) {
		for k, part := range parts {
			if part != "_" && part != "" {
				if s.step.Results == nil {
					s.step.Results = map[string]string{}
				}
				s.step.Results[results[k].Name] = part
			}
		}
	}
	for _, o := range outcomes {
		if s.outcome == "" || outcomeFits(o, s.outcome) || o == "return" && s.step.Results != nil {
			s.outcomes = append(s.outcomes, o)
		}
	}
	if len(s.outcomes) == 0 {
		return s, fmt.Errorf("%s has no such outcome; expected %s", s.step.Call, alternatives(slices.Concat(render.OutcomeWords(call), outcomes)))
	}
	return s, nil
}

// onlyConstructor is the call that a word begins with if it does not say one.
func onlyConstructor(i *typestate.Interface) (storedCall, error) {
	var signatures []string
	for _, k := range i.Constructors {
		if s := signatureText(k.Method, k.Params, k.Types); !slices.Contains(signatures, s) {
			signatures = append(signatures, s)
		}
	}
	// Arguments that decide nothing and are not remembered need not be given.
	needs := slices.ContainsFunc(i.Constructors, func(k typestate.Constructor) bool { return k.Guard != "true" || len(k.Update) > 0 })
	if len(signatures) != 1 || len(i.Constructors[0].Params) > 0 && needs {
		return storedCall{}, usagef("the word must start with a constructor: %s", alternatives(signatures))
	}
	return parseStored(i, i.Constructors[0].Method)
}

func signatureText(name string, params, types []string) string {
	var parts []string
	for k, p := range params {
		if k < len(types) {
			p += " " + types[k]
		}
		parts = append(parts, p)
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// parenthesized splits "(a, b)rest" into its parts; ok is false if the text
// does not begin with a parenthesis that is closed.
func parenthesized(text string) (parts []string, rest string, ok bool) {
	if !strings.HasPrefix(text, "(") {
		return nil, text, false
	}
	depth, from := 0, 1
	for k, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 || depth == 1 && r == ',' {
			parts = append(parts, strings.TrimSpace(text[from:k]))
			from = k + 1
		}
		if depth == 0 {
			if len(parts) == 1 && parts[0] == "" {
				parts = nil
			}
			return parts, text[k+1:], true
		}
	}
	return nil, text, false
}

// tuple splits an outcome of several results; any other is its only part.
func tuple(outcome string) []string {
	if parts, rest, ok := parenthesized(outcome); ok && rest == "" {
		return parts
	}
	return []string{outcome}
}

// outcomeFits reports whether an outcome as written can be the outcome of an
// interface: each result is the same, is not said, or is a value of the class.
func outcomeFits(outcome, written string) bool {
	if outcome == "*" || outcome == written {
		return true
	}
	want, have := tuple(outcome), tuple(written)
	if len(want) != len(have) {
		return false
	}
	for k := range want {
		if want[k] != have[k] && want[k] != "_" && have[k] != "_" && !inClass(want[k], have[k]) {
			return false
		}
	}
	return true
}

// inClass reports whether a number satisfies a condition such as n >= 1. An
// interface answers: one whose constructor has the condition as its guard.
func inClass(condition, value string) bool {
	e, err := parser.ParseExpr(condition)
	if err != nil {
		return false
	}
	name := ""
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	for _, t := range []string{"int64", "uint64"} {
		i := &typestate.Interface{
			States: []typestate.State{{}},
			Constructors: []typestate.Constructor{{ID: "c", Method: "c", Params: []string{name}, Types: []string{t},
				Guard: condition, Outcome: "*", State: new(int), Verdict: typestate.VerdictAllowed.String()}},
		}
		a := i.Accepts([]typestate.Step{{Call: "c", Args: map[string]string{name: value}}})
		if name != "" && a.Kind == typestate.StepNext {
			return true
		}
	}
	return false
}
