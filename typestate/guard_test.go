// SPDX-License-Identifier: Apache-2.0

package typestate

// This file tests the evaluator against Go itself: the same expressions,
// evaluated by the compiler's arithmetic on all pairs of 8-bit values.

import (
	"math/big"
	"os"
	"testing"
)

type integer8 interface{ ~int8 | ~uint8 }

// operators are written twice: as text and as code.
func operators[T integer8]() map[string]func(x, y T) bool {
	return map[string]func(x, y T) bool{
		"x+y > 10":                  func(x, y T) bool { return x+y > 10 },
		"x-y < y":                   func(x, y T) bool { return x-y < y },
		"x*y == 16":                 func(x, y T) bool { return x*y == 16 },
		"y != 0 && x/y >= 3":        func(x, y T) bool { return y != 0 && x/y >= 3 },
		"y == 0 || x%y <= 1":        func(x, y T) bool { return y == 0 || x%y <= 1 },
		"x&y != 0":                  func(x, y T) bool { return x&y != 0 },
		"x|y == y":                  func(x, y T) bool { return x|y == y },
		"x^y > x":                   func(x, y T) bool { return x^y > x },
		"x&^y == 4":                 func(x, y T) bool { return x&^y == 4 },
		"-x == y":                   func(x, y T) bool { return -x == y },
		"^x == y":                   func(x, y T) bool { return ^x == y },
		"+x == y":                   func(x, y T) bool { return x == y },
		"!(x < y) == (y <= x)":      func(x, y T) bool { return !(x < y) == (y <= x) },
		"y >= 0 && x<<y == 64":      func(x, y T) bool { return y >= 0 && x<<y == 64 },
		"y >= 0 && x>>y == 0":       func(x, y T) bool { return y >= 0 && x>>y == 0 },
		"uint8(x) > uint8(y)":       func(x, y T) bool { return uint8(x) > uint8(y) },
		"int8(x) > int8(y)":         func(x, y T) bool { return int8(x) > int8(y) },
		"int16(x)+int16(y) > 100":   func(x, y T) bool { return int16(x)+int16(y) > 100 },
		"uint64(x) > uint64(y)<<60": func(x, y T) bool { return uint64(x) > uint64(y)<<60 },
		"int64(x)*int64(y) == -128": func(x, y T) bool { return int64(x)*int64(y) == -128 },
		"x > 1<<4 - 1 && 'a' < y":   func(x, y T) bool { return x > 1<<4-1 && 'a' < y },
		"x < 0x1F != (y > 0b11)":    func(x, y T) bool { return x < 0x1F != (y > 0b11) },
		"x+1 > x":                   func(x, y T) bool { return x+1 > x },
		"(x+y)/2 == x/2+y/2":        func(x, y T) bool { return (x+y)/2 == x/2+y/2 },
		"rem(x, y) <= 1": func(x, y T) bool {
			if y == 0 {
				return x <= 1
			}
			return x%y <= 1
		},
		"quo(x, y) > 3": func(x, y T) bool {
			switch {
			case y != 0:
				return x/y > 3
			case x < 0:
				return false // 1
			}
			return T(0)-1 > 3 // -1, or the largest
		},
		"x == 5 || y == 7 && x+y == 9-1": func(x, y T) bool { return x == 5 || y == 7 && x+y == 9-1 },
	}
}

func checkOperators[T integer8](t *testing.T, typeName string) {
	for text, want := range operators[T]() {
		e, err := parseGuard(text)
		if err != nil {
			t.Fatal(err)
		}
		step := 1
		if os.Getenv("CI") != "true" {
			step = 7 // coprime to 256: all values of x and of y still occur
		}
		for n := 0; n < 1<<16; n += step {
			x, y := T(n), T(n>>8)
			s := newScope()
			s.values["x"] = value{typ: parseType(typeName), n: big.NewInt(int64(x))}
			s.values["y"] = value{typ: parseType(typeName), n: big.NewInt(int64(y))}
			if got, err := s.holds(e); err != nil || got != want(x, y) {
				t.Fatalf("%s with x = %d, y = %d of type %s: got %t, %v", text, x, y, typeName, got, err)
			}
		}
	}
}

func TestOperators(t *testing.T) {
	checkOperators[int8](t, "int8")
	checkOperators[uint8](t, "uint8")
}

