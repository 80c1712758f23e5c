// SPDX-License-Identifier: Apache-2.0

package lower

// This file has linear forms over the integers and reads terms as such forms.
// A term is arithmetic modulo 2^width; a form is not. A form stands for a term only
// if what is known of its variables excludes that it leaves the range of its type,
// or if the code assumes so (the convention no-wrap).

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// A form is c plus the sum of k*v. Variables are indices of a domain.
type form struct {
	c  int64
	ts []mono // in order of v, no k is zero
}

type mono struct {
	v int
	k int64
}

// Coefficients and constants beyond these are not read as forms, so that sums of
// a few of them do not overflow.
const (
	mostFactor = 1 << 16
	mostConst  = 1 << 62
	mostMonos  = 6
)

func constant(c int64) form { return form{c: c} }
func variable(v int) form   { return form{ts: []mono{{v, 1}}} }

// of is the form of a variable, which is made once: forms do not change.
func (d *domain) of(v int) form {
	if v >= d.n {
		return variable(v)
	}
	if d.units == nil {
		d.units = make([]form, d.n)
	}
	if d.units[v].ts == nil {
		d.units[v] = variable(v)
	}
	return d.units[v]
}

// plus adds k*g; false: too large.
func (f form) plus(g form, k int64) (form, bool) {
	return f.plusIn(make([]mono, 0, len(f.ts)+len(g.ts)), g, k)
}

// plusIn is plus, in a list that is given, which must be empty. If there is room in the list, the sum is of no use once the list is.
func (f form) plusIn(room []mono, g form, k int64) (form, bool) {
	out := form{}
	var ok bool
	if out.c, ok = addScaled(f.c, g.c, k); !ok {
		return form{}, false
	}
	out.ts = room
	i, j := 0, 0
	for i < len(f.ts) || j < len(g.ts) {
		var m mono
		switch {
		case j == len(g.ts) || i < len(f.ts) && f.ts[i].v < g.ts[j].v:
			m = f.ts[i]
			i++
		case i == len(f.ts) || g.ts[j].v < f.ts[i].v:
			m = mono{g.ts[j].v, g.ts[j].k * k}
			j++
		default:
			m = mono{f.ts[i].v, f.ts[i].k + g.ts[j].k*k}
			i++
			j++
		}
		if m.k == 0 {
			continue
		}
		if m.k > mostFactor || m.k < -mostFactor {
			return form{}, false
		}
		out.ts = append(out.ts, m)
	}
	return out, true
}

func addScaled(a, b, k int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(max(b, -b)), uint64(max(k, -k)))
	if hi != 0 || lo > mostConst {
		return 0, false
	}
	p := int64(lo)
	if (b < 0) != (k < 0) {
		p = -p
	}
	s := a + p
	if s > mostConst || s < -mostConst || a > mostConst || a < -mostConst {
		return 0, false
	}
	return s, true
}

func (f form) equal(g form) bool { return f.c == g.c && slices.Equal(f.ts, g.ts) }

func (f form) has(v int) bool {
	return slices.ContainsFunc(f.ts, func(m mono) bool { return m.v == v })
}

func compareForms(a, b form) int {
	return cmp.Or(slices.CompareFunc(a.ts, b.ts, func(x, y mono) int { return cmp.Or(cmp.Compare(x.v, y.v), cmp.Compare(x.k, y.k)) }), cmp.Compare(a.c, b.c))
}

// limits is the range of a width.
func limits(width int, unsigned bool) (lo, hi int64) {
	if unsigned && width < 63 {
		return 0, 1<<width - 1
	}
	if unsigned {
		return 0, math.MaxInt64
	}
	return bounds(width)
}

// value reads a term as a form: what it is as a signed or unsigned number.
func (k *knowledge) value(t *term.Term, unsigned bool) form {
	if t.IsConst() || t.IsVar() { // that takes no longer than to look it up
		return k.read(t, unsigned)
	}
	key := opaque{t, unsigned}
	if f, ok := k.forms[key]; ok {
		return f
	}
	f := k.read(t, unsigned)
	if k.forms == nil {
		k.forms = map[opaque]form{}
	}
	k.forms[key] = f
	return f
}

