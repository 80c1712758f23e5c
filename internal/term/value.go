// SPDX-License-Identifier: Apache-2.0

package term

// This file is arithmetic on values: unsigned 128-bit integers kept as two
// words, reduced to the width of their sort after every operation. math/big
// would do the same with an allocation per operation; it is used only for
// printing and as the oracle of the tests. Division by zero and large shifts
// follow the SMT-LIB theory FixedSizeBitVectors.

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
)

// MaxWidth is the largest width of a bit-vector.
const MaxWidth = 128

// BoolValue is the value of a bool.
func BoolValue(b bool) Value {
	if b {
		return Value{Lo: 1}
	}
	return Value{}
}

// ValueOf is the value of x in width bits, two's complement.
func ValueOf(width int, x int64) Value {
	return Value{Hi: uint64(x >> 63), Lo: uint64(x)}.trunc(width)
}

// ValueOfBig is x modulo 2^width.
func ValueOfBig(width int, x *big.Int) Value {
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	m.Mod(x, m)
	var b [16]byte
	m.FillBytes(b[:])
	var v Value
	for i := range 8 {
		v.Hi = v.Hi<<8 | uint64(b[i])
		v.Lo = v.Lo<<8 | uint64(b[i+8])
	}
	return v
}

// Bool reads v as a bool.
func (v Value) Bool() bool { return v.Lo&1 != 0 }

// Uint64 is the low word of v.
func (v Value) Uint64() uint64 { return v.Lo }

// Int64 reads v as a signed number of the given width, at most 64.
func (v Value) Int64(width int) int64 {
	s := 64 - uint(width)
	return int64(v.Lo<<s) >> s
}

