// SPDX-License-Identifier: Apache-2.0

package bv

// These tests compare the solver with evaluation under all assignments, at widths
// where all can be tried. Every refutation of the sat solver is checked
// (Options.Certify).

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/sat"
	"github.com/interlock-go/interlock/internal/solve/solvetest"
	"github.com/interlock-go/interlock/internal/term"
)

var ctx = context.Background()

// scale multiplies loop counts where there is time.
func scale(n int) int {
	if os.Getenv("CI") == "true" {
		return 10 * n
	}
	if testing.Short() {
		return n / 4
	}
	return n
}

func holds(ts []*term.Term, m term.Model) bool {
	for _, t := range ts {
		if !term.Holds(t, m) {
			return false
		}
	}
	return true
}

func satisfiable(ts []*term.Term) bool { return solvetest.AnyModel(ts) != nil }

// check compares an answer with brute force.
func check(t *testing.T, ts []*term.Term, r solve.Result) {
	t.Helper()
	switch r.Verdict {
	case solve.Sat:
		if !holds(ts, r.Model) {
			t.Fatalf("model %v does not satisfy %v", r.Model, ts)
		}
		// Absent variables are free: any value must do.
		m := make(term.Model)
		for _, v := range term.FreeVars(ts...) {
			if x, ok := r.Model[v]; ok {
				m[v] = x
			} else {
				m[v] = term.Value{Lo: 1}
			}
		}
		if !holds(ts, m) {
			t.Fatalf("model %v of %v depends on absent variables", r.Model, ts)
		}
	case solve.Unsat:
		if satisfiable(ts) {
			t.Fatalf("unsat: %v", ts)
		}
		if satisfiable(r.Core) {
			t.Fatalf("core %v of %v is satisfiable", r.Core, ts)
		}
		for _, c := range r.Core {
			found := false
			for _, x := range ts {
				found = found || x == c
			}
			if !found {
				t.Fatalf("core %v is not part of %v", r.Core, ts)
			}
		}
	default:
		t.Fatalf("unknown: %s", r.Reason)
	}
}

var enums = []*term.Enum{{Name: "e", Values: []string{"a", "b", "c"}}, {Name: "f", Values: []string{"u", "v", "w", "x", "y"}}}

func TestRandomQuestions(t *testing.T) {
	for _, opt := range []Options{{Certify: true}, {Certify: true, SearchOnly: true}, {Certify: true, MinimizeCores: true}} {
		t.Run(fmt.Sprintf("%+v", opt), func(t *testing.T) {
			var count [3]int
			for seed := range scale(60) {
				w := 1 + seed%3
				p := term.NewPool()
				g := solvetest.NewGen(p, uint64(seed), w)
				if seed%2 == 0 {
					g.Enums = enums[seed/2%2 : seed/2%2+1]
				}
				s := New(opt)
				for range 20 {
					var as []*term.Term
					for range 1 + g.Rand.IntN(4) {
						as = append(as, g.Bool(3))
					}
					r, err := s.Check(ctx, as...)
					if err != nil {
						t.Fatal(err)
					}
					check(t, as, r)
					count[r.Verdict]++
					if opt.MinimizeCores {
						for i := range r.Core {
							less := append(append([]*term.Term(nil), r.Core[:i]...), r.Core[i+1:]...)
							if r.Verdict == solve.Unsat && !satisfiable(less) {
								t.Fatalf("core %v is not minimal", r.Core)
							}
						}
					}
				}
			}
			if min(count[solve.Sat], count[solve.Unsat]) < 20 {
				t.Fatalf("one-sided: %v", count)
			}
		})
	}
}

