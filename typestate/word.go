// SPDX-License-Identifier: Apache-2.0

package typestate

// This file runs concrete words: calls with arguments and observed outcomes.
// It never guesses: where the call, the outcome or the constructor cannot be
// told from the word, the answer says so.

import (
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"slices"
)

// An Answer is what an interface says about a word. The embedded result is
// that of the step which decided: StepNext if every step of the word is
// allowed, and State is then where the word ends.
type Answer struct {
	Result
	Pos  int    // index of the deciding step; the length of the word for StepNext
	From int    // the state in which it was made; -1 before the constructor
	Call string // the id of its call or constructor, "" if it could not be chosen
	// Registers are the values of the registers of State, by name, where they
	// are known.
	Registers map[string]string

	several bool // other calls are possible too and say the same
}

// Accepts runs a word. A step names a method or constructor and gives
// arguments by parameter name; the call is the one whose guard holds for them.
// Arguments that make no difference may be left out. Where a guard mentions a
// register that the state does not have, all calls that the guards leave
// possible must agree, or the answer is unknown.
//
// The word may begin with a constructor. If it does not, it starts where the
// constructors lead, if they all lead to the same state. The outcome of the
// last step may be left out: then only its verdict counts, and State is -1
// unless every outcome leads to the same state. Elsewhere an outcome may be
// left out if it makes no difference.
//
// The deciding step is the first that is forbidden, cannot happen, or cannot
// be judged. A step whose verdict is unknown but whose outcome was observed
// does not end the word, because a forbidden call after it is forbidden all the
// same; it decides, as the first of its kind, if nothing later does.
func (i *Interface) Accepts(word []Step) Answer {
	return newIndex(i).accepts(word)
}

// An index finds the parts of an interface without scanning its lists. It is
// only as good as the interface was when it was made, which must be valid as
// far as layout checks.
type index struct {
	*Interface
	calls     map[string][]int // indices of the calls of a method
	call      map[string]int
	edges     map[cell][]Edge
	forbidden map[cell]*Forbidden
	unknown   map[cell]*Unknown
	unmade    map[cell]bool // calls that cannot be made
	guards    map[string]parsed
	registers map[string]string // type of each register of any state
	choices   map[string][]Call // calls of a method
	chosen    map[string]choice // by method and values; see evaluate
	evaluated int               // guards
}

// A choice is which calls of a method values select: indices, or why none is, and why there may be several.
type choice struct {
	calls  []int
	reason string
}

type parsed struct {
	expr ast.Expr
	err  error
}

func newIndex(i *Interface) *index {
	x := &index{
		Interface: i,
		calls:     map[string][]int{},
		call:      map[string]int{},
		edges:     map[cell][]Edge{},
		forbidden: map[cell]*Forbidden{},
		unknown:   map[cell]*Unknown{},
		unmade:    map[cell]bool{},
		guards:    map[string]parsed{},
		registers: map[string]string{},
		choices:   map[string][]Call{},
		chosen:    map[string]choice{},
	}
	for _, st := range i.States {
		for _, r := range st.Registers {
			x.registers[r.Name] = r.Type
		}
	}
	for k, c := range i.Calls {
		x.calls[c.Method] = append(x.calls[c.Method], k)
		x.call[c.ID] = k
	}
	// A reference to a call that does not exist is left out: a cell for it can
	// never be asked for.
	for _, e := range i.Edges {
		if c, ok := x.call[e.Call]; ok {
			x.edges[cell{e.From, c}] = append(x.edges[cell{e.From, c}], e)
		}
	}
	for k := range i.Forbidden {
		f := &i.Forbidden[k]
		if c, ok := x.call[f.Call]; ok {
			x.forbidden[cell{f.State, c}] = f
		}
	}
	for k := range i.Unknown {
		u := &i.Unknown[k]
		if c, ok := x.call[u.Call]; ok {
			x.unknown[cell{u.State, c}] = u
		}
	}
	for _, m := range i.Impossible {
		if c, ok := x.call[m.Call]; ok {
			x.unmade[cell{m.State, c}] = true
		}
	}
	return x
}

