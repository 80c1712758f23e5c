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
	"cmp"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

const (
	widenAfter = 3 // how often a loop head changes before what is known widens

	// Steps of the first interpretation, of one that could be made finer, of a finer
	// one, and of all of a component.
	firstSteps = 400_000
	mostSteps  = 250_000
	finerSteps = 400_000
	AllSteps   = 800_000

	// knownInStep is of how many variables a step may know something; more count as
	// more steps.
	knownInStep = 128
)

// An interpreter is the automaton of a method, prepared for interpretation.
type interpreter struct {
	m    *Method
	g    *graph
	d    *domain
	cut  []bool  // ways meet here
	head []bool  // of a loop
	rpo  []int   // cut locations, in reverse postorder
	rank []int   // of a location in it
	dies [][]int // by edge: variables that are not read after it
	left *int    // steps
	idle []int   // own variables that are not read before they are assigned

	// Of one run: what is known where ways meet and, by the class of states that
	// it belongs to, at the exit.
	finely
	lower  int            // passes downwards
	at     [][]*knowledge // where ways meet: one of these holds
	exits  []*knowledge
	visits []int
	seen   []reach // by edge

	// Of the runs from all classes.
	known [][][]*knowledge
	edges []reach
}

// A reach is what is known of an edge, as bits.
type reach uint8

const (
	visited  reach = 1 << iota // its source is reached
	feasible                   // some run may take it
	optional                   // it is no assumption, or one that may not hold
)

func newInterpreter(p *prog.Program, m *Method, left *int) *interpreter {
	x := &interpreter{m: m, g: newGraph(p, m), d: newDomain(p, m.M), left: left}
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
	for l := range m.Locs { // the last ones come first: knowledge flows backwards
		work = append(work, l)
		queued[l] = true
	}
	now := make([]uint64, words)
	for len(work) > 0 {
		x.g.check()
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
func (x *interpreter) tree(loc int, k *knowledge, meet func(to int, k *knowledge)) {
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
			*x.left -= 1 + k.live/knownInStep
			x.g.check()
			e := &x.g.m.Edges[i]
			x.seen[i] |= visited
			if e.Kind != prog.AssumeEdge || k.truth(e.Exprs[0]) != may {
				x.seen[i] |= optional
			}
			after := k.step(e)
			if len(after) == 0 {
				continue
			}
			x.seen[i] |= feasible
			for _, k := range after {
				for _, v := range x.dies[i] {
					k.forget(v)
				}
			}
			for _, k := range x.apart(after) {
				if x.cut[e.To] {
					meet(e.To, k)
				} else {
					stack = append(stack, frame{e.To, k})
				}
			}
		}
	}
}

// apart joins what need not be told apart.
func (x *interpreter) apart(list []*knowledge) []*knowledge {
	if len(list) <= 1 {
		return list
	}
	var out []*knowledge
	for _, k := range list {
		out, _ = x.meet(out, -1, k, false)
	}
	return out
}

// leaves adds what is known at an exit to the classes that it may belong to.
func (x *interpreter) leaves(exits []*knowledge, k *knowledge) {
	for class := range exits {
		n := k.inClass(x.flags, class)
		switch {
		case n == nil:
		case exits[class] == nil:
			exits[class] = n
		default:
			exits[class].join(n, false)
		}
	}
}

// inClass is what is known in the states of a class: bit i says whether flag i
// is true, or not nil; nil: there is no such state.
func (k *knowledge) inClass(flags []int, class int) *knowledge {
	n := k
	for i, v := range flags {
		h := n.held(v)
		bits := slices.Clone(h.bits)
		if class>>i&1 == 0 {
			clear(bits[1:])
			bits[0] &= 1
		} else {
			bits[0] &^= 1
		}
		if (held{bits: bits}).empty() {
			return nil
		}
		if !slices.Equal(bits, h.bits) {
			if n == k {
				n = k.clone()
			}
			n.set(n.root(v), held{bits: bits})
		}
	}
	if n == k {
		n = k.clone()
	}
	return n
}

// mostWays bounds what is kept apart where ways meet.
const mostWays = 8

// signature is which local references are nil or not, and which local flags are
// true or false: results of a call that belong together differ in them.
func (k *knowledge) signature() []link {
	var out []link
	for b := range k.bindings {
		if b.h.bits == nil {
			continue
		}
		zero := b.h.bits[0]&1 != 0
		rest := b.h.bits[0]&^1 != 0
		for _, w := range b.h.bits[1:] {
			rest = rest || w != 0
		}
		switch {
		case zero && !rest:
			out = append(out, link{int(b.v), 0})
		case rest && !zero:
			out = append(out, link{int(b.v), 1})
		}
	}
	return out
}

