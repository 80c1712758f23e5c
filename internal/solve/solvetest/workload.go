// SPDX-License-Identifier: Apache-2.0

package solvetest

// This file makes workloads: sequences of calls of a solver that look like those
// of the engines. They do not depend on the answers, so every solver gets the
// same calls.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A StepKind tells steps apart.
type StepKind uint8

const (
	Push StepKind = iota + 1
	Pop
	Assert  // Terms[0]
	Check   // Terms are the assumptions
	Project // Terms are the assumptions, Preds the predicates
)

// A Step is one call.
type Step struct {
	Kind  StepKind
	Terms []*term.Term
	Preds []*term.Term
}

// A Workload is a sequence of calls.
type Workload struct {
	Name  string
	Pool  *term.Pool
	Steps []Step
}

// An Answer is what a question of a workload gave.
type Answer struct {
	Result solve.Result
	Cubes  int     // of a projection
	Models float64 // combinations that they cover
	// Undecided is why a projection is not complete, or empty.
	Undecided string
}

// Run makes the calls. Before each question it calls before, with the answer it
// calls after; either may be nil.
func (w *Workload) Run(ctx context.Context, s solve.Solver, before func(), after func(Answer)) error {
	for _, st := range w.Steps {
		var a Answer
		var err error
		switch st.Kind {
		case Push:
			s.Push()
			continue
		case Pop:
			s.Pop()
			continue
		case Assert:
			s.Assert(st.Terms[0])
			continue
		}
		if before != nil {
			before()
		}
		if st.Kind == Check {
			a.Result, err = s.Check(ctx, st.Terms...)
		} else {
			err = solve.Project(ctx, w.Pool, s, st.Terms, st.Preds, func(cube []solve.Lit3) bool {
				a.Cubes++
				n := 1.0
				for _, l := range cube {
					if l == solve.Any {
						n *= 2
					}
				}
				a.Models += n
				return true
			})
		}
		var undecided *solve.UndecidedError
		if errors.As(err, &undecided) {
			a.Undecided, err = undecided.Reason, nil
		}
		if err != nil {
			return err
		}
		if after != nil {
			after(a)
		}
	}
	return nil
}

// Questions is the number of questions.
func (w *Workload) Questions() int {
	n := 0
	for _, st := range w.Steps {
		if st.Kind >= Check {
			n++
		}
	}
	return n
}

// Paths is the workload of symbolic execution: along each path, words are computed
// from parameters, and at each branch both sides are asked as assumptions; then
// the one that some concrete run takes is asserted. A path of 25 branches has 50
// questions.
func Paths(seed uint64, paths, branches int) *Workload {
	p := term.NewPool()
	rng := rand.New(rand.NewPCG(seed, 1))
	w := &Workload{Name: "paths", Pool: p}
	for range paths {
		width := 32
		if rng.IntN(3) == 0 {
			width = 64
		}
		e := &executor{p: p, rng: rng, width: width, input: make(term.Model)}
		for i := range 6 {
			v := p.Var(fmt.Sprintf("p%d_%d", width, i), term.BV(width))
			e.input[v] = term.ValueOf(width, e.small())
			e.regs = append(e.regs, v)
		}
		for i := range 3 {
			v := p.Var(fmt.Sprintf("f%d", i), term.BoolSort)
			e.input[v] = term.BoolValue(rng.IntN(2) == 0)
			e.flags = append(e.flags, v)
		}
		e.params = append(e.params, e.regs...)
		w.Steps = append(w.Steps, Step{Kind: Push})
		for range branches {
			for range 2 {
				e.step()
			}
			c := e.condition()
			not := p.Not(c)
			first, second := c, not
			if rng.IntN(2) == 0 {
				first, second = not, c
			}
			w.Steps = append(w.Steps,
				Step{Kind: Check, Terms: []*term.Term{first}},
				Step{Kind: Check, Terms: []*term.Term{second}})
			if !term.Holds(c, e.input) {
				c = not
			}
			w.Steps = append(w.Steps, Step{Kind: Assert, Terms: []*term.Term{c}})
		}
		w.Steps = append(w.Steps, Step{Kind: Pop})
	}
	return w
}

// An executor is a random program under execution.
type executor struct {
	p           *term.Pool
	rng         *rand.Rand
	width       int
	params      []*term.Term
	regs, flags []*term.Term
	input       term.Model
}

func (e *executor) small() int64 {
	switch e.rng.IntN(4) {
	case 0:
		return int64(e.rng.IntN(5)) - 1
	case 1:
		return int64(e.rng.IntN(1000))
	case 2:
		return -int64(e.rng.IntN(100))
	}
	return int64(1) << e.rng.IntN(e.width-1)
}

func (e *executor) reg() *term.Term { return e.regs[e.rng.IntN(len(e.regs))] }

// param is an input word: sums in programs are of a few of these and not of each
// other over and over.
func (e *executor) param() *term.Term { return e.params[e.rng.IntN(len(e.params))] }

func (e *executor) constant() *term.Term { return e.p.Int(e.width, e.small()) }