func (k *knowledge) read(t *term.Term, unsigned bool) form {
	w := t.Sort().Width
	if c, ok := t.Const(); ok {
		if w > 64 {
			return variable(k.d.opaque(t, unsigned))
		}
		x := int64(c.Lo)
		if !unsigned && w < 64 {
			x = x << (64 - w) >> (64 - w)
		}
		if x > mostConst || x < -mostConst || unsigned && x < 0 {
			return variable(k.d.opaque(t, unsigned))
		}
		return constant(x)
	}
	f, ok := k.modular(t)
	if !ok {
		return variable(k.d.opaque(t, unsigned))
	}
	if len(f.ts) == 1 && f.c == 0 && f.ts[0].k == 1 && f.ts[0].v < k.d.n && k.d.unsigned[f.ts[0].v] == unsigned && k.d.width[f.ts[0].v] == w {
		return f // a variable, as it is read anyway
	}
	lo, hi := limits(w, unsigned)
	if u, fin := k.upper(f); fin && u <= hi {
		if l, fin := k.lower(f); fin && l >= lo {
			return f
		}
	}
	if !unsigned && slices.Contains(k.exact, t) {
		return f
	}
	return variable(k.d.opaque(t, unsigned))
}

// modular reads a term of a width as a form that equals it modulo 2^width.
func (k *knowledge) modular(t *term.Term) (form, bool) {
	w := t.Sort().Width
	if w > 64 {
		return form{}, false
	}
	args := t.Args()
	switch t.Op() {
	case term.OpConst:
		c, _ := t.Const()
		x := int64(c.Lo)
		if w < 64 {
			x = x << (64 - w) >> (64 - w)
		}
		return constant(x), x <= mostConst && x >= -mostConst
	case term.OpVar:
		if v, ok := k.d.index[t]; ok {
			return k.d.of(k.root(v)), true
		}
	case term.OpAdd:
		sum := form{}
		for _, a := range args {
			f, ok := k.modular(a)
			if !ok {
				return form{}, false
			}
			if sum, ok = sum.plus(f, 1); !ok || len(sum.ts) > mostMonos {
				return form{}, false
			}
		}
		return sum, true
	case term.OpNeg, term.OpBVNot:
		f, ok := k.modular(args[0])
		if !ok {
			return form{}, false
		}
		c := int64(0)
		if t.Op() == term.OpBVNot {
			c = -1
		}
		return constant(c).plus(f, -1)
	case term.OpMul:
		if len(args) == 2 && args[0].IsConst() {
			if c := k.value(args[0], false); len(c.ts) == 0 && c.c <= mostFactor && c.c >= -mostFactor {
				if f, ok := k.modular(args[1]); ok {
					return form{}.plus(f, c.c)
				}
			}
		}
	case term.OpShl:
		if args[1].IsConst() {
			if c := k.value(args[1], true); len(c.ts) == 0 && c.c < 16 && c.c < int64(w) {
				if f, ok := k.modular(args[0]); ok {
					return form{}.plus(f, 1<<c.c)
				}
			}
		}
	case term.OpZeroExt:
		return k.value(args[0], true), true
	case term.OpSignExt:
		return k.value(args[0], false), true
	case term.OpExtract:
		if hi, lo := t.Extract(); lo == 0 && hi == w-1 && args[0].Sort().Width <= 64 {
			return k.modular(args[0])
		}
	}
	return variable(k.d.opaque(t, false)), true
}

// rangeOf is what a variable or an opaque term may be.
func (k *knowledge) rangeOf(v int) (lo, hi int64) {
	if v < k.d.base {
		if h, ok := k.get(v); ok {
			return h.lo, h.hi
		}
		return k.d.limits(v)
	}
	if r, ok := k.ranges[v]; ok {
		return r[0], r[1]
	}
	o := k.d.opaques[v-k.d.base]
	lo, hi = k.opaqueRange(o.t, o.unsigned)
	if k.ranges == nil {
		k.ranges = map[int][2]int64{}
	}
	k.ranges[v] = [2]int64{lo, hi}
	return lo, hi
}

// scaled is the largest value of m*v, if it is finite.
func (k *knowledge) scaled(m mono) (int64, bool) {
	lo, hi := k.rangeOf(m.v)
	x := hi
	if m.k < 0 {
		x = lo
	}
	if x == math.MaxInt64 || x == math.MinInt64 {
		return 0, false
	}
	return addScaled(0, x, m.k)
}

