// SPDX-License-Identifier: Apache-2.0

package compat

// This file compares an interface with a protocol by walking their product: a
// state of the interface (and the values of its registers) with the set of states
// in which the protocol may be.
//
// Two things are not told by a protocol. Arguments that are no constants may
// satisfy several guards: one choice, the same for the whole walk, must agree.
// And an outcome of the protocol may stand for several of the interface ("*",
// or a result that was not looked at): some of these were seen, but which is not
// said, so one of them must agree in each pair. Hence a pair disagrees if a cell
// of it does, or if for some call and outcome all pairs that may follow disagree:
// the least fixpoint of an and-or graph. That an interface is refuted is then
// never due to a guess. What is not wrong is judged in the same way: the verdict is that of the best
// reading, of one by which everything agrees if there is one, else of one by which nothing is unknown.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// A Verdict says how an interface compares with a protocol, or one cell of it.
// The zero value is Unknown.
type Verdict uint8

const (
	Unknown Verdict = iota // not contradicted, and not confirmed
	Exact                  // the same; for a cell: agrees
	Seen                   // the same as far as runs of the component have shown (typestate.Seen)
	Coarser                // allowed by the protocol, may-fail in the interface
	Wrong                  // the protocol refutes the interface
)

func (v Verdict) String() string {
	switch v {
	case Exact:
		return "exact"
	case Seen:
		return "seen"
	case Coarser:
		return "coarser"
	case Wrong:
		return "wrong"
	}
	return "unknown"
}

// MarshalText writes the verdict by name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (v *Verdict) UnmarshalText(text []byte) error {
	for _, w := range []Verdict{Unknown, Exact, Seen, Coarser, Wrong} {
		if w.String() == string(text) {
			*v = w
			return nil
		}
	}
	return fmt.Errorf("%q is no verdict", text)
}

// worse orders verdicts: exact, seen, coarser, unknown, wrong.
func (v Verdict) worse() int {
	return map[Verdict]int{Exact: 0, Seen: 1, Coarser: 2, Unknown: 3, Wrong: 4}[v]
}

// A Result is the result of comparing an interface with a protocol.
type Result struct {
	Verdict   Verdict `json:"verdict"`
	Protocol  string  `json:"protocol"`
	Component string  `json:"component"`
	Regular   bool    `json:"regular"`
	// Depth is the length of the words that were compared, if bounded.
	Depth *int `json:"depth"`
	// Shortest is the cell that decided the verdict, with a shortest word.
	Shortest     *Cell    `json:"shortest"`
	Reasons      []string `json:"reasons"` // why it is not exact, beside cells
	Notes        []string `json:"notes"`   // what was assumed
	Constructors []Mapped `json:"constructors"`
	Calls        []Mapped `json:"calls"`
	Pairs        int      `json:"pairs"` // of states in the product
	Counts       Counts   `json:"counts"`
	Cells        []Cell   `json:"cells"`
	// LeftOut are the edges that the reading does not follow in any pair, because others that may be meant
	// agree better. Running the type shows whether they were seen (Narrow).
	LeftOut []Edge `json:"leftOut"`
}

// An Edge is an outcome of a call in a state of the interface.
type Edge struct {
	State   int    `json:"state"`
	Call    string `json:"call"`
	Outcome string `json:"outcome"`
}

// Narrow returns the interface by the reading of a result: what that leaves out cannot happen.
func (r *Result) Narrow(i *typestate.Interface) *typestate.Interface {
	n := *i
	n.Edges = slices.DeleteFunc(slices.Clone(i.Edges), func(e typestate.Edge) bool {
		return slices.Contains(r.LeftOut, Edge{e.From, e.Call, e.Outcome})
	})
	return &n
}

// Counts are numbers of cells.
type Counts struct {
	Agree   int `json:"agree"`
	Seen    int `json:"seen"` // agree with what runs have shown, and are not proved
	Coarser int `json:"coarser"`
	Unknown int `json:"unknown"`
	Wrong   int `json:"wrong"`
}

// Mapped says what a constructor or call of the protocol is in the interface.
type Mapped struct {
	ID    string   `json:"id"`
	Expr  string   `json:"expr"`
	To    []string `json:"to"`
	Given string   `json:"given,omitempty"`
	Why   string   `json:"why,omitempty"` // nothing corresponds: the reason
}

