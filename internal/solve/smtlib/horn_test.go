// SPDX-License-Identifier: Apache-2.0

package smtlib

// This file tests Horn clauses: the translation to integers and back against
// evaluation under all models of small widths, and whole systems with z3, whose
// invariants are checked again, clause by clause.

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// randomInt makes terms that integers have.
type randomInt struct {
	p     *term.Pool
	r     *rand.Rand
	vars  []*term.Term // of one width
	bools []*term.Term
	less  func(a, b *term.Term) *term.Term
}

func (g *randomInt) number(depth int) *term.Term {
	w := g.vars[0].Sort().Width
	if depth == 0 || g.r.IntN(5) == 0 {
		if g.r.IntN(3) == 0 {
			return g.p.Int(w, int64(g.r.IntN(1<<w)))
		}
		return g.vars[g.r.IntN(len(g.vars))]
	}
	a, b := g.number(depth-1), g.number(depth-1)
	switch g.r.IntN(6) {
	case 0:
		return g.p.Add(a, b)
	case 1:
		return g.p.Sub(a, b)
	case 2:
		return g.p.Mul(g.p.Int(w, int64(g.r.IntN(1<<w))), a)
	case 3:
		return g.p.BVNot(a)
	case 4:
		return g.p.ZeroExt(1, g.p.Extract(w-2, 0, a))
	}
	return g.p.Ite(g.formula(depth-1), a, b)
}

func (g *randomInt) formula(depth int) *term.Term {
	if depth == 0 {
		return g.bools[g.r.IntN(len(g.bools))]
	}
	d := depth - 1
	switch g.r.IntN(8) {
	case 0:
		return g.p.Not(g.formula(d))
	case 1:
		return g.p.And(g.formula(d), g.formula(d))
	case 2:
		return g.p.Or(g.formula(d), g.formula(d))
	case 3:
		return g.p.Iff(g.formula(d), g.formula(d))
	case 4:
		return g.p.Ite(g.formula(d), g.formula(d), g.formula(d))
	case 5:
		return g.p.Eq(g.number(d), g.number(d))
	}
	return g.less(g.number(d), g.number(d))
}

// models calls f with every assignment of vars.
func models(vars []*term.Term, f func(term.Model)) {
	var rec func(i int, m term.Model)
	rec = func(i int, m term.Model) {
		if i == len(vars) {
			f(m)
			return
		}
		for v := range uint64(1) << vars[i].Sort().Bits() {
			if x := (term.Value{Lo: v}); vars[i].Sort().Valid(x) {
				m[vars[i]] = x
				rec(i+1, m)
			}
		}
	}
	rec(0, make(term.Model))
}