// upper is the largest value that a form may have, as far as known; false: it is
// not bounded.
func (k *knowledge) upper(f form) (best int64, finite bool) {
	take := func(x int64, ok bool) {
		if ok && (!finite || x < best) {
			best, finite = x, true
		}
	}
	take(k.pair(f))
	if len(f.ts) < 2 && !slices.ContainsFunc(f.ts, func(m mono) bool { return m.v >= k.d.base }) {
		return best, finite
	}
	var room [2 * mostMonos]mono
	for _, g := range k.lins {
		// f = (f - g) + g, and g <= 0. No other opaque term comes in: the ranges of
		// those of f depend on smaller terms only.
		if slices.ContainsFunc(g.ts, func(m mono) bool { return m.v >= k.d.base && !f.has(m.v) }) {
			continue
		}
		if r, ok := f.plusIn(room[:0], g, -1); ok && len(r.ts) <= max(2, len(f.ts)-1) && len(r.ts) <= len(f.ts) {
			take(k.pair(r))
		}
	}
	for _, m := range f.ts {
		if m.v < k.d.base || m.k != 1 {
			continue
		}
		for _, b := range k.below(m.v) {
			if r, ok := f.plus(variable(m.v), -1); ok {
				if r, ok = r.plus(b, 1); ok {
					take(k.pair(r))
				}
			}
		}
	}
	return best, finite
}

func (k *knowledge) lower(f form) (int64, bool) {
	var room [mostMonos]mono
	neg, ok := f.negated(room[:0])
	if !ok {
		return 0, false
	}
	u, ok := k.upper(neg)
	return -u, ok
}

// negated is -f, in a list that is given; false: too large. It is what plus says of form{} and -1.
func (f form) negated(room []mono) (form, bool) {
	c, ok := addScaled(0, f.c, -1)
	for _, m := range f.ts {
		ok = ok && m.k <= mostFactor && m.k >= -mostFactor
		room = append(room, mono{m.v, -m.k})
	}
	return form{c, room}, ok
}

// pair bounds a form by ranges and by differences of pairs of its variables.
func (k *knowledge) pair(f form) (int64, bool) {
	var room [2 * mostMonos]bool
	used := room[:]
	if len(f.ts) > len(used) {
		used = make([]bool, len(f.ts))
	}
	x, ok := k.pairFrom(f.ts, used, 0)
	if !ok {
		return 0, false
	}
	return addScaled(x, f.c, 1)
}

// pairFrom bounds the sum of what is not used of a form, from the i-th on.
func (k *knowledge) pairFrom(ts []mono, used []bool, i int) (int64, bool) {
	for i < len(ts) && used[i] {
		i++
	}
	if i == len(ts) {
		return 0, true
	}
	var best int64
	finite := false
	if x, ok := k.scaled(ts[i]); ok {
		if y, ok := k.pairFrom(ts, used, i+1); ok {
			best, finite = addScaled(x, y, 1)
		}
	}
	for j := i + 1; j < len(ts); j++ {
		if used[j] || ts[i].k != -ts[j].k {
			continue
		}
		a, b := ts[i].v, ts[j].v
		if ts[i].k < 0 {
			a, b = b, a
		}
		d, ok := k.diff(a, b)
		if !ok {
			continue
		}
		x, ok := addScaled(0, d, max(ts[i].k, -ts[i].k))
		if !ok {
			continue
		}
		used[j] = true
		y, ok := k.pairFrom(ts, used, i+1)
		used[j] = false
		if !ok {
			continue
		}
		if s, ok := addScaled(x, y, 1); ok && (!finite || s < best) {
			best, finite = s, true
		}
	}
	return best, finite
}

// below returns forms that an opaque term is never above.
func (k *knowledge) below(v int) []form {
	o := k.d.opaques[v-k.d.base]
	args := o.t.Args()
	positive := func(f form) bool {
		l, ok := k.lower(f)
		return ok && l >= 0
	}
	switch o.t.Op() {
	case term.OpUDiv, term.OpSDiv, term.OpLShr, term.OpAShr, term.OpURem, term.OpSRem:
		var out []form
		a, b := k.value(args[0], false), k.value(args[1], false)
		div := o.t.Op() == term.OpUDiv || o.t.Op() == term.OpSDiv
		rem := o.t.Op() == term.OpURem || o.t.Op() == term.OpSRem
		if l, ok := k.lower(b); (div || rem) && (!ok || l < 1) {
			return nil
		}
		if positive(a) {
			out = append(out, a)
		}
		if rem && (positive(a) || o.t.Op() == term.OpURem) {
			if r, ok := b.plus(constant(-1), 1); ok {
				out = append(out, r)
			}
		}
		return out
	case term.OpBVAnd:
		var out []form
		for _, x := range args {
			if f := k.value(x, false); positive(f) {
				out = append(out, f)
			}
		}
		return out
	}
	return nil
}

