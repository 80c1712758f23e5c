// SPDX-License-Identifier: Apache-2.0

package parts

// This file multiplies interfaces of parts of one program. A state of the
// product is one state of each factor. A call is forbidden iff some factor
// forbids it, unknown iff none forbids it and some does not know, and allowed
// otherwise; an outcome can happen iff it can in every factor. A factor that
// does not have a method stays where it is. So the same function is the
// product of interfaces with the same calls and the interleaving of interfaces
// with different ones.
//
// Factors may split the arguments or the results of a method differently. The
// product has the common refinement: conjunctions of guards, and of the
// conditions of outcomes, that a solver finds satisfiable. The product is not
// minimized: it is there to be compared, and to be read part by part.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/typestate"
)

// Product returns the product of interfaces of parts of p.Program.
func Product(ctx context.Context, p problem.Problem, list []*typestate.Interface) (*typestate.Interface, error) {
	if len(list) == 0 {
		return nil, errors.New("a product needs at least one interface")
	}
	b := &Multiplier{ctx: ctx, P: p.Program, limit: maxProduct, solver: p.Solver}
	if p.Budget > 0 {
		b.limit = min(b.limit, p.Budget)
	}
	for _, i := range list {
		if slices.ContainsFunc(i.States, func(s typestate.State) bool { return len(s.Registers) > 0 }) {
			return nil, &problem.Refusal{Engine: "product", Reason: "interfaces with registers have no product yet"}
		}
		b.factors = append(b.factors, newFactor(i))
	}
	return b.run()
}

// A factor is an interface that is looked up often.
type factor struct {
	*typestate.Interface
	edges     map[at][]typestate.Edge
	forbidden map[at]*typestate.Forbidden
	unknown   map[at]string
	uncovered map[at][]typestate.Uncovered
}

// An at is a state and the id of a call.
type at struct {
	state int
	call  string
}

func newFactor(i *typestate.Interface) *factor {
	f := &factor{i, map[at][]typestate.Edge{}, map[at]*typestate.Forbidden{}, map[at]string{}, map[at][]typestate.Uncovered{}}
	for _, e := range i.Edges {
		f.edges[at{e.From, e.Call}] = append(f.edges[at{e.From, e.Call}], e)
	}
	for k := range i.Forbidden {
		x := &i.Forbidden[k]
		f.forbidden[at{x.State, x.Call}] = x
	}
	for _, u := range i.Unknown {
		f.unknown[at{u.State, u.Call}] = u.Reason
	}
	for _, u := range i.Uncovered {
		f.uncovered[at{u.State, u.Call}] = append(f.uncovered[at{u.State, u.Call}], u)
	}
	return f
}

// A joint is a class of arguments or of results that all factors agree on: a
// text, and the class of each factor that it is part of ("" if the factor does
// not have the method).
type joint struct {
	text string
	of   []string
}

// A Multiplier makes the product of interfaces of parts of a program. With the program alone it reads guards and outcomes.
type Multiplier struct {
	ctx     context.Context
	P       *prog.Program
	factors []*factor
	limit   int
	solver  func() solve.Solver

	out    *typestate.Interface
	tuples [][]int // of states of the factors
	index  map[string]int
}

func (b *Multiplier) run() (*typestate.Interface, error) {
	b.out, b.index = b.header(), map[string]int{}
	for _, m := range b.P.Constructors {
		if err := b.construct(m); err != nil {
			return nil, err
		}
	}
	type call struct {
		id       string
		method   *prog.Method
		of       []string // id in each factor
		outcomes []joint
	}
	var calls []call
	for _, m := range b.P.Methods {
		guards, outcomes, err := b.method(m)
		if err != nil {
			return nil, err
		}
		params, types := signature(m)
		for k, g := range guards {
			id := m.Name
			if k > 0 {
				id = fmt.Sprintf("%s#%d", m.Name, k+1)
			}
			calls = append(calls, call{id, m, g.of, outcomes})
			c := typestate.Call{ID: id, Method: m.Name, Params: params, Types: types, Guard: g.text}
			for _, o := range outcomes {
				c.Outcomes = append(c.Outcomes, o.text)
			}
			b.out.Calls = append(b.out.Calls, c)
		}
	}
	for s := 0; s < len(b.tuples); s++ {
		if err := b.ctx.Err(); err != nil {
			return nil, context.Cause(b.ctx)
		}
		for _, c := range calls {
			if err := b.cell(s, c.id, c.of, c.outcomes); err != nil {
				return nil, err
			}
		}
	}
	b.out.Stats["states"] = int64(len(b.out.States))
	if err := b.out.Canonicalize(); err != nil {
		return nil, fmt.Errorf("internal error: the product is broken: %w", err)
	}
	b.explain()
	return b.out, nil
}