// A Cell is a call in a pair of states.
type Cell struct {
	Verdict   Verdict  `json:"verdict"`
	Word      []string `json:"word"`  // the shortest that leads to it, with the call last
	State     int      `json:"state"` // of the interface; -1 for a constructor
	States    []string `json:"states"`
	Call      string   `json:"call"`    // of the protocol
	Outcome   string   `json:"outcome"` // that "cannot happen", else ""
	Protocol  string   `json:"says"`
	Interface string   `json:"interface"`
	Reason    string   `json:"reason,omitempty"`
}

const (
	maxChoices = 1 << 12 // consistent choices that are tried
	maxPairs   = 1 << 16
)

// Conform compares an interface with a protocol. The interface must be valid.
func Conform(ctx context.Context, i *typestate.Interface, p *Protocol) (*Result, error) {
	w := &walker{i: i, p: p}
	w.index()
	w.matchConstructors()
	w.matchCalls()
	var open []int // calls that are not determined
	combinations := 1
	for k, m := range w.calls {
		if len(m.possible) > 1 {
			open = append(open, k)
			combinations = min(combinations*len(m.possible), maxChoices+1)
		}
	}
	choice := make([]int, len(w.calls))
	var best *Result
	for n := 0; n < min(combinations, maxChoices); n++ {
		rest := n
		for _, k := range open {
			choice[k] = rest % len(w.calls[k].possible)
			rest /= len(w.calls[k].possible)
		}
		r, err := w.walk(ctx, choice)
		if err != nil {
			return nil, err
		}
		if best == nil || r.before(best) {
			best = r
		}
		if best.Verdict == Exact {
			break
		}
	}
	if combinations > maxChoices && best.Verdict == Wrong {
		best.Verdict = Unknown
		best.Reasons = append(best.Reasons, fmt.Sprintf("arguments that are no constants leave too many choices of calls: %d tried, none agrees", maxChoices))
	}
	return best, nil
}

// before reports whether r is a better result than o.
func (r *Result) before(o *Result) bool {
	if a, b := r.Verdict.worse(), o.Verdict.worse(); a != b {
		return a < b
	}
	bad := func(r *Result) int { return r.Counts.Seen + r.Counts.Coarser + r.Counts.Unknown + r.Counts.Wrong }
	return bad(r) < bad(o)
}

type cellKey struct {
	state int
	call  string
}

type walker struct {
	i *typestate.Interface
	p *Protocol

	starts []start
	calls  []mapping

	edges     map[cellKey][]typestate.Edge
	verdicts  map[cellKey]typestate.Verdict // of forbidden and unknown cells
	reasons   map[cellKey]string
	uncovered map[cellKey]string
	seen      map[cellKey]typestate.Seen
	blank     map[int]bool // states of which nothing is proved nor seen

	choice []int
	nodes  []node
	at     map[string]int
}

func (w *walker) index() {
	w.edges = map[cellKey][]typestate.Edge{}
	w.verdicts = map[cellKey]typestate.Verdict{}
	w.reasons = map[cellKey]string{}
	w.uncovered = map[cellKey]string{}
	for _, e := range w.i.Edges {
		k := cellKey{e.From, e.Call}
		w.edges[k] = append(w.edges[k], e)
	}
	for _, f := range w.i.Forbidden {
		k := cellKey{f.State, f.Call}
		w.verdicts[k], _ = typestate.ParseVerdict(f.Verdict)
		if len(f.Errors) > 0 {
			w.reasons[k] = strings.TrimSpace(f.Errors[0].Kind + " " + f.Errors[0].Message + " " + f.Errors[0].At)
		}
	}
	for _, u := range w.i.Unknown {
		k := cellKey{u.State, u.Call}
		w.verdicts[k], w.reasons[k] = typestate.VerdictUnknown, u.Reason
	}
	for _, u := range w.i.Uncovered {
		k := cellKey{u.State, u.Call}
		if w.uncovered[k] == "" {
			w.uncovered[k] = strings.TrimSpace("uncovered: " + u.Site.Kind + " " + u.Site.At + ": " + u.Reason)
		}
	}
	w.seen = map[cellKey]typestate.Seen{}
	for _, s := range w.i.Seen {
		w.seen[cellKey{s.State, s.Call}] = s
	}
	w.blank = map[int]bool{}
	for _, s := range w.i.States {
		w.blank[s.ID] = !slices.ContainsFunc(w.i.Calls, func(c typestate.Call) bool {
			k := cellKey{s.ID, c.ID}
			_, seen := w.seen[k]
			return seen || w.verdict(k) != typestate.VerdictUnknown
		})
	}
}

func (w *walker) verdict(k cellKey) typestate.Verdict {
	if v, ok := w.verdicts[k]; ok {
		return v
	}
	return typestate.VerdictAllowed
}

