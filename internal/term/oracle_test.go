// SPDX-License-Identifier: Apache-2.0

package term

// This file is the oracle of the tests: a second, naive definition of every
// constructor over math/big, and expression trees ("raw" terms) that can be
// built through the constructors or computed by the naive definition.

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// A raw is an expression before any simplification.
type raw struct {
	con  *constructor // nil: a leaf
	sort Sort
	args []*raw
	i, j int      // indices
	name string   // of a variable
	val  *big.Int // of a constant
}

// A constructor is one method of Pool.
type constructor struct {
	name string
	// shape of arguments: b bool, v bit-vectors of one width, s any one sort,
	// e enum, w bit-vector of any width; result after the colon, where n is a
	// width computed by the indices.
	shape string
	build func(p *Pool, a []*Term, i, j int) *Term
	// ref computes on unsigned numbers; w is the width of the first argument.
	ref func(a []*big.Int, w []int, i, j int) *big.Int
	// indices chooses indices for the width of the argument; nil: none.
	indices func(pick func(n int) int, w int) (i, j, width int)
}

func bigBool(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

func pow2(w int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(w)) }

func wrap(x *big.Int, w int) *big.Int { return new(big.Int).Mod(x, pow2(w)) }

func signed(x *big.Int, w int) *big.Int {
	if x.Bit(w-1) == 1 {
		return new(big.Int).Sub(x, pow2(w))
	}
	return x
}

type bigs = []*big.Int

// arith wraps a function on numbers.
func arith(f func(a, b *big.Int) *big.Int) func(bigs, []int, int, int) *big.Int {
	return func(a bigs, w []int, _, _ int) *big.Int {
		x := a[0]
		for _, y := range a[1:] {
			x = f(x, y)
		}
		return wrap(x, w[0])
	}
}

// refShift clamps the distance so that big.Int does not build huge numbers.
func refShift(y *big.Int) uint {
	if y.Cmp(big.NewInt(1000)) > 0 {
		return 1000
	}
	return uint(y.Uint64())
}

func refURem(x, y *big.Int) *big.Int {
	if y.Sign() == 0 {
		return x
	}
	return new(big.Int).Mod(x, y)
}

func refUDiv(x, y *big.Int, w int) *big.Int {
	if y.Sign() == 0 {
		return wrap(big.NewInt(-1), w)
	}
	return new(big.Int).Div(x, y)
}

func unaryBV(name string, build func(*Pool, *Term) *Term, ref func(x *big.Int, w int) *big.Int) *constructor {
	return &constructor{name: name, shape: "v:v",
		build: func(p *Pool, a []*Term, _, _ int) *Term { return build(p, a[0]) },
		ref:   func(a bigs, w []int, _, _ int) *big.Int { return wrap(ref(a[0], w[0]), w[0]) }}
}

func binaryBV(name string, build func(p *Pool, a, b *Term) *Term, ref func(x, y *big.Int, w int) *big.Int) *constructor {
	return &constructor{name: name, shape: "vv:v",
		build: func(p *Pool, a []*Term, _, _ int) *Term { return build(p, a[0], a[1]) },
		ref:   func(a bigs, w []int, _, _ int) *big.Int { return wrap(ref(a[0], a[1], w[0]), w[0]) }}
}

func compareBV(name string, build func(p *Pool, a, b *Term) *Term, sgn bool, ref func(c int) bool) *constructor {
	return &constructor{name: name, shape: "vv:b",
		build: func(p *Pool, a []*Term, _, _ int) *Term { return build(p, a[0], a[1]) },
		ref: func(a bigs, w []int, _, _ int) *big.Int {
			x, y := a[0], a[1]
			if sgn {
				x, y = signed(x, w[0]), signed(y, w[0])
			}
			return bigBool(ref(x.Cmp(y)))
		}}
}

func nary(name, shape string, build func(p *Pool, ts ...*Term) *Term, ref func(bigs, []int, int, int) *big.Int) *constructor {
	return &constructor{name: name, shape: shape, ref: ref,
		build: func(p *Pool, a []*Term, _, _ int) *Term { return build(p, a...) }}
}

func boolean(name, shape string, build func(p *Pool, a, b *Term) *Term, ref func(x, y *big.Int) bool) *constructor {
	return &constructor{name: name, shape: shape,
		build: func(p *Pool, a []*Term, _, _ int) *Term { return build(p, a[0], a[1]) },
		ref:   func(a bigs, _ []int, _, _ int) *big.Int { return bigBool(ref(a[0], a[1])) }}
}