// meet adds what comes to a location to what is known there. What differs in
// signature is kept apart, up to a number and not at loop heads. It returns what
// changed; -1: nothing.
func (x *interpreter) meet(list []*knowledge, loc int, k *knowledge, widen bool) ([]*knowledge, int) {
	most := x.ways
	switch {
	case loc < 0:
		most = min(most, 2)
	case x.head[loc] || loc == x.g.m.Exit:
		most = 1
	}
	if len(list) == 0 {
		return append(list, k), 0
	}
	if most == 1 && len(list) == 1 { // whatever the signatures are
		if !list[0].join(k, widen) {
			return list, -1
		}
		return list, 0
	}
	sign := k.signature()
	best, least := -1, 0
	for i, old := range list {
		other := old.signature()
		if slices.Equal(sign, other) {
			best = i
			break
		}
		differ := 0
		for _, s := range sign {
			if !slices.Contains(other, s) {
				differ++
			}
		}
		for _, s := range other {
			if !slices.Contains(sign, s) {
				differ++
			}
		}
		if len(list) >= most && (best < 0 || differ < least) {
			best, least = i, differ
		}
	}
	if best < 0 {
		return append(list, k), len(list)
	}
	if !list[best].join(k, widen) {
		return list, -1
	}
	return list, best
}

// run computes what is known at the end of a method, by class of states; nil: it
// does not return in such a state.
func (x *interpreter) run(entry *knowledge) []*knowledge {
	m := x.g.m
	x.at = make([][]*knowledge, m.Locs)
	x.visits = make([]int, m.Locs)
	x.seen = make([]reach, len(m.Edges))
	x.at[m.Entry] = []*knowledge{entry.clone()}
	queued := make([][mostWays]bool, m.Locs)
	queued[m.Entry][0] = true
	for again := true; again && *x.left > 0; {
		again = false
		for _, l := range x.rpo {
			for w := range x.at[l] {
				if !queued[l][w] {
					continue
				}
				queued[l][w] = false
				x.tree(l, x.at[l][w].clone(), func(to int, k *knowledge) {
					if to == m.Exit {
						return // nothing comes back from there
					}
					if x.head[to] && x.at[to] != nil {
						x.visits[to]++
					}
					var changed int
					if x.at[to], changed = x.meet(x.at[to], to, k, x.visits[to] > widenAfter); changed >= 0 {
						queued[to][changed] = true
						if x.rank[to] <= x.rank[l] {
							again = true
						}
					}
				})
			}
		}
	}
	// Downwards. The first pass only looks at what comes back to loop heads.
	var back [][]*knowledge
	for range 1 + x.lower {
		come := make([][]*knowledge, m.Locs)
		next := make([][]*knowledge, m.Locs)
		next[m.Entry] = []*knowledge{entry.clone()}
		x.exits = make([]*knowledge, 1<<len(x.flags))
		if m.Entry == m.Exit {
			x.leaves(x.exits, entry.clone())
		}
		x.seen = make([]reach, len(m.Edges))
		for _, l := range x.rpo {
			if x.head[l] && back == nil {
				next[l] = x.at[l]
			} else if x.head[l] {
				for _, k := range back[l] {
					next[l], _ = x.meet(next[l], l, k.clone(), false)
				}
			}
			for _, k := range next[l] {
				x.tree(l, k.clone(), func(to int, k *knowledge) {
					if to == m.Exit {
						x.leaves(x.exits, k)
					}
					into := next
					if x.rank[to] <= x.rank[l] {
						into = come
					}
					into[to], _ = x.meet(into[to], to, k, false)
				})
			}
		}
		back, x.at = come, next
	}
	return x.exits
}

// finely says how finely runs are told apart.
type finely struct {
	flags []int // state by which states are
	ways  int   // that are kept apart where they meet
}

// interpret removes the edges that no run takes. If it is asked to, or checks of
// the run time are left, it looks at the states of different flags, and at ways with
// different results, apart. It returns what holds between calls, and the variables of the state that then have one value.
func interpret(p *prog.Program, constructors, methods []*Method, fine bool, steps *int) (promised []*term.Term, values map[*term.Term]*term.Term) {
	var states []*knowledge
	run := func(how finely, most int) (makers, bodies []*interpreter, used int) {
		most = min(most, *steps)
		left := most
		var known []*knowledge
		if makers, bodies, known = analyse(p, constructors, methods, how, &left); known != nil {
			states = known
		}
		used = most - max(0, left)
		*steps -= used
		return makers, bodies, used
	}
	makers, bodies, used := run(finely{ways: 1}, firstSteps)
	if makers != nil && (fine || slices.ContainsFunc(bodies, func(x *interpreter) bool { return x.checks() })) {
		how := finely{flagsOf(p, methods), mostWays}
		for len(how.flags) > 0 && used<<len(how.flags) > mostSteps {
			how.flags = how.flags[:len(how.flags)-1]
		}
		if used <= mostSteps/4 {
			if a, b, _ := run(how, finerSteps); a != nil {
				makers, bodies = a, b
			}
		}
	}
	remove(p, constructors, makers)
	remove(p, methods, bodies)
	return promises(states), settled(states)
}

// checks reports whether a check of the run time may still err.
func (x *interpreter) checks() bool {
	for _, s := range x.m.sites {
		if s.Implicit && slices.ContainsFunc(x.g.in[s.Loc], func(i int) bool { return x.edges[i]&feasible != 0 }) {
			return true
		}
	}
	return false
}

// mostFlags bounds the flags by which states are told apart.
const mostFlags = 3

