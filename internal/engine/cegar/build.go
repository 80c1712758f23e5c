// SPDX-License-Identifier: Apache-2.0

package cegar

// This file writes the interface of the pairs of a predicate abstraction: it
// minimizes them, joins the verdicts of pairs that become one state, and labels
// states by the abstract states that may be current.

import (
	"cmp"
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/engine/registers"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A builder writes the interface of the pairs of a graph.
type builder struct {
	abs    *predabs.Abstraction
	graph  *pairs.Graph
	regs   *registers.Registers
	live   [][]bool                        // by pair and register, see build_registers.go
	tight  bool                            // all edges are certain
	unsure func(pair int32, call int) bool // which calls that may fail hang on guesses; nil: none
}

// Build minimizes the pairs and writes the interface.
func (c *Run) Build(ctx context.Context, st problem.Stats) (*typestate.Interface, error) {
	return c.build(ctx, st, nil)
}

// build is Build, which knows which calls that may fail hang on guesses.
func (c *Run) build(ctx context.Context, st problem.Stats, unsure func(pair int32, call int) bool) (*typestate.Interface, error) {
	b := &builder{abs: c.Abs, graph: c.Graph, regs: c.regs, tight: c.tight, unsure: unsure}
	everywhere := b.fewerStatesEverywhere()
	i, confused, err := b.buildWith(ctx, st, everywhere)
	if confused && err == nil && !everywhere {
		i, _, err = b.buildWith(ctx, st, true)
	}
	return i, err
}

// fewerStatesEverywhere reports whether there are fewer states if all of them have all registers. States with other
// registers are different ones, also where only the calls that can be made differ.
func (bd *builder) fewerStatesEverywhere() bool {
	if len(bd.regs.Vars) == 0 {
		return false
	}
	var states [2]int
	for k, everywhere := range []bool{false, true} {
		bd.findLive(everywhere)
		min, _ := automata.MinimizeMap(bd.automaton())
		if !bd.abs.P.Tight {
			min, _, _ = automata.Cover(min)
		}
		for _, out := range min.Out {
			if out == automata.Accept {
				states[k]++
			}
		}
	}
	return states[1] < states[0]
}

// buildWith builds it with registers where they are live, or everywhere. The first
// may give calls that cannot be told apart in a state.
func (bd *builder) buildWith(ctx context.Context, st problem.Stats, everywhere bool) (_ *typestate.Interface, confused bool, _ error) {
	bd.findLive(everywhere)
	d := bd.automaton()
	min, class := automata.MinimizeMap(d)
	tight := "unknown"
	r, at, minimal := min, [][]int32(nil), true
	if bd.abs.P.Tight {
		for s := range min.States() {
			at = append(at, []int32{int32(s)})
		}
		if bd.tight {
			tight = "yes"
		}
	} else if r, at, minimal = automata.Cover(min); !minimal {
		st["minimalityUnproved"] = 1
	}
	members := make([][]int32, r.States()) // pairs of each state
	for i := range bd.graph.Pairs {
		for _, s := range at[class[i]] {
			members[s] = append(members[s], int32(i))
		}
	}
	number := make([]int, r.States())
	count := 0
	for s := range number {
		number[s] = -1
		if s != 0 && r.Out[s] == automata.Accept {
			number[s] = count
			count++
		}
	}
	i := &typestate.Interface{
		Format: typestate.Format,
		Component: typestate.Component{Language: "open", Name: bd.abs.P.Program.Name, Program: bd.abs.P.Program.Hash(),
			Errors: ProgramErrorKinds(bd.abs.P.Program)},
		Guarantees:  typestate.Guarantees{Safe: "proved", Permissive: "proved", Tight: tight},
		Conventions: append(ConventionsOf(bd.abs.P), bd.endings()...),
	}
	st["states"] = int64(count)
	i.Stats = st
	g := &merger{abs: bd.abs, graph: bd.graph, builder: bd, dfa: r, members: members}
	for s := range number {
		if number[s] >= 0 {
			g.states = append(g.states, s)
		}
	}
	if err := g.run(ctx); err != nil {
		return nil, false, err
	}
	if g.confused() {
		return nil, true, nil
	}
	if err := bd.write(ctx, i, g, number); err != nil {
		return nil, false, err
	}
	for s := range r.States() {
		if number[s] >= 0 {
			i.States = append(i.States, typestate.State{ID: number[s], Label: bd.label(members, int32(s)), Registers: g.registersOf(s)})
		}
	}
	var err error
	if i.Certificate, err = bd.certify(ctx, g, number); err != nil && !problem.Undecided(err) {
		return nil, false, err
	}
	if i.Certificate == nil {
		st.Omitted(problem.OmittedLarge)
	}
	if len(bd.regs.Vars) > 0 {
		st["registers"] = int64(len(bd.regs.Vars))
	} else if len(i.Unknown) > 0 {
		bd.open(i, g)
		st["states"] = int64(len(i.States))
	}
	return i, false, i.Canonicalize()
}

// afterNever is why nothing is said in the state behind open ends.
const afterNever = "after an outcome that was not expected here"

// open gives a partial interface an edge for every outcome of a call that is
// not forbidden. Its states are told apart also by what was not decided, and so by
// which outcomes can happen: to say nothing of the others would suggest that a client
// need not be ready for them, and an edge for all outcomes would lead them
// somewhere as if something were known. They lead to a state of which nothing is
// known. Nothing is there: its label in the certificate is false.
func (bd *builder) open(i *typestate.Interface, g *merger) {
	type edge struct {
		state   int
		call    string
		outcome string
	}
	edges := map[edge]bool{}
	for _, e := range i.Edges {
		edges[edge{e.From, e.Call, e.Outcome}] = true
	}
	ends := map[edge]bool{}
	for _, f := range i.Forbidden {
		ends[edge{f.State, f.Call, ""}] = true
	}
	nowhere := len(i.States)
	used := false
	for _, s := range i.States {
		for _, k := range i.Calls {
			if ends[edge{s.ID, k.ID, ""}] {
				continue
			}
			returns := slices.ContainsFunc(k.Outcomes, func(o string) bool { return edges[edge{s.ID, k.ID, o}] })
			for _, o := range k.Outcomes {
				if returns && !edges[edge{s.ID, k.ID, o}] {
					i.Edges = append(i.Edges, typestate.Edge{From: s.ID, Call: k.ID, Outcome: o, To: nowhere})
					used = true
				}
			}
		}
	}
	if !used {
		return
	}
	i.States = append(i.States, typestate.State{ID: nowhere, Label: "false", Registers: []typestate.Register{}})
	for _, k := range i.Calls {
		i.Unknown = append(i.Unknown, typestate.Unknown{State: nowhere, Call: k.ID, Reason: afterNever})
		for _, o := range k.Outcomes {
			i.Edges = append(i.Edges, typestate.Edge{From: nowhere, Call: k.ID, Outcome: o, To: nowhere})
		}
	}
	if i.Certificate != nil {
		n := typestate.Node{State: nowhere, Label: "false"}
		for _, k := range g.calls {
			for _, h := range bd.abs.Methods[k.method].Sum.Heads {
				if !bd.abs.Methods[k.method].Constructor {
					n.Heads = append(n.Heads, typestate.HeadInvariant{Call: k.id, Loc: h, Formula: "false"})
				}
			}
		}
		i.Certificate.Nodes = append(i.Certificate.Nodes, n)
	}
}

// write writes the calls and what they do in each state.
func (bd *builder) write(ctx context.Context, i *typestate.Interface, g *merger, number []int) error {
	for _, k := range g.calls {
		x := &bd.abs.Methods[k.method]
		m := x.Sum.Method
		params, types := []string{}, []string{}
		for _, v := range m.Params {
			params, types = append(params, v.Name), append(types, v.Type.String())
		}
		if !x.Constructor {
			tc := typestate.Call{ID: k.id, Method: m.Name, Params: params, Types: types, Guard: k.guard, Results: resultsOf(m)}
			for _, o := range g.outcomes[k.method] {
				tc.Outcomes = append(tc.Outcomes, o.name)
			}
			i.Calls = append(i.Calls, tc)
		}
		for n, s := range g.sources(x.Constructor) {
			if !isMade(k.rows[n]) {
				i.Impossible = append(i.Impossible, typestate.Impossible{State: number[s], Call: k.id})
				continue
			}
			verdict, reason, sites, at := bd.cellOf(g.members[s], k.parts)
			sure := bd.sure(g.members[s], k.parts)
			targets := k.rows[n][1:]
			var witness []typestate.Step
			if verdict.Forbidden() {
				var err error
				if witness, err = bd.witness(ctx, g, at.pair, at.call); err != nil {
					return err
				}
			}
			if x.Constructor {
				entry := typestate.Constructor{ID: k.id, Method: m.Name, Params: params, Types: types, Guard: k.guard, Verdict: verdict.String(), Reason: reason, Results: resultsOf(m)}
				if verdict.Forbidden() {
					entry.Errors, entry.Witness, entry.Sure = ErrorSites(sites), witness, sure
				}
				wrote := false
				for o, out := range g.outcomes[k.method] {
					if verdict == typestate.VerdictAllowed && targets[o] >= 0 {
						e, state := entry, number[g.places[targets[o]].to]
						e.State, e.Outcome, e.Update = &state, out.name, g.update(k.method, targets[o])
						i.Constructors = append(i.Constructors, e)
						wrote = true
					}
				}
				if !wrote {
					i.Constructors = append(i.Constructors, entry)
				}
				continue
			}
			switch {
			case verdict.Forbidden():
				i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: number[s], Call: k.id, Verdict: verdict.String(), Errors: ErrorSites(sites), Witness: witness, Sure: sure})
				continue
			case verdict == typestate.VerdictUnknown:
				i.Unknown = append(i.Unknown, typestate.Unknown{State: number[s], Call: k.id, Reason: reason})
			}
			for o, out := range g.outcomes[k.method] {
				if targets[o] >= 0 {
					i.Edges = append(i.Edges, typestate.Edge{From: number[s], Call: k.id, Outcome: out.name, To: number[g.places[targets[o]].to], Update: g.update(k.method, targets[o])})
				}
			}
		}
	}
	return nil
}