// TestScopes asks questions in random scopes of one solver, which starts afresh
// all the time in one variant.
func TestScopes(t *testing.T) {
	for _, opt := range []Options{{Certify: true}, {SearchOnly: true}, {MaxGates: 300}} {
		for seed := range scale(40) {
			p := term.NewPool()
			g := solvetest.NewGen(p, uint64(1000+seed), 2)
			g.Enums = enums[:1]
			s := New(opt)
			var stack []*term.Term
			var marks []int
			for range 60 {
				switch g.Rand.IntN(5) {
				case 0:
					s.Push()
					marks = append(marks, len(stack))
				case 1:
					if len(marks) > 0 {
						s.Pop()
						stack = stack[:marks[len(marks)-1]]
						marks = marks[:len(marks)-1]
					}
				case 2:
					a := g.Bool(2)
					s.Assert(a)
					stack = append(stack, a)
				default:
					ts := append([]*term.Term(nil), stack...)
					var as []*term.Term
					for range g.Rand.IntN(3) {
						as = append(as, g.Bool(2))
					}
					r, err := s.Check(ctx, as...)
					if err != nil {
						t.Fatal(err)
					}
					check(t, append(ts, as...), r)
				}
			}
			if opt.MaxGates > 0 && s.Stats().Restarts == 0 && seed == 0 {
				t.Log("never started afresh")
			}
		}
	}
}

// TestOperators solves op(x, y) == z for all operand values of small widths, with
// the operands as variables fixed by assumptions, so that nothing folds.
func TestOperators(t *testing.T) {
	type op struct {
		name string
		f    func(p *term.Pool, a, b *term.Term) *term.Term
	}
	ops := []op{
		{"add", func(p *term.Pool, a, b *term.Term) *term.Term { return p.Add(a, b) }},
		{"sub", (*term.Pool).Sub}, {"mul", func(p *term.Pool, a, b *term.Term) *term.Term { return p.Mul(a, b) }},
		{"udiv", (*term.Pool).UDiv}, {"urem", (*term.Pool).URem}, {"sdiv", (*term.Pool).SDiv}, {"srem", (*term.Pool).SRem},
		{"smod", (*term.Pool).SMod}, {"shl", (*term.Pool).Shl}, {"lshr", (*term.Pool).LShr}, {"ashr", (*term.Pool).AShr},
		{"and", func(p *term.Pool, a, b *term.Term) *term.Term { return p.BVAnd(a, b) }},
		{"or", func(p *term.Pool, a, b *term.Term) *term.Term { return p.BVOr(a, b) }},
		{"xor", func(p *term.Pool, a, b *term.Term) *term.Term { return p.BVXor(a, b) }},
		{"ult", func(p *term.Pool, a, b *term.Term) *term.Term {
			return p.Ite(p.ULt(a, b), p.Int(a.Sort().Width, 1), p.Int(a.Sort().Width, 0))
		}},
		{"sle", func(p *term.Pool, a, b *term.Term) *term.Term {
			return p.Ite(p.SLe(a, b), p.Int(a.Sort().Width, 1), p.Int(a.Sort().Width, 0))
		}},
	}
	for k := range 16 {
		c := int64(k)
		ops = append(ops, op{fmt.Sprintf("times%d", k), func(p *term.Pool, a, b *term.Term) *term.Term {
			return p.Add(p.Mul(p.Int(a.Sort().Width, c), a), b)
		}}, op{fmt.Sprintf("minus%d", k), func(p *term.Pool, a, b *term.Term) *term.Term {
			return p.Sub(p.Sub(p.Int(a.Sort().Width, 3), b), p.Mul(p.Int(a.Sort().Width, c), a))
		}})
	}
	for w := 1; w <= 5; w++ {
		for _, op := range ops {
			p := term.NewPool()
			x, y, z := p.Var("x", term.BV(w)), p.Var("y", term.BV(w)), p.Var("z", term.BV(w))
			f := op.f(p, x, y)
			s := New(Options{SearchOnly: true})
			s.Assert(p.Eq(f, z))
			for a := range int64(1) << w {
				for b := range int64(1) << w {
					r, err := s.Check(ctx, p.Eq(x, p.Int(w, a)), p.Eq(y, p.Int(w, b)))
					if err != nil || r.Verdict != solve.Sat {
						t.Fatalf("%s at width %d: %v %v", op.name, w, r, err)
					}
					want := term.Eval(f, term.Model{x: term.ValueOf(w, a), y: term.ValueOf(w, b)})
					if r.Model[z] != want {
						t.Fatalf("%s(%d, %d) at width %d is %v, want %v", op.name, a, b, w, r.Model[z], want)
					}
				}
			}
		}
	}
}

