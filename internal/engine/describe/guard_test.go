// SPDX-License-Identifier: Apache-2.0

package describe

// This file holds divisions, cofactors and printed guards to enumeration of all
// values, on random conditions over small integers.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/internal/term"
)

// guardProgram has parameters of every kind, wide and narrow.
const guardProgram = `component G
	enum kind { red, green, blue }
	state s int8 = 0
	method narrow(a int2, b uint2, c bool, k kind) { if a < int2(b) && c { error "x" } }
	method wide(x int32, y int32, u uint64, c bool) { if x < y && c { error "x" } }`

// A formulaGen makes random conditions over variables.
type formulaGen struct {
	*rand.Rand
	pool *term.Pool
	vars []*prog.Var
}

func (g *formulaGen) atom() *term.Term {
	v := g.vars[g.IntN(len(g.vars))]
	switch v.Type.Sort.Kind {
	case term.BoolKind:
		return v.Term
	case term.EnumKind:
		return g.pool.Eq(v.Term, g.pool.Const(v.Type.Sort, term.Value{Lo: uint64(g.IntN(len(v.Type.Sort.Enum.Values)))}))
	}
	other := g.pool.Int(v.Type.Sort.Width, int64(g.IntN(4)-1))
	for _, w := range g.vars {
		if w != v && w.Type == v.Type && g.IntN(3) == 0 {
			other = w.Term
		}
	}
	less, eq := g.pool.ULt, g.pool.ULe
	if v.Type.Signed {
		less, eq = g.pool.SLt, g.pool.SLe
	}
	switch g.IntN(4) {
	case 0:
		return less(v.Term, other)
	case 1:
		return eq(v.Term, other)
	case 2:
		return g.pool.Eq(v.Term, g.pool.Ite(g.formula(0), other, g.pool.Add(other, g.pool.Int(v.Type.Sort.Width, 1))))
	}
	return g.pool.Eq(v.Term, other)
}

func (g *formulaGen) formula(depth int) *term.Term {
	if depth == 0 {
		return g.atom()
	}
	a, b := g.formula(depth-1), g.formula(depth-1)
	switch g.IntN(5) {
	case 0:
		return g.pool.And(a, b)
	case 1:
		return g.pool.Or(a, b)
	case 2:
		return g.pool.Eq(a, b)
	case 3:
		return g.pool.Not(a)
	}
	return g.pool.And(a, g.pool.Not(b))
}

func asking(s solve.Solver) asker {
	return func(ctx context.Context, ts ...*term.Term) (solve.Result, error) {
		r, err := s.Check(ctx, ts...)
		if err == nil && r.Verdict == solve.Unknown {
			err = &solve.UndecidedError{Reason: r.Reason}
		}
		return r, err
	}
}

func models(vars []*prog.Var) (out []term.Model) {
	for t := range prog.Tuples(vars) {
		m := term.Model{}
		for i, v := range vars {
			m[v.Term] = t[i]
		}
		out = append(out, m)
	}
	return out
}

// TestCofactor compares cofactors, and the walk that leads to them, with
// enumeration: a is the exchanged call, b another one, c and k are hidden.
func TestCofactor(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := parsed(t, guardProgram)
	params := p.Method("narrow").Params
	a, b := params[0], params[1]
	flips := 0
	for seed := range uint64(400) {
		g := &formulaGen{rand.New(rand.NewPCG(seed, 1)), p.Pool, params}
		f := g.formula(2)
		s := newSolver()
		ask := asking(s)
		holds := func(m term.Model) *term.Model { // some hidden values
			for _, full := range models(params) {
				if full[a.Term] == m[a.Term] && full[b.Term] == m[b.Term] && term.Holds(f, full) {
					return &full
				}
			}
			return nil
		}
		var from, to term.Model
		for _, m := range models(params[:2]) {
			if full := holds(m); full != nil {
				from = *full
			} else {
				to = m
			}
		}
		if from == nil || to == nil {
			continue
		}
		groups := [][]*term.Term{{a.Term}, {b.Term}}
		k, at, err := Flip(ctx, groups, from, to, func(_ context.Context, m term.Model) (bool, error) { return holds(m) != nil, nil })
		if err != nil || k < 0 {
			t.Fatalf("seed %d: no flip: %v", seed, err)
		}
		flips++
		full := *holds(at)
		context := term.Model{}
		for j, g := range groups {
			if j != k {
				context[g[0]] = at[g[0]]
			}
		}
		cond, err := Cubes{p.Pool, ask}.Cofactor(ctx, f, groups[k], context, p.Pool.True(), full)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range models(params[:2]) {
			same := true
			for v, x := range context {
				same = same && m[v] == x
			}
			if same && term.Holds(cond, m) != (holds(m) != nil) {
				t.Fatalf("seed %d: the cofactor of %v is %v, wrong at %v", seed, f, cond, m)
			}
		}
		for _, v := range term.FreeVars(cond) {
			if v != groups[k][0] {
				t.Fatalf("seed %d: the cofactor of %v is %v, which has %v", seed, f, cond, v)
			}
		}
		s.Close()
	}
	if flips < 150 {
		t.Errorf("only %d flips", flips)
	}
}

