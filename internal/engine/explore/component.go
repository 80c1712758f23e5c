// SPDX-License-Identifier: Apache-2.0

package explore

// This file explores a component explicitly. States are expanded on demand, in
// batches, by several workers; numbering is done by one, in the order of the
// batch, so that the result does not depend on the number of workers.

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// Options say how to explore.
type Options struct {
	Workers  int  // at least 1
	Budget   int  // of component states
	Steps    int  // of all runs of one call from one state; 0: maxSteps
	KeepAll  bool // do not drop variables that cannot matter
	Memory   int  // bytes that states and edges may take; 0: MaxBytes
	Progress func(states int)
}

// BytesBudget names the budget that states and edges exhaust.
const BytesBudget = "bytes for component states and their edges"

// Bytes is how much states and edges take.
func (c *Component) Bytes() int {
	return 8*(len(c.table.words)+len(c.edges)+len(c.spans)) + 4*len(c.table.slots)
}

// A Call is a method or constructor with a class of argument tuples.
type Call struct {
	Method      *prog.Method
	Constructor bool
	Args        [][]uint64 // the tuples, in order; Args[0] is the representative
	Letters     []int      // its letters, in order of results
}

// A Letter is a call with result values.
type Letter struct {
	Call    int
	Results []uint64
}

// An Edge of a state is a letter and the next state, or, if Letter is
// negative, an error of call ^Letter at site To.
type Edge struct {
	Letter, To int32
}

// A Component is an explored (or partly explored) component.
type Component struct {
	Prog    *prog.Program
	State   []*prog.Var // the state variables that matter
	Sites   []*prog.ErrorSite
	Calls   []Call // constructors first, then methods, in declaration order
	Letters []Letter
	Initial []int32 // the states before construction

	opt    Options
	keep   map[*prog.Var]bool
	codes  []*code // by body: constructors, then methods
	table  *table
	edges  []Edge
	spans  []span
	probes [2][]probe // before and after construction
	number []resultNumber
	done   int // states expanded
	nondet bool
	ran    int // steps of runs so far
}

type span struct{ off, n uint32 }

const unexpanded = ^uint32(0)

// A probe is a call to be run from a state.
type probe struct {
	code *code
	args []uint64
	id   int // call, or index of the argument tuple
	body int
}

// resultNumber numbers the result tuples of one body.
type resultNumber struct {
	radix []uint64       // if every result is a bool or an enum
	index map[string]int // otherwise
}

func resultKey(results []uint64) string {
	var b []byte
	for _, r := range results {
		b = binary.LittleEndian.AppendUint64(b, r)
	}
	return string(b)
}

func (n *resultNumber) of(results []uint64) int {
	if n.index != nil {
		i, ok := n.index[resultKey(results)]
		if !ok {
			panic("region: result tuple was not discovered")
		}
		return i
	}
	i := uint64(0)
	for j, r := range results {
		i = i*n.radix[j] + r
	}
	return int(i)
}

// New prepares the exploration of p. If a method has parameters that matter,
// or results other than bools and enums, the whole component is explored once
// to find the classes of arguments and the results that can occur.
func New(ctx context.Context, p *prog.Program, opt Options) (*Component, error) {
	c := &Component{Prog: p, opt: opt}
	if c.opt.Workers < 1 {
		c.opt.Workers = 1
	}
	if opt.KeepAll {
		c.keep = everything(p)
	} else {
		c.keep = relevant(p)
	}
	for _, v := range p.State {
		if c.keep[v] {
			c.State = append(c.State, v)
		}
	}
	siteOf := func(e *prog.ErrorSite) int32 {
		c.Sites = append(c.Sites, e)
		return int32(len(c.Sites) - 1)
	}
	tuplesOf := make([][][]uint64, len(bodies(p)))
	discover := false
	for i, m := range bodies(p) {
		code, err := compile(p, m, c.keep, c.State, siteOf)
		if err != nil {
			return nil, err
		}
		c.codes = append(c.codes, code)
		if tuplesOf[i], err = tuples(m, c.keep); err != nil {
			return nil, err
		}
		if len(tuplesOf[i]) > 1 || !smallResults(m) {
			discover = true
		}
	}
	c.table = newTable(c.State)
	if err := c.initial(); err != nil {
		return nil, err
	}
	classes := make([][]int, len(c.codes)) // class of each tuple
	results := make([]map[string][]uint64, len(c.codes))
	for i := range c.codes {
		classes[i] = make([]int, len(tuplesOf[i]))
		results[i] = map[string][]uint64{}
	}
	if discover {
		if err := c.discover(ctx, tuplesOf, classes, results); err != nil {
			return nil, err
		}
	}
	c.alphabet(tuplesOf, classes, results)
	return c, nil
}

func smallResults(m *prog.Method) bool {
	total := uint64(1)
	for _, r := range m.Results {
		if r.Type.Sort.Kind == term.BitVecKind {
			return false
		}
		n, _ := domainSize(r.Type)
		if total *= n; total > maxSmallResults {
			return false
		}
	}
	return true
}

