// SPDX-License-Identifier: Apache-2.0

package explore

import (
	"math/rand/v2"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// TestCompile compares compiled terms with their evaluation by package term:
// every operator, on all operands at width 3 and on random ones at others, 65
// bits included, which the compiler hands back to package term.
func TestCompile(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, w := range []int{1, 2, 3, 8, 31, 32, 63, 64} {
		p := term.NewPool()
		x, y := p.Var("x", term.BV(w)), p.Var("y", term.BV(w))
		c := p.Var("c", term.BoolSort)
		terms := []*term.Term{
			p.BVNot(x), p.BVAnd(x, y), p.BVOr(x, y), p.BVXor(x, y), p.Neg(x), p.Add(x, y), p.Sub(x, y), p.Mul(x, y),
			p.Add(x, y, p.Mul(x, y)), p.Mul(x, y, x), p.BVAnd(x, y, p.Neg(x)), p.BVOr(x, y, p.Add(x, y)), p.BVXor(x, y, p.Mul(x, y)),
			p.UDiv(x, y), p.URem(x, y), p.SDiv(x, y), p.SRem(x, y), p.SMod(x, y), p.Shl(x, y), p.LShr(x, y), p.AShr(x, y),
			p.ULt(x, y), p.ULe(x, y), p.SLt(x, y), p.SLe(x, y), p.Eq(x, y), p.Ne(x, y), p.Eq(x, p.Int(w, 1)),
			p.Ite(c, x, y), p.And(c, p.ULt(x, y)), p.Or(c, p.SLt(x, y), p.Eq(x, y)), p.Not(c), p.Xor(c, p.Eq(x, y)),
			p.Extract(w-1, w/2, x), p.Extract(w/2, 0, y), p.SLt(p.SignExt(1, x), p.ZeroExt(1, y)),
		}
		if w < 32 {
			terms = append(terms, p.Concat(x, y), p.ZeroExt(5, x), p.SignExt(5, y))
		}
		comp := &compiler{slot: map[*term.Term]int{x: 0, y: 1, c: 2}}
		var values [][3]uint64
		if w <= 3 {
			for a := range uint64(1) << w {
				for b := range uint64(1) << w {
					values = append(values, [3]uint64{a, b, 0}, [3]uint64{a, b, 1})
				}
			}
		} else {
			edge := []uint64{0, 1, 2, mask(w), mask(w) >> 1, mask(w)>>1 + 1, uint64(w), uint64(w) - 1}
			for range 500 {
				pick := func() uint64 {
					if r.IntN(2) == 0 {
						return edge[r.IntN(len(edge))] & mask(w)
					}
					return r.Uint64() & mask(w)
				}
				values = append(values, [3]uint64{pick(), pick(), r.Uint64N(2)})
			}
		}
		for _, tm := range terms {
			f, err := comp.expr(tm)
			if err != nil {
				t.Fatalf("width %d: %v: %v", w, tm, err)
			}
			for _, v := range values {
				want := term.Eval(tm, term.Model{x: {Lo: v[0]}, y: {Lo: v[1]}, c: {Lo: v[2]}})
				if got := f(frame(v[:])); got != want.Lo {
					t.Fatalf("width %d: %v at x=%d y=%d c=%d is %d, want %d", w, tm, v[0], v[1], v[2], got, want.Lo)
				}
			}
		}
	}
}

// TestTable packs random values and finds each state again.
func TestTable(t *testing.T) {
	t.Parallel()
	pool := term.NewPool()
	var vars []*prog.Var
	e := &term.Enum{Name: "e", Values: []string{"a", "b", "c", "d", "f"}}
	for i, s := range []term.Sort{term.BoolSort, term.BV(64), term.BV(7), term.EnumOf(e), term.BV(60), term.BoolSort} {
		name := string(rune('a' + i))
		vars = append(vars, &prog.Var{Name: name, Type: prog.Type{Sort: s}, Term: pool.Var(name, s)})
	}
	tab := newTable(vars)
	r := rand.New(rand.NewPCG(3, 4))
	type state struct {
		v [6]uint64
		c bool
	}
	ids := map[state]int32{}
	for range 20_000 {
		s := state{[6]uint64{r.Uint64N(2), r.Uint64() >> r.UintN(64), r.Uint64N(8), r.Uint64N(5), r.Uint64N(4), r.Uint64N(2)}, r.IntN(2) == 0}
		id := tab.intern(tab.pack(nil, s.v[:], s.c))
		if have, ok := ids[s]; ok && have != id {
			t.Fatalf("%v is %d and %d", s, have, id)
		} else if !ok && int(id) != len(ids) {
			t.Fatalf("%v is new but got number %d of %d", s, id, len(ids))
		}
		ids[s] = id
		var back [6]uint64
		tab.unpack(tab.at(id), back[:])
		if back != s.v || tab.at(id)[0]&constructedBit != 0 != s.c {
			t.Fatalf("%v came back as %v", s, back)
		}
	}
}
