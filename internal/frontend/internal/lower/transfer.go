// SPDX-License-Identifier: Apache-2.0

package lower

// This file has the effect of edges on what is known: conditions, assignments,
// choices. An integer that is an if-then-else is taken apart: what is known
// becomes several cases, which meet again after the edge.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// What a condition may be, as bits.
const (
	mayNot = 1
	may    = 2
)

// truth is what a condition may be.
func (k *knowledge) truth(t *term.Term) int {
	if m, ok := k.d.member(t); ok {
		return m.truth(k)
	}
	args := t.Args()
	switch t.Op() {
	case term.OpConst:
		if t.IsTrue() {
			return may
		}
		return mayNot
	case term.OpVar:
		if v, ok := k.d.index[t]; ok {
			return int(k.held(v).bits[0])
		}
		return may | mayNot
	case term.OpNot:
		a := k.truth(args[0])
		return a>>1 | a&1<<1
	case term.OpAnd, term.OpOr:
		deciding := mayNot
		if t.Op() == term.OpOr {
			deciding = may
		}
		other := may | mayNot ^ deciding
		out := other
		for _, a := range args {
			h := k.truth(a)
			if h&deciding != 0 {
				out |= deciding
			}
			if h&other == 0 {
				return deciding
			}
		}
		return out
	case term.OpIte:
		switch k.truth(args[0]) {
		case mayNot:
			return k.truth(args[2])
		case may:
			return k.truth(args[1])
		}
		return k.truth(args[1]) | k.truth(args[2])
	case term.OpEq:
		switch args[0].Sort().Kind {
		case term.BoolKind:
			a, b := k.truth(args[0]), k.truth(args[1])
			if args[0].IsVar() && args[1].IsVar() && k.sameVar(args[0], args[1]) {
				return may
			}
			out := 0
			if a&b != 0 {
				out |= may
			}
			if a&mayNot != 0 && b&may != 0 || a&may != 0 && b&mayNot != 0 {
				out |= mayNot
			}
			return out
		case term.EnumKind:
			if k.sameVar(args[0], args[1]) {
				return may
			}
			a, b := k.enum(args[0]), k.enum(args[1])
			out := 0
			if a.meets(b) {
				out |= may
			}
			if !(a.one() && b.one() && a.equal(b)) {
				out |= mayNot
			}
			return out
		}
		return k.compared(t)
	case term.OpSLt, term.OpSLe, term.OpULt, term.OpULe:
		return k.compared(t)
	}
	return may | mayNot
}

// compared is what a comparison of integers may be.
func (k *knowledge) compared(t *term.Term) int {
	var f form
	var ok bool
	var room [2 * mostMonos]mono
	if t.Op() == term.OpEq {
		f, ok = k.differenceIn(room[:0], t.Args()[0], t.Args()[1])
	} else {
		f, ok = k.orderIn(room[:0], t)
	}
	if !ok {
		return may | mayNot
	}
	return k.compare(f, t.Op() == term.OpEq)
}

func (k *knowledge) sameVar(a, b *term.Term) bool {
	v, ok1 := k.d.index[a]
	w, ok2 := k.d.index[b]
	return ok1 && ok2 && k.root(v) == k.root(w)
}

// compare is whether f <= 0 may hold, or f == 0.
func (k *knowledge) compare(f form, equal bool) int {
	u, ok1 := k.upper(f)
	l, ok2 := k.lower(f)
	out := may | mayNot
	if ok2 && l > 0 {
		out = mayNot
	}
	if equal {
		if ok1 && u < 0 {
			out = mayNot
		}
		if ok1 && ok2 && u == 0 && l == 0 {
			out = may
		}
	} else if ok1 && u <= 0 {
		out = may
	}
	return out
}

// order reads a comparison as f <= 0.
func (k *knowledge) order(t *term.Term) (form, bool) { return k.orderIn(make([]mono, 0, 2), t) }

