// SPDX-License-Identifier: Apache-2.0

package lower

// This file removes edges that no run takes, by abstract interpretation (Cousot
// and Cousot, POPL 1977) of the whole component. What state may hold between calls
// is the join over all constructors and methods. Most checks of the run time are
// decided here, all at once and at little cost.
//
// What is known is kept only where ways meet; from there it is carried along the
// tree of locations with one way in. Locals that nobody reads any more are
// forgotten at once. Where loops meet, what grows grows to the next constant of
// the program after a few rounds; when nothing grows any more, two passes go down
// again. Every pass over something that holds of all runs gives something that
// holds of all runs, so they may stop anywhere.

import (
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

const (
	widenAfter = 3 // how often a loop head changes before what is known widens
	lowering   = 2 // passes downwards
	mostSteps  = 4_000_000
)

// An interpreter is the automaton of a method, prepared for interpretation.
type interpreter struct {
	g    *graph
	d    *domain
	cut  []bool  // ways meet here
	head []bool  // of a loop
	rpo  []int   // cut locations, in reverse postorder
	rank []int   // of a location in it
	dies [][]int // by edge: variables that are not read after it
	left *int    // steps
	idle []int   // own variables that are not read before they are assigned

	at       []*knowledge
	back     []*knowledge // what comes back to a loop head
	visits   []int
	feasible []bool // by edge
	implied  []bool // by edge: an assumption that always holds
}

func newInterpreter(p *prog.Program, m *Method, left *int) *interpreter {
	x := &interpreter{g: newGraph(p, m), d: newDomain(p, m.M), left: left}
	x.order()
	x.liveness()
	return x
}

// order finds where ways meet, loop heads, and an order of both.
func (x *interpreter) order() {
	m := x.g.m
	x.cut = make([]bool, m.Locs)
	x.head = make([]bool, m.Locs)
	x.rank = make([]int, m.Locs)
	state := make([]uint8, m.Locs) // 1: on the stack, 2: done
	var post []int
	type frame struct{ loc, next int }
	state[m.Entry] = 1
	for stack := []frame{{m.Entry, 0}}; len(stack) > 0; {
		f := &stack[len(stack)-1]
		if f.next == len(x.g.out[f.loc]) {
			state[f.loc] = 2
			post = append(post, f.loc)
			stack = stack[:len(stack)-1]
			continue
		}
		to := m.Edges[x.g.out[f.loc][f.next]].To
		f.next++
		switch state[to] {
		case 0:
			state[to] = 1
			stack = append(stack, frame{to, 0})
		case 1:
			x.head[to] = true
		}
	}
	slices.Reverse(post)
	for i, l := range post {
		x.rank[l] = i
		n := 0
		for _, e := range x.g.in[l] {
			if state[m.Edges[e].From] == 2 {
				n++
			}
		}
		x.cut[l] = l == m.Entry || l == m.Exit || n > 1 || x.head[l]
		if x.cut[l] {
			x.rpo = append(x.rpo, l)
		}
	}
}

// liveness finds after which edges variables are not read any more. State is
// read at the end; the results are the client's.
func (x *interpreter) liveness() {
	m, d := x.g.m, x.d
	words := (d.n + 63) / 64
	live := make([]uint64, m.Locs*words)
	at := func(l int) []uint64 { return live[l*words : (l+1)*words] }
	for v := range d.state {
		at(m.Exit)[v/64] |= 1 << (v % 64)
	}
	uses := make([][]int, len(m.Edges))
	defs := make([][]int, len(m.Edges))
	for i := range m.Edges {
		e := &m.Edges[i]
		for _, t := range e.Exprs {
			uses[i] = append(uses[i], d.freeIn(t)...)
		}
		for _, v := range e.Vars {
			if n, ok := d.index[v.Term]; ok {
				defs[i] = append(defs[i], n)
			}
		}
	}
	work := make([]int, 0, m.Locs)
	queued := make([]bool, m.Locs)
	for l := m.Locs - 1; l >= 0; l-- {
		work = append(work, l)
		queued[l] = true
	}
	now := make([]uint64, words)
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		queued[l] = false
		changed := false
		for _, i := range x.g.out[l] {
			copy(now, at(m.Edges[i].To))
			for _, v := range defs[i] {
				now[v/64] &^= 1 << (v % 64)
			}
			for _, v := range uses[i] {
				now[v/64] |= 1 << (v % 64)
			}
			for w, b := range now {
				if at(l)[w]|b != at(l)[w] {
					at(l)[w] |= b
					changed = true
				}
			}
		}
		if changed {
			for _, i := range x.g.in[l] {
				if f := m.Edges[i].From; !queued[f] {
					queued[f] = true
					work = append(work, f)
				}
			}
		}
	}
	for v := d.state; v < d.n; v++ {
		if (at(m.Entry)[v/64]>>(v%64))&1 == 0 {
			x.idle = append(x.idle, v)
		}
	}
	x.dies = make([][]int, len(m.Edges))
	for i := range m.Edges {
		to := at(m.Edges[i].To)
		from := at(m.Edges[i].From)
		gone := map[int]bool{}
		for v := range d.n {
			if (from[v/64]>>(v%64))&1 != 0 && (to[v/64]>>(v%64))&1 == 0 {
				gone[v] = true
			}
		}
		for _, v := range defs[i] {
			if (to[v/64]>>(v%64))&1 == 0 {
				gone[v] = true
			}
		}
		for v := range gone {
			x.dies[i] = append(x.dies[i], v)
		}
		slices.Sort(x.dies[i])
	}
}