// result is the part of a result that does not depend on the outcome.
func (x *index) result(at cell) Result {
	if at.state < 0 || at.state >= len(x.States) {
		return invalid("no state %d", at.state)
	}
	if f := x.forbidden[at]; f != nil {
		return forbidden(f)
	}
	if u := x.unknown[at]; u != nil {
		return undecided(u)
	}
	if x.unmade[at] {
		return unmade(at.state, x.Calls[at.call].ID)
	}
	return Result{State: -1, Verdict: VerdictAllowed}
}

// made leaves out the calls that cannot be made in a state, unless none can.
func (x *index) made(state int, calls []int) []int {
	can := slices.DeleteFunc(slices.Clone(calls), func(k int) bool { return x.unmade[cell{state, k}] })
	if len(can) == 0 {
		return calls
	}
	return can
}

func (x *index) step(at cell, outcome string) Result {
	return follow(x.result(at), &x.Calls[at.call], x.edges[at], outcome)
}

func (x *index) parse(text string) (ast.Expr, error) {
	p, ok := x.guards[text]
	if !ok {
		p.expr, p.err = parseGuard(text)
		x.guards[text] = p
	}
	return p.expr, p.err
}

// A config is where a word has led: a state and the values of its registers.
// A register without a value was given one that could not be evaluated.
type config struct {
	state     int
	registers map[string]value
}

// texts returns the values of the registers.
func (c config) texts() map[string]string {
	var out map[string]string
	for name, v := range c.registers {
		if out == nil {
			out = map[string]string{}
		}
		out[name] = v.text()
	}
	return out
}

func (x *index) accepts(word []Step) Answer {
	at, a, done := x.begin(word)
	if done {
		return a
	}
	var open *Answer // the first step of unknown verdict
	for pos := a.Pos; pos < len(word); pos++ {
		step := word[pos]
		a = Answer{Pos: pos, From: at.state}
		calls, scope, r := x.choose(at, step)
		if r.Kind == StepNext {
			calls = x.made(at.state, calls)
			a.Call = x.Calls[calls[0]].ID
			var results []Result
			for _, call := range calls {
				results = append(results, x.step(cell{at.state, call}, step.Outcome))
			}
			if a.Result, r.Kind = alike(results, r.Reason); r.Kind != StepNext {
				a.Call = ""
			}
			a.several = len(calls) > 1
		} else {
			a.Result = r
		}
		if r.Kind != StepNext {
			if open != nil && a.Kind == StepUnknown {
				return *open
			}
			return a
		}
		last := pos == len(word)-1
		if a.Kind == StepAmbiguous && last {
			a.Kind, a.Reason = StepNext, ""
		}
		if a.Kind == StepImpossible && last && step.Outcome == "" && !x.unmade[cell{a.From, x.call[a.Call]}] {
			// The call is made and does not come back: no rule is broken.
			a.Kind, a.Reason = StepNext, ""
		}
		switch a.Kind {
		case StepNext:
		case StepUnknown:
			if open == nil {
				o := a
				open = &o
			}
			if a.State < 0 {
				return *open
			}
		default:
			return a
		}
		if a.State >= 0 {
			at = x.move(at, a.Result, scope)
			a.Registers = at.texts()
		}
	}
	if open != nil {
		return *open
	}
	a.Pos = len(word)
	return a
}

// begin finds where a word starts. If it is done, the answer is final;
// otherwise Pos is 1 if the first step was a constructor and 0 if not.
func (x *index) begin(word []Step) (config, Answer, bool) {
	if len(word) > 0 {
		var ids []string
		for _, c := range x.Constructors {
			if c.Method == word[0].Call && !slices.Contains(ids, c.ID) {
				ids = append(ids, c.ID)
			}
		}
		if len(ids) > 0 {
			return x.construct(ids, word)
		}
	}
	none := config{state: -1}
	a := Answer{From: -1}
	if len(word) > 0 && len(x.calls[word[0].Call]) == 0 {
		a.Result = invalid("no method or constructor %q", word[0].Call)
		return none, a, true
	}
	a.Result = Result{State: -1, Reason: "no constructor returns"}
	var begin *Edge
	for _, c := range x.Constructors {
		if c.State == nil {
			continue
		}
		e := &Edge{To: *c.State, Update: c.Update}
		if begin != nil && !sameTarget(begin, e) {
			a.Result = Result{Kind: StepAmbiguous, State: -1,
				Reason: "the constructors lead to different states: begin the word with one"}
			return none, a, true
		}
		begin = e
		a.Result = Result{Kind: StepNext, State: e.To, Verdict: VerdictAllowed, Update: c.Update}
		a.Call = c.ID
	}
	if begin == nil {
		a.Kind = StepImpossible
		return none, a, true
	}
	// Without the arguments and results of the constructor its registers have no
	// values, unless they are constants.
	s := newScope()
	for _, c := range x.Constructors {
		for _, p := range c.Params {
			s.types[p] = "" // only that it has no value matters
		}
		for _, r := range c.Results {
			s.types[r.Name] = r.Type
		}
	}
	return x.move(config{state: -1}, a.Result, s), a, false
}