// orderIn is order, in a list that is given; see plusIn.
func (k *knowledge) orderIn(room []mono, t *term.Term) (form, bool) {
	a, b := t.Args()[0], t.Args()[1]
	if a.Sort().Width > 64 {
		return form{}, false
	}
	unsigned := t.Op() == term.OpULt || t.Op() == term.OpULe
	x, y := k.value(a, unsigned), k.value(b, unsigned)
	if unsigned && a.Sort().Width >= 63 {
		// As unsigned they are numbers only if they are not negative.
		for _, t := range []*term.Term{a, b} {
			if l, ok := k.lower(k.value(t, false)); !ok || l < 0 {
				return form{}, false
			}
		}
		x, y = k.value(a, false), k.value(b, false)
	}
	f, ok := x.plusIn(room, y, -1)
	if ok && (t.Op() == term.OpSLt || t.Op() == term.OpULt) {
		f.c, ok = addScaled(f.c, 1, 1)
	}
	return f, ok
}

// difference reads a - b for an equation.
func (k *knowledge) difference(a, b *term.Term) (form, bool) {
	return k.differenceIn(make([]mono, 0, 2), a, b)
}

// differenceIn is difference, in a list that is given; see plusIn.
func (k *knowledge) differenceIn(room []mono, a, b *term.Term) (form, bool) {
	if a.Sort().Width > 64 {
		return form{}, false
	}
	exact := func(f form) bool {
		return !slices.ContainsFunc(f.ts, func(m mono) bool { return m.v >= k.d.base })
	}
	// As signed or as unsigned numbers: it is the same if both are read well.
	x, y := k.value(a, false), k.value(b, false)
	if a.Sort().Width < 63 && (!exact(x) || !exact(y)) {
		if u, v := k.value(a, true), k.value(b, true); exact(u) && exact(v) {
			x, y = u, v
		}
	}
	return x.plusIn(room, y, -1)
}

// enum is what an enum term may be.
func (k *knowledge) enum(t *term.Term) held {
	switch t.Op() {
	case term.OpConst:
		return k.d.only(t)
	case term.OpVar:
		if v, ok := k.d.index[t]; ok {
			return k.held(v)
		}
	case term.OpIte:
		switch k.truth(t.Args()[0]) {
		case mayNot:
			return k.enum(t.Args()[2])
		case may:
			return k.enum(t.Args()[1])
		}
		return k.enum(t.Args()[1]).join(k.enum(t.Args()[2]))
	}
	return every(t.Sort())
}

// assume refines what is known by a condition; false: it cannot hold.
func (k *knowledge) assume(t *term.Term) bool {
	if !k.refine(t, true) {
		return false
	}
	k.remember(t)
	// What was met before may say more now, if it is about something that is new since it
	// was looked at. That may be older than this look: what an earlier condition taught in
	// the last one is new for all.
	now := &knowledge{d: k.d, news: k.news, newInts: k.newInts, newAlls: k.newAlls}
	k.news, k.newInts, k.newAlls = nil, false, false
	for _, f := range k.facts {
		if f == t || f.Op() != term.OpOr && f.Op() != term.OpNot && f.Op() != term.OpEq || !now.concerns(f) && !k.concerns(f) {
			continue
		}
		if !k.refine(f, true) {
			return false
		}
	}
	return true
}

// remember keeps a condition that the rest does not express.
func (k *knowledge) remember(t *term.Term) {
	t = k.canonical(t)
	if t.IsConst() || len(k.facts) >= mostFacts || k.truth(t) == may || t.Op() == term.OpEq && k.sums(t) {
		return
	}
	if t.Op() == term.OpAnd {
		for _, a := range t.Args() {
			k.remember(a)
		}
		return
	}
	if i, ok := slices.BinarySearchFunc(k.facts, t, byAge); !ok {
		k.facts = with(k.facts, i, t)
		for _, v := range k.d.freeIn(t) {
			k.learned(v)
		}
	}
}

// canonical replaces variables by what they are copies of.
func (k *knowledge) canonical(t *term.Term) *term.Term {
	var m map[*term.Term]*term.Term
	for _, v := range k.d.freeIn(t) {
		if r := k.root(v); r != v {
			if m == nil {
				m = map[*term.Term]*term.Term{}
			}
			m[k.d.vars[v]] = k.d.vars[r]
		}
	}
	if m == nil {
		return t
	}
	return k.d.p.Substitute(t, m)
}

