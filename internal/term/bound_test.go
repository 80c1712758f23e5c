// SPDX-License-Identifier: Apache-2.0

package term

import (
	"math/rand/v2"
	"testing"
)

// TestBounds joins literals that compare one variable of three bits, or of an
// enum, with constants: all pairs, and random triples and quadruples.
func TestBounds(t *testing.T) {
	for _, s := range []Sort{BV(3), testEnum(3), testEnum(5)} {
		p := NewPool()
		x := p.Var("x", s)
		var lits []*Term
		for k := range 8 {
			if !s.Valid(Value{Lo: uint64(k)}) {
				break
			}
			c := p.Const(s, Value{Lo: uint64(k)})
			atoms := []*Term{p.Eq(x, c)}
			if s.Kind == BitVecKind {
				atoms = append(atoms, p.SLt(x, c), p.SLt(c, x), p.ULt(x, c), p.ULt(c, x))
			}
			for _, a := range atoms {
				lits = append(lits, a, p.Not(a))
			}
		}
		check := func(ls ...*Term) {
			and, or := p.And(ls...), p.Or(ls...)
			checkForm(t, p, and)
			checkForm(t, p, or)
			some, all := false, true
			for v := range 8 {
				if !s.Valid(Value{Lo: uint64(v)}) {
					break
				}
				m := Model{x: {Lo: uint64(v)}}
				wantAnd, wantOr := true, false
				for _, l := range ls {
					wantAnd = wantAnd && Holds(l, m)
					wantOr = wantOr || Holds(l, m)
				}
				if Holds(and, m) != wantAnd || Holds(or, m) != wantOr {
					t.Fatalf("%v: and is %s, or is %s, wrong at %d", ls, and, or, v)
				}
				some = some || wantAnd
				all = all && wantOr
			}
			// Two literals of one order that contradict are seen to.
			if len(ls) == 2 && (s.Kind == EnumKind || sameOrder(ls[0], ls[1])) {
				if !some && !and.IsFalse() || all && !or.IsTrue() {
					t.Fatalf("%v: and is %s, or is %s", ls, and, or)
				}
			}
		}
		for _, a := range lits {
			for _, b := range lits {
				check(a, b)
			}
		}
		r := rand.New(rand.NewPCG(14, 0))
		for range 5000 {
			ls := make([]*Term, 3+r.IntN(2))
			for i := range ls {
				ls[i] = lits[r.IntN(len(lits))]
			}
			check(ls...)
		}
	}
	p := NewPool()
	n := p.Var("n", BV(8))
	c := func(x int64) *Term { return p.Int(8, x) }
	for _, tt := range []struct {
		t    *Term
		want string
	}{
		{p.And(p.SLt(n, c(3)), p.SLt(n, c(5))), "n < 3"},
		{p.Or(p.SLt(n, c(3)), p.SLt(n, c(5))), "n < 5"},
		{p.And(p.SLe(n, c(3)), p.SGe(n, c(3))), "n == 3"},
		{p.Or(p.SLt(n, c(3)), p.SGt(n, c(3))), "n != 3"},
		{p.And(p.Ne(n, c(7)), p.SLt(n, c(3))), "n < 3"},
		{p.And(p.SLt(n, c(3)), p.SGe(n, c(0))), "n < 3 && n >= 0"},
		{p.Or(p.SGe(n, c(0)), p.SLt(n, c(3))), "true"},
	} {
		if got := tt.t.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func sameOrder(a, b *Term) bool {
	base := func(t *Term) Op {
		if t.op == OpNot {
			t = t.args[0]
		}
		return t.op
	}
	return base(a) == base(b)
}
