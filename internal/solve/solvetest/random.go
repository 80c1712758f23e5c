// SPDX-License-Identifier: Apache-2.0

// Package solvetest makes questions for solvers: random terms for tests, and
// workloads shaped like those of the engines for measurements. Everything comes
// from seeds; the same seed gives the same terms in the same order.
package solvetest

// This file makes random terms of all operators.

import (
	"fmt"
	"math/rand/v2"

	"github.com/interlock-go/interlock/internal/term"
)

// A Gen makes random terms. Variables are named by sort and number, and there are
// few of each sort, so that terms have something in common.
type Gen struct {
	Pool *term.Pool
	Rand *rand.Rand
	// Widths are the widths of bit-vector variables; other widths only occur
	// inside of terms.
	Widths []int
	Vars   int // of each sort
	Enums  []*term.Enum
	// MaxWidth bounds the widths of extensions and concatenations.
	MaxWidth int
	// Light leaves out products of variables and division.
	Light bool
}

// NewGen returns a generator of terms over two variables of each of the widths.
func NewGen(pool *term.Pool, seed uint64, widths ...int) *Gen {
	g := &Gen{Pool: pool, Rand: rand.New(rand.NewPCG(seed, 0x5eed)), Widths: widths, Vars: 2, MaxWidth: 64}
	for _, w := range widths {
		g.MaxWidth = max(g.MaxWidth, w)
	}
	return g
}

func (g *Gen) pick(n int) int { return g.Rand.IntN(n) }

func (g *Gen) width() int { return g.Widths[g.pick(len(g.Widths))] }

// Bool is a random formula of at most the given depth.
func (g *Gen) Bool(depth int) *term.Term {
	p := g.Pool
	if depth <= 0 {
		if g.pick(8) == 0 {
			return p.Bool(g.pick(2) == 0)
		}
		return p.Var(fmt.Sprintf("b%d", g.pick(g.Vars)), term.BoolSort)
	}
	d := depth - 1
	kinds := 14
	if len(g.Enums) > 0 {
		kinds++
	}
	switch g.pick(kinds) {
	case 0:
		return p.Not(g.Bool(d))
	case 1:
		return p.And(g.Bool(d), g.Bool(d), g.Bool(d))
	case 2:
		return p.Or(g.Bool(d), g.Bool(d), g.Bool(d))
	case 3:
		return p.Ite(g.Bool(d), g.Bool(d), g.Bool(d))
	case 4:
		return p.Eq(g.Bool(d), g.Bool(d))
	case 5:
		return p.Xor(g.Bool(d), g.Bool(d))
	case 6, 7:
		w := g.width()
		return p.Eq(g.BV(w, d), g.BV(w, d))
	case 8, 9:
		w := g.width()
		return p.ULt(g.BV(w, d), g.BV(w, d))
	case 10:
		w := g.width()
		return p.SLe(g.BV(w, d), g.BV(w, d))
	case 11, 12:
		w := g.width()
		return p.SLt(g.BV(w, d), g.BV(w, d))
	case 13:
		w := g.width()
		return p.ULe(g.BV(w, d), g.BV(w, d))
	}
	e := g.Enums[g.pick(len(g.Enums))]
	return p.Eq(g.Enum(e, d), g.Enum(e, d))
}

// Enum is a random term of an enum sort.
func (g *Gen) Enum(e *term.Enum, depth int) *term.Term {
	p := g.Pool
	s := term.EnumOf(e)
	if depth > 0 && g.pick(3) == 0 {
		return p.Ite(g.Bool(depth-1), g.Enum(e, depth-1), g.Enum(e, depth-1))
	}
	if g.pick(2) == 0 {
		return p.Const(s, term.Value{Lo: uint64(g.pick(len(e.Values)))})
	}
	return p.Var(fmt.Sprintf("%s%d", e.Name, g.pick(g.Vars)), s)
}

// Value is a random value of w bits, often a special one.
func (g *Gen) Value(w int) term.Value {
	x := int64(g.Rand.Uint64())
	switch g.pick(4) {
	case 0:
		x = int64(g.pick(5)) - 2
	case 1:
		x = 1 << min(g.pick(w), 63)
	}
	v := term.ValueOf(w, x)
	if w > 64 && g.pick(2) == 0 {
		v.Hi = g.Rand.Uint64() >> (128 - w)
	}
	return v
}

