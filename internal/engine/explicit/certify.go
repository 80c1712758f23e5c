// SPDX-License-Identifier: Apache-2.0

package explicit

// This file writes certificates of interfaces that were found by exploring
// states, where one node for each state of the interface (certify_coarse.go) does
// not do. A node is a knowledge set together with a state of the interface. Its
// label lists the members; its sets are single members: after every word that
// leads to a knowledge set, each of its members is current. Only those members
// become sets that err, or lead to such (found backwards).
//
// Loop invariants list the values that were seen at the loop heads.
//
// Describing labels by short formulas instead of lists was not chosen: what is
// shorter is true of more states, and need not be preserved by calls.

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// Bounds of a certificate. Larger ones would not be read by anybody and take
// long to check; then there is none, and a count in the statistics says so.
const (
	MaxCertNodes    = 2_000
	maxCertEdges    = 40_000
	maxCertLiterals = 20_000
	maxCertSteps    = 1 << 20 // of runs through loops
)

// A certifier collects the nodes.
type certifier struct {
	*builder
	know     *knowledge
	index    map[[2]int32]int
	nodes    []certNode
	cert     *typestate.Certificate
	literals int
	// maxLiterals bounds literals.
	maxLiterals int
	edges       int
	maxEdges    int
	callOf      []*call   // by call of the component
	args        []string  // by call of the component
	results     []string  // by letter
	lits        []litKeys // by state variable
	sym         *explore.Symbolic
	steps       int
}

type litKeys map[uint64]string

type certNode struct {
	set, state int32
	members    []int32       // of the node, if it is not those of set
	sets       map[int32]int // member -> number of its set
	order      []int32       // members that are sets
	in         []certIn
}

type certIn struct{ node, edge, letter int }

// certify returns the certificate, or nil if it would be too large.
func (b *builder) certify(ctx context.Context) (*typestate.Certificate, error) {
	if b.p.Serial || !b.p.Certificate { // dead ends are no errors of the component; without one the judge enumerates
		return nil, nil
	}
	c := &certifier{builder: b, know: newKnowledge(b.c, b.p.Budget), index: map[[2]int32]int{}, sym: explore.NewSymbolic(b.c.Prog)}
	c.cert = &typestate.Certificate{Program: b.c.Prog.Hash()}
	c.maxEdges, c.maxLiterals = maxCertEdges, maxCertLiterals
	if !c.prepare() {
		return nil, nil
	}
	if ok, err := c.coarse(ctx); err != nil {
		return nil, err
	} else if ok {
		return c.cert, nil
	}
	c.nodes, c.cert.Nodes, c.literals, c.edges, c.steps = nil, nil, 0, 0, 0
	c.node(c.know.start, 0)
	for n := 0; n < len(c.nodes); n++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := c.expand(ctx, n); err != nil {
			return nil, err
		}
		if len(c.nodes) > MaxCertNodes || c.edges > c.maxEdges || c.literals > c.maxLiterals {
			return nil, nil
		}
	}
	for n := 0; n < len(c.nodes); n++ {
		if !c.errs(n) {
			return nil, nil
		}
	}
	// Sets are added to nodes while they are supported; nodes early in the list
	// may get more when later ones are.
	for changed := true; changed; {
		changed = false
		for n := range c.nodes {
			changed = c.support(n) || changed
		}
	}
	if c.literals > c.maxLiterals {
		return nil, nil
	}
	for n := range c.nodes {
		if ok := c.heads(n); !ok || c.literals > c.maxLiterals {
			return nil, nil
		}
	}
	return c.cert, nil
}

