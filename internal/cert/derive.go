// SPDX-License-Identifier: Apache-2.0

package cert

// This file derives the obligations. What a certificate leaves out is not
// assumed: a loop head without an invariant has the invariant true, a call
// without edges must not return.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A callee is a call or constructor of the interface.
type callee struct {
	id       string
	code     *code
	method   *prog.Method
	guard    *term.Term // over the arguments
	outcomes map[string]*term.Term
	names    []string                // of outcomes
	entries  []typestate.Constructor // of a constructor
}

type node struct {
	*typestate.Node
	label *term.Term
	sets  []*term.Term
	heads map[headKey]*term.Term
	errs  [][]edge // by set; only callee and args
	next  []edge
	in    [][2]int // edges that lead here: node, edge
}

type headKey struct {
	call string
	loc  int
}

type edge struct {
	callee        *callee
	args, results *term.Term // over the arguments; over the results
	to            int
}

func (c *checker) run(ctx context.Context) error {
	c.codes = map[*prog.Method]*code{}
	if ok, err := c.readForm(); !ok || err != nil {
		return err
	}
	for side := range c.calls {
		if err := c.guards(ctx, side); err != nil {
			return err
		}
	}
	if err := c.initial(ctx); err != nil {
		return err
	}
	if err := c.rankingsHold(ctx); err != nil {
		return err
	}
	if err := c.impossible(ctx); err != nil {
		return err
	}
	for n := range c.nodes {
		for _, k := range c.callsOf(n) {
			if err := c.call(ctx, n, k); err != nil {
				return err
			}
		}
		for s := range c.nodes[n].sets {
			if err := c.set(ctx, n, s); err != nil {
				return err
			}
		}
	}
	if err := c.mayFail(ctx); err != nil {
		return err
	}
	return c.tight(ctx)
}

func (c *checker) callsOf(n int) []*callee {
	if n == 0 {
		return c.calls[1]
	}
	return c.calls[0]
}

// readForm resolves and parses everything. ok is false if something does not
// fit together; then there is a refuted obligation.
func (c *checker) readForm() (ok bool, err error) {
	ok = true
	form := func(good bool, name, what string, args ...any) {
		if err == nil && ok {
			ok = good
			err = c.form(good, name, what, args...)
		}
	}
	i, hash := c.iface, c.prog.Hash()
	form(i.Component.Program == hash, "program", "the interface is of this component (program hash %s)", hash)
	form(i.Certificate != nil, "certificate", "there is a certificate")
	if !ok || err != nil {
		return ok, err
	}
	form(i.Certificate.Program == hash, "certificate program", "the certificate is of this component")
	if e := i.Validate(); e != nil {
		form(false, "valid", "the interface file is well formed: %v", e)
	}
	if i.Component.Serial {
		return false, c.put(Obligation{Kind: "form", Name: "form serial", What: "the infinite-word reading has certificates", Detail: "it has not"})
	}
	for k, text := range i.Conventions {
		t, e := prog.Assumption(c.prog, text)
		form(e == nil, fmt.Sprintf("convention %d", k), "the convention is one of this component: %s", text)
		if e == nil {
			c.assumed = c.pool.And(c.assumed, t)
			c.report.Assumed = append(c.report.Assumed, text)
		}
	}
	for k, f := range i.Forbidden {
		form(f.To == nil, fmt.Sprintf("forbidden %d", k), "a forbidden call leads nowhere")
	}
	if !ok || err != nil {
		return ok, err
	}
	if e := c.readRegisters(); e != nil {
		form(false, "registers", "registers stand for state variables: %v", e)
		return ok, err
	}
	if e := c.readCalls(); e != nil {
		form(false, "calls", "the calls are those of the component: %v", e)
		return ok, err
	}
	if e := c.readUpdates(); e != nil {
		form(false, "updates", "the updates of registers can be read: %v", e)
		return ok, err
	}
	if e := c.readNodes(); e != nil {
		form(false, "nodes", "the nodes can be read: %v", e)
		return ok, err
	}
	if e := c.readRankings(); e != nil {
		form(false, "rankings", "the rankings can be read: %v", e)
		return ok, err
	}
	for s := range i.States {
		form(slices.ContainsFunc(c.nodes, func(n node) bool { return n.State == s }), fmt.Sprintf("state %d", s), "a node stands for state %d", s)
	}
	for n := range c.nodes {
		for s, set := range c.nodes[n].Sets {
			good := len(set.From) == len(c.nodes[n].in)
			for _, in := range c.nodes[n].in {
				good = good && slices.ContainsFunc(set.From, func(f typestate.Support) bool { return f.Node == in[0] && f.Edge == in[1] })
			}
			form(good, fmt.Sprintf("support %d.%d", n, s), "set %d of node %d has a support for each edge that leads there", s, n)
		}
	}
	return ok, err
}