func distinct(a bigs, _ []int, _, _ int) *big.Int {
	for i := range a {
		for j := range i {
			if a[i].Cmp(a[j]) == 0 {
				return bigBool(false)
			}
		}
	}
	return bigBool(true)
}

func allConstructors() []*constructor {
	and := arith(func(a, b *big.Int) *big.Int { return new(big.Int).And(a, b) })
	or := arith(func(a, b *big.Int) *big.Int { return new(big.Int).Or(a, b) })
	xor := arith(func(a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) })
	add := arith(func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) })
	mul := arith(func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) })
	not := func(x *big.Int) *big.Int { return new(big.Int).Not(x) }
	ite := func(a bigs, _ []int, _, _ int) *big.Int {
		if a[0].Sign() != 0 {
			return a[1]
		}
		return a[2]
	}
	same := func(x, y *big.Int) bool { return x.Cmp(y) == 0 }
	cs := []*constructor{
		{name: "Not", shape: "b:b", build: func(p *Pool, a []*Term, _, _ int) *Term { return p.Not(a[0]) },
			ref: func(a bigs, _ []int, _, _ int) *big.Int { return bigBool(a[0].Sign() == 0) }},
		nary("And", "bb:b", (*Pool).And, and), nary("And", "bbb:b", (*Pool).And, and),
		nary("Or", "bb:b", (*Pool).Or, or), nary("Or", "bbb:b", (*Pool).Or, or),
		boolean("Implies", "bb:b", (*Pool).Implies, func(x, y *big.Int) bool { return x.Sign() == 0 || y.Sign() != 0 }),
		boolean("Iff", "bb:b", (*Pool).Iff, same),
		boolean("Xor", "bb:b", (*Pool).Xor, func(x, y *big.Int) bool { return !same(x, y) }),
		boolean("Eq", "bb:b", (*Pool).Eq, same),
		boolean("Eq", "vv:b", (*Pool).Eq, same),
		boolean("Eq", "ee:b", (*Pool).Eq, same),
		boolean("Ne", "vv:b", (*Pool).Ne, func(x, y *big.Int) bool { return !same(x, y) }),
		nary("Distinct", "vvv:b", (*Pool).Distinct, distinct),
		nary("Distinct", "eee:b", (*Pool).Distinct, distinct),
		unaryBV("BVNot", (*Pool).BVNot, func(x *big.Int, _ int) *big.Int { return not(x) }),
		unaryBV("Neg", (*Pool).Neg, func(x *big.Int, _ int) *big.Int { return new(big.Int).Neg(x) }),
		nary("BVAnd", "vv:v", (*Pool).BVAnd, and), nary("BVAnd", "vvv:v", (*Pool).BVAnd, and),
		nary("BVOr", "vv:v", (*Pool).BVOr, or), nary("BVOr", "vvv:v", (*Pool).BVOr, or),
		nary("BVXor", "vv:v", (*Pool).BVXor, xor), nary("BVXor", "vvv:v", (*Pool).BVXor, xor),
		nary("Add", "vv:v", (*Pool).Add, add), nary("Add", "vvv:v", (*Pool).Add, add),
		nary("Mul", "vv:v", (*Pool).Mul, mul), nary("Mul", "vvv:v", (*Pool).Mul, mul),
		binaryBV("Sub", (*Pool).Sub, func(x, y *big.Int, _ int) *big.Int { return new(big.Int).Sub(x, y) }),
		binaryBV("Nand", (*Pool).Nand, func(x, y *big.Int, _ int) *big.Int { return not(new(big.Int).And(x, y)) }),
		binaryBV("Nor", (*Pool).Nor, func(x, y *big.Int, _ int) *big.Int { return not(new(big.Int).Or(x, y)) }),
		binaryBV("Xnor", (*Pool).Xnor, func(x, y *big.Int, _ int) *big.Int { return not(new(big.Int).Xor(x, y)) }),
		binaryBV("UDiv", (*Pool).UDiv, refUDiv),
		binaryBV("URem", (*Pool).URem, func(x, y *big.Int, _ int) *big.Int { return refURem(x, y) }),
		binaryBV("SDiv", (*Pool).SDiv, func(x, y *big.Int, w int) *big.Int {
			x, y = signed(x, w), signed(y, w)
			if y.Sign() == 0 {
				if x.Sign() < 0 {
					return big.NewInt(1)
				}
				return big.NewInt(-1)
			}
			return new(big.Int).Quo(x, y)
		}),
		binaryBV("SRem", (*Pool).SRem, func(x, y *big.Int, w int) *big.Int {
			x, y = signed(x, w), signed(y, w)
			if y.Sign() == 0 {
				return x
			}
			return new(big.Int).Rem(x, y)
		}),
		binaryBV("SMod", (*Pool).SMod, func(x, y *big.Int, w int) *big.Int {
			x, y = signed(x, w), signed(y, w)
			if y.Sign() == 0 {
				return x
			}
			m := new(big.Int).Mod(x, new(big.Int).Abs(y)) // in 0..|y|-1
			if m.Sign() != 0 && y.Sign() < 0 {
				m.Add(m, y)
			}
			return m
		}),
		binaryBV("Shl", (*Pool).Shl, func(x, y *big.Int, _ int) *big.Int { return new(big.Int).Lsh(x, refShift(y)) }),
		binaryBV("LShr", (*Pool).LShr, func(x, y *big.Int, _ int) *big.Int { return new(big.Int).Rsh(x, refShift(y)) }),
		binaryBV("AShr", (*Pool).AShr, func(x, y *big.Int, w int) *big.Int {
			return new(big.Int).Rsh(signed(x, w), refShift(y))
		}),
		compareBV("ULt", (*Pool).ULt, false, func(c int) bool { return c < 0 }),
		compareBV("ULe", (*Pool).ULe, false, func(c int) bool { return c <= 0 }),
		compareBV("UGt", (*Pool).UGt, false, func(c int) bool { return c > 0 }),
		compareBV("UGe", (*Pool).UGe, false, func(c int) bool { return c >= 0 }),
		compareBV("SLt", (*Pool).SLt, true, func(c int) bool { return c < 0 }),
		compareBV("SLe", (*Pool).SLe, true, func(c int) bool { return c <= 0 }),
		compareBV("SGt", (*Pool).SGt, true, func(c int) bool { return c > 0 }),
		compareBV("SGe", (*Pool).SGe, true, func(c int) bool { return c >= 0 }),
		{name: "Comp", shape: "vv:n", build: func(p *Pool, a []*Term, _, _ int) *Term { return p.Comp(a[0], a[1]) },
			ref:     func(a bigs, _ []int, _, _ int) *big.Int { return bigBool(same(a[0], a[1])) },
			indices: func(func(int) int, int) (i, j, width int) { return 0, 0, 1 }},
		{name: "Concat", shape: "ww:n", build: func(p *Pool, a []*Term, _, _ int) *Term { return p.Concat(a...) },
			ref: func(a bigs, w []int, _, _ int) *big.Int {
				return new(big.Int).Or(new(big.Int).Lsh(a[0], uint(w[1])), a[1])
			}},
		{name: "Extract", shape: "v:n", build: func(p *Pool, a []*Term, i, j int) *Term { return p.Extract(i, j, a[0]) },
			ref: func(a bigs, _ []int, i, j int) *big.Int { return wrap(new(big.Int).Rsh(a[0], uint(j)), i-j+1) },
			indices: func(pick func(int) int, w int) (i, j, width int) {
				i = pick(w)
				j = pick(i + 1)
				return i, j, i - j + 1
			}},
		{name: "ZeroExt", shape: "v:n", build: func(p *Pool, a []*Term, i, _ int) *Term { return p.ZeroExt(i, a[0]) },
			ref: func(a bigs, _ []int, _, _ int) *big.Int { return a[0] }, indices: moreBits},
		{name: "SignExt", shape: "v:n", build: func(p *Pool, a []*Term, i, _ int) *Term { return p.SignExt(i, a[0]) },
			ref:     func(a bigs, w []int, i, _ int) *big.Int { return wrap(signed(a[0], w[0]), w[0]+i) },
			indices: moreBits},
		{name: "RotateLeft", shape: "v:n", build: func(p *Pool, a []*Term, i, _ int) *Term { return p.RotateLeft(i, a[0]) },
			ref: func(a bigs, w []int, i, _ int) *big.Int { return refRotate(a[0], w[0], i) }, indices: rotation},
		{name: "RotateRight", shape: "v:n", build: func(p *Pool, a []*Term, i, _ int) *Term { return p.RotateRight(i, a[0]) },
			ref:     func(a bigs, w []int, i, _ int) *big.Int { return refRotate(a[0], w[0], w[0]-i%w[0]) },
			indices: rotation},
		{name: "Repeat", shape: "v:n", build: func(p *Pool, a []*Term, i, _ int) *Term { return p.Repeat(i, a[0]) },
			ref: func(a bigs, w []int, i, _ int) *big.Int {
				x := new(big.Int)
				for range i {
					x.Or(x.Lsh(x, uint(w[0])), a[0])
				}
				return x
			},
			indices: func(pick func(int) int, w int) (i, j, width int) {
				i = 1 + pick(min(3, MaxWidth/w))
				return i, 0, i * w
			}},
	}
	for _, shape := range []string{"bbb:b", "bvv:v", "bee:e"} {
		cs = append(cs, &constructor{name: "Ite", shape: shape, ref: ite,
			build: func(p *Pool, a []*Term, _, _ int) *Term { return p.Ite(a[0], a[1], a[2]) }})
	}
	return cs
}