func signature(m *prog.Method) (params, types []string) {
	params, types = []string{}, []string{}
	for _, v := range m.Params {
		params, types = append(params, v.Name), append(types, v.Type.String())
	}
	return params, types
}

// header is the product without its automaton. A guarantee of the product is
// the least of its factors'.
func (b *Multiplier) header() *typestate.Interface {
	out := &typestate.Interface{
		Format:     typestate.Format,
		Component:  typestate.Component{Language: b.factors[0].Component.Language, Name: b.P.Name, Program: b.P.Hash()},
		Guarantees: typestate.Guarantees{Safe: "proved", Permissive: "proved", Tight: "yes"},
		Stats:      map[string]int64{"factors": int64(len(b.factors))},
	}
	for _, f := range b.factors {
		out.Component.Errors = append(out.Component.Errors, f.Component.Errors...)
		out.Conventions = append(out.Conventions, f.Conventions...)
		out.Contracts = append(out.Contracts, f.Contracts...)
		out.Approximations = append(out.Approximations, f.Approximations...)
		g := &out.Guarantees
		g.Safe = Least(g.Safe, f.Guarantees.Safe)
		g.Permissive = Least(g.Permissive, f.Guarantees.Permissive)
		if f.Guarantees.Tight != typestate.TightYes {
			g.Tight = typestate.GuaranteeUnknown
		}
		if g.Reason == "" {
			g.Reason = f.Guarantees.Reason
		}
	}
	return out
}

// Least returns the weaker of two guarantees.
func Least(x, y string) string {
	rank := func(s string) (int, int) {
		switch s {
		case typestate.GuaranteeProved:
			return 5, 0
		case typestate.GuaranteeClaimed:
			return 4, 0
		case typestate.GuaranteeOpen:
			return 2, 0
		case typestate.GuaranteeNo:
			return 0, 0
		}
		if depth, ok := typestate.ParseDepth(s); ok {
			return 3, depth
		}
		return 1, 0
	}
	a, da := rank(x)
	b, db := rank(y)
	if a < b || a == b && da <= db {
		return x
	}
	return y
}

// state returns the number of a tuple.
func (b *Multiplier) state(tuple []int) (int, error) {
	key := fmt.Sprint(tuple)
	n, ok := b.index[key]
	if ok {
		return n, nil
	}
	if len(b.tuples) == b.limit {
		return 0, &problem.ProductError{Limit: b.limit}
	}
	n = len(b.tuples)
	b.index[key] = n
	b.tuples = append(b.tuples, slices.Clone(tuple))
	b.out.States = append(b.out.States, typestate.State{ID: n, Label: b.label(tuple), Registers: []typestate.Register{}})
	return n, nil
}

// label is the conjunction of the labels of the factors; none if one has none.
func (b *Multiplier) label(tuple []int) string {
	var parts []string
	for k, s := range tuple {
		label := b.factors[k].States[s].Label
		if label == "" {
			return ""
		}
		if label != "true" && !slices.Contains(parts, label) {
			parts = append(parts, label)
		}
	}
	if label := conjunction(parts); len(label) <= maxProductLabel {
		return label
	}
	return ""
}

// conjunction writes a conjunction of conditions.
func conjunction(parts []string) string {
	switch len(parts) {
	case 0:
		return "true"
	case 1:
		return parts[0]
	}
	var out []string
	for _, t := range parts {
		if strings.Contains(t, "||") {
			t = "(" + t + ")"
		}
		out = append(out, t)
	}
	return strings.Join(out, " && ")
}

