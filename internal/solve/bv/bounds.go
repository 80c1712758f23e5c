// SPDX-License-Identifier: Apache-2.0

package bv

// This file refutes questions by looking at words, before any gate is built. The
// asserted comparisons and equations give terms bounds; a further condition is
// computed with bounds in place of values. A variable with one possible value
// is a constant, so substituting constants is a case of this; an equation
// between a variable and a term gives either the bounds of the other.
//
// It only ever says unsat. It is not complete, and does not iterate: a loop that
// narrows bounds one by one is what the solver is better at. Words of more than
// 64 bits have no bounds.

import (
	"math"
	"math/bits"
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// A span is a set of words of up to 64 bits, as bounds on both readings.
type span struct {
	lo, hi   uint64
	slo, shi int64
}

func (x span) empty() bool { return x.lo > x.hi || x.slo > x.shi }

// full is the span of all words of a width.
func full(width int) span {
	if width > 64 {
		width = 64
	}
	return span{0, ^uint64(0) >> (64 - width), math.MinInt64 >> (64 - width), math.MaxInt64 >> (64 - width)}
}

func exactly(u uint64, width int) span {
	s := int64(u<<(64-width)) >> (64 - width)
	return span{u, u, s, s}
}

// meet is the intersection, each reading sharpened by the other where the span
// does not cross from non-negative to negative.
func (x span) meet(y span, width int) span {
	x.lo, x.hi = max(x.lo, y.lo), min(x.hi, y.hi)
	x.slo, x.shi = max(x.slo, y.slo), min(x.shi, y.shi)
	if x.empty() {
		return x
	}
	half := uint64(1) << (width - 1)
	mask := ^uint64(0) >> (64 - width)
	sext := func(u uint64) int64 { return int64(u<<(64-width)) >> (64 - width) }
	if x.hi < half || x.lo >= half {
		x.slo, x.shi = max(x.slo, sext(x.lo)), min(x.shi, sext(x.hi))
	}
	if !x.empty() && (x.slo >= 0 || x.shi < 0) {
		x.lo, x.hi = max(x.lo, uint64(x.slo)&mask), min(x.hi, uint64(x.shi)&mask)
	}
	return x
}

// A fact is what the stack says about a term.
type fact struct {
	span
	alias *term.Term // it is equal to this one, or nil
	why   []int32    // positions in the stack, in order
}

// facts are known for terms. Changes are undone in reverse.
type facts struct {
	known map[*term.Term]fact
	undo  []undo
	fuel  int
	why   []int32 // used by the current evaluation
	// dead is the reason why the facts contradict each other.
	dead   []int32
	isDead bool
}

type undo struct {
	t    *term.Term
	old  fact
	had  bool
	dead bool // this entry made the facts dead
}

func bounded(s term.Sort) bool { return s.Bits() <= 64 }

// rewind undoes down to a mark.
func (f *facts) rewind(mark int) {
	for len(f.undo) > mark {
		u := f.undo[len(f.undo)-1]
		f.undo = f.undo[:len(f.undo)-1]
		switch {
		case u.dead:
			f.isDead, f.dead = false, nil
		case u.had:
			f.known[u.t] = u.old
		default:
			delete(f.known, u.t)
		}
	}
}

// maxWhy bounds the length of reasons: a longer one is not kept, and neither is
// what it is the reason of.
const maxWhy = 16

func merge(a, b []int32) []int32 {
	if len(b) == 0 {
		return a
	}
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

func (f *facts) set(t *term.Term, x fact) {
	old, had := f.known[t]
	f.undo = append(f.undo, undo{t: t, old: old, had: had})
	f.known[t] = x
}

func (f *facts) die(why []int32) {
	if !f.isDead {
		f.isDead, f.dead = true, slices.Clone(why)
		f.undo = append(f.undo, undo{dead: true})
	}
}

// narrow adds that t is in x.
func (f *facts) narrow(t *term.Term, x span, why []int32) {
	if !bounded(t.Sort()) || len(why) > maxWhy || t.IsConst() {
		return
	}
	width := t.Sort().Bits()
	old, had := f.known[t]
	if !had {
		old.span = full(width)
	}
	y := old.meet(x, width)
	if y == old.span {
		return
	}
	why = merge(old.why, why)
	if y.empty() {
		f.die(why)
		return
	}
	f.set(t, fact{span: y, alias: old.alias, why: why})
}

const evalFuel = 80

// bounds evaluates t and returns the reason too.
func (f *facts) bounds(t *term.Term) (span, []int32) {
	f.fuel = evalFuel
	f.why = f.why[:0]
	x := f.eval(t)
	slices.Sort(f.why)
	f.why = slices.Compact(f.why)
	return x, f.why
}

// assume adds that t holds, for the reason at the given position of the stack.
func (f *facts) assume(t *term.Term, at int32) {
	x, why := f.bounds(t)
	if x.hi == 0 {
		f.die(merge(why, []int32{at}))
		return
	}
	f.learn(t, true, at)
}

// learn adds what follows from t being true or not.
func (f *facts) learn(t *term.Term, holds bool, at int32) {
	for t.Op() == term.OpNot {
		t, holds = t.Args()[0], !holds
	}
	if f.isDead {
		return
	}
	truth := exactly(0, 1)
	if holds {
		truth = exactly(1, 1)
	}
	f.narrow(t, truth, []int32{at})
	args := t.Args()
	switch op := t.Op(); op {
	case term.OpAnd, term.OpOr:
		if holds == (op == term.OpAnd) {
			for _, a := range args {
				f.learn(a, holds, at)
			}
		}
	case term.OpEq:
		switch {
		case !bounded(args[0].Sort()):
		case holds:
			f.equate(args[0], args[1], at)
		case args[1].IsConst():
			f.exclude(args[0], args[1], at)
		}
	case term.OpULt, term.OpULe, term.OpSLt, term.OpSLe:
		a, b := args[0], args[1]
		strict := op == term.OpULt || op == term.OpSLt
		if !holds { // !(a < b) is b <= a
			a, b, strict = b, a, !strict
		}
		if bounded(a.Sort()) {
			f.order(a, b, strict, op == term.OpSLt || op == term.OpSLe, at)
		}
	}
}

// equate adds a = b.
func (f *facts) equate(a, b *term.Term, at int32) {
	x, why := f.bounds(a)
	whyA := merge([]int32{at}, why)
	y, why := f.bounds(b)
	whyB := merge([]int32{at}, why)
	f.narrow(a, y, whyB)
	f.narrow(b, x, whyA)
	if a.IsVar() && !b.IsConst() {
		if k, had := f.known[a]; !had || k.alias == nil {
			if !had {
				k.span = full(a.Sort().Bits())
			}
			k.alias = b
			k.why = merge(k.why, []int32{at})
			f.set(a, k)
		}
	}
}

// exclude adds a != k, which matters at the ends of the span of a.
func (f *facts) exclude(a, k *term.Term, at int32) {
	x, why := f.bounds(a)
	why = merge([]int32{at}, why)
	width := a.Sort().Bits()
	v := k.Value().Lo
	sv := exactly(v, width).slo
	y := x
	if x.lo == v {
		if x.hi == v {
			f.die(why)
			return
		}
		y.lo++
	}
	if x.hi == v {
		y.hi--
	}
	if x.slo == sv && x.slo < x.shi {
		y.slo++
	}
	if x.shi == sv && x.slo < x.shi {
		y.shi--
	}
	if y != x {
		f.narrow(a, y, why)
	}
}

// order adds a < b or a <= b.
func (f *facts) order(a, b *term.Term, strict, signed bool, at int32) {
	x, why := f.bounds(a)
	whyA := merge([]int32{at}, why)
	y, why := f.bounds(b)
	whyB := merge([]int32{at}, why)
	width := a.Sort().Bits()
	less, more := full(width), full(width) // a is in less, b in more
	d := uint64(0)
	if strict {
		d = 1
	}
	if signed {
		if strict && (y.shi == math.MinInt64 || x.slo == math.MaxInt64) {
			f.die(merge(whyA, whyB))
			return
		}
		less.shi, more.slo = y.shi-int64(d), x.slo+int64(d)
	} else {
		if strict && (y.hi == 0 || x.lo == math.MaxUint64) {
			f.die(merge(whyA, whyB))
			return
		}
		less.hi, more.lo = y.hi-d, x.lo+d
	}
	if a.IsConst() {
		less = full(width)
	}
	if b.IsConst() {
		more = full(width)
	}
	f.narrow(a, less, whyB)
	f.narrow(b, more, whyA)
}

// eval computes bounds of t, and adds to why what it used.
func (f *facts) eval(t *term.Term) span {
	sort := t.Sort()
	width := sort.Bits()
	if !bounded(sort) {
		return full(64)
	}
	all := full(width)
	if v, ok := t.Const(); ok {
		return exactly(v.Lo, width)
	}
	if f.fuel--; f.fuel < 0 {
		return all
	}
	known, ok := f.known[t]
	if !ok {
		if t.IsVar() {
			return all
		}
		return f.op(t, width)
	}
	f.why = append(f.why, known.why...)
	switch {
	case known.lo == known.hi:
		return known.span
	case known.alias != nil:
		x := f.eval(known.alias).meet(known.span, width)
		if x.empty() {
			return known.span
		}
		return x
	case t.IsVar():
		return known.span
	}
	x := f.op(t, width).meet(known.span, width)
	if x.empty() {
		return known.span // a contradiction that another look will find
	}
	return x
}

// op computes bounds of an operator from those of its arguments.
func (f *facts) op(t *term.Term, width int) span {
	args := t.Args()
	all := full(width)
	for _, a := range args {
		if !bounded(a.Sort()) {
			return all
		}
	}
	truth := func(yes, no bool) span {
		switch {
		case yes:
			return exactly(1, 1)
		case no:
			return exactly(0, 1)
		}
		return full(1)
	}
	switch op := t.Op(); op {
	case term.OpNot:
		x := f.eval(args[0])
		return truth(x.hi == 0, x.lo == 1)
	case term.OpAnd, term.OpOr:
		all := true
		for _, a := range args {
			x := f.eval(a)
			if op == term.OpAnd && x.hi == 0 {
				return exactly(0, 1)
			}
			if op == term.OpOr && x.lo == 1 {
				return exactly(1, 1)
			}
			all = all && x.lo == x.hi
		}
		if all {
			return truth(op == term.OpAnd, op == term.OpOr)
		}
		return full(1)
	case term.OpIte:
		c := f.eval(args[0])
		if c.lo == 1 {
			return f.eval(args[1])
		}
		if c.hi == 0 {
			return f.eval(args[2])
		}
		x, y := f.eval(args[1]), f.eval(args[2])
		return span{min(x.lo, y.lo), max(x.hi, y.hi), min(x.slo, y.slo), max(x.shi, y.shi)}
	case term.OpEq:
		x, y := f.eval(args[0]), f.eval(args[1])
		apart := x.meet(y, args[0].Sort().Bits()).empty()
		return truth(x.lo == x.hi && x.lo == y.lo && y.lo == y.hi, apart)
	case term.OpULt:
		x, y := f.eval(args[0]), f.eval(args[1])
		return truth(x.hi < y.lo, x.lo >= y.hi)
	case term.OpULe:
		x, y := f.eval(args[0]), f.eval(args[1])
		return truth(x.hi <= y.lo, x.lo > y.hi)
	case term.OpSLt:
		x, y := f.eval(args[0]), f.eval(args[1])
		return truth(x.shi < y.slo, x.slo >= y.shi)
	case term.OpSLe:
		x, y := f.eval(args[0]), f.eval(args[1])
		return truth(x.shi <= y.slo, x.slo > y.shi)
	case term.OpAdd:
		return f.sum(args, width)
	case term.OpBVAnd:
		x := f.eval(args[0])
		for _, a := range args[1:] {
			y := f.eval(a)
			if x.lo == x.hi && y.lo == y.hi {
				x = exactly(x.lo&y.lo, width)
				continue
			}
			x = all.meet(span{0, min(x.hi, y.hi), all.slo, all.shi}, width)
		}
		return x
	case term.OpURem:
		x, y := f.eval(args[0]), f.eval(args[1])
		if y.lo == 0 {
			return all
		}
		return all.meet(span{0, min(x.hi, y.hi-1), all.slo, all.shi}, width)
	case term.OpZeroExt:
		x := f.eval(args[0])
		return all.meet(span{x.lo, x.hi, all.slo, all.shi}, width)
	case term.OpSignExt:
		x := f.eval(args[0])
		return all.meet(span{0, all.hi, x.slo, x.shi}, width)
	case term.OpExtract:
		hi, lo := t.Extract()
		x := f.eval(args[0])
		if lo == 0 && bits.Len64(x.hi) <= hi+1 {
			return all.meet(span{x.lo, x.hi, all.slo, all.shi}, width)
		}
		if x.lo == x.hi {
			return exactly(x.lo>>lo&all.hi, width)
		}
	}
	return all
}

// sum adds bounds in each reading as long as nothing can wrap around.
func (f *facts) sum(args []*term.Term, width int) span {
	all := full(width)
	x := exactly(0, width)
	u, s := true, true // no wrap so far
	for _, a := range args {
		var y span
		if a.Op() == term.OpNeg {
			z := f.eval(a.Args()[0])
			if z.lo == z.hi {
				y = exactly(-z.lo&all.hi, width)
			} else {
				u = false
				if z.slo == all.slo {
					s = false
				} else {
					y.slo, y.shi = -z.shi, -z.slo
				}
			}
		} else {
			y = f.eval(a)
		}
		if x.lo == x.hi && y.lo == y.hi && u {
			x = exactly((x.lo+y.lo)&all.hi, width)
			continue
		}
		if u {
			if y.hi > all.hi-x.hi {
				u = false
			} else {
				x.lo, x.hi = x.lo+y.lo, x.hi+y.hi
			}
		}
		if s {
			lo, hi := x.slo+y.slo, x.shi+y.shi
			over := x.shi > 0 && y.shi > 0 && hi <= 0 || x.slo < 0 && y.slo < 0 && lo >= 0
			if over || lo < all.slo || hi > all.shi {
				s = false
			} else {
				x.slo, x.shi = lo, hi
			}
		}
		if !u && !s {
			return all
		}
	}
	if !u {
		x.lo, x.hi = all.lo, all.hi
	}
	if !s {
		x.slo, x.shi = all.slo, all.shi
	}
	return all.meet(x, width)
}