// cellOf joins the verdicts of calls that are one call in pairs that are one state, as far as the calls can be made there,
// and names a pair and a call that have the verdict. Some call can be made in some pair.
func (bd *builder) cellOf(pairs []int32, calls []int) (v typestate.Verdict, reason string, sites []*prog.ErrorSite, at cell) {
	first := true
	for _, k := range calls {
		for _, p := range pairs {
			if bd.graph.CannotBeMade(p, k) {
				continue
			}
			x := bd.graph.Verdicts[p][k]
			if first || x.Verdict == typestate.VerdictMayFail && v != x.Verdict {
				v, at, first = x.Verdict, cell{p, k}, false
			}
			reason = cmp.Or(reason, x.Reason)
			if !x.Verdict.Forbidden() {
				continue
			}
			for _, s := range x.Sites {
				if !slices.Contains(sites, s) {
					sites = append(sites, s)
				}
			}
		}
	}
	return v, reason, sites, at
}

// sure reports whether calls fail surely in all of some pairs in which they can be made.
func (bd *builder) sure(pairs []int32, calls []int) bool {
	return bd.unsure == nil || !slices.ContainsFunc(pairs, func(p int32) bool {
		return slices.ContainsFunc(calls, func(k int) bool { return !bd.graph.CannotBeMade(p, k) && bd.unsure(p, k) })
	})
}

