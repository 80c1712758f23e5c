// SPDX-License-Identifier: Apache-2.0

package prog

// This file checks the meaning of the text form through the interpreter: every
// operator on all operands of small types against arithmetic on unbounded
// integers written out here, and the runs of statements against what they
// must do.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/term"
)

func mustParse(t testing.TB, src string) *Program {
	t.Helper()
	p, err := Parse("test.open", []byte(src), Options{})
	if err != nil {
		t.Fatalf("%s\n%s", err.(ErrorList).Lines(), src)
	}
	return p
}

// wrap reduces x to an integer type, as Go does.
func wrap(x, width int, signed bool) int {
	x &= 1<<width - 1
	if signed && x >= 1<<(width-1) {
		x -= 1 << width
	}
	return x
}

// reference is the meaning of an operator on unbounded integers, before
// wrapping; failed is the message of its error.
func reference(op string, a, b, width int) (r int, failed string) {
	boolean := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	// Truncated division from the division of natural numbers.
	abs := func(x int) int { return max(x, -x) }
	quo := func() int {
		q := 0
		for n := abs(a); n >= abs(b); n -= abs(b) {
			q++
		}
		if (a < 0) != (b < 0) {
			q = -q
		}
		return q
	}
	// Bit by bit on two's complement.
	bitwise := func(f func(x, y int) int) int {
		r := 0
		for i := range width {
			r |= f(a>>i&1, b>>i&1) << i
		}
		return r
	}
	switch op {
	case "+":
		return a + b, ""
	case "-":
		return a - b, ""
	case "*":
		return a * b, ""
	case "/":
		if b == 0 {
			return 0, "division by zero"
		}
		return quo(), ""
	case "%":
		if b == 0 {
			return 0, "division by zero"
		}
		return a - quo()*b, ""
	case "&":
		return bitwise(func(x, y int) int { return x * y }), ""
	case "|":
		return bitwise(func(x, y int) int { return max(x, y) }), ""
	case "^":
		return bitwise(func(x, y int) int { return (x + y) % 2 }), ""
	case "&^":
		return bitwise(func(x, y int) int { return x * (1 - y) }), ""
	case "<<":
		if b < 0 {
			return 0, "negative shift amount"
		}
		for range b {
			a *= 2
		}
		return a, ""
	case ">>":
		if b < 0 {
			return 0, "negative shift amount"
		}
		for range b {
			// Division by two rounding down.
			a = (a - (a%2+2)%2) / 2
		}
		return a, ""
	case "==":
		return boolean(a == b), ""
	case "!=":
		return boolean(a != b), ""
	case "<":
		return boolean(a < b), ""
	case "<=":
		return boolean(a <= b), ""
	case ">":
		return boolean(a > b), ""
	case ">=":
		return boolean(a >= b), ""
	}
	panic(op)
}

// result calls m, which must have one result and one run, and returns the value
// of the result or the message of the error.
func result(t *testing.T, p *Program, m *Method, args ...term.Value) (r term.Value, failed string) {
	t.Helper()
	in := NewInterp(p, InterpOptions{})
	o, err := in.Call(context.Background(), State{}, m, args)
	if err != nil || len(o.Returns)+len(o.Errors) != 1 || o.Diverges || o.Stuck {
		t.Fatalf("%s%s: %+v, %v\n%s", m.Name, FormatArgs(m.Params, args), o, err, p)
	}
	if len(o.Errors) == 1 {
		if o.Errors[0].Kind != "runtime" {
			t.Fatalf("error of kind %s", o.Errors[0].Kind)
		}
		return term.Value{}, o.Errors[0].Message
	}
	return o.Returns[0].Results[0], ""
}

func intType(width int, signed bool) Type { return Type{Sort: term.BV(width), Signed: signed} }

// number reads a value of a type as a number.
func number(t Type, v term.Value) int {
	if t.Sort.Kind == term.BitVecKind && t.Signed {
		return int(v.Int64(t.Sort.Width))
	}
	return int(v.Uint64())
}

