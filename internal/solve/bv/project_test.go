// SPDX-License-Identifier: Apache-2.0

package bv

import (
	"fmt"
	"testing"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/solvetest"
	"github.com/interlock-go/interlock/internal/term"
)

// combinations is the set of truth values that preds have in models of ts.
func combinations(ts, preds []*term.Term) map[uint]bool {
	set := make(map[uint]bool)
	solvetest.Assignments(term.FreeVars(append(append([]*term.Term(nil), ts...), preds...)...), func(m term.Model) bool {
		if holds(ts, m) {
			k := uint(0)
			for i, p := range preds {
				if term.Holds(p, m) {
					k |= 1 << i
				}
			}
			set[k] = true
		}
		return true
	})
	return set
}

// covered is the set of combinations in cubes, or an error if two overlap.
func covered(n int, cubes [][]solve.Lit3) (map[uint]bool, error) {
	set := make(map[uint]bool)
	for _, c := range cubes {
	next:
		for k := range uint(1) << n {
			for i, l := range c {
				if l != solve.Any && (l == solve.True) != (k>>i&1 != 0) {
					continue next
				}
			}
			if set[k] {
				return nil, fmt.Errorf("cubes %v overlap", cubes)
			}
			set[k] = true
		}
	}
	return set, nil
}

func TestProject(t *testing.T) {
	cubeCount, combCount := 0, 0
	for seed := range scale(200) {
		p := term.NewPool()
		g := solvetest.NewGen(p, uint64(seed), 2)
		g.Vars = 3
		if seed%3 == 0 {
			g.Enums, g.Vars = enums[:1], 2
		}
		s := New(Options{Certify: true})
		var stack []*term.Term
		for round := range 3 {
			if round > 0 {
				s.Push()
				a := g.Bool(2)
				s.Assert(a)
				stack = append(stack, a)
			}
			as := []*term.Term{g.Bool(2)}
			var preds []*term.Term
			for range 1 + g.Rand.IntN(5) {
				preds = append(preds, g.Bool(1))
			}
			ts := append(append([]*term.Term(nil), stack...), as...)
			want := combinations(ts, preds)
			for _, generic := range []bool{false, true} {
				var cubes [][]solve.Lit3
				f := func(c []solve.Lit3) bool {
					cubes = append(cubes, c)
					return true
				}
				var err error
				if generic {
					err = solve.Project(ctx, p, struct{ solve.Solver }{s}, as, preds, f)
				} else {
					err = solve.Project(ctx, p, s, as, preds, f)
					cubeCount += len(cubes)
					combCount += len(want)
				}
				if err != nil {
					t.Fatal(err)
				}
				got, err := covered(len(preds), cubes)
				if err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("seed %d: %v of %v: %v, want %v", seed, preds, ts, got, want)
				}
			}
			// The enumeration leaves no trace.
			r, err := s.Check(ctx, as...)
			if err != nil {
				t.Fatal(err)
			}
			check(t, ts, r)
		}
	}
	t.Logf("%d combinations in %d cubes", combCount, cubeCount)
	if 10*cubeCount > 9*combCount {
		t.Errorf("%d combinations in %d cubes: nothing is generalized", combCount, cubeCount)
	}
}

// TestProjectIndependent has 2^20 combinations, which must be few cubes.
func TestProjectIndependent(t *testing.T) {
	p := term.NewPool()
	var preds []*term.Term
	for i := range 20 {
		x := p.Var(fmt.Sprintf("x%d", i), term.BV(32))
		preds = append(preds, p.SLt(x, p.Int(32, int64(i))))
	}
	a := p.Var("a", term.BoolSort)
	preds = append(preds, a)
	s := New(Options{})
	s.Assert(p.Or(a, preds[0]))
	n := 0
	if err := solve.Project(ctx, p, s, nil, preds, func([]solve.Lit3) bool { n++; return n < 100 }); err != nil || n > 3 {
		t.Fatalf("%d cubes, %v", n, err)
	}
}

func TestProjectStops(t *testing.T) {
	p := term.NewPool()
	x := p.Var("x", term.BV(8))
	var preds []*term.Term
	for i := range 8 {
		preds = append(preds, p.ULt(x, p.Int(8, int64(10*i+1))))
	}
	s := New(Options{})
	n := 0
	if err := s.Project(ctx, p, nil, preds, func([]solve.Lit3) bool { n++; return n < 3 }); err != nil || n != 3 {
		t.Fatalf("%d cubes, %v; want 3", n, err)
	}
	n = 0
	if err := s.Project(ctx, p, []*term.Term{p.False()}, preds, func([]solve.Lit3) bool { n++; return true }); err != nil || n != 0 {
		t.Fatalf("%d cubes of false, %v", n, err)
	}
}