// prepare writes the conditions on arguments and results.
func (c *certifier) prepare() bool {
	c.callOf = make([]*call, len(c.c.Calls))
	for _, k := range c.calls {
		for _, part := range k.parts {
			c.callOf[part] = k
		}
	}
	for part := range c.c.Calls {
		me := &c.c.Calls[part]
		var points [][]uint64
		var member []bool
		others := false
		for o := range c.c.Calls {
			if other := &c.c.Calls[o]; other.Method == me.Method {
				others = others || o != part
				for _, args := range other.Args {
					points = append(points, args)
					member = append(member, o == part)
				}
			}
		}
		text := "true"
		if others {
			if len(points) > c.maxLiterals {
				return false
			}
			text = describe.Describe(c.c.Prog, me.Method.Params, describe.GoConditions(me.Method), points, member)
		}
		c.args = append(c.args, text)
	}
	for _, l := range c.c.Letters {
		m := c.c.Calls[l.Call].Method
		c.results = append(c.results, c.conjunction(m.Results, l.Results))
	}
	c.lits = make([]litKeys, len(c.c.State))
	for i := range c.lits {
		c.lits[i] = litKeys{}
	}
	return true
}

// conjunction gives variables values.
func (c *certifier) conjunction(vars []*prog.Var, values []uint64) string {
	parts := make([]string, len(vars))
	for i, v := range vars {
		parts[i] = c.literal(v, values[i])
	}
	if len(parts) == 0 {
		return "true"
	}
	return strings.Join(parts, " && ")
}

func (c *certifier) literal(v *prog.Var, value uint64) string {
	pool := c.c.Prog.Pool
	return prog.FormatExpr(c.c.Prog, []*prog.Var{v}, pool.Eq(v.Term, pool.Const(v.Type.Sort, term.Value{Lo: value})))
}

// member describes a component state.
func (c *certifier) member(s int32) string {
	var parts []string
	for i, x := range c.c.Values(s) {
		if i >= len(c.c.State) {
			break
		}
		text, ok := c.lits[i][x]
		if !ok {
			text = c.literal(c.c.State[i], x)
			c.lits[i][x] = text
		}
		parts = append(parts, text)
	}
	c.literals += len(parts)
	if len(parts) == 0 {
		return "true"
	}
	return strings.Join(parts, " && ")
}

// node returns the number of a pair.
func (c *certifier) node(set, state int32) int {
	key := [2]int32{set, state}
	n, ok := c.index[key]
	if !ok {
		n = len(c.nodes)
		c.index[key] = n
		c.nodes = append(c.nodes, certNode{set: set, state: state, sets: map[int32]int{}})
		t := typestate.Node{State: -1}
		if n > 0 {
			t.State = int(c.state[state])
		}
		t.Label = c.list(c.know.sets.Set(set))
		c.cert.Nodes = append(c.cert.Nodes, t)
	}
	return n
}

// list describes component states.
func (c *certifier) list(members []int32) string {
	var list []string
	for _, s := range members {
		list = append(list, c.member(s))
		if c.literals > c.maxLiterals {
			break // it will not be used
		}
	}
	return strings.Join(list, " || ")
}

// members returns the component states that may be current in a node.
func (c *certifier) members(n int) []int32 {
	if m := c.nodes[n].members; m != nil {
		return m
	}
	return c.know.sets.Set(c.nodes[n].set)
}

func (c *certifier) expand(ctx context.Context, n int) error {
	row, err := c.know.row(ctx, c.nodes[n].set)
	if err != nil {
		return err
	}
	for part := range c.c.Calls {
		me := &c.c.Calls[part]
		if me.Constructor != (n == 0) {
			continue
		}
		for _, x := range me.Letters {
			if row[x] < 0 {
				continue
			}
			to := c.dfa.Step(c.nodes[n].state, x)
			if c.dfa.Out[to] != automata.Accept {
				continue // the interface does not admit it; the checker will ask why
			}
			t := c.node(row[x], to)
			at := &c.cert.Nodes[n]
			c.nodes[t].in = append(c.nodes[t].in, certIn{n, len(at.Next), x})
			at.Next = append(at.Next, typestate.NodeEdge{Call: c.callOf[part].id, Args: c.args[part], Results: c.results[x], Node: t})
			c.edges++
		}
	}
	return nil
}