var arithmetic = []string{"+", "-", "*", "/", "%", "&", "|", "^", "&^"}
var comparisons = []string{"==", "!=", "<", "<=", ">", ">="}

func TestBinaryOperators(t *testing.T) {
	for _, typ := range []Type{intType(3, true), intType(3, false), intType(1, true), intType(1, false)} {
		w := typ.Sort.Width
		for _, op := range append(slices.Clone(arithmetic), comparisons...) {
			rt := typ
			if slices.Contains(comparisons, op) {
				rt = Type{Sort: term.BoolSort}
			}
			// Both operands variable, and each constant in turn.
			var src strings.Builder
			fmt.Fprintf(&src, "component c\nmethod vv(a %v, b %v) (r %v) { r = a %s b }\n", typ, typ, rt, op)
			for v := range Values(typ) {
				n := number(typ, v)
				fmt.Fprintf(&src, "method `cv%d`(b %v) (r %v) { return %d %s b }\n", n, typ, rt, n, op)
				if n != 0 || op != "/" && op != "%" {
					fmt.Fprintf(&src, "method `vc%d`(a %v) (r %v) { return a %s %d }\n", n, typ, rt, op, n)
				}
			}
			p := mustParse(t, src.String())
			roundTrip(t, p)
			for a := range Values(typ) {
				for b := range Values(typ) {
					x, y := number(typ, a), number(typ, b)
					want, failed := reference(op, x, y, w)
					if rt.Sort.Kind == term.BitVecKind {
						want = wrap(want, w, rt.Signed)
					}
					check := func(name string, args ...term.Value) {
						t.Helper()
						m := p.Method(name)
						if m == nil {
							return // a constant zero divisor is no program
						}
						got, gotFailed := result(t, p, m, args...)
						if gotFailed != failed || failed == "" && number(rt, got) != want {
							t.Errorf("%v: %d %s %d by %s = %d %q, want %d %q", typ, x, op, y, name, number(rt, got), gotFailed, want, failed)
						}
					}
					check("vv", a, b)
					check(fmt.Sprint("cv", x), b)
					check(fmt.Sprint("vc", y), a)
				}
			}
		}
	}
}

func TestShifts(t *testing.T) {
	types := []Type{intType(3, true), intType(3, false)}
	counts := []Type{intType(2, true), intType(3, true), intType(5, true), intType(2, false), intType(3, false), intType(5, false)}
	for _, typ := range types {
		for _, ct := range counts {
			for _, op := range []string{"<<", ">>"} {
				var src strings.Builder
				fmt.Fprintf(&src, "component c\nmethod vv(a %v, b %v) (r %v) { r = a %s b }\n", typ, ct, typ, op)
				for n := range 40 {
					fmt.Fprintf(&src, "method `vc%d`(a %v) (r %v) { a %s= %d; return a }\n", n, typ, typ, op, n)
				}
				for v := range Values(typ) {
					fmt.Fprintf(&src, "method `cv%d`(b %v) (r %v) { r = %d %s b }\n", number(typ, v), ct, typ, number(typ, v), op)
				}
				p := mustParse(t, src.String())
				roundTrip(t, p)
				for a := range Values(typ) {
					x := number(typ, a)
					for b := range Values(ct) {
						y := number(ct, b)
						want, failed := reference(op, x, y, 0)
						want = wrap(want, 3, typ.Signed)
						for _, name := range []string{"vv", fmt.Sprint("cv", x)} {
							args := []term.Value{a, b}
							if name != "vv" {
								args = args[1:]
							}
							got, gotFailed := result(t, p, p.Method(name), args...)
							if gotFailed != failed || failed == "" && number(typ, got) != want {
								t.Errorf("%v(%d) %s %v(%d) by %s = %d %q, want %d %q", typ, x, op, ct, y, name, number(typ, got), gotFailed, want, failed)
							}
						}
					}
					for n := range 40 {
						want, _ := reference(op, x, n, 0)
						want = wrap(want, 3, typ.Signed)
						if got, failed := result(t, p, p.Method(fmt.Sprint("vc", n)), a); failed != "" || number(typ, got) != want {
							t.Errorf("%v(%d) %s %d = %d %q, want %d", typ, x, op, n, number(typ, got), failed, want)
						}
					}
				}
			}
		}
	}
}

