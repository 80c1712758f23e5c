// SPDX-License-Identifier: Apache-2.0

package cegar

// This file writes certificates of interfaces found by predicate abstraction. A
// node is a pair (U, L) with a state of the interface: its label is U, its sets
// are the members of L that forbidden calls need, or edges of a tight interface, and those from which these
// come. Loop invariants are the abstract states seen at loop heads.
//
// Where a member of L comes from is found again when it is asked for, from the
// effects that are remembered anyway, rather than recorded with each pair.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/loops"
	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/registers"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

type cegarCertifier struct {
	abs       *predabs.Abstraction
	graph     *pairs.Graph
	builder   *builder
	certainty *certainty
	merger    *merger
	cert      *typestate.Certificate
	index     map[[2]int32]int
	nodes     []cegarNode
}

type cegarNode struct {
	pair, state int32
	sets        map[int32]int // number of a set of abstract states -> set of the node
	order       []int32
	in          []cegarIn
}

type cegarIn struct{ node, edge, call, outcome int }

// certify returns the certificate of an interface whose states are those of r,
// numbered by number; nil if it would be too large.
func (bd *builder) certify(ctx context.Context, g *merger, number []int) (*typestate.Certificate, error) {
	r := g.dfa
	if bd.abs.Scope == predabs.MustNone {
		return nil, nil // another abstraction knows why calls are forbidden
	}
	k := &cegarCertifier{abs: bd.abs, graph: bd.graph, builder: bd, merger: g, index: map[[2]int32]int{}, certainty: newCertainty(bd.graph)}
	k.cert = &typestate.Certificate{Program: bd.abs.P.Program.Hash()}
	k.node(0, 0, -1)
	for n := 0; n < len(k.nodes); n++ {
		if len(k.nodes) > explicit.MaxCertNodes {
			return nil, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		me := k.nodes[n]
		for _, x := range g.calls {
			if bd.abs.Methods[x.method].Constructor == (n == 0) {
				if err := k.heads(ctx, n, x); err != nil {
					return nil, err
				}
			}
		}
		for x := range bd.abs.Calls {
			call := &bd.abs.Calls[x]
			if call.Constructor != (n == 0) {
				continue
			}
			v := bd.graph.Verdicts[me.pair][x].Verdict
			if bd.graph.CannotBeMade(me.pair, x) {
				if k.isForbidden(me.state, x) { // in another pair of the state
					k.errs(n, k.graph.Pairs[me.pair].U, x)
				}
				continue
			}
			if v.Forbidden() {
				if err := k.evidence(ctx, n, x); err != nil {
					return nil, err
				}
				continue
			}
			if n == 0 && v == typestate.VerdictUnknown {
				continue // the interface says nothing of what comes after it
			}
			for o := range call.Outcomes {
				to := r.Step(me.state, call.Letter+o)
				next := bd.graph.Next[me.pair][call.Letter+o]
				if next < 0 || r.Out[to] != automata.Accept {
					continue
				}
				if err := k.certain(ctx, n, x, o); err != nil {
					return nil, err
				}
				t := k.node(next, to, number[to])
				at := &k.cert.Nodes[n]
				k.nodes[t].in = append(k.nodes[t].in, cegarIn{n, len(at.Next), x, o})
				at.Next = append(at.Next, typestate.NodeEdge{Call: k.id(x), Args: k.args(x),
					Results: prog.FormatExpr(bd.abs.P.Program, call.Sum.Method.Results, call.Outcomes[o].Cond), Node: t})
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for n := range k.nodes {
			more, err := k.support(ctx, n)
			if err != nil {
				return nil, err
			}
			changed = changed || more
		}
	}
	k.rankings()
	return k.cert, nil
}

func (k *cegarCertifier) node(pair, state int32, number int) int {
	key := [2]int32{pair, state}
	n, ok := k.index[key]
	if !ok {
		n = len(k.nodes)
		k.index[key] = n
		k.nodes = append(k.nodes, cegarNode{pair: pair, state: state, sets: map[int32]int{}})
		k.cert.Nodes = append(k.cert.Nodes, typestate.Node{State: number, Label: k.formula(k.graph.Sets.Set(k.graph.Pairs[pair].U))})
	}
	return n
}

// id is the call of the interface that a call became.
func (k *cegarCertifier) id(call int) string { return k.merger.calls[k.merger.callOf[call]].id }

// args writes the class of arguments of a call.
func (k *cegarCertifier) args(call int) string {
	c := &k.abs.Calls[call]
	return prog.FormatExpr(k.abs.P.Program, k.merger.guardVars(c.Method), c.Guard)
}

// formula writes the union of abstract states. What conventions assume of them
// is left out: it cannot be proved, and the judge knows it from the program.
func (k *cegarCertifier) formula(states []int32) string {
	var any []*term.Term
	for _, a := range states {
		if a == 0 {
			any = append(any, k.abs.Region(a))
		} else {
			any = append(any, k.abs.Cube(k.abs.Cubes[a], nil))
		}
	}
	return prog.FormatExpr(k.abs.P.Program, k.abs.Sym.State, k.abs.Pool.Or(any...))
}

// set makes a member of L a set of the node.
func (k *cegarCertifier) set(n int, id int32) int {
	j, ok := k.nodes[n].sets[id]
	if !ok {
		j = len(k.nodes[n].order)
		k.nodes[n].sets[id] = j
		k.nodes[n].order = append(k.nodes[n].order, id)
		k.cert.Nodes[n].Sets = append(k.cert.Nodes[n].Sets, typestate.Set{Formula: k.formula(k.graph.Sets.Set(id))})
	}
	return j
}

// errs says that a call errs from all states of a set.
func (k *cegarCertifier) errs(n int, id int32, call int) {
	s := &k.cert.Nodes[n].Sets[k.set(n, id)]
	s.Errs = append(s.Errs, typestate.SetError{Call: k.id(call), Args: k.args(call)})
}

// isForbidden reports whether the interface forbids the call that a call became in a state.
func (k *cegarCertifier) isForbidden(state int32, call int) bool {
	at := slices.Index(k.merger.states, int(state))
	return at >= 0 && k.merger.calls[k.merger.callOf[call]].rows[at][0] == explicit.Rejected
}

// evidence finds the member of L because of which a call is forbidden.
func (k *cegarCertifier) evidence(ctx context.Context, n, call int) error {
	if p := k.nodes[n].pair; k.graph.Verdicts[p][call].Ends { // all that may be current errs
		k.errs(n, k.graph.Pairs[p].U, call)
		return nil
	}
	for _, id := range k.graph.Pairs[k.nodes[n].pair].L {
		all := true
		for _, a := range k.graph.Sets.Set(id) {
			e, err := k.abs.Effect(ctx, a, call)
			if err != nil {
				return err
			}
			all = all && e.MustErr
		}
		if all {
			k.errs(n, id, call)
			return nil
		}
	}
	return nil // the checker will miss it
}

// certain adds the set because of which an edge of a tight interface can be taken after every word, unless it can from the whole label.
func (k *cegarCertifier) certain(ctx context.Context, n, call, outcome int) error {
	if !k.builder.tight {
		return nil
	}
	at := k.nodes[n].pair
	if ok, err := k.certainty.fromAll(ctx, k.graph.Pairs[at].U, call, outcome); ok || err != nil {
		return err
	}
	set, err := k.certainty.certainSet(ctx, at, call, outcome)
	if set >= 0 && err == nil {
		k.set(n, set)
	}
	return err
}

// support gives the sets of a node a source for each edge into it. It reports
// whether a node got a set.
func (k *cegarCertifier) support(ctx context.Context, n int) (changed bool, err error) {
	for j := 0; j < len(k.nodes[n].order); j++ {
		id := k.nodes[n].order[j]
		want := slices.Clone(k.graph.Sets.Set(id))
		for _, in := range k.nodes[n].in[len(k.cert.Nodes[n].Sets[j].From):] {
			from := typestate.Support{Node: in.node, Edge: in.edge, Set: -1}
			if id != k.graph.Pairs[k.nodes[n].pair].U {
				source := int32(-1)
				for _, s := range k.graph.Pairs[k.nodes[in.node].pair].L {
					ok, err := k.leads(ctx, k.graph.Sets.Set(s), in.call, in.outcome, want)
					if err != nil {
						return false, err
					}
					if ok {
						source = s
						break
					}
				}
				if source >= 0 {
					before := len(k.nodes[in.node].order)
					from.Set = k.set(in.node, source)
					changed = changed || len(k.nodes[in.node].order) > before
				}
			}
			set := &k.cert.Nodes[n].Sets[j]
			set.From = append(set.From, from)
		}
	}
	return changed, nil
}

// leads reports whether each abstract state of a set certainly leads into want.
func (k *cegarCertifier) leads(ctx context.Context, set []int32, call, outcome int, want []int32) (bool, error) {
	for _, a := range set {
		e, err := k.abs.Effect(ctx, a, call)
		if err != nil {
			return false, err
		}
		if !slices.ContainsFunc(e.Must[outcome], func(t []int32) bool { return explicit.Subset(t, want) }) {
			return false, nil
		}
	}
	return true, nil
}

// heads adds the loop invariants of a call: for each class of its arguments what
// the abstraction has found at the head, and the predicates that the call does not
// touch.
func (k *cegarCertifier) heads(ctx context.Context, n int, call *mergedCall) error {
	sum := k.abs.Methods[call.method].Sum
	// Where a parameter is assigned to, the argument has a name of its own.
	vars, arguments := slices.Clone(sum.Vars), map[*term.Term]*term.Term{}
	for _, v := range sum.Method.Params {
		if explicit.Assigns(sum.Method, v) {
			name := typestate.EntryPrefix + v.Name
			arguments[v.Term] = k.abs.Pool.Var(name, v.Type.Sort)
			vars = append(vars, &prog.Var{Name: name, Type: v.Type, Term: arguments[v.Term]})
		}
	}
	kept := k.abs.Pool.True()
	for r, v := range k.builder.regs.Vars {
		// So has a register, of which loops keep the value unless they change it.
		name := typestate.EntryPrefix + v.Name
		if n == 0 || slices.ContainsFunc(vars, func(o *prog.Var) bool { return o.Name == name }) {
			continue
		}
		arguments[v.Term] = k.abs.Pool.Var(name, v.Type.Sort)
		vars = append(vars, &prog.Var{Name: name, Type: v.Type, Term: arguments[v.Term]})
		if k.builder.live[k.nodes[n].pair][r] && registers.LoopsKeep(sum, v.Term) {
			kept = k.abs.Pool.And(kept, k.abs.Pool.Eq(v.Term, arguments[v.Term]))
		}
	}
	for _, v := range k.builder.regs.Vars {
		// What it is given before loops, it has in them.
		given, err := k.builder.regs.BeforeLoops(ctx, sum, v)
		if err != nil {
			return err
		}
		if given != nil && !registers.LoopsKeep(sum, v.Term) && k.isLive(n, given) {
			kept = k.abs.Pool.And(kept, k.abs.Pool.Eq(v.Term, k.abs.Pool.Substitute(given, arguments)))
		}
	}
	for _, h := range sum.Heads {
		var any []*term.Term
		for _, x := range call.parts {
			guard := k.abs.Pool.True()
			if len(call.parts) > 1 {
				guard = k.abs.Pool.Substitute(k.abs.Calls[x].Guard, arguments)
			}
			here, err := k.head(ctx, n, x, h)
			if err != nil {
				return err
			}
			any = append(any, k.abs.Pool.And(guard, here))
		}
		k.cert.Nodes[n].Heads = append(k.cert.Nodes[n].Heads, typestate.HeadInvariant{Call: call.id, Loc: h,
			Formula: prog.FormatExpr(k.abs.P.Program, vars, k.abs.Pool.And(kept, k.abs.Pool.Or(any...)))})
	}
	return nil
}

// isLive reports whether the variables of the state in a term are registers of a node.
func (k *cegarCertifier) isLive(n int, t *term.Term) bool {
	return !slices.ContainsFunc(term.FreeVars(t), func(x *term.Term) bool {
		v := k.builder.regs.StateVar(x)
		r := slices.Index(k.builder.regs.Vars, v)
		return v != nil && (n == 0 || r < 0 || !k.builder.live[k.nodes[n].pair][r])
	})
}

func (k *cegarCertifier) head(ctx context.Context, n, call, h int) (*term.Term, error) {
	pl := k.abs.Plan(call)
	var any []*term.Term
	for _, a := range k.graph.Sets.Set(k.graph.Pairs[k.nodes[n].pair].U) {
		e, err := k.abs.Effect(ctx, a, call)
		if err != nil {
			return nil, err
		}
		var here []*term.Term
		for _, x := range e.Part.Nodes[1:] {
			if x.Loc == h {
				here = append(here, k.abs.Valued(k.abs.Tracked(call, h), x.Bits, nil))
			}
		}
		frame := k.abs.Pool.True()
		if a != 0 {
			var rest []int
			for i := range k.abs.Preds {
				if !slices.Contains(pl.Touched, i) {
					rest = append(rest, i)
				}
			}
			frame = k.abs.Some(a, rest)
		}
		any = append(any, k.abs.Pool.And(frame, k.abs.Pool.Or(here...)))
	}
	return k.abs.Pool.Or(any...), nil
}

// rankings writes the rankings of all methods.
func (k *cegarCertifier) rankings() {
	p := k.abs.P.Program
	for _, x := range k.abs.Methods {
		vars := slices.Concat(k.abs.Sym.State, x.Sum.Method.Params)
		for _, r := range k.abs.Rankings[x.Sum] {
			t := typestate.Ranking{Method: x.Sum.Method.Name, When: prog.FormatExpr(p, vars, r.When)}
			for _, h := range x.Sum.Heads {
				head := typestate.RankHead{Loc: h, Formula: prog.FormatExpr(p, x.Sum.Vars, k.abs.Pool.And(r.Inv[h]...))}
				for _, e := range r.Rank[h] {
					head.Rank = append(head.Rank, prog.FormatExprAs(p, x.Sum.Vars, e, prog.Type{Sort: term.BV(loops.RankWidth)}))
				}
				t.Heads = append(t.Heads, head)
			}
			k.cert.Rankings = append(k.cert.Rankings, t)
		}
	}
}
