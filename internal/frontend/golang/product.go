// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers products, quotients and remainders of wide integers neither of
// which is a constant. Solvers that work bit by bit hardly ever decide anything about
// such terms and take long to find out, so they are any value of which only the size
// is known, and recorded as such. To keep them and to rely on the budget was not
// chosen: one of them takes all of it.

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// hardWidth is the width from which a product of two variables is too hard.
const hardWidth = 32

// tooHard reports whether an operation is left out.
func (c *compiler) tooHard(op token.Token, s, t *term.Term) bool {
	if s.Sort().Width < hardWidth || t.IsConst() {
		return false
	}
	switch op {
	case token.MUL:
		return !s.IsConst()
	case token.QUO, token.REM:
		return true
	}
	return false
}

// product is any value that the operation may have.
func (f *frame) product(i *ssa.BinOp, s, t *term.Term, unsigned bool) *term.Term {
	p := f.c.w.Pool
	zero := p.Int(s.Sort().Width, 0)
	if i.Op != token.MUL {
		f.check(p.Eq(t, zero), "divide", "integer divide by zero", i.Pos())
	}
	f.c.w.Approximate(f.pos(i.Pos()), "%s of variables", map[token.Token]string{token.MUL: "product", token.QUO: "quotient", token.REM: "remainder"}[i.Op])
	key := f.key(i) + "/product"
	l := f.c.leaves(i.Type())[0]
	x := f.any(key, l, lower.Unmodelled)
	f.m.Computed(f.m.Local(key, "any", l.typ), lower.From{s, t})
	f.m.Given(f.m.Local(key, "any", l.typ), variables([]*term.Term{s, t}))
	le, positive := p.SLe, p.And(p.SLe(zero, s), p.SLt(zero, t))
	if unsigned {
		le, positive = p.ULe, p.Not(p.Eq(t, zero))
	}
	small := p.And(le(zero, x), le(x, s))
	switch i.Op {
	case token.QUO:
		f.m.Assume(p.Or(p.Not(positive), small))
	case token.REM:
		f.m.Assume(p.Or(p.Not(positive), p.And(small, p.Not(le(t, x)))))
	}
	return x
}