// TestWide samples operands of 32, 64, 65 and 128 bits.
func TestWide(t *testing.T) {
	for _, w := range []int{16, 32, 64, 65, 128} {
		p := term.NewPool()
		g := solvetest.NewGen(p, uint64(w), w)
		g.MaxWidth = 128
		s := New(Options{SearchOnly: true})
		for i := range scale(60) {
			f := g.BV(w, 2)
			vars := term.FreeVars(f)
			m := make(term.Model)
			var as []*term.Term
			for _, v := range vars {
				if v.Sort() == term.BoolSort {
					m[v] = term.BoolValue(g.Rand.IntN(2) == 0)
				} else {
					m[v] = g.Value(w)
				}
				as = append(as, p.Eq(v, p.Const(v.Sort(), m[v])))
			}
			z := p.Var(fmt.Sprintf("z%d", i), term.BV(w))
			r, err := s.Check(ctx, append(as, p.Eq(f, z))...)
			if err != nil || r.Verdict != solve.Sat {
				t.Fatalf("%v: %v %v", f, r, err)
			}
			if want := term.Eval(f, m); r.Model[z] != want {
				t.Fatalf("%v under %v is %v, want %v", f, m, r.Model[z], want)
			}
		}
	}
}

// TestEvaluator compares the evaluator of models with that of terms.
func TestEvaluator(t *testing.T) {
	for _, w := range []int{1, 3, 8, 31, 64, 100} {
		p := term.NewPool()
		g := solvetest.NewGen(p, uint64(w), w)
		g.MaxWidth = 128
		g.Enums = enums
		s := New(Options{})
		for range scale(100) {
			f := g.BV(w, 4)
			m := &model{vars: make(term.Model)}
			for _, v := range term.FreeVars(f) {
				switch {
				case v.Sort().Kind == term.BitVecKind:
					m.vars[v] = g.Value(w)
				case g.Rand.IntN(2) == 0:
					m.vars[v] = term.Value{Lo: 1}
				}
			}
			if got, want := s.eval(m, f), term.Eval(f, m.vars); got != want {
				t.Fatalf("%v under %v is %v, want %v", f, m.vars, got, want)
			}
		}
	}
}

// TestBounds compares the first sieve with brute force: it must never refute
// what is satisfiable, and must refute something.
func TestBounds(t *testing.T) {
	refuted := 0
	for seed := range scale(4000) {
		p := term.NewPool()
		w := 2 + seed%3
		g := solvetest.NewGen(p, uint64(seed), w)
		g.Light = true
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		s := New(Options{})
		var ts []*term.Term
		for range 2 + rng.IntN(5) {
			a := g.BV(w, rng.IntN(3))
			b := g.BV(w, rng.IntN(2))
			if seed%2 == 0 { // many bounds of few terms
				x, y := p.Var(fmt.Sprintf("v%d_0", w), term.BV(w)), p.Var(fmt.Sprintf("v%d_1", w), term.BV(w))
				a = []*term.Term{x, y, x, y, p.Sub(x, y), p.Neg(x), p.Add(x, y), p.Add(x, p.Int(w, 1))}[rng.IntN(8)]
				b = []*term.Term{x, y, p.Const(term.BV(w), g.Value(w)), p.Const(term.BV(w), g.Value(w))}[rng.IntN(4)]
				if rng.IntN(2) == 0 {
					a, b = b, a
				}
			}
			var c *term.Term
			switch rng.IntN(6) {
			case 0:
				c = p.Eq(a, b)
			case 1:
				c = p.Ne(a, b)
			case 2:
				c = p.SLt(a, b)
			case 3:
				c = p.Not(p.SLt(a, b))
			case 4:
				c = p.ULt(a, b)
			default:
				c = p.Or(g.Bool(1), p.ULe(a, b))
			}
			ts = append(ts, c)
		}
		half := len(ts) / 2
		for _, c := range ts[:half] {
			s.Assert(c)
		}
		core, dead := s.byBounds(ts[half:])
		if !dead {
			continue
		}
		refuted++
		if satisfiable(core) {
			t.Fatalf("seed %d: bounds refute %v of %v", seed, core, ts)
		}
		s.facts.rewind(0)
		if len(s.facts.known) != 0 || s.facts.isDead {
			t.Fatalf("seed %d: facts remain: %v", seed, s.facts)
		}
	}
	if refuted < scale(4000)/20 {
		t.Fatalf("only %d refuted", refuted)
	}
}

