// SPDX-License-Identifier: Apache-2.0

package prog

// This file checks that every term has an expression: random terms over
// variables of both signs are written and read again in the same pool, which
// must give the same pointer.

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/term"
)

const formatSource = `component c
enum color { red, green, blue }
enum light { red, amber }
state a int3, b uint3, ` + "`odd name`" + ` int3, s.x uint3, w int5, ok, no bool, c, d color, l light
`

// A termGen builds random terms of a pool.
type termGen struct {
	r *rand.Rand
	p *Program
}

func (g *termGen) variable(s term.Sort) *term.Term {
	var fit []*term.Term
	for _, v := range g.p.State {
		if v.Type.Sort == s {
			fit = append(fit, v.Term)
		}
	}
	if len(fit) == 0 || g.r.IntN(4) == 0 {
		v := term.Value{Lo: g.r.Uint64N(1 << min(s.Bits(), 62))}
		if s.Kind == term.EnumKind {
			v.Lo %= uint64(len(s.Enum.Values))
		}
		return g.p.Pool.Const(s, v)
	}
	return fit[g.r.IntN(len(fit))]
}

func (g *termGen) boolean(depth int) *term.Term {
	p := g.p.Pool
	if depth == 0 {
		return g.variable(term.BoolSort)
	}
	b := func() *term.Term { return g.boolean(depth - 1) }
	w := []int{3, 3, 5}[g.r.IntN(3)]
	x, y := g.vector(depth-1, w), g.vector(depth-1, w)
	switch g.r.IntN(13) {
	case 0:
		return p.Not(b())
	case 1:
		return p.And(b(), b(), b())
	case 2:
		return p.Or(b(), b())
	case 3:
		return p.Ite(b(), b(), b())
	case 4:
		return p.Eq(b(), b())
	case 5, 6:
		return p.Eq(x, y)
	case 7:
		return p.SLt(x, y)
	case 8:
		return p.SLe(x, y)
	case 9:
		return p.ULt(x, y)
	case 10:
		return p.ULe(x, y)
	case 11:
		return p.Ne(x, y)
	}
	s := term.EnumOf(g.p.Enums[g.r.IntN(2)])
	return p.Eq(g.variable(s), p.Ite(b(), g.variable(s), g.variable(s)))
}

func (g *termGen) vector(depth, w int) *term.Term {
	p := g.p.Pool
	if depth == 0 {
		return g.variable(term.BV(w))
	}
	x, y := g.vector(depth-1, w), g.vector(depth-1, w)
	switch g.r.IntN(20) {
	case 0:
		return p.Add(x, y, g.vector(depth-1, w))
	case 1:
		return p.Sub(x, y)
	case 2:
		return p.Mul(x, y)
	case 3:
		return p.Neg(x)
	case 4:
		return p.BVNot(x)
	case 5:
		return p.BVAnd(x, y, g.vector(depth-1, w))
	case 6:
		return p.BVOr(x, y)
	case 7:
		return p.BVXor(x, y)
	case 8:
		return p.UDiv(x, y)
	case 9:
		return p.URem(x, y)
	case 10:
		return p.SDiv(x, y)
	case 11:
		return p.SRem(x, y)
	case 12:
		return p.Shl(x, y)
	case 13:
		return p.LShr(x, y)
	case 14:
		return p.AShr(x, y)
	case 15:
		return p.Ite(g.boolean(depth-1), x, y)
	case 16:
		if w > 1 {
			k := 1 + g.r.IntN(w-1)
			return p.Concat(g.vector(depth-1, w-k), g.vector(depth-1, k))
		}
		return x
	case 17:
		lo := g.r.IntN(3)
		return p.Extract(lo+w-1, lo, g.vector(depth-1, w+lo+g.r.IntN(2)))
	case 18:
		if w > 1 {
			return p.ZeroExt(w-1, g.vector(depth-1, 1))
		}
		return x
	}
	if w > 3 {
		return p.SignExt(w-3, g.vector(depth-1, 3))
	}
	return x
}

func TestEveryTermHasAnExpression(t *testing.T) {
	n := 3000
	if os.Getenv("CI") == "true" {
		n = 30000
	}
	for seed := range n {
		p := mustParse(t, formatSource)
		g := &termGen{rand.New(rand.NewPCG(uint64(seed), 4)), p}
		tm := g.boolean(1 + seed%4)
		if seed%3 == 0 {
			tm = g.vector(1+seed%4, 3)
		}
		text := FormatExpr(p, p.State, tm)
		back, err := ParseExpr(p, p.State, text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, text, tm)
		}
		if back != tm {
			t.Fatalf("seed %d: %v\nwas written %s\nand read    %v", seed, tm, text, back)
		}
	}
}

