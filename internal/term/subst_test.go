// SPDX-License-Identifier: Apache-2.0

package term

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSubstitute: evaluating after a substitution is evaluating under the
// values of the replacements.
func TestSubstitute(t *testing.T) {
	g := newSource(9, 1, 2, 3, 8)
	for i := range rounds(8000, 40000) {
		p := NewPool()
		x := g.expr(g.sort(), 4).term(p)
		m := map[*Term]*Term{}
		vars := FreeVars(x)
		all := slices.Clone(vars)
		for _, v := range vars {
			if g.pick(3) > 0 {
				m[v] = g.expr(v.sort, 2).term(p)
				all = append(all, FreeVars(m[v])...)
			}
		}
		y := p.Substitute(x, m)
		checkForm(t, p, y)
		for range 8 {
			outer, _ := g.randomModel(all)
			inner := Model{}
			for _, v := range vars {
				inner[v] = outer[v]
				if r := m[v]; r != nil {
					inner[v] = Eval(r, outer)
				}
			}
			if Eval(y, outer) != Eval(x, inner) {
				t.Fatalf("%d: %s becomes %s by %v", i, x, y, m)
			}
		}
	}
}

// TestSubstituteSubterm replaces a term that is not a variable.
func TestSubstituteSubterm(t *testing.T) {
	p := NewPool()
	x, y, b := p.Var("x", BV(8)), p.Var("y", BV(8)), p.Var("b", BoolSort)
	lt := p.SLt(x, y)
	f := p.And(p.Or(lt, b), p.Eq(x, p.Int(8, 3)))
	got := p.Substitute(f, map[*Term]*Term{lt: b, x: y})
	if want := p.And(b, p.Eq(y, p.Int(8, 3))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// Simultaneous, and the replacement is not searched again.
	if got := p.Substitute(p.Sub(x, y), map[*Term]*Term{x: y, y: x}); got != p.Sub(y, x) {
		t.Errorf("got %s", got)
	}
	if got := p.Substitute(x, map[*Term]*Term{x: p.Add(x, x)}); got != p.Add(x, x) {
		t.Errorf("got %s", got)
	}
}

func TestFreeVarsOrder(t *testing.T) {
	p := NewPool()
	a, b, c := p.Var("a", BoolSort), p.Var("b", BoolSort), p.Var("c", BoolSort)
	if got := FreeVars(p.Ite(c, b, a), a, p.True()); !slices.Equal(got, []*Term{c, b, a}) {
		t.Errorf("got %v", got)
	}
	if n := Size(p.Ite(c, b, p.And(a, b))); n != 5 {
		t.Errorf("size %d", n)
	}
}

// TestDeterministic builds the same terms twice and compares everything that
// is printed.
func TestDeterministic(t *testing.T) {
	text := func() string {
		g := newSource(10, 3, 8)
		p := NewPool()
		var b bytes.Buffer
		for range 300 {
			x := g.expr(g.sort(), 5).term(p)
			b.WriteString(x.String() + "\n")
			if err := WriteSMT(&b, x); err != nil {
				t.Fatal(err)
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	if text() != text() {
		t.Error("two runs print different text")
	}
}

// TestImport copies to another pool and back.
func TestImport(t *testing.T) {
	g := newSource(11, 2, 8)
	for range 2000 {
		p, q := NewPool(), NewPool()
		x := g.expr(g.sort(), 4).term(p)
		q.Var("first", BoolSort) // other IDs
		if back := p.Import(q.Import(x)); back.sort != x.sort {
			t.Fatalf("%s comes back as %s", x, back)
		}
		y := q.Import(x)
		for range 4 {
			m, _ := g.randomModel(FreeVars(x))
			n := Model{}
			for v, val := range m {
				n[q.Var(v.name, v.sort)] = val
			}
			if Eval(x, m) != Eval(y, n) {
				t.Fatalf("%s is imported as %s", x, y)
			}
		}
	}
}

// TestRing checks that identities of commutative rings are decided by
// rewriting: random polynomials written in two ways are the same pointer.
func TestRing(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 0))
	for i := range rounds(3000, 20000) {
		p := NewPool()
		w := []int{1, 2, 3, 8, 64, 128}[r.IntN(6)]
		vars := []*Term{p.Var("x", BV(w)), p.Var("y", BV(w)), p.Var("z", BV(w))}
		// Monomials of degree at most two.
		var monos []*Term
		for range 1 + r.IntN(6) {
			m := []*Term{p.Int(w, r.Int64N(9)-4)}
			for range r.IntN(3) {
				m = append(m, vars[r.IntN(3)])
			}
			r.Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
			monos = append(monos, p.Mul(m...))
		}
		one := func() *Term { // add in a random order and grouping
			ts := slices.Clone(monos)
			for len(ts) > 1 {
				i := r.IntN(len(ts) - 1)
				r.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })
				if r.IntN(2) == 0 {
					ts[i] = p.Sub(ts[i], p.Neg(ts[i+1]))
				} else {
					ts[i] = p.Add(ts[i+1], ts[i])
				}
				ts = slices.Delete(ts, i+1, i+2)
			}
			return ts[0]
		}
		a, b := one(), one()
		if a != b {
			t.Fatalf("%d: %s and %s", i, a, b)
		}
		// Distribution over the sum.
		x := vars[r.IntN(3)]
		var each []*Term
		for _, m := range monos {
			each = append(each, p.Mul(m, x))
		}
		if l, rr := p.Mul(x, a), p.Add(each...); l != rr {
			t.Fatalf("%d: %s and %s", i, l, rr)
		}
		// Equations do not depend on the side.
		k := p.Add(vars[0], p.Int(w, 3))
		if e, f := p.Eq(a, k), p.Eq(p.Sub(k, a), p.Int(w, 0)); e != f {
			t.Fatalf("%d: %s and %s", i, e, f)
		}
	}
}