// constructorsOf are the entries of a constructor in each factor, by call, and their guards.
func (b *Multiplier) constructorsOf(m *prog.Method) (entries []map[string][]typestate.Constructor, guards [][]joint, err error) {
	guards = make([][]joint, len(b.factors))
	entries = make([]map[string][]typestate.Constructor, len(b.factors))
	for k, f := range b.factors {
		entries[k] = map[string][]typestate.Constructor{}
		for _, c := range f.Constructors {
			if c.Method != m.Name {
				continue
			}
			if entries[k][c.ID] == nil {
				guards[k] = append(guards[k], joint{c.Guard, []string{c.ID}})
			}
			entries[k][c.ID] = append(entries[k][c.ID], c)
		}
		if guards[k] == nil {
			return nil, nil, fmt.Errorf("a factor has no constructor %s", m.Name)
		}
	}
	return entries, guards, nil
}

// construct adds the entries of a constructor.
func (b *Multiplier) construct(m *prog.Method) error {
	entries, guards, err := b.constructorsOf(m)
	if err != nil {
		return err
	}
	classes, err := b.refine(m, b.guards(m), guards)
	if err != nil {
		return err
	}
	params, types := signature(m)
	for n, class := range classes {
		id := m.Name
		if n > 0 {
			id = fmt.Sprintf("%s#%d", m.Name, n+1)
		}
		entry := typestate.Constructor{ID: id, Method: m.Name, Params: params, Types: types, Guard: class.text}
		factors := make([][]typestate.Constructor, len(b.factors)) // the entries of the class, by factor
		for k := range b.factors {
			factors[k] = entries[k][class.of[k]]
		}
		results := judgeConstructor(&entry, factors)
		if entry.Verdict != "allowed" {
			b.out.Constructors = append(b.out.Constructors, entry)
			continue
		}
		if err := b.constructed(m, entry, results); err != nil {
			return err
		}
	}
	return nil
}

// judgeConstructor gives an entry its verdict, from those of the factors: fails if one fails, and unknown if one is and none may fail. It returns
// the outcomes of each factor with the states that they lead to.
func judgeConstructor(entry *typestate.Constructor, factors [][]typestate.Constructor) [][]joint {
	forbidden, fails := false, false
	results := make([][]joint, len(factors))
	for k, of := range factors {
		switch first := of[0]; first.Verdict {
		case "fails", "may-fail":
			forbidden, fails = true, fails || first.Verdict == "fails"
			entry.Errors = append(entry.Errors, first.Errors...)
		case "unknown":
			if entry.Reason == "" {
				entry.Reason = first.Reason
			}
		}
		for _, c := range of {
			if c.State != nil {
				results[k] = append(results[k], joint{c.Outcome, []string{fmt.Sprint(*c.State)}})
			}
		}
		// A factor that allows the constructor and has no outcome for it
		// says that it does not return.
		fails = fails || of[0].Verdict == "allowed" && len(results[k]) == 0
	}
	switch {
	case forbidden && fails:
		entry.Verdict, entry.Reason = "fails", ""
	case forbidden:
		entry.Verdict, entry.Reason = "may-fail", ""
	case entry.Reason != "":
		entry.Verdict = "unknown"
	default:
		entry.Verdict = "allowed"
	}
	return results
}

// constructed adds the entry of an allowed constructor for each outcome, of which results has those of each factor.
func (b *Multiplier) constructed(m *prog.Method, entry typestate.Constructor, results [][]joint) error {
	outcomes, err := b.refine(m, b.outcomes(m), results)
	if err != nil {
		return err
	}
	if len(outcomes) == 0 {
		b.out.Constructors = append(b.out.Constructors, entry)
	}
	for _, o := range outcomes {
		tuple := make([]int, len(b.factors))
		for k, s := range o.of {
			fmt.Sscan(s, &tuple[k])
		}
		to, err := b.state(tuple)
		if err != nil {
			return err
		}
		e := entry
		e.Outcome, e.State = o.text, &to
		b.out.Constructors = append(b.out.Constructors, e)
	}
	return nil
}