func moreBits(pick func(int) int, w int) (i, j, width int) {
	i = pick(min(4, MaxWidth-w+1))
	return i, 0, w + i
}

func rotation(pick func(int) int, w int) (i, j, width int) { return pick(2*w + 1), 0, w }

func refRotate(x *big.Int, w, n int) *big.Int {
	n %= w
	l := new(big.Int).Lsh(x, uint(n))
	return wrap(l.Or(l, new(big.Int).Rsh(x, uint(w-n))), w)
}

// term builds r through the constructors.
func (r *raw) term(p *Pool) *Term {
	switch {
	case r.val != nil:
		return p.Const(r.sort, ValueOfBig(r.sort.Bits(), r.val))
	case r.con == nil:
		return p.Var(r.name, r.sort)
	}
	args := make([]*Term, len(r.args))
	for i, a := range r.args {
		args[i] = a.term(p)
	}
	t := r.con.build(p, args, r.i, r.j)
	if t.sort != r.sort {
		panic(fmt.Sprintf("%s has sort %s, want %s", r, t.sort, r.sort))
	}
	return t
}

// value computes r by the naive definitions.
func (r *raw) value(m map[string]*big.Int) *big.Int {
	switch {
	case r.val != nil:
		return r.val
	case r.con == nil:
		if v := m[r.name]; v != nil {
			return v
		}
		return new(big.Int)
	}
	args := make(bigs, len(r.args))
	widths := make([]int, len(r.args))
	for i, a := range r.args {
		args[i] = a.value(m)
		widths[i] = a.sort.Bits()
	}
	return r.con.ref(args, widths, r.i, r.j)
}

