// SPDX-License-Identifier: Apache-2.0

package horn

// This file writes the safety of an interface as Horn clauses, for a second prover:
// a conjecture, from whatever engine, is one unknown predicate per state of the
// interface (which component states may be current) and one per loop head of each
// call made there; each block of a method is a clause. It is satisfiable iff
// allowed calls do not err, calls that fail do not return, and outcomes without an
// edge cannot happen. (Grebenshchikov, Lopes, Popeea, Rybalchenko, "Synthesizing
// software verifiers from proof rules", PLDI 2012, for proof rules as clauses.)
//
// That forbidden calls err is a statement about what is possible, which clauses do
// not make; "a forbidden call returns" is a clause only where the verdict is that
// it fails. The invariants become the labels of a certificate, and the judge asks
// whether the labels are evidence for the rest (Certificate), or, where single
// words have to be told apart, whether they are together with what an engine knows
// of what must be current (Strengthen). The judge does not trust either.
//
// A register has the value of the state variable of its name, which the judge proves, so in guards it is
// that variable.

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/parts"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve/smtlib"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A Conjecture is an interface of a program as a system of Horn clauses.
type Conjecture struct {
	Horn  smtlib.Horn
	prog  *prog.Program
	pool  *term.Pool
	sym   *explore.Symbolic
	iface *typestate.Interface
	calls []hornCall
	heads []hornHead // the predicates after those of states
	known *term.Term // of states before calls, by conventions
	fresh int
}

type hornCall struct {
	id          string
	sum         *explore.Summary
	constructor bool
	guard       *term.Term // over args, and the state at the entry, which has the values of registers
	args        []*term.Term
	vars        []*prog.Var // of loop heads: those of the summary, and arguments that parameters forget
	text        []string    // texts of outcomes
	conds       []*term.Term
	entries     []typestate.Constructor
}

type hornHead struct{ state, call, loc int }

// A hornWay is where the interface leads for results.
type hornWay struct {
	cond *term.Term
	to   int
}

// NewConjecture makes the system. It refuses what certificates do not speak of.
func NewConjecture(p *prog.Program, i *typestate.Interface) (*Conjecture, error) {
	c := &Conjecture{prog: p, pool: p.Pool, sym: explore.NewSymbolic(p), iface: i, known: p.Pool.True()}
	if i.Component.Serial {
		return nil, &problem.Refusal{Engine: "spacer", Reason: "the infinite-word reading (-serial) forbids calls that do not err"}
	}
	for _, text := range i.Conventions {
		t, err := prog.Assumption(p, text)
		if err != nil {
			return nil, err
		}
		c.known = c.pool.And(c.known, t)
	}
	for _, x := range i.Calls {
		if err := c.addCall(c.sym.Methods, x, nil); err != nil {
			return nil, err
		}
	}
	for n, x := range i.Constructors {
		if slices.ContainsFunc(i.Constructors[:n], func(o typestate.Constructor) bool { return o.ID == x.ID }) {
			continue
		}
		var entries []typestate.Constructor
		var outcomes []string
		for _, o := range i.Constructors {
			if o.ID == x.ID {
				entries = append(entries, o)
				if o.State != nil && o.Outcome != "*" {
					outcomes = append(outcomes, o.Outcome)
				}
			}
		}
		if err := c.addCall(c.sym.Constructors, typestate.Call{ID: x.ID, Method: x.Method, Guard: x.Guard, Outcomes: outcomes}, entries); err != nil {
			return nil, err
		}
	}
	var sorts []term.Sort
	for _, v := range c.sym.State {
		sorts = append(sorts, v.Type.Sort)
	}
	for s := range i.States {
		c.Horn.Predicates = append(c.Horn.Predicates, smtlib.Predicate{Name: fmt.Sprintf("state %d", s), Sorts: sorts})
	}
	for s := -1; s < len(i.States); s++ {
		for k := range c.calls {
			if c.calls[k].constructor == (s < 0) {
				c.clauses(s, k)
			}
		}
	}
	return c, nil
}

// addCall adds a call of one of the listed methods. A constructor has entries.
func (c *Conjecture) addCall(list []*explore.Summary, call typestate.Call, entries []typestate.Constructor) error {
	at := slices.IndexFunc(list, func(s *explore.Summary) bool { return s.Method.Name == call.Method })
	if at < 0 {
		return fmt.Errorf("%s: the component has no method %s", call.ID, call.Method)
	}
	k := hornCall{id: call.ID, sum: list[at], constructor: len(entries) > 0, entries: entries}
	m := k.sum.Method
	k.vars = slices.Clone(k.sum.Vars)
	sub := map[*term.Term]*term.Term{}
	for _, v := range m.Params {
		arg := v.Term
		if explicit.Assigns(m, v) {
			name := typestate.EntryPrefix + v.Name
			arg = c.pool.Var(name, v.Type.Sort)
			k.vars = append(k.vars, &prog.Var{Name: name, Type: v.Type, Term: arg})
		} else if !slices.Contains(k.vars, v) {
			k.vars = append(k.vars, v) // the guard may speak of it
		}
		k.args = append(k.args, arg)
		sub[v.Term] = arg
	}
	reader := &parts.Multiplier{P: c.prog}
	seen := m.Params
	if !k.constructor {
		seen = slices.Concat(m.Params, c.sym.State)
	}
	t, err := reader.Expr(m, seen, call.Guard)
	if err != nil {
		return err
	}
	k.guard = c.pool.Substitute(t, sub)
	for _, name := range call.Outcomes {
		t, err := reader.Outcome(m, name)
		if err != nil {
			return err
		}
		k.text, k.conds = append(k.text, name), append(k.conds, t)
	}
	c.calls = append(c.calls, k)
	return nil
}