func (c *checker) readCalls() error {
	add := func(side int, list []*prog.Method, id, method, guard string, params, types []string) (*callee, error) {
		at := slices.IndexFunc(list, func(m *prog.Method) bool { return m.Name == method })
		if at < 0 {
			return nil, fmt.Errorf("%s: no method %s", id, method)
		}
		k := &callee{id: id, method: list[at], code: c.code(list[at]), outcomes: map[string]*term.Term{}}
		if len(params) != len(k.method.Params) {
			return nil, fmt.Errorf("%s: %d parameters instead of %d", id, len(params), len(k.method.Params))
		}
		for j, v := range k.method.Params {
			if v.Name != params[j] || v.Type.String() != types[j] {
				return nil, fmt.Errorf("%s: parameter %s %s instead of %s %v", id, params[j], types[j], v.Name, v.Type)
			}
		}
		var err error
		if k.guard, err = c.overArguments(k, side == 1, guard); err != nil {
			return nil, fmt.Errorf("%s: guard: %w", id, err)
		}
		c.calls[side] = append(c.calls[side], k)
		return k, nil
	}
	outcome := func(k *callee, name string) error {
		if name == "" || name == "*" || k.outcomes[name] != nil {
			return nil
		}
		t, err := c.outcome(k.method, name)
		if err != nil {
			return fmt.Errorf("%s: outcome %s: %w", k.id, name, err)
		}
		k.outcomes[name] = t
		k.names = append(k.names, name)
		return nil
	}
	for _, tc := range c.iface.Calls {
		k, err := add(0, c.prog.Methods, tc.ID, tc.Method, tc.Guard, tc.Params, tc.Types)
		if err != nil {
			return err
		}
		for _, name := range tc.Outcomes {
			if err := outcome(k, name); err != nil {
				return err
			}
		}
	}
	for _, tc := range c.iface.Constructors {
		at := slices.IndexFunc(c.calls[1], func(k *callee) bool { return k.id == tc.ID })
		if at < 0 {
			if _, err := add(1, c.prog.Constructors, tc.ID, tc.Method, tc.Guard, tc.Params, tc.Types); err != nil {
				return err
			}
			at = len(c.calls[1]) - 1
		}
		k := c.calls[1][at]
		k.entries = append(k.entries, tc)
		if err := outcome(k, tc.Outcome); err != nil {
			return err
		}
	}
	for side, list := range [][]*prog.Method{c.prog.Methods, c.prog.Constructors} {
		for _, m := range list {
			if !slices.ContainsFunc(c.calls[side], func(k *callee) bool { return k.method == m }) {
				return fmt.Errorf("no call of %s", m.Name)
			}
		}
	}
	return nil
}

// overArguments reads a condition on the parameters as one on the arguments. After
// construction it may mention registers.
func (c *checker) overArguments(k *callee, constructor bool, text string) (*term.Term, error) {
	vars := k.method.Params
	if !constructor {
		vars = slices.Concat(vars, c.memory.vars)
	}
	t, err := c.formula(vars, text)
	if err != nil {
		return nil, err
	}
	return c.pool.Substitute(t, k.code.arguments()), nil
}

func (c *checker) formula(vars []*prog.Var, text string) (*term.Term, error) {
	return prog.ParseExprAs(c.prog, vars, text, prog.Type{Sort: term.BoolSort})
}