// refine uses a condition, or its negation.
func (k *knowledge) refine(t *term.Term, yes bool) bool {
	want := may
	if !yes {
		want = mayNot
	}
	now := k.truth(t)
	if now&want == 0 {
		return false
	}
	if now == want {
		return true
	}
	if k.denied(t, yes) {
		return false
	}
	if m, ok := k.d.member(t); ok {
		return m.refine(k, yes)
	}
	args := t.Args()
	switch t.Op() {
	case term.OpVar:
		if v, ok := k.d.index[t]; ok {
			k.set(k.root(v), held{bits: []uint64{uint64(want)}})
		}
	case term.OpNot:
		return k.refine(args[0], !yes)
	case term.OpAnd, term.OpOr:
		if (t.Op() == term.OpAnd) == yes {
			for _, a := range args {
				if !k.refine(a, yes) {
					return false
				}
			}
			return true
		}
		var can []*term.Term
		for _, a := range args {
			if k.truth(a)&want != 0 {
				can = append(can, a)
			}
		}
		return k.either(can, yes)
	case term.OpIte:
		c := args[0]
		both := func(x *term.Term, cond bool) *knowledge {
			n := k.clone()
			if n.refine(c, cond) && n.refine(x, yes) {
				return n
			}
			return nil
		}
		return k.become(both(args[1], true), both(args[2], false))
	case term.OpEq:
		return k.equal(t, yes)
	case term.OpSLt, term.OpSLe, term.OpULt, term.OpULe:
		f, ok := k.order(t)
		if !ok {
			if yes {
				return k.unsignedBelow(t)
			}
			return true
		}
		if !yes {
			// !(f <= 0): 1 - f <= 0
			if f, ok = constant(1).plus(f, -1); !ok {
				return true
			}
		}
		return k.atMost(f)
	}
	return true
}

// unsignedBelow uses a < b of unsigned numbers where b is not negative as a signed
// one: then a is not, either.
func (k *knowledge) unsignedBelow(t *term.Term) bool {
	if t.Op() != term.OpULt && t.Op() != term.OpULe {
		return true
	}
	a, b := k.value(t.Args()[0], false), k.value(t.Args()[1], false)
	if l, ok := k.lower(b); !ok || l < 0 {
		return true
	}
	neg, ok := form{}.plus(a, -1)
	if ok && !k.atMost(neg) {
		return false
	}
	f, ok := a.plus(b, -1)
	if ok && t.Op() == term.OpULt {
		f, ok = f.plus(constant(1), 1)
	}
	return !ok || k.atMost(f)
}

// mostCases bounds the cases that what is known is split into at an edge.
const mostCases = 8

// either uses a disjunction of conditions, or of their negations.
func (k *knowledge) either(list []*term.Term, yes bool) bool {
	switch len(list) {
	case 0:
		return false
	case 1:
		return k.refine(list[0], yes)
	}
	// All about one enum variable.
	if v, h, ok := k.oneOf(list, yes); ok {
		h = k.held(v).meet(h)
		k.set(k.root(v), h)
		return !h.empty()
	}
	if len(list) > mostCases || k.unlike(list, yes) {
		return true
	}
	var cases []*knowledge
	for _, t := range list {
		n := k.clone()
		if n.refine(t, yes) {
			cases = append(cases, n)
		}
	}
	return k.become(cases...)
}

// unlike reports whether two of the conditions, or of their negations, are about different things and nothing
// else, and both can hold: one about a variable, and another about another variable or integers. Then nothing is learned
// from one of the list being true: what the first teaches is not so with the second.
func (k *knowledge) unlike(list []*term.Term, yes bool) bool {
	first := -1
	for _, t := range list {
		v, ok := k.plain(t)
		if !ok || v == first || k.denied(t, yes) {
			continue
		}
		if first >= 0 {
			return true
		}
		first = v
	}
	return first >= 0 && slices.ContainsFunc(list, func(t *term.Term) bool {
		return k.aboutIntegers(t) && (k.fits(t, yes) || k.clone().refine(t, yes))
	})
}

