// SPDX-License-Identifier: Apache-2.0

package lower

// This file has the effect of assignments on what is known.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// assign assigns simultaneously: primed variables get the new values, then they
// take the place of the old ones.
func (k *knowledge) assign(vars []*prog.Var, ts []*term.Term) bool {
	d := k.d
	type move struct {
		v, prime int
		from     int // root of a plain copy, -1: none
	}
	var moves []move
	target := func(v int) bool {
		return slices.ContainsFunc(vars, func(u *prog.Var) bool { return d.index[u.Term] == v })
	}
	for i, x := range vars {
		v, ok := d.index[x.Term]
		if !ok {
			continue
		}
		t := ts[i]
		m := move{v, d.n + i, -1}
		if t == x.Term {
			continue
		}
		if u, ok := d.index[t]; ok && (d.width[v] == 0 || d.unsigned[k.root(u)] == d.unsigned[v]) {
			m.from = k.root(u)
		}
		switch {
		case t.Sort().Kind == term.BoolKind:
			k.set(m.prime, held{bits: []uint64{uint64(k.truth(t))}})
		case t.Sort().Kind == term.EnumKind:
			k.set(m.prime, k.enum(t))
		case m.from >= 0:
			// A copy of something that is itself assigned gets what is known of it.
			lo, hi := k.rangeOf(m.from)
			k.set(m.prime, held{lo: lo, hi: hi})
			if !k.ordered(m.prime, m.from, 0) || !k.ordered(m.from, m.prime, 0) {
				return false
			}
		case d.width[v] <= 64:
			if !k.define(m.prime, k.value(t, d.unsigned[v])) {
				return false
			}
		}
		moves = append(moves, m)
	}
	for _, m := range moves {
		k.forget(m.v)
	}
	for _, m := range moves {
		if m.from >= 0 && !target(m.from) {
			k.forget(m.prime)
			k.link(m.v, k.root(m.from))
			continue
		}
		k.rename(m.prime, m.v)
	}
	return true
}

// define says that a new variable is a form.
func (k *knowledge) define(z int, f form) bool {
	lo, hi := k.d.limits(z)
	if u, ok := k.upper(f); ok {
		hi = min(hi, u)
	}
	if l, ok := k.lower(f); ok {
		lo = max(lo, l)
	}
	if lo > hi {
		return false
	}
	k.set(z, held{lo: lo, hi: hi})
	if len(f.ts) == 1 && f.ts[0].k == 1 && f.ts[0].v < k.d.base {
		return k.ordered(z, f.ts[0].v, f.c) && k.ordered(f.ts[0].v, z, -f.c)
	}
	// How it compares with what it is made of and what that is compared with.
	var others []int
	add := func(v int) {
		if v < k.d.base && v != z && !slices.Contains(others, v) {
			others = append(others, v)
		}
	}
	for _, m := range f.ts {
		add(m.v)
		if m.v >= k.d.base {
			for _, g := range k.below(m.v) {
				for _, o := range g.ts {
					add(o.v)
				}
			}
		}
	}
	for _, e := range k.diffs {
		if f.has(e.a) {
			add(e.b)
		}
		if f.has(e.b) {
			add(e.a)
		}
	}
	for _, g := range k.lins {
		if slices.ContainsFunc(g.ts, func(m mono) bool { return f.has(m.v) }) {
			for _, m := range g.ts {
				add(m.v)
			}
		}
	}
	slices.Sort(others)
	type bound struct {
		a, b int
		c    int64
	}
	var found []bound
	for _, o := range others {
		if g, ok := f.plus(variable(o), -1); ok {
			if u, fin := k.upper(g); fin {
				found = append(found, bound{z, o, u})
			}
			if l, fin := k.lower(g); fin {
				found = append(found, bound{o, z, -l})
			}
		}
	}
	for _, b := range found {
		if !k.ordered(b.a, b.b, b.c) {
			return false
		}
	}
	if len(f.ts) > 1 && len(f.ts) < 4 {
		if g, ok := f.plus(variable(z), -1); ok && len(k.lins)+2 <= mostLins {
			neg, _ := form{}.plus(g, -1)
			for _, h := range []form{g, neg} {
				if i, had := slices.BinarySearchFunc(k.lins, h, compareForms); !had {
					k.lins = with(k.lins, i, h)
				}
			}
			k.newInts = true
			k.changed()
		}
	}
	return true
}