// step assigns to a register.
func (e *executor) step() {
	p := e.p
	i := e.rng.IntN(len(e.regs))
	x, y := e.reg(), e.reg()
	var t *term.Term
	switch e.rng.IntN(12) {
	case 0, 1, 2, 3:
		t = p.Add(x, p.Int(e.width, int64(e.rng.IntN(3))-1))
	case 4, 5:
		t = p.Add(x, e.param())
	case 6:
		t = p.Sub(x, e.param())
	case 7:
		t = p.BVAnd(x, p.Int(e.width, int64(1)<<(3+e.rng.IntN(12))-1))
	case 8:
		t = p.BVOr(x, p.Int(e.width, int64(1)<<e.rng.IntN(8)))
	case 9:
		t = p.Ite(e.condition(), x, y)
	case 10:
		t = p.Ite(e.flags[e.rng.IntN(len(e.flags))], p.Add(x, e.constant()), y)
	default:
		t = e.constant()
	}
	e.regs[i] = t
}

func (e *executor) condition() *term.Term {
	p := e.p
	x := e.reg()
	y := e.constant()
	if e.rng.IntN(3) == 0 {
		y = e.reg()
	}
	switch e.rng.IntN(8) {
	case 0, 1:
		return p.SLt(x, y)
	case 2:
		return p.SLe(x, y)
	case 3:
		return p.ULt(x, y)
	case 4, 5:
		return p.Eq(x, y)
	case 6:
		return p.And(p.SLe(p.Int(e.width, 0), x), p.SLt(x, y))
	}
	return e.flags[e.rng.IntN(len(e.flags))]
}

// Predicates is the workload of predicate abstraction: which combinations of
// predicates can hold after a step, given a combination before it?
func Predicates(seed uint64, problems, preds int) *Workload {
	p := term.NewPool()
	rng := rand.New(rand.NewPCG(seed, 2))
	w := &Workload{Name: "predicates", Pool: p}
	for range problems {
		e := &executor{p: p, rng: rng, width: 32, input: make(term.Model)}
		for i := range 4 {
			e.regs = append(e.regs, p.Var(fmt.Sprintf("s%d", i), term.BV(32)))
		}
		for i := range 2 {
			e.flags = append(e.flags, p.Var(fmt.Sprintf("g%d", i), term.BoolSort))
		}
		for _, v := range append(append([]*term.Term(nil), e.regs...), e.flags...) {
			if v.Sort() == term.BoolSort {
				e.input[v] = term.BoolValue(rng.IntN(2) == 0)
			} else {
				e.input[v] = term.ValueOf(32, e.small())
			}
		}
		before := append([]*term.Term(nil), e.regs...)
		e.params = before
		var atoms []*term.Term
		for len(atoms) < preds {
			if c := e.condition(); !c.IsConst() {
				atoms = append(atoms, c)
			}
		}
		for range 4 {
			e.step()
		}
		sub := make(map[*term.Term]*term.Term)
		for i, v := range before {
			sub[v] = e.regs[i]
		}
		after := p.SubstituteAll(atoms, sub)
		// A cube before the step that some state satisfies, without a few
		// predicates.
		st := Step{Kind: Project, Preds: after}
		for _, a := range atoms {
			if rng.IntN(3) == 0 {
				continue
			}
			if !term.Holds(a, e.input) {
				a = p.Not(a)
			}
			st.Terms = append(st.Terms, a)
		}
		w.Steps = append(w.Steps, st)
	}
	return w
}

// A Puzzle is a single hard question.
type Puzzle struct {
	Name    string
	Formula *term.Term
	Want    solve.Verdict
}

// Puzzles are hard questions about multipliers. The products are sums of shifted
// rows, which no rewriting of products recognizes.
func Puzzles(p *term.Pool) []Puzzle {
	var out []Puzzle
	for n := 6; n <= 8; n++ {
		x, y := p.Var(fmt.Sprintf("x%d", n), term.BV(n)), p.Var(fmt.Sprintf("y%d", n), term.BV(n))
		a, b := Rows(p, x, y), Rows(p, y, x)
		out = append(out, Puzzle{fmt.Sprintf("commute%d", n), p.Ne(a, b), solve.Unsat})
	}
	x, y := p.Var("fx", term.BV(10)), p.Var("fy", term.BV(10))
	out = append(out, Puzzle{"factor20", p.And(p.Eq(Rows(p, x, y), p.Int(20, 743*1009)),
		p.UGt(x, p.Int(10, 1)), p.UGt(y, p.Int(10, 1))), solve.Sat})
	return out
}

// Rows is the product of x and y in twice their width, as a sum of shifted rows.
func Rows(p *term.Pool, x, y *term.Term) *term.Term {
	n := x.Sort().Width
	wide := p.ZeroExt(n, x)
	acc := p.Int(2*n, 0)
	for i := range n {
		bit := p.Eq(p.Extract(i, i, y), p.Int(1, 1))
		acc = p.Add(acc, p.Ite(bit, p.Shl(wide, p.Int(2*n, int64(i))), p.Int(2*n, 0)))
	}
	return acc
}