// fits reports whether a condition, or its negation, is that an integer variable is a constant, and refine
// would find that it can hold. It goes the way of refine without a change: the constant x is in the interval of the variable v, which then is
// [x, x]; by a difference v - y <= c, y is at least x - c, and by y - v <= c it is at most x + c. If that leaves something for each y, no step of refine says
// no. In other cases, and where refine might not take a step, it says false, and nothing is known.
func (k *knowledge) fits(t *term.Term, yes bool) bool {
	for ; ; t, yes = t.Args()[0], !yes {
		if k.denied(t, yes) {
			return false
		}
		if t.Op() != term.OpNot {
			break
		}
	}
	if t.Op() != term.OpEq || !yes || !t.Args()[0].IsConst() && !t.Args()[1].IsConst() {
		return false
	}
	f, ok := k.difference(t.Args()[0], t.Args()[1])
	if !ok || len(f.ts) != 1 || f.ts[0].v >= k.d.base || f.ts[0].k != 1 && f.ts[0].k != -1 {
		return false
	}
	v, x := f.ts[0].v, -f.c*f.ts[0].k
	if lo, hi := k.rangeOf(v); x < lo || x > hi {
		return false
	}
	for _, e := range k.diffs {
		if e.a != v && e.b != v {
			continue
		}
		y, s, ok := e.a, int64(0), false
		if e.a == v {
			y = e.b
			s, ok = addScaled(x, e.c, -1)
		} else {
			s, ok = addScaled(x, e.c, 1)
		}
		lo, hi := k.rangeOf(y)
		if !ok || lo > hi || e.a == v && s > hi || e.b == v && s < lo {
			return false
		}
		if back, had := k.stored(e.b, e.a); had && back < -e.c {
			return false
		}
	}
	return true
}

// aboutIntegers reports whether a condition compares integers, so that it says nothing of other variables.
func (k *knowledge) aboutIntegers(t *term.Term) bool {
	switch t.Op() {
	case term.OpNot:
		return k.aboutIntegers(t.Args()[0])
	case term.OpSLt, term.OpSLe, term.OpULt, term.OpULe, term.OpEq:
		return t.Args()[0].Sort().Kind == term.BitVecKind
	}
	return false
}

// plain returns the root of the only variable of a condition of which it says what it may be.
func (k *knowledge) plain(t *term.Term) (root int, ok bool) {
	switch args := t.Args(); {
	case t.Op() == term.OpNot:
		return k.plain(args[0])
	case t.Op() == term.OpEq && args[0].Sort().Kind == term.EnumKind && args[0].IsConst():
		t = args[1]
	case t.Op() == term.OpEq && args[0].Sort().Kind == term.EnumKind && args[1].IsConst():
		t = args[0]
	}
	v, ok := k.d.index[t]
	if !ok || t.Op() != term.OpVar {
		return 0, false
	}
	return k.root(v), true
}

// denied reports whether the opposite of a condition, or of its negation, was met before.
func (k *knowledge) denied(t *term.Term, yes bool) bool {
	if len(k.facts) == 0 {
		return false
	}
	not := k.canonical(t)
	if yes {
		not = k.d.p.Not(not)
	}
	_, ok := slices.BinarySearchFunc(k.facts, not, byAge)
	return ok
}

// oneOf reads a disjunction of conditions, or of their negations, about one enum variable.
func (k *knowledge) oneOf(list []*term.Term, yes bool) (v int, all held, ok bool) {
	v = -1
	for _, t := range list {
		m, ok := k.d.member(t)
		if !ok || v >= 0 && v != m.v {
			return 0, held{}, false
		}
		if !yes {
			m.in = every(k.d.vars[m.v].Sort()).without(m.in)
		}
		if v >= 0 {
			m.in = m.in.join(all)
		}
		v, all = m.v, m.in
	}
	return v, all, true
}

// become makes k the join of cases, nil ones left out; false: there is none.
func (k *knowledge) become(cases ...*knowledge) bool {
	var all *knowledge
	for _, c := range cases {
		switch {
		case c == nil:
		case all == nil:
			all = c
		default:
			all.join(c, false)
		}
	}
	if all == nil {
		return false
	}
	k.replace(all)
	return true
}

