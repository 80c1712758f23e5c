// SPDX-License-Identifier: Apache-2.0

package solvetest

// This file is the suite that every solver must pass: scripts with expected
// answers, enums, projections, random scopes and random terms. Each model is
// evaluated, each core is refuted again by a new solver of the same kind. It
// compares with evaluation, not with another solver; package solve's tests
// compare solvers with each other.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A Backend makes solvers of one kind.
type Backend struct {
	Name string
	// Open returns a new solver; it may skip the test.
	Open func(t testing.TB) solve.Solver
	// Cores says whether cores name asserted terms.
	Cores bool
}

// Conform runs the suite. Rounds is the number of random sequences of questions.
func Conform(t *testing.T, b Backend, rounds int) {
	t.Run("scripts", b.scripts)
	t.Run("enums", b.enums)
	t.Run("projection", b.projection)
	t.Run("scopes", func(t *testing.T) { b.scopes(t, rounds) })
	t.Run("cancel", b.cancel)
}

// Verify checks the evidence of an answer to a question.
func (b Backend) Verify(t testing.TB, stack, assumptions []*term.Term, r solve.Result) {
	t.Helper()
	all := append(slices.Clone(stack), assumptions...)
	switch r.Verdict {
	case solve.Sat:
		for _, c := range all {
			if !term.Holds(c, r.Model) {
				t.Fatalf("model %v does not satisfy %v", r.Model, c)
			}
		}
		for v, x := range r.Model {
			if !v.Sort().Valid(x) {
				t.Fatalf("model: %v is not a value of %v", x, v)
			}
		}
	case solve.Unsat:
		core := slices.Clone(r.Core)
		for _, c := range core {
			if !slices.Contains(all, c) {
				t.Fatalf("core has %v, which was not asked", c)
			}
		}
		if !b.Cores {
			core = append(core, stack...)
		}
		s := b.Open(t)
		defer s.Close()
		for _, c := range core {
			s.Assert(c)
		}
		again, err := s.Check(context.Background())
		if err != nil || again.Verdict != solve.Unsat {
			t.Fatalf("core %v of %v is %v (%v)", r.Core, all, again.Verdict, err)
		}
	}
}