// Big reads v as a number of the given width.
func (v Value) Big(width int, signed bool) *big.Int {
	x := new(big.Int).SetUint64(v.Hi)
	x.Lsh(x, 64)
	x.Or(x, new(big.Int).SetUint64(v.Lo))
	if signed && v.bit(width-1) {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return x
}

// FormatValue writes v as a constant of sort s: true or false, the name of an
// enum value, or a decimal number.
func FormatValue(s Sort, v Value, signed bool) string {
	switch s.Kind {
	case BoolKind:
		return strconv.FormatBool(v.Bool())
	case EnumKind:
		if v.Hi == 0 && v.Lo < uint64(len(s.Enum.Values)) {
			return s.Enum.Values[v.Lo]
		}
		return fmt.Sprintf("%s#%s", s.Enum.Name, v.Big(MaxWidth, false))
	}
	if s.Width > 64 {
		return v.Big(s.Width, signed).String()
	}
	if signed {
		return strconv.FormatInt(v.Int64(s.Width), 10)
	}
	return strconv.FormatUint(v.Lo, 10)
}

// ones is the value of width one bits.
func ones(width int) Value { return Value{^uint64(0), ^uint64(0)}.trunc(width) }

// one is the number 1.
var one = Value{Lo: 1}

// minSigned is the smallest signed value, maxSigned the largest.
func minSigned(width int) Value { return one.shl(uint(width - 1)) }
func maxSigned(width int) Value { return ones(width - 1) }

func (v Value) isZero() bool { return v.Hi|v.Lo == 0 }

// trunc keeps the low width bits, 0 <= width <= 128.
func (v Value) trunc(width int) Value {
	switch {
	case width >= 128:
		return v
	case width > 64:
		v.Hi &= 1<<(width-64) - 1
		return v
	case width == 64:
		return Value{Lo: v.Lo}
	}
	return Value{Lo: v.Lo & (1<<width - 1)}
}

// bit is bit i of v.
func (v Value) bit(i int) bool {
	if i >= 64 {
		return v.Hi>>(i-64)&1 != 0
	}
	return v.Lo>>i&1 != 0
}

// sext repeats bit width-1 up to 128 bits.
func (v Value) sext(width int) Value {
	if width >= 128 || !v.bit(width-1) {
		return v
	}
	m := ones(width)
	return Value{v.Hi | ^m.Hi, v.Lo | ^m.Lo}
}

func (v Value) not(width int) Value { return Value{^v.Hi, ^v.Lo}.trunc(width) }
func (v Value) and(w Value) Value   { return Value{v.Hi & w.Hi, v.Lo & w.Lo} }
func (v Value) or(w Value) Value    { return Value{v.Hi | w.Hi, v.Lo | w.Lo} }
func (v Value) xor(w Value) Value   { return Value{v.Hi ^ w.Hi, v.Lo ^ w.Lo} }

func (v Value) add(w Value, width int) Value {
	lo, c := bits.Add64(v.Lo, w.Lo, 0)
	hi, _ := bits.Add64(v.Hi, w.Hi, c)
	return Value{hi, lo}.trunc(width)
}

func (v Value) sub(w Value, width int) Value {
	lo, b := bits.Sub64(v.Lo, w.Lo, 0)
	hi, _ := bits.Sub64(v.Hi, w.Hi, b)
	return Value{hi, lo}.trunc(width)
}

func (v Value) neg(width int) Value { return Value{}.sub(v, width) }

func (v Value) mul(w Value, width int) Value {
	if width <= 64 {
		return Value{Lo: v.Lo * w.Lo}.trunc(width)
	}
	hi, lo := bits.Mul64(v.Lo, w.Lo)
	hi += v.Hi*w.Lo + v.Lo*w.Hi
	return Value{hi, lo}.trunc(width)
}

// cmp compares unsigned.
func (v Value) cmp(w Value) int {
	switch {
	case v.Hi < w.Hi || v.Hi == w.Hi && v.Lo < w.Lo:
		return -1
	case v == w:
		return 0
	}
	return 1
}

func (v Value) ult(w Value) bool { return v.cmp(w) < 0 }

// slt compares as signed numbers of the given width: flipping the sign bits
// turns the signed order into the unsigned one.
func (v Value) slt(w Value, width int) bool {
	s := minSigned(width)
	return v.xor(s).ult(w.xor(s))
}

// shl and shr shift by fewer or more than 128 bits without reducing.
func (v Value) shl(n uint) Value {
	if n >= 64 {
		return Value{Hi: v.Lo << (n - 64)}
	}
	return Value{v.Hi<<n | v.Lo>>(64-n), v.Lo << n}
}

func (v Value) shr(n uint) Value {
	if n >= 64 {
		return Value{Lo: v.Hi >> (n - 64)}
	}
	return Value{v.Hi >> n, v.Lo>>n | v.Hi<<(64-n)}
}

// amount is a shift distance of a value, at most 128.
func (v Value) amount() uint {
	if v.Hi != 0 || v.Lo > 128 {
		return 128
	}
	return uint(v.Lo)
}

func (v Value) shlBy(w Value, width int) Value { return v.shl(w.amount()).trunc(width) }
func (v Value) lshrBy(w Value) Value           { return v.shr(w.amount()) }

func (v Value) ashrBy(w Value, width int) Value {
	n := w.amount()
	if !v.bit(width - 1) {
		return v.shr(n)
	}
	// Complementing before and after shifts ones in instead of zeros.
	return v.not(width).shr(n).not(width)
}

// udivrem is unsigned division: x/0 is all ones, x%0 is x.
func (v Value) udivrem(w Value, width int) (q, r Value) {
	switch {
	case w.isZero():
		return ones(width), v
	case v.Hi|w.Hi == 0:
		return Value{Lo: v.Lo / w.Lo}, Value{Lo: v.Lo % w.Lo}
	case w.Hi == 0:
		var rem uint64
		q.Hi, rem = v.Hi/w.Lo, v.Hi%w.Lo
		q.Lo, rem = bits.Div64(rem, v.Lo, w.Lo)
		return q, Value{Lo: rem}
	}
	// The quotient fits one word. Dividing half the dividend by the top word
	// of the normalized divisor gives it or one more (Knuth, TAOCP 4.3.1;
	// Warren, Hacker's Delight, chapter 9); start one below and correct.
	n := uint(bits.LeadingZeros64(w.Hi))
	h := v.shr(1)
	t, _ := bits.Div64(h.Hi, h.Lo, w.shl(n).Hi)
	t >>= 63 - n
	if t != 0 {
		t--
	}
	q = Value{Lo: t}
	r = v.sub(q.mul(w, 128), 128)
	if !r.ult(w) {
		q = q.add(one, 128)
		r = r.sub(w, 128)
	}
	return q, r
}

func (v Value) abs(width int) Value {
	if v.bit(width - 1) {
		return v.neg(width)
	}
	return v
}

// sdivrem truncates toward zero; the remainder has the sign of the dividend.
func (v Value) sdivrem(w Value, width int) (q, r Value) {
	q, r = v.abs(width).udivrem(w.abs(width), width)
	if v.bit(width-1) != w.bit(width-1) {
		q = q.neg(width)
	}
	if v.bit(width - 1) {
		r = r.neg(width)
	}
	return q, r
}

// extract is bits hi down to lo.
func (v Value) extract(hi, lo int) Value { return v.shr(uint(lo)).trunc(hi - lo + 1) }

// trailingZeros is 128 for zero.
func (v Value) trailingZeros() int {
	if v.Lo != 0 {
		return bits.TrailingZeros64(v.Lo)
	}
	return 64 + bits.TrailingZeros64(v.Hi)
}

// bitLen is the number of bits up to the highest one bit.
func (v Value) bitLen() int {
	if v.Hi != 0 {
		return 64 + bits.Len64(v.Hi)
	}
	return bits.Len64(v.Lo)
}

// isPow2 says whether exactly one bit is set.
func (v Value) isPow2() bool { return !v.isZero() && v.trailingZeros()+1 == v.bitLen() }

// inverse is the multiplicative inverse of an odd value modulo 2^width, by
// Newton's iteration, which doubles the number of right bits each round.
func (v Value) inverse(width int) Value {
	x := v // right to 3 bits: v*v = 1 modulo 8
	for range 6 {
		x = x.mul(Value{Lo: 2}.sub(v.mul(x, 128), 128), 128)
	}
	return x.trunc(width)
}
