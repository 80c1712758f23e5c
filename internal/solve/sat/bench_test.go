// SPDX-License-Identifier: Apache-2.0

package sat

// This file measures. Each formula is also given to minisat, where installed, so
// that the ratio of the two is one benchmark run: compare BenchmarkSolve/x with
// BenchmarkMinisat/x. Formulas are made here, from seeds, and are the same on
// every machine.

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// A blaster builds arithmetic circuits as clauses. Literal one is true.
type blaster struct {
	CNF
	one Lit
}

func newBlaster() *blaster {
	b := &blaster{}
	b.one = b.input()
	b.add(b.one)
	return b
}

func (b *blaster) input() Lit {
	b.Vars++
	return Pos(b.Vars - 1)
}

func (b *blaster) inputs(n int) []Lit {
	ls := make([]Lit, n)
	for i := range ls {
		ls[i] = b.input()
	}
	return ls
}

func (b *blaster) add(lits ...Lit) { b.Clauses = append(b.Clauses, lits) }

func (b *blaster) gate(g gate) Lit {
	zero := b.one ^ 1
	switch {
	case g.xor && g.a == zero:
		return g.b
	case g.xor && g.b == zero:
		return g.a
	case !g.xor && (g.a == zero || g.b == zero):
		return zero
	case !g.xor && g.a == b.one:
		return g.b
	case !g.xor && g.b == b.one:
		return g.a
	}
	o := b.input()
	b.Clauses = append(b.Clauses, g.clauses(o)...)
	return o
}

func (b *blaster) and(x, y Lit) Lit { return b.gate(gate{x, y, false}) }
func (b *blaster) or(x, y Lit) Lit  { return b.and(x^1, y^1) ^ 1 }
func (b *blaster) xor(x, y Lit) Lit { return b.gate(gate{x, y, true}) }

// sum adds equally long numbers, least bit first, with one bit of carry.
func (b *blaster) sum(x, y []Lit) []Lit {
	c := b.one ^ 1
	var out []Lit
	for i := range x {
		h := b.xor(x[i], y[i])
		out = append(out, b.xor(h, c))
		c = b.or(b.and(x[i], y[i]), b.and(h, c))
	}
	return append(out, c)
}

// product multiplies by adding shifted rows.
func (b *blaster) product(x, y []Lit) []Lit {
	acc := make([]Lit, len(x)+len(y))
	for i := range acc {
		acc[i] = b.one ^ 1
	}
	for i, l := range y {
		row := make([]Lit, len(x))
		for j := range x {
			row[j] = b.and(x[j], l)
		}
		copy(acc[i:], b.sum(acc[i:i+len(x)], row))
	}
	return acc
}

// distinct says that x and y differ.
func (b *blaster) distinct(x, y []Lit) {
	var some []Lit
	for i := range x {
		some = append(some, b.xor(x[i], y[i]))
	}
	b.add(some...)
}

func (b *blaster) equals(x []Lit, n uint64) {
	for i, l := range x {
		b.add(l ^ Lit(1-n>>i&1))
	}
}

func commutativity(n int) *CNF {
	b := newBlaster()
	x, y := b.inputs(n), b.inputs(n)
	b.distinct(b.product(x, y), b.product(y, x))
	return &b.CNF
}

// factoring asks for n as a product of numbers of the given lengths, neither of
// them 1.
func factoring(n uint64, xBits, yBits int) *CNF {
	b := newBlaster()
	x, y := b.inputs(xBits), b.inputs(yBits)
	b.add(x[1:]...)
	b.add(y[1:]...)
	b.equals(b.product(x, y), n)
	return &b.CNF
}

// sameProduct asks for x*y = u*v with different factors, at the given length and
// without overflow.
func sameProduct(n int) *CNF {
	b := newBlaster()
	x, y, u, v := b.inputs(n), b.inputs(n), b.inputs(n), b.inputs(n)
	for _, z := range [][]Lit{x, y, u, v} {
		b.add(z[n-1])
	}
	b.distinct(x, u)
	b.distinct(x, v)
	p, q := b.product(x, y), b.product(u, v)
	for i := range p {
		b.add(p[i], q[i]^1)
		b.add(p[i]^1, q[i])
	}
	return &b.CNF
}

type instance struct {
	name string
	cnf  *CNF
	want Status // Unknown: not known beforehand
}