func TestIntegersMeanTheSame(t *testing.T) {
	trues, falses, undefined, refused := 0, 0, 0, 0
	for seed := range uint64(600) {
		p := term.NewPool()
		g := &randomInt{p: p, r: rand.New(rand.NewPCG(seed, 1))}
		g.vars = []*term.Term{p.Var("x", term.BV(3)), p.Var("y", term.BV(3))}
		g.bools = []*term.Term{p.Var("b", term.BoolSort)}
		if g.less = p.SLt; seed%2 == 0 {
			g.less = p.ULt
		}
		vars := append(g.vars, g.bools...)
		body := g.formula(4)
		h := &Horn{Clauses: []Clause{{Vars: vars, Body: body}}}
		tr, err := newIntegers(h)
		var bad *TheoryError
		if errors.As(err, &bad) {
			refused++
			continue
		}
		w, _, _, _, f, _, err := tr.parts(0)
		if errors.As(err, &bad) {
			refused++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		yes, err := tr.back(p, 0, w.closed(f.t))
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		no, err := tr.back(p, 0, w.closed(f.f))
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		models(vars, func(m term.Model) {
			is := term.Holds(body, m)
			y, n := term.Holds(yes, m), term.Holds(no, m)
			switch {
			case y && !is || n && is:
				t.Fatalf("%s under %s is %v, over integers true=%v false=%v\n%s", body, m, is, y, n, w.closed(f.t))
			case y:
				trues++
			case n:
				falses++
			case f.total:
				t.Fatalf("%s under %s is undefined", body, m)
			default:
				undefined++
			}
		})
	}
	t.Logf("true %d, false %d, undefined %d, refused %d formulas", trues, falses, undefined, refused)
	if trues == 0 || falses == 0 || undefined == 0 || undefined > trues+falses || refused > 300 {
		t.Error("too few cases")
	}
}

// Sums within comparisons that cannot overflow are defined everywhere, and a false
// conjunct defends the others.
func TestIntegersDefined(t *testing.T) {
	p := term.NewPool()
	x, y := p.Var("x", term.BV(8)), p.Var("y", term.BV(8))
	k := func(n int64) *term.Term { return p.Int(8, n) }
	for _, c := range []struct {
		body      *term.Term
		undefined string
	}{
		{p.SLt(x, y), ""},
		{p.Eq(y, p.Add(x, k(1))), "x=127 y=-128"},
		{p.And(p.SLt(x, k(10)), p.SLt(p.Add(x, k(1)), y)), ""},
		{p.SLt(p.Ite(p.SLt(x, k(100)), p.Add(x, k(1)), x), y), ""},
		{p.SLt(p.Add(x, k(1)), y), "x=127"},
	} {
		h := &Horn{Clauses: []Clause{{Vars: []*term.Term{x, y}, Body: c.body}}}
		tr, err := newIntegers(h)
		if err != nil {
			t.Fatal(err)
		}
		w, _, _, _, f, _, err := tr.parts(0)
		if err != nil {
			t.Fatal(err)
		}
		def, err := tr.back(p, 0, w.closed(both("or", f.t, f.f)))
		if err != nil {
			t.Fatal(err)
		}
		models([]*term.Term{x, y}, func(m term.Model) {
			want := c.undefined == "" || !strings.HasPrefix(m.String(), c.undefined)
			if term.Holds(def, m) != want {
				t.Fatalf("%s under %s: defined is not %v", c.body, m, want)
			}
		})
	}
}

func TestIntegersRefuse(t *testing.T) {
	p := term.NewPool()
	x, y := p.Var("x", term.BV(8)), p.Var("y", term.BV(8))
	for _, c := range []struct {
		body *term.Term
		want string
	}{
		{p.Eq(p.BVAnd(x, y), p.Int(8, 3)), "bvand"},
		{p.Eq(p.Shl(x, y), p.Int(8, 3)), "bvshl"},
		{p.Eq(p.Mul(x, y), p.Int(8, 3)), "product of variables"},
		{p.Eq(p.UDiv(x, y), p.Int(8, 3)), "bvudiv"},
		{p.And(p.ULt(x, y), p.SLt(x, p.Int(8, 3))), "both as signed and as unsigned"},
	} {
		h := &Horn{Clauses: []Clause{{Vars: []*term.Term{x, y}, Body: c.body}}}
		err := WriteHorn(&strings.Builder{}, p, h, HornOptions{Theory: Integers})
		var bad *TheoryError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.body, err, c.want)
		}
	}
}

func TestIntReaderRefuses(t *testing.T) {
	p := term.NewPool()
	x := p.Var("x", term.BV(8))
	for _, text := range []string{
		"(exists ((y Int)) (= y x))", "(* x x)", "(mod x 0)", "(mod 5 x)", "(f x)", "(and x true)", "(+ x true)", "((_ f 1) x)", "(let x)",
		"(< (* 1000000000000000000000000000000000000000 x) 1)", "(ite x x x)", "1.5", "x",
	} {
		h := &Horn{Clauses: []Clause{{Vars: []*term.Term{x}}}}
		tr, err := newIntegers(h)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tr.back(p, 0, text); err == nil {
			t.Errorf("%s was read as %s", text, got)
		}
	}
}

