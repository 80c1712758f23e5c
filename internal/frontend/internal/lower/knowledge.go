// SPDX-License-Identifier: Apache-2.0

package lower

// This file holds what is known at a location: for each variable a set of enum
// values or booleans, or an interval; differences of integers, x - y <= c (zones:
// Mine, PADO 2001), sparsely and apart from intervals (Gange, Navas, Schachte,
// Sondergaard, Stuckey, SAS 2016); copies of variables; linear inequalities with
// more variables and other conditions, as they were met. Polyhedra were not chosen:
// every check of the run time is on the way of all code, and has to be cheap.

import (
	"cmp"
	"math"
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// A knowledge is what is known at a location.
type knowledge struct {
	d     *domain
	vals  []page // of roots: that of v is v/inPage; what is missing may be everything
	live  int    // bindings
	alias []link // copies, in order: a variable and the root that it equals
	diffs []diff // of roots, in order; what intervals imply is left out

	// These lists are never changed in place: clones have them, too.
	lins  []form // none is above zero
	facts []*term.Term
	exact []*term.Term // sums that do not overflow

	// Others may have these, too: they are copied before they change.
	sharedVals, sharedAlias, sharedDiffs bool

	// What is new since the conditions were looked at the last time: variables of which
	// more is known, or whether that is anything of integers, or anything at all.
	news             []int
	newInts, newAlls bool

	ranges map[int][2]int64 // of opaque terms, until something changes
	forms  map[opaque]form
}

// mostNews is how many variables are told apart of which more is known.
const mostNews = 24

// learned notes that more is known of a variable.
func (k *knowledge) learned(v int) {
	switch {
	case k.newAlls:
	case v >= k.d.n || k.d.width[v] > 0:
		k.newInts = true
	case slices.Contains(k.news, v):
	case len(k.news) == mostNews:
		k.newAlls = true
	default:
		k.news = append(k.news, v)
	}
}

// concerns reports whether a condition has to do with what is new.
func (k *knowledge) concerns(t *term.Term) bool {
	return k.newAlls || slices.ContainsFunc(k.d.freeIn(t), func(v int) bool {
		return k.newInts && k.d.width[v] > 0 || slices.Contains(k.news, v)
	})
}

// A binding is what is known of a variable.
type binding struct {
	v int32
	h held
}

// A page has the bindings of variables with neighbouring numbers, in order. Most of what is known
// stays the same from one location to the next: clones have pages in common, and pages that are the same need not be joined.
type page struct {
	list []binding
	mine bool // no other has the list
}

// inPage is how many variables a page is for.
const inPage = 32

// bindings are those of all pages, in order.
func (k *knowledge) bindings(yield func(binding) bool) {
	for _, p := range k.vals {
		for _, b := range p.list {
			if !yield(b) {
				return
			}
		}
	}
}

// page is the list of a page, which may not be there.
func (k *knowledge) page(p int) []binding {
	if p < len(k.vals) {
		return k.vals[p].list
	}
	return nil
}

// sameList reports whether two lists are one in memory.
func sameList(a, b []binding) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

type link struct{ v, root int }

// A diff says a - b <= c.
type diff struct {
	a, b int
	c    int64
}

// Bounds of what is remembered at a location.
const (
	mostLins  = 24
	mostFacts = 40
	mostDiffs = 400
)

func newKnowledge(d *domain) *knowledge { return &knowledge{d: d} }

func (k *knowledge) clone() *knowledge {
	k.sharedVals, k.sharedAlias, k.sharedDiffs = true, true, true
	k.news = slices.Clip(k.news) // each adds to a list of its own
	return &knowledge{d: k.d, vals: k.vals, live: k.live, alias: k.alias, diffs: k.diffs, lins: k.lins, facts: k.facts, exact: k.exact,
		sharedVals: true, sharedAlias: true, sharedDiffs: true,
		news: k.news, newInts: k.newInts, newAlls: k.newAlls}
}

// own makes a page one of k alone, with room for one more binding, and returns it.
func (k *knowledge) own(p int) *page {
	if k.sharedVals || p >= len(k.vals) {
		// Room for all, and for primed variables that the domain does not count.
		vals := make([]page, max(len(k.vals), p+1, (k.d.base+inPage-1)/inPage))
		copy(vals, k.vals)
		for i := range vals {
			vals[i].mine = vals[i].mine && !k.sharedVals
		}
		k.vals, k.sharedVals = vals, false
	}
	x := &k.vals[p]
	if !x.mine {
		x.list, x.mine = append(make([]binding, 0, len(x.list)+1), x.list...), true
	}
	return x
}

// ownAlias makes alias a list of k alone.
func (k *knowledge) ownAlias() {
	if k.sharedAlias {
		k.alias, k.sharedAlias = slices.Clone(k.alias), false
	}
}

// ownDiffs makes diffs a list of k alone.
func (k *knowledge) ownDiffs() {
	if k.sharedDiffs {
		k.diffs, k.sharedDiffs = slices.Clone(k.diffs), false
	}
}

// less is a list without what is gone, and with is one with one more. The list itself stays as it is.
func less[T any](list []T, gone func(T) bool) []T {
	i := slices.IndexFunc(list, gone)
	if i < 0 {
		return list
	}
	out := append(make([]T, 0, len(list)-1), list[:i]...)
	for _, x := range list[i+1:] {
		if !gone(x) {
			out = append(out, x)
		}
	}
	return out
}

func with[T any](list []T, i int, x T) []T { return slices.Insert(slices.Clip(list), i, x) }

func (k *knowledge) changed() { k.ranges, k.forms = nil, nil }

// find returns where the binding of a variable is in its page, or would be, and whether it is there.
func (k *knowledge) find(v int) (int, bool) {
	list := k.page(v / inPage)
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := (lo + hi) / 2; int(list[mid].v) < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(list) && int(list[lo].v) == v
}

func (k *knowledge) get(v int) (held, bool) {
	if i, ok := k.find(v); ok {
		return k.vals[v/inPage].list[i].h, true
	}
	return held{}, false
}

// set gives a root a value.
func (k *knowledge) set(v int, h held) {
	i, ok := k.find(v)
	if ok && k.vals[v/inPage].list[i].h.equal(h) {
		return
	}
	k.changed()
	k.learned(v)
	p := k.own(v / inPage)
	if ok {
		p.list[i].h = h
		return
	}
	p.list = slices.Insert(p.list, i, binding{int32(v), h})
	k.live++
}

func (k *knowledge) drop(v int) {
	i, ok := k.find(v)
	if !ok {
		return
	}
	k.changed()
	p := k.own(v / inPage)
	p.list = slices.Delete(p.list, i, i+1)
	k.live--
}

func (k *knowledge) root(v int) int {
	i, ok := slices.BinarySearchFunc(k.alias, v, func(l link, v int) int { return cmp.Compare(l.v, v) })
	if ok {
		return k.alias[i].root
	}
	return v
}

func (k *knowledge) held(v int) held {
	if h, ok := k.get(k.root(v)); ok {
		return h
	}
	return k.d.everything(k.root(v))
}

// link makes v a copy of a root.
func (k *knowledge) link(v, root int) {
	if v == root {
		return
	}
	k.changed()
	k.learned(v)
	k.learned(root)
	k.ownAlias()
	i, ok := slices.BinarySearchFunc(k.alias, v, func(l link, v int) int { return cmp.Compare(l.v, v) })
	if ok {
		k.alias[i].root = root
		return
	}
	k.alias = slices.Insert(k.alias, i, link{v, root})
}

func compareDiff(x, y diff) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) }