func TestConversionsAndUnary(t *testing.T) {
	var types []Type
	for _, w := range []int{1, 2, 3, 5} {
		types = append(types, intType(w, true), intType(w, false))
	}
	for _, from := range types {
		for _, to := range types {
			p := mustParse(t, fmt.Sprintf("component c\nmethod m(a %v) (r %v) { r = %v(a) }", from, to, to))
			roundTrip(t, p)
			for a := range Values(from) {
				want := wrap(number(from, a), to.Sort.Width, to.Signed)
				if got, _ := result(t, p, p.Methods[0], a); number(to, got) != want {
					t.Errorf("%v(%v(%d)) = %d, want %d", to, from, number(from, a), number(to, got), want)
				}
			}
		}
		if from == intType(1, true) {
			continue // 1 is not one of its constants
		}
		p := mustParse(t, fmt.Sprintf(`component c
method minus(a %[1]v) (r %[1]v) { r = -a }
method plus(a %[1]v) (r %[1]v) { r = +a }
method not(a %[1]v) (r %[1]v) { r = ^a }
method inc(a %[1]v) (r %[1]v) { a++; r = a }
method dec(a %[1]v) (r %[1]v) { a--; r = a }`, from))
		for a := range Values(from) {
			x := number(from, a)
			for name, want := range map[string]int{"minus": -x, "plus": x, "not": -x - 1, "inc": x + 1, "dec": x - 1} {
				want = wrap(want, from.Sort.Width, from.Signed)
				if got, _ := result(t, p, p.Method(name), a); number(from, got) != want {
					t.Errorf("%s %v(%d) = %d, want %d", name, from, x, number(from, got), want)
				}
			}
		}
	}
}

// TestTotalFunctions pins quo and rem of zero, ite, bits and concat.
func TestTotalFunctions(t *testing.T) {
	p := mustParse(t, `component c
method q(a, b int3) (r int3) { r = quo(a, b) }
method m(a, b int3) (r int3) { r = rem(a, b) }
method uq(a, b uint3) (r uint3) { r = quo(a, b) }
method um(a, b uint3) (r uint3) { r = rem(a, b) }
method i(a, b int3) (r int3) { r = ite(a < b, a, 3) }
method k(a int3) (r int8) { r = ite(a < 0, -1, 1) }
method b(a int3) (r uint2) { r = bits(a, 2, 1) }
method c(a, b int3) (r uint6) { r = concat(a, b) }`)
	roundTrip(t, p)
	s, u := intType(3, true), intType(3, false)
	for a := range 8 {
		for b := range 8 {
			x, y := wrap(a, 3, true), wrap(b, 3, true)
			sq, sr, uq, ur := -1, x, 7, a
			if x < 0 {
				sq = 1
			}
			if b != 0 {
				sq, _ = reference("/", x, y, 3)
				sr, _ = reference("%", x, y, 3)
				uq, ur = a/b, a%b
			}
			ite := 3
			if x < y {
				ite = x
			}
			va, vb := term.Value{Lo: uint64(a)}, term.Value{Lo: uint64(b)}
			for _, c := range []struct {
				name string
				typ  Type
				want int
			}{{"q", s, wrap(sq, 3, true)}, {"m", s, wrap(sr, 3, true)}, {"uq", u, uq}, {"um", u, ur}, {"i", s, ite}, {"c", intType(6, false), a<<3 | b}} {
				if got, failed := result(t, p, p.Method(c.name), va, vb); failed != "" || number(c.typ, got) != c.want {
					t.Errorf("%s(%d, %d) = %d %q, want %d", c.name, x, y, number(c.typ, got), failed, c.want)
				}
			}
		}
		if got, _ := result(t, p, p.Method("b"), term.Value{Lo: uint64(a)}); int(got.Lo) != a>>1 {
			t.Errorf("bits(%d, 2, 1) = %d", a, got.Lo)
		}
	}
}

