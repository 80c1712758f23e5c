// SPDX-License-Identifier: Apache-2.0

package solve_test

// These tests run the suite of package solvetest on all solvers, and compare the
// solvers with each other on random terms. Solvers that are not installed are
// skipped, unless CI is "true".

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/internal/solve/smtlib"
	"github.com/interlock-go/interlock/internal/solve/solvetest"
	"github.com/interlock-go/interlock/internal/term"
)

var ctx = context.Background()

// ci says whether everything must be there and there is time.
func ci() bool { return os.Getenv("CI") == "true" }

func external(name, solver string, opt smtlib.Options) solvetest.Backend {
	if opt.Timeout == 0 {
		opt.Timeout = 30 * time.Second
	}
	return solvetest.Backend{Name: name, Cores: opt.Cores, Open: func(t testing.TB) solve.Solver {
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

func embedded(name string, opt bv.Options) solvetest.Backend {
	return solvetest.Backend{Name: name, Cores: true, Open: func(testing.TB) solve.Solver { return bv.New(opt) }}
}

func backends() []solvetest.Backend {
	return []solvetest.Backend{
		embedded("embedded", bv.Options{Certify: true}),
		embedded("search", bv.Options{Certify: true, SearchOnly: true, MinimizeCores: true}),
		{Name: "decorated", Cores: true, Open: func(testing.TB) solve.Solver {
			return solve.Count(solve.Cache(solve.Budget(bv.New(bv.Options{}), 1<<40), 100))
		}},
		external("z3", "z3", smtlib.Options{}),
		external("z3-scopes", "z3", smtlib.Options{Scopes: true, Cores: true}),
		external("z3-cores", "z3", smtlib.Options{Cores: true}),
		external("cvc5", "cvc5", smtlib.Options{}),
		external("cvc5-scopes", "cvc5", smtlib.Options{Scopes: true, Cores: true}),
		external("cvc5-cores", "cvc5", smtlib.Options{Cores: true}),
	}
}

func TestConformance(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.Name, func(t *testing.T) {
			rounds := 3
			if ci() {
				rounds = 20
			}
			solvetest.Conform(t, b, rounds)
		})
	}
}

// TestAgreement asks all solvers the same random questions. The verdicts must be
// the same, models must satisfy, and at small widths evaluation under all
// assignments must agree too. Each question is a few random formulas; every
// solver keeps its process, and its learnt clauses, for all questions of a kind.
func TestAgreement(t *testing.T) {
	kinds := []struct {
		widths []int
		depth  int
		light  bool
		share  int // of the questions, in percent
	}{
		{[]int{1}, 3, false, 10}, {[]int{2}, 3, false, 15}, {[]int{3}, 3, false, 15}, {[]int{4}, 3, false, 10},
		{[]int{5, 2}, 2, false, 10}, {[]int{7}, 2, false, 8}, {[]int{8}, 2, false, 8}, {[]int{11, 3}, 2, false, 5},
		{[]int{13}, 2, true, 4}, {[]int{16}, 2, true, 5}, {[]int{32}, 2, true, 5}, {[]int{64}, 2, true, 5},
	}
	total := 1500
	if ci() {
		total = 20200
	} else if testing.Short() {
		total = 300
	}
	// Some random products are hard. What is not answered does not count.
	own := bv.Options{Conflicts: 5000}
	undecided := 0
	var rivals []solvetest.Backend
	for _, b := range []solvetest.Backend{external("z3", "z3", smtlib.Options{Timeout: time.Second, Scopes: true}), external("cvc5", "cvc5", smtlib.Options{Timeout: time.Second, Scopes: true})} {
		if _, err := smtlib.Find(b.Name); err == nil || ci() {
			rivals = append(rivals, b)
		}
	}
	asked, refuted := 0, 0
	for k, kind := range kinds {
		p := term.NewPool()
		g := solvetest.NewGen(p, uint64(k), kind.widths...)
		g.Light = kind.light
		g.MaxWidth = max(16, g.MaxWidth)
		g.Enums = []*term.Enum{{Name: "e", Values: []string{"a", "b", "c", "d", "f"}}}
		if len(kind.widths) > 1 || kind.widths[0] > 4 {
			g.Enums = nil
		}
		s := bv.New(own)
		var others []solve.Solver
		for _, b := range rivals {
			others = append(others, b.Open(t))
		}
		for range max(1, total*kind.share/100) {
			var ts []*term.Term
			for range 1 + g.Rand.IntN(4) {
				ts = append(ts, g.Bool(1+g.Rand.IntN(kind.depth)))
			}
			r, err := s.Check(ctx, ts...)
			if err != nil {
				t.Fatalf("%v: %v", ts, err)
			}
			if r.Verdict == solve.Unknown {
				undecided++
				continue
			}
			asked++
			if r.Verdict == solve.Unsat {
				refuted++
			}
			embedded("embedded", bv.Options{SearchOnly: true}).Verify(t, nil, ts, r)
			bits := 0
			for _, v := range term.FreeVars(ts...) {
				bits += v.Sort().Bits()
			}
			if r.Verdict == solve.Unsat && bits <= 8 {
				if m := solvetest.AnyModel(ts); m != nil {
					t.Fatalf("unsat, but %v satisfies %v", m, ts)
				}
			}
			for i, o := range others {
				q, err := o.Check(ctx, ts...)
				if err != nil {
					t.Fatalf("%s: %v", rivals[i].Name, err)
				}
				if q.Verdict == solve.Unknown {
					undecided++
					continue
				}
				if q.Verdict != r.Verdict {
					t.Fatalf("%v: embedded says %v, %s says %v", ts, r.Verdict, rivals[i].Name, q.Verdict)
				}
				if q.Verdict == solve.Sat {
					rivals[i].Verify(t, nil, ts, q)
				}
			}
		}
		for _, o := range others {
			o.Close()
		}
	}
	t.Logf("%d questions, %d unsat, asked of %d solvers; %d answers missing", asked, refuted, 1+len(rivals), undecided)
	if undecided > asked/50 {
		t.Errorf("%d answers of %d questions are missing", undecided, asked)
	}
	if refuted < asked/20 || refuted > asked*19/20 {
		t.Errorf("%d of %d unsat: one-sided", refuted, asked)
	}
}

func ExampleProject() {
	p := term.NewPool()
	n := p.Var("n", term.BV(8))
	s := bv.New(bv.Options{})
	s.Assert(p.SLt(p.Int(8, 0), n))
	preds := []*term.Term{p.Eq(n, p.Int(8, 1)), p.SLt(n, p.Int(8, 5)), p.SLt(n, p.Int(8, 0))}
	err := solve.Project(ctx, p, s, nil, preds, func(cube []solve.Lit3) bool {
		fmt.Println(cube)
		return true
	})
	fmt.Println(err)
	// Unordered output:
	// [1 1 0]
	// [0 1 0]
	// [0 0 0]
	// <nil>
}