// stored is the bound of a - b that is written down.
func (k *knowledge) stored(a, b int) (int64, bool) {
	if i, ok := k.place(a, b); ok {
		return k.diffs[i].c, true
	}
	return 0, false
}

func (k *knowledge) place(a, b int) (int, bool) {
	lo, hi := 0, len(k.diffs)
	for lo < hi {
		mid := (lo + hi) / 2
		if d := &k.diffs[mid]; d.a < a || d.a == a && d.b < b {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(k.diffs) && k.diffs[lo].a == a && k.diffs[lo].b == b
}

// implied is the bound of a - b by their ranges.
func (k *knowledge) implied(a, b int) (int64, bool) {
	_, hi := k.rangeOf(a)
	lo, _ := k.rangeOf(b)
	if hi == math.MaxInt64 || lo == math.MinInt64 {
		return 0, false
	}
	return addScaled(hi, lo, -1)
}

// diff is the best bound of a - b.
func (k *knowledge) diff(a, b int) (int64, bool) {
	if a == b {
		return 0, true
	}
	c, ok := k.implied(a, b)
	if s, had := k.stored(a, b); had && (!ok || s < c) {
		return s, true
	}
	return c, ok
}

func (k *knowledge) put(a, b int, c int64) {
	k.ownDiffs()
	i, ok := k.place(a, b)
	switch {
	case ok:
		k.diffs[i].c = min(c, k.diffs[i].c)
	case len(k.diffs) < mostDiffs:
		k.diffs = slices.Insert(k.diffs, i, diff{a, b, c})
	}
	k.newInts = true
	k.changed()
}

// ordered adds a - b <= c and what follows; false: that cannot be.
func (k *knowledge) ordered(a, b int, c int64) bool {
	if a == b {
		return c >= 0
	}
	if c > mostConst || c < -mostConst {
		return true // not of use, and sums of it might overflow
	}
	if back, ok := k.diff(b, a); ok && back+c < 0 {
		return false
	}
	if now, ok := k.diff(a, b); ok && now <= c {
		return true
	}
	if a >= k.d.base || b >= k.d.base {
		return true
	}
	// Everything that is at most a, and everything that b is at most.
	ins, outs := []diff{{a: a}}, []diff{{b: b}}
	for _, e := range k.diffs {
		if e.b == a {
			ins = append(ins, e)
		}
		if e.a == b {
			outs = append(outs, e)
		}
	}
	for _, x := range ins {
		for _, y := range outs {
			s, ok := addScaled(c, x.c, 1)
			if ok {
				s, ok = addScaled(s, y.c, 1)
			}
			if !ok {
				continue
			}
			if x.a == y.b {
				if s < 0 {
					return false
				}
				continue
			}
			if now, ok := k.diff(x.a, y.b); !ok || s < now {
				k.put(x.a, y.b, s)
			}
		}
	}
	_, hi := k.rangeOf(b)
	lo, _ := k.rangeOf(a)
	for _, x := range ins {
		if s, ok := addScaled(hi, c, 1); ok && hi != math.MaxInt64 {
			if s, ok = addScaled(s, x.c, 1); ok && !k.narrow(x.a, math.MinInt64, s) {
				return false
			}
		}
	}
	for _, y := range outs {
		if s, ok := addScaled(lo, c, -1); ok && lo != math.MinInt64 {
			if s, ok = addScaled(s, y.c, -1); ok && !k.narrow(y.b, s, math.MaxInt64) {
				return false
			}
		}
	}
	return true
}

// narrow cuts the interval of an integer root; false: nothing is left.
func (k *knowledge) narrow(v int, lo, hi int64) bool {
	a, b := k.rangeOf(v)
	if lo <= a && hi >= b {
		return a <= b
	}
	if v >= k.d.base {
		return max(a, lo) <= min(b, hi)
	}
	n := held{lo: max(a, lo), hi: min(b, hi)}
	k.set(v, n)
	if n.lo > n.hi {
		return false
	}
	for _, e := range k.diffs {
		var x int
		var h held
		switch {
		case e.b == v && n.hi < b: // a - v <= c
			s, ok := addScaled(n.hi, e.c, 1)
			if !ok {
				continue
			}
			x, h = e.a, held{lo: math.MinInt64, hi: s}
		case e.a == v && n.lo > a: // v - b <= c
			s, ok := addScaled(n.lo, e.c, -1)
			if !ok {
				continue
			}
			x, h = e.b, held{lo: s, hi: math.MaxInt64}
		default:
			continue
		}
		c, d := k.rangeOf(x)
		if h.lo > c || h.hi < d {
			m := held{lo: max(c, h.lo), hi: min(d, h.hi)}
			k.set(x, m)
			if m.lo > m.hi {
				return false
			}
		}
	}
	return true
}

// atMost adds that a form is not above zero; false: that cannot be.
func (k *knowledge) atMost(f form) bool {
	if l, ok := k.lower(f); ok && l > 0 {
		return false
	}
	if u, ok := k.upper(f); ok && u <= 0 {
		return true
	}
	switch {
	case len(f.ts) == 0:
		return f.c <= 0
	case len(f.ts) == 2 && f.ts[0].k == 1 && f.ts[1].k == -1:
		if !k.ordered(f.ts[0].v, f.ts[1].v, -f.c) {
			return false
		}
	case len(f.ts) == 2 && f.ts[0].k == -1 && f.ts[1].k == 1:
		if !k.ordered(f.ts[1].v, f.ts[0].v, -f.c) {
			return false
		}
	}
	opaques := slices.ContainsFunc(f.ts, func(m mono) bool { return m.v >= k.d.base })
	if (len(f.ts) > 2 || opaques || len(f.ts) == 2 && f.ts[0].k+f.ts[1].k != 0) && len(k.lins) < mostLins {
		if i, ok := slices.BinarySearchFunc(k.lins, f, compareForms); !ok {
			k.newInts = true
			k.changed()
			k.lins = with(k.lins, i, f)
		}
	}
	// What follows for each variable, and for each pair.
	var room [mostMonos]mono
	for i, m := range f.ts {
		one := [1]mono{m}
		rest, ok := f.plusIn(room[:0], form{ts: one[:]}, -1)
		if !ok {
			continue
		}
		low, fin := k.lower(rest)
		if !fin || low == math.MinInt64 {
			continue
		}
		// m.k * v <= -low
		if m.k > 0 {
			if !k.narrow(m.v, math.MinInt64, floor(-low, m.k)) {
				return false
			}
		} else if !k.narrow(m.v, -floor(-low, -m.k), math.MaxInt64) {
			return false
		}
		if len(f.ts) < 3 || m.k != 1 {
			continue
		}
		for j, o := range f.ts {
			if j == i || o.k != -1 {
				continue
			}
			r, ok := rest.plus(form{ts: []mono{o}}, -1)
			if !ok {
				continue
			}
			if low, fin := k.lower(r); fin && !k.ordered(m.v, o.v, -low) {
				return false
			}
		}
	}
	return true
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// forget drops what is known of a variable.
func (k *knowledge) forget(v int) {
	i, ok := slices.BinarySearchFunc(k.alias, v, func(l link, v int) int { return cmp.Compare(l.v, v) })
	if ok { // only a copy: nothing speaks of it
		k.changed()
		k.ownAlias()
		k.alias = slices.Delete(k.alias, i, i+1)
		return
	}
	// Copies of it live on: the first takes its place.
	heir := -1
	for _, l := range k.alias {
		if l.root == v {
			heir = l.v
			break
		}
	}
	if heir >= 0 && k.d.width[heir] > 0 && k.d.unsigned[heir] != k.d.unsigned[v] {
		// They are read differently: the copies are let go.
		k.ownAlias()
		k.alias = slices.DeleteFunc(k.alias, func(l link) bool { return l.root == v })
		heir = -1
	}
	if heir >= 0 {
		k.rename(v, heir)
		return
	}
	k.changed()
	k.drop(v)
	k.withoutDiffs(v)
	k.lins = less(k.lins, func(f form) bool { return k.d.reads(f, v) })
	if v < k.d.n {
		gone := func(t *term.Term) bool { return slices.Contains(k.d.freeIn(t), v) }
		k.facts = less(k.facts, gone)
		k.exact = less(k.exact, gone)
	}
}

// withoutDiffs drops the differences of a variable.
func (k *knowledge) withoutDiffs(v int) {
	if of := func(e diff) bool { return e.a == v || e.b == v }; slices.ContainsFunc(k.diffs, of) {
		k.ownDiffs()
		k.diffs = slices.DeleteFunc(k.diffs, of)
	}
}

// renameAlias makes the copies of a root those of another.
func (k *knowledge) renameAlias(v, to int) {
	if slices.ContainsFunc(k.alias, func(l link) bool { return l.root == v }) {
		k.ownAlias()
		for i := range k.alias {
			if k.alias[i].root == v {
				k.alias[i].root = to
			}
		}
	}
}

// rename gives everything that is known of a root to another variable, of
// which nothing else is known.
func (k *knowledge) rename(v, to int) {
	k.changed()
	k.learned(to)
	k.renameAlias(v, to)
	k.ownAlias()
	k.alias = slices.DeleteFunc(k.alias, func(l link) bool { return l.v == to })
	if h, ok := k.get(v); ok {
		k.drop(v)
		k.set(to, h)
	}
	if slices.ContainsFunc(k.diffs, func(e diff) bool { return e.a == v || e.b == v }) {
		k.ownDiffs()
		for i := range k.diffs {
			e := &k.diffs[i]
			if e.a == v {
				e.a = to
			}
			if e.b == v {
				e.b = to
			}
		}
		slices.SortFunc(k.diffs, compareDiff)
	}
	lins := make([]form, 0, len(k.lins))
	for _, f := range k.lins {
		if !k.d.reads(f, v) {
			lins = append(lins, f)
			continue
		}
		g, ok := form{c: f.c}, true
		for _, m := range f.ts {
			x := m.v
			if x == v {
				x = to
			} else if x >= k.d.base {
				if v >= k.d.n || to >= k.d.n {
					ok = ok && !slices.Contains(k.d.freeIn(k.d.opaques[x-k.d.base].t), v)
				} else {
					o := k.d.opaques[x-k.d.base]
					x = k.d.opaque(k.d.p.Substitute(o.t, map[*term.Term]*term.Term{k.d.vars[v]: k.d.vars[to]}), o.unsigned)
				}
			}
			if ok {
				g, ok = g.plus(form{ts: []mono{{x, m.k}}}, 1)
			}
		}
		if ok {
			lins = append(lins, g)
		}
	}
	slices.SortFunc(lins, compareForms)
	k.lins = lins
	if v >= k.d.n || to >= k.d.n {
		gone := func(t *term.Term) bool { return v < k.d.n && slices.Contains(k.d.freeIn(t), v) }
		k.facts = less(k.facts, gone)
		k.exact = less(k.exact, gone)
		return
	}
	swap := map[*term.Term]*term.Term{k.d.vars[v]: k.d.vars[to]}
	for _, list := range []*[]*term.Term{&k.facts, &k.exact} {
		if !slices.ContainsFunc(*list, func(t *term.Term) bool { return slices.Contains(k.d.freeIn(t), v) }) {
			continue
		}
		*list = slices.Clone(*list)
		for i, t := range *list {
			if slices.Contains(k.d.freeIn(t), v) {
				(*list)[i] = k.d.p.Substitute(t, swap)
			}
		}
		slices.SortFunc(*list, byAge)
		*list = slices.Compact(*list)
	}
}

func byAge(a, b *term.Term) int { return cmp.Compare(a.ID(), b.ID()) }

// apart makes a copy a variable of its own that is known to be equal.
func (k *knowledge) apart(v int) {
	r := k.root(v)
	if r == v {
		return
	}
	k.changed()
	k.learned(v)
	k.ownAlias()
	k.alias = slices.DeleteFunc(k.alias, func(l link) bool { return l.v == v })
	h, known := k.get(r)
	if k.d.width[v] == 0 {
		if known {
			k.set(v, h)
		}
		return
	}
	if k.d.unsigned[v] != k.d.unsigned[r] {
		lo, hi := k.d.limits(v)
		if a, b := k.rangeOf(r); a < lo || b > hi {
			return // nothing is known of it as it is read
		}
	}
	if known {
		k.set(v, h)
	}
	var more []diff
	for _, e := range k.diffs {
		if e.a == r {
			more = append(more, diff{v, e.b, e.c})
		}
		if e.b == r {
			more = append(more, diff{e.a, v, e.c})
		}
	}
	for _, e := range more {
		k.put(e.a, e.b, e.c)
	}
	k.put(v, r, 0)
	k.put(r, v, 0)
}

// holds reports whether a condition is known to hold.
func (k *knowledge) holds(t *term.Term) bool {
	_, ok := slices.BinarySearchFunc(k.facts, t, byAge)
	return ok || k.truth(t) == 2
}

// join weakens k to what also holds in l, and reports whether k changed. With
// widen, what grows grows by large steps and nothing new is written down. l may be
// changed.
func (k *knowledge) join(l *knowledge, widen bool) (changed bool) {
	k.changed()
	l.changed()
	// The same copies.
	for _, pair := range [][2]*knowledge{{k, l}, {l, k}} {
		for _, x := range slices.Clone(pair[0].alias) {
			if pair[1].root(x.v) != x.root || pair[1].root(x.root) != x.root {
				pair[0].apart(x.v)
				changed = changed || pair[0] == k
			}
		}
	}
	var moved []int
	old := k.clone()
	vals, live := make([]page, len(k.vals)), 0
	var room [inPage]binding
	for p := range k.vals {
		mine, theirs := k.vals[p].list, l.page(p)
		vals[p].list = mine
		live += len(mine)
		if sameList(mine, theirs) {
			continue
		}
		list, at, kept := room[:0], 0, true
		for _, b := range mine {
			for at < len(theirs) && theirs[at].v < b.v {
				at++
			}
			if at == len(theirs) || theirs[at].v != b.v {
				kept = false
				continue
			}
			g := theirs[at].h
			if g.within(b.h) {
				list = append(list, b)
				continue
			}
			kept = false
			j := b.h.join(g)
			if widen && j.bits == nil {
				lo, hi := k.d.limits(int(b.v))
				if j.lo < b.h.lo {
					j.lo = max(lo, k.d.stepDown(j.lo))
				}
				if j.hi > b.h.hi {
					j.hi = min(hi, k.d.stepUp(j.hi))
				}
			}
			if j.bits == nil && !j.equal(g) {
				moved = append(moved, int(b.v))
			}
			list = append(list, binding{b.v, j})
		}
		if !kept {
			changed = true
			vals[p] = page{slices.Clone(list), true}
			live += len(list) - len(mine)
		}
	}
	k.vals, k.live, k.sharedVals, k.newAlls = vals, live, false, true
	k.changed()
	// Differences that one of them has written down and the other knows.
	var diffs []diff
	consider := func(a, b int) {
		c, ok := old.diff(a, b)
		if !ok {
			return
		}
		e, ok := l.diff(a, b)
		if !ok {
			return
		}
		j := max(c, e)
		if widen && j > c {
			if j = k.d.stepUp(j); j == math.MaxInt64 {
				return
			}
		}
		if i, ok := k.implied(a, b); ok && i <= j {
			return
		}
		diffs = append(diffs, diff{a, b, j})
	}
	i, j := 0, 0
	for i < len(old.diffs) || j < len(l.diffs) {
		switch {
		case j == len(l.diffs) || i < len(old.diffs) && compareDiff(old.diffs[i], l.diffs[j]) <= 0:
			if j < len(l.diffs) && compareDiff(old.diffs[i], l.diffs[j]) == 0 {
				j++
			}
			consider(old.diffs[i].a, old.diffs[i].b)
			i++
		default:
			consider(l.diffs[j].a, l.diffs[j].b)
			j++
		}
	}
	// Both may know a difference only by intervals, which the join loses.
	if !widen && len(moved) <= 12 {
		for _, a := range moved {
			for _, b := range moved {
				_, s1 := old.stored(a, b)
				_, s2 := l.stored(a, b)
				if a != b && !s1 && !s2 {
					consider(a, b)
				}
			}
		}
		slices.SortFunc(diffs, compareDiff)
	}
	if len(diffs) > mostDiffs {
		diffs = diffs[:mostDiffs]
	}
	changed = changed || !slices.Equal(diffs, old.diffs)
	k.diffs, k.sharedDiffs = diffs, false
	// Inequalities and conditions.
	lins := slices.DeleteFunc(slices.Clone(old.lins), func(f form) bool {
		u, ok := l.upper(f)
		return !ok || u > 0
	})
	facts := slices.DeleteFunc(slices.Clone(old.facts), func(t *term.Term) bool { return !l.holds(t) })
	exact := slices.DeleteFunc(slices.Clone(old.exact), func(t *term.Term) bool { return !slices.Contains(l.exact, t) })
	changed = changed || len(lins) < len(old.lins) || len(facts) < len(old.facts) || len(exact) < len(old.exact)
	if !widen {
		for _, f := range l.lins {
			if u, ok := old.upper(f); ok && u <= 0 && len(lins) < mostLins {
				if i, had := slices.BinarySearchFunc(lins, f, compareForms); !had {
					lins = slices.Insert(lins, i, f)
				}
			}
		}
		for _, t := range l.facts {
			if old.holds(t) && len(facts) < mostFacts {
				if i, had := slices.BinarySearchFunc(facts, t, byAge); !had {
					facts = slices.Insert(facts, i, t)
				}
			}
		}
	}
	k.lins, k.facts, k.exact = lins, facts, exact
	k.changed()
	return changed
}