// A run of this table is described by its outcomes: results=state, error
// messages, diverges, stuck, sorted as the interpreter does.
func describe(p *Program, m *Method, o Outcome) string {
	var parts []string
	for _, r := range o.Returns {
		parts = append(parts, strings.TrimSpace(FormatOutcome(m, r.Results)+" "+p.FormatState(r.State)))
	}
	for _, e := range o.Errors {
		parts = append(parts, fmt.Sprintf("%s %q", e.Kind, e.Message))
	}
	if o.Diverges {
		parts = append(parts, "diverges")
	}
	if o.Stuck {
		parts = append(parts, "stuck")
	}
	return strings.Join(parts, "; ")
}

func TestStatements(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"empty", "", "(false, 0) n=0"},
		{"parallel", "n, v = v + 1, n + 2; return", "(false, 2) n=1"},
		{"return values", "n = 3; return n > 2, n - 4", "(true, -1) n=3"},
		{"bare return", "ok = true; v = -8; return; v = 0", "(true, -8) n=0"},
		{"wraps", "v = 7; v++", "(false, -8) n=0"},
		{"if", "if n == 0 { v = 1 } else { v = 2 }", "(false, 1) n=0"},
		{"else if", "if n == 1 { v = 1 } else if n == 0 { v = 2 } else { v = 3 }", "(false, 2) n=0"},
		{"choose", "ok = choose", "(false, 0) n=0; (true, 0) n=0"},
		{"any in a local", "var x int2 = any; v = int4(x)", "(false, -2) n=0; (false, -1) n=0; (false, 0) n=0; (false, 1) n=0"},
		{"assume", "v = any; assume v > 5", "(false, 6) n=0; (false, 7) n=0; stuck"},
		{"assume false", "assume false", "stuck"},
		{"choice", "choice { v = 1 } or { v = 2; ok = true } or { error \"x\" }", "(false, 1) n=0; (true, 2) n=0; error \"x\""},
		{"empty alternative", "choice { } or { v = 2 }", "(false, 0) n=0; (false, 2) n=0"},
		{"loop in an alternative", "choice { while v < 2 { v++ } } or { ok = true }", "(false, 2) n=0; (true, 0) n=0"},
		{"nested choice", "choice { choice { v = 1 } or { v = 2 } } or { v = 3 }", "(false, 1) n=0; (false, 2) n=0; (false, 3) n=0"},
		{"while", "while v < 3 { v++; n = n + v }", "(false, 3) n=6"},
		{"break", "while { v++; if v == 5 { break } }; ok = true", "(true, 5) n=0"},
		{"continue", "while v < 5 { v++; if v % 2 == 0 { continue }; n++ }", "(false, 5) n=3"},
		{"for ever", "while { }", "diverges"},
		{"for ever, changing", "while { v++ }", "diverges"},
		{"may diverge", "ok = choose; while ok { skip }", "(false, 0) n=0; diverges"},
		{"may leave", "while { ok = choose; if ok { break } }", "(true, 0) n=0; diverges"},
		{"stop", "ok = choose; if ok { stop }", "(false, 0) n=0; stuck"},
		{"goto", "L: v++; if v < 4 { goto L }; goto M; n = 1; M: ok = true", "(true, 4) n=0"},
		{"goto into a block", "if n == 0 { goto L }; if n == 1 { v = 1; L: ok = true }", "(true, 0) n=0"},
		{"goto itself", "L: goto L", "diverges"},
		{"error", "v = 1; error \"a\\nb\"", "error \"a\\nb\""},
		{"kind", "error misuse \"x\"", "misuse \"x\""},
		{"two errors", "ok = any; if ok { error \"y\" } else { error \"x\" }", "error \"y\"; error \"x\""},
		{"blamed", "ok = any; if ok { error \"y\" environment }", "(false, 0) n=0; stuck"},
		{"local starts at zero in a loop", "var k int4 = 2; while k > 0 { var j int4; j++; v += j; k-- }", "(false, 2) n=0"},
		{"local keeps nothing over a label", "var k int4 = 2; L: var j int4; j++; v += j; k--; if k > 0 { goto L }", "(false, 2) n=0"},
		{"group of locals", "var i, j int4 = 3; v = i + j", "(false, 6) n=0"},
		{"order of checks", "v = 1 / n + 1 << v", "runtime \"division by zero\""},
		{"short circuit and", "ok = n != 0 && 1/n > 0", "(false, 0) n=0"},
		{"short circuit or", "ok = n == 0 || 1/n > 0", "(true, 0) n=0"},
		{"no short circuit", "ok = 1/n > 0 && n != 0", "runtime \"division by zero\""},
		{"short circuit ite", "v = ite(n == 0, 3, 1/n)", "(false, 3) n=0"},
		{"ite errs", "v = ite(n != 0, 3, 1/n)", "runtime \"division by zero\""},
		{"ite condition errs", "v = ite(1/n > 0, 3, 4)", "runtime \"division by zero\""},
		{"deep guard", "ok = n == 0 && (n == 1 || n == 2 || 1/n == 1 || n == 3)", "runtime \"division by zero\""},
		{"check in return", "return true, 3 % n", "runtime \"division by zero\""},
		{"check in while", "n = 2; while 4/n > 0 { n-- }", "runtime \"division by zero\""},
		{"check in assume", "assume 4/n > 0", "runtime \"division by zero\""},
		{"negative shift", "n = -1; v = 1 << n", "runtime \"negative shift amount\""},
		{"least divided by minus one", "n = -8; v = -1; v = n / v", "(false, -8) n=-8"},
		{"unsigned comparison", "n = -1; ok = uint4(n) > 8", "(true, 0) n=-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustParse(t, "component c\nstate n int4\nmethod m() (ok bool, v int4) {"+c.body+"}")
			roundTrip(t, p)
			m := p.Methods[0]
			in := NewInterp(p, InterpOptions{})
			s, err := in.Initial(context.Background())
			if err != nil || len(s) != 1 {
				t.Fatal(s, err)
			}
			o, err := in.Call(context.Background(), s[0], m, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(p, m, o); got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s\n%s", c.body, got, c.want, p)
			}
		})
	}
}