// replace makes k another that says more or the same, and notes of what.
func (k *knowledge) replace(n *knowledge) {
	old := *k
	*k = *n
	k.news, k.newInts, k.newAlls = old.news, old.newInts, old.newAlls
	if !slices.Equal(old.diffs, k.diffs) || len(old.exact) != len(k.exact) || !slices.EqualFunc(old.lins, k.lins, form.equal) {
		k.newInts = true
	}
	if !slices.Equal(old.facts, k.facts) || !slices.Equal(old.alias, k.alias) {
		k.newAlls = true
	}
	for p := range k.vals {
		before, at := old.page(p), 0
		if sameList(before, k.vals[p].list) {
			continue
		}
		for _, b := range k.vals[p].list {
			for at < len(before) && before[at].v < b.v {
				at++
			}
			if at == len(before) || before[at].v != b.v || !before[at].h.equal(b.h) {
				k.learned(int(b.v))
			}
		}
	}
}

// equal uses an equation or its negation.
func (k *knowledge) equal(t *term.Term, yes bool) bool {
	a, b := t.Args()[0], t.Args()[1]
	v, ok1 := k.d.index[a]
	w, ok2 := k.d.index[b]
	switch a.Sort().Kind {
	case term.BoolKind:
		if yes && k.sums(t) {
			return true
		}
		x, y := k.truth(a), k.truth(b)
		switch {
		case x == may || x == mayNot:
			return k.refine(b, (x == may) == yes)
		case y == may || y == mayNot:
			return k.refine(a, (y == may) == yes)
		case yes && ok1 && ok2:
			return k.unify(v, w)
		}
		return true
	case term.EnumKind:
		x, y := k.enum(a), k.enum(b)
		if yes {
			m := x.meet(y)
			if m.empty() {
				return false
			}
			if ok1 {
				k.set(k.root(v), m)
			}
			if ok2 {
				k.set(k.root(w), m)
			}
			if ok1 && ok2 {
				return k.unify(v, w)
			}
			return k.choose(a, b, yes)
		}
		for i, u := range []int{v, w} {
			other := []held{y, x}[i]
			if !([]bool{ok1, ok2}[i]) || !other.one() {
				continue
			}
			h := k.held(u).without(other)
			k.set(k.root(u), h)
			if h.empty() {
				return false
			}
		}
		return k.choose(a, b, yes)
	}
	f, ok := k.difference(a, b)
	if !ok {
		return true
	}
	if yes {
		neg, ok := form{}.plus(f, -1)
		if !k.atMost(f) || ok && !k.atMost(neg) {
			return false
		}
		if ok1 && ok2 {
			return k.unify(v, w)
		}
		return true
	}
	// Not equal: only at an end.
	if u, fin := k.upper(f); fin && u == 0 {
		if f, ok = f.plus(constant(1), 1); ok {
			return k.atMost(f)
		}
	}
	if l, fin := k.lower(f); fin && l == 0 {
		if f, ok = constant(1).plus(f, -1); ok {
			return k.atMost(f)
		}
	}
	return true
}

// choose uses an equation of an enum if-then-else with a constant: if one of its
// sides cannot be meant, its condition is known.
func (k *knowledge) choose(a, b *term.Term, yes bool) bool {
	if b.Op() == term.OpIte {
		a, b = b, a
	}
	if a.Op() != term.OpIte || !b.IsConst() {
		return true
	}
	want := may
	if !yes {
		want = mayNot
	}
	first := k.truth(k.d.p.Eq(a.Args()[1], b))&want != 0
	second := k.truth(k.d.p.Eq(a.Args()[2], b))&want != 0
	switch {
	case first && !second:
		return k.refine(a.Args()[0], true)
	case second && !first:
		return k.refine(a.Args()[0], false)
	}
	return first || second
}

// unify makes two variables with equal values copies of one root.
func (k *knowledge) unify(v, w int) bool {
	a, b := k.root(v), k.root(w)
	if a == b {
		return true
	}
	if k.d.width[a] > 0 && k.d.unsigned[a] != k.d.unsigned[b] {
		return true
	}
	if b < a {
		a, b = b, a // the older, state first, is the root
	}
	// Everything about b becomes about a.
	if h, ok := k.get(b); ok {
		g := k.held(a).meet(h)
		if g.empty() {
			return false
		}
		k.set(a, g)
	}
	var more []diff
	for _, e := range k.diffs {
		switch {
		case e.a == b:
			more = append(more, diff{a, e.b, e.c})
		case e.b == b:
			more = append(more, diff{e.a, a, e.c})
		}
	}
	k.drop(b)
	k.withoutDiffs(b)
	k.changed()
	k.renameAlias(b, a)
	// Facts and inequalities about b are rewritten.
	rest := &knowledge{d: k.d, lins: k.lins, facts: k.facts, exact: k.exact}
	rest.rename(b, a)
	k.lins, k.facts, k.exact = rest.lins, rest.facts, rest.exact
	k.link(b, a)
	for _, e := range more {
		if !k.ordered(e.a, e.b, e.c) {
			return false
		}
	}
	return true
}

