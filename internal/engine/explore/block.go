// SPDX-License-Identifier: Apache-2.0

package explore

// This file cuts methods into large blocks: acyclic pieces of a control-flow
// automaton between cut points (entry, loop heads, exit, error sites), each
// written as one condition and one term per variable. Where edges join, values
// are merged by if-then-else, so a block is linear in the code, not in its
// paths (Beyer, Cimatti, Griggio, Keremoglu, Sebastiani, "Software model
// checking via large-block encoding", FMCAD 2009).
//
// Every choice in a block is a variable of its own: a havoc, or a selector
// where several edges leave a location and their conditions are not visibly
// exclusive. Given the values of variables and choices, a block is a partial
// function; blocks with the same start are disjoint.

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A Summary is a method as blocks.
type Summary struct {
	Method *prog.Method
	Vars   []*prog.Var // state, parameters, results, locals: those that matter
	States int         // how many of Vars are state
	Blocks []Block     // grouped by From: the entry first, then loop heads
	Heads  []int       // loop heads, as locations
}

// A Block leads from one cut point to another without passing a third.
type Block struct {
	From, To int
	Cond     *term.Term   // over Vars and Choices
	Vals     []*term.Term // by Vars: the value at To
	Choices  []Choice
}

// A Choice is a variable that stands for a choice made in a block: the value
// of a havoc edge, or, if Edge is negative, the number of the edge taken among
// those that leave location Loc.
type Choice struct {
	Term   *term.Term
	Origin prog.Origin
	Edge   int // index into Method.Edges, or -1
	Loc    int
}

// ChoicePrefix begins the names of choice variables. No variable of a program
// has such a name.
const ChoicePrefix = "\x00choice "

// Symbolic holds the summaries of a program.
type Symbolic struct {
	Prog         *prog.Program
	State        []*prog.Var
	Invariant    *term.Term // what is promised of State before method calls
	Constructors []*Summary
	Methods      []*Summary
	choices      int
}

// NewSymbolic summarizes all methods of p, leaving out variables that cannot
// matter.
func NewSymbolic(p *prog.Program) *Symbolic {
	s := &Symbolic{Prog: p}
	keep := relevant(p)
	for _, v := range p.State {
		if keep[v] {
			s.State = append(s.State, v)
		}
	}
	s.Invariant = p.Pool.True()
	for _, t := range p.Invariants {
		if !slices.ContainsFunc(term.FreeVars(t), func(x *term.Term) bool {
			return !slices.ContainsFunc(s.State, func(v *prog.Var) bool { return v.Term == x })
		}) {
			s.Invariant = p.Pool.And(s.Invariant, t)
		}
	}
	for _, m := range p.Constructors {
		s.Constructors = append(s.Constructors, s.summarize(m, keep))
	}
	for _, m := range p.Methods {
		s.Methods = append(s.Methods, s.summarize(m, keep))
	}
	return s
}

func (s *Symbolic) summarize(m *prog.Method, keep map[*prog.Var]bool) *Summary {
	sum := &Summary{Method: m, Vars: append([]*prog.Var(nil), s.State...), States: len(s.State)}
	for _, vs := range [][]*prog.Var{m.Params, m.Results, m.Locals} {
		for _, v := range vs {
			if keep[v] {
				sum.Vars = append(sum.Vars, v)
			}
		}
	}
	b := &blockBuilder{Symbolic: s, Summary: sum, index: map[*prog.Var]int{}, keep: keep}
	for i, v := range sum.Vars {
		b.index[v] = i
	}
	b.out = make([][]int, m.Locs)
	for i, e := range m.Edges {
		b.out[e.From] = append(b.out[e.From], i)
	}
	b.cut = make([]bool, m.Locs)
	b.cut[m.Exit] = true
	for _, e := range m.Errors {
		b.cut[e.Loc] = true
	}
	b.findHeads()
	if m.Entry == m.Exit || m.ErrorAt(m.Entry) != nil {
		// The call ends where it starts.
		vals := make([]*term.Term, len(sum.Vars))
		for i, v := range sum.Vars {
			vals[i] = v.Term
		}
		sum.Blocks = []Block{{From: m.Entry, To: m.Entry, Cond: s.Prog.Pool.True(), Vals: vals}}
		return sum
	}
	b.from(m.Entry)
	for _, h := range sum.Heads {
		if h != m.Entry {
			b.from(h)
		}
	}
	return sum
}

type blockBuilder struct {
	*Symbolic
	*Summary
	index map[*prog.Var]int
	keep  map[*prog.Var]bool
	out   [][]int
	cut   []bool
}

// findHeads makes the targets of retreating edges cut points.
func (b *blockBuilder) findHeads() {
	color := make([]uint8, b.Method.Locs)
	var walk func(loc int)
	walk = func(loc int) {
		color[loc] = 1
		for _, i := range b.out[loc] {
			switch to := b.Method.Edges[i].To; color[to] {
			case 0:
				walk(to)
			case 1:
				if !b.cut[to] {
					b.cut[to] = true
					b.Heads = append(b.Heads, to)
				}
			}
		}
		color[loc] = 2
	}
	walk(b.Method.Entry)
}

