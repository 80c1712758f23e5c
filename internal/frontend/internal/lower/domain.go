// SPDX-License-Identifier: Apache-2.0

package lower

// This file has the values of variables in abstract interpretation, sets and
// intervals, and the numbering of variables.

import (
	"math"
	"slices"
	"sort"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A held is what a variable may hold: the values of a bool or enum as bits, or
// an interval of integers. The bits are never changed in place.
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

// within reports whether k may be everything that h may be.
func (h held) within(k held) bool {
	if h.bits == nil {
		return h.lo >= k.lo && h.hi <= k.hi
	}
	for i, b := range h.bits {
		if b&^k.bits[i] != 0 {
			return false
		}
	}
	return true
}

// meets reports whether both may be the same.
func (h held) meets(k held) bool {
	if h.bits == nil {
		return max(h.lo, k.lo) <= min(h.hi, k.hi)
	}
	for i, b := range h.bits {
		if b&k.bits[i] != 0 {
			return true
		}
	}
	return false
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

// without is what h may be and k is not, of bools and enums.
func (h held) without(k held) held {
	out := slices.Clone(h.bits)
	for i := range out {
		out[i] &^= k.bits[i]
	}
	return held{bits: out}
}

// one reports whether there is only one value.
func (h held) one() bool {
	if h.bits == nil {
		return h.lo == h.hi
	}
	found := false
	for _, b := range h.bits {
		if b == 0 {
			continue
		}
		if found || b&(b-1) != 0 {
			return false
		}
		found = true
	}
	return found
}

func (h held) times(k held) (held, bool) {
	const most = 1 << 31
	out := held{lo: math.MaxInt64, hi: math.MinInt64}
	for _, a := range []int64{h.lo, h.hi} {
		for _, b := range []int64{k.lo, k.hi} {
			if a == -1 && b != math.MinInt64 || b == -1 && a != math.MinInt64 || a == 1 || b == 1 || a < most && a > -most && b < most && b > -most {
				out.lo, out.hi = min(out.lo, a*b), max(out.hi, a*b)
				continue
			}
			return held{}, false
		}
	}
	return out, true
}

// A domain numbers the variables of a method: the state comes first, the same
// in all methods, then its own variables, then the primed ones that a parallel
// assignment needs; terms that are no linear forms are numbered as they are met.
type domain struct {
	p        *term.Pool
	n, base  int // variables; variables with primes
	state    int
	vars     []*term.Term
	index    map[*term.Term]int
	unsigned []bool // how an integer is read
	width    []int  // 0: no integer
	opaques  []opaque
	numbers  map[opaque]int
	free     map[*term.Term][]int
	alone    map[*term.Term]held // constants
	all      []held              // of bools and enums
	ites     map[*term.Term]*term.Term
	members  map[*term.Term]membership
	units    []form  // of variables
	steps    []int64 // thresholds of widening, in order
}

// An opaque is a term that is no form, as a signed or unsigned number.
type opaque struct {
	t        *term.Term
	unsigned bool
}

func newDomain(p *prog.Program, m *prog.Method) *domain {
	d := &domain{p: p.Pool, state: len(p.State), index: map[*term.Term]int{}, numbers: map[opaque]int{}, free: map[*term.Term][]int{}, alone: map[*term.Term]held{}, ites: map[*term.Term]*term.Term{}, members: map[*term.Term]membership{}}
	add := func(list []*prog.Var) {
		for _, v := range list {
			if _, ok := d.index[v.Term]; ok {
				continue
			}
			d.index[v.Term] = len(d.vars)
			d.vars = append(d.vars, v.Term)
			w := 0
			if v.Type.Sort.Kind == term.BitVecKind {
				w = v.Type.Sort.Width
			}
			d.width = append(d.width, w)
			// The wide unsigned are read as signed: they are hardly ever used as
			// such.
			d.unsigned = append(d.unsigned, w > 0 && w < 63 && !v.Type.Signed)
		}
	}
	add(p.State)
	add(m.Params)
	add(m.Results)
	add(m.Locals)
	d.n = len(d.vars)
	primes := 0
	thresholds := map[int64]bool{-1: true, 0: true, 1: true, 1<<47 - 1: true}
	for i := range m.Edges {
		primes = max(primes, len(m.Edges[i].Vars))
		for _, t := range m.Edges[i].Exprs {
			d.constants(t, thresholds, map[*term.Term]bool{})
		}
	}
	d.base = d.n + primes
	for c := range thresholds {
		d.steps = append(d.steps, c)
	}
	slices.Sort(d.steps)
	return d
}

// constants collects the constants of a term and what is next to them.
func (d *domain) constants(t *term.Term, out map[int64]bool, seen map[*term.Term]bool) {
	if seen[t] || len(out) > 100 {
		return
	}
	seen[t] = true
	if c, ok := t.Const(); ok && t.Sort().Kind == term.BitVecKind && t.Sort().Width <= 64 {
		x := int64(c.Lo)
		if w := t.Sort().Width; w < 64 {
			x = x << (64 - w) >> (64 - w)
		}
		if x < mostConst && x > -mostConst {
			out[x-1], out[x], out[x+1] = true, true, true
		}
	}
	for _, a := range t.Args() {
		d.constants(a, out, seen)
	}
}

// limits is the range of a variable's type.
func (d *domain) limits(v int) (lo, hi int64) {
	if v >= d.n {
		return math.MinInt64, math.MaxInt64
	}
	return limits(d.width[v], d.unsigned[v])
}

func (d *domain) everything(v int) held {
	if d.width[v] > 0 {
		lo, hi := d.limits(v)
		return held{lo: lo, hi: hi}
	}
	if d.all == nil {
		d.all = make([]held, d.n)
	}
	if d.all[v].bits == nil {
		d.all[v] = every(d.vars[v].Sort())
	}
	return d.all[v]
}

// only is what a constant of an enum may be.
func (d *domain) only(t *term.Term) held {
	h, ok := d.alone[t]
	if !ok {
		v, _ := t.Const()
		h = held{bits: make([]uint64, (sizeOf(t.Sort())+63)/64)}
		h.bits[v.Lo/64] |= 1 << (v.Lo % 64)
		d.alone[t] = h
	}
	return h
}

func every(s term.Sort) held {
	n := sizeOf(s)
	h := held{bits: make([]uint64, (n+63)/64)}
	for i := range n {
		h.bits[i/64] |= 1 << (i % 64)
	}
	return h
}

// opaque is the number of a term that is no form.
func (d *domain) opaque(t *term.Term, unsigned bool) int {
	o := opaque{t, unsigned}
	if i, ok := d.numbers[o]; ok {
		return i
	}
	i := d.base + len(d.opaques)
	d.numbers[o] = i
	d.opaques = append(d.opaques, o)
	return i
}

// freeIn returns the variables of a term.
func (d *domain) freeIn(t *term.Term) []int {
	if f, ok := d.free[t]; ok {
		return f
	}
	var out []int
	for _, x := range term.FreeVars(t) {
		if v, ok := d.index[x]; ok {
			out = append(out, v)
		}
	}
	d.free[t] = out
	return out
}

// reads reports whether a form has to do with a variable.
func (d *domain) reads(f form, v int) bool {
	for _, m := range f.ts {
		if m.v == v || m.v >= d.base && slices.Contains(d.freeIn(d.opaques[m.v-d.base].t), v) {
			return true
		}
	}
	return false
}

// stepUp is the next threshold that is not below x.
func (d *domain) stepUp(x int64) int64 {
	i := sort.Search(len(d.steps), func(i int) bool { return d.steps[i] >= x })
	if i == len(d.steps) {
		return math.MaxInt64
	}
	return d.steps[i]
}

func (d *domain) stepDown(x int64) int64 {
	i := sort.Search(len(d.steps), func(i int) bool { return d.steps[i] > x })
	if i == 0 {
		return math.MinInt64
	}
	return d.steps[i-1]
}