// construct makes the first step, a call of the constructor whose calls have
// the given ids.
func (x *index) construct(ids []string, word []Step) (config, Answer, bool) {
	none := config{state: -1}
	step := word[0]
	byID := map[string][]Constructor{}
	for _, c := range x.Constructors {
		byID[c.ID] = append(byID[c.ID], c)
	}
	var choices []Call
	for _, id := range ids {
		c := byID[id][0]
		choices = append(choices, Call{ID: id, Method: c.Method, Params: c.Params, Types: c.Types, Guard: c.Guard, Results: c.Results})
	}
	a := Answer{From: -1}
	ks, scope, r := x.chooseAmong("constructor", choices, none, step)
	if r.Kind == StepNext {
		a.Call = ids[ks[0]]
		var results []Result
		for _, k := range ks {
			results = append(results, start(byID[ids[k]], step.Outcome))
		}
		if a.Result, r.Kind = alike(results, r.Reason); r.Kind != StepNext {
			a.Call = ""
		}
	} else {
		a.Result = r
	}
	if r.Kind != StepNext {
		return none, a, true
	}
	last := len(word) == 1
	if last && (a.Kind == StepAmbiguous || a.Kind == StepImpossible && step.Outcome == "") {
		a.Kind, a.Reason = StepNext, ""
	}
	if a.Kind != StepNext || a.State < 0 {
		if a.Kind == StepNext {
			a.Pos = 1
		}
		return none, a, true
	}
	a.Pos = 1
	to := x.move(none, a.Result, scope)
	a.Registers = to.texts()
	return to, a, false
}

// choose finds the call that a step makes. It is found if the kind of the
// result is StepNext; otherwise the result says why not. There are several
// calls if the guards depend on a value that is not given: an argument that was
// left out, or a register that the state does not have.
func (x *index) choose(at config, step Step) ([]int, *scope, Result) {
	of := x.calls[step.Call]
	if len(of) == 0 {
		return nil, nil, invalid("no method %q", step.Call)
	}
	choices := x.choices[step.Call]
	if choices == nil {
		for _, c := range of {
			choices = append(choices, x.Calls[c])
		}
		x.choices[step.Call] = choices
	}
	chosen, scope, r := x.chooseAmong("call", choices, at, step)
	var calls []int
	for _, k := range chosen {
		calls = append(calls, of[k])
	}
	return calls, scope, r
}

// chooseAmong finds the calls of one method, or constructor, whose guards may hold. The kind tells lists of
// choices apart that methods of one name have.
func (x *index) chooseAmong(kind string, choices []Call, at config, step Step) ([]int, *scope, Result) {
	s, err := x.scope(choices[0], at, step)
	if err != nil {
		return nil, nil, invalid("%s: %v", step.Call, err)
	}
	// Guards see the types of the method, which are the same for all its calls, and values.
	key := fmt.Sprintf("%s %q", kind, step.Call)
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		v := s.values[name]
		key += fmt.Sprintf(" %q %q %t %t %q", name, v.typ.name, v.constant, v.isBool(), v.text())
	}
	c, known := x.chosen[key]
	if !known {
		c = x.evaluate(s, choices)
		x.chosen[key] = c
	}
	switch {
	case c.calls == nil && c.reason != "":
		return nil, nil, Result{State: -1, Reason: c.reason}
	case c.calls == nil:
		return nil, nil, Result{State: -1, Reason: fmt.Sprintf("no guard of %s holds", step.Call)}
	}
	// Results are for updates only: they are not known when the call is made.
	if err := x.observe(s, choices[c.calls[0]], step); err != nil {
		return nil, nil, invalid("%s: %v", step.Call, err)
	}
	return c.calls, s, Result{Kind: StepNext, Reason: c.reason}
}