// BV is a random term of w bits.
func (g *Gen) BV(w, depth int) *term.Term {
	p := g.Pool
	leaf := func() *term.Term {
		for _, x := range g.Widths {
			if x == w && g.pick(4) != 0 {
				return p.Var(fmt.Sprintf("v%d_%d", w, g.pick(g.Vars)), term.BV(w))
			}
		}
		return p.Const(term.BV(w), g.Value(w))
	}
	if depth <= 0 {
		for _, x := range g.Widths { // reach a variable also from inner widths
			if x > w && g.pick(4) == 0 {
				return p.Extract(w-1, 0, p.Var(fmt.Sprintf("v%d_%d", x, g.pick(g.Vars)), term.BV(x)))
			}
		}
		return leaf()
	}
	d := depth - 1
	k := g.pick(25)
	if g.Light && (k >= 7 && k <= 11) {
		k = 5
	}
	switch k {
	case 0:
		return p.BVNot(g.BV(w, d))
	case 1:
		return p.BVAnd(g.BV(w, d), g.BV(w, d))
	case 2:
		return p.BVOr(g.BV(w, d), g.BV(w, d))
	case 3:
		return p.BVXor(g.BV(w, d), g.BV(w, d))
	case 4:
		return p.Neg(g.BV(w, d))
	case 5:
		return p.Add(g.BV(w, d), g.BV(w, d), g.BV(w, d))
	case 6:
		return p.Sub(g.BV(w, d), g.BV(w, d))
	case 7:
		return p.Mul(g.BV(w, d), g.BV(w, d))
	case 8:
		return p.UDiv(g.BV(w, d), g.BV(w, d))
	case 9:
		return p.URem(g.BV(w, d), g.BV(w, d))
	case 10:
		return p.SDiv(g.BV(w, d), g.BV(w, d))
	case 11:
		if g.pick(2) == 0 {
			return p.SMod(g.BV(w, d), g.BV(w, d))
		}
		return p.SRem(g.BV(w, d), g.BV(w, d))
	case 12:
		return p.Shl(g.BV(w, d), g.BV(w, d))
	case 13:
		return p.LShr(g.BV(w, d), g.BV(w, d))
	case 14:
		return p.AShr(g.BV(w, d), g.BV(w, d))
	case 15, 16:
		return p.Ite(g.Bool(d), g.BV(w, d), g.BV(w, d))
	case 17:
		if w < 2 {
			return leaf()
		}
		n := 1 + g.pick(w-1)
		return p.Concat(g.BV(n, d), g.BV(w-n, d))
	case 18:
		if w >= g.MaxWidth {
			return leaf()
		}
		x := w + 1 + g.pick(min(g.MaxWidth-w, 16))
		lo := g.pick(x - w + 1)
		return p.Extract(lo+w-1, lo, g.BV(x, d))
	case 19:
		if w < 2 {
			return leaf()
		}
		n := 1 + g.pick(w-1)
		return p.ZeroExt(n, g.BV(w-n, d))
	case 20:
		if w < 2 {
			return leaf()
		}
		n := 1 + g.pick(w-1)
		return p.SignExt(n, g.BV(w-n, d))
	case 21:
		return p.RotateLeft(g.pick(w+1), g.BV(w, d))
	case 22:
		return p.Mul(p.Const(term.BV(w), g.Value(w)), g.BV(w, d))
	case 23:
		if w == 1 {
			x := g.width()
			return p.Comp(g.BV(x, d), g.BV(x, d))
		}
		return p.Nor(g.BV(w, d), g.BV(w, d))
	}
	return leaf()
}

// Model is a random assignment of the variables of ts.
func (g *Gen) Model(ts []*term.Term) term.Model {
	m := make(term.Model)
	for _, v := range term.FreeVars(ts...) {
		switch s := v.Sort(); s.Kind {
		case term.BoolKind:
			m[v] = term.BoolValue(g.pick(2) == 0)
		case term.EnumKind:
			m[v] = term.Value{Lo: uint64(g.pick(len(s.Enum.Values)))}
		default:
			m[v] = g.Value(s.Width)
		}
	}
	return m
}

// Assignments calls f with every assignment of vars, in a map that it reuses, until
// f returns false.
func Assignments(vars []*term.Term, f func(m term.Model) bool) {
	m := make(term.Model)
	var rec func(i int) bool
	rec = func(i int) bool {
		if i == len(vars) {
			return f(m)
		}
		for x := range uint64(1) << vars[i].Sort().Bits() {
			if v := (term.Value{Lo: x}); vars[i].Sort().Valid(v) {
				m[vars[i]] = v
				if !rec(i + 1) {
					return false
				}
			}
		}
		return true
	}
	rec(0)
}

// AnyModel is a model of all of ts found by trying all assignments, or nil.
func AnyModel(ts []*term.Term) term.Model {
	var found term.Model
	Assignments(term.FreeVars(ts...), func(m term.Model) bool {
		for _, t := range ts {
			if !term.Holds(t, m) {
				return true
			}
		}
		found = m
		return false
	})
	return found
}
