// SPDX-License-Identifier: Apache-2.0

package cert

// This file judges an interface without a certificate, by enumeration. It needs no
// evidence: where there are few enough states, arguments and runs, it follows all
// of them, in two passes.
//
// The first pass follows pairs of an interface state and a component state that are
// current together after some word. That decides safety, which outcomes can happen, and
// that a call which fails never returns. It decides that a call is forbidden where it
// errs from every component state of the interface state, for all arguments.
//
// The second pass is for what is left: forbidden calls that err from some of the states
// that may be current, and edges that can be taken from some. It follows pairs of an
// interface state and the SET of component states that are current after a word. (To leave
// out sets that contain one that was followed already would be wrong: more words can
// happen from them.)
//
// All of a word is concrete: the arguments, and the results that the client sees.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// DefaultSteps bounds an enumeration if the options do not say: steps of runs, values
// tried, pairs followed. There are some millions in a second.
const DefaultSteps = 1 << 24

// Enumerate judges the interface of a component by enumeration. What is not decided
// within the budget, or is not of this kind, is one obligation with the reason.
func Enumerate(ctx context.Context, p *prog.Program, i *typestate.Interface, steps int64) (*Report, error) {
	if steps == 0 {
		steps = DefaultSteps
	}
	c := &checker{prog: p, pool: p.Pool, iface: i, report: &Report{pool: p.Pool}, codes: map[*prog.Method]*code{}, assumed: p.Pool.True(), promised: p.Pool.True()}
	e := &enumerator{checker: c}
	err := e.run(ctx, steps)
	var large *tooLargeError
	if errors.As(err, &large) {
		e.say("enumeration", "enumeration", "all runs are followed", Unknown, large.what)
		err = nil
	}
	return c.report, err
}

// An enumerator judges by enumeration. Interface states are numbered from 1; 0 is the
// object before construction.
type enumerator struct {
	*checker
	m        *machine
	cells    [][]*enumCell          // by state and callee
	guarded  map[*callee][]uint64   // bits: the argument tuples that satisfy the guard
	calleeOf map[*routine][]*callee // by argument tuple
	members  [][]int32              // by state: component states that may be current
	tight    bool                   // the file claims it
}

// An enumCell is a call in a state.
type enumCell struct {
	state   int
	callee  *callee
	verdict typestate.Verdict
	ways    []enumWay
	returns bool      // some run returns
	weak    bool      // it does not err from some component state, for some argument
	wrong   [2]string // why it is refuted, by pass; "" if it is not
}

type enumWay struct {
	outcome string
	to      int
	weak    bool   // it cannot be taken from some component state
	wrong   string // why it is not tight
}

func (e *enumerator) say(kind, name, what string, v Verdict, detail string) {
	e.report.Obligations = append(e.report.Obligations, Obligation{Kind: kind, Name: name, What: what, Verdict: v, Detail: detail})
}

func (e *enumerator) run(ctx context.Context, steps int64) error {
	if ok, err := e.readClaims(); !ok || err != nil {
		return err
	}
	var demanded []*term.Term
	for _, k := range slices.Concat(e.calls[0], e.calls[1]) {
		vars := term.FreeVars(k.guard)
		for j, v := range k.method.Params {
			if slices.Contains(vars, k.code.args[j]) {
				demanded = append(demanded, v.Term)
			}
		}
	}
	m, err := newMachine(e.prog, demanded, steps)
	if err != nil {
		return err
	}
	e.m = m
	if ok, err := e.partition(); !ok || err != nil {
		return err
	}
	e.makeCells()
	if err := e.pairs(ctx); err != nil {
		return err
	}
	if e.open() {
		if err := e.sets(ctx); err != nil {
			return err
		}
	}
	e.conclude()
	return nil
}