// evaluate finds which guards may hold. Every guard
// must be evaluated, even after one was found to hold: if two hold, the calls
// are no partition and neither can be trusted.
func (x *index) evaluate(s *scope, choices []Call) choice {
	var found choice
	holding := -1
	for k, c := range choices {
		e, err := x.parse(c.Guard)
		if err != nil {
			return choice{reason: fmt.Sprintf("guard of %s: %v", c.ID, err)}
		}
		x.evaluated++
		holds, err := s.holds(e)
		var missing *notGiven
		switch {
		case errors.As(err, &missing):
			found.calls = append(found.calls, k)
			if found.reason == "" {
				found.reason = fmt.Sprintf("guard %s of %s: %v", c.Guard, c.ID, err)
			}
		case err != nil:
			return choice{reason: fmt.Sprintf("guard %s of %s: %v", c.Guard, c.ID, err)}
		case holds && holding >= 0:
			return choice{reason: fmt.Sprintf("guards of %s and %s both hold", choices[holding].ID, c.ID)}
		case holds:
			holding = k
			found.calls = append(found.calls, k)
		}
	}
	return found
}

// observe gives the results of a step their values.
func (x *index) observe(s *scope, c Call, step Step) error {
	for _, r := range c.Results {
		s.types[r.Name] = r.Type
		delete(s.values, r.Name) // a result hides a register
	}
	for _, name := range slices.Sorted(maps.Keys(step.Results)) {
		k := slices.IndexFunc(c.Results, func(r Register) bool { return r.Name == name })
		if k < 0 {
			return fmt.Errorf("no result %q", name)
		}
		v, err := parseValue(step.Results[name], c.Results[k].Type)
		if err != nil {
			return fmt.Errorf("result %s: %w", name, err)
		}
		s.values[name] = v
	}
	return nil
}

// alike returns what all results say, if they agree. Otherwise the kind is not
// StepNext and the result is unknown for the given reason.
func alike(results []Result, reason string) (Result, StepKind) {
	first := results[0]
	for _, r := range results[1:] {
		if r.Kind != first.Kind || r.State != first.State || !maps.Equal(r.Update, first.Update) || r.Verdict.Forbidden() != first.Verdict.Forbidden() {
			return Result{State: -1, Reason: reason}, StepUnknown
		}
		if r.Verdict == VerdictMayFail {
			first = r
		}
	}
	return first, StepNext
}

// scope gives the registers of a configuration and the arguments of a step
// their values.
func (x *index) scope(c Call, at config, step Step) (*scope, error) {
	s := newScope()
	// All registers are names of values, also those that the state does not
	// have: they must not be taken for values of an enum.
	maps.Copy(s.types, x.registers)
	maps.Copy(s.values, at.registers)
	for k, p := range c.Params {
		if k < len(c.Types) {
			s.types[p] = c.Types[k]
		}
		delete(s.values, p) // a parameter hides a register
	}
	for _, name := range slices.Sorted(maps.Keys(step.Args)) {
		k := slices.Index(c.Params, name)
		if k < 0 || k >= len(c.Types) {
			return nil, fmt.Errorf("no parameter %q", name)
		}
		v, err := parseValue(step.Args[name], c.Types[k])
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", name, err)
		}
		s.values[name] = v
	}
	return s, nil
}

// move returns the configuration after a step.
func (x *index) move(at config, r Result, s *scope) config {
	to := config{state: r.State}
	if r.State < 0 || r.State >= len(x.States) {
		return to
	}
	for _, reg := range x.States[r.State].Registers {
		v, ok := at.registers[reg.Name]
		if text, updated := r.Update[reg.Name]; updated {
			v, ok = x.register(text, reg.Type, s)
		}
		if ok {
			if to.registers == nil {
				to.registers = map[string]value{}
			}
			to.registers[reg.Name] = v
		}
	}
	return to
}

// register evaluates an update.
func (x *index) register(text, typeName string, s *scope) (value, bool) {
	e, err := x.parse(text)
	if err != nil {
		return value{}, false
	}
	v, err := s.eval(e)
	if err != nil {
		return value{}, false
	}
	if v.typ.name != "" && v.typ.name != typeName {
		return value{}, false
	}
	v, err = parseValue(v.text(), typeName)
	return v, err == nil
}