func TestExistsForall(t *testing.T) {
	var count [3]int
	for seed := range scale(300) {
		p := term.NewPool()
		g := solvetest.NewGen(p, uint64(seed), 2)
		if seed%3 == 0 {
			g.Enums = enums[:1]
		}
		f := p.Or(g.Bool(3), g.Bool(2))
		var exist, forall []*term.Term
		for i, v := range term.FreeVars(f) {
			if i%2 == seed%2 {
				exist = append(exist, v)
			} else {
				forall = append(forall, v)
			}
		}
		good := func(e term.Model) bool {
			ok := true
			solvetest.Assignments(forall, func(m term.Model) bool {
				for v, x := range e {
					m[v] = x
				}
				ok = term.Holds(f, m)
				return ok
			})
			return ok
		}
		want := solve.Unsat
		solvetest.Assignments(exist, func(m term.Model) bool {
			if good(m) {
				want = solve.Sat
			}
			return want == solve.Unsat
		})
		r, err := ExistsForall(ctx, p, Options{}, exist, forall, f, 0)
		if err != nil || r.Verdict != want {
			t.Fatalf("seed %d: exists %v forall %v %v: %v %v, want %v", seed, exist, forall, f, r, err, want)
		}
		if want == solve.Sat && !good(r.Model) {
			t.Fatalf("seed %d: %v is no witness of exists %v forall %v %v", seed, r.Model, exist, forall, f)
		}
		count[want]++
	}
	if min(count[solve.Sat], count[solve.Unsat]) < 10 {
		t.Fatalf("one-sided: %v", count)
	}
}

func TestExistsForallBudget(t *testing.T) {
	p := term.NewPool()
	x, y := p.Var("x", term.BV(16)), p.Var("y", term.BV(16))
	// No x is a multiple of every y.
	f := p.Or(p.Eq(p.URem(x, y), p.Int(16, 0)), p.Eq(x, p.Int(16, 0)), p.Eq(y, p.Int(16, 0)))
	f = p.And(f, p.Ne(x, p.Int(16, 0)))
	r, err := ExistsForall(ctx, p, Options{}, []*term.Term{x}, []*term.Term{y}, f, 1)
	if err != nil || r.Verdict != solve.Unknown || r.Reason == "" {
		t.Fatalf("%v %v, want unknown with a reason", r, err)
	}
	r, err = ExistsForall(ctx, p, Options{}, []*term.Term{x}, []*term.Term{y}, f, 0)
	if err != nil || r.Verdict != solve.Unsat {
		t.Fatalf("%v %v, want unsat", r, err)
	}
}

// TestProjectConstant has a predicate that no value makes true, which nothing but a
// search finds out.
func TestProjectConstant(t *testing.T) {
	p := term.NewPool()
	x, y := p.Var("x", term.BV(6)), p.Var("y", term.BV(6))
	preds := []*term.Term{p.Eq(p.URem(x, p.Int(6, 5)), p.Int(6, 7)), p.ULt(y, p.Int(6, 9))}
	var cubes [][]solve.Lit3
	s := New(Options{})
	if s.enc.bool(preds[0]) == no {
		t.Fatal("the predicate is simplified: it tests nothing")
	}
	err := s.Project(ctx, p, nil, preds, func(c []solve.Lit3) bool {
		cubes = append(cubes, c)
		return true
	})
	got, err2 := covered(2, cubes)
	if err != nil || err2 != nil || fmt.Sprint(got) != "map[0:true 2:true]" {
		t.Fatalf("%v covers %v: %v, %v", cubes, got, err, err2)
	}
}

// TestExistsForallTerms asks what only as many counterexamples as there are values
// would refute, if they were not generalized to terms.
func TestExistsForallTerms(t *testing.T) {
	p := term.NewPool()
	x, y := p.Var("x", term.BV(64)), p.Var("y", term.BV(64))
	z, w := p.Var("z", term.BV(64)), p.Var("w", term.BV(64))
	for _, f := range []*term.Term{
		p.Ne(x, y),
		p.Ne(x, p.Add(y, p.Int(64, 5))),
		p.Or(p.Ne(x, y), p.Ne(z, w)),
	} {
		r, err := ExistsForall(ctx, p, Options{}, []*term.Term{x, z}, []*term.Term{y, w}, f, 20)
		if err != nil || r.Verdict != solve.Unsat {
			t.Errorf("%v: %v (%s), %v, want unsat", f, r.Verdict, r.Reason, err)
		}
	}
	// What has an answer keeps it.
	r, err := ExistsForall(ctx, p, Options{}, []*term.Term{x}, []*term.Term{y}, p.ULe(x, y), 20)
	if err != nil || r.Verdict != solve.Sat || r.Model[x].Lo != 0 {
		t.Errorf("%v (%s), %v, want x = 0", r.Verdict, r.Reason, err)
	}
}