// readClaims reads what the interface says. ok is false if it is not of this
// component, or of a kind that is not enumerated.
func (e *enumerator) readClaims() (ok bool, err error) {
	i, hash := e.iface, e.prog.Hash()
	fine := func(good bool, name, what string, bad Verdict, detail string) bool {
		if good {
			bad, detail = Proved, ""
		}
		e.say("form", "form "+name, what, bad, detail)
		return good
	}
	registers := slices.ContainsFunc(i.States, func(s typestate.State) bool { return len(s.Registers) > 0 })
	if !fine(i.Component.Program == hash, "program", fmt.Sprintf("the interface is of this component (program hash %s)", hash), Refuted, "it is not so") ||
		!fine(!i.Component.Serial, "serial", "the interface is of the finite-word reading", Unknown, "in the infinite-word reading (-serial) calls are forbidden that do not err") ||
		!fine(len(i.Conventions) == 0, "conventions", "no convention is assumed", Unknown, "what a convention assumes is not enumerated") ||
		!fine(!registers, "registers", "states remember nothing", Unknown, "states with registers are not enumerated") {
		return false, nil
	}
	problem := e.readReferences()
	if problem == nil {
		problem = e.readCalls()
	}
	detail := ""
	if problem != nil {
		detail = problem.Error()
	}
	e.tight = i.Guarantees.Tight == typestate.TightYes
	return fine(problem == nil, "calls", "the calls are those of the component", Refuted, detail), nil
}

// readReferences checks the references of the core.
func (e *enumerator) readReferences() error {
	i := e.iface
	calls := map[string]bool{}
	for _, c := range i.Calls {
		calls[c.ID] = true
	}
	at := func(what string, state int, call string) error {
		if state < 0 || state >= len(i.States) || !calls[call] {
			return fmt.Errorf("%s: no call %s in a state %d", what, call, state)
		}
		return nil
	}
	var errs []error
	for _, x := range i.Edges {
		errs = append(errs, at("edge", x.From, x.Call), at("edge", x.To, x.Call))
	}
	for _, f := range i.Forbidden {
		errs = append(errs, at("forbidden", f.State, f.Call))
		if f.To != nil {
			errs = append(errs, fmt.Errorf("forbidden %s in state %d leads somewhere", f.Call, f.State))
		}
	}
	for _, u := range i.Unknown {
		errs = append(errs, at("unknown", u.State, u.Call))
	}
	for _, k := range i.Constructors {
		if k.State != nil && (*k.State < 0 || *k.State >= len(i.States)) {
			errs = append(errs, fmt.Errorf("constructor %s leads to state %d", k.ID, *k.State))
		}
	}
	for k, s := range i.States {
		if s.ID != k {
			errs = append(errs, fmt.Errorf("state %d has id %d", k, s.ID))
		}
	}
	return errors.Join(errs...)
}

// partition says which call an argument tuple belongs to: exactly one.
func (e *enumerator) partition() (ok bool, err error) {
	e.guarded, e.calleeOf = map[*callee][]uint64{}, map[*routine][]*callee{}
	for _, method := range slices.Concat(e.prog.Constructors, e.prog.Methods) {
		r := e.m.methods[method]
		var list []*callee
		for _, k := range slices.Concat(e.calls[1], e.calls[0]) {
			if k.method == method {
				list = append(list, k)
				e.guarded[k] = make([]uint64, (len(r.args)+63)/64)
			}
		}
		of := make([]*callee, len(r.args))
		verdict, detail := Proved, ""
		for at, args := range r.args {
			if e.m.steps -= int64(len(list)); e.m.steps < 0 {
				return false, errSteps
			}
			n := 0
			for _, k := range list {
				model := term.Model{}
				for j := range args {
					model[k.code.args[j]] = term.Value{Lo: args[j]}
				}
				if term.Holds(k.guard, model) {
					of[at] = k
					e.guarded[k][at/64] |= 1 << (at % 64)
					n++
				}
			}
			if n != 1 && verdict == Proved {
				verdict, detail = Refuted, fmt.Sprintf("%d guards hold for %s", n, r.call(at))
			}
		}
		e.calleeOf[r] = of
		for _, k := range list {
			if verdict == Proved && !slices.ContainsFunc(e.guarded[k], func(w uint64) bool { return w != 0 }) {
				verdict, detail = Refuted, "no arguments satisfy the guard of "+k.id
			}
		}
		e.say("guards", "guards "+method.Name, "the guards of "+method.Name+" partition its arguments", verdict, detail)
		if verdict != Proved {
			return false, nil
		}
	}
	return true, nil
}