// says returns what the interface says of a call in a state.
func (c *Conjecture) says(s, k int) (typestate.Verdict, []hornWay) {
	call := &c.calls[k]
	cond := func(outcome string) *term.Term {
		if n := slices.Index(call.text, outcome); n >= 0 {
			return call.conds[n]
		}
		return c.pool.True()
	}
	var ways []hornWay
	if s < 0 {
		for _, e := range call.entries {
			if e.State != nil {
				ways = append(ways, hornWay{cond(e.Outcome), *e.State})
			}
		}
		v, _ := typestate.ParseVerdict(call.entries[0].Verdict)
		return v, ways
	}
	for _, e := range c.iface.Edges {
		if e.From == s && e.Call == call.id {
			ways = append(ways, hornWay{cond(e.Outcome), e.To})
		}
	}
	return c.iface.Verdict(s, call.id), ways
}

// silent reports whether nothing is claimed of how a call ends.
func silent(s int, v typestate.Verdict) bool {
	return v == typestate.VerdictMayFail || v == typestate.VerdictUnknown && s < 0
}

// clauses adds the clauses of a call made in a state; -1 is before construction.
func (c *Conjecture) clauses(s, k int) {
	call := &c.calls[k]
	verdict, ways := c.says(s, k)
	if silent(s, verdict) {
		return
	}
	head := map[int]int{}
	for _, loc := range call.sum.Heads {
		head[loc] = len(c.Horn.Predicates)
		var sorts []term.Sort
		for _, v := range call.vars {
			sorts = append(sorts, v.Type.Sort)
		}
		c.Horn.Predicates = append(c.Horn.Predicates, smtlib.Predicate{Name: fmt.Sprintf("state %d %s loop %d", s, call.id, loc), Sorts: sorts})
		c.heads = append(c.heads, hornHead{s, k, loc})
	}
	m := call.sum.Method
	// At the entry, results and locals are zero and parameters are arguments.
	entry := map[*term.Term]*term.Term{}
	for _, v := range call.sum.Vars[call.sum.States:] {
		if n := slices.Index(m.Params, v); n >= 0 {
			entry[v.Term] = call.args[n]
		} else {
			entry[v.Term] = c.pool.Const(v.Type.Sort, term.Value{})
		}
	}
	from := func(loc int, calls []smtlib.App, body *term.Term, sub map[*term.Term]*term.Term) {
		if loc == m.Entry || !slices.ContainsFunc(term.FreeVars(call.guard), func(t *term.Term) bool { return predabs.IsVarOf(c.sym.State, t) }) {
			body = c.pool.And(body, call.guard) // in loops, variables of the state may have other values
		}
		for _, b := range call.sum.Blocks {
			if b.From != loc {
				continue
			}
			here := c.pool.And(body, c.pool.Substitute(b.Cond, sub))
			vals := c.pool.SubstituteAll(b.Vals, sub)
			site := m.ErrorAt(b.To)
			_, loop := head[b.To]
			switch {
			case site != nil:
				if !site.Blamed && verdict == typestate.VerdictAllowed {
					c.clause(calls, here, nil)
				}
			case b.To == m.Exit:
				if verdict == typestate.VerdictFails {
					c.clause(calls, here, nil)
					continue
				}
				values := predabs.After(call.sum, vals)
				none := []*term.Term{here}
				for _, w := range ways {
					on := c.pool.Substitute(w.cond, values)
					none = append(none, c.pool.Not(on))
					c.clause(calls, c.pool.And(here, on), &smtlib.App{Predicate: w.to, Args: vals[:call.sum.States]})
				}
				c.clause(calls, c.pool.And(none...), nil)
			case loop:
				args := slices.Clone(vals)
				for _, v := range call.vars[len(call.sum.Vars):] {
					args = append(args, v.Term)
				}
				c.clause(calls, here, &smtlib.App{Predicate: head[b.To], Args: args})
			}
		}
	}
	if s < 0 {
		from(m.Entry, nil, c.initial(), entry)
	} else {
		from(m.Entry, []smtlib.App{{Predicate: s, Args: variables(c.sym.State)}}, c.known, entry)
	}
	for _, loc := range call.sum.Heads {
		from(loc, []smtlib.App{{Predicate: head[loc], Args: variables(call.vars)}}, c.known, nil)
	}
}

func variables(vars []*prog.Var) []*term.Term {
	var out []*term.Term
	for _, v := range vars {
		out = append(out, v.Term)
	}
	return out
}

