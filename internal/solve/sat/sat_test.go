// SPDX-License-Identifier: Apache-2.0

package sat

// This file compares the solver with brute force on small formulas: answers,
// models, cores and proofs, in sequences of questions to one solver.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// A harness is a solver with everything needed to distrust it: the formula so
// far, and a proof checker that runs along.
type harness struct {
	t       testing.TB
	s       *Solver
	checker *Checker
	cnf     CNF
}

func newHarness(t testing.TB) *harness {
	c := NewChecker()
	return &harness{t: t, s: New(Options{Proof: c}), checker: c}
}

func (h *harness) newVar() int {
	h.cnf.Vars++
	return h.s.NewVar()
}

func (h *harness) add(lits ...Lit) bool {
	h.cnf.Clauses = append(h.cnf.Clauses, slices.Clone(lits))
	h.checker.Input(lits)
	return h.s.AddClause(lits...)
}

// solve asks and checks the evidence of the answer: the model satisfies every
// clause and assumption; the core is a subset of the assumptions in their order,
// unsatisfiable when asked alone of a fresh solver, and proved.
func (h *harness) solve(q Query) Status {
	h.t.Helper()
	st, err := h.s.Solve(context.Background(), q)
	if err != nil {
		h.t.Fatalf("Solve: %v", err)
	}
	if (st == Unknown) != (h.s.Exhausted() != "") {
		h.t.Fatalf("status %v with exhausted budget %q", st, h.s.Exhausted())
	}
	switch st {
	case Sat:
		if q.Cone == nil {
			h.checkModel(q)
		}
	case Unsat:
		h.checkCore(q, h.s.Core())
	}
	if err := h.checker.Err(); err != nil {
		h.t.Fatal(err)
	}
	return st
}

func (h *harness) checkModel(q Query) {
	h.t.Helper()
	holds := func(l Lit) bool { return h.s.Value(l.Var()) != l.Sign() }
	for _, c := range h.cnf.Clauses {
		if !slices.ContainsFunc(c, holds) {
			h.t.Fatalf("model violates clause %v", c)
		}
	}
	for _, l := range q.Assumptions {
		if !holds(l) {
			h.t.Fatalf("model violates assumption %v", l)
		}
	}
	for v := range h.cnf.Vars {
		if !h.s.Assigned(v) {
			h.t.Fatalf("variable %d has no value", v)
		}
	}
}

func (h *harness) checkCore(q Query, core []Lit) {
	h.t.Helper()
	rest := q.Assumptions
	var goal []Lit
	for _, l := range core {
		i := slices.Index(rest, l)
		if i < 0 {
			h.t.Fatalf("core %v is not a subsequence of assumptions %v", core, q.Assumptions)
		}
		rest = rest[i+1:]
		goal = append(goal, l.Not())
	}
	if !h.checker.Implied(goal) {
		h.t.Fatalf("core %v has no proof", core)
	}
	fresh := New(Options{})
	fresh.Load(&h.cnf)
	if st, err := fresh.Solve(context.Background(), Query{Assumptions: core}); st != Unsat || err != nil {
		h.t.Fatalf("core %v of %v is %v, %v when asked alone", core, q.Assumptions, st, err)
	}
}

// bruteForce decides f under assumptions by trying all assignments.
func bruteForce(f *CNF, assumptions []Lit) Status {
	for m := range 1 << f.Vars {
		holds := func(l Lit) bool { return m>>l.Var()&1 == 1 != l.Sign() }
		if !slices.ContainsFunc(assumptions, func(l Lit) bool { return !holds(l) }) &&
			!slices.ContainsFunc(f.Clauses, func(c []Lit) bool { return !slices.ContainsFunc(c, holds) }) {
			return Sat
		}
	}
	return Unsat
}

func randomClause(rng *rand.Rand, vars, maxLen int) []Lit {
	c := make([]Lit, 1+rng.IntN(maxLen))
	for i := range c {
		c[i] = Lit(rng.IntN(2 * vars))
	}
	return c
}

func randomAssumptions(rng *rand.Rand, vars int) []Lit {
	as := make([]Lit, rng.IntN(5))
	for i := range as {
		as[i] = Lit(rng.IntN(2 * vars))
	}
	return as
}

