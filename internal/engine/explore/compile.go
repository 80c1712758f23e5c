// SPDX-License-Identifier: Apache-2.0

package explore

// This file compiles terms to closures over a frame of machine words, and
// control-flow automata to tables of instructions. It shares nothing with the
// reference interpreter, so that the two can be tested against each other.

import (
	"fmt"
	"math/bits"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A frame holds the values of all variables of a running call: state variables
// first, then parameters, results and locals.
type frame []uint64

type evalFunc func(f frame) uint64

// An instr is a compiled edge.
type instr struct {
	kind  prog.EdgeKind
	to    int32
	cond  evalFunc // of an assume
	slots []int    // of an assignment or a havoc
	exprs []evalFunc
	count uint64 // of a havoc: number of values of the type
}

// A code is a compiled method.
type code struct {
	method  *prog.Method
	params  []int // slots; -1 if the parameter does not matter
	results []int
	locs    [][]instr
	heads   []bool  // targets of retreating edges
	site    []int32 // location -> index into Component.Sites, or -1
	blamed  []bool  // location is an error of the environment
	size    int     // of the frame
}

type compiler struct {
	prog *prog.Program
	keep map[*prog.Var]bool
	slot map[*term.Term]int
	all  map[*term.Term]*prog.Var
}

func mask(width int) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<width - 1
}

func signExtend(x uint64, width int) int64 {
	return int64(x<<(64-width)) >> (64 - width)
}

// domainSize returns the number of values of a type; ok is false if it does
// not fit in 63 bits.
func domainSize(t prog.Type) (n uint64, ok bool) {
	switch t.Sort.Kind {
	case term.BoolKind:
		return 2, true
	case term.EnumKind:
		return uint64(len(t.Sort.Enum.Values)), true
	}
	if t.Sort.Width > 62 {
		return 0, false
	}
	return 1 << t.Sort.Width, true
}

// compile makes the code of m. State variables that matter occupy the first
// slots, in the order of state.
func compile(p *prog.Program, m *prog.Method, keep map[*prog.Var]bool, state []*prog.Var, siteOf func(*prog.ErrorSite) int32) (*code, error) {
	c := &compiler{prog: p, keep: keep, slot: map[*term.Term]int{}, all: map[*term.Term]*prog.Var{}}
	for _, v := range p.State {
		c.all[v.Term] = v
	}
	for t, v := range localVars(m) {
		c.all[t] = v
	}
	for i, v := range state {
		c.slot[v.Term] = i
	}
	out := &code{method: m, size: len(state)}
	alloc := func(v *prog.Var) int {
		if !keep[v] {
			return -1
		}
		c.slot[v.Term] = out.size
		out.size++
		return out.size - 1
	}
	for _, v := range m.Params {
		out.params = append(out.params, alloc(v))
	}
	for _, v := range m.Results {
		out.results = append(out.results, alloc(v))
	}
	for _, v := range m.Locals {
		alloc(v)
	}
	out.locs = make([][]instr, m.Locs)
	out.heads = make([]bool, m.Locs)
	out.site = make([]int32, m.Locs)
	out.blamed = make([]bool, m.Locs)
	for i := range out.site {
		out.site[i] = -1
	}
	for _, e := range m.Errors {
		if e.Blamed {
			out.blamed[e.Loc] = true
		} else {
			out.site[e.Loc] = siteOf(e)
		}
	}
	for i := range m.Edges {
		in, err := c.edge(&m.Edges[i])
		if err != nil {
			return nil, err
		}
		out.locs[m.Edges[i].From] = append(out.locs[m.Edges[i].From], in)
	}
	out.markHeads()
	return out, nil
}

// edge compiles an edge. What it does to variables that do not matter is left out.
func (c *compiler) edge(e *prog.Edge) (instr, error) {
	in := instr{kind: e.Kind, to: int32(e.To)}
	switch e.Kind {
	case prog.AssumeEdge:
		if e.Exprs[0].IsTrue() {
			in.kind = prog.AssignEdge // a skip
			break
		}
		f, err := c.expr(e.Exprs[0])
		if err != nil {
			return instr{}, err
		}
		in.cond = f
	case prog.AssignEdge:
		for i, v := range e.Vars {
			if !c.keep[v] {
				continue
			}
			f, err := c.expr(e.Exprs[i])
			if err != nil {
				return instr{}, err
			}
			in.slots = append(in.slots, c.slot[v.Term])
			in.exprs = append(in.exprs, f)
		}
	case prog.HavocEdge:
		v := e.Vars[0]
		if !c.keep[v] {
			in.kind = prog.AssignEdge
			break
		}
		n, ok := domainSize(v.Type)
		if !ok || n > maxDomain {
			return instr{}, &TooWideError{What: fmt.Sprintf("%s: the value chosen for %s", e.Pos, v.Name), Type: v.Type}
		}
		in.slots, in.count = []int{c.slot[v.Term]}, n
	}
	return in, nil
}

// markHeads finds the targets of retreating edges by depth-first search.
func (c *code) markHeads() {
	color := make([]uint8, len(c.locs))
	type item struct {
		loc  int32
		next int
	}
	stack := []item{{int32(c.method.Entry), 0}}
	color[c.method.Entry] = 1
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(c.locs[top.loc]) {
			color[top.loc] = 2
			stack = stack[:len(stack)-1]
			continue
		}
		to := c.locs[top.loc][top.next].to
		top.next++
		switch color[to] {
		case 0:
			color[to] = 1
			stack = append(stack, item{to, 0})
		case 1:
			c.heads[to] = true
		}
	}
}

// expr compiles a term of at most 64 bits. Terms with wider parts are
// evaluated by package term.
func (c *compiler) expr(t *term.Term) (evalFunc, error) {
	if wide(t, map[*term.Term]bool{}) {
		return c.wideExpr(t)
	}
	return c.narrow(t)
}

func wide(t *term.Term, seen map[*term.Term]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if t.Sort().Bits() > 64 {
		return true
	}
	for _, a := range t.Args() {
		if wide(a, seen) {
			return true
		}
	}
	return false
}

func (c *compiler) wideExpr(t *term.Term) (evalFunc, error) {
	vars := term.FreeVars(t)
	slots := make([]int, len(vars))
	for i, v := range vars {
		s, ok := c.slot[v]
		if !ok {
			return nil, fmt.Errorf("variable %s of %s is not declared", v.Name(), t)
		}
		slots[i] = s
	}
	return func(f frame) uint64 {
		m := make(term.Model, len(vars))
		for i, v := range vars {
			m[v] = term.Value{Lo: f[slots[i]]}
		}
		return term.Eval(t, m).Lo
	}, nil
}

// bitsFor returns the number of bits a packed value of the type takes.
func bitsFor(t prog.Type) int {
	if t.Sort.Kind == term.EnumKind {
		return max(1, bits.Len(uint(len(t.Sort.Enum.Values)-1)))
	}
	return t.Sort.Bits()
}