// TestIllSorted checks that mistakes of the caller are told.
func TestIllSorted(t *testing.T) {
	p := NewPool()
	b, x, y := p.Var("b", BoolSort), p.Var("x", BV(8)), p.Var("y", BV(16))
	e := p.Var("e", testEnum(3))
	for name, f := range map[string]func(){
		"Not: want bool, have bv8: x":           func() { p.Not(x) },
		"And: want bool, have bv8: x":           func() { p.And(b, x) },
		"Add: sorts bv8 and bv16 differ: x, y":  func() { p.Add(x, y) },
		"ULt: want a bit-vector, have e3: e":    func() { p.ULt(e, e) },
		"Eq: sorts bv8 and e3 differ: x, e":     func() { p.Eq(x, e) },
		"Ite: sorts bv8 and bv16 differ: x, y":  func() { p.Ite(b, x, y) },
		"Extract: bits 8 to 0 of bv8: x":        func() { p.Extract(8, 0, x) },
		"ZeroExt: 121 more bits on bv8: x":      func() { p.ZeroExt(121, x) },
		"Concat: 136 bits are more than 128":    func() { p.Concat(p.ZeroExt(112, y), x) },
		"Const: 0x0:0x3 is not a value of sort": func() { p.Const(e.sort, Value{Lo: 3}) },
		"BV: width 0 is not in 1..128":          func() { BV(0) },
		"Substitute: sorts bv8 and bv16 differ": func() { p.Substitute(x, map[*Term]*Term{x: y}) },
	} {
		func() {
			defer func() {
				if msg, _ := recover().(string); !strings.HasPrefix(msg, "term."+name) {
					t.Errorf("message %q, want term.%s", msg, name)
				}
			}()
			f()
		}()
	}
}

// TestEnums checks the rules that know that an enum has no other values.
func TestEnums(t *testing.T) {
	p := NewPool()
	for n := 1; n <= 4; n++ {
		x := p.Var("x", testEnum(n))
		var is []*Term
		for i := range n {
			is = append(is, p.Eq(x, p.Const(x.sort, Value{Lo: uint64(i)})))
		}
		if !p.Or(is...).IsTrue() {
			t.Errorf("%d values: %s", n, p.Or(is...))
		}
		for i := range n {
			var others []*Term
			for j := range n {
				if i != j {
					others = append(others, p.Not(is[j]))
				}
			}
			if got := p.And(others...); got != is[i] {
				t.Errorf("%d values: %s is %s", n, is[i], got)
			}
		}
	}
}

// TestLongChains checks that adding one argument at a time stays affordable
// and right beyond the limit of flattening.
func TestLongChains(t *testing.T) {
	p := NewPool()
	const n = 1000
	sum, and, xor := p.Int(16, 0), p.True(), p.Int(16, 0)
	m := Model{}
	var want int64
	for i := range n {
		v := p.Var("v"+strings.Repeat("i", i), BV(16))
		m[v] = ValueOf(16, int64(i))
		want += int64(i)
		sum = p.Add(sum, v)
		and = p.And(and, p.SLt(v, p.Int(16, n)))
		xor = p.BVXor(xor, v, p.Int(16, 5))
	}
	checkForm(t, p, sum)
	checkForm(t, p, and)
	checkForm(t, p, xor)
	if Eval(sum, m) != ValueOf(16, want) || !Holds(and, m) || Eval(xor, m) != (Value{}) {
		t.Errorf("sum %v, and %v, xor %v", Eval(sum, m), Holds(and, m), Eval(xor, m))
	}
	if !p.Eq(sum, sum).IsTrue() || !p.Eq(p.Sub(p.Add(sum, p.Int(16, 1)), sum), p.Int(16, 1)).IsTrue() {
		t.Error("long sums do not cancel")
	}
	eq := p.Eq(sum, p.Add(xor, p.Neg(sum)))
	checkForm(t, p, eq)
	if len(p.terms) > 20*n {
		t.Errorf("%d terms", len(p.terms))
	}
}

