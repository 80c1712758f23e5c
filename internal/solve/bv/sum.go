// SPDX-License-Identifier: Apache-2.0

package bv

// This file builds sums. Terms keep a sum as a flat list of monomials; the order in
// which they are added is free, and matters: x+y and x+y+z should share an adder,
// and search is helpless when the same total is computed in two ways. So whatever
// two parts were added before are added first, wherever the sum is from; a program
// that adds step by step gets its own order back.
//
// A part has a sign. A subtraction is an adder with the complement and a carry, and
// a sum of two negative parts is a negative part, so signs cost nothing.

import "github.com/interlock-go/interlock/internal/term"

type partKind uint8

const (
	partTerm    partKind = iota // a is the number of a term, b the shift
	partProduct                 // the product of term a without its coefficient, shifted by b
	partSum                     // part a plus part b
	partDiff                    // part a minus part b
)

type partKey struct {
	kind partKind
	a, b int32
}

// sums are the parts that were built.
type sums struct {
	index map[partKey]int32
	words []word
}

func newSums() sums { return sums{index: make(map[partKey]int32)} }

// A part is a summand.
type part struct {
	id  int32
	neg bool
}

// partial is the part with a key, whose word is w if it is new.
func (b *blaster) partial(k partKey, w word) int32 {
	id, ok := b.sums.index[k]
	if !ok {
		id = int32(len(b.sums.words))
		b.sums.index[k] = id
		b.sums.words = append(b.sums.words, w)
	}
	return id
}

// A linear is a sum in the making: parts and a constant.
type linear struct {
	width int
	parts []part
	k     term.Value
}

func (l *linear) constant(v term.Value) {
	lo := l.k.Lo + v.Lo
	hi := l.k.Hi + v.Hi
	if lo < v.Lo {
		hi++
	}
	l.k = term.Value{Hi: hi, Lo: lo}
}

// digits calls f with the digits of the non-adjacent form of c, which has the
// fewest that are 1 or -1 (Reitwiesner 1960).
func digits(c term.Value, width int, f func(shift int, neg bool)) {
	carry := 0
	for i := range width {
		d := carry
		if bitOf(c, i) {
			d++
		}
		carry = 0
		switch {
		case d == 1 && i+1 < width && bitOf(c, i+1): // ...11 is ...100 - 1
			f(i, true)
			carry = 1
		case d == 1:
			f(i, false)
		case d == 2:
			carry = 1
		}
	}
}

// sumOf builds a sum, a negation or a multiple.
func (b *blaster) sumOf(t *term.Term) word {
	l := linear{width: t.Sort().Width}
	args := t.Args()
	if t.Op() != term.OpAdd {
		args = []*term.Term{t}
	}
	for _, a := range args {
		b.summand(&l, a)
	}
	return b.addUp(&l)
}

// summand adds the parts of a term. Those that are negations or multiples by
// constants are not built on their own.
func (b *blaster) summand(l *linear, t *term.Term) {
	if v, ok := t.Const(); ok {
		l.constant(v)
		return
	}
	args := t.Args()
	switch {
	case t.Op() == term.OpNeg:
		l.parts = append(l.parts, part{b.shifted(args[0], 0), true})
	case t.Op() == term.OpMul && len(args) == 2 && args[0].IsConst():
		digits(args[0].Value(), l.width, func(shift int, neg bool) {
			l.parts = append(l.parts, part{b.shifted(args[1], shift), neg})
		})
	default:
		l.parts = append(l.parts, part{b.shifted(t, 0), false})
	}
}

// shifted is the part that is 2^n times t.
func (b *blaster) shifted(t *term.Term, n int) int32 {
	k := partKey{partTerm, b.num(t), int32(n)}
	if id, ok := b.sums.index[k]; ok {
		return id
	}
	return b.partial(k, shiftLeft(b.word(t), n))
}

// addUp builds the word of a sum.
func (b *blaster) addUp(l *linear) word {
	ps := l.parts
	for len(ps) > 1 {
		i, j := b.known(ps)
		p := b.pair(ps[i], ps[j])
		ps[i] = p
		ps = append(ps[:j], ps[j+1:]...)
	}
	k := constant(l.k, l.width)
	if len(ps) == 0 {
		return k
	}
	w := b.sums.words[ps[0].id]
	if ps[0].neg {
		return b.sum(flipped(w, 1), k, yes)
	}
	return b.sum(w, k, no)
}

// known finds two parts that were added before, or else the first two.
func (b *blaster) known(ps []part) (i, j int) {
	for i := range ps {
		for j := i + 1; j < len(ps); j++ {
			if _, ok := b.sums.index[keyOf(ps[i], ps[j])]; ok {
				return i, j
			}
		}
	}
	return 0, 1
}

func keyOf(p, q part) partKey {
	if p.neg == q.neg {
		return partKey{partSum, min(p.id, q.id), max(p.id, q.id)}
	}
	if p.neg {
		p, q = q, p
	}
	return partKey{partDiff, p.id, q.id}
}

// pair adds two parts.
func (b *blaster) pair(p, q part) part {
	k := keyOf(p, q)
	id, ok := b.sums.index[k]
	if !ok {
		x, y := b.sums.words[k.a], b.sums.words[k.b]
		if k.kind == partSum {
			id = b.partial(k, b.sum(x, y, no))
		} else {
			id = b.partial(k, b.sum(x, flipped(y, 1), yes))
		}
	}
	return part{id, k.kind == partSum && p.neg}
}
