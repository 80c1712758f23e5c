// SPDX-License-Identifier: Apache-2.0

package lower

// This file finds variables that hold the same value at a location, because they
// are copies of each other, and lets expressions there read one of them only
// (global value numbering for copies: Alpern, Wegman, Zadeck, POPL 1988). Code
// reads a field into a register each time it needs it; n - t4 + t5 is n if both
// registers are the field. Expressions of equal values are not compared: terms of
// equal variables are equal already.

import (
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A partition says which variables hold the same value: those with the same
// number. A variable without a number is alone.
type partition map[int]int // by index of the variable

// maxCopies bounds the work: variables that are numbered, over all locations.
const maxCopies = 4_000_000

// copies lets each expression read one variable for each value.
func (m *Method) copies(p *prog.Program) {
	vars := p.Vars(m.M)
	index := map[*prog.Var]int{}
	byTerm := map[*term.Term]int{}
	for i, v := range vars {
		index[v], byTerm[v.Term] = i, i
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
			next := at[l].after(e, index, byTerm)
			if steps += 1 + len(next); steps > maxCopies {
				return // nothing is known then
			}
			if at[e.To] != nil {
				met := at[e.To].meet(next)
				if maps.Equal(met, at[e.To]) {
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
		first := map[int]int{} // of each value
		for _, v := range slices.Sorted(maps.Keys(known)) {
			if _, ok := first[known[v]]; !ok {
				first[known[v]] = v
			}
		}
		instead := map[*term.Term]*term.Term{}
		for v, n := range known {
			if f := first[n]; f != v {
				instead[vars[v].Term] = vars[f].Term
			}
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

// after returns what holds after an edge.
func (a partition) after(e *prog.Edge, index map[*prog.Var]int, byTerm map[*term.Term]int) partition {
	if len(e.Vars) == 0 {
		return a
	}
	next := maps.Clone(a)
	for _, v := range e.Vars {
		delete(next, index[v])
	}
	if e.Kind == prog.AssignEdge {
		fresh := 0
		for _, n := range a {
			fresh = max(fresh, n+1)
		}
		alone := map[int]int{} // numbers of variables that had none
		for k, v := range e.Vars {
			if !e.Exprs[k].IsVar() {
				continue
			}
			y, ok := byTerm[e.Exprs[k]]
			if !ok {
				continue
			}
			n, has := a[y]
			if !has {
				if n, has = alone[y]; !has {
					n, fresh = fresh, fresh+1
					alone[y] = n
				}
				if !slices.ContainsFunc(e.Vars, func(w *prog.Var) bool { return index[w] == y }) {
					next[y] = n
				}
			}
			next[index[v]] = n
		}
	}
	return next.canonical()
}

// meet returns what holds after either of two ways.
func (a partition) meet(b partition) partition {
	type pair struct{ x, y int }
	number := map[pair]int{}
	out := partition{}
	for _, v := range slices.Sorted(maps.Keys(a)) {
		y, ok := b[v]
		if !ok {
			continue
		}
		p := pair{a[v], y}
		n, ok := number[p]
		if !ok {
			n = len(number)
			number[p] = n
		}
		out[v] = n
	}
	return out.canonical()
}

// canonical numbers values in order of their first variable, and forgets
// variables that are alone: equal partitions are equal maps.
func (a partition) canonical() partition {
	count := map[int]int{}
	for _, n := range a {
		count[n]++
	}
	number := map[int]int{}
	out := partition{}
	for _, v := range slices.Sorted(maps.Keys(a)) {
		n := a[v]
		if count[n] < 2 {
			continue
		}
		if _, ok := number[n]; !ok {
			number[n] = len(number)
		}
		out[v] = number[n]
	}
	return out
}