func (c *checker) readNodes() error {
	list := c.iface.Certificate.Nodes
	c.nodes = make([]node, len(list))
	for n := range list {
		tn := &list[n]
		x := &c.nodes[n]
		x.Node, x.heads = tn, map[headKey]*term.Term{}
		var err error
		if x.label, err = c.formula(c.prog.State, tn.Label); err != nil {
			return fmt.Errorf("node %d: label: %w", n, err)
		}
		find := func(id string) (*callee, error) {
			for _, k := range c.callsOf(n) {
				if k.id == id {
					return k, nil
				}
			}
			return nil, fmt.Errorf("node %d: no call %s", n, id)
		}
		for s := range tn.Sets {
			t, err := c.formula(c.prog.State, tn.Sets[s].Formula)
			if err != nil {
				return fmt.Errorf("node %d: set %d: %w", n, s, err)
			}
			x.sets = append(x.sets, t)
			var errs []edge
			for _, e := range tn.Sets[s].Errs {
				k, err := find(e.Call)
				if err != nil {
					return err
				}
				args, err := c.overArguments(k, n == 0, e.Args)
				if err != nil {
					return fmt.Errorf("node %d: set %d: args: %w", n, s, err)
				}
				errs = append(errs, edge{callee: k, args: args})
			}
			x.errs = append(x.errs, errs)
		}
		for _, h := range tn.Heads {
			k, err := find(h.Call)
			if err != nil {
				return err
			}
			if !k.code.head[h.Loc] {
				return fmt.Errorf("node %d: %s has no loop head %d", n, h.Call, h.Loc)
			}
			if x.heads[headKey{h.Call, h.Loc}], err = c.formula(slices.Concat(k.code.vars, k.code.old, c.before(k)), h.Formula); err != nil {
				return fmt.Errorf("node %d: invariant of %s: %w", n, h.Call, err)
			}
		}
		for j, e := range tn.Next {
			k, err := find(e.Call)
			if err != nil {
				return err
			}
			y := edge{callee: k, to: e.Node}
			if y.args, err = c.overArguments(k, n == 0, e.Args); err != nil {
				return fmt.Errorf("node %d: edge %d: args: %w", n, j, err)
			}
			if y.results, err = c.formula(k.method.Results, e.Results); err != nil {
				return fmt.Errorf("node %d: edge %d: results: %w", n, j, err)
			}
			x.next = append(x.next, y)
			c.nodes[e.Node].in = append(c.nodes[e.Node].in, [2]int{n, j})
		}
	}
	return nil
}