// TestFormatExpr pins the look of expressions: conditions come back as they
// were written, or nearly so.
func TestFormatExpr(t *testing.T) {
	p := mustParse(t, formatSource)
	for _, c := range []struct{ in, want string }{
		{"a <= 0", ""},
		{"a < 2", ""},
		{"a > 1", ""},
		{"a >= -2", ""},
		{"b >= 2", ""},
		{"a == w", "operator ==: mismatched types int3 and int5"},
		{"w == int5(a)", "int5(a) == w"},
		{"int5(a) == w", ""},
		{"!ok && (no || a == 1)", "(a == 1 || no) && !ok"},
		{"no && ok", "ok && no"},
		{"b != 0 && quo(b, s.x) > 1", ""},
		{"a - `odd name`", ""},
		{"a - 1", ""},
		{"b - 1", ""},
		{"a + -4", "a + -4"},
		{"2 * a - 3 * `odd name`", ""},
		{"-a", ""},
		{"-a - `odd name`", ""},
		{"^a & 3", ""},
		{"a / 3", ""},
		{"a % -3", ""},
		{"b << s.x", ""},
		{"a >> b", ""},
		{"int3(b)", "b"},
		{"uint3(a) < b", ""},
		{"a + int3(b) > 0", ""},
		{"c == blue", ""},
		{"c != color.red", ""},
		{"red == c", "red is a value of enums color and light; write color.red"},
		{"l == light.red", ""},
		{"amber == l", "l == amber"},
		{"light.red == l", "l == light.red"},
		{"blue == c", "c == blue"},
		{"ite(ok, a, 1)", ""},
		{"ite(ok, 1, 2)", "ite of constants has no type here; write conversions such as int8(1)"},
		{"ite(ok, int3(1), int3(2))", ""},
		{"ok == no", ""},
		{"ok != no", ""},
		{"bits(w, 3, 1)", "uint3(w >> 1)"},
		{"uint3(w)", ""},
		{"concat(a, b)", ""},
		{"3", "constant 3 has no type here; write a conversion such as int8(3)"},
		{"int3(3)", ""},
		{"a / `odd name`", "division by zero is possible; an expression has no error sites (use quo, rem or an unsigned count)"},
		{"a << a", "negative shift amount is possible; an expression has no error sites (use quo, rem or an unsigned count)"},
		{"a +", "expected an expression, found end of file"},
		{"a b", `expected the end of the expression, found "b"`},
		{"any", "any, choose and guess stand alone on the right of one variable: x = any"},
	} {
		if c.want == "" {
			c.want = c.in
		}
		tm, err := ParseExpr(p, p.State, c.in)
		got := ""
		if err != nil {
			got = err.(ErrorList)[0].Msg
		} else {
			got = FormatExpr(p, p.State, tm)
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.in, got, c.want)
		}
	}
	if tm, err := ParseExprAs(p, p.State, "3", intType(3, true)); err != nil || tm != p.Pool.Int(3, 3) {
		t.Errorf("3 as int3: %v, %v", tm, err)
	}
	if _, err := ParseExprAs(p, p.State, "b", intType(3, true)); err == nil || !strings.Contains(err.Error(), "expected int3, found uint3") {
		t.Errorf("b as int3: %v", err)
	}
}

// TestOrderOfBuilding: the text of a term does not depend on what was built
// before it.
func TestOrderOfBuilding(t *testing.T) {
	want := ""
	for order := range 6 {
		p := mustParse(t, formatSource)
		parts := []string{"a > 1", "b < 2", "ok"}
		for i := range parts {
			if _, err := ParseExpr(p, p.State, parts[(order+i*(1+order%2))%3]); err != nil {
				t.Fatal(err)
			}
		}
		tm, err := ParseExpr(p, p.State, "a > 1 && (b < 2 || ok) && a + int3(s.x) == `odd name`")
		if err != nil {
			t.Fatal(err)
		}
		got := FormatExpr(p, p.State, tm)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("order %d: %s, then %s", order, want, got)
		}
	}
}

// TestSharedTerms: a term whose tree is huge has a short text, by let.
func TestSharedTerms(t *testing.T) {
	for seed := range uint64(200) {
		p := mustParse(t, formatSource)
		pool := p.Pool
		r := rand.New(rand.NewPCG(seed, 5))
		g := &termGen{r, p}
		x, y := g.vector(2, 3), g.boolean(2)
		for range 40 {
			switch r.IntN(6) {
			case 0:
				x = pool.UDiv(x, pool.BVXor(x, g.vector(1, 3)))
			case 1:
				x = pool.Ite(y, pool.BVNot(x), pool.SRem(g.variable(term.BV(3)), x))
			case 2:
				x = pool.AShr(pool.Sub(g.variable(term.BV(3)), x), x)
			case 3:
				y = pool.And(pool.Or(y, pool.SLt(x, g.variable(term.BV(3)))), pool.Not(pool.Eq(y, g.boolean(1))))
			case 4:
				y = pool.Or(pool.And(y, pool.Ne(x, g.variable(term.BV(3)))), pool.ULt(g.vector(1, 3), x))
			case 5:
				x = pool.Sub(pool.Mul(x, g.variable(term.BV(3))), pool.LShr(x, x))
			}
		}
		for _, tm := range []*term.Term{x, y} {
			text := FormatExpr(p, p.State, tm)
			if n := term.Size(tm); len(text) > 1000+100*n {
				t.Fatalf("seed %d: %d bytes for %d nodes", seed, len(text), n)
			}
			back, err := ParseExpr(p, p.State, text)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if back != tm {
				t.Fatalf("seed %d: read again as %v\n%s", seed, back, text)
			}
		}
	}
}

func TestDeepTerms(t *testing.T) {
	p := mustParse(t, formatSource)
	x := p.State[1].Term
	for i := range 20000 {
		x = p.Pool.BVXor(p.Pool.UDiv(x, p.State[1].Term), p.Pool.Int(3, int64(i%4+1)))
	}
	back, err := ParseExpr(p, p.State, FormatExpr(p, p.State, x))
	if err != nil || back != x {
		t.Errorf("a term of %d nodes: %v", term.Size(x), err)
	}
}

// TestWideTerms: a large term in which nothing occurs twice needs no let.
func TestWideTerms(t *testing.T) {
	p := mustParse(t, "component W\nstate n int32 = 0\nmethod m() { }")
	n := p.State[0].Term
	var all []*term.Term
	for i := range int64(300) {
		all = append(all, p.Pool.Ne(n, p.Pool.Int(32, i)))
	}
	x := p.Pool.And(all...)
	text := FormatExpr(p, p.State, x)
	if back, err := ParseExpr(p, p.State, text); err != nil || back != x {
		t.Errorf("%v\n%s", err, text)
	}
}