// ran reports whether one of some calls of the interface, or a constructor, was run with the arguments that the protocol writes.
// What was seen with others does not refute it.
func (w *walker) ran(args []argument, ids []string) bool {
	if w.i.Tested == nil || len(args) == 0 {
		return true
	}
	for _, t := range w.i.Tested.Tried {
		if !slices.Contains(ids, t.Call) {
			continue
		}
		for _, text := range t.With {
			if inv := parseInvocation(w.p.Language, text); slices.EqualFunc(inv.args, args, func(a, b argument) bool { return a.text == b.text }) {
				return true
			}
		}
	}
	return false
}

// unreached reports whether no run of a cell that is seen, and not proved, got to a state.
func (w *walker) unreached(from cellKey, to int) bool {
	_, seen := w.seen[from]
	return seen && w.blank[to]
}

// A node is a pair of the product; the first is before any constructor.
type node struct {
	state     int
	registers typestate.Known
	set       []string
	depth     int
	other     bool   // a call of the word, or the constructor, was run with other arguments than those of the protocol
	cells     []Cell // without words
	moves     []move
}

// A move is a call of the protocol with an outcome, and the pairs that may follow.
type move struct {
	call, outcome string
	to            []int
	through       []string // the outcomes of the interface, in the order of to
	as            string   // the call of the interface
	free          bool     // a constructor that was matched to any: cannot refute
}

func (m move) text() string {
	if m.outcome == "" || m.outcome == "*" {
		return m.call
	}
	return m.call + "=" + m.outcome
}

// pair returns the index of a node, which is made if it is new.
func (w *walker) pair(state int, registers typestate.Known, set []string, depth int, other bool) int {
	var key strings.Builder
	fmt.Fprintf(&key, "%d %t", state, other)
	for _, name := range slices.Sorted(maps.Keys(registers)) {
		fmt.Fprintf(&key, " %s=%q", name, registers[name])
	}
	fmt.Fprintf(&key, " %q", set)
	if !w.p.Regular {
		// How far the protocol may be followed from here depends on it.
		fmt.Fprintf(&key, " %d", depth)
	}
	n, ok := w.at[key.String()]
	if !ok {
		n = len(w.nodes)
		w.at[key.String()] = n
		w.nodes = append(w.nodes, node{state: state, registers: registers, set: set, depth: depth, other: other})
	}
	return n
}

// walk explores the product for one choice of calls and judges it.
func (w *walker) walk(ctx context.Context, choice []int) (*Result, error) {
	w.choice = choice
	w.nodes = []node{{state: -1}}
	w.at = map[string]int{}
	r := &Result{Protocol: w.p.ID, Component: w.i.Component.Name, Regular: w.p.Regular, Reasons: []string{}, Notes: []string{}, Cells: []Cell{}, LeftOut: []Edge{}}
	if !w.p.Regular {
		r.Depth = &w.p.Depth
	}
	w.construct(r)
	for n := 1; n < len(w.nodes); n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(w.nodes) > maxPairs {
			r.Reasons = append(r.Reasons, fmt.Sprintf("more than %d pairs of states", maxPairs))
			break
		}
		if !w.p.Regular && w.nodes[n].depth >= w.p.Depth {
			continue // words beyond this length were never tried
		}
		w.expand(n)
	}
	w.judge(r)
	w.describe(r)
	return r, nil
}

// construct makes the moves of the first node.
func (w *walker) construct(r *Result) {
	for _, s := range w.starts {
		m := move{call: s.constructor.Expr, free: s.free()}
		set := w.p.members(s.constructor.Initial)
		worst := Exact
		reason := ""
		says := typestate.VerdictUnknown
		for _, c := range w.i.Constructors {
			if !slices.Contains(s.possible, c.ID) {
				continue
			}
			v, _ := typestate.ParseVerdict(c.Verdict)
			if v == typestate.VerdictAllowed && c.State != nil {
				if !makesObject(c.Outcome) {
					continue
				}
				types, known := w.constructorValues(&c, s.invocation)
				addResults(types, known, c.Results)
				m.to = append(m.to, w.pair(*c.State, w.update(*c.State, nil, c.Update, types, known), set, 0, !w.ran(s.invocation.args, s.possible)))
				m.through = append(m.through, c.ID)
				continue
			}
			class := map[typestate.Verdict]Verdict{typestate.VerdictFails: Wrong, typestate.VerdictAllowed: Wrong, typestate.VerdictMayFail: Coarser}[v]
			if worst == Exact || class.worse() < worst.worse() {
				worst, says, reason = class, v, c.Reason
			}
		}
		switch {
		case len(m.to) > 0:
			w.nodes[0].moves = append(w.nodes[0].moves, m)
			continue
		case worst == Exact:
			worst, reason = Unknown, "no constructor of the interface corresponds"
		case worst == Wrong && s.free():
			worst, reason = Unknown, "no constructor of the interface has this name"
		case says == typestate.VerdictAllowed:
			reason = "it never returns"
		}
		w.nodes[0].cells = append(w.nodes[0].cells, Cell{Verdict: worst, State: -1, States: set, Call: s.constructor.Expr,
			Protocol: "allowed", Interface: says.String(), Reason: reason})
	}
}

