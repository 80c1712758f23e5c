// SPDX-License-Identifier: Apache-2.0

package lower

// This file removes edges that no run takes, by abstract interpretation (Cousot
// and Cousot, POPL 1977) of the whole component: what a variable may hold is a
// set of enum values or booleans, or an interval of integers; copies of variables
// and conditions that hold are remembered along the way. What state may hold
// between calls is the join over all constructors and methods. Most checks of
// the run time (nil, bounds of what has just been measured) are decided here, at
// next to no cost; relations between integers are left to the engines.

import (
	"math"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A held is what a variable may hold: the values of a bool or enum as bits, or
// an interval of integers, read as signed.
type held struct {
	bits   []uint64
	lo, hi int64
}

func bounds(width int) (lo, hi int64) {
	if width >= 64 {
		return math.MinInt64, math.MaxInt64
	}
	return -(1 << (width - 1)), 1<<(width-1) - 1
}

func sizeOf(s term.Sort) int {
	if s.Kind == term.BoolKind {
		return 2
	}
	return len(s.Enum.Values)
}

func everything(s term.Sort) held {
	if s.Kind == term.BitVecKind {
		lo, hi := bounds(s.Width)
		return held{lo: lo, hi: hi}
	}
	n := sizeOf(s)
	h := held{bits: make([]uint64, (n+63)/64)}
	for i := range n {
		h.bits[i/64] |= 1 << (i % 64)
	}
	return h
}

func single(s term.Sort, v term.Value) held {
	if s.Kind == term.BitVecKind {
		if s.Width > 64 {
			return everything(s)
		}
		x := int64(v.Lo)
		if s.Width < 64 {
			x = x << (64 - s.Width) >> (64 - s.Width)
		}
		return held{lo: x, hi: x}
	}
	h := held{bits: make([]uint64, (sizeOf(s)+63)/64)}
	h.bits[v.Lo/64] |= 1 << (v.Lo % 64)
	return h
}

func (h held) empty() bool {
	if h.bits == nil {
		return h.lo > h.hi
	}
	for _, b := range h.bits {
		if b != 0 {
			return false
		}
	}
	return true
}

func (h held) equal(k held) bool {
	return h.lo == k.lo && h.hi == k.hi && slices.Equal(h.bits, k.bits)
}

func (h held) join(k held) held {
	if h.bits == nil {
		return held{lo: min(h.lo, k.lo), hi: max(h.hi, k.hi)}
	}
	out := slices.Clone(h.bits)
	for i := range out {
		out[i] |= k.bits[i]
	}
	return held{bits: out}
}

func (h held) meet(k held) held {
	if h.bits == nil {
		return held{lo: max(h.lo, k.lo), hi: min(h.hi, k.hi)}
	}
	out := slices.Clone(h.bits)
	for i := range out {
		out[i] &= k.bits[i]
	}
	return held{bits: out}
}

// constant returns the value if there is only one.
func (h held) one() bool {
	if h.bits == nil {
		return h.lo == h.hi
	}
	n := 0
	for _, b := range h.bits {
		for ; b != 0; b &= b - 1 {
			n++
		}
	}
	return n == 1
}

// A knowledge is what is known at a location. A variable that is not in vals
// may hold everything.
type knowledge struct {
	vals   map[*term.Term]held
	copies map[*term.Term]*term.Term // variable -> the variable it equals
	facts  map[*term.Term]bool
}

func newKnowledge() *knowledge {
	return &knowledge{map[*term.Term]held{}, map[*term.Term]*term.Term{}, map[*term.Term]bool{}}
}

func (k *knowledge) clone() *knowledge {
	c := newKnowledge()
	for v, h := range k.vals {
		c.vals[v] = h
	}
	for v, u := range k.copies {
		c.copies[v] = u
	}
	for f := range k.facts {
		c.facts[f] = true
	}
	return c
}

// join weakens k to what also holds in l, and reports whether k changed. With
// widen, intervals that grow grow to the end.
func (k *knowledge) join(l *knowledge, widen bool) (changed bool) {
	for v, h := range k.vals {
		g, ok := l.vals[v]
		if !ok {
			delete(k.vals, v)
			changed = true
			continue
		}
		j := h.join(g)
		if j.equal(h) {
			continue
		}
		changed = true
		if widen && j.bits == nil {
			lo, hi := bounds(v.Sort().Width)
			if j.lo < h.lo {
				// Zero is where most counters start.
				if j.lo >= 0 {
					j.lo = 0
				} else {
					j.lo = lo
				}
			}
			if j.hi > h.hi {
				j.hi = hi
			}
		}
		k.vals[v] = j
	}
	for v, u := range k.copies {
		if l.copies[v] != u {
			delete(k.copies, v)
			changed = true
		}
	}
	for f := range k.facts {
		if !l.facts[f] {
			delete(k.facts, f)
			changed = true
		}
	}
	return changed
}

func (k *knowledge) root(t *term.Term) *term.Term {
	if u, ok := k.copies[t]; ok {
		return u
	}
	return t
}

func (k *knowledge) value(t *term.Term) held {
	if h, ok := k.vals[k.root(t)]; ok {
		return h
	}
	return everything(t.Sort())
}

// forget drops what is known of a variable that is assigned.
func (k *knowledge) forget(v *term.Term) {
	// Copies of it live on: one of them takes its place.
	var heir *term.Term
	for u, r := range k.copies {
		if r == v && (heir == nil || u.Name() < heir.Name()) {
			heir = u
		}
	}
	old, ok := k.vals[v]
	if heir != nil {
		delete(k.copies, heir)
		if ok {
			k.vals[heir] = old
		}
		for u, r := range k.copies {
			if r == v {
				k.copies[u] = heir
			}
		}
	}
	delete(k.vals, v)
	delete(k.copies, v)
	for f := range k.facts {
		if slices.Contains(term.FreeVars(f), v) {
			delete(k.facts, f)
		}
	}
}

// eval returns what a term may evaluate to.
func (k *knowledge) eval(t *term.Term) held {
	s := t.Sort()
	args := t.Args()
	truth := func(yes, no bool) held {
		h := held{bits: []uint64{0}}
		if no {
			h.bits[0] |= 1
		}
		if yes {
			h.bits[0] |= 2
		}
		return h
	}
	switch t.Op() {
	case term.OpConst:
		v, _ := t.Const()
		return single(s, v)
	case term.OpVar:
		return k.value(t)
	case term.OpNot:
		a := k.eval(args[0])
		return truth(a.bits[0]&1 != 0, a.bits[0]&2 != 0)
	case term.OpAnd, term.OpOr:
		yes, no := t.Op() == term.OpAnd, t.Op() == term.OpOr
		all, some := true, false // of the deciding value
		for _, a := range args {
			h := k.eval(a)
			if t.Op() == term.OpAnd {
				yes = yes && h.bits[0]&2 != 0
				all = all && h.bits[0]&1 == 0
			} else {
				no = no && h.bits[0]&1 != 0
				some = some || h.bits[0]&2 != 0
			}
		}
		if t.Op() == term.OpAnd {
			return truth(yes, !all)
		}
		return truth(some, no)
	case term.OpIte:
		c := k.eval(args[0])
		switch c.bits[0] {
		case 1:
			return k.eval(args[2])
		case 2:
			return k.eval(args[1])
		}
		return k.eval(args[1]).join(k.eval(args[2]))
	case term.OpEq:
		if k.root(args[0]) == k.root(args[1]) {
			return truth(true, false)
		}
		a, b := k.eval(args[0]), k.eval(args[1])
		return truth(!a.meet(b).empty(), !(a.one() && b.one() && a.equal(b)))
	case term.OpSLt, term.OpSLe:
		a, b := k.eval(args[0]), k.eval(args[1])
		if t.Op() == term.OpSLt {
			return truth(a.lo < b.hi, a.hi >= b.lo)
		}
		return truth(a.lo <= b.hi, a.hi > b.lo)
	case term.OpULt, term.OpULe:
		a, b := k.eval(args[0]), k.eval(args[1])
		if a.lo >= 0 && b.lo >= 0 {
			if t.Op() == term.OpULt {
				return truth(a.lo < b.hi, a.hi >= b.lo)
			}
			return truth(a.lo <= b.hi, a.hi > b.lo)
		}
	case term.OpZeroExt:
		a := k.eval(args[0])
		if a.lo >= 0 {
			return a
		}
		if w := args[0].Sort().Width; w < 63 {
			return held{lo: 0, hi: 1<<w - 1}
		}
		return everything(s)
	case term.OpSignExt:
		return k.eval(args[0])
	case term.OpAdd, term.OpMul:
		out := k.eval(args[0])
		for _, a := range args[1:] {
			h := k.eval(a)
			var ok bool
			if t.Op() == term.OpAdd {
				out, ok = out.plus(h)
			} else {
				out, ok = out.times(h)
			}
			lo, hi := bounds(s.Width)
			if !ok || out.lo < lo || out.hi > hi {
				return everything(s)
			}
		}
		return out
	case term.OpNeg:
		a := k.eval(args[0])
		if lo, _ := bounds(s.Width); a.lo > lo {
			return held{lo: -a.hi, hi: -a.lo}
		}
	case term.OpBVAnd:
		// Not above any operand that is not negative.
		hi := int64(math.MaxInt64)
		for _, a := range args {
			if h := k.eval(a); h.lo >= 0 {
				hi = min(hi, h.hi)
			}
		}
		if hi < math.MaxInt64 {
			return held{lo: 0, hi: hi}
		}
	case term.OpSDiv:
		a, b := k.eval(args[0]), k.eval(args[1])
		if a.lo >= 0 && b.lo > 0 {
			return held{lo: a.lo / b.hi, hi: a.hi / b.lo}
		}
	case term.OpURem, term.OpSRem:
		a, b := k.eval(args[0]), k.eval(args[1])
		if a.lo >= 0 && b.lo > 0 {
			return held{lo: 0, hi: min(a.hi, b.hi-1)}
		}
	}
	return everything(s)
}

func (h held) plus(k held) (held, bool) {
	lo, hi := h.lo+k.lo, h.hi+k.hi
	if (lo > h.lo) != (k.lo > 0) && k.lo != 0 || (hi > h.hi) != (k.hi > 0) && k.hi != 0 {
		return held{}, false
	}
	return held{lo: lo, hi: hi}, true
}

func (h held) times(k held) (held, bool) {
	const most = 1 << 31
	out := held{lo: math.MaxInt64, hi: math.MinInt64}
	for _, a := range []int64{h.lo, h.hi} {
		for _, b := range []int64{k.lo, k.hi} {
			if a == -1 && b != math.MinInt64 || b == -1 && a != math.MinInt64 || a < most && a > -most && b < most && b > -most {
				out.lo, out.hi = min(out.lo, a*b), max(out.hi, a*b)
				continue
			}
			return held{}, false
		}
	}
	return out, true
}

// canonical replaces variables by what they are copies of.
func (k *knowledge) canonical(p *term.Pool, t *term.Term) *term.Term {
	m := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(t) {
		if u := k.root(v); u != v {
			m[v] = u
		}
	}
	if len(m) == 0 {
		return t
	}
	return p.Substitute(t, m)
}

// assume refines what is known by a condition; false: it cannot hold.
func (k *knowledge) assume(p *term.Pool, t *term.Term) bool {
	t = k.canonical(p, t)
	if h := k.eval(t); h.bits[0]&2 == 0 || k.facts[p.Not(t)] {
		return false
	}
	if k.facts[t] || t.IsConst() {
		return true
	}
	if len(k.facts) < 200 {
		k.facts[t] = true
	}
	return k.refine(p, t, true)
}

func (k *knowledge) refine(p *term.Pool, t *term.Term, yes bool) bool {
	args := t.Args()
	narrow := func(v *term.Term, h held) bool {
		if !v.IsVar() {
			return true
		}
		h = k.value(v).meet(h)
		k.vals[k.root(v)] = h
		return !h.empty()
	}
	switch t.Op() {
	case term.OpVar:
		b := term.BoolValue(yes)
		return narrow(t, single(term.BoolSort, b))
	case term.OpNot:
		return k.refine(p, args[0], !yes)
	case term.OpAnd, term.OpOr:
		if (t.Op() == term.OpAnd) == yes {
			for _, a := range args {
				if yes && !k.assume(p, a) || !yes && !k.assume(p, p.Not(a)) {
					return false
				}
			}
			return true
		}
		// One of several: if only one can be, it is.
		var can []*term.Term
		for _, a := range args {
			want := uint64(2)
			if !yes {
				want = 1
			}
			if k.eval(a).bits[0]&want != 0 {
				can = append(can, a)
			}
		}
		switch len(can) {
		case 0:
			return false
		case 1:
			return k.refine(p, can[0], yes)
		}
		return k.either(can, yes)
	case term.OpEq:
		a, b := k.eval(args[0]), k.eval(args[1])
		if yes {
			return narrow(args[0], b) && narrow(args[1], a)
		}
		for i, v := range args {
			other := []held{b, a}[i]
			if !v.IsVar() || !other.one() {
				continue
			}
			h := k.value(v)
			if h.bits != nil {
				out := slices.Clone(h.bits)
				for n := range out {
					out[n] &^= other.bits[n]
				}
				h = held{bits: out}
			} else if h.lo == other.lo {
				h.lo++
			} else if h.hi == other.hi {
				h.hi--
			}
			k.vals[k.root(v)] = h
			if h.empty() {
				return false
			}
		}
	case term.OpSLt, term.OpSLe:
		x, y, strict := args[0], args[1], t.Op() == term.OpSLt
		if !yes {
			x, y, strict = y, x, !strict
		}
		a, b := k.eval(x), k.eval(y)
		lo, hi := bounds(x.Sort().Width)
		one := int64(0)
		if strict {
			one = 1
		}
		if b.hi == math.MinInt64 && strict || a.lo == math.MaxInt64 && strict {
			return false
		}
		return narrow(x, held{lo: lo, hi: b.hi - one}) && narrow(y, held{lo: a.lo + one, hi: hi})
	}
	return true
}

// either refines by a disjunction whose members all speak of one enum variable.
func (k *knowledge) either(list []*term.Term, yes bool) bool {
	if !yes {
		return true
	}
	var v *term.Term
	var all held
	for _, t := range list {
		if t.Op() != term.OpEq {
			return true
		}
		x, c := t.Args()[0], t.Args()[1]
		if x.IsConst() {
			x, c = c, x
		}
		if !x.IsVar() || !c.IsConst() || v != nil && v != x {
			return true
		}
		if v == nil {
			v, all = x, k.eval(c)
		} else {
			all = all.join(k.eval(c))
		}
	}
	h := k.value(v).meet(all)
	k.vals[k.root(v)] = h
	return !h.empty()
}

// step is the effect of an edge; nil if no run takes it.
func (k *knowledge) step(p *term.Pool, e *prog.Edge) *knowledge {
	n := k.clone()
	switch e.Kind {
	case prog.AssumeEdge:
		if !n.assume(p, e.Exprs[0]) {
			return nil
		}
	case prog.HavocEdge:
		n.forget(e.Vars[0].Term)
	case prog.AssignEdge:
		vals := make([]held, len(e.Vars))
		from := make([]*term.Term, len(e.Vars))
		for i, t := range e.Exprs {
			vals[i] = k.eval(t)
			if t.IsVar() {
				from[i] = k.root(t)
			}
		}
		for _, v := range e.Vars {
			n.forget(v.Term)
		}
		for i, v := range e.Vars {
			changed := func(t *term.Term) bool {
				return slices.ContainsFunc(e.Vars, func(u *prog.Var) bool { return u.Term == t })
			}
			if f := from[i]; f != nil && !changed(f) {
				n.copies[v.Term] = n.root(f)
				continue
			}
			n.vals[v.Term] = vals[i]
		}
	}
	return n
}

// widenAfter is how often a location is visited before intervals widen.
const widenAfter = 3

// run computes what is known at each location of a method; nil: not reached.
func (g *graph) run(p *term.Pool, entry *knowledge) []*knowledge {
	at := make([]*knowledge, g.m.Locs)
	visits := make([]int, g.m.Locs)
	at[g.m.Entry] = entry
	queued := make([]bool, g.m.Locs)
	work := []int{g.m.Entry}
	for len(work) > 0 {
		g.check()
		l := work[0]
		work = work[1:]
		queued[l] = false
		for _, i := range g.out[l] {
			e := &g.m.Edges[i]
			n := at[l].step(p, e)
			if n == nil {
				continue
			}
			changed := at[e.To] == nil
			if changed {
				at[e.To] = n
			} else if visits[e.To]++; at[e.To].join(n, visits[e.To] > widenAfter*len(g.in[e.To])) {
				changed = true
			}
			if changed && !queued[e.To] {
				queued[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	return at
}

// interpret removes the edges that no run takes.
func interpret(p *prog.Program, constructors, methods []*Method) {
	graphs := func(list []*Method) []*graph {
		var out []*graph
		for _, m := range list {
			out = append(out, newGraph(p, m))
		}
		return out
	}
	state := map[*term.Term]bool{}
	start := newKnowledge()
	for _, v := range p.State {
		state[v.Term] = true
		if v.Init != nil {
			start.vals[v.Term] = start.eval(v.Init)
		}
	}
	// Locals start at zero.
	enter := func(k *knowledge, m *Method) *knowledge {
		n := newKnowledge()
		for v, h := range k.vals {
			n.vals[v] = h
		}
		for _, v := range m.M.Locals {
			n.vals[v.Term] = single(v.Type.Sort, term.Value{})
		}
		return n
	}
	leave := func(k *knowledge) *knowledge {
		n := newKnowledge()
		for v := range state {
			n.vals[v] = k.value(v)
		}
		return n
	}
	remove := func(m *Method, g *graph, at []*knowledge) {
		var edges []prog.Edge
		for i := range m.M.Edges {
			e := &m.M.Edges[i]
			if at[e.From] != nil && at[e.From].step(p.Pool, e) != nil {
				edges = append(edges, *e)
			}
		}
		m.M.Edges = edges
		m.tidyFirst()
	}
	var between *knowledge
	merge := func(k *knowledge, widen bool) bool {
		if k == nil {
			return false
		}
		n := leave(k)
		if between == nil {
			between = n
			return true
		}
		return between.join(n, widen)
	}
	for k, g := range graphs(constructors) {
		at := g.run(p.Pool, enter(start, constructors[k]))
		merge(at[g.m.Exit], false)
		remove(constructors[k], g, at)
	}
	if between == nil {
		return // no constructor returns
	}
	all := graphs(methods)
	results := make([][]*knowledge, len(all))
	for round := 0; ; round++ {
		changed := false
		for k, g := range all {
			results[k] = g.run(p.Pool, enter(between, methods[k]))
			if merge(results[k][g.m.Exit], round > 1) {
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	for k, g := range all {
		remove(methods[k], g, results[k])
	}
}