// tree carries what is known at a location to where ways meet.
func (x *interpreter) tree(loc int, k *knowledge, meet func(from, to int, k *knowledge)) {
	type frame struct {
		loc int
		k   *knowledge
	}
	for stack := []frame{{loc, k}}; len(stack) > 0; {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out := x.g.out[f.loc]
		for n, i := range out {
			k := f.k
			if n < len(out)-1 {
				k = k.clone()
			}
			*x.left--
			x.g.check()
			e := &x.g.m.Edges[i]
			x.implied[i] = e.Kind == prog.AssumeEdge && k.truth(e.Exprs[0]) == may
			if x.feasible[i] = k.step(e); !x.feasible[i] {
				continue
			}
			for _, v := range x.dies[i] {
				k.forget(v)
			}
			if x.cut[e.To] {
				meet(f.loc, e.To, k)
			} else {
				stack = append(stack, frame{e.To, k})
			}
		}
	}
}

// run computes what is known at the end of a method; nil: it does not return.
func (x *interpreter) run(entry *knowledge) *knowledge {
	m := x.g.m
	x.at = make([]*knowledge, m.Locs)
	x.visits = make([]int, m.Locs)
	x.feasible = make([]bool, len(m.Edges))
	x.implied = make([]bool, len(m.Edges))
	x.at[m.Entry] = entry.clone()
	queued := make([]bool, m.Locs)
	queued[m.Entry] = true
	for again := true; again && *x.left > 0; {
		again = false
		for _, l := range x.rpo {
			if !queued[l] {
				continue
			}
			queued[l] = false
			x.tree(l, x.at[l].clone(), func(from, to int, k *knowledge) {
				if x.at[to] == nil {
					x.at[to] = k
				} else {
					if x.head[to] {
						x.visits[to]++
					}
					if !x.at[to].join(k, x.visits[to] > widenAfter) {
						return
					}
				}
				queued[to] = true
				if x.rank[to] <= x.rank[l] {
					again = true
				}
			})
		}
	}
	for range lowering {
		back := make([]*knowledge, m.Locs)
		next := make([]*knowledge, m.Locs)
		next[m.Entry] = entry.clone()
		x.feasible = make([]bool, len(m.Edges))
		x.implied = make([]bool, len(m.Edges))
		for _, l := range x.rpo {
			if x.head[l] && x.back != nil && x.back[l] != nil {
				if next[l] == nil {
					next[l] = x.back[l].clone()
				} else {
					next[l].join(x.back[l].clone(), false)
				}
			}
			if x.back == nil && x.head[l] && next[l] != nil && x.at[l] != nil {
				next[l] = x.at[l] // the first pass only looks at what comes back
			}
			if next[l] == nil {
				continue
			}
			x.tree(l, next[l].clone(), func(from, to int, k *knowledge) {
				into := next
				if x.rank[to] <= x.rank[l] {
					into = back
				}
				if into[to] == nil {
					into[to] = k
				} else {
					into[to].join(k, false)
				}
			})
		}
		x.back = back
		x.at = next
	}
	return x.at[m.Exit]
}