// opaqueRange is what a term that is no form may be.
func (k *knowledge) opaqueRange(t *term.Term, unsigned bool) (lo, hi int64) {
	w := t.Sort().Width
	if w > 64 {
		return math.MinInt64, math.MaxInt64
	}
	lo, hi = limits(w, unsigned)
	args := t.Args()
	of := func(t *term.Term, unsigned bool) (lo, hi int64) {
		f := k.value(t, unsigned)
		lo, hi = limits(t.Sort().Width, unsigned)
		if u, ok := k.pair(f); ok {
			hi = min(hi, u)
		}
		if neg, ok := (form{}).plus(f, -1); ok {
			if l, ok := k.pair(neg); ok {
				lo = max(lo, -l)
			}
		}
		return lo, hi
	}
	within := func(a, b int64) (int64, int64) {
		if a >= lo && b <= hi {
			return a, b
		}
		return lo, hi
	}
	switch t.Op() {
	case term.OpConst, term.OpVar:
		if t.Op() == term.OpVar {
			if v, ok := k.d.index[t]; ok {
				return within(k.rangeOf(k.root(v)))
			}
		}
	case term.OpIte:
		a, b := of(args[1], unsigned)
		c, d := of(args[2], unsigned)
		return min(a, c), max(b, d)
	case term.OpMul:
		out := held{lo: 1, hi: 1}
		for _, x := range args {
			a, b := of(x, unsigned)
			var ok bool
			if out, ok = out.times(held{lo: a, hi: b}); !ok {
				return lo, hi
			}
		}
		return within(out.lo, out.hi)
	case term.OpAdd:
		if f, ok := k.modular(t); ok {
			u, ok1 := k.pair(f)
			neg, _ := form{}.plus(f, -1)
			l, ok2 := k.pair(neg)
			if ok1 && ok2 {
				return within(-l, u)
			}
		}
	case term.OpBVAnd:
		top := int64(math.MaxInt64)
		for _, x := range args {
			if a, b := of(x, false); a >= 0 {
				top = min(top, b)
			}
		}
		if top < math.MaxInt64 {
			return 0, top
		}
	case term.OpBVOr, term.OpBVXor:
		bottom, top := int64(0), int64(0)
		for _, x := range args {
			a, b := of(x, false)
			if a < 0 {
				return lo, hi
			}
			bottom, top = max(bottom, a), max(top, b)
		}
		if t.Op() == term.OpBVXor {
			bottom = 0
		}
		if n := bits.Len64(uint64(top)); n < 63 {
			return within(bottom, 1<<n-1)
		}
	case term.OpSDiv, term.OpUDiv:
		a, b := of(args[0], false)
		c, d := of(args[1], false)
		if a >= 0 && c > 0 {
			return a / d, b / c
		}
	case term.OpURem, term.OpSRem:
		a, b := of(args[0], false)
		c, d := of(args[1], false)
		if c > 0 && a >= 0 {
			return 0, min(b, d-1)
		}
		if c > 0 && t.Op() == term.OpURem {
			return 0, d - 1
		}
		if c > 0 && t.Op() == term.OpSRem && !unsigned {
			return -(d - 1), d - 1
		}
	case term.OpLShr, term.OpAShr:
		c, d := of(args[1], true)
		a, b := of(args[0], false)
		if a >= 0 {
			if d > 63 {
				return 0, b >> min(c, 63)
			}
			return a >> d, b >> min(c, 63)
		}
		if t.Op() == term.OpLShr && c > 0 && c < int64(w) && w-int(c) < 63 {
			return within(0, 1<<(w-int(c))-1)
		}
		if t.Op() == term.OpAShr && !unsigned {
			return a >> min(c, 63), max(b>>min(c, 63), b>>min(d, 63))
		}
	case term.OpZeroExt:
		return within(of(args[0], true))
	case term.OpSignExt:
		return within(of(args[0], false))
	case term.OpExtract:
		if h, l := t.Extract(); l == 0 && h == w-1 && args[0].Sort().Width <= 64 {
			return within(of(args[0], false))
		}
	}
	return lo, hi
}
