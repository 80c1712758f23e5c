// SPDX-License-Identifier: Apache-2.0

package solve_test

// One suite for all solvers. Scripts with expected answers are run on each; each
// model is evaluated, each core is refuted again. Solvers that are not installed
// are skipped, unless CI is "true".

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/internal/solve/smtlib"
	"github.com/interlock-go/interlock/internal/term"
)

var ctx = context.Background()

// ci says whether everything must be there and there is time.
func ci() bool { return os.Getenv("CI") == "true" }

type backend struct {
	name string
	open func(t testing.TB) solve.Solver
	// cores says whether cores name asserted terms.
	cores bool
}

func external(name, solver string, opt smtlib.Options) backend {
	return backend{name: name, cores: opt.Cores, open: func(t testing.TB) solve.Solver {
		c, err := smtlib.Find(solver)
		if err != nil {
			if ci() {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		s, err := smtlib.New(c, opt)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}}
}

func embedded(name string, opt bv.Options) backend {
	return backend{name: name, cores: true, open: func(testing.TB) solve.Solver { return bv.New(opt) }}
}

func backends() []backend {
	limit := 30 * time.Second
	return []backend{
		embedded("embedded", bv.Options{Certify: true}),
		embedded("search", bv.Options{Certify: true, SearchOnly: true, MinimizeCores: true}),
		{name: "decorated", cores: true, open: func(testing.TB) solve.Solver {
			return solve.Count(solve.Cache(solve.Budget(bv.New(bv.Options{}), 1<<40), 100))
		}},
		external("z3", "z3", smtlib.Options{Timeout: limit}),
		external("z3-scopes", "z3", smtlib.Options{Timeout: limit, Scopes: true, Cores: true}),
		external("z3-cores", "z3", smtlib.Options{Timeout: limit, Cores: true}),
		external("cvc5", "cvc5", smtlib.Options{Timeout: limit}),
		external("cvc5-scopes", "cvc5", smtlib.Options{Timeout: limit, Scopes: true, Cores: true}),
		external("cvc5-cores", "cvc5", smtlib.Options{Timeout: limit, Cores: true}),
	}
}

// verify checks the evidence of an answer.
func verify(t testing.TB, cores bool, stack, assumptions []*term.Term, r solve.Result) {
	t.Helper()
	all := append(slices.Clone(stack), assumptions...)
	switch r.Verdict {
	case solve.Sat:
		for _, c := range all {
			if !term.Holds(c, r.Model) {
				t.Fatalf("model %v does not satisfy %v", r.Model, c)
			}
		}
	case solve.Unsat:
		core := slices.Clone(r.Core)
		for _, c := range core {
			if !slices.Contains(all, c) {
				t.Fatalf("core has %v, which was not asked", c)
			}
		}
		if !cores {
			core = append(core, stack...)
		}
		again, err := bv.New(bv.Options{SearchOnly: true}).Check(ctx, core...)
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

func TestScripts(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			for _, sc := range scripts {
				text, want, _ := strings.Cut(sc.text, "//")
				p := term.NewPool()
				script, err := term.ParseScript(p, sc.name, []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				s := b.open(t)
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
						r, err := s.Check(ctx, c.Terms...)
						if err != nil {
							t.Fatalf("%s: %v", sc.name, err)
						}
						verify(t, b.cores, stack, c.Terms, r)
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
		})
	}
}

// TestEnums checks that values outside of a domain do not exist, also after a
// scope that first needed the domain is gone.
func TestEnums(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			p := term.NewPool()
			e := &term.Enum{Name: "mode", Values: []string{"a", "b", "c", "d", "e"}}
			x, y := p.Var("x", term.EnumOf(e)), p.Var("y", term.EnumOf(e))
			var none []*term.Term
			for i := range e.Values[:4] {
				none = append(none, p.Ne(x, p.Const(term.EnumOf(e), term.Value{Lo: uint64(i)})))
			}
			last := p.Const(term.EnumOf(e), term.Value{Lo: 4})
			s := b.open(t)
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
					r, err := s.Check(ctx, q.a)
					if err != nil || r.Verdict != q.want {
						t.Fatalf("%v: %v %v, want %v", q.a, r, err, q.want)
					}
					verify(t, b.cores, none, []*term.Term{q.a}, r)
					for v, val := range r.Model {
						if !v.Sort().Valid(val) {
							t.Fatalf("%v is %v", v, val)
						}
					}
				}
				s.Pop()
			}
		})
	}
}

func TestProjection(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			p := term.NewPool()
			x, y := p.Var("x", term.BV(8)), p.Var("y", term.BV(8))
			s := b.open(t)
			defer s.Close()
			s.Assert(p.ULt(x, p.Int(8, 10)))
			preds := []*term.Term{p.ULt(x, p.Int(8, 5)), p.ULt(x, p.Int(8, 20)), p.ULt(y, x), p.Eq(x, p.Int(8, 0))}
			n := 0
			seen := make(map[string]bool)
			err := solve.Project(ctx, p, s, []*term.Term{p.Ne(x, y)}, preds, func(c []solve.Lit3) bool {
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
			if r, err := s.Check(ctx, p.Eq(x, y)); err != nil || r.Verdict != solve.Sat {
				t.Fatalf("afterwards: %v %v", r, err)
			}
		})
	}
}
