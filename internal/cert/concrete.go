// SPDX-License-Identifier: Apache-2.0

package cert

// This file runs calls on concrete states, for the judge that enumerates
// (enumerate.go). It shares nothing with the exploration of the engines and nothing but
// terms with the reference interpreter, with which a test compares it.
//
// A variable is RELEVANT if some condition or result depends on it. What the others
// hold makes no difference to which runs exist and to what a client sees, so they
// are left out of states.

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A frame holds the relevant state variables, and then those of a method.
type frame []uint64

// A machine runs the calls of a program on concrete states.
type machine struct {
	prog     *prog.Program
	relevant map[*prog.Var]bool
	state    []*prog.Var // the relevant ones
	states   []frame
	index    map[string]int32
	methods  map[*prog.Method]*routine
	letters  []letter
	names    map[string]int32 // key of a letter -> its number
	steps    int64            // that are left
}

// A letter is what a client sees of a call that returns.
type letter struct {
	routine *routine
	args    int32 // index into the argument tuples of the routine
	results []uint64
}

// A routine is a method that can be run.
type routine struct {
	method  *prog.Method
	vars    []*prog.Var // of the frame
	slot    map[*term.Term]int
	params  []int // slots; -1 if irrelevant
	results []int
	out     [][]instruction
	join    []bool     // locations that runs may reach in several ways
	args    [][]uint64 // argument tuples, zero where irrelevant
	after   map[int32]*behaviour
}

type instruction struct {
	edge   *prog.Edge
	exprs  []func(frame) uint64
	slots  []int // -1 where irrelevant
	domain uint64
}

// A behaviour is what all runs of a method from one state do.
type behaviour struct {
	errs    []uint64 // bits: the argument tuples for which some run errs
	returns []return1
}

// A return1 is one way to return.
type return1 struct{ letter, to int32 }

// A tooLargeError says what there is too much of to be enumerated.
type tooLargeError struct{ what string }

func (e *tooLargeError) Error() string { return e.what }

// maxTuples bounds the argument tuples of a method: one word of memory for each, and as
// many runs from every state.
const maxTuples = 1 << 20

// maxTree is the size of a term, written as a tree, up to which it is compiled; what is
// larger shares much and is evaluated as a graph.
const maxTree = 400

// newMachine prepares the methods. demanded are variables that matter besides those that
// conditions and results depend on.
func newMachine(p *prog.Program, demanded []*term.Term, steps int64) (*machine, error) {
	m := &machine{prog: p, index: map[string]int32{}, methods: map[*prog.Method]*routine{}, names: map[string]int32{}, steps: steps}
	m.findRelevant(demanded)
	for _, v := range p.State {
		if m.relevant[v] {
			m.state = append(m.state, v)
		}
	}
	for _, method := range slices.Concat(p.Constructors, p.Methods) {
		r, err := m.routine(method)
		if err != nil {
			return nil, err
		}
		m.methods[method] = r
	}
	return m, nil
}