// TestWrap checks all widths that fit a byte against shifting.
func TestWrap(t *testing.T) {
	for bits := 1; bits <= 8; bits++ {
		signed, unsigned := typ{name: "int", bits: bits, signed: true}, typ{name: "uint", bits: bits}
		for n := -300; n <= 300; n++ {
			shift := 8 - bits
			if got, want := signed.wrap(big.NewInt(int64(n))).Int64(), int64(int8(n)<<shift>>shift); got != want {
				t.Errorf("%d as int%d: got %d, want %d", n, bits, got, want)
			}
			if got, want := unsigned.wrap(big.NewInt(int64(n))).Int64(), int64(uint8(n)<<shift>>shift); got != want {
				t.Errorf("%d as uint%d: got %d, want %d", n, bits, got, want)
			}
		}
	}
}

func TestTypes(t *testing.T) {
	for name, bits := range map[string]int{"int8": 8, "int1": 1, "uint64": 64, "int65": 0, "int0": 0, "int08": 0, "int": 0, "uint": 0,
		"int+8": 0, "uintptr": 0, "bool": 0, "mode": 0, "integer8": 0} {
		if got := parseType(name); got.bits != bits {
			t.Errorf("%s: %d bits", name, got.bits)
		}
	}
}

func TestGuardValues(t *testing.T) {
	s := newScope()
	for name, v := range map[string][2]string{"n": {"int8", "-128"}, "u": {"uint8", "200"}, "b": {"bool", "true"}, "m": {"mode", "closed"},
		"k": {"mode", "open"}, "p": {"*T", "nil"}, "q": {"*T", "non-nil"}, "r": {"*T", "non-nil"}, "c": {"color", "closed"}, "i": {"int", "5"},
		"buf.len": {"int64", "3"}} {
		value, err := parseValue(v[1], v[0])
		if err != nil {
			t.Fatal(err)
		}
		s.types[name], s.values[name] = v[0], value
	}
	s.types["lost"] = "int8"
	// "!" means that the guard must not be given a value.
	for guard, want := range map[string]string{
		"b": "true", "!b": "false", "true": "true", "b == false": "false", "b != (n > 0)": "true",
		"m == closed": "true", "closed == m": "true", "m != closed": "false", "m == open": "false", "m == mode.closed": "true", "m == k": "false",
		"p == nil": "true", "q == nil": "false", "q != nil": "true", "p == q": "false", "buf.len == 3": "true",
		"-n == n": "true", "n/-1 == n": "true", "u+100 == 44": "true", "u<<1 == 144": "true", "n>>100 == -1": "true", "u>>100 == 0": "true",
		"u == 200 || lost > 1": "true", "lost > 1": "!", "u == 1 || lost > 1": "!",
		"m == color.closed": "!", "m == c": "!", "q == r": "!", "x == y": "!", "m": "!", "n": "!", "i == 5": "!", "i > 4": "!", "m < open": "!",
		"n == u": "!", "n == 128": "!", "u == -1": "!", "n == 200-100": "false", "int8(200) == n": "!", "uint8(u) == u": "true",
		"int8(100)+int8(100) == n": "!", "1<<n == 4": "!", "1<<u == 4": "!", "u<<n == 0": "!", "1<<1000 > 0": "!", "n%0 == 0": "!", "!n": "!", "-b": "!", "b && n": "!",
		"n && b": "!", "b > b": "!", "n == 1.5": "!", `m == "closed"`: "!", "f(n)": "!", "int8(n, n) == n": "!", "int8(b) == n": "!", "func() {}": "!",
		"n[0] == 1": "!", "*p == 1": "!", "<-p": "!", "b.x": "!", "n + m == 1": "!", "n << m == 1": "!", "int8": "!",
	} {
		e, err := parseGuard(guard)
		if err != nil {
			t.Errorf("%s: %v", guard, err)
			continue
		}
		got, err := s.holds(e)
		switch {
		case want == "!" && err == nil:
			t.Errorf("%s: got %t", guard, got)
		case want != "!" && (err != nil || got != (want == "true")):
			t.Errorf("%s: got %t, %v", guard, got, err)
		}
	}
}

func FuzzGuard(f *testing.F) {
	for _, s := range []string{"x+1 > x", "x<<y == 64", "m == mode.closed", "1<<600 > x", "x/(y-y)", "!b && (x|y)&^3 == 'a'"} {
		f.Add(s, "5", "closed")
	}
	f.Fuzz(func(t *testing.T, guard, x, m string) {
		e, err := parseGuard(guard)
		if err != nil {
			return
		}
		s := newScope()
		if v, err := parseValue(x, "int7"); err == nil {
			s.values["x"], s.values["y"] = v, v
		}
		if v, err := parseValue(m, "mode"); err == nil {
			s.values["m"] = v
		}
		s.values["b"] = value{typ: parseType("bool")}
		v, err := s.eval(e)
		if err == nil && v.n != nil && v.typ.bits > 0 && !v.typ.fits(v.n) {
			t.Errorf("%s of type %s", v.n, v.typ.name)
		}
		names(e)
	})
}
