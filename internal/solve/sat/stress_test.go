// SPDX-License-Identifier: Apache-2.0

package sat

// This file tests what small formulas do not reach with the usual limits:
// reduction, simplification and moving of clauses, which here happen every few
// conflicts, with the invariants of the data structures checked in between.

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// hasty makes the solver clean up all the time.
func (h *harness) hasty() {
	h.s.nextReduce, h.s.reduceStep, h.s.reduceGrow = 1, 1, 0
}

// checkInvariants compares every structure with its definition. The solver must
// not be in the middle of a search.
func (h *harness) checkInvariants() {
	h.t.Helper()
	s := h.s
	if !s.ok {
		return
	}
	s.cancelUntil(0)
	// Clauses: alive, no repeated variables, watched exactly twice.
	watched := map[uint32]int{}
	type pair struct{ a, b Lit }
	binaries := map[pair]int{}
	for l, ws := range s.watches {
		not := Lit(l) ^ 1
		for _, w := range ws {
			if w.ref&binary != 0 {
				binaries[pair{not, w.blocker}]++
				continue
			}
			watched[w.ref]++
			ls := s.lits(w.ref)
			if Lit(ls[0]) != not && Lit(ls[1]) != not {
				h.t.Fatalf("clause %v is in the list of %v but does not watch it", ls, not)
			}
			// A blocker that strengthening has dropped is false for ever.
			if !slices.Contains(ls, uint32(w.blocker)) && s.vals[w.blocker] >= 0 || w.blocker == not {
				h.t.Fatalf("clause %v has blocker %v", ls, w.blocker)
			}
		}
	}
	for p, n := range binaries {
		if binaries[pair{p.b, p.a}] != n && s.vals[p.a] <= 0 && s.vals[p.b] <= 0 {
			h.t.Fatalf("binary clause %v has one watch only", p)
		}
	}
	live := 1
	for i, refs := range [][]uint32{s.clauses, s.learnts} {
		for _, r := range refs {
			hd := s.arena[r]
			live += int(words(hd))
			if hd&(flagDeleted|flagMoved) != 0 || int(hd&flagLearnt) != i || hd>>sizeShift < 3 {
				h.t.Fatalf("clause %d has header %b", r, hd)
			}
			if watched[r] != 2 {
				h.t.Fatalf("clause %d has %d watches", r, watched[r])
			}
			delete(watched, r)
			ls := s.lits(r)
			satisfied, open := false, 0
			for _, u := range ls {
				satisfied = satisfied || s.vals[u] > 0
				if s.vals[u] == 0 {
					open++
				}
				if slices.Contains(ls, u^1) {
					h.t.Fatalf("clause %v is a tautology", ls)
				}
			}
			if !satisfied && (open < 2 || s.vals[ls[0]] != 0 || s.vals[ls[1]] != 0) {
				h.t.Fatalf("clause %v is unit at level 0 or watches a false literal", ls)
			}
		}
	}
	if len(watched) > 0 {
		h.t.Fatalf("watches of deleted clauses %v", watched)
	}
	if len(s.arena) > 0 && len(s.arena)-s.wasted != live {
		h.t.Fatalf("%d words, %d wasted, %d live", len(s.arena), s.wasted, live)
	}
	for v := range s.seen {
		if s.seen[v] != 0 {
			h.t.Fatalf("variable %d is still marked", v)
		}
	}
	for l, d := range s.isDirty {
		if d {
			h.t.Fatalf("list of %v is still dirty", Lit(l))
		}
	}
	// Decisions.
	for i, it := range s.heap {
		if s.heapPos[it.v] != int32(i) || it.activity != s.activity[it.v] {
			h.t.Fatalf("heap item %d is wrong", i)
		}
		if i > 0 && s.heap[(i-1)/2].activity < it.activity {
			h.t.Fatalf("heap order is wrong at %d", i)
		}
	}
	s.last = Unknown
}

