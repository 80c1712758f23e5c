// SPDX-License-Identifier: Apache-2.0

package lower

// This file finds variables that hold the same value at a location, because they
// are copies of each other, and lets expressions there read one of them only
// (global value numbering for copies: Alpern, Wegman, Zadeck, POPL 1988). Code
// reads a field into a register each time it needs it; n - t4 + t5 is n if both
// registers are the field. Expressions of equal values are not compared: terms of
// equal variables are equal already.

import (
	"cmp"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A partition says which variables hold the same value: those with the same
// number. A variable that is not there is alone. It is in order of the variables, values are numbered in
// the order of their first variable, and none has only one: equal partitions are equal lists.
type partition []numbered

// A numbered is a variable, by its index, and the number of its value.
type numbered struct{ v, n int32 }

// maxCopies bounds the work: variables that are numbered, over all locations.
const maxCopies = 4_000_000

// copies lets each expression read one variable for each value.
func (m *Method) copies(p *prog.Program) {
	vars := p.Vars(m.M)
	c := &copier{index: map[*prog.Var]int32{}, byTerm: map[*term.Term]int32{}, assigned: make([]bool, len(vars))}
	for i, v := range vars {
		c.index[v], c.byTerm[v.Term] = int32(i), int32(i)
	}
	out := make([][]int, m.M.Locs)
	for i := range m.M.Edges {
		out[m.M.Edges[i].From] = append(out[m.M.Edges[i].From], i)
	}
	at := make([]partition, m.M.Locs)
	at[m.M.Entry] = partition{}
	queued := make([]bool, m.M.Locs)
	work := []int{m.M.Entry}
	for steps := 0; len(work) > 0; {
		m.W.Check()
		l := work[0]
		work = work[1:]
		queued[l] = false
		for _, i := range out[l] {
			e := &m.M.Edges[i]
			next := c.after(at[l], e)
			if steps += 1 + len(next); steps > maxCopies {
				return // nothing is known then
			}
			if at[e.To] != nil {
				met := c.meet(at[e.To], next)
				if slices.Equal(met, at[e.To]) {
					continue
				}
				next = met
			}
			at[e.To] = next
			if !queued[e.To] {
				queued[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	for l, known := range at {
		if len(known) == 0 {
			continue
		}
		var first []int32 // variable of each value
		instead := map[*term.Term]*term.Term{}
		for _, x := range known {
			if int(x.n) == len(first) {
				first = append(first, x.v)
				continue
			}
			instead[vars[x.v].Term] = vars[first[x.n]].Term
		}
		if len(instead) == 0 {
			continue
		}
		for _, i := range out[l] {
			e := &m.M.Edges[i]
			if len(e.Exprs) > 0 {
				e.Exprs = m.W.Pool.SubstituteAll(e.Exprs, instead)
			}
		}
	}
}

// A copier computes partitions.
type copier struct {
	index    map[*prog.Var]int32
	byTerm   map[*term.Term]int32
	assigned []bool // by variable: at the edge at hand
	pairs    map[uint64]int32
	count    []int32
	renamed  []int32
}

// after returns what holds after an edge.
func (c *copier) after(a partition, e *prog.Edge) partition {
	if len(e.Vars) == 0 {
		return a
	}
	for _, v := range e.Vars {
		c.assigned[c.index[v]] = true
	}
	next := make(partition, 0, len(a)+2*len(e.Vars))
	fresh := int32(0)
	for _, x := range a {
		fresh = max(fresh, x.n+1)
		if !c.assigned[x.v] {
			next = append(next, x)
		}
	}
	if e.Kind == prog.AssignEdge {
		var alone []numbered // variables that had no number
		for k, v := range e.Vars {
			y, ok := c.byTerm[e.Exprs[k]]
			if !ok {
				continue
			}
			n, has := a.number(y)
			if !has {
				i := slices.IndexFunc(alone, func(x numbered) bool { return x.v == y })
				if i < 0 {
					i = len(alone)
					alone = append(alone, numbered{y, fresh})
					fresh++
					if !c.assigned[y] {
						next = append(next, alone[i])
					}
				}
				n = alone[i].n
			}
			next = append(next, numbered{c.index[v], n})
		}
	}
	for _, v := range e.Vars {
		c.assigned[c.index[v]] = false
	}
	slices.SortFunc(next, func(x, y numbered) int { return cmp.Compare(x.v, y.v) })
	return c.canonical(next, int(fresh))
}

// number returns the number of a variable's value.
func (a partition) number(v int32) (int32, bool) {
	i, ok := slices.BinarySearchFunc(a, v, func(x numbered, v int32) int { return cmp.Compare(x.v, v) })
	if !ok {
		return 0, false
	}
	return a[i].n, true
}

// meet returns what holds after either of two ways.
func (c *copier) meet(a, b partition) partition {
	if c.pairs == nil {
		c.pairs = map[uint64]int32{}
	}
	clear(c.pairs)
	out := make(partition, 0, min(len(a), len(b)))
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch x, y := a[i], b[k]; {
		case x.v < y.v:
			i++
		case x.v > y.v:
			k++
		default:
			both := uint64(x.n)<<32 | uint64(y.n)
			n, ok := c.pairs[both]
			if !ok {
				n = int32(len(c.pairs))
				c.pairs[both] = n
			}
			out = append(out, numbered{x.v, n})
			i, k = i+1, k+1
		}
	}
	return c.canonical(out, len(c.pairs))
}

// canonical makes a partition of variables in their order with numbers below n.
func (c *copier) canonical(a partition, n int) partition {
	c.count, c.renamed = slices.Grow(c.count[:0], n)[:n], slices.Grow(c.renamed[:0], n)[:n]
	for k := range n {
		c.count[k], c.renamed[k] = 0, -1
	}
	for _, x := range a {
		c.count[x.n]++
	}
	out := a[:0]
	next := int32(0)
	for _, x := range a {
		if c.count[x.n] < 2 {
			continue
		}
		if c.renamed[x.n] < 0 {
			c.renamed[x.n] = next
			next++
		}
		out = append(out, numbered{x.v, c.renamed[x.n]})
	}
	return out
}