// FuzzSimplify reads a program of constructor calls from the input and
// compares the simplified result with the naive one.
func FuzzSimplify(f *testing.F) {
	r := rand.New(rand.NewPCG(13, 0))
	for range 30 {
		b := make([]byte, 200)
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g := newSource(0, 1, 2, 3, 8)
		g.pick = func(n int) int { // the input decides; zeros when it is used up
			x := 0
			for k := n - 1; k > 0; k >>= 8 {
				if len(data) > 0 {
					x = x<<8 | int(data[0])
					data = data[1:]
				}
			}
			return x % n
		}
		x := g.expr(g.sort(), 5)
		p := NewPool()
		y := x.term(p)
		checkForm(t, p, y)
		vars := x.rawVars(p)
		for range 10 {
			m, b := g.randomModel(vars)
			if got, want := Eval(y, m), x.value(b); !sameValue(got, want) {
				t.Fatalf("%s = %s is %v, want %v in %v", x, y, got, want, b)
			}
		}
	})
}

// TestSubstituteAgain: what is remembered of one substitution is not used in another, of the same pool, of another
// one with the same IDs, or when rounds begin again.
func TestSubstituteAgain(t *testing.T) {
	g := newSource(13, 1, 3, 8)
	p, q := NewPool(), NewPool()
	var naive func(x *Term, m map[*Term]*Term) *Term
	naive = func(x *Term, m map[*Term]*Term) *Term {
		if r := m[x]; r != nil || len(x.args) == 0 {
			return cmp.Or(r, x)
		}
		var args []*Term
		for _, a := range x.args {
			args = append(args, naive(a, m))
		}
		if slices.Equal(args, x.args) {
			return x
		}
		return p.Apply(x, args)
	}
	wrapped := 0
	for i := range 400 {
		var ts []*Term
		for range 3 {
			ts = append(ts, g.expr(g.sort(), 5).term(p))
		}
		m := map[*Term]*Term{}
		for _, v := range FreeVars(ts...) {
			if g.pick(3) == 0 {
				m[v] = g.expr(v.sort, 2).term(p)
			}
		}
		switch {
		case i == 200:
			p.memoRound = ^uint32(0) - 50
		case i > 200 && p.memoRound < 200:
			wrapped++
		}
		got := p.SubstituteAll(ts, m)
		for j, x := range ts {
			if want := naive(x, m); got[j] != want {
				t.Fatalf("%d: %s becomes %s by %v, not %s", i, x, got[j], m, want)
			}
		}
		// A copy has IDs that p has for other terms.
		x := q.Import(ts[0])
		if back := p.Import(x); back.sort != x.sort || i%2 == 0 && p.Import(q.Import(back)) != back {
			t.Fatalf("%d: %s comes back as %s", i, x, back)
		}
	}
	if wrapped == 0 {
		t.Error("rounds did not begin again")
	}
	p, q = NewPool(), NewPool()
	u, v, w := p.Var("u", BoolSort), p.Var("v", BoolSort), p.Var("w", BoolSort)
	a, b := q.Var("a", BoolSort), q.Var("b", BoolSort)
	got := p.SubstituteAll([]*Term{p.And(u, v), q.And(a, b)}, map[*Term]*Term{u: w, a: u, b: v})
	if want := []*Term{p.And(w, v), p.And(u, v)}; a.id != u.id || !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestFreeVarsOfPools: terms of two pools are told apart, though they have the same IDs.
func TestFreeVarsOfPools(t *testing.T) {
	make := func(name string) (*Term, []*Term) {
		p := NewPool()
		var vars []*Term
		for i := range 300 {
			vars = append(vars, p.Var(name+strconv.Itoa(i), BoolSort))
		}
		x := p.True()
		for i, v := range vars {
			x = p.Ite(v, x, vars[(i+1)%len(vars)])
		}
		return x, vars
	}
	x, first := make("x")
	y, second := make("y")
	if x.id != y.id {
		t.Fatal("the IDs differ")
	}
	got, n := FreeVars(x, y, x), Size(x)
	slices.SortFunc(got[:len(first)], byID)
	slices.SortFunc(got[len(first):], byID)
	if !slices.Equal(got, slices.Concat(first, second)) || n < 2*len(first)-2 {
		t.Errorf("%d variables, size %d", len(got), n)
	}
}