// TestHasty runs incremental questions with search on a solver that cleans up all
// the time. A fresh solver with the usual limits is the oracle for satisfiable
// formulas too large for brute force; models and proofs are checked anyway.
func TestHasty(t *testing.T) {
	var total Stats
	for seed := range seeds(15, 60) {
		rng := rand.New(rand.NewPCG(uint64(seed), 11))
		h := newHarness(t)
		h.hasty()
		n := 30 + rng.IntN(30)
		for range n {
			h.newVar()
		}
		f := randomKSAT(rng, n, 3, 4.4)
		for len(f.Clauses) > 0 {
			k := min(len(f.Clauses), n/2+rng.IntN(n))
			for _, c := range f.Clauses[:k] {
				h.add(c...)
			}
			f.Clauses = f.Clauses[k:]
			if rng.IntN(3) == 0 {
				h.add(randomClause(rng, n, 2)...)
			}
			for range 3 {
				q := Query{Assumptions: randomAssumptions(rng, n)}
				if rng.IntN(2) == 0 {
					h.s.simplifyAt = 0
				}
				got := h.solve(q)
				h.checkInvariants()
				fresh := New(Options{})
				fresh.Load(&h.cnf)
				if want, _ := fresh.Solve(context.Background(), q); got != want {
					t.Fatalf("seed %d: got %v, fresh solver says %v", seed, got, want)
				}
			}
		}
		st := h.s.Stats()
		total.Reductions += st.Reductions
		total.Deleted += st.Deleted
	}
	if total.Reductions < 100 || total.Deleted < 500 {
		t.Errorf("too little happened: %+v", total)
	}
}

// TestHastyCone is TestCone's subject with search: products of a few bits, asked
// for with the cone of some of their bits.
func TestHastyCone(t *testing.T) {
	b := newBlaster()
	const n = 5
	x, y := b.inputs(n), b.inputs(n)
	p := b.product(x, y)
	h := loaded(t, &b.CNF)
	h.hasty()
	operands := map[int][]Lit{}
	for _, c := range b.Clauses {
		top := slices.MaxFunc(c, func(a, b Lit) int { return a.Var() - b.Var() })
		operands[top.Var()] = append(operands[top.Var()], c...)
	}
	var count [3]int
	for seed := range seeds(50, 400) {
		rng := rand.New(rand.NewPCG(uint64(seed), 12))
		k := 1 + rng.IntN(2*n)
		want := uint(rng.IntN(1 << k))
		q := Query{Closed: seed%2 == 0, Cone: []int{}}
		seen := map[int]bool{}
		var visit func(v int)
		visit = func(v int) {
			if !seen[v] {
				seen[v] = true
				q.Cone = append(q.Cone, v)
				for _, l := range operands[v] {
					visit(l.Var())
				}
			}
		}
		for i := range k {
			q.Assumptions = append(q.Assumptions, p[i]^Lit(1-want>>i&1))
			visit(p[i].Var())
		}
		product := func(a, b uint) bool { return (a*b)&(1<<k-1) == want }
		possible := Unsat
		for a := range uint(1 << n) {
			for b := range uint(1 << n) {
				if product(a, b) {
					possible = Sat
				}
			}
		}
		got := h.solve(q)
		count[got]++
		if got != possible {
			t.Fatalf("seed %d: %d bits %b: got %v, want %v", seed, k, want, got, possible)
		}
		if got == Sat {
			var a, c uint
			for i := range n {
				if h.s.Value(x[i].Var()) {
					a |= 1 << i
				}
				if h.s.Value(y[i].Var()) {
					c |= 1 << i
				}
			}
			if !product(a, c) {
				t.Fatalf("seed %d: model says %d*%d ends in %b", seed, a, c, want)
			}
		}
		h.s.simplifyAt = 0
		h.checkInvariants()
	}
	if count[Sat] < 10 || count[Unsat] < 10 {
		t.Errorf("one-sided test: %v", count)
	}
}