// TestDivision splits at random and compares with enumeration.
func TestDivision(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := parsed(t, guardProgram)
	params := p.Method("narrow").Params
	all := models(params)
	for seed := range uint64(60) {
		g := &formulaGen{rand.New(rand.NewPCG(seed, 2)), p.Pool, params}
		s := newSolver()
		ids := 0
		d := NewDivision(p.Pool, &ids, params, nil)
		for range 6 {
			k, cond := g.IntN(len(d.Classes)), g.formula(1)
			before := d.Clone()
			ok, err := d.Split(ctx, p.Pool, asking(s), k, cond)
			if err != nil {
				t.Fatal(err)
			}
			in, out := 0, 0
			for _, m := range all {
				if before.of(m) == k && term.Holds(cond, m) {
					in++
				} else if before.of(m) == k {
					out++
				}
			}
			if ok != (in > 0 && out > 0) || ok && len(d.Classes) != len(before.Classes)+1 || !ok && len(d.Classes) != len(before.Classes) {
				t.Fatalf("seed %d: split into %d and %d: %v", seed, in, out, ok)
			}
		}
		if err := d.check(ctx, p.Pool, asking(s)); err != nil {
			t.Fatal(err)
		}
		broken := d.Clone()
		broken.Classes[0].Cond = p.Pool.And(broken.Classes[0].Cond, params[2].Term)
		if broken.Classes[0].Cond != d.Classes[0].Cond && len(d.Classes) > 1 {
			r, err := asking(s)(ctx, p.Pool.Xor(broken.Classes[0].Cond, d.Classes[0].Cond))
			if err != nil {
				t.Fatal(err)
			}
			if err := broken.check(ctx, p.Pool, asking(s)); (err == nil) != (r.Verdict == solve.Unsat) {
				t.Errorf("seed %d: a hole in the division: %v", seed, err)
			}
		}
		s.Close()
	}
}

// TestGuardTexts prints random divisions and reads them back. Equal classes made of
// other terms must give the same text.
func TestGuardTexts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := parsed(t, guardProgram)
	for _, name := range []string{"narrow", "wide"} {
		m := p.Method(name)
		for seed := range uint64(80) {
			g := &formulaGen{rand.New(rand.NewPCG(seed, 3)), p.Pool, m.Params}
			s := newSolver()
			f := g.formula(2)
			if ok, err := NewDivision(p.Pool, new(int), m.Params, nil).Split(ctx, p.Pool, asking(s), 0, f); err != nil || !ok {
				continue
			}
			pr := &GuardPrinter{Prog: p, Solver: s, Vars: m.Params, Keep: func(*prog.Var) bool { return true }, Code: GoConditions(m)}
			classes := []*term.Term{f, p.Pool.Not(f)}
			texts, err := pr.Texts(ctx, classes)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				back, err := prog.ParseExprAs(p, m.Params, text, prog.Type{Sort: term.BoolSort})
				if err != nil {
					t.Fatalf("seed %d: %s: %v", seed, text, err)
				}
				if r, err := asking(s)(ctx, p.Pool.Xor(back, classes[i])); err != nil || r.Verdict != solve.Unsat {
					t.Fatalf("seed %d: %v is printed as %s (%v, %v)", seed, classes[i], text, r.Verdict, err)
				}
			}
			// The same function, with a comparison more that changes nothing.
			h := g.atom()
			again, err := pr.Texts(ctx, []*term.Term{p.Pool.Or(p.Pool.And(f, h), p.Pool.And(f, p.Pool.Not(h))), p.Pool.Not(f)})
			if err != nil {
				t.Fatal(err)
			}
			if name == "narrow" && fmt.Sprint(again) != fmt.Sprint(texts) {
				t.Errorf("seed %d: %q and %q", seed, texts, again)
			}
			s.Close()
		}
	}
}

func newSolver() solve.Solver { return bv.New(bv.Options{}) }

func parsed(t *testing.T, source string) *prog.Program {
	t.Helper()
	p, err := prog.Parse("p.open", []byte(source), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
