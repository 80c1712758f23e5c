// SPDX-License-Identifier: Apache-2.0

package solve_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/internal/solve/solvetest"
	"github.com/interlock-go/interlock/internal/term"
)

func TestCount(t *testing.T) {
	p := term.NewPool()
	x := p.Var("x", term.BoolSort)
	c := solve.Count(solve.Budget(bv.New(bv.Options{}), 3))
	c.Push()
	c.Assert(x)
	for i, a := range []*term.Term{p.True(), p.Not(x), x, x} {
		r, err := c.Check(ctx, a)
		want := []solve.Verdict{solve.Sat, solve.Unsat, solve.Sat, solve.Unknown}[i]
		if err != nil || r.Verdict != want || (want == solve.Unknown) != (r.Reason != "") {
			t.Fatalf("question %d: %v %v, want %v", i, r, err, want)
		}
	}
	if c.Checks != 4 || c.Sat != 2 || c.Unsat != 1 || c.Unknown != 1 || c.Asserts != 1 || c.Pushes != 1 {
		t.Fatalf("%+v", c)
	}
}

func TestBudgetOfCubes(t *testing.T) {
	p := term.NewPool()
	x := p.Var("x", term.BV(8))
	var preds []*term.Term
	for i := range int64(6) {
		preds = append(preds, p.ULt(x, p.Int(8, 10*i+5)))
	}
	n := 0
	err := solve.Project(ctx, p, solve.Budget(bv.New(bv.Options{}), 3), nil, preds, func([]solve.Lit3) bool { n++; return true })
	var undecided *solve.UndecidedError
	if !errors.As(err, &undecided) || n != 3 {
		t.Fatalf("%d cubes, %v; want 3 and an undecided error", n, err)
	}
}

// TestCache checks that a question is asked once, in whatever order its terms come
// and however they are divided between stack and assumptions.
func TestCache(t *testing.T) {
	p := term.NewPool()
	a, b, d := p.Var("a", term.BoolSort), p.Var("b", term.BoolSort), p.Var("d", term.BoolSort)
	inner := solve.Count(bv.New(bv.Options{}))
	s := solve.Cache(inner, 2)
	ask := func(ts ...*term.Term) solve.Result {
		r, err := s.Check(ctx, ts...)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	expect := func(n int64) {
		t.Helper()
		if inner.Checks != n {
			t.Fatalf("%d questions passed, want %d", inner.Checks, n)
		}
	}
	r := ask(a, b)
	r.Model[a] = term.Value{} // the answer is the caller's
	if r = ask(b, a, a); !term.Holds(a, r.Model) {
		t.Fatal("a remembered answer was changed")
	}
	expect(1)
	s.Push()
	s.Assert(b)
	ask(a)
	expect(1)
	if r := ask(p.Not(b)); r.Verdict != solve.Unsat {
		t.Fatal(r)
	}
	expect(2)
	s.Pop()
	if r := ask(p.Not(b)); r.Verdict != solve.Sat {
		t.Fatal(r)
	}
	expect(3) // and the memory was full
	ask(d)
	ask(a, b)
	expect(5)
}

// TestLog runs random calls with a log, reads the log back and expects the same
// answers.
func TestLog(t *testing.T) {
	for seed := range uint64(20) {
		p := term.NewPool()
		g := solvetest.NewGen(p, seed, 3, 9)
		g.Enums = []*term.Enum{{Name: "e", Values: []string{"a", "b", "c"}}}
		var buf bytes.Buffer
		s := solve.Log(bv.New(bv.Options{}), &buf)
		var want []string
		depth := 0
		for range 40 {
			switch g.Rand.IntN(5) {
			case 0:
				s.Push()
				depth++
			case 1:
				if depth > 0 {
					s.Pop()
					depth--
				}
			case 2:
				s.Assert(g.Bool(2))
			default:
				var as []*term.Term
				for range g.Rand.IntN(3) {
					as = append(as, g.Bool(2))
				}
				r, err := s.Check(ctx, as...)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, r.Verdict.String())
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		var comments []string
		for line := range strings.Lines(buf.String()) {
			if strings.HasPrefix(line, "; ") {
				comments = append(comments, strings.TrimSpace(line[2:]))
			}
		}
		q := term.NewPool()
		script, err := term.ParseScript(q, "log", buf.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, buf.String())
		}
		u := bv.New(bv.Options{SearchOnly: true})
		var got []string
		for _, c := range script.Commands {
			switch c.Kind {
			case term.Push:
				u.Push()
			case term.Pop:
				u.Pop()
			case term.Assert:
				u.Assert(c.Term)
			case term.CheckSat:
				r, err := u.Check(ctx)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, r.Verdict.String())
			}
		}
		if !slices.Equal(got, want) || !slices.Equal(comments, want) {
			t.Fatalf("seed %d: replayed %v, logged %v, want %v", seed, got, comments, want)
		}
	}
}

type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

func TestLogErrors(t *testing.T) {
	p := term.NewPool()
	s := solve.Log(bv.New(bv.Options{}), &full{100})
	for i := range 300 {
		s.Assert(p.Var(fmt.Sprint("x", i), term.BoolSort))
	}
	if r, err := s.Check(ctx); err != nil || r.Verdict != solve.Sat {
		t.Fatalf("%v %v: a log that fails must not change answers", r, err)
	}
	if err := s.Close(); !errors.Is(err, io.ErrShortWrite) {
		t.Fatalf("error %v, want that of the writer", err)
	}
	s = solve.Log(bv.New(bv.Options{}), io.Discard)
	s.Assert(p.Var("y", term.BoolSort))
	s.Assert(p.Eq(p.Var("y", term.BV(8)), p.Int(8, 1)))
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "variable y has sorts") {
		t.Fatalf("error %v, want one about y", err)
	}
}