// A symState is a symbolic state at a location.
type symState struct {
	cond *term.Term
	vals []*term.Term
}

// from builds the blocks that start at a cut point.
func (b *blockBuilder) from(start int) {
	// The locations of the piece in topological order.
	var order []int
	seen := map[int]bool{}
	var visit func(loc int)
	visit = func(loc int) {
		seen[loc] = true
		if loc == start || !b.cut[loc] {
			for _, i := range b.out[loc] {
				if to := b.Method.Edges[i].To; !seen[to] {
					visit(to)
				}
			}
		}
		order = append(order, loc)
	}
	visit(start)
	arrive := map[int][]symState{}
	ident := make([]*term.Term, len(b.Vars))
	for i, v := range b.Vars {
		ident[i] = v.Term
	}
	var choices []Choice
	for k := len(order) - 1; k >= 0; k-- {
		loc := order[k]
		var st symState
		if loc == start {
			st = symState{b.Prog.Pool.True(), ident}
		} else if b.cut[loc] || len(arrive[loc]) == 0 {
			continue
		} else {
			st = b.merge(arrive[loc])
		}
		b.leave(loc, st, arrive, &choices)
	}
	for k := len(order) - 1; k >= 0; k-- {
		loc := order[k]
		if !b.cut[loc] || len(arrive[loc]) == 0 {
			continue
		}
		st := b.merge(arrive[loc])
		if !st.cond.IsFalse() {
			b.Blocks = append(b.Blocks, Block{From: start, To: loc, Cond: st.cond, Vals: st.vals, Choices: choices})
		}
	}
	// All blocks from one start share their choices.
	for i := range b.Blocks {
		if b.Blocks[i].From == start {
			b.Blocks[i].Choices = choices
		}
	}
}

func (b *blockBuilder) merge(list []symState) symState {
	pool := b.Prog.Pool
	out := list[len(list)-1]
	out.vals = append([]*term.Term(nil), out.vals...)
	for k := len(list) - 2; k >= 0; k-- {
		for i, v := range list[k].vals {
			if v != out.vals[i] {
				out.vals[i] = pool.Ite(list[k].cond, v, out.vals[i])
			}
		}
		out.cond = pool.Or(list[k].cond, out.cond)
	}
	return out
}

// leave follows the edges out of a location.
func (b *blockBuilder) leave(loc int, st symState, arrive map[int][]symState, choices *[]Choice) {
	pool := b.Prog.Pool
	sub := map[*term.Term]*term.Term{}
	for i, v := range b.Vars {
		if st.vals[i] != v.Term {
			sub[v.Term] = st.vals[i]
		}
	}
	edges := b.out[loc]
	conds := make([]*term.Term, len(edges))
	for k, i := range edges {
		conds[k] = pool.True()
		if e := b.Method.Edges[i]; e.Kind == prog.AssumeEdge {
			conds[k] = pool.Substitute(e.Exprs[0], sub)
		}
	}
	if len(edges) > 1 && !exclusive(pool, conds) {
		width := 1
		for 1<<width < len(edges) {
			width++
		}
		sel := b.fresh(term.BV(width))
		*choices = append(*choices, Choice{Term: sel, Origin: prog.Hidden, Edge: -1, Loc: loc})
		for k := range conds {
			conds[k] = pool.And(conds[k], pool.Eq(sel, pool.Int(width, int64(k))))
		}
	}
	for k, i := range edges {
		e := b.Method.Edges[i]
		next := symState{pool.And(st.cond, conds[k]), st.vals}
		if next.cond.IsFalse() {
			continue
		}
		switch e.Kind {
		case prog.AssignEdge:
			next.vals = append([]*term.Term(nil), st.vals...)
			for j, v := range e.Vars {
				if at, ok := b.index[v]; ok {
					next.vals[at] = pool.Substitute(e.Exprs[j], sub)
				}
			}
		case prog.HavocEdge:
			if at, ok := b.index[e.Vars[0]]; ok {
				c := b.fresh(e.Vars[0].Type.Sort)
				*choices = append(*choices, Choice{Term: c, Origin: e.Origin, Edge: i, Loc: loc})
				next.vals = append([]*term.Term(nil), st.vals...)
				next.vals[at] = c
			}
		}
		arrive[e.To] = append(arrive[e.To], next)
	}
}

func (s *Symbolic) fresh(sort term.Sort) *term.Term {
	s.choices++
	return s.Prog.Pool.Var(fmt.Sprintf("%s%d", ChoicePrefix, s.choices), sort)
}

func exclusive(pool *term.Pool, conds []*term.Term) bool {
	for i := range conds {
		for j := range i {
			if !pool.And(conds[i], conds[j]).IsFalse() {
				return false
			}
		}
	}
	return true
}