// set makes a member of a node a set of its own.
func (c *certifier) set(n int, s int32) int {
	k, ok := c.nodes[n].sets[s]
	if !ok {
		k = len(c.nodes[n].order)
		c.nodes[n].sets[s] = k
		c.nodes[n].order = append(c.nodes[n].order, s)
		c.cert.Nodes[n].Sets = append(c.cert.Nodes[n].Sets, typestate.Set{Formula: c.member(s)})
	}
	return k
}

// errs finds evidence for the forbidden calls of a node: one member for all
// arguments if there is one.
func (c *certifier) errs(n int) bool {
	members := slices.Clone(c.know.sets.Set(c.nodes[n].set))
	bad := map[int][]int32{} // call of the component -> members that err
	for _, s := range members {
		for _, e := range c.c.Edges(s) {
			if e.Letter < 0 {
				part := int(^e.Letter)
				if list := bad[part]; len(list) == 0 || list[len(list)-1] != s {
					bad[part] = append(list, s)
				}
			}
		}
	}
	for _, k := range c.calls {
		if k.constructor != (n == 0) {
			continue
		}
		forbidden := true
		for _, part := range k.parts {
			forbidden = forbidden && len(bad[part]) > 0
		}
		if !forbidden {
			continue
		}
		all := int32(-1)
		for _, s := range bad[k.parts[0]] {
			if !slices.ContainsFunc(k.parts, func(part int) bool { return !slices.Contains(bad[part], s) }) {
				all = s
				break
			}
		}
		add := func(s int32, args string) {
			set := &c.cert.Nodes[n].Sets[c.set(n, s)]
			set.Errs = append(set.Errs, typestate.SetError{Call: k.id, Args: args})
		}
		if all >= 0 {
			add(all, "true")
			continue
		}
		for _, part := range k.parts {
			add(bad[part][0], c.args[part])
		}
	}
	return true
}

// support gives the sets of a node a source for each edge into it. It reports
// whether a node got a set.
func (c *certifier) support(n int) (changed bool) {
	for k := 0; k < len(c.nodes[n].order); k++ {
		s := c.nodes[n].order[k]
		have := len(c.cert.Nodes[n].Sets[k].From)
		for _, in := range c.nodes[n].in[have:] {
			for _, from := range c.know.sets.Set(c.nodes[in.node].set) {
				if slices.Contains(c.c.Edges(from), explore.Edge{Letter: int32(in.letter), To: s}) {
					before := len(c.nodes[in.node].order)
					j := c.set(in.node, from)
					changed = changed || len(c.nodes[in.node].order) > before
					set := &c.cert.Nodes[n].Sets[k]
					set.From = append(set.From, typestate.Support{Node: in.node, Edge: in.edge, Set: j})
					break
				}
			}
		}
	}
	return changed
}

