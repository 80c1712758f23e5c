// SPDX-License-Identifier: Apache-2.0

package smtlib

// This file compares z3's answers about random systems over small sorts with
// reachability by enumeration: the least relations that satisfy the clauses with
// a head are computed, and the system is satisfiable iff no clause without one
// applies to them.

import (
	"errors"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// satisfiable decides a system by enumeration.
func satisfiable(p *term.Pool, h *Horn) bool {
	type fact struct {
		pred int
		args [4]term.Value
	}
	known := make(map[fact]bool)
	at := func(a *App, m term.Model) fact {
		f := fact{pred: a.Predicate}
		for i, t := range a.Args {
			f.args[i] = term.Eval(t, m)
		}
		return f
	}
	for changed := true; changed; {
		changed = false
		refuted := false
		for i := range h.Clauses {
			c := &h.Clauses[i]
			models(c.Vars, func(m term.Model) {
				if !term.Holds(c.body(p), m) {
					return
				}
				for k := range c.Calls {
					if !known[at(&c.Calls[k], m)] {
						return
					}
				}
				if c.Head == nil {
					refuted = true
				} else if f := at(c.Head, m); !known[f] {
					known[f] = true
					changed = true
				}
			})
		}
		if refuted {
			return false
		}
	}
	return true
}

func randomHorn(p *term.Pool, seed uint64) *Horn {
	r := rand.New(rand.NewPCG(seed, 2))
	g := &randomInt{p: p, r: r, less: p.SLt}
	if seed%2 == 0 {
		g.less = p.ULt
	}
	g.vars = []*term.Term{p.Var("x", term.BV(3)), p.Var("y", term.BV(3))}
	g.bools = []*term.Term{p.Var("b", term.BoolSort)}
	e := &term.Enum{Name: "e", Values: []string{"u", "v", "w"}}
	en := p.Var("e", term.EnumOf(e))
	value := func() *term.Term { return p.Const(en.Sort(), term.Value{Lo: uint64(r.IntN(3))}) }
	vars := append(append([]*term.Term{en}, g.vars...), g.bools...)
	h := &Horn{Predicates: []Predicate{
		{"p", []term.Sort{term.BV(3), term.BoolSort}},
		{"q", []term.Sort{en.Sort(), term.BV(3)}},
	}}
	call := func() App {
		if r.IntN(2) == 0 {
			return App{0, []*term.Term{g.vars[r.IntN(2)], g.bools[0]}}
		}
		return App{1, []*term.Term{en, g.vars[r.IntN(2)]}}
	}
	head := func() *App {
		if r.IntN(2) == 0 {
			return &App{0, []*term.Term{g.number(2), g.formula(1)}}
		}
		c := en
		if r.IntN(2) == 0 {
			c = value()
		}
		return &App{1, []*term.Term{c, g.number(2)}}
	}
	guard := func() *term.Term {
		if r.IntN(3) == 0 {
			return p.And(p.Eq(en, value()), g.formula(2))
		}
		return g.formula(2)
	}
	h.Clauses = append(h.Clauses, Clause{Head: &App{0, []*term.Term{p.Int(3, int64(r.IntN(8))), p.False()}}})
	for range 3 + r.IntN(3) {
		h.Clauses = append(h.Clauses, Clause{vars, guard(), []App{call()}, head()})
	}
	for range 1 + r.IntN(2) {
		calls := []App{call()}
		if r.IntN(3) == 0 {
			calls = append(calls, call())
		}
		h.Clauses = append(h.Clauses, Clause{vars, p.And(guard(), guard()), calls, nil})
	}
	return h
}

func TestRandomHorn(t *testing.T) {
	cmd := z3(t)
	rounds := uint64(12)
	if os.Getenv("CI") == "true" {
		rounds = 150
	}
	counts := make(map[string]int)
	for seed := range rounds {
		p := term.NewPool()
		h := randomHorn(p, seed)
		want := solve.Unsat
		if satisfiable(p, h) {
			want = solve.Sat
		}
		check := open(t, cmd, Options{})
		for _, o := range []HornOptions{
			{Theory: BitVectors},
			{Theory: Integers},
			{Theory: Integers, Overflow: Ignored},
		} {
			o.Command, o.Check, o.Timeout = cmd, check, 5*time.Second
			r, err := SolveHorn(t.Context(), p, h, o)
			var bad *TheoryError
			if errors.As(err, &bad) && o.Theory == Integers {
				counts["refused"]++
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, theory %d: %v", seed, o.Theory, err)
			}
			name := []string{"bit-vectors ", "integers "}[o.Theory]
			if o.Overflow == Ignored {
				name = "ignoring overflows "
			}
			counts[name+r.Verdict.String()]++
			switch {
			case r.Verdict == solve.Unknown:
			case o.Overflow == Ignored && want == solve.Unsat: // it may need an overflow
			case r.Verdict != want:
				t.Errorf("seed %d, theory %d, overflow %d: %v, want %v", seed, o.Theory, o.Overflow, r.Verdict, want)
			}
		}
		check.Close()
	}
	t.Log(counts)
	for _, name := range []string{"bit-vectors sat", "bit-vectors unsat", "integers sat", "integers unsat"} {
		if counts[name] == 0 {
			t.Errorf("no case of %s", name)
		}
	}
}