func instances() []instance {
	list := []instance{
		{"commute6", commutativity(6), Unsat},
		{"commute7", commutativity(7), Unsat},
		{"commute8", commutativity(8), Unsat},
		{"factor20", factoring(743*1009, 10, 10), Sat},
		{"factor30", factoring(23029*29063, 15, 15), Sat},
		{"prime24", factoring(1<<24-3, 12, 23), Unsat},
		{"prime30", factoring(1<<30-35, 15, 29), Unsat},
		{"same16", sameProduct(16), Sat},
		{"pigeon9", pigeonhole(9), Unsat},
		{"parity30", parity(rand.New(rand.NewPCG(1, 9)), 30), Unsat},
	}
	for _, n := range []int{150, 200, 250} {
		for seed := range 3 {
			rng := rand.New(rand.NewPCG(uint64(seed), 8))
			list = append(list, instance{fmt.Sprintf("random%d-%d", n, seed), randomKSAT(rng, n, 3, 4.26), Unknown})
		}
	}
	return list
}

func BenchmarkSolve(b *testing.B) {
	for _, in := range instances() {
		b.Run(in.name, func(b *testing.B) {
			var total Stats
			for b.Loop() {
				s := New(Options{})
				s.Load(in.cnf)
				st, err := s.Solve(context.Background(), Query{})
				if err != nil || in.want != Unknown && st != in.want {
					b.Fatalf("%v, %v; want %v", st, err, in.want)
				}
				total = s.Stats()
			}
			b.ReportMetric(float64(total.Conflicts), "conflicts")
			b.ReportMetric(float64(total.Propagations), "props")
		})
	}
}

func BenchmarkMinisat(b *testing.B) {
	path, err := exec.LookPath("minisat")
	if err != nil {
		b.Skip(err)
	}
	for _, in := range instances() {
		b.Run(in.name, func(b *testing.B) {
			file := writeCNF(b, in.cnf)
			for b.Loop() {
				runMinisat(b, path, file)
			}
		})
	}
}