// call writes a call with the arguments of a tuple.
func (r *routine) call(at int) string {
	text := r.method.Name + "("
	for k, v := range r.method.Params {
		if k > 0 {
			text += ", "
		}
		if r.params[k] < 0 {
			text += "_"
		} else {
			text += v.Type.FormatValue(term.Value{Lo: r.args[at][k]})
		}
	}
	return text + ")"
}

// from writes a component state.
func (e *enumerator) from(q int32) string {
	text := ""
	for k, v := range e.m.state {
		if k > 0 {
			text += ", "
		}
		text += v.Name + " = " + v.Type.FormatValue(term.Value{Lo: e.m.states[q][k]})
	}
	return text
}

// makeCells indexes what the interface says.
func (e *enumerator) makeCells() {
	type key struct {
		state int
		call  string
	}
	verdicts := map[key]typestate.Verdict{}
	for _, f := range e.iface.Forbidden {
		v, _ := typestate.ParseVerdict(f.Verdict)
		verdicts[key{f.State, f.Call}] = v
	}
	unknown := map[key]bool{}
	for _, u := range e.iface.Unknown {
		unknown[key{u.State, u.Call}] = true
	}
	ways := map[key][]enumWay{}
	for _, x := range e.iface.Edges {
		at := key{x.From, x.Call}
		ways[at] = append(ways[at], enumWay{outcome: x.Outcome, to: x.To + 1})
	}
	e.cells = make([][]*enumCell, len(e.iface.States)+1)
	for _, k := range e.calls[1] {
		c := &enumCell{callee: k}
		c.verdict, _ = typestate.ParseVerdict(k.entries[0].Verdict)
		for _, x := range k.entries {
			if x.State != nil {
				c.ways = append(c.ways, enumWay{outcome: x.Outcome, to: *x.State + 1})
			}
		}
		e.cells[0] = append(e.cells[0], c)
	}
	for s := range e.iface.States {
		for _, k := range e.calls[0] {
			at := key{s, k.id}
			c := &enumCell{state: s + 1, callee: k, verdict: typestate.VerdictAllowed, ways: ways[at]}
			if v, ok := verdicts[at]; ok {
				c.verdict = v
			} else if unknown[at] {
				c.verdict = typestate.VerdictUnknown
			}
			e.cells[s+1] = append(e.cells[s+1], c)
		}
	}
}

// matches reports whether results belong to an outcome.
func (k *callee) matches(outcome string, l *letter) bool {
	if outcome == "*" {
		return true
	}
	if k.outcomes[outcome] == nil {
		return false // the call does not declare it
	}
	model := term.Model{}
	for j, v := range k.method.Results {
		model[v.Term] = term.Value{Lo: l.results[j]}
	}
	return term.Holds(k.outcomes[outcome], model)
}

// pairs is the first pass.
func (e *enumerator) pairs(ctx context.Context) error {
	seen := map[uint64]bool{}
	type pair struct {
		state int
		q     int32
	}
	var queue []pair
	e.members = make([][]int32, len(e.cells))
	add := func(s int, q int32) {
		if key := uint64(s)<<32 | uint64(uint32(q)); !seen[key] {
			seen[key] = true
			queue = append(queue, pair{s, q})
			e.members[s] = append(e.members[s], q)
		}
	}
	start, err := e.m.initial()
	if err != nil {
		return err
	}
	for _, q := range start {
		add(0, q)
	}
	routes := map[route][]int{}
	for k := 0; k < len(queue); k++ {
		at := queue[k]
		for _, c := range e.cells[at.state] {
			if e.m.steps--; e.m.steps < 0 {
				return errSteps
			}
			b, err := e.m.behaviour(ctx, e.m.methods[c.callee.method], at.q)
			if err != nil {
				return err
			}
			if err := e.pair(c, at.q, b, routes, add); err != nil {
				return err
			}
		}
	}
	return nil
}

