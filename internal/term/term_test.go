// SPDX-License-Identifier: Apache-2.0

package term

import "testing"

func TestPrintForms(t *testing.T) {
	p := NewPool()
	n, i, k := p.Var("n", BV(8)), p.Var("i", BV(8)), p.Var("k", BV(8))
	a, b := p.Var("a", BoolSort), p.Var("b", BoolSort)
	e := &Enum{Name: "mode", Values: []string{"closed", "reading", "writing"}}
	two := &Enum{Name: "two", Values: []string{"off", "on"}}
	m, s := p.Var("m", EnumOf(e)), p.Var("s", EnumOf(two))
	c := func(x int64) *Term { return p.Int(8, x) }
	c(0)
	young := p.Var("young", BV(8)) // younger than the constant
	for _, tt := range []struct {
		t    *Term
		want string
	}{
		{p.SLe(n, c(0)), "n <= 0"},
		{p.SLt(i, k), "i < k"},
		{p.SLt(k, i), "k < i"},
		{p.SLe(i, k), "i <= k"},
		{p.SGe(i, k), "i >= k"},
		{p.Not(p.SLt(i, k)), "i >= k"},
		{p.SGt(n, c(3)), "n > 3"},
		{p.SGe(n, c(3)), "n >= 3"},
		{p.ULt(n, c(-3)), "n <u 253"},
		{p.ULe(n, i), "n <=u i"},
		{p.Eq(a, b), "a == b"},
		{p.Not(p.Eq(a, b)), "a != b"},
		{p.Eq(n, i), "n == i"},
		{p.Eq(i, n), "n == i"},
		{p.Ne(n, c(5)), "n != 5"},
		{p.Eq(p.Add(n, c(1)), c(3)), "n == 2"},
		{p.Eq(p.Add(n, c(1)), p.Add(i, c(1))), "n == i"},
		{p.Eq(p.Add(n, i), c(5)), "n + i == 5"},
		{p.Eq(n, p.Add(i, c(5))), "n == i + 5"},
		{p.Sub(n, i), "n - i"},
		{p.Sub(p.Add(n, i), n), "i"},
		{p.Sub(p.Mul(c(2), n), n), "n"},
		{p.Sub(n, p.Mul(c(3), i)), "n - 3*i"},
		{p.Sub(c(5), n), "5 - n"},
		{p.Neg(n), "-n"},
		{p.BVNot(n), "^n"},
		{p.Sub(p.Neg(n), c(1)), "^n"},
		{p.Mul(n, p.Add(i, k)), "n*i + n*k"},
		{p.Mul(p.BVOr(i, k), n), "n*(i | k)"},
		{p.And(a, p.Or(b, p.SLt(n, c(3)))), "a && (b || n < 3)"},
		{p.Or(p.And(a, b), p.SLt(n, c(4))), "a && b || n < 4"},
		{p.Implies(a, b), "!a || b"},
		{p.Not(p.And(a, b)), "!(a && b)"},
		{p.Eq(m, p.EnumValue(e, "reading")), "m == reading"},
		{p.Ne(m, p.EnumValue(e, "reading")), "m != reading"},
		{p.Ne(s, p.EnumValue(two, "off")), "s == on"},
		{p.Eq(s, p.EnumValue(two, "off")), "s == off"},
		{p.Ite(a, n, i), "ite(a, n, i)"},
		{p.SignExt(8, n), "int16(n)"},
		{p.ZeroExt(8, n), "int16(uint8(n))"},
		{p.Extract(3, 0, n), "int4(n)"},
		{p.Extract(5, 2, n), "n[5:2]"},
		{p.Concat(n, i, k), "concat(n, i, k)"},
		{p.AShr(n, c(2)), "n >> 2"},
		{p.AShr(n, c(100)), "n >> 7"},
		{p.LShr(n, i), "n >>u i"},
		{p.SLe(young, c(0)), "young <= 0"},
		{p.SGe(young, c(0)), "young >= 0"},
		{p.SDiv(p.Add(n, i), k), "(n + i) / k"},
		{p.UDiv(n, c(-3)), "n /u 253"},
		{p.ULt(p.URem(c(-1), n), i), "255 %u n <u i"},
		{p.Eq(p.Ite(a, n, i), n), "a || n == i"},
		{p.Not(a), "!a"},
		{p.Not(p.Ite(a, b, p.SLt(i, k))), "!ite(a, b, i < k)"},
	} {
		if got := tt.t.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestModelString(t *testing.T) {
	p := NewPool()
	x, b := p.Var("x", BV(8)), p.Var("b", BoolSort)
	if got := (Model{b: one, x: ones(8)}).String(); got != "x=-1 b=true" {
		t.Errorf("got %s", got)
	}
}