// findRelevant computes the least set of variables that holds those of conditions,
// results and demanded, and with a variable those of what is assigned to it.
func (m *machine) findRelevant(demanded []*term.Term) {
	m.relevant = map[*prog.Var]bool{}
	of := map[*term.Term][]*prog.Var{} // methods may name variables alike
	var edges []*prog.Edge
	for _, v := range m.prog.State {
		of[v.Term] = append(of[v.Term], v)
	}
	methods := slices.Concat(m.prog.Constructors, m.prog.Methods)
	for _, method := range methods {
		for _, v := range slices.Concat(method.Params, method.Results, method.Locals) {
			of[v.Term] = append(of[v.Term], v)
		}
		for k := range method.Edges {
			edges = append(edges, &method.Edges[k])
		}
	}
	var work []*prog.Var
	need := func(terms ...*term.Term) {
		for _, t := range term.FreeVars(terms...) {
			for _, v := range of[t] {
				if !m.relevant[v] {
					m.relevant[v] = true
					work = append(work, v)
				}
			}
		}
	}
	need(demanded...)
	for _, method := range methods {
		for _, v := range method.Results {
			need(v.Term)
		}
	}
	assigned := map[*prog.Var][]*term.Term{}
	for _, e := range edges {
		switch e.Kind {
		case prog.AssumeEdge:
			need(e.Exprs...)
		case prog.AssignEdge:
			for k, v := range e.Vars {
				assigned[v] = append(assigned[v], e.Exprs[k])
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		need(assigned[v]...)
	}
}

func (m *machine) routine(method *prog.Method) (*routine, error) {
	r := &routine{method: method, vars: slices.Clone(m.state), slot: map[*term.Term]int{}, after: map[int32]*behaviour{}}
	slots := func(vars []*prog.Var) []int {
		var out []int
		for _, v := range vars {
			if !m.relevant[v] {
				out = append(out, -1)
				continue
			}
			out = append(out, len(r.vars))
			r.vars = append(r.vars, v)
		}
		return out
	}
	r.params, r.results = slots(method.Params), slots(method.Results)
	slots(method.Locals)
	for k, v := range r.vars {
		r.slot[v.Term] = k
	}
	r.out, r.join = make([][]instruction, method.Locs), make([]bool, method.Locs)
	entered := make([]int, method.Locs)
	for loc := range method.Locs {
		edges := method.Out(loc)
		for k := range edges {
			e := &edges[k]
			entered[e.To]++
			in := instruction{edge: e}
			for j, v := range e.Vars {
				slot := -1
				if m.relevant[v] {
					slot = r.slot[v.Term]
				}
				in.slots = append(in.slots, slot)
				if slot >= 0 && e.Kind == prog.HavocEdge {
					var err error
					if in.domain, err = domain(v); err != nil {
						return nil, err
					}
				}
				if e.Kind == prog.AssignEdge {
					var f func(frame) uint64
					if slot >= 0 {
						f = r.compile(e.Exprs[j])
					}
					in.exprs = append(in.exprs, f)
				}
			}
			if e.Kind == prog.AssumeEdge {
				in.exprs = append(in.exprs, r.compile(e.Exprs[0]))
			}
			r.out[loc] = append(r.out[loc], in)
		}
	}
	for loc, n := range entered {
		r.join[loc] = n > 1 || n > 0 && loc == method.Entry
	}
	return r, m.tuples(r)
}

// tuples lists the arguments.
func (m *machine) tuples(r *routine) error {
	r.args = [][]uint64{make([]uint64, len(r.params))}
	for k, v := range r.method.Params {
		if r.params[k] < 0 {
			continue
		}
		n, err := domain(v)
		if err != nil {
			return err
		}
		if n > maxTuples/uint64(len(r.args)) {
			return &tooLargeError{fmt.Sprintf("%s has more than %d argument tuples", r.method.Name, maxTuples)}
		}
		var all [][]uint64
		for _, t := range r.args {
			for x := range n {
				next := slices.Clone(t)
				next[k] = x
				all = append(all, next)
			}
		}
		r.args = all
	}
	return nil
}

// maxDomain bounds the values of one variable that are tried in turn.
const maxDomain = 1 << 16

// domain returns the number of values of v, which are 0, 1, and so on.
func domain(v *prog.Var) (uint64, error) {
	n := v.Type.Size()
	if n > maxDomain {
		return 0, &tooLargeError{fmt.Sprintf("%s %v has too many values", v.Name, v.Type)}
	}
	return uint64(n), nil
}

// initial returns the initial states.
func (m *machine) initial() ([]int32, error) {
	all := []frame{make(frame, len(m.state))}
	for k, v := range m.state {
		if v.Init != nil {
			for _, f := range all {
				f[k] = v.Init.Value().Lo
			}
			continue
		}
		n, err := domain(v)
		if err != nil {
			return nil, err
		}
		if m.steps -= int64(len(all)) * int64(n); m.steps < 0 {
			return nil, errSteps
		}
		var next []frame
		for _, f := range all {
			for x := range n {
				g := slices.Clone(f)
				g[k] = x
				next = append(next, g)
			}
		}
		all = next
	}
	var out []int32
	for _, f := range all {
		out = append(out, m.number(f))
	}
	return out, nil
}

// errSteps is the error of a budget that is used up.
var errSteps = &tooLargeError{"there are too many states, arguments and runs to be enumerated"}

// number returns the number of a state; it keeps a copy.
func (m *machine) number(f frame) int32 {
	key := pack(nil, f)
	n, ok := m.index[string(key)]
	if !ok {
		n = int32(len(m.states))
		m.index[string(key)] = n
		m.states = append(m.states, slices.Clone(f))
	}
	return n
}

func pack(to []byte, f []uint64) []byte {
	for _, x := range f {
		to = binary.AppendUvarint(to, x)
	}
	return to
}

// behaviour returns what a method does from a state.
func (m *machine) behaviour(ctx context.Context, r *routine, from int32) (*behaviour, error) {
	if b := r.after[from]; b != nil {
		return b, nil
	}
	b := &behaviour{errs: make([]uint64, (len(r.args)+63)/64)}
	for at := range r.args {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := m.run(r, b, from, at); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(b.returns, func(x, y return1) int { return cmp.Or(cmp.Compare(x.letter, y.letter), cmp.Compare(x.to, y.to)) })
	b.returns = slices.Compact(b.returns)
	r.after[from] = b
	return b, nil
}

// run follows all runs for one argument tuple.
func (m *machine) run(r *routine, b *behaviour, from int32, at int) error {
	start := make(frame, len(r.vars))
	copy(start, m.states[from])
	for k, slot := range r.params {
		if slot >= 0 {
			start[slot] = r.args[at][k]
		}
	}
	type config struct {
		loc int
		f   frame
	}
	stack := []config{{r.method.Entry, start}}
	seen := map[string]bool{}
	var key []byte
	for len(stack) > 0 {
		here := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if m.steps--; m.steps < 0 {
			return errSteps
		}
		if e := r.method.ErrorAt(here.loc); e != nil {
			if !e.Blamed {
				b.errs[at/64] |= 1 << (at % 64)
			}
			continue
		}
		if here.loc == r.method.Exit {
			b.returns = append(b.returns, return1{m.letter(r, at, here.f), m.number(here.f[:len(m.state)])})
			continue
		}
		if r.join[here.loc] {
			key = pack(binary.AppendUvarint(key[:0], uint64(here.loc)), here.f)
			if seen[string(key)] {
				continue
			}
			seen[string(key)] = true
		}
		for k := range r.out[here.loc] {
			in := &r.out[here.loc][k]
			switch in.edge.Kind {
			case prog.AssumeEdge:
				if in.exprs[0](here.f) != 0 {
					stack = append(stack, config{in.edge.To, here.f})
				}
			case prog.AssignEdge:
				next := slices.Clone(here.f)
				for j, slot := range in.slots {
					if slot >= 0 {
						next[slot] = in.exprs[j](here.f)
					}
				}
				stack = append(stack, config{in.edge.To, next})
			case prog.HavocEdge:
				if in.slots[0] < 0 {
					stack = append(stack, config{in.edge.To, here.f})
					continue
				}
				if m.steps -= int64(in.domain); m.steps < 0 {
					return errSteps
				}
				for x := range in.domain {
					next := slices.Clone(here.f)
					next[in.slots[0]] = x
					stack = append(stack, config{in.edge.To, next})
				}
			}
		}
	}
	return nil
}

// letter returns the number of what a client sees.
func (m *machine) letter(r *routine, at int, f frame) int32 {
	results := make([]uint64, len(r.results))
	for k, slot := range r.results {
		results[k] = f[slot]
	}
	key := string(pack(append([]byte(r.method.Name), 0, byte(at), byte(at>>8), byte(at>>16)), results))
	n, ok := m.names[key]
	if !ok {
		n = int32(len(m.letters))
		m.names[key] = n
		m.letters = append(m.letters, letter{r, int32(at), results})
	}
	return n
}

// compile makes a function of a term over the variables of the frame.
func (r *routine) compile(t *term.Term) func(frame) uint64 {
	if treeSize(t, maxTree) > maxTree {
		return r.evaluate(t)
	}
	return r.closure(t)
}

// treeSize counts the nodes of a term, written as a tree, up to a bound.
func treeSize(t *term.Term, bound int) int {
	n := 1
	for _, a := range t.Args() {
		if n > bound {
			return n
		}
		n += treeSize(a, bound-n)
	}
	return n
}

// evaluate is the value by the definition of terms.
func (r *routine) evaluate(t *term.Term) func(frame) uint64 {
	vars := term.FreeVars(t)
	return func(f frame) uint64 {
		model := make(term.Model, len(vars))
		for _, v := range vars {
			model[v] = term.Value{Lo: f[r.slot[v]]}
		}
		return term.Eval(t, model).Lo
	}
}

// closure compiles the operators of which programs consist mostly.
func (r *routine) closure(t *term.Term) func(frame) uint64 {
	switch t.Op() {
	case term.OpConst:
		if t.Sort().Bits() <= 64 {
			x := t.Value().Lo
			return func(frame) uint64 { return x }
		}
	case term.OpVar:
		slot := r.slot[t]
		return func(f frame) uint64 { return f[slot] }
	}
	for _, a := range t.Args() {
		if a.Sort().Bits() > 64 {
			return r.evaluate(t)
		}
	}
	if t.Sort().Bits() > 64 {
		return r.evaluate(t)
	}
	var args []func(frame) uint64
	switch t.Op() {
	case term.OpNot, term.OpAnd, term.OpOr, term.OpIte, term.OpEq, term.OpAdd, term.OpNeg, term.OpULt, term.OpULe, term.OpSLt, term.OpSLe:
		for _, a := range t.Args() {
			args = append(args, r.closure(a))
		}
	default:
		return r.evaluate(t)
	}
	mask := ^uint64(0) >> (64 - t.Sort().Bits())
	sign := uint64(1) << (t.Args()[0].Sort().Bits() - 1) // flipped, signed order is unsigned order
	bit := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	switch t.Op() {
	case term.OpNot:
		return func(f frame) uint64 { return args[0](f) ^ 1 }
	case term.OpAnd:
		return func(f frame) uint64 {
			for _, a := range args {
				if a(f) == 0 {
					return 0
				}
			}
			return 1
		}
	case term.OpOr:
		return func(f frame) uint64 {
			for _, a := range args {
				if a(f) != 0 {
					return 1
				}
			}
			return 0
		}
	case term.OpIte:
		return func(f frame) uint64 {
			if args[0](f) != 0 {
				return args[1](f)
			}
			return args[2](f)
		}
	case term.OpEq:
		return func(f frame) uint64 { return bit(args[0](f) == args[1](f)) }
	case term.OpAdd:
		return func(f frame) uint64 {
			sum := uint64(0)
			for _, a := range args {
				sum += a(f)
			}
			return sum & mask
		}
	case term.OpNeg:
		return func(f frame) uint64 { return -args[0](f) & mask }
	case term.OpULt:
		return func(f frame) uint64 { return bit(args[0](f) < args[1](f)) }
	case term.OpULe:
		return func(f frame) uint64 { return bit(args[0](f) <= args[1](f)) }
	case term.OpSLt:
		return func(f frame) uint64 { return bit(args[0](f)^sign < args[1](f)^sign) }
	default:
		return func(f frame) uint64 { return bit(args[0](f)^sign <= args[1](f)^sign) }
	}
}