// guards asks whether the guards of each method cover its arguments, and none
// twice.
func (c *checker) guards(ctx context.Context, side int) error {
	for n, k := range c.calls[side] {
		first := !slices.ContainsFunc(c.calls[side][:n], func(o *callee) bool { return o.method == k.method })
		none := []*term.Term{}
		twice := []*term.Term{}
		for j, o := range c.calls[side] {
			if o.method == k.method {
				none = append(none, c.pool.Not(o.guard))
				if j > n {
					twice = append(twice, c.pool.And(k.guard, o.guard))
				}
			}
		}
		if first {
			if err := c.add(ctx, Obligation{Kind: "guards", Name: fmt.Sprintf("guards %d %s cover", side, k.method.Name), What: "every argument of " + k.method.Name + " satisfies a guard", Assume: none}); err != nil {
				return err
			}
		}
		if len(twice) > 0 {
			if err := c.add(ctx, Obligation{Kind: "guards", Name: fmt.Sprintf("guards %d %s apart", side, k.id), What: "no argument satisfies the guard of " + k.id + " and another", Assume: []*term.Term{c.pool.Or(twice...)}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// start says that a state is initial.
func (c *checker) start() *term.Term {
	var eqs []*term.Term
	for _, v := range c.prog.State {
		if v.Init != nil {
			eqs = append(eqs, c.pool.Eq(v.Term, v.Init))
		}
	}
	return c.pool.And(eqs...)
}

func (c *checker) initial(ctx context.Context) error {
	if err := c.add(ctx, Obligation{Kind: "init", Name: "init", What: "every initial state satisfies the label of node 0",
		Assume: []*term.Term{c.start(), c.pool.Not(c.nodes[0].label)}}); err != nil {
		return err
	}
	for s, t := range c.nodes[0].sets {
		if err := c.add(ctx, Obligation{Kind: "base", Name: fmt.Sprintf("base %d", s), What: fmt.Sprintf("set %d of node 0 contains an initial state", s),
			Assume: []*term.Term{c.start(), t}, Expect: solve.Sat}); err != nil {
			return err
		}
	}
	return nil
}

// label is what is known of states before a call in a node.
func (c *checker) label(n int) *term.Term {
	if n == 0 {
		return c.pool.And(c.nodes[0].label, c.start())
	}
	return c.pool.And(c.assumed, c.promised, c.nodes[n].label)
}

// A segment is a part of the runs of a call from the label of a node: from the
// entry or a loop head to the next cut.
type segment struct {
	step
	base   *term.Term                // label or invariant, and guard
	memory map[*term.Term]*term.Term // values of registers, if these are known there
}

func (c *checker) segments(n int, k *callee) []segment {
	var out []segment
	add := func(loc int, base *term.Term, vals []*term.Term, memory map[*term.Term]*term.Term) {
		base = c.recall(c.pool.And(base, k.guard), memory)
		sub := k.code.under(vals)
		for _, s := range k.code.pieces[loc] {
			s.cond, s.vals = c.pool.Substitute(s.cond, sub), c.pool.SubstituteAll(s.vals, sub)
			if !c.pool.And(base, s.cond).IsFalse() {
				out = append(out, segment{s, base, memory})
			}
		}
	}
	add(k.code.method.Entry, c.label(n), c.entry(k.code), c.remembered(n))
	for _, h := range k.code.heads {
		add(h, c.pool.And(c.assumed, c.invariant(n, k, h)), k.code.identity(), nil)
	}
	return out
}

func (c *checker) invariant(n int, k *callee, loc int) *term.Term {
	if t := c.nodes[n].heads[headKey{k.id, loc}]; t != nil {
		return t
	}
	return c.pool.True()
}

// some is the condition that a run of the call takes a segment that ends where
// it should, and that what follows holds there.
func (c *checker) some(k *callee, segs []segment, end func(loc int) bool, holds func(sub map[*term.Term]*term.Term) *term.Term) *term.Term {
	var any []*term.Term
	for _, s := range segs {
		if end(s.to) {
			any = append(any, c.pool.And(s.base, s.cond, c.recall(holds(k.code.under(s.vals)), s.memory)))
		}
	}
	return c.pool.Or(any...)
}

func (k *callee) errs(loc int) bool {
	e := k.method.ErrorAt(loc)
	return e != nil && !e.Blamed
}

func (k *callee) returns(loc int) bool { return loc == k.method.Exit && k.method.ErrorAt(loc) == nil }

// A way is where the interface leads for results.
type way struct {
	cond    *term.Term
	outcome string
	to      int
	update  map[string]string
}

// says returns the verdict and the ways of a call in a node.
func (c *checker) says(n int, k *callee) (v typestate.Verdict, ways []way) {
	if n == 0 {
		v, _ = typestate.ParseVerdict(k.entries[0].Verdict)
		for _, e := range k.entries {
			if e.State != nil {
				ways = append(ways, way{c.outcomeOf(k, e.Outcome), e.Outcome, *e.State, e.Update})
			}
		}
		return v, ways
	}
	s := c.nodes[n].State
	for _, e := range c.iface.Edges {
		if e.From == s && e.Call == k.id {
			ways = append(ways, way{c.outcomeOf(k, e.Outcome), e.Outcome, e.To, e.Update})
		}
	}
	return c.iface.Verdict(s, k.id), ways
}

func (c *checker) outcomeOf(k *callee, name string) *term.Term {
	if name == "*" {
		return c.pool.True()
	}
	return k.outcomes[name]
}

// call adds the obligations of a call made in a node.
func (c *checker) call(ctx context.Context, n int, k *callee) error {
	verdict, ways := c.says(n, k)
	segs := c.segments(n, k)
	yes := func(map[*term.Term]*term.Term) *term.Term { return c.pool.True() }
	add := func(kind, what string, t *term.Term) error {
		return c.add(ctx, Obligation{Kind: kind, Name: fmt.Sprintf("%s %d %s", kind, n, k.id), What: fmt.Sprintf("node %d, %s: %s", n, k.id, what), Assume: []*term.Term{t}})
	}
	for _, h := range k.code.heads {
		t := c.some(k, segs, func(loc int) bool { return loc == h }, func(sub map[*term.Term]*term.Term) *term.Term {
			return c.pool.Not(c.pool.Substitute(c.invariant(n, k, h), sub))
		})
		if err := add("head", fmt.Sprintf("the invariant of loop head %d holds", h), t); err != nil {
			return err
		}
		c.report.Obligations[len(c.report.Obligations)-1].Name += fmt.Sprintf(" %d", h)
	}
	if verdict.Forbidden() {
		missing := []*term.Term{k.guard}
		for _, list := range c.nodes[n].errs {
			for _, e := range list {
				if e.callee == k {
					missing = append(missing, c.pool.Not(e.args))
				}
			}
		}
		if err := add("evidence", "for all arguments a set is evidence that it errs", c.pool.And(missing...)); err != nil {
			return err
		}
		if verdict == typestate.VerdictFails {
			return add("fails", "it does not return", c.some(k, segs, k.returns, yes))
		}
		return nil
	}
	if n == 0 && verdict == typestate.VerdictUnknown {
		return nil // nothing is claimed of what comes after it
	}
	if verdict == typestate.VerdictAllowed {
		if err := add("safe", "it does not err", c.some(k, segs, k.errs, yes)); err != nil {
			return err
		}
	}
	var none, wrong, lost []*term.Term
	for _, w := range ways {
		none = append(none, c.pool.Not(w.cond))
	}
	uncovered := c.pool.And(none...) // no outcome with an edge
	var taken []*term.Term
	type target struct{ on, label *term.Term }
	var targets []target
	for _, e := range c.nodes[n].next {
		if e.callee != k {
			continue
		}
		on := c.pool.And(e.args, e.results)
		taken = append(taken, c.pool.Not(on))
		for _, w := range ways {
			if w.to != c.nodes[e.to].State {
				wrong = append(wrong, c.pool.And(on, w.cond))
			}
		}
		targets = append(targets, target{on, c.nodes[e.to].label})
	}
	lost = append(lost, uncovered, c.pool.And(taken...))
	// Conditions on arguments are about the entry, those on results about the
	// exit: only results and state are replaced by their values there.
	atExit := func(t *term.Term) func(sub map[*term.Term]*term.Term) *term.Term {
		return func(sub map[*term.Term]*term.Term) *term.Term {
			return c.pool.Substitute(t, c.withoutArguments(k, sub))
		}
	}
	if err := add("cover", "every return belongs to an edge and to an outcome that can happen", c.some(k, segs, k.returns, atExit(c.pool.Or(lost...)))); err != nil {
		return err
	}
	if err := add("edge", "the next node stands for the next state", c.some(k, segs, k.returns, atExit(c.pool.Or(wrong...)))); err != nil {
		return err
	}
	step := c.some(k, segs, k.returns, func(sub map[*term.Term]*term.Term) *term.Term {
		plain := c.withoutArguments(k, sub)
		var bad []*term.Term
		for _, t := range targets {
			bad = append(bad, c.pool.And(c.pool.Substitute(t.on, plain), c.pool.Not(c.pool.Substitute(t.label, sub))))
		}
		return c.pool.Or(bad...)
	})
	if err := add("step", "a return satisfies the label of the next node", step); err != nil {
		return err
	}
	return c.registers(ctx, n, k, segs, ways)
}

// withoutArguments leaves parameters that still hold their arguments alone.
func (c *checker) withoutArguments(k *callee, sub map[*term.Term]*term.Term) map[*term.Term]*term.Term {
	out := make(map[*term.Term]*term.Term, len(sub))
	for v, t := range sub {
		if !slices.Contains(k.code.args, v) {
			out[v] = t
		}
	}
	return out
}

// Depths to which runs that must exist are unrolled, tried in turn.
var depths = [...]int{8, 80}

// set adds the obligations of a set of a node.
func (c *checker) set(ctx context.Context, n, s int) error {
	set := c.nodes[n].Sets[s]
	for j, e := range c.nodes[n].errs[s] {
		k := e.callee
		name := fmt.Sprintf("errs %d.%d.%d %s", n, s, j, k.id)
		what := fmt.Sprintf("node %d, %s: it can err from every state of set %d", n, k.id, s)
		o, err := c.can(ctx, Obligation{Kind: "errs", Name: name, What: what, Goal: c.ranked(k)}, n, s, k, c.pool.And(k.guard, e.args), k.errs, func([]*term.Term) *term.Term { return c.pool.True() })
		if err != nil {
			return err
		}
		if o.Verdict != Proved && slices.Contains(c.iface.Conventions, prog.Ends(k.method)) {
			err = c.ends(ctx, n, k, e.args, fmt.Sprintf("%d.%d.%d %s", n, s, j, k.id))
		} else {
			err = c.put(o)
		}
		if err != nil {
			return err
		}
	}
	for _, f := range set.From {
		e := c.nodes[f.Node].next[f.Edge]
		k := e.callee
		name := fmt.Sprintf("%d.%d from %d.%d", n, s, f.Node, f.Edge)
		if f.Set < 0 {
			t := c.some(k, c.segments(f.Node, k), k.returns, func(sub map[*term.Term]*term.Term) *term.Term {
				return c.pool.And(c.pool.Substitute(c.pool.And(e.args, e.results), c.withoutArguments(k, sub)), c.pool.Not(c.pool.Substitute(c.nodes[n].sets[s], sub)))
			})
			if err := c.add(ctx, Obligation{Kind: "all", Name: "all " + name,
				What: fmt.Sprintf("every return of %s from node %d over edge %d ends in set %d of node %d", k.id, f.Node, f.Edge, s, n), Assume: []*term.Term{t}}); err != nil {
				return err
			}
			continue
		}
		// The results that were seen are given, like the arguments.
		seen := map[*term.Term]*term.Term{}
		for _, r := range k.method.Results {
			seen[r.Term] = c.pool.Var(hidden+"result "+r.Name, r.Type.Sort)
		}
		given := c.pool.And(k.guard, e.args, c.pool.Substitute(e.results, seen), c.wereReturned(f.Node, k, seen))
		o, err := c.can(ctx, Obligation{Kind: "must", Name: "must " + name,
			What: fmt.Sprintf("each state of set %d of node %d can return from %s over edge %d into set %d of node %d", f.Set, f.Node, k.id, f.Edge, s, n)},
			f.Node, f.Set, k, given, k.returns, func(vals []*term.Term) *term.Term {
				var eqs []*term.Term
				for _, r := range k.method.Results {
					eqs = append(eqs, c.pool.Eq(seen[r.Term], vals[k.code.index[r]]))
				}
				sub := k.code.under(vals)
				return c.pool.And(c.pool.And(eqs...), c.pool.Substitute(c.nodes[n].sets[s], sub))
			})
		if err != nil {
			return err
		}
		if err := c.put(o); err != nil {
			return err
		}
	}
	return nil
}

// wereReturned says that the results seen can have been returned to these arguments:
// some current state did, and it satisfies the label of the node. It is left out
// where all results have few values, which the edge names.
func (c *checker) wereReturned(n int, k *callee, seen map[*term.Term]*term.Term) *term.Term {
	if !slices.ContainsFunc(k.method.Results, func(r *prog.Var) bool { return r.Type.Sort.Kind == term.BitVecKind }) {
		return c.pool.True()
	}
	t := c.some(k, c.segments(n, k), k.returns, func(sub map[*term.Term]*term.Term) *term.Term {
		var eqs []*term.Term
		for _, r := range k.method.Results {
			eqs = append(eqs, c.pool.Eq(seen[r.Term], c.pool.Substitute(r.Term, sub)))
		}
		return c.pool.And(eqs...)
	})
	// It is another state, with other choices: only what the client knows is shared.
	other := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(t) {
		shared := slices.Contains(k.code.args, v)
		for _, s := range seen {
			shared = shared || s == v
		}
		if !shared {
			other[v] = c.pool.Var(hidden+"other "+v.Name(), v.Sort())
		}
	}
	return c.pool.Substitute(t, other)
}

// can decides the obligation that from every state of a set, and for all values
// that satisfy given, some choices let the call end where it should, with
// values of which holds is true. It is right without that where the goal of o holds. Before construction every initial state is
// current, so which of those of the set it is is a choice too.
func (c *checker) can(ctx context.Context, o Obligation, n, s int, k *callee, given *term.Term, end func(loc int) bool, holds func(vals []*term.Term) *term.Term) (Obligation, error) {
	vals := c.entry(k.code)
	set := c.nodes[n].sets[s]
	given = c.recall(given, c.remembered(n))
	var open []*term.Term
	pinned := map[*term.Term]*term.Term{}
	if n == 0 {
		for _, v := range c.prog.State {
			if v.Init != nil {
				pinned[v.Term] = v.Init
			} else {
				open = append(open, v.Term)
			}
		}
	} else {
		pins(c.pool, set, pinned)
	}
	// Known values make loops end while they are unrolled.
	pins(c.pool, given, pinned)
	vals = c.pool.SubstituteAll(vals, pinned)
	for try, depth := range depths {
		runs, choices, whole := c.unroll(k.code, vals, depth, end)
		var any []*term.Term
		for _, r := range runs {
			any = append(any, c.pool.And(r.cond, holds(r.vals)))
		}
		p := o
		if o.Goal != nil {
			any = append(any, c.pool.Substitute(o.Goal, pinned))
		}
		p.Goal = c.pool.Or(any...)
		p.Choices = append(slices.Clone(open), choices...)
		if n == 0 {
			p.Assume = []*term.Term{given}
			p.Goal = c.pool.And(c.pool.Substitute(set, pinned), p.Goal)
		} else {
			p.Assume = []*term.Term{set, c.assumed, c.promised, given}
		}
		p.Expect = solve.Unsat
		if err := c.decideChoices(ctx, &p); err != nil {
			return p, fmt.Errorf("obligation %s: %w", p.Name, err)
		}
		if p.Verdict == Refuted && !whole {
			p.Verdict, p.Detail = Unknown, fmt.Sprintf("%s, within %d rounds of loops", p.Detail, depth)
		}
		if p.Verdict == Proved || whole || try == len(depths)-1 {
			return p, nil
		}
	}
	return o, nil
}

// pins finds variables that a conjunction gives constant values.
func pins(pool *term.Pool, t *term.Term, to map[*term.Term]*term.Term) {
	switch {
	case t.Op() == term.OpAnd:
		for _, a := range t.Args() {
			pins(pool, a, to)
		}
	case t.Op() == term.OpEq:
		a, b := t.Args()[0], t.Args()[1]
		if a.IsConst() {
			a, b = b, a
		}
		if a.IsVar() && b.IsConst() && to[a] == nil {
			to[a] = b
		}
	case t.IsVar():
		to[t] = pool.True()
	case t.Op() == term.OpNot && t.Args()[0].IsVar():
		to[t.Args()[0]] = pool.False()
	}
}

// mayFail asks of each cell that may fail whether a label of its state lets the
// call return: otherwise the verdict should be that it fails.
func (c *checker) mayFail(ctx context.Context) error {
	yes := func(map[*term.Term]*term.Term) *term.Term { return c.pool.True() }
	for s := -1; s < len(c.iface.States); s++ {
		var list []int
		for n := range c.nodes {
			if c.nodes[n].State == s {
				list = append(list, n)
			}
		}
		if len(list) == 0 {
			continue
		}
		for _, k := range c.callsOf(list[0]) {
			if v, _ := c.says(list[0], k); v != typestate.VerdictMayFail {
				continue
			}
			var any []*term.Term
			for _, n := range list {
				any = append(any, c.some(k, c.segments(n, k), k.returns, yes))
			}
			if err := c.add(ctx, Obligation{Kind: "returns", Name: fmt.Sprintf("returns %d %s", s, k.id), What: fmt.Sprintf("state %d, %s: it can return from a label", s, k.id),
				Assume: []*term.Term{c.pool.Or(any...)}, Expect: solve.Sat}); err != nil {
				return err
			}
		}
	}
	return nil
}