// update returns the registers after an edge or constructor.
func (w *walker) update(to int, from typestate.Known, update, types map[string]string, known typestate.Known) typestate.Known {
	if to < 0 || to >= len(w.i.States) || len(w.i.States[to].Registers) == 0 {
		return nil
	}
	out := typestate.Known{}
	for _, reg := range w.i.States[to].Registers {
		v, ok := from[reg.Name]
		if text, set := update[reg.Name]; set {
			v, ok = typestate.Evaluate(text, reg.Type, types, known)
		}
		if ok {
			out[reg.Name] = v
		}
	}
	return out
}

// addResults adds the results that updates mention: their values are not known,
// and they hide what has the same name.
func addResults(types map[string]string, known typestate.Known, results []typestate.Register) {
	for _, r := range results {
		types[r.Name] = r.Type
		delete(known, r.Name)
	}
}

// scope returns types and known values of the parameters of a call and of the
// registers of a state; parameters hide registers.
func (w *walker) scope(n int, c *typestate.Call, args []argument) (map[string]string, typestate.Known) {
	types, known := knownValues(c.Params, c.Types, c.Guard, args)
	params := len(types)
	w.addRegisters(types)
	if len(types) == params {
		return types, known
	}
	at := &w.nodes[n]
	for _, reg := range w.i.States[at.state].Registers {
		if v, ok := at.registers[reg.Name]; ok && !slices.Contains(c.Params, reg.Name) {
			known[reg.Name] = v
		}
	}
	return types, known
}

// pick returns the call of the interface that a call of the protocol is in a
// pair, or nil and the reason.
func (w *walker) pick(n, k int) (*typestate.Call, string) {
	m := &w.calls[k]
	var possible []*typestate.Call
	for _, c := range m.calls {
		if !slices.Contains(m.possible, c.ID) || w.i.CannotBeMade(w.nodes[n].state, c.ID) {
			continue
		}
		types, known := w.scope(n, c, m.invocation.args)
		switch typestate.GuardHolds(c.Guard, types, known) {
		case typestate.MatchYes:
			return c, ""
		case typestate.MatchUnknown:
			possible = append(possible, c)
		}
	}
	switch {
	case len(possible) == 0:
		return nil, "no guard holds for the arguments"
	case len(possible) == 1:
		return possible[0], ""
	}
	alike := !slices.ContainsFunc(possible, func(c *typestate.Call) bool { return !w.alike(w.nodes[n].state, c, possible[0]) })
	if !alike && slices.ContainsFunc(possible, func(c *typestate.Call) bool { return w.forgot(n, c) }) {
		// It is another one here and there: no choice is consistent.
		return nil, "which call it is depends on results that the protocol does not tell"
	}
	for _, c := range possible {
		if c.ID == m.possible[w.choice[k]] {
			return c, ""
		}
	}
	if alike {
		return possible[0], "" // which one it is makes no difference here
	}
	return nil, "the arguments do not say which call it is"
}

// forgot reports whether a guard may mention a register whose value is not known in a pair.
func (w *walker) forgot(n int, c *typestate.Call) bool {
	all := map[string]string{}
	w.addRegisters(all)
	for name := range all {
		if _, known := w.nodes[n].registers[name]; !known && !slices.Contains(c.Params, name) && strings.Contains(c.Guard, name) {
			return true
		}
	}
	return false
}

// alike reports whether two calls of a method have the same verdict and edges in
// a state.
func (w *walker) alike(state int, a, b *typestate.Call) bool {
	x, y := cellKey{state, a.ID}, cellKey{state, b.ID}
	return w.verdict(x) == w.verdict(y) && w.uncovered[x] == w.uncovered[y] &&
		slices.EqualFunc(w.edges[x], w.edges[y], func(e, f typestate.Edge) bool {
			return e.Outcome == f.Outcome && e.To == f.To && maps.Equal(e.Update, f.Update)
		})
}

