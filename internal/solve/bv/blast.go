// SPDX-License-Identifier: Apache-2.0

package bv

// This file turns terms into words of a graph, each term once. Terms get numbers
// of this solver's own, because a pool has many more terms than a solver sees
// and the tables here are arrays.

import (
	"github.com/interlock-go/interlock/internal/term"
)

// A blaster is a graph with the words of terms.
type blaster struct {
	*graph
	number []int32 // by term ID: the number of the term, 0 for none
	terms  []*term.Term
	at     []int32 // by number: first bit in bits, -1 if not blasted
	bits   []edge
	inputs []input // by the index of input nodes
	sums   sums

	// domain receives the enum variables whose codes are not all values.
	domain func(t *term.Term, w word)
}

type input struct {
	v   *term.Term
	bit int
}

func newBlaster() *blaster {
	return &blaster{graph: newGraph(), terms: make([]*term.Term, 1), at: []int32{-1}, sums: newSums()}
}

// num is the number of t.
func (b *blaster) num(t *term.Term) int32 {
	id := int(t.ID())
	if id >= len(b.number) {
		b.number = append(b.number, make([]int32, id+1+id/2-len(b.number))...)
	}
	n := b.number[id]
	if n == 0 {
		n = int32(len(b.terms))
		b.number[id] = n
		b.terms = append(b.terms, t)
		b.at = append(b.at, -1)
	}
	return n
}

// word is the word of t. It is valid until the next call.
func (b *blaster) word(t *term.Term) word {
	n := b.num(t)
	if b.at[n] < 0 {
		b.blast(t)
	}
	at := int(b.at[n])
	return b.bits[at : at+t.Sort().Bits()]
}

// bool is the edge of a boolean term.
func (b *blaster) bool(t *term.Term) edge { return b.word(t)[0] }

// blast makes the words of t and of what it is made of, with a stack of its own:
// terms of long paths are deep.
func (b *blaster) blast(t *term.Term) {
	stack := []*term.Term{t}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		n := b.num(t)
		if b.at[n] >= 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		ready := true
		args := t.Args()
		for i := len(args) - 1; i >= 0; i-- {
			if b.at[b.num(args[i])] < 0 {
				stack = append(stack, args[i])
				ready = false
			}
		}
		if !ready {
			continue
		}
		stack = stack[:len(stack)-1]
		w := b.node(t, n)
		b.at[n] = int32(len(b.bits))
		b.bits = append(b.bits, w...)
	}
}

// node builds the circuit of t from the words of its arguments.
func (b *blaster) node(t *term.Term, n int32) word {
	g := b.graph
	args := t.Args()
	arg := func(i int) word { return b.word(args[i]) }
	switch t.Op() {
	case term.OpConst:
		return constant(t.Value(), t.Sort().Bits())
	case term.OpVar:
		w := make(word, t.Sort().Bits())
		for i := range w {
			w[i] = g.input(len(b.inputs))
			b.inputs = append(b.inputs, input{t, i})
		}
		if t.Sort().Kind == term.EnumKind && b.domain != nil {
			b.domain(t, w)
		}
		return w
	case term.OpNot, term.OpBVNot:
		return flipped(arg(0), 1)
	case term.OpAnd:
		es := make([]edge, len(args))
		for i := range args {
			es[i] = arg(i)[0]
		}
		return word{g.ands(es)}
	case term.OpOr:
		es := make([]edge, len(args))
		for i := range args {
			es[i] = arg(i)[0] ^ 1
		}
		return word{g.ands(es) ^ 1}
	case term.OpIte:
		return g.choose(arg(0)[0], arg(1), arg(2))
	case term.OpEq:
		return word{g.equal(arg(0), arg(1))}
	case term.OpBVAnd, term.OpBVOr, term.OpBVXor:
		f := g.and
		switch t.Op() {
		case term.OpBVOr:
			f = g.or
		case term.OpBVXor:
			f = g.xor
		}
		acc := append(word(nil), arg(0)...)
		for i := range args[1:] {
			for j, e := range arg(i + 1) {
				acc[j] = f(acc[j], e)
			}
		}
		return acc
	case term.OpNeg, term.OpAdd:
		return b.sumOf(t)
	case term.OpMul:
		if v, ok := args[0].Const(); ok {
			acc := arg(1)
			for i := 2; i < len(args); i++ {
				acc = g.product(acc, arg(i))
			}
			if len(args) == 2 {
				return b.sumOf(t)
			}
			l := linear{width: t.Sort().Width}
			digits(v, l.width, func(shift int, neg bool) {
				k := partKey{partProduct, n, int32(shift)}
				l.parts = append(l.parts, part{b.partial(k, shiftLeft(acc, shift)), neg})
			})
			return b.addUp(&l)
		}
		acc := arg(0)
		for i := range args[1:] {
			acc = g.product(acc, arg(i+1))
		}
		return acc
	case term.OpUDiv:
		q, _ := g.divide(arg(0), arg(1))
		return q
	case term.OpURem:
		_, r := g.divide(arg(0), arg(1)) // shares all gates with the quotient
		return r
	case term.OpSDiv:
		q, _ := g.signedDivide(arg(0), arg(1))
		return q
	case term.OpSRem:
		_, r := g.signedDivide(arg(0), arg(1))
		return r
	case term.OpShl:
		return g.shift(arg(0), arg(1), no, true)
	case term.OpLShr:
		return g.shift(arg(0), arg(1), no, false)
	case term.OpAShr:
		x := arg(0)
		return g.shift(x, arg(1), x[len(x)-1], false)
	case term.OpULt:
		return word{g.less(arg(0), arg(1), no)}
	case term.OpULe:
		return word{g.less(arg(0), arg(1), yes)}
	case term.OpSLt:
		return word{g.signedLess(arg(0), arg(1), no)}
	case term.OpSLe:
		return word{g.signedLess(arg(0), arg(1), yes)}
	case term.OpConcat:
		return append(append(word(nil), arg(1)...), arg(0)...)
	case term.OpExtract:
		hi, lo := t.Extract()
		return append(word(nil), arg(0)[lo:hi+1]...)
	case term.OpZeroExt:
		return append(append(word(nil), arg(0)...), make(word, t.ExtBits())...)
	case term.OpSignExt:
		w := append(word(nil), arg(0)...)
		s := w[len(w)-1]
		for range t.ExtBits() {
			w = append(w, s)
		}
		return w
	}
	panic("bv: operator " + t.Op().String() + " has no circuit")
}