// Each script has its expected answers behind //.
var scripts = []struct{ name, text string }{
	{"constants", `(check-sat) (assert true) (check-sat) (push) (assert false) (check-sat) (pop) (check-sat) // sat sat unsat sat`},
	{"propositional", `(declare-const a Bool) (declare-const b Bool)
		(assert (or a b)) (check-sat-assuming ((not a))) (check-sat-assuming ((not a) (not b))) (check-sat-assuming (a b))
		(assert (= a (not b))) (check-sat-assuming (a b)) (check-sat) // sat unsat sat unsat sat`},
	{"overflow", `(declare-const x (_ BitVec 32))
		(check-sat-assuming ((bvslt (bvadd x #x00000001) x)))
		(assert (bvslt x #x7fffffff)) (check-sat-assuming ((bvslt (bvadd x #x00000001) x))) // sat unsat`},
	{"division", `(declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8))
		(assert (not (= (bvadd (bvmul (bvudiv x y) y) (bvurem x y)) x))) (check-sat)
		// unsat`},
	{"division by zero", `(declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8))
		(assert (= y #x00)) (push) (assert (not (= (bvudiv x y) #xff))) (check-sat) (pop)
		(push) (assert (not (= (bvurem x y) x))) (check-sat) (pop)
		(push) (assert (= (bvsdiv x y) #x01)) (check-sat) (assert (bvsge x #x00)) (check-sat) (pop) // unsat unsat sat unsat`},
	{"shift", `(declare-const x (_ BitVec 16)) (declare-const n (_ BitVec 16))
		(assert (bvuge n #x0010)) (check-sat-assuming ((not (= (bvshl x n) #x0000))))
		(check-sat-assuming ((= (bvashr x n) #xffff))) (check-sat-assuming ((= (bvashr x n) #x0001))) // unsat sat unsat`},
	{"masks", `(declare-const x (_ BitVec 64))
		(assert (= (bvand x #x00000000000000ff) #x0000000000000042))
		(check-sat-assuming ((= ((_ extract 7 0) x) #x42))) (check-sat-assuming ((= ((_ extract 3 0) x) #x3)))
		(check-sat-assuming ((bvult x #x0000000000000042))) // sat unsat unsat`},
	{"scopes", `(declare-const x (_ BitVec 8)) (push) (assert (bvult x #x05)) (push) (assert (bvugt x #x05)) (check-sat) (pop)
		(check-sat) (push) (assert (= x #x04)) (check-sat) (pop 2) (check-sat-assuming ((= x #xff))) // unsat sat sat sat`},
	{"ite", `(declare-const c Bool) (declare-const x (_ BitVec 32)) (define-fun f ((z (_ BitVec 32))) (_ BitVec 32) (ite c (bvadd z #x00000001) (bvsub z #x00000001)))
		(assert (= (f (f x)) x)) (check-sat) // unsat`},
	{"wide", `(declare-const x (_ BitVec 128)) (declare-const y (_ BitVec 128))
		(assert (= (concat ((_ extract 63 0) x) ((_ extract 127 64) x)) y)) (assert (bvult x y)) (check-sat)
		(assert (= ((_ extract 63 0) x) ((_ extract 127 64) x))) (check-sat) // sat unsat`},
	{"strange names", `(declare-const |a b| Bool) (declare-const |+| (_ BitVec 4)) (declare-const $1 Bool)
		(assert (= |a b| (= |+| #x3))) (assert (=> |a b| $1)) (check-sat-assuming (|a b|)) (check-sat-assuming (|a b| (not $1))) // sat unsat`},
}