// Whatever z3 may write over integers is read right: mod and div of negative
// numbers round down.
func TestIntReader(t *testing.T) {
	p := term.NewPool()
	x, y := p.Var("x", term.BV(4)), p.Var("y", term.BV(4))
	floor := func(a, b int64) int64 { return (a - ((a%b)+b)%b) / b }
	for text, want := range map[string]func(x, y int64) bool{
		"(<= (+ (* 3 x) (* (- 2) y)) 7)":             func(x, y int64) bool { return 3*x-2*y <= 7 },
		"(= (mod (- x y) 3) 2)":                      func(x, y int64) bool { return x-y-3*floor(x-y, 3) == 2 },
		"(>= (div (* 5 x) 4) (- y))":                 func(x, y int64) bool { return floor(5*x, 4) >= -y },
		"(let ((a (- x 1)) (x y)) (distinct a x 0))": func(x, y int64) bool { return x-1 != y && x != 1 && y != 0 },
		"(=> (< x y) (> x 3) (not (= x 5)))":         func(x, y int64) bool { return !(x < y) || !(x > 3) || x != 5 },
		"(< (ite (xor (< x 0) (< y 0)) (- x) x) y)": func(x, y int64) bool {
			if (x < 0) != (y < 0) {
				return -x < y
			}
			return x < y
		},
	} {
		h := &Horn{Clauses: []Clause{{Vars: []*term.Term{x, y}}}}
		tr, err := newIntegers(h)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tr.back(p, 0, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		models([]*term.Term{x, y}, func(m term.Model) {
			if term.Holds(got, m) != want(m[x].Int64(4), m[y].Int64(4)) {
				t.Fatalf("%s under %s is %v", text, m, term.Holds(got, m))
			}
		})
	}
}

func z3(t *testing.T) Command {
	t.Helper()
	return program(t, "z3")
}

// system is a Horn system with what is known of it.
type system struct {
	name string
	h    *Horn
	want solve.Verdict
	// What integers say, if not the same.
	ints, ignoring solve.Verdict
	refused        bool
}

func systems(p *term.Pool) []system {
	x, y := p.Var("x", term.BV(8)), p.Var("y", term.BV(8))
	b := p.Var("b", term.BoolSort)
	k := func(n int64) *term.Term { return p.Int(8, n) }
	one := []Predicate{{"inv", []term.Sort{term.BV(8)}}}
	app := func(ts ...*term.Term) *App { return &App{0, ts} }
	// A counter by twos: its parity is an invariant, its range is not.
	counter := func(bad *term.Term) *Horn {
		return &Horn{one, []Clause{
			{Head: app(k(0))},
			{Vars: []*term.Term{x}, Calls: []App{*app(x)}, Head: app(p.Add(x, k(2)))},
			{Vars: []*term.Term{x}, Calls: []App{*app(x)}, Body: bad},
		}}
	}
	bounded := func(limit int64) *Horn {
		return &Horn{one, []Clause{
			{Head: app(k(0))},
			{Vars: []*term.Term{x, y}, Calls: []App{*app(x)}, Body: p.And(p.SLt(x, k(100)), p.Eq(y, p.Add(x, k(3)))), Head: app(y)},
			{Vars: []*term.Term{x}, Calls: []App{*app(x)}, Body: p.SGt(x, k(limit))},
		}}
	}
	// Two counters that differ by one, in a predicate with a bool and an enum.
	e := &term.Enum{Name: "phase", Values: []string{"idle", "busy", "done"}}
	ph, ph2 := p.Var("ph", term.EnumOf(e)), p.Var("ph2", term.EnumOf(e))
	ev := func(s string) *term.Term { return p.EnumValue(e, s) }
	phases := func(bad *term.Term) *Horn {
		return &Horn{[]Predicate{{"at", []term.Sort{term.EnumOf(e), term.BV(8), term.BoolSort}}}, []Clause{
			{Head: app(ev("idle"), k(0), p.False())},
			{Vars: []*term.Term{ph, ph2, x, b}, Calls: []App{*app(ph, x, b)}, Body: p.And(p.Eq(ph, ev("idle")), p.Eq(ph2, ev("busy"))), Head: app(ph2, k(1), p.Not(b))},
			{Vars: []*term.Term{ph, x, b}, Calls: []App{*app(ph, x, b)}, Body: p.Eq(ph, ev("busy")), Head: app(ev("done"), p.Add(x, k(1)), b)},
			{Vars: []*term.Term{ph, x, b}, Calls: []App{*app(ph, x, b)}, Body: p.Eq(ph, ev("done")), Head: app(ev("idle"), k(0), p.Not(b))},
			{Vars: []*term.Term{ph, x, b}, Calls: []App{*app(ph, x, b)}, Body: bad},
		}}
	}
	return []system{
		{name: "parity", h: counter(p.Eq(p.Extract(0, 0, x), p.Int(1, 1))), want: solve.Sat, ints: solve.Unknown, ignoring: solve.Sat},
		{name: "parity refuted", h: counter(p.Eq(x, k(16))), want: solve.Unsat},
		{name: "wraps", h: counter(p.SLt(x, k(0))), want: solve.Unsat, ints: solve.Unknown, ignoring: solve.Sat},
		{name: "bounded", h: bounded(102), want: solve.Sat},
		{name: "bounded refuted", h: bounded(101), want: solve.Unsat},
		{name: "phases", h: phases(p.And(p.Eq(ph, ev("done")), p.Ne(x, k(2)))), want: solve.Sat},
		{name: "phases by flag", h: phases(p.Xor(b, p.Ne(ph, ev("idle")))), want: solve.Sat},
		{name: "phases refuted", h: phases(p.And(p.Eq(ph, ev("done")), p.Eq(x, k(2)))), want: solve.Unsat},
		{name: "bitwise", h: counter(p.Eq(p.BVAnd(x, p.Add(x, k(1)), k(3)), k(3))), want: solve.Sat, refused: true},
		{name: "altbit", h: altBit(p, 0), want: solve.Sat, ints: solve.Unknown, ignoring: solve.Sat},
		{name: "altbit, wrong edge", h: altBit(p, 3), want: solve.Unsat},
		{name: "altbit, wrong verdict", h: altBit(p, 4), want: solve.Unsat},
		{name: "no clauses", h: &Horn{Predicates: one}, want: solve.Sat},
		{name: "no arguments", h: &Horn{[]Predicate{{Name: "p"}}, []Clause{{Head: &App{}}, {Calls: []App{{}}}}}, want: solve.Unsat},
	}
}

// altBit is the product of the alternating-bit receiver with its interface of four
// states: one predicate for each state over the receiver's variables expect and
// empty, one clause for each state, call and path. A wrong edge or verdict, by
// number of the state from 1, makes it refutable.
func altBit(p *term.Pool, wrong int) *Horn {
	expect, empty := p.Var("expect", term.BV(8)), p.Var("empty", term.BoolSort)
	vars := []*term.Term{expect, empty}
	odd := p.Eq(p.Extract(0, 0, expect), p.Int(1, 1))
	h := &Horn{Clauses: []Clause{{Head: &App{0, []*term.Term{p.Int(8, 0), p.True()}}}}}
	for _, n := range []string{"E0", "F0", "E1", "F1"} {
		h.Predicates = append(h.Predicates, Predicate{n, []term.Sort{term.BV(8), term.BoolSort}})
	}
	// By symbol: where the call succeeds, and what it does.
	next := p.Add(expect, p.Int(8, 1))
	symbols := []struct {
		ok    *term.Term
		after []*term.Term
	}{
		{p.And(empty, p.Not(odd)), []*term.Term{next, p.False()}},         // msg, even
		{p.And(p.Not(empty), odd), []*term.Term{expect, p.True()}},        // ack 0
		{p.And(empty, odd), []*term.Term{next, p.False()}},                // msg, odd
		{p.And(p.Not(empty), p.Not(odd)), []*term.Term{expect, p.True()}}, // ack 1
		{p.False(), vars}, // ack of anything else
	}
	for s := range h.Predicates {
		for m, sym := range symbols {
			calls := []App{{s, vars}}
			to := (s + 1) % 4
			allowed := m == s
			if s+1 == wrong {
				to = 0
			}
			if s+2 == wrong && m == 4 {
				allowed = true
			}
			if !allowed {
				h.Clauses = append(h.Clauses, Clause{vars, sym.ok, calls, nil})
				continue
			}
			h.Clauses = append(h.Clauses,
				Clause{vars, p.Not(sym.ok), calls, nil},
				Clause{vars, sym.ok, calls, &App{to, sym.after}})
		}
	}
	return h
}

func TestSolveHorn(t *testing.T) {
	cmd := z3(t)
	for _, theory := range []Theory{BitVectors, Integers} {
		for _, overflow := range []Overflow{Forbidden, Ignored} {
			p := term.NewPool()
			for _, s := range systems(p) {
				want := s.want
				switch {
				case theory == BitVectors && overflow == Ignored:
					continue
				case theory == Integers && overflow == Forbidden && (s.ints != s.ignoring):
					want = s.ints
				case theory == Integers && overflow == Ignored && s.ignoring != solve.Unknown:
					want = s.ignoring
				}
				check, err := New(cmd, Options{})
				if err != nil {
					t.Fatal(err)
				}
				r, err := SolveHorn(t.Context(), p, s.h, HornOptions{Command: cmd, Theory: theory, Overflow: overflow, Timeout: 20 * time.Second, Check: check})
				check.Close()
				if s.refused && theory == Integers {
					var bad *TheoryError
					if !errors.As(err, &bad) {
						t.Errorf("%s: %v %v, want a refusal", s.name, r.Verdict, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s, theory %d, overflow %d: %v", s.name, theory, overflow, err)
					continue
				}
				if r.Verdict != want {
					t.Errorf("%s, theory %d, overflow %d: %v %s, want %v", s.name, theory, overflow, r.Verdict, r.Reason, want)
				}
				if r.Verdict == solve.Unknown && r.Reason == "" {
					t.Errorf("%s: unknown without a reason", s.name)
				}
			}
		}
	}
}

// Invariants that do not make the clauses valid are an error that names the
// process.
func TestHornCheck(t *testing.T) {
	p := term.NewPool()
	var h *Horn
	for _, s := range systems(p) {
		if s.name == "bounded" {
			h = s.h
		}
	}
	cmd := z3(t)
	check, err := New(cmd, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer check.Close()
	for _, c := range []struct{ body, want string }{
		{"true", "do not make clause 2 valid"},
		{"false", "do not make clause 0 valid"},
		{"(<= x 50)", "do not make clause 1 valid"},
		{"(<= x 102)", ""},
		{"(exists ((y Int)) (= y x))", "model not readable"},
		{"(bvule x #x01)", "model not readable"},
	} {
		fake := fakeCommand(t, "(", "sat", "((define-fun ~p!0 ((x Int)) Bool "+c.body+"))")
		r, err := SolveHorn(t.Context(), p, h, HornOptions{Command: fake, Theory: Integers, Check: check})
		got := r.Reason
		if err != nil {
			got = err.Error()
			if !strings.Contains(got, fake.Name) {
				t.Errorf("%s: %q does not name the solver", c.body, got)
			}
		}
		if !strings.Contains(got, c.want) || c.want == "" && r.Verdict != solve.Sat {
			t.Errorf("%s: %v %q, want %q", c.body, r.Verdict, got, c.want)
		}
	}
}

func TestHornEnds(t *testing.T) {
	p := term.NewPool()
	h := systems(p)[0].h
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := SolveHorn(ctx, p, h, HornOptions{Command: fakeCommand(t, "hang")}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: %v", err)
	}
	r, err := SolveHorn(t.Context(), p, h, HornOptions{Command: fakeCommand(t, "hang"), Timeout: 50 * time.Millisecond})
	if err != nil || r.Verdict != solve.Unknown || !strings.Contains(r.Reason, "no answer within 50ms") {
		t.Errorf("late: %v %v", r, err)
	}
	if _, err := SolveHorn(t.Context(), p, h, HornOptions{Command: fakeCommand(t, "crash")}); err == nil || !strings.Contains(err.Error(), "died") {
		t.Errorf("crashed: %v", err)
	}
	r, err = SolveHorn(t.Context(), p, h, HornOptions{Command: fakeCommand(t, "(", "unknown", `(:reason-unknown "bored")`)})
	if err != nil || r.Verdict != solve.Unknown || !strings.Contains(r.Reason, "bored") {
		t.Errorf("unknown: %v %v", r, err)
	}
	h = &Horn{Clauses: []Clause{{Body: p.Var("z", term.BoolSort)}}}
	if _, err := SolveHorn(t.Context(), p, h, HornOptions{Command: fakeCommand(t, "crash")}); err == nil || !strings.Contains(err.Error(), "variable z is free") {
		t.Errorf("free variable: %v", err)
	}
}