// A route is what a client sees in a cell; it is kept where it leads.
type route struct {
	cell   *enumCell
	letter int32
}

// lead returns the ways of a cell to which a letter belongs.
func (e *enumerator) lead(c *enumCell, n int32, routes map[route][]int) []int {
	at := route{c, n}
	list, ok := routes[at]
	if !ok {
		for w := range c.ways {
			if c.callee.matches(c.ways[w].outcome, &e.m.letters[n]) {
				list = append(list, w)
			}
		}
		routes[at] = list
	}
	return list
}

// pair looks at a call from one component state.
func (e *enumerator) pair(c *enumCell, q int32, b *behaviour, routes map[route][]int, add func(s int, q int32)) error {
	refute := func(format string, args ...any) {
		if c.wrong[0] == "" {
			c.wrong[0] = fmt.Sprintf(format, args...)
		}
	}
	r, guarded := e.m.methods[c.callee.method], e.guarded[c.callee]
	for w, bits := range guarded {
		erring := b.errs[w] & bits
		if c.verdict == typestate.VerdictAllowed && erring != 0 {
			refute("%s errs from %s", r.call(first(w, erring)), e.from(q))
		}
		if erring != bits {
			c.weak = true
		}
	}
	taken := make([]bool, len(c.ways))
	for _, x := range b.returns {
		l := &e.m.letters[x.letter]
		if guarded[l.args/64]>>(l.args%64)&1 == 0 {
			continue
		}
		if e.m.steps--; e.m.steps < 0 {
			return errSteps
		}
		c.returns = true
		if c.verdict == typestate.VerdictFails {
			refute("%s returns from %s", r.call(int(l.args)), e.from(q))
		}
		if c.verdict.Forbidden() || c.state == 0 && c.verdict == typestate.VerdictUnknown {
			continue
		}
		list := e.lead(c, x.letter, routes)
		if len(list) != 1 {
			refute("%s returns from %s, for which there are %d edges", r.call(int(l.args)), e.from(q), len(list))
		}
		for _, w := range list {
			taken[w] = true
			add(c.ways[w].to, x.to)
		}
	}
	for w := range taken {
		c.ways[w].weak = c.ways[w].weak || !taken[w]
	}
	return nil
}

// first returns the number of the lowest bit of a word of a set.
func first(word int, bits uint64) int {
	n := word * 64
	for ; bits&1 == 0; bits >>= 1 {
		n++
	}
	return n
}

// open reports whether the first pass leaves something to decide.
func (e *enumerator) open() bool {
	for s, list := range e.cells {
		for _, c := range list {
			if len(e.members[s]) == 0 || c.wrong[0] != "" {
				continue
			}
			if c.verdict.Forbidden() && c.weak || e.tight && slices.ContainsFunc(c.ways, func(w enumWay) bool { return w.weak }) {
				return true
			}
		}
	}
	return false
}

// sets is the second pass.
func (e *enumerator) sets(ctx context.Context) error {
	type node struct {
		state int
		set   []int32
	}
	var queue []node
	known := make([]map[string]bool, len(e.cells))
	add := func(s int, set []int32) {
		var key []byte
		for _, q := range set {
			key = binary.AppendUvarint(key, uint64(q))
		}
		if known[s] == nil {
			known[s] = map[string]bool{}
		}
		if known[s][string(key)] {
			return
		}
		known[s][string(key)] = true
		queue = append(queue, node{s, set})
	}
	start := slices.Clone(e.members[0])
	slices.Sort(start)
	add(0, start)
	routes := map[route][]int{}
	for k := 0; k < len(queue); k++ {
		at := queue[k]
		for _, c := range e.cells[at.state] {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := e.set(ctx, c, at.set, routes, add); err != nil {
				return err
			}
		}
	}
	return nil
}

