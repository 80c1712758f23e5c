// SPDX-License-Identifier: Apache-2.0

package lower

// This file writes down what abstract interpretation found out about the state
// between calls, as conditions: sets of values, intervals, equal variables,
// differences, sums. They are promised in the programs that are made of the
// component, so that engines need not find them again (invariants as given facts:
// Cousot and Cousot, POPL 1977; given to predicate abstraction: Jain, Ivancic, Gupta,
// Shlyakhter, Wang, CAV 2006). Assumptions at the beginning of methods were not chosen:
// what must happen is asked of all states of an abstract one, and those in which
// nothing happens would spoil it.
//
// What is known is about integers, the conditions about machine integers: a
// condition is written down only if neither side of it can overflow.

import (
	"math"
	"math/bits"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// mostNamed bounds the values that a condition lists.
const mostNamed = 4

// promises are the conditions that hold in all states between calls, given what is
// known of each class of them.
func promises(classes []*knowledge) []*term.Term {
	all := joined(classes)
	if all == nil {
		return nil
	}
	var out []*term.Term
	add := func(t *term.Term) {
		if t != nil && !t.IsConst() && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for v := range all.d.state {
		if all.d.width[v] == 0 {
			add(all.amongst(v))
			continue
		}
		lo, hi := all.d.limits(v)
		h, x := all.held(v), all.d.vars[v]
		if h.lo > lo {
			add(all.atLeast(x, all.d.p.Int(x.Sort().Width, h.lo), all.d.unsigned[v]))
		}
		if h.hi < hi {
			add(all.atLeast(all.d.p.Int(x.Sort().Width, h.hi), x, all.d.unsigned[v]))
		}
	}
	for _, l := range all.alias {
		if a, b := all.d.vars[l.v], all.d.vars[l.root]; a.Sort() == b.Sort() {
			add(all.d.p.Eq(a, b))
		}
	}
	for _, d := range all.diffs {
		add(all.written([]mono{{d.a, 1}}, []mono{{d.b, 1}}, d.c))
	}
	for _, f := range all.lins {
		var plus, minus []mono
		for _, m := range f.ts {
			if m.k > 0 {
				plus = append(plus, m)
			} else {
				minus = append(minus, mono{m.v, -m.k})
			}
		}
		add(all.written(plus, minus, -f.c))
	}
	return out
}

// Suppose promises a condition over the state between calls that a convention says.
func (w *World) Suppose(t *term.Term) {
	if !slices.Contains(w.assumed, t) {
		w.assumed = append(w.assumed, t)
	}
}

// joined is what is known of the states of all classes; nil: there are none.
func joined(classes []*knowledge) (all *knowledge) {
	for _, k := range classes {
		switch {
		case k == nil:
		case all == nil:
			all = k.clone()
		default:
			all.join(k, false)
		}
	}
	return all
}

// settled are the variables of the state that have one value between all calls, and that value.
func settled(classes []*knowledge) map[*term.Term]*term.Term {
	all := joined(classes)
	if all == nil {
		return nil
	}
	out := map[*term.Term]*term.Term{}
	for v := range all.d.state {
		h, x := all.held(v), all.d.vars[v]
		if !h.one() {
			continue
		}
		if all.d.width[v] > 0 {
			out[x] = all.d.p.Int(x.Sort().Width, h.lo)
			continue
		}
		for i := range sizeOf(x.Sort()) {
			if h.bits[i/64]>>(i%64)&1 != 0 {
				out[x] = all.d.p.Const(x.Sort(), term.Value{Lo: uint64(i)})
			}
		}
	}
	return out
}

// settle replaces variables that have one value between all calls, and that methods do not change, by that value: what
// an object is configured with where it is made is no state.
func settle(pool *term.Pool, methods []*Method, values map[*term.Term]*term.Term) {
	for _, m := range methods {
		for _, e := range m.M.Edges {
			for i, v := range e.Vars {
				if e.Kind != prog.AssignEdge || e.Exprs[i] != values[v.Term] {
					delete(values, v.Term)
				}
			}
		}
	}
	if len(values) == 0 {
		return
	}
	for _, m := range methods {
		for k := range m.M.Edges {
			e := &m.M.Edges[k]
			if slices.ContainsFunc(term.FreeVars(e.Exprs...), func(x *term.Term) bool { return values[x] != nil }) {
				e.Exprs = pool.SubstituteAll(e.Exprs, values)
			}
		}
	}
}

// invariants are the promises about the state that a program has.
func (h *Whole) invariants(p *prog.Program) (out []*term.Term) {
	kept := map[*term.Term]bool{}
	for _, v := range p.State {
		kept[v.Term] = true
	}
	for _, t := range h.promised {
		if !slices.ContainsFunc(term.FreeVars(t), func(x *term.Term) bool { return !kept[x] }) {
			out = append(out, t)
		}
	}
	return out
}

// amongst says which values a variable has, if they, or the others, are few.
func (k *knowledge) amongst(v int) *term.Term {
	x := k.d.vars[v]
	var in, not []*term.Term
	h := k.held(v)
	for i := range sizeOf(x.Sort()) {
		eq := k.d.p.Eq(x, k.d.p.Const(x.Sort(), term.Value{Lo: uint64(i)}))
		if h.bits[i/64]>>(i%64)&1 != 0 {
			in = append(in, eq)
		} else {
			not = append(not, eq)
		}
	}
	switch {
	case len(not) == 0 || len(in) == 0:
		return nil
	case len(in) <= mostNamed:
		return k.d.p.Or(in...)
	case len(not) <= mostNamed:
		return k.d.p.Not(k.d.p.Or(not...))
	}
	return nil
}

// atLeast is the condition that a number is at least another.
func (k *knowledge) atLeast(x, y *term.Term, unsigned bool) *term.Term {
	if unsigned {
		return k.d.p.UGe(x, y)
	}
	return k.d.p.SGe(x, y)
}

// written is the condition that one sum is at most another plus c; nil: it cannot be
// written, because one of them may be outside the range of its type. (What sums
// are in between does not matter: machine integers wrap back.)
func (k *knowledge) written(left, right []mono, c int64) *term.Term {
	d := k.d
	at := -1
	for _, m := range slices.Concat(left, right) {
		if m.v >= d.state || d.width[m.v] == 0 || at >= 0 && (d.width[m.v] != d.width[at] || d.unsigned[m.v] != d.unsigned[at]) {
			return nil
		}
		at = m.v
	}
	if at < 0 || c == math.MinInt64 {
		return nil
	}
	x, y := k.sum(left, max(-c, 0), at), k.sum(right, max(c, 0), at)
	if x == nil || y == nil {
		return nil
	}
	return k.atLeast(y, x, d.unsigned[at])
}

// sum is a sum with a constant, of the type of a variable.
func (k *knowledge) sum(list []mono, c int64, like int) *term.Term {
	width := k.d.width[like]
	least, most := c, c
	parts := []*term.Term{k.d.p.Int(width, c)}
	for _, m := range list {
		h := k.held(m.v)
		from, ok := times(h.lo, m.k)
		to, fits := times(h.hi, m.k)
		if !ok || !fits {
			return nil
		}
		if least, ok = plus(least, from); !ok {
			return nil
		}
		if most, ok = plus(most, to); !ok {
			return nil
		}
		parts = append(parts, k.d.p.Mul(k.d.vars[m.v], k.d.p.Int(width, m.k)))
	}
	if lo, hi := k.d.limits(like); least < lo || most > hi {
		return nil
	}
	return k.d.p.Add(parts...)
}

// times is the product with a positive number, and whether it fits 64 bits.
func times(a, k int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(k))
	return a * k, a != math.MinInt64 && hi == 0 && lo <= math.MaxInt64 || k == 1
}

// plus is the sum, and whether it fits 64 bits.
func plus(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}