// seeds returns how many seeds to try: few, more, or with CI=true ten times more.
func seeds(short, long int) int {
	switch {
	case testing.Short():
		return short
	case os.Getenv("CI") == "true":
		return 10 * long
	}
	return long
}

// TestIncremental grows random formulas with duplicates, tautologies, units and
// new variables, and asks with random assumptions in between.
func TestIncremental(t *testing.T) {
	var count [3]int
	for seed := range seeds(1000, 3000) {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		h := newHarness(t)
		for range 2 + rng.IntN(5) {
			h.newVar()
		}
		maxLen := 2 + rng.IntN(4)
		var last []Lit
		for range 12 {
			if rng.IntN(3) == 0 && h.cnf.Vars < 12 {
				h.newVar()
			}
			for range rng.IntN(2 * maxLen) {
				ok := h.add(randomClause(rng, h.cnf.Vars, maxLen)...)
				if !ok && bruteForce(&h.cnf, nil) != Unsat {
					t.Fatalf("seed %d: AddClause found a satisfiable formula unsatisfiable", seed)
				}
			}
			as := randomAssumptions(rng, h.cnf.Vars)
			if rng.IntN(2) == 0 {
				// Share a prefix with the question before.
				as = append(slices.Clone(last[:rng.IntN(len(last)+1)]), as...)
			}
			last = as
			got, want := h.solve(Query{Assumptions: as}), bruteForce(&h.cnf, as)
			if got != want {
				t.Fatalf("seed %d: got %v, want %v under %v of %v", seed, got, want, as, h.cnf.Clauses)
			}
			count[got]++
			if got == Unsat && rng.IntN(2) == 0 {
				core, err := h.s.MinimizeCore(context.Background(), 0)
				if err != nil {
					t.Fatal(err)
				}
				core = slices.Clone(core)
				if !slices.Equal(core, h.s.Core()) {
					t.Fatalf("seed %d: MinimizeCore returned %v, Core %v", seed, core, h.s.Core())
				}
				h.checkCore(Query{Assumptions: as}, core)
				for i := range core {
					if less := slices.Delete(slices.Clone(core), i, i+1); bruteForce(&h.cnf, less) != Sat {
						t.Fatalf("seed %d: core %v is not minimal: %v suffices", seed, core, less)
					}
				}
			}
		}
	}
	if count[Sat] < 1000 || count[Unsat] < 1000 {
		t.Errorf("one-sided test: %d sat, %d unsat", count[Sat], count[Unsat])
	}
}

