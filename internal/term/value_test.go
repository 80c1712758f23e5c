// SPDX-License-Identifier: Apache-2.0

package term

import (
	"math/big"
	"testing"
)

// TestValueArithmetic compares 128-bit arithmetic with math/big: all operators
// of two operands on all pairs of corner values and on random ones.
func TestValueArithmetic(t *testing.T) {
	g := newSource(7)
	for _, w := range []int{1, 2, 31, 63, 64, 65, 100, 127, 128} {
		var xs []*big.Int
		for _, k := range []int{0, 1, w / 2, w - 1, w, 63, 64, 65} {
			if k <= w {
				for d := int64(-2); d <= 2; d++ {
					xs = append(xs, wrap(new(big.Int).Add(pow2(k), big.NewInt(d)), w))
				}
			}
		}
		for range 40 {
			xs = append(xs, g.number(w))
		}
		for _, c := range g.cons {
			if c.shape != "vv:v" && c.shape != "vv:b" {
				continue
			}
			p := NewPool() // constants fold, so this tests values
			for _, x := range xs {
				for _, y := range xs {
					got := c.build(p, []*Term{p.BigInt(w, x), p.BigInt(w, y)}, 0, 0)
					want := c.ref(bigs{x, y}, []int{w, w}, 0, 0)
					if v, ok := got.Const(); !ok || !sameValue(v, want) {
						t.Fatalf("%s(%s, %s) at width %d is %s, want %s", c.name, x, y, w, got, want)
					}
				}
			}
		}
	}
}

func TestValueConversions(t *testing.T) {
	g := newSource(8)
	for range 20000 {
		w := 1 + g.pick(128)
		x := g.number(w)
		v := ValueOfBig(w, x)
		if v.Big(w, false).Cmp(x) != 0 || v.Big(w, true).Cmp(signed(x, w)) != 0 {
			t.Fatalf("%s of width %d comes back as %s, %s", x, w, v.Big(w, false), v.Big(w, true))
		}
		if s := FormatValue(BV(w), v, true); s != signed(x, w).String() {
			t.Fatalf("%s of width %d prints as %s", x, w, s)
		}
		if s := FormatValue(BV(w), v, false); s != x.String() {
			t.Fatalf("%s of width %d prints as %s", x, w, s)
		}
		if w <= 64 {
			if v.Int64(w) != signed(x, w).Int64() || v.Uint64() != x.Uint64() || ValueOf(w, v.Int64(w)) != v {
				t.Fatalf("%s of width %d is %d", x, w, v.Int64(w))
			}
		}
		if v.bitLen() != x.BitLen() {
			t.Fatalf("%s has length %d", x, v.bitLen())
		}
		if x.Bit(0) == 1 && v.mul(v.inverse(w), w) != one {
			t.Fatalf("%s has no inverse %v", x, v.inverse(w))
		}
	}
	if ValueOf(128, -1) != ones(128) || ValueOf(100, -1) != ones(100) {
		t.Error("negative numbers are not extended")
	}
}