// initial numbers the states before construction.
func (c *Component) initial() error {
	values := make([][]uint64, len(c.State))
	total := uint64(1)
	for i, v := range c.State {
		if v.Init != nil {
			values[i] = []uint64{v.Init.Value().Lo}
			continue
		}
		n, ok := domainSize(v.Type)
		if ok = ok && n <= maxDomain; ok { // else the product could wrap
			total *= n
		}
		if !ok || total > maxDomain {
			return &TooWideError{What: fmt.Sprintf("%s: the initial value of %s", v.Pos, v.Name), Type: v.Type}
		}
		for x := range n {
			values[i] = append(values[i], x)
		}
	}
	cur := make([]uint64, len(c.State))
	var packed []uint64
	var walk func(i int)
	walk = func(i int) {
		if i == len(cur) {
			packed = c.table.pack(packed[:0], cur, false)
			c.Initial = append(c.Initial, c.table.intern(packed))
			return
		}
		for _, x := range values[i] {
			cur[i] = x
			walk(i + 1)
		}
	}
	walk(0)
	return c.addSpans()
}

func (c *Component) addSpans() error {
	for len(c.spans) < c.table.n {
		c.spans = append(c.spans, span{n: unexpanded})
	}
	if c.opt.Budget > 0 && c.table.n > c.opt.Budget {
		return &BudgetError{"component states", c.opt.Budget}
	}
	limit := c.opt.Memory
	if limit == 0 {
		limit = MaxBytes
	}
	if c.Bytes() > limit {
		return &BudgetError{BytesBudget, limit}
	}
	return nil
}

// alphabet fixes calls and letters.
func (c *Component) alphabet(tuplesOf [][][]uint64, classes [][]int, results []map[string][]uint64) {
	nctor := len(c.Prog.Constructors)
	for body, code := range c.codes {
		m := code.method
		var num resultNumber
		var outs [][]uint64
		if smallResults(m) {
			num.radix = make([]uint64, len(m.Results))
			outs = [][]uint64{nil}
			for i, r := range m.Results {
				n, _ := domainSize(r.Type)
				num.radix[i] = n
				var next [][]uint64
				for _, o := range outs {
					for x := range n {
						next = append(next, append(slices.Clone(o), x))
					}
				}
				outs = next
			}
		} else {
			for _, r := range results[body] {
				outs = append(outs, r)
			}
			if len(outs) == 0 {
				// It never returns. It still needs a letter to carry its verdict.
				outs = [][]uint64{make([]uint64, len(m.Results))}
			}
			sort.Slice(outs, func(i, j int) bool { return slices.Compare(outs[i], outs[j]) < 0 })
			num.index = map[string]int{}
			for i, o := range outs {
				num.index[resultKey(o)] = i
			}
		}
		c.number = append(c.number, num)
		byClass := map[int]int{}
		for i, args := range tuplesOf[body] {
			k, ok := byClass[classes[body][i]]
			if !ok {
				k = len(c.Calls)
				byClass[classes[body][i]] = k
				call := Call{Method: m, Constructor: body < nctor}
				for _, o := range outs {
					call.Letters = append(call.Letters, len(c.Letters))
					c.Letters = append(c.Letters, Letter{k, o})
				}
				c.Calls = append(c.Calls, call)
				phase := 1
				if body < nctor {
					phase = 0
				}
				c.probes[phase] = append(c.probes[phase], probe{code, args, k, body})
			}
			c.Calls[k].Args = append(c.Calls[k].Args, args)
		}
	}
}

// Edges returns the edges of an expanded state: errors first, that of
// the last call foremost, then letters in order. The slice must not be
// changed.
func (c *Component) Edges(id int32) []Edge {
	s := c.spans[id]
	if s.n >= unexpanded-1 {
		panic("region: state is not expanded")
	}
	return c.edges[s.off : s.off+s.n]
}

// Expanded reports whether the edges of the state are known.
func (c *Component) Expanded(id int32) bool { return c.spans[id].n < unexpanded-1 }

// States returns the number of states discovered so far.
func (c *Component) States() int { return c.table.n }

// Visited returns the number of states expanded.
func (c *Component) Visited() int { return c.done }

// Deterministic reports that no expanded state had two successors under one
// letter, or an erring and a returning run of one call.
func (c *Component) Deterministic() bool { return !c.nondet && len(c.Initial) == 1 }

// Constructed reports whether the state is one of a constructed object.
func (c *Component) Constructed(id int32) bool { return c.phase(id) == 1 }

// Values returns the values of c.State in the state.
func (c *Component) Values(id int32) []uint64 {
	v := make([]uint64, len(c.State))
	c.table.unpack(c.table.at(id), v)
	return v
}

// Bits lists the bits of a packed state; the first tells whether the object is
// constructed.
func (c *Component) Bits() []Bit {
	out := []Bit{{}}
	for i, f := range c.table.fields {
		for b := range f.bits {
			out = append(out, Bit{Var: c.State[i], Index: b, word: f.word, shift: f.shift + b})
		}
	}
	return out
}

// Bit returns the value of a bit in a state.
func (c *Component) Bit(id int32, b Bit) bool {
	return c.table.words[int(id)*c.table.width+b.word]>>b.shift&1 != 0
}

// Project numbers the discovered states by the values of the given bits: of
// gives each state its number, count is how many there are.
func (c *Component) Project(bits []Bit) (of []int32, count int) {
	mask := make([]uint64, c.table.width)
	for _, b := range bits {
		mask[b.word] |= 1 << b.shift
	}
	return c.table.project(mask)
}