// expand computes the cells and moves of a pair.
func (w *walker) expand(n int) {
	for k := range w.calls {
		m := &w.calls[k]
		at := w.nodes[n]
		t := w.p.truth(at.set, m.call.ID)
		if t.verdict == "" || m.method == "" {
			continue // never made here, or missing in the interface
		}
		cell := Cell{State: at.state, States: at.set, Call: m.call.ID, Protocol: t.verdict, Interface: "unknown"}
		c, why := w.pick(n, k)
		if c == nil {
			cell.Reason = why
			w.nodes[n].cells = append(w.nodes[n].cells, cell)
			continue
		}
		key := cellKey{at.state, c.ID}
		v := w.verdict(key)
		cell.Interface, cell.Reason = v.String(), w.reasons[key]
		cell.Verdict = judge(t, v)
		if open := w.uncovered[key]; open != "" && (cell.Verdict != Wrong || v == typestate.VerdictAllowed) {
			cell.Verdict, cell.Reason = Unknown, open
		}
		runs, seen := w.seen[key]
		ran := w.ran(m.invocation.args, m.possible)
		if cell.Verdict == Unknown && seen {
			cell.Verdict, cell.Interface, cell.Reason = judgeSeen(t, runs), "seen: "+runs.Verdict, fmt.Sprintf("%d of %d words erred", runs.Erred, runs.Words)
			if cell.Verdict == Wrong && (at.other || !ran) {
				cell.Verdict, cell.Reason = Unknown, "it was run with other arguments, and "+cell.Reason
			}
		}
		w.nodes[n].cells = append(w.nodes[n].cells, cell)
		if v.Forbidden() || seen && runs.Erred > 0 {
			continue // a client does not go on from here
		}
		types, known := w.scope(n, c, m.invocation.args)
		addResults(types, known, c.Results)
		edges := w.edges[key]
		for _, outcome := range t.outcomes {
			mv := move{call: m.call.ID, outcome: outcome, as: c.ID}
			next := w.p.next(at.set, m.call.ID, outcome)
			for _, e := range w.followed(edges, outcome, c.Outcomes) {
				mv.to = append(mv.to, w.pair(e.To, w.update(e.To, at.registers, e.Update, types, known), next, at.depth+1, at.other || !ran))
				mv.through = append(mv.through, e.Outcome)
			}
			switch {
			case len(mv.to) > 0:
				w.nodes[n].moves = append(w.nodes[n].moves, mv)
			case v == typestate.VerdictAllowed || len(edges) > 0:
				cell := cell
				cell.Verdict, cell.Outcome, cell.Reason = Wrong, outcome, "the outcome "+outcome+" was seen and cannot happen"
				w.nodes[n].cells = append(w.nodes[n].cells, cell)
			}
		}
	}
}

// followed returns the edges that an outcome which was seen may be. Those to a state
// in which no object can be (its label is false), or to which no run got, are left out if there are others:
// what was seen is not what does not happen.
func (w *walker) followed(edges []typestate.Edge, seen string, outcomes []string) []typestate.Edge {
	var all, real []typestate.Edge
	for _, e := range edges {
		if e.Outcome != "*" && !corresponds(w.p.Language, seen, e.Outcome, outcomes) {
			continue
		}
		all = append(all, e)
		if w.i.States[e.To].Label != "false" && !w.unreached(cellKey{e.From, e.Call}, e.To) {
			real = append(real, e)
		}
	}
	if len(real) > 0 {
		return real
	}
	return all
}

// judge compares the verdicts of a cell.
func judge(t truth, v typestate.Verdict) Verdict {
	forbids := t.verdict != "allowed"
	switch v {
	case typestate.VerdictAllowed:
		if forbids {
			return Wrong
		}
		return Exact
	case typestate.VerdictFails:
		// "fails" says that no run returns. One that was seen to return refutes
		// it, also where another run errs.
		if !forbids || len(t.outcomes) > 0 {
			return Wrong
		}
		return Exact
	case typestate.VerdictMayFail:
		if !forbids {
			return Coarser
		}
		return Exact
	}
	return Unknown
}

// judgeSeen compares what was seen with the verdict of a protocol. That a call erred in all runs does not say
// that none returns.
func judgeSeen(t truth, s typestate.Seen) Verdict {
	switch forbids := t.verdict != "allowed"; {
	case forbids && s.Erred > 0, !forbids && s.Erred == 0:
		return Seen
	case forbids, s.Erred == s.Words:
		return Wrong
	}
	return Coarser
}