func (b Backend) scripts(t *testing.T) {
	for _, sc := range scripts {
		text, want, _ := strings.Cut(sc.text, "//")
		p := term.NewPool()
		script, err := term.ParseScript(p, sc.name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s := b.Open(t)
		var got []string
		var stack []*term.Term
		var marks []int
		for _, c := range script.Commands {
			switch c.Kind {
			case term.Assert:
				s.Assert(c.Term)
				stack = append(stack, c.Term)
			case term.Push:
				for range c.N {
					s.Push()
					marks = append(marks, len(stack))
				}
			case term.Pop:
				for range c.N {
					s.Pop()
					stack = stack[:marks[len(marks)-1]]
					marks = marks[:len(marks)-1]
				}
			case term.CheckSat, term.CheckSatAssuming:
				r, err := s.Check(context.Background(), c.Terms...)
				if err != nil {
					t.Fatalf("%s: %v", sc.name, err)
				}
				b.Verify(t, stack, c.Terms, r)
				got = append(got, r.Verdict.String())
			}
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %v, want %s", sc.name, got, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// enums checks that values outside of a domain do not exist, also after a scope
// that first needed the domain is gone.
func (b Backend) enums(t *testing.T) {
	p := term.NewPool()
	e := &term.Enum{Name: "mode", Values: []string{"a", "b", "c", "d", "e"}}
	x, y := p.Var("x", term.EnumOf(e)), p.Var("y", term.EnumOf(e))
	var none []*term.Term
	for i := range e.Values[:4] {
		none = append(none, p.Ne(x, p.Const(term.EnumOf(e), term.Value{Lo: uint64(i)})))
	}
	last := p.Const(term.EnumOf(e), term.Value{Lo: 4})
	s := b.Open(t)
	defer s.Close()
	for range 2 {
		s.Push()
		for _, n := range none {
			s.Assert(n)
		}
		for _, q := range []struct {
			a    *term.Term
			want solve.Verdict
		}{{p.Eq(x, last), solve.Sat}, {p.Ne(x, last), solve.Unsat}, {p.And(p.Eq(x, y), p.Ne(y, last)), solve.Unsat}, {p.Ne(x, y), solve.Sat}} {
			r, err := s.Check(context.Background(), q.a)
			if err != nil || r.Verdict != q.want {
				t.Fatalf("%v: %v %v, want %v", q.a, r, err, q.want)
			}
			b.Verify(t, none, []*term.Term{q.a}, r)
		}
		s.Pop()
	}
}

func (b Backend) projection(t *testing.T) {
	p := term.NewPool()
	x, y := p.Var("x", term.BV(8)), p.Var("y", term.BV(8))
	s := b.Open(t)
	defer s.Close()
	s.Assert(p.ULt(x, p.Int(8, 10)))
	preds := []*term.Term{p.ULt(x, p.Int(8, 5)), p.ULt(x, p.Int(8, 20)), p.ULt(y, x), p.Eq(x, p.Int(8, 0))}
	n := 0
	seen := make(map[string]bool)
	err := solve.Project(context.Background(), p, s, []*term.Term{p.Ne(x, y)}, preds, func(c []solve.Lit3) bool {
		seen[fmt.Sprint(c)] = true
		n++
		return true
	})
	if err != nil || n != len(seen) {
		t.Fatalf("%v: %v", seen, err)
	}
	size := 0
	for k := range seen {
		size += 1 << strings.Count(k, "-")
	}
	if size != 5 { // x<5: y<x or not, x=0: not; x>=5: y<x or not
		t.Fatalf("%d combinations: %v", size, seen)
	}
	if r, err := s.Check(context.Background(), p.Eq(x, y)); err != nil || r.Verdict != solve.Sat {
		t.Fatalf("afterwards: %v %v", r, err)
	}
}

// scopes makes random calls on one solver. Unsat is compared with evaluation under
// random assignments, which must not satisfy.
func (b Backend) scopes(t *testing.T, rounds int) {
	for seed := range rounds {
		p := term.NewPool()
		g := NewGen(p, uint64(seed), 1+seed%6)
		g.Enums = []*term.Enum{{Name: "e", Values: []string{"a", "b", "c"}}}
		s := b.Open(t)
		var stack []*term.Term
		var marks []int
		for range 25 {
			switch g.Rand.IntN(5) {
			case 0:
				s.Push()
				marks = append(marks, len(stack))
			case 1:
				if n := len(marks) - 1; n >= 0 {
					s.Pop()
					stack = stack[:marks[n]]
					marks = marks[:n]
				}
			case 2:
				a := g.Bool(2)
				s.Assert(a)
				stack = append(stack, a)
			default:
				var as []*term.Term
				for range g.Rand.IntN(3) {
					as = append(as, g.Bool(2))
				}
				r, err := s.Check(context.Background(), as...)
				if err != nil || r.Verdict == solve.Unknown {
					t.Fatalf("seed %d: %v %v", seed, r, err)
				}
				b.Verify(t, stack, as, r)
				if r.Verdict == solve.Unsat {
					all := append(slices.Clone(stack), as...)
					for range 100 {
						if m := g.Model(all); !slices.ContainsFunc(all, func(c *term.Term) bool { return !term.Holds(c, m) }) {
							t.Fatalf("seed %d: unsat, but %v satisfies %v", seed, m, all)
						}
					}
				}
			}
		}
		s.Close()
	}
}

// cancel checks that a cancelled question is an error of the context and that the
// solver can be asked again.
func (b Backend) cancel(t *testing.T) {
	p := term.NewPool()
	x := p.Var("x", term.BV(8))
	s := b.Open(t)
	defer s.Close()
	s.Assert(p.ULt(x, p.Int(8, 3)))
	c, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := s.Check(c, p.Eq(x, p.Int(8, 2))); err != context.Canceled {
		t.Fatalf("%v, error %v; want that of the context", r, err)
	}
	if r, err := s.Check(context.Background(), p.Eq(x, p.Int(8, 2))); err != nil || r.Verdict != solve.Sat {
		t.Fatalf("afterwards: %v %v", r, err)
	}
}