// method returns the classes of arguments and of results of a method.
func (b *Multiplier) method(m *prog.Method) (guards, outcomes []joint, err error) {
	args, results := make([][]joint, len(b.factors)), make([][]joint, len(b.factors))
	found := false
	for k, f := range b.factors {
		for _, c := range f.Calls {
			if c.Method != m.Name {
				continue
			}
			if args[k] == nil {
				for _, o := range c.Outcomes {
					results[k] = append(results[k], joint{o, []string{o}})
				}
			}
			args[k] = append(args[k], joint{c.Guard, []string{c.ID}})
		}
		if args[k] == nil { // it stays where it is
			args[k], results[k] = []joint{{"true", []string{""}}}, []joint{{"*", []string{""}}}
		} else {
			found = true
		}
	}
	if !found {
		return nil, nil, fmt.Errorf("no factor has method %s", m.Name)
	}
	if guards, err = b.refine(m, b.guards(m), args); err != nil {
		return nil, nil, err
	}
	outcomes, err = b.refine(m, b.outcomes(m), results)
	return guards, outcomes, err
}

// cell decides a call in a state of the product.
func (b *Multiplier) cell(s int, id string, of []string, outcomes []joint) error {
	var bad *typestate.Forbidden
	reason := ""
	for k, f := range b.factors {
		here := at{b.tuples[s][k], of[k]}
		if of[k] == "" {
			continue
		}
		for _, u := range f.uncovered[here] {
			u.State, u.Call = s, id
			b.out.Uncovered = append(b.out.Uncovered, u)
		}
		if x := f.forbidden[here]; x != nil {
			if bad == nil {
				bad = &typestate.Forbidden{State: s, Call: id, Verdict: "may-fail"}
			}
			if x.Verdict == "fails" {
				bad.Verdict = "fails"
			}
			bad.Errors = append(bad.Errors, x.Errors...)
		} else if r, ok := f.unknown[here]; ok && reason == "" {
			reason = r
		}
	}
	returns := false
	for _, o := range outcomes {
		tuple := slices.Clone(b.tuples[s])
		happens := true
		for k, f := range b.factors {
			here := at{tuple[k], of[k]}
			if of[k] == "" || f.forbidden[here] != nil {
				continue
			}
			n := slices.IndexFunc(f.edges[here], func(e typestate.Edge) bool { return e.Outcome == "*" || e.Outcome == o.of[k] })
			if n < 0 {
				happens = false
				break
			}
			tuple[k] = f.edges[here][n].To
		}
		returns = returns || happens
		if !happens || bad != nil {
			continue
		}
		to, err := b.state(tuple)
		if err != nil {
			return err
		}
		b.out.Edges = append(b.out.Edges, typestate.Edge{From: s, Call: id, Outcome: o.text, To: to})
	}
	switch {
	case bad != nil:
		if !returns {
			bad.Verdict = "fails"
		}
		b.out.Forbidden = append(b.out.Forbidden, *bad)
	case reason != "":
		b.out.Unknown = append(b.out.Unknown, typestate.Unknown{State: s, Call: id, Reason: reason})
	}
	return nil
}

// explain gives cells the witnesses of the factors that lead to them. A witness
// of a factor need not be one of the product: it may go through a call that
// another factor forbids. So a cell may be left without.
func (b *Multiplier) explain() {
	known := func(s typestate.Step) bool {
		n := slices.IndexFunc(b.out.Calls, func(c typestate.Call) bool { return c.Method == s.Call })
		return n < 0 || s.Outcome == "" || slices.Contains(b.out.Calls[n].Outcomes, s.Outcome)
	}
	cells := map[at]*typestate.Forbidden{}
	for k := range b.out.Forbidden {
		f := &b.out.Forbidden[k]
		cells[at{f.State, f.Call}] = f
	}
	explain := func(w []typestate.Step) {
		if len(w) == 0 || slices.ContainsFunc(w, func(s typestate.Step) bool { return !known(s) }) {
			return
		}
		a := b.out.Accepts(w)
		if a.Kind != typestate.StepForbidden || a.Pos != len(w)-1 {
			return
		}
		if f := cells[at{a.From, a.Call}]; f != nil && len(f.Witness) == 0 {
			f.Witness = slices.Clone(w)
		}
		for k := range b.out.Constructors {
			if c := &b.out.Constructors[k]; a.From < 0 && c.ID == a.Call && len(c.Witness) == 0 {
				c.Witness = slices.Clone(w)
			}
		}
	}
	for _, f := range b.factors {
		for _, x := range f.Forbidden {
			explain(x.Witness)
		}
		for _, x := range f.Constructors {
			explain(x.Witness)
		}
	}
}