// flagsOf chooses flags: state that is tested, and true or false, or nil or not.
// Those tested in most places come first.
func flagsOf(p *prog.Program, methods []*Method) []int {
	type flag struct{ v, tests int }
	var all []flag
	for v, s := range p.State {
		if s.Type.Sort.Kind == term.BitVecKind {
			continue
		}
		tests, assigned := 0, false
		for _, m := range methods {
			copies := map[*term.Term]bool{s.Term: true}
			for _, e := range m.M.Edges {
				for i, x := range e.Vars {
					assigned = assigned || x == s
					if e.Kind == prog.AssignEdge && e.Exprs[i] == s.Term {
						copies[x.Term] = true
					}
				}
			}
			for _, e := range m.M.Edges {
				if e.Kind == prog.AssumeEdge && slices.ContainsFunc(term.FreeVars(e.Exprs...), func(t *term.Term) bool { return copies[t] }) {
					tests++
				}
			}
		}
		if tests > 0 && assigned {
			if s.Type.Sort.Kind == term.BoolKind {
				tests += 1 << 20 // before references
			}
			all = append(all, flag{v, tests})
		}
	}
	slices.SortStableFunc(all, func(a, b flag) int { return cmp.Compare(b.tests, a.tests) })
	var out []int
	for _, f := range all[:min(len(all), mostFlags)] {
		out = append(out, f.v)
	}
	slices.Sort(out)
	return out
}

// analyse finds out what is known everywhere, as finely as asked for. It returns nothing if that takes too long, and no methods if no
// constructor returns.
func analyse(p *prog.Program, constructors, methods []*Method, how finely, left *int) (makers, bodies []*interpreter, states []*knowledge) {
	thresholds := map[int64]bool{}
	prepare := func(list []*Method) []*interpreter {
		var out []*interpreter
		for _, m := range list {
			x := newInterpreter(p, m, left)
			x.finely, x.lower = how, 1
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
	classes := 1 << len(how.flags)
	invariant := make([]*knowledge, classes)
	var widen bool
	changed := make([]bool, classes)
	runs := func(list []*interpreter, from []*knowledge, lower int) {
		for _, x := range list {
			x.lower = lower
			x.known = make([][][]*knowledge, classes)
			x.edges = make([]reach, len(x.g.m.Edges))
			for class, entry := range from {
				if entry == nil {
					continue
				}
				for c, k := range x.run(entry.enter(x)) {
					if k == nil {
						continue
					}
					k = k.leave(common)
					if invariant[c] == nil {
						invariant[c], changed[c] = k, true
					} else if invariant[c].join(k, widen) {
						changed[c] = true
					}
				}
				x.known[class] = x.at
				for i, r := range x.seen {
					x.edges[i] |= r
				}
			}
		}
	}
	// copied is the invariant, of some classes only.
	copied := func(of []bool) []*knowledge {
		out := make([]*knowledge, classes)
		for c, k := range invariant {
			if k != nil && (of == nil || of[c]) {
				out[c] = k.clone()
			}
		}
		return out
	}
	runs(makers, []*knowledge{start}, 2)
	if *left <= 0 {
		return nil, nil, nil
	}
	if !slices.Contains(changed, true) {
		return makers, nil, nil // none returns
	}
	made := copied(nil)
	for round := 0; slices.Contains(changed, true); round++ {
		from := copied(changed)
		changed, widen = make([]bool, classes), round > 1
		runs(bodies, from, 1)
		if *left <= 0 {
			return nil, nil, nil
		}
	}
	// Once more, downwards, and with what comes out of it if that says more.
	old := invariant
	invariant, widen = made, false
	runs(bodies, old, 2)
	more := false
	for c, k := range invariant {
		if old[c] != nil && (k == nil || k.clone().join(old[c].clone(), false)) {
			more = true
		}
	}
	if more {
		runs(bodies, copied(nil), 2)
	}
	if *left <= 0 {
		return nil, nil, nil
	}
	return makers, bodies, invariant
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
	n.lins = less(n.lins, opaque)
	n.d = common
	n.changed()
	return n
}

// remove drops the edges that no run takes, and conditions that always hold.
func remove(p *prog.Program, methods []*Method, list []*interpreter) {
	state := map[*term.Term]bool{}
	for _, v := range p.State {
		state[v.Term] = true
	}
	for k, x := range list {
		m := methods[k]
		var edges []prog.Edge
		for i := range m.M.Edges {
			if x.edges[i]&feasible == 0 {
				continue
			}
			e := m.M.Edges[i]
			if x.edges[i]&optional == 0 && !(m.W.KeepTests && e.Kind == prog.AssumeEdge && isOfState(state, e.Exprs[0])) {
				e.Kind, e.Exprs = prog.AssignEdge, nil
			}
			edges = append(edges, e)
		}
		m.M.Edges = edges
		m.tidyFirst()
	}
}

// isOfState reports whether a condition is about state alone.
func isOfState(state map[*term.Term]bool, t *term.Term) bool {
	return !slices.ContainsFunc(term.FreeVars(t), func(v *term.Term) bool { return !state[v] })
}