// TestClosedIsCheap asks about one input of a thousand gates: a closed cone must
// leave them alone, an open one must not.
func TestClosedIsCheap(t *testing.T) {
	h := newHarness(t)
	in := h.newVar()
	for range 1000 {
		out := h.newVar()
		h.add(Neg(in), Pos(out))
		h.add(Pos(in), Neg(out))
	}
	for _, closed := range []bool{true, false} {
		before := h.s.Stats().Propagations
		if st := h.solve(Query{Assumptions: []Lit{Pos(in)}, Cone: []int{in}, Closed: closed}); st != Sat {
			t.Fatal(st)
		}
		if n := h.s.Stats().Propagations - before; closed != (n < 10) || closed == h.s.Assigned(in+1) {
			t.Errorf("closed %v: %d propagations, gate assigned %v", closed, n, h.s.Assigned(in+1))
		}
	}
}

// TestMinisat compares answers on formulas with real search, and checks every
// refutation.
func TestMinisat(t *testing.T) {
	path, err := exec.LookPath("minisat")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	restarts := int64(0)
	for seed := range seeds(4, 12) {
		rng := rand.New(rand.NewPCG(uint64(seed), 13))
		f := randomKSAT(rng, 100+rng.IntN(60), 3, 4.26)
		h := loaded(t, f)
		got, want := h.solve(Query{}), runMinisat(t, path, writeCNF(t, f))
		if got != want {
			t.Errorf("seed %d: got %v, minisat says %v", seed, got, want)
		}
		h.checkInvariants()
		restarts += h.s.Stats().Restarts
	}
	if restarts < 10 {
		t.Errorf("only %d restarts", restarts)
	}
	f := commutativity(4)
	if got := loaded(t, f).solve(Query{}); got != Unsat {
		t.Errorf("commutativity of 4 bits: %v", got)
	}
}

// FuzzSolver reads bytes as a program for one solver: clauses, variables and
// questions. Brute force is the oracle.
func FuzzSolver(f *testing.F) {
	f.Add([]byte{3, 2, 0, 3, 2, 1, 2, 0x80, 0x81, 2, 3, 5, 0xff, 0x82, 1, 4})
	f.Add([]byte{7, 1, 1, 3, 2, 4, 6, 3, 3, 5, 7, 0xc2, 8, 9, 0xe0, 0x81, 6})
	for seed := range 8 {
		rng := rand.New(rand.NewPCG(uint64(seed), 14))
		data := make([]byte, 200)
		for i := range data {
			data[i] = byte(rng.IntN(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h := newHarness(t)
		h.hasty()
		next := func() byte {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return b
		}
		for range 1 + next()%6 {
			h.newVar()
		}
		literals := func(n byte) []Lit {
			var c []Lit
			for range n {
				c = append(c, Lit(int(next())%(2*h.cnf.Vars)))
			}
			return c
		}
		for questions := 0; len(data) > 0 && questions < 20; {
			switch op := next(); {
			case op < 0x80:
				h.add(literals(op % 6)...)
			case op < 0xc0:
				questions++
				q := Query{Assumptions: literals(op % 5)}
				if op&8 != 0 {
					q.Conflicts = 1
				}
				h.s.simplifyAt = 0
				got, want := h.solve(q), bruteForce(&h.cnf, q.Assumptions)
				if got != want && !(got == Unknown && q.Conflicts > 0) {
					t.Fatalf("got %v, want %v", got, want)
				}
				if got == Unsat && op&16 != 0 {
					core, err := h.s.MinimizeCore(context.Background(), int64(op&32))
					if err != nil && op&32 == 0 {
						t.Fatal(err)
					}
					h.checkCore(q, core)
				}
				h.checkInvariants()
			default:
				if h.cnf.Vars < 9 {
					h.newVar()
				}
			}
		}
	})
}