func TestBudgetAndCancellation(t *testing.T) {
	p := term.NewPool()
	a, b := p.Var("a", term.BV(32)), p.Var("b", term.BV(32))
	hard := p.And(p.Eq(p.Mul(p.ZeroExt(32, a), p.ZeroExt(32, b)), p.Int(64, 4294967291*3+2)), p.UGt(a, p.Int(32, 1)), p.UGt(b, p.Int(32, 1)))
	s := New(Options{Conflicts: 50})
	s.Assert(hard)
	r, err := s.Check(ctx)
	if err != nil || r.Verdict != solve.Unknown || r.Reason == "" {
		t.Fatalf("%v %v, want unknown with a reason", r, err)
	}
	c, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Check(c); err != context.Canceled {
		t.Fatalf("error %v, want that of the context", err)
	}
	if r, err := s.Check(ctx, p.False()); err != nil || r.Verdict != solve.Unsat {
		t.Fatalf("%v %v after a cancelled question", r, err)
	}
}

// TestMemory asks questions about ever new terms of one solver, which must not keep
// what is popped.
func TestMemory(t *testing.T) {
	const limit = 20000
	w := solvetest.Paths(7, 20, 20)
	s := New(Options{MaxGates: limit})
	most := 0
	err := w.Run(ctx, s, nil, func(solvetest.Answer) { most = max(most, s.Gates(), s.sat.NumVars()) })
	if err != nil {
		t.Fatal(err)
	}
	// A path at the end of a full graph may go a little beyond.
	if restarts := s.Stats().Restarts; restarts == 0 || most > 2*limit {
		t.Fatalf("%d gates at most, %d restarts", most, restarts)
	}
}

// TestDeterminism makes the same calls twice.
func TestDeterminism(t *testing.T) {
	var first []string
	for round := range 2 {
		w := solvetest.Paths(3, 4, 15)
		s := New(Options{})
		i := 0
		err := w.Run(ctx, s, nil, func(a solvetest.Answer) {
			text := fmt.Sprint(a.Result.Verdict, a.Result.Core)
			for i := range 6 {
				for _, width := range []int{32, 64} {
					text += fmt.Sprint(a.Result.Model[w.Pool.Var(fmt.Sprintf("p%d_%d", width, i), term.BV(width))])
				}
			}
			if round == 0 {
				first = append(first, text)
			} else if first[i] != text {
				t.Fatalf("question %d: %s, then %s", i, first[i], text)
			}
			i++
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCNF solves the clauses that are written for other solvers.
func TestCNF(t *testing.T) {
	for seed := range scale(200) {
		p := term.NewPool()
		g := solvetest.NewGen(p, uint64(seed), 2)
		g.Enums = enums[:1]
		ts := []*term.Term{g.Bool(3), g.Bool(2)}
		u := sat.New(sat.Options{})
		u.Load(CNF(ts...))
		st, err := u.Solve(ctx, sat.Query{})
		if want := satisfiable(ts); err != nil || (st == sat.Sat) != want {
			t.Fatalf("seed %d: %v %v, want %v: %v", seed, st, err, want, ts)
		}
	}
}

func FuzzQuestions(f *testing.F) {
	f.Add(uint64(1), uint8(2), uint8(3))
	f.Add(uint64(7), uint8(1), uint8(4))
	f.Fuzz(func(t *testing.T, seed uint64, width, depth uint8) {
		p := term.NewPool()
		g := solvetest.NewGen(p, seed, 1+int(width%3))
		g.Enums = enums[:1]
		ts := []*term.Term{g.Bool(int(depth % 5)), g.Bool(2)}
		s := New(Options{Certify: true})
		s.Assert(ts[0])
		r, err := s.Check(ctx, ts[1])
		if err != nil {
			t.Fatal(err)
		}
		check(t, ts, r)
	})
}