// interpret removes the edges that no run takes.
func interpret(p *prog.Program, constructors, methods []*Method) {
	makers, bodies := analyse(p, constructors, methods)
	remove(constructors, makers)
	remove(methods, bodies)
}

// analyse finds out what is known everywhere. It returns nothing if that takes
// too long, and no methods if no constructor returns.
func analyse(p *prog.Program, constructors, methods []*Method) (makers, bodies []*interpreter) {
	left := mostSteps
	thresholds := map[int64]bool{}
	prepare := func(list []*Method) []*interpreter {
		var out []*interpreter
		for _, m := range list {
			x := newInterpreter(p, m, &left)
			for _, c := range x.d.steps {
				thresholds[c] = true
			}
			out = append(out, x)
		}
		return out
	}
	makers, bodies = prepare(constructors), prepare(methods)
	common := newDomain(p, &prog.Method{})
	steps := slices.Sorted(maps.Keys(thresholds))
	common.steps = steps
	for _, x := range slices.Concat(makers, bodies) {
		x.d.steps = steps
	}
	start := newKnowledge(common)
	for _, s := range p.State {
		if s.Init != nil {
			start.assign([]*prog.Var{s}, []*term.Term{s.Init})
		}
	}
	var invariant *knowledge
	var changed, widen bool
	runs := func(list []*interpreter, entry *knowledge) {
		for _, x := range list {
			k := x.run(entry.enter(x))
			if k == nil {
				continue
			}
			k = k.leave(common)
			if invariant == nil {
				invariant, changed = k, true
			} else if invariant.join(k, widen) {
				changed = true
			}
		}
	}
	runs(makers, start)
	if left <= 0 {
		return nil, nil
	}
	if invariant == nil {
		return makers, nil
	}
	made := invariant.clone()
	for round := 0; ; round++ {
		changed, widen = false, round > 1
		runs(bodies, invariant.clone())
		if left <= 0 {
			return nil, nil
		}
		if !changed {
			break
		}
	}
	// Once more, downwards, and with what comes out of it.
	old := invariant
	invariant, widen = made, false
	runs(bodies, old)
	runs(bodies, invariant.clone())
	if left <= 0 {
		return nil, nil
	}
	return makers, bodies
}

// enter is what is known when a method starts: its own variables are zero,
// except what the client chooses.
func (k *knowledge) enter(x *interpreter) *knowledge {
	n := k.clone()
	n.d = x.d
	for _, v := range slices.Concat(x.g.m.Locals, x.g.m.Results) {
		i, ok := x.d.index[v.Term]
		if _, idle := slices.BinarySearch(x.idle, i); !ok || idle {
			continue
		}
		switch w := x.d.width[i]; {
		case w > 0:
			n.set(i, held{})
		default:
			h := held{bits: make([]uint64, (sizeOf(v.Type.Sort)+63)/64)}
			h.bits[0] = 1
			n.set(i, h)
		}
	}
	return n
}

// leave is what is known of state alone.
func (k *knowledge) leave(common *domain) *knowledge {
	n := k.clone()
	for v := n.d.n - 1; v >= n.d.state; v-- {
		n.forget(v)
	}
	opaque := func(f form) bool {
		return slices.ContainsFunc(f.ts, func(m mono) bool { return m.v >= n.d.base })
	}
	n.lins = slices.DeleteFunc(n.lins, opaque)
	n.d = common
	n.changed()
	return n
}

// remove drops the edges that no run takes, and conditions that always hold.
func remove(methods []*Method, list []*interpreter) {
	for k, x := range list {
		m := methods[k]
		var edges []prog.Edge
		for i := range m.M.Edges {
			if !x.feasible[i] {
				continue
			}
			e := m.M.Edges[i]
			if x.implied[i] {
				e.Kind, e.Exprs = prog.AssignEdge, nil
			}
			edges = append(edges, e)
		}
		m.M.Edges = edges
		m.tidyFirst()
	}
}