// set looks at a call after a word, when each state of a set is current.
func (e *enumerator) set(ctx context.Context, c *enumCell, set []int32, routes map[route][]int, add func(s int, set []int32)) error {
	r, guarded := e.m.methods[c.callee.method], e.guarded[c.callee]
	errs := make([]uint64, len(guarded))
	var returns []return1
	for _, q := range set {
		b, err := e.m.behaviour(ctx, r, q)
		if err != nil {
			return err
		}
		if e.m.steps -= int64(len(b.returns) + len(errs)); e.m.steps < 0 {
			return errSteps
		}
		for w := range errs {
			errs[w] |= b.errs[w]
		}
		if !c.verdict.Forbidden() {
			for _, x := range b.returns {
				if l := e.m.letters[x.letter]; guarded[l.args/64]>>(l.args%64)&1 != 0 {
					returns = append(returns, x)
				}
			}
		}
	}
	if c.verdict.Forbidden() {
		for w, bits := range guarded {
			if missing := bits &^ errs[w]; missing != 0 && c.wrong[1] == "" {
				c.wrong[1] = fmt.Sprintf("no run of %s errs after a word that leads to %d states, one of them %s", r.call(first(w, missing)), len(set), e.from(set[0]))
			}
		}
		return nil
	}
	if c.state == 0 && c.verdict == typestate.VerdictUnknown {
		return nil
	}
	after := map[int32][]int32{}
	var order []int32
	for _, x := range returns {
		if after[x.letter] == nil {
			order = append(order, x.letter)
		}
		after[x.letter] = append(after[x.letter], x.to)
	}
	taken := make([]bool, len(c.ways))
	for _, n := range order {
		next := after[n]
		slices.Sort(next)
		next = slices.Compact(next)
		for _, w := range e.lead(c, n, routes) {
			taken[w] = true
			add(c.ways[w].to, next)
		}
	}
	for w := range taken {
		if !taken[w] && c.ways[w].wrong == "" {
			c.ways[w].wrong = fmt.Sprintf("it does not happen after a word that leads to %d states, one of them %s", len(set), e.from(set[0]))
		}
	}
	return nil
}

// conclude writes the obligations.
func (e *enumerator) conclude() {
	defer func() {
		if e.tight && e.report.Tight() == Unknown {
			e.say("tight", "tight", "there is no edge that might not happen", Proved, "")
		}
	}()
	for s, list := range e.cells {
		for _, c := range list {
			name, what := fmt.Sprintf("%d %s", s-1, c.callee.id), fmt.Sprintf("state %d, %s: ", s-1, c.callee.id)
			if s == 0 {
				name, what = "new "+c.callee.id, "constructor "+c.callee.id+": "
			}
			verdict := func(wrong string) (Verdict, string) {
				if wrong != "" {
					return Refuted, wrong
				}
				return Proved, ""
			}
			say := func(kind, claim, wrong string) {
				v, detail := verdict(wrong)
				e.say(kind, kind+" "+name, what+claim, v, detail)
			}
			switch c.verdict {
			case typestate.VerdictAllowed:
				say("safe", "it does not err, and every return has its edge", c.wrong[0])
			case typestate.VerdictUnknown:
				say("cover", "every return has its edge", c.wrong[0])
			case typestate.VerdictFails:
				say("fails", "it does not return", c.wrong[0])
				say("errs", "for all arguments some run errs after each word", c.wrong[1])
			case typestate.VerdictMayFail:
				wrong := ""
				if len(e.members[s]) > 0 && !c.returns {
					wrong = "it never returns, so it fails"
				}
				say("returns", "it can return", wrong)
				say("errs", "for all arguments some run errs after each word", c.wrong[1])
			}
			if e.tight {
				for _, w := range c.ways {
					v, detail := verdict(w.wrong)
					e.say("tight", "tight "+name+" "+w.outcome, what+"outcome "+w.outcome+" can happen after each word", v, detail)
				}
			}
		}
	}
}