func (c *Conjecture) initial() *term.Term {
	var eqs []*term.Term
	for _, v := range c.sym.State {
		if v.Init != nil {
			eqs = append(eqs, c.pool.Eq(v.Term, v.Init))
		}
	}
	return c.pool.And(eqs...)
}

// clause adds a clause, with variables of its own: those of programs may share
// a name.
func (c *Conjecture) clause(calls []smtlib.App, body *term.Term, head *smtlib.App) {
	if body.IsFalse() {
		return
	}
	all := []*term.Term{body}
	for _, a := range calls {
		all = append(all, a.Args...)
	}
	if head != nil {
		all = append(all, head.Args...)
	}
	sub := map[*term.Term]*term.Term{}
	x := smtlib.Clause{}
	for n, v := range term.FreeVars(all...) {
		sub[v] = c.pool.Var(fmt.Sprintf("\x00horn %d", n), v.Sort())
		x.Vars = append(x.Vars, sub[v])
	}
	x.Body = c.pool.Substitute(body, sub)
	for _, a := range calls {
		x.Calls = append(x.Calls, smtlib.App{Predicate: a.Predicate, Args: c.pool.SubstituteAll(a.Args, sub)})
	}
	if head != nil {
		x.Head = &smtlib.App{Predicate: head.Predicate, Args: c.pool.SubstituteAll(head.Args, sub)}
	}
	c.Horn.Clauses = append(c.Horn.Clauses, x)
}

// label is the invariant of a state, as text.
func (c *Conjecture) label(invs []smtlib.Invariant, s int) string {
	return prog.FormatExpr(c.prog, c.sym.State, invs[s].At(c.pool, variables(c.sym.State)...))
}

// invariants are those of the loops of calls made in a state.
func (c *Conjecture) invariants(invs []smtlib.Invariant, s int) []typestate.HeadInvariant {
	var out []typestate.HeadInvariant
	for n, h := range c.heads {
		if h.state == s {
			call := &c.calls[h.call]
			t := invs[len(c.iface.States)+n].At(c.pool, variables(call.vars)...)
			out = append(out, typestate.HeadInvariant{Call: call.id, Loc: h.loc, Formula: prog.FormatExpr(c.prog, call.vars, t)})
		}
	}
	return out
}

// Certificate is the certificate with one node for each state, of which the
// invariants are the labels, and the labels the evidence for forbidden calls.
func (c *Conjecture) Certificate(invs []smtlib.Invariant) *typestate.Certificate {
	cert := &typestate.Certificate{Program: c.prog.Hash()}
	for s := -1; s < len(c.iface.States); s++ {
		n := typestate.Node{State: s, Heads: c.invariants(invs, s)}
		if s < 0 {
			n.Label = prog.FormatExpr(c.prog, c.sym.State, c.initial())
		} else {
			n.Label = c.label(invs, s)
		}
		set := typestate.Set{Formula: n.Label}
		for k := range c.calls {
			call := &c.calls[k]
			if call.constructor != (s < 0) {
				continue
			}
			verdict, ways := c.says(s, k)
			switch {
			case verdict.Forbidden():
				set.Errs = append(set.Errs, typestate.SetError{Call: call.id, Args: "true"})
			case !silent(s, verdict):
				for _, w := range ways {
					n.Next = append(n.Next, typestate.NodeEdge{Call: call.id, Args: "true",
						Results: prog.FormatExpr(c.prog, call.sum.Method.Results, w.cond), Node: w.to + 1})
				}
			}
		}
		if len(set.Errs) > 0 {
			n.Sets = []typestate.Set{set}
		}
		cert.Nodes = append(cert.Nodes, n)
	}
	for n := range cert.Nodes {
		for e, edge := range cert.Nodes[n].Next {
			sets := cert.Nodes[edge.Node].Sets
			for s := range sets {
				sets[s].From = append(sets[s].From, typestate.Support{Node: n, Edge: e, Set: -1})
			}
		}
	}
	return cert
}

// Strengthen returns a certificate whose labels and loop invariants are those of
// another together with the invariants.
func (c *Conjecture) Strengthen(other *typestate.Certificate, invs []smtlib.Invariant) *typestate.Certificate {
	cert := &typestate.Certificate{Program: other.Program, Nodes: slices.Clone(other.Nodes), Rankings: slices.Clone(other.Rankings)}
	for n := range cert.Nodes {
		x := &cert.Nodes[n]
		if x.State >= 0 {
			x.Label = fmt.Sprintf("(%s) && (%s)", x.Label, c.label(invs, x.State))
		}
		x.Heads = slices.Clone(x.Heads)
		for _, h := range c.invariants(invs, x.State) {
			at := slices.IndexFunc(x.Heads, func(o typestate.HeadInvariant) bool { return o.Call == h.Call && o.Loc == h.Loc })
			if at < 0 {
				x.Heads = append(x.Heads, h)
			} else {
				x.Heads[at].Formula = fmt.Sprintf("(%s) && (%s)", x.Heads[at].Formula, h.Formula)
			}
		}
	}
	return cert
}