func (r *raw) String() string {
	switch {
	case r.val != nil:
		return r.val.String()
	case r.con == nil:
		return r.name
	}
	var b strings.Builder
	b.WriteString("(" + r.con.name)
	if r.con.indices != nil {
		fmt.Fprintf(&b, "[%d,%d]", r.i, r.j)
	}
	for _, a := range r.args {
		b.WriteString(" " + a.String())
	}
	return b.String() + ")"
}

// A source makes random raw terms.
type source struct {
	pick   func(n int) int // 0..n-1
	cons   []*constructor
	widths []int
	enums  []Sort
	vars   int // variables of each sort
}

func newSource(seed uint64, widths ...int) *source {
	r := rand.New(rand.NewPCG(seed, 17))
	return &source{pick: r.IntN, cons: allConstructors(), widths: widths, vars: 2,
		enums: []Sort{testEnum(1), testEnum(2), testEnum(3), testEnum(4)}}
}

func testEnum(n int) Sort {
	e := &Enum{Name: fmt.Sprintf("e%d", n)}
	for i := range n {
		e.Values = append(e.Values, fmt.Sprintf("v%d", i))
	}
	return EnumOf(e)
}

func (g *source) sort() Sort {
	switch g.pick(8) {
	case 0, 1:
		return BoolSort
	case 2:
		return g.enums[g.pick(len(g.enums))]
	}
	return BV(g.widths[g.pick(len(g.widths))])
}

func (g *source) constant(s Sort) *raw {
	var v *big.Int
	switch {
	case s.Kind == EnumKind:
		v = big.NewInt(int64(g.pick(len(s.Enum.Values))))
	case s.Kind == BoolKind:
		v = big.NewInt(int64(g.pick(2)))
	default:
		v = g.number(s.Width)
	}
	return &raw{sort: s, val: v}
}

// number prefers the corners.
func (g *source) number(w int) *big.Int {
	switch g.pick(6) {
	case 0, 1:
		return wrap(big.NewInt(int64(g.pick(7)-3)), w)
	case 2:
		return wrap(new(big.Int).Add(pow2(w-1), big.NewInt(int64(g.pick(5)-2))), w)
	case 3:
		return wrap(pow2(g.pick(w+1)), w)
	case 4:
		return wrap(new(big.Int).Sub(pow2(g.pick(w+1)), big.NewInt(1)), w)
	}
	v := new(big.Int)
	for range 8 {
		v.Or(v.Lsh(v, 16), big.NewInt(int64(g.pick(1<<16))))
	}
	return wrap(v, w)
}

