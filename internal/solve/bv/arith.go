// SPDX-License-Identifier: Apache-2.0

package bv

// This file builds words: adders, comparators, shifters, multipliers, dividers. A
// word is a list of edges, least bit first. The circuits are the plain ones
// (ripple carry, shift and add, restoring division). Carry-save and Booth
// circuits have shorter paths, which matters for hardware and not for search,
// and more gates, which matters.

import "github.com/interlock-go/interlock/internal/term"

// A word is a bit-vector in a graph.
type word []edge

func bitOf(v term.Value, i int) bool {
	if i >= 64 {
		return v.Hi>>(i-64)&1 != 0
	}
	return v.Lo>>i&1 != 0
}

func bitEdge(b bool) edge {
	if b {
		return yes
	}
	return no
}

func constant(v term.Value, width int) word {
	w := make(word, width)
	for i := range w {
		w[i] = bitEdge(bitOf(v, i))
	}
	return w
}

func flipped(x word, c edge) word {
	out := make(word, len(x))
	for i, e := range x {
		out[i] = e ^ c
	}
	return out
}

// sum adds words of one width and a carry.
func (g *graph) sum(x, y word, carry edge) word {
	out := make(word, len(x))
	for i := range x {
		out[i] = g.xor(g.xor(x[i], y[i]), carry)
		if i+1 < len(x) {
			carry = g.maj(x[i], y[i], carry)
		}
	}
	return out
}

// shiftLeft is x*2^n, in as many bits as x.
func shiftLeft(x word, n int) word {
	out := make(word, len(x))
	if n < len(x) {
		copy(out[n:], x)
	}
	return out
}

func (g *graph) negate(x word) word { return g.sum(flipped(x, 1), make(word, len(x)), yes) }

// choose is s ? x : y.
func (g *graph) choose(s edge, x, y word) word {
	out := make(word, len(x))
	for i := range x {
		out[i] = g.mux(s, x[i], y[i])
	}
	return out
}

// product multiplies, modulo 2^width. The rows are as many as the operand with
// fewer bits that can be one has.
func (g *graph) product(x, y word) word {
	bits := func(w word) int {
		n := 0
		for _, e := range w {
			if e != no {
				n++
			}
		}
		return n
	}
	if bits(x) < bits(y) {
		x, y = y, x
	}
	acc := make(word, len(x))
	for i, s := range y {
		if s == no {
			continue
		}
		// Bits below i stay.
		row := make(word, len(x)-i)
		for j := range row {
			row[j] = g.and(x[j], s)
		}
		copy(acc[i:], g.sum(acc[i:], row, no))
	}
	return acc
}

// divide is unsigned restoring division. A zero divisor always fits, so the
// quotient is all ones and the remainder is the dividend, as SMT-LIB has it.
func (g *graph) divide(x, y word) (q, r word) {
	w := len(x)
	q, r = make(word, w), make(word, w)
	// top[i]: a bit of y at i or above is one.
	top := make(word, w+1)
	for i := w - 1; i >= 0; i-- {
		top[i] = g.or(top[i+1], y[i])
	}
	for i := w - 1; i >= 0; i-- {
		n := w - i // bits that the partial remainder can have
		next := append(word{x[i]}, r[:n-1]...)
		// next >= y iff the high bits of y are zero and the low ones fit; the
		// carry of next + ~y + 1 says that they do.
		diff := make(word, n)
		carry := yes
		for j := range n {
			diff[j] = g.xor(g.xor(next[j], y[j]^1), carry)
			carry = g.maj(next[j], y[j]^1, carry)
		}
		q[i] = g.and(carry, top[n]^1)
		copy(r, g.choose(q[i], diff, next))
	}
	return q, r
}

// signedDivide truncates toward zero; the remainder has the sign of x.
func (g *graph) signedDivide(x, y word) (q, r word) {
	w := len(x)
	sx, sy := x[w-1], y[w-1]
	q, r = g.divide(g.choose(sx, g.negate(x), x), g.choose(sy, g.negate(y), y))
	q = g.choose(g.xor(sx, sy), g.negate(q), q)
	r = g.choose(sx, g.negate(r), r)
	return q, r
}

// shift moves x by the value of n, to higher bits if left; fill comes in.
func (g *graph) shift(x, n word, fill edge, left bool) word {
	w := len(x)
	out := append(word(nil), x...)
	far := no // the distance is at least w
	for i, s := range n {
		if s == no {
			continue
		}
		if i >= 30 || 1<<i >= w {
			far = g.or(far, s)
			continue
		}
		d := 1 << i
		next := make(word, w)
		for j := range next {
			from := j + d
			if left {
				from = j - d
			}
			e := fill
			if from >= 0 && from < w {
				e = out[from]
			}
			next[j] = g.mux(s, e, out[j])
		}
		out = next
	}
	if far != no {
		for j := range out {
			out[j] = g.mux(far, fill, out[j])
		}
	}
	return out
}

// less is x < y, or x <= y if eq is yes, unsigned.
func (g *graph) less(x, y word, eq edge) edge {
	for i := range x {
		eq = g.maj(x[i]^1, y[i], eq)
	}
	return eq
}

// signedLess is less with the sign bits exchanged, which turns the signed order
// into the unsigned one.
func (g *graph) signedLess(x, y word, eq edge) edge {
	n := len(x) - 1
	return g.maj(x[n], y[n]^1, g.less(x[:n], y[:n], eq))
}

func (g *graph) equal(x, y word) edge {
	es := make([]edge, len(x))
	for i := range x {
		es[i] = g.xnor(x[i], y[i])
	}
	return g.ands(es)
}