func writeCNF(t testing.TB, f *CNF) string {
	var buf bytes.Buffer
	if err := WriteDIMACS(&buf, f); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "f.cnf")
	if err := os.WriteFile(file, buf.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func runMinisat(t testing.TB, path, file string) Status {
	err := exec.Command(path, "-verb=0", file).Run()
	if ee, ok := err.(*exec.ExitError); ok {
		switch ee.ExitCode() {
		case 10:
			return Sat
		case 20:
			return Unsat
		}
	}
	t.Fatalf("minisat: %v", err)
	return Unknown
}

// BenchmarkCone asks 2000 questions of a shared circuit of 50000 gates: each
// assumes a few gates of one block and lists their cone.
func BenchmarkCone(b *testing.B) {
	f, queries := coneWorkload(50000, 2000)
	b.ReportAllocs()
	for b.Loop() {
		s := New(Options{})
		s.Load(f)
		var count [3]int
		for _, q := range queries {
			st, err := s.Solve(context.Background(), q)
			if err != nil || st == Unknown {
				b.Fatal(st, err)
			}
			count[st]++
		}
		if count[Sat] < 100 || count[Unsat] < 100 {
			b.Fatalf("one-sided: %v", count)
		}
		b.ReportMetric(float64(s.Stats().Conflicts), "conflicts")
		b.ReportMetric(float64(count[Unsat]), "unsat")
	}
}

// coneWorkload makes blocks of arithmetic over a few shared words until there are
// enough variables, and questions about comparisons of words.
func coneWorkload(vars, queries int) (*CNF, []Query) {
	rng := rand.New(rand.NewPCG(1, 10))
	b := newBlaster()
	const width = 16
	var words [][]Lit
	for range 40 {
		words = append(words, b.inputs(width))
	}
	var tests []Lit
	for b.Vars < vars {
		// Recent words, so that cones are local, or any.
		pick := func() []Lit {
			if rng.IntN(3) == 0 {
				return words[rng.IntN(len(words))]
			}
			return words[max(0, len(words)-1-rng.IntN(20))]
		}
		x, y := pick(), pick()
		switch rng.IntN(8) {
		case 0, 1:
			words = append(words, b.inputs(width))
		case 2, 3, 4:
			words = append(words, b.sum(x, y)[:width])
		case 5:
			var w []Lit
			for i := range x {
				w = append(w, b.and(x[i], y[i]))
			}
			words = append(words, w)
		case 6:
			// x < y: the carry of y + ^x, and equality.
			nx := make([]Lit, width)
			for i := range x {
				nx[i] = x[i] ^ 1
			}
			tests = append(tests, b.sum(y, nx)[width])
		case 7:
			eq := b.one
			for i := range x {
				eq = b.and(eq, b.xor(x[i], y[i])^1)
			}
			tests = append(tests, eq)
		}
	}
	var qs []Query
	cones := conesOf(&b.CNF)
	for range queries {
		at := rng.IntN(len(tests))
		q := Query{Closed: true}
		for i := range 1 + rng.IntN(10) {
			q.Assumptions = append(q.Assumptions, tests[(at+i*i)%len(tests)]^Lit(rng.IntN(2)))
		}
		q.Cone = cones(q.Assumptions)
		qs = append(qs, q)
	}
	return &b.CNF, qs
}

// conesOf returns a function that finds the variables that literals depend on,
// operands first. The definition of a gate is the clauses in which it is the
// greatest variable.
func conesOf(f *CNF) func([]Lit) []int {
	operands := make([][]int, f.Vars)
	for _, c := range f.Clauses {
		top := 0
		for _, l := range c {
			top = max(top, l.Var())
		}
		for _, l := range c {
			if v := l.Var(); v != top && !slices.Contains(operands[top], v) {
				operands[top] = append(operands[top], v)
			}
		}
	}
	seen := make([]int, f.Vars)
	round := 0
	return func(lits []Lit) []int {
		round++
		cone := []int{}
		var visit func(v int)
		visit = func(v int) {
			if seen[v] == round {
				return
			}
			seen[v] = round
			for _, w := range operands[v] {
				visit(w)
			}
			cone = append(cone, v)
		}
		for _, l := range lits {
			visit(l.Var())
		}
		return cone
	}
}

// BenchmarkPaths asks what symbolic execution asks: paths of 50 branches, each
// asked both ways with the path so far assumed, on one solver that grows.
func BenchmarkPaths(b *testing.B) {
	type step struct {
		vars, clauses int // of the formula that the question needs
		query         Query
	}
	const width = 16
	rng := rand.New(rand.NewPCG(1, 15))
	bl := newBlaster()
	var steps []step
	var s *Solver
	clauses := 0
	load := func(st step) {
		for s.NumVars() < st.vars {
			s.NewVar()
		}
		for _, c := range bl.Clauses[clauses:st.clauses] {
			s.AddClause(c...)
		}
		clauses = st.clauses
	}
	for range 40 {
		s, clauses = New(Options{}), len(bl.Clauses)
		s.NewVar()
		s.AddClause(bl.one)
		state := [][]Lit{bl.inputs(width), bl.inputs(width), bl.inputs(width), bl.inputs(width)}
		var path []Lit
		for range 25 {
			i, j := rng.IntN(4), rng.IntN(4)
			switch rng.IntN(4) {
			case 0:
				state[i] = bl.sum(state[i], state[j])[:width]
			case 1:
				state[i] = bl.inputs(width)
			case 2:
				// Three times itself.
				twice := append([]Lit{bl.one ^ 1}, state[i][:width-1]...)
				state[i] = bl.sum(state[i], twice)[:width]
			case 3:
				one := make([]Lit, width)
				for k := range one {
					one[k] = bl.one ^ 1
				}
				one[0] = bl.one
				state[i] = bl.sum(state[i], one)[:width]
			}
			x, y := state[rng.IntN(4)], state[rng.IntN(4)]
			nx := make([]Lit, width)
			for k := range x {
				nx[k] = x[k] ^ 1
			}
			less := bl.sum(y, nx)[width]
			path = append(path, less^Lit(rng.IntN(2)))
			for _, side := range []Lit{0, 1} {
				q := Query{Assumptions: slices.Clone(path), Closed: true}
				q.Assumptions[len(path)-1] ^= side
				steps = append(steps, step{bl.Vars, len(bl.Clauses), q})
			}
			// Go on with a side that can be taken.
			load(steps[len(steps)-1])
			if st, _ := s.Solve(context.Background(), Query{Assumptions: path}); st != Sat {
				path[len(path)-1] ^= 1
			}
		}
	}
	cones := conesOf(&bl.CNF)
	for i := range steps {
		steps[i].query.Cone = cones(steps[i].query.Assumptions)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, clauses = New(Options{}), 0
		var count [3]int
		for _, st := range steps {
			load(st)
			got, err := s.Solve(context.Background(), st.query)
			if err != nil || got == Unknown {
				b.Fatal(got, err)
			}
			count[got]++
		}
		b.ReportMetric(float64(s.Stats().Conflicts), "conflicts")
		b.ReportMetric(float64(count[Unsat]), "unsat")
	}
}