func TestBlamedErrorsCount(t *testing.T) {
	p := mustParse(t, "component c\nmethod m() { error \"x\" environment }")
	o, err := NewInterp(p, InterpOptions{Blamed: true}).Call(context.Background(), State{}, p.Methods[0], nil)
	if err != nil || describe(p, p.Methods[0], o) != `error "x"` {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestInitial(t *testing.T) {
	p := mustParse(t, "component c\nenum e { a, b, c }\nstate x int2 = any, y e = b, z bool = any, w e, v uint8 = 200")
	states, err := NewInterp(p, InterpOptions{}).Initial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range states {
		got = append(got, p.FormatState(s))
	}
	want := []string{}
	for _, x := range []int{-2, -1, 0, 1} {
		for _, z := range []bool{false, true} {
			want = append(want, fmt.Sprintf("x=%d y=b z=%v w=a v=200", x, z))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestBudget(t *testing.T) {
	p := mustParse(t, "component c\nstate x int32 = any, y int16\nmethod big() { x = any }\nmethod long() { while y < 30000 { y++ } }\nmethod fine() { y = any }")
	in := NewInterp(p, InterpOptions{MaxConfigs: 1000, MaxDomain: 1 << 16})
	ctx := context.Background()
	s := State{{}, {}}
	var budget *BudgetError
	if _, err := in.Initial(ctx); !errors.As(err, &budget) || err.Error() != "interpreter: more than 65536 values of x int32" {
		t.Errorf("Initial: %v", err)
	}
	for name, want := range map[string]string{
		"big":  "interpreter: more than 65536 values of x int32",
		"long": "interpreter: more than 1000 configurations in a call of long",
		"fine": "interpreter: more than 1000 configurations in a call of fine",
	} {
		if o, err := in.Call(ctx, s, p.Method(name), nil); !errors.As(err, &budget) || err.Error() != want || len(o.Returns) > 0 {
			t.Errorf("%s: %v, %v", name, o, err)
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := in.Call(canceled, s, p.Method("fine"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