// ErrorSites writes error sites.
func ErrorSites(sites []*prog.ErrorSite) []typestate.ErrorSite {
	out := []typestate.ErrorSite{}
	for _, e := range sites {
		out = append(out, typestate.ErrorSite{Kind: e.Kind, Message: e.Message, At: e.Pos.String()})
	}
	return out
}

// ProgramErrorKinds lists the kinds of the errors of a program that count.
func ProgramErrorKinds(p *prog.Program) []string {
	var sites []*prog.ErrorSite
	for _, m := range append(slices.Clone(p.Constructors), p.Methods...) {
		for _, e := range m.Errors {
			if !e.Blamed {
				sites = append(sites, e)
			}
		}
	}
	return explicit.ErrorKinds(sites)
}

// label describes the abstract states that may be current in a state.
func (bd *builder) label(members [][]int32, state int32) string {
	current := func(pairs []int32) map[int32]bool {
		set := map[int32]bool{}
		for _, p := range pairs {
			for _, a := range bd.graph.Sets.Set(bd.graph.Pairs[p].U) {
				set[a] = true
			}
		}
		return set
	}
	mine := current(members[state])
	if len(bd.abs.Cubes) == 1 {
		return "true"
	}
	chosen := bd.telling(mine)
	vars := make([]*prog.Var, len(chosen))
	for k, i := range chosen {
		p := bd.abs.Preds[i]
		vars[k] = &prog.Var{Name: prog.FormatExpr(bd.abs.P.Program, bd.abs.Sym.State, p), Type: prog.Type{Sort: term.BoolSort}, Term: p}
	}
	var points [][]uint64
	var in []bool
	seen := map[predabs.Valuation]bool{}
	for a := 1; a < len(bd.abs.Cubes); a++ {
		v := bd.abs.Cubes[a].Pick(chosen)
		if seen[v] {
			continue
		}
		seen[v] = true
		pt := make([]uint64, len(v))
		for i := range pt {
			pt[i] = uint64(v[i] - '0')
		}
		points = append(points, pt)
		in = append(in, mine[int32(a)])
	}
	return describe.PredicateFormula(bd.abs.P.Program, bd.abs.Sym.State, vars, points, in)
}