// sums recognizes the assumption that a sum does not overflow: t >= 0 iff
// s <= s + t. The sum is a form then if its parts are.
func (k *knowledge) sums(t *term.Term) bool {
	a, b := t.Args()[0], t.Args()[1]
	if a.Op() != term.OpSLt || b.Op() != term.OpSLt || a.Args()[0].Sort() != b.Args()[0].Sort() {
		return false
	}
	for range 2 {
		// a is t < 0, b is s+t < s
		x, sum, s := a.Args()[0], b.Args()[0], b.Args()[1]
		zero := a.Args()[1]
		if v, ok := zero.Const(); ok && v.Lo == 0 && sum.Op() == term.OpAdd {
			if k.d.p.Add(s, x) == sum {
				f, g := k.value(s, false), k.value(x, false)
				h, ok := f.plus(g, 1)
				m, ok2 := k.modular(sum)
				if ok && ok2 && h.equal(m) {
					c := k.canonical(sum)
					if !slices.Contains(k.exact, c) && len(k.exact) < mostFacts {
						k.exact = with(k.exact, len(k.exact), c)
						k.newInts = true
						k.changed()
					}
					return true
				}
			}
		}
		a, b = b, a
	}
	return false
}

// step is the effect of an edge: what holds after it, one of several if the
// edge tells them apart; none: no run takes it. It may change k.
func (k *knowledge) step(e *prog.Edge) []*knowledge {
	switch e.Kind {
	case prog.AssumeEdge:
		t := k.canonical(e.Exprs[0])
		return k.cases([]*term.Term{t}, mostCases, func(k *knowledge, ts []*term.Term) bool { return k.assume(ts[0]) })
	case prog.HavocEdge:
		if v, ok := k.d.index[e.Vars[0].Term]; ok {
			k.forget(v)
		}
	case prog.AssignEdge:
		if len(e.Vars) == 0 {
			break
		}
		ts := make([]*term.Term, len(e.Exprs))
		for i, t := range e.Exprs {
			ts[i] = k.canonical(t)
		}
		return k.cases(ts, mostCases, func(k *knowledge, ts []*term.Term) bool { return k.assign(e.Vars, ts) })
	}
	return []*knowledge{k}
}

// cases does something for each way in which the if-then-elses of terms can be
// decided, and returns what comes out.
func (k *knowledge) cases(ts []*term.Term, most int, do func(k *knowledge, ts []*term.Term) bool) []*knowledge {
	var ite *term.Term
	for _, t := range ts {
		if ite = k.d.ite(t); ite != nil {
			break
		}
	}
	if ite == nil || most <= 1 {
		if !do(k, ts) {
			return nil
		}
		return []*knowledge{k}
	}
	c := ite.Args()[0]
	take := func(side *term.Term) []*term.Term {
		return k.d.p.SubstituteAll(ts, map[*term.Term]*term.Term{ite: side})
	}
	switch k.truth(c) {
	case may:
		return k.cases(take(ite.Args()[1]), most, do)
	case mayNot:
		return k.cases(take(ite.Args()[2]), most, do)
	}
	var out []*knowledge
	for i, cond := range []*term.Term{c, k.d.p.Not(c)} {
		if n := k.clone(); n.assume(cond) {
			out = append(out, n.cases(take(ite.Args()[i+1]), most/2, do)...)
		}
	}
	return out
}

// ite is the first integer if-then-else in a term, innermost first.
func (d *domain) ite(t *term.Term) *term.Term {
	if r, ok := d.ites[t]; ok {
		return r
	}
	var found *term.Term
	for _, a := range t.Args() {
		if found = d.ite(a); found != nil {
			break
		}
	}
	if found == nil && t.Op() == term.OpIte && t.Sort().Kind == term.BitVecKind {
		found = t
	}
	d.ites[t] = found
	return found
}