// TestRandom3SAT asks once about harder formulas, with search in them.
func TestRandom3SAT(t *testing.T) {
	for seed := range seeds(100, 1000) {
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		f := randomKSAT(rng, 12, 3, 4.26)
		h := newHarness(t)
		for range f.Vars {
			h.newVar()
		}
		for _, c := range f.Clauses {
			h.add(c...)
		}
		if got, want := h.solve(Query{}), bruteForce(f, nil); got != want {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
	}
}

func randomKSAT(rng *rand.Rand, vars, k int, ratio float64) *CNF {
	f := &CNF{Vars: vars}
	for range int(float64(vars) * ratio) {
		var c []Lit
		for len(c) < k {
			l := Lit(rng.IntN(2 * vars))
			if !slices.ContainsFunc(c, func(m Lit) bool { return m.Var() == l.Var() }) {
				c = append(c, l)
			}
		}
		f.Clauses = append(f.Clauses, c)
	}
	return f
}

// TestCone builds random circuits by Tseitin definitions and asks about outputs
// with their cone only. Brute force over the inputs is the oracle, and the inputs
// of the model must evaluate to the assumed outputs.
func TestCone(t *testing.T) {
	var count [3]int
	for seed := range seeds(300, 2000) {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		h := newHarness(t)
		c := randomCircuit(rng, h, 3+rng.IntN(5), 5+rng.IntN(30))
		var last []Lit
		for range 20 {
			var as []Lit
			if n := len(last); n > 0 && rng.IntN(2) == 0 {
				// Ask the other way, as at a branch, or about less.
				as = slices.Clone(last[:1+rng.IntN(n)])
				as[len(as)-1] ^= 1
			} else {
				for range 1 + rng.IntN(6) {
					as = append(as, Lit(rng.IntN(2*h.cnf.Vars)))
				}
			}
			last = as
			want := Unsat
			for m := range 1 << c.inputs {
				vals := c.eval(m)
				if !slices.ContainsFunc(as, func(l Lit) bool { return vals[l.Var()] == l.Sign() }) {
					want = Sat
					break
				}
			}
			q := Query{Assumptions: as, Cone: c.cone(as), Closed: rng.IntN(2) == 0}
			if !q.Closed && rng.IntN(2) == 0 {
				// The inputs decide everything.
				q.Cone = slices.DeleteFunc(q.Cone, func(v int) bool { return v >= c.inputs })
			}
			got := h.solve(q)
			if got != want {
				t.Fatalf("seed %d: got %v, want %v", seed, got, want)
			}
			count[got]++
			if got == Sat {
				m := 0
				for v := range c.inputs {
					if h.s.Value(v) {
						m |= 1 << v
					}
				}
				vals := c.eval(m)
				for _, l := range as {
					if vals[l.Var()] == l.Sign() {
						t.Fatalf("seed %d: model violates assumption %v", seed, l)
					}
				}
				for _, v := range q.Cone {
					if vals[v] != h.s.Value(v) || !h.s.Assigned(v) {
						t.Fatalf("seed %d: gate %d is wrong in the model", seed, v)
					}
				}
			} else if core, err := h.s.MinimizeCore(context.Background(), 0); err != nil {
				t.Fatal(err)
			} else {
				h.checkCore(q, core)
			}
			if rng.IntN(4) == 0 {
				c.grow(rng, h)
			}
		}
	}
	if count[Sat] < 200 || count[Unsat] < 200 {
		t.Errorf("one-sided test: %d sat, %d unsat", count[Sat], count[Unsat])
	}
}

// A circuit has inputs and gates that are conjunctions or exclusive disjunctions
// of earlier literals. Node v is variable v.
type circuit struct {
	inputs int
	gates  []gate
}

type gate struct {
	a, b Lit
	xor  bool
}

func randomCircuit(rng *rand.Rand, h *harness, inputs, gates int) *circuit {
	c := &circuit{inputs: inputs}
	for range inputs {
		h.newVar()
	}
	for range gates {
		c.grow(rng, h)
	}
	return c
}

func (c *circuit) grow(rng *rand.Rand, h *harness) {
	n := c.inputs + len(c.gates)
	g := gate{Lit(rng.IntN(2 * n)), Lit(rng.IntN(2 * n)), rng.IntN(3) == 0}
	c.gates = append(c.gates, g)
	for _, cl := range g.clauses(Pos(h.newVar())) {
		h.add(cl...)
	}
}

func (g gate) clauses(o Lit) [][]Lit {
	a, b := g.a, g.b
	if g.xor {
		return [][]Lit{{o ^ 1, a, b}, {o ^ 1, a ^ 1, b ^ 1}, {o, a ^ 1, b}, {o, a, b ^ 1}}
	}
	return [][]Lit{{o ^ 1, a}, {o ^ 1, b}, {o, a ^ 1, b ^ 1}}
}

func (c *circuit) eval(m int) []bool {
	vals := make([]bool, c.inputs, c.inputs+len(c.gates))
	for i := range vals {
		vals[i] = m>>i&1 == 1
	}
	for _, g := range c.gates {
		a, b := vals[g.a.Var()] != g.a.Sign(), vals[g.b.Var()] != g.b.Sign()
		if g.xor {
			vals = append(vals, a != b)
		} else {
			vals = append(vals, a && b)
		}
	}
	return vals
}

// cone returns the nodes that the literals depend on.
func (c *circuit) cone(lits []Lit) []int {
	seen := map[int]bool{}
	var cone []int
	var visit func(v int)
	visit = func(v int) {
		if seen[v] {
			return
		}
		seen[v] = true
		cone = append(cone, v)
		if v >= c.inputs {
			g := c.gates[v-c.inputs]
			visit(g.a.Var())
			visit(g.b.Var())
		}
	}
	for _, l := range lits {
		visit(l.Var())
	}
	return cone
}

// pigeonhole says that n+1 pigeons sit in n holes, one each.
func pigeonhole(n int) *CNF {
	f := &CNF{Vars: n * (n + 1)}
	at := func(p, h int) int { return p*n + h }
	for p := range n + 1 {
		var c []Lit
		for h := range n {
			c = append(c, Pos(at(p, h)))
		}
		f.Clauses = append(f.Clauses, c)
	}
	for h := range n {
		for p := range n + 1 {
			for q := range p {
				f.Clauses = append(f.Clauses, []Lit{Neg(at(p, h)), Neg(at(q, h))})
			}
		}
	}
	return f
}

// parity chains n exclusive disjunctions in two orders and says that they differ.
func parity(rng *rand.Rand, n int) *CNF {
	f := &CNF{Vars: n}
	chain := func(order []int) Lit {
		acc := Pos(order[0])
		for _, v := range order[1:] {
			o := Pos(f.Vars)
			f.Vars++
			f.Clauses = append(f.Clauses, gate{acc, Pos(v), true}.clauses(o)...)
			acc = o
		}
		return acc
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	a := chain(order)
	b := chain(rng.Perm(n))
	f.Clauses = append(f.Clauses, []Lit{a, b}, []Lit{a ^ 1, b ^ 1})
	return f
}

func loaded(t testing.TB, f *CNF) *harness {
	h := newHarness(t)
	for range f.Vars {
		h.newVar()
	}
	for _, c := range f.Clauses {
		h.add(c...)
	}
	return h
}

func TestPigeonhole(t *testing.T) {
	for n := 1; n <= 6; n++ {
		if st := loaded(t, pigeonhole(n)).solve(Query{}); st != Unsat {
			t.Errorf("%d holes: %v", n, st)
		}
		f := pigeonhole(n)
		f.Clauses = f.Clauses[1:] // pigeon 0 stays away
		h := loaded(t, f)
		if st := h.solve(Query{}); st != Sat {
			t.Errorf("%d holes, %d pigeons: %v", n, n, st)
		}
	}
}

func TestParity(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for n := 2; n <= 12; n++ {
		f := parity(rng, n)
		if st := loaded(t, f).solve(Query{}); st != Unsat {
			t.Errorf("%d inputs: %v", n, st)
		}
		f.Clauses = f.Clauses[:len(f.Clauses)-1]
		if st := loaded(t, f).solve(Query{}); st != Sat {
			t.Errorf("%d inputs without the last clause: %v", n, st)
		}
	}
}

// TestBudget cuts a hard question into small budgets; the answer must come in the
// end, the same counts must come every time, and other questions must work in
// between.
func TestBudget(t *testing.T) {
	for _, q := range []Query{{Conflicts: 50}, {Propagations: 2000}} {
		var first Stats
		for round := range 2 {
			h := loaded(t, pigeonhole(6))
			easy := h.newVar()
			unknown := 0
			for {
				before := h.s.Stats()
				st := h.solve(q)
				if st == Unsat {
					break
				}
				if st == Sat {
					t.Fatal("pigeonhole formula is satisfiable")
				}
				unknown++
				after := h.s.Stats()
				if n := after.Conflicts - before.Conflicts; q.Conflicts > 0 && (n < q.Conflicts || n > q.Conflicts+10) {
					t.Fatalf("used %d conflicts of %d", n, q.Conflicts)
				}
				if n := after.Propagations - before.Propagations; q.Propagations > 0 && (n < q.Propagations || n > q.Propagations+int64(h.s.NumVars())) {
					t.Fatalf("used %d propagations of %d", n, q.Propagations)
				}
				as := []Lit{Pos(easy), Neg(easy)}
				if st := h.solve(Query{Assumptions: as}); st != Unsat || !slices.Equal(h.s.Core(), as) {
					t.Fatalf("contradictory assumptions: %v", st)
				}
			}
			if unknown < 3 {
				t.Errorf("budget %+v ran out only %d times", q, unknown)
			}
			if round == 0 {
				first = h.s.Stats()
			} else if h.s.Stats() != first {
				t.Errorf("two runs differ: %+v, %+v", first, h.s.Stats())
			}
		}
	}
}

// TestMinimizeCoreBudget has a core of three assumptions that propagation finds,
// of which one suffices, but only by search.
func TestMinimizeCoreBudget(t *testing.T) {
	h := newHarness(t)
	f := pigeonhole(6)
	for range f.Vars + 3 {
		h.newVar()
	}
	sel, a, b := f.Vars, f.Vars+1, f.Vars+2
	for _, c := range f.Clauses {
		h.add(append(slices.Clone(c), Neg(sel))...)
	}
	h.add(Neg(sel), Neg(a), Neg(b))
	q := Query{Assumptions: []Lit{Pos(sel), Pos(a), Pos(b)}}
	if st := h.solve(q); st != Unsat || len(h.s.Core()) != 3 {
		t.Fatalf("%v, core %v", st, h.s.Core())
	}
	core, err := h.s.MinimizeCore(context.Background(), 20)
	if !errors.Is(err, ErrBudget) || !slices.Equal(core, q.Assumptions) {
		t.Fatalf("budget of 20 conflicts: core %v, error %v", core, err)
	}
	core, err = h.s.MinimizeCore(&countdown{context.Background(), 0}, 0)
	if !errors.Is(err, context.Canceled) || !slices.Equal(core, q.Assumptions) {
		t.Fatalf("cancelled: core %v, error %v", core, err)
	}
	core, err = h.s.MinimizeCore(context.Background(), 0)
	if err != nil || !slices.Equal(core, []Lit{Pos(sel)}) {
		t.Fatalf("without budget: core %v, error %v", core, err)
	}
	h.checkCore(q, core)
	if err := h.checker.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestMisuse has calls that are the caller's mistake.
func TestMisuse(t *testing.T) {
	ctx := context.Background()
	for name, f := range map[string]func(*Solver){
		"clause":     func(s *Solver) { s.AddClause(Pos(2)) },
		"assumption": func(s *Solver) { s.Solve(ctx, Query{Assumptions: []Lit{-1}}) },
		"cone":       func(s *Solver) { s.Solve(ctx, Query{Cone: []int{2}}) },
		"closed": func(s *Solver) {
			s.Solve(ctx, Query{Assumptions: []Lit{Pos(1)}, Cone: []int{0}, Closed: true})
		},
		"no model":      func(s *Solver) { s.Value(0) },
		"no refutation": func(s *Solver) { s.Solve(ctx, Query{}); s.Core() },
		"old model":     func(s *Solver) { s.Solve(ctx, Query{}); s.AddClause(Pos(0), Pos(1)); s.Value(0) },
		"load":          func(s *Solver) { s.Load(&CNF{}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Options{})
			s.NewVar()
			s.NewVar()
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(s)
		})
	}
}

// TestCancel stops a search that would not end soon.
func TestCancel(t *testing.T) {
	f := pigeonhole(11)
	trace := &Trace{}
	s := New(Options{Proof: trace})
	s.Load(f)
	ctx := &countdown{Context: context.Background(), left: 5}
	st, err := s.Solve(ctx, Query{})
	if st != Unknown || !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, %v", st, err)
	}
	if n := s.Stats().Conflicts; n > 6*checkConflicts {
		t.Errorf("%d conflicts before the solver looked", n)
	}
	if st, err := s.Solve(ctx, Query{}); st != Unknown || err == nil {
		t.Fatalf("cancelled before the start: %v, %v", st, err)
	}
	if st, err := s.Solve(context.Background(), Query{Assumptions: []Lit{Pos(0), Pos(11)}}); st != Unsat || err != nil {
		t.Fatalf("after cancellation: %v, %v", st, err)
	}
	if err := CheckProof(f.Clauses, trace.Steps, []Lit{Neg(0), Neg(11)}); err != nil {
		t.Error(err)
	}
}

// A countdown is a context that is cancelled when asked often enough.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestParallel runs instances side by side; the race detector would see shared
// state, and the counts must be those of a run alone.
func TestParallel(t *testing.T) {
	f := randomKSAT(rand.New(rand.NewPCG(5, 5)), 100, 3, 4.26)
	run := func() (Status, Stats) {
		trace := &Trace{}
		s := New(Options{Proof: trace})
		s.Load(f)
		st, _ := s.Solve(context.Background(), Query{})
		if st == Unsat {
			if err := CheckProof(f.Clauses, trace.Steps, nil); err != nil {
				t.Error(err)
			}
		}
		return st, s.Stats()
	}
	st, stats := run()
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			if st2, stats2 := run(); st2 != st || stats2 != stats {
				t.Errorf("got %v %+v, want %v %+v", st2, stats2, st, stats)
			}
		})
	}
}