func (g *source) leaf(s Sort) *raw {
	if g.pick(3) == 0 {
		return g.constant(s)
	}
	return g.variable(s, g.pick(g.vars))
}

func (g *source) variable(s Sort, i int) *raw {
	return &raw{sort: s, name: fmt.Sprintf("%s_%d", s, i)}
}

// expr is a raw term of sort s. Constructors that cannot make the sort are
// passed over; after a few tries it is a leaf.
func (g *source) expr(s Sort, depth int) *raw {
	if depth == 0 || g.pick(8) == 0 {
		return g.leaf(s)
	}
	for range 20 {
		if r := g.apply(g.cons[g.pick(len(g.cons))], s, depth); r != nil {
			return r
		}
	}
	return g.leaf(s)
}

// apply applies c so that the result has sort s, or returns nil.
func (g *source) apply(c *constructor, s Sort, depth int) *raw {
	in, out, _ := strings.Cut(c.shape, ":")
	v := BV(g.widths[g.pick(len(g.widths))])
	e := g.enums[g.pick(len(g.enums))]
	r := &raw{con: c, sort: s}
	switch {
	case out == "b" && s.Kind == BoolKind:
	case out == "v" && s.Kind == BitVecKind:
		v = s
	case out == "e" && s.Kind == EnumKind:
		e = s
	case c.name == "Concat" && s.Kind == BitVecKind && s.Width > 1:
		h := 1 + g.pick(s.Width-1)
		r.args = []*raw{g.expr(BV(h), depth-1), g.expr(BV(s.Width-h), depth-1)}
		return r
	case out == "n" && s.Kind == BitVecKind && c.indices != nil:
		var w int
		r.i, r.j, w = c.indices(g.pick, v.Width)
		if w != s.Width {
			return nil
		}
	default:
		return nil
	}
	for _, x := range in {
		as := v
		switch x {
		case 'b':
			as = BoolSort
		case 'e':
			as = e
		}
		r.args = append(r.args, g.expr(as, depth-1))
	}
	return r
}

// checkForm checks the invariants of a normal form on all subterms of t.
func checkForm(t *testing.T, p *Pool, x *Term) {
	t.Helper()
	postorder([]*Term{x}, func(s *Term) {
		if s.op == OpULe || s.op == OpSLe {
			t.Fatalf("%s is not a normal form", s)
		}
		if p.terms[s.id] != s {
			t.Fatalf("%s is not a term of the pool", s)
		}
		for _, a := range s.args {
			if a.id >= s.id {
				t.Fatalf("%s is older than its argument %s", s, a)
			}
		}
		if len(s.args) > 0 {
			if again := p.Apply(s, s.args); again != s {
				t.Fatalf("building %s again gives %s", s, again)
			}
		}
	})
}

// allModels calls f with every assignment to the variables.
func allModels(vars []*Term, f func(Model, map[string]*big.Int)) {
	m, b := Model{}, map[string]*big.Int{}
	var rec func(i int)
	rec = func(i int) {
		if i == len(vars) {
			f(m, b)
			return
		}
		v := vars[i]
		for x := range 1 << v.sort.Bits() {
			if !v.sort.Valid(Value{Lo: uint64(x)}) {
				break
			}
			m[v] = Value{Lo: uint64(x)}
			b[v.name] = big.NewInt(int64(x))
			rec(i + 1)
		}
	}
	rec(0)
}

// randomModel assigns to all the variables.
func (g *source) randomModel(vars []*Term) (Model, map[string]*big.Int) {
	m, b := Model{}, map[string]*big.Int{}
	for _, v := range vars {
		x := g.constant(v.sort).val
		m[v] = ValueOfBig(v.sort.Bits(), x)
		b[v.name] = x
	}
	return m, b
}

// rawVars are the variables of r as terms.
func (r *raw) rawVars(p *Pool) []*Term {
	var vs []*Term
	seen := map[string]bool{}
	var rec func(r *raw)
	rec = func(r *raw) {
		if r.con == nil && r.val == nil && !seen[r.name] {
			seen[r.name] = true
			vs = append(vs, p.Var(r.name, r.sort))
		}
		for _, a := range r.args {
			rec(a)
		}
	}
	rec(r)
	return vs
}

func sameValue(v Value, x *big.Int) bool { return v.Big(MaxWidth, false).Cmp(x) == 0 }