// heads adds loop invariants for the calls of a node.
func (c *certifier) heads(n int) bool {
	bodies := c.sym.Methods
	if n == 0 {
		bodies = c.sym.Constructors
	}
	for _, k := range c.calls {
		if k.constructor != (n == 0) {
			continue
		}
		at := slices.IndexFunc(bodies, func(s *explore.Summary) bool { return s.Method == k.method })
		sum := bodies[at]
		if len(sum.Heads) == 0 {
			continue
		}
		if c.p.KeepAll {
			return false // variables that cannot matter would have to be followed
		}
		w := &walker{sum: sum, vars: slices.Clone(sum.Vars), seen: map[string]bool{}, at: map[int][]string{}, certifier: c, index: map[*prog.Var]int{}}
		entry := map[*prog.Var]int{} // where arguments are remembered
		for _, v := range k.method.Params {
			if slices.Contains(sum.Vars, v) && Assigns(k.method, v) {
				name := typestate.EntryPrefix + v.Name
				entry[v] = len(w.vars)
				w.vars = append(w.vars, &prog.Var{Name: name, Type: v.Type, Term: c.c.Prog.Pool.Var(name, v.Type.Sort)})
			}
		}
		for i, v := range w.vars {
			w.index[v] = i
		}
		for _, s := range c.members(n) {
			for _, part := range k.parts {
				for _, args := range c.c.Calls[part].Args {
					vals := make([]term.Value, len(w.vars))
					for i, v := range c.c.State {
						if j, ok := w.index[v]; ok {
							vals[j] = term.Value{Lo: c.c.Values(s)[i]}
						}
					}
					for i, v := range k.method.Params {
						if j, ok := w.index[v]; ok {
							vals[j] = term.Value{Lo: args[i]}
						}
						if j, ok := entry[v]; ok {
							vals[j] = term.Value{Lo: args[i]}
						}
					}
					if !w.walk(k.method.Entry, vals) {
						return false
					}
				}
			}
		}
		for _, h := range sum.Heads {
			text := strings.Join(w.at[h], " || ")
			if text == "" {
				text = "false"
			}
			c.cert.Nodes[n].Heads = append(c.cert.Nodes[n].Heads, typestate.HeadInvariant{Call: k.id, Loc: h, Formula: text})
		}
	}
	return true
}

// Assigns reports whether a method assigns to a variable.
func Assigns(m *prog.Method, v *prog.Var) bool {
	return slices.ContainsFunc(m.Edges, func(e prog.Edge) bool { return e.Kind != prog.AssumeEdge && slices.Contains(e.Vars, v) })
}

// A walker follows all runs of a call and remembers what it saw at loop heads.
type walker struct {
	*certifier
	sum   *explore.Summary
	vars  []*prog.Var // those of the summary, and arguments
	index map[*prog.Var]int
	seen  map[string]bool
	at    map[int][]string
}

// walk reports false when it gives up.
func (w *walker) walk(loc int, vals []term.Value) bool {
	m := w.sum.Method
	type config struct {
		loc  int
		vals []term.Value
	}
	stack := []config{{loc, vals}}
	for len(stack) > 0 {
		here := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		key := binary.LittleEndian.AppendUint64(nil, uint64(here.loc))
		for _, v := range here.vals {
			key = binary.LittleEndian.AppendUint64(key, v.Lo)
		}
		if w.seen[string(key)] {
			continue
		}
		w.seen[string(key)] = true
		if w.steps++; w.steps > maxCertSteps {
			return false
		}
		if slices.Contains(w.sum.Heads, here.loc) {
			values := make([]uint64, len(here.vals))
			for i, v := range here.vals {
				values[i] = v.Lo
			}
			w.at[here.loc] = append(w.at[here.loc], w.conjunction(w.vars, values))
			if w.literals += len(values); w.literals > w.maxLiterals {
				return false
			}
		}
		model := term.Model{}
		for i, v := range w.vars {
			model[v.Term] = here.vals[i]
		}
		for _, e := range m.Out(here.loc) {
			next := here.vals
			switch e.Kind {
			case prog.AssumeEdge:
				if !term.Holds(e.Exprs[0], model) {
					continue
				}
			case prog.AssignEdge:
				next = slices.Clone(next)
				for j, v := range e.Vars {
					if at, ok := w.index[v]; ok {
						next[at] = term.Eval(e.Exprs[j], model)
					}
				}
			case prog.HavocEdge:
				if at, ok := w.index[e.Vars[0]]; ok {
					for x := range prog.Values(e.Vars[0].Type) {
						if len(stack) > maxCertSteps {
							return false
						}
						other := slices.Clone(here.vals)
						other[at] = x
						stack = append(stack, config{e.To, other})
					}
					continue
				}
			}
			stack = append(stack, config{e.To, next})
		}
	}
	return true
}