// telling returns the numbers of predicates by which some abstract states are
// told from all others: all if there are few, else greedily those that are
// equal in all of them and exclude the most others, then whatever is needed.
func (bd *builder) telling(mine map[int32]bool) []int {
	var chosen []int
	if len(bd.abs.Preds) <= fewPredicates {
		for i := range bd.abs.Preds {
			chosen = append(chosen, i)
		}
		return chosen
	}
	var in, out []predabs.Valuation
	for a := 1; a < len(bd.abs.Cubes); a++ {
		if mine[int32(a)] {
			in = append(in, bd.abs.Cubes[a])
		} else {
			out = append(out, bd.abs.Cubes[a])
		}
	}
	for len(in) > 0 && len(out) > 0 {
		best, most := -1, 0
		for i := range bd.abs.Preds {
			equal := true
			for _, v := range in {
				equal = equal && v[i] == in[0][i]
			}
			n := 0
			for _, v := range out {
				if equal && v[i] != in[0][i] {
					n++
				}
			}
			if n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, best)
		out = slices.DeleteFunc(out, func(v predabs.Valuation) bool { return v[best] != in[0][best] })
	}
	for _, v := range in {
		for _, w := range out {
			if v.Pick(chosen) != w.Pick(chosen) {
				continue
			}
			for i := range bd.abs.Preds {
				if v[i] != w[i] {
					chosen = append(chosen, i)
					break
				}
			}
		}
	}
	slices.Sort(chosen)
	return chosen
}

// ConventionsOf lists what was assumed.
func ConventionsOf(p *problem.Problem) []string {
	out := []string{}
	if p.NoWrap {
		for _, v := range prog.Counters(p.Program) {
			out = append(out, prog.NoWrap(v))
		}
	}
	return out
}
