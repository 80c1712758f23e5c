// SPDX-License-Identifier: Apache-2.0

package symbolic

// This file asks the solver about path conditions. Conditions of a word are
// conjunctions over copies of parameters, one copy per call, and most conjuncts
// speak of one call only. So a question is taken apart into groups of conjuncts
// that share variables, each group is asked alone, with its calls renumbered from
// zero, and answers are remembered: what was asked about the third call of one
// word is known for the fifth call of another (the independence and
// counterexample caches of symbolic execution engines; Cadar, Dunbar, Engler,
// "KLEE", OSDI 2008).

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A copyKind says what a copied variable is to the client.
type copyKind uint8

const (
	argCopy    copyKind = iota + 1 // chosen by the client
	resultCopy                     // seen by the client
	choiceCopy                     // of the environment or hidden: not seen
)

// A varCopy is a variable of a method in one call of a word.
type varCopy struct {
	base *term.Term
	at   int // number of the call; -1: before the first
	kind copyKind
}

// A wordAsker asks questions about conditions over copies.
type wordAsker struct {
	pool            *term.Pool
	solver          solve.Solver
	propose, refute solve.Solver
	copies          map[*term.Term]varCopy
	answers         map[string]solve.Result
	asked           int // questions
	work, limit     int // as in modal
	hits            int
	meter           predabs.Meter
}

func newWordAsker(p *problem.Problem) *wordAsker {
	a := &wordAsker{pool: p.Program.Pool, solver: p.Solver(), propose: p.Solver(), refute: p.Solver(),
		copies: map[*term.Term]varCopy{}, answers: map[string]solve.Result{}, limit: p.Questions()}
	a.meter.Solvers = []solve.Solver{a.solver, a.propose, a.refute}
	a.propose, a.refute = predabs.Metered{Solver: a.propose, Charge: a.charge}, predabs.Metered{Solver: a.refute, Charge: a.charge}
	return a
}

func (a *wordAsker) close() {
	for _, s := range []solve.Solver{a.solver, a.propose, a.refute} {
		s.Close()
	}
}

// copy returns the copy of a variable in a call.
func (a *wordAsker) copy(base *term.Term, at int, kind copyKind) *term.Term {
	name := base.Name()
	if kind == resultCopy {
		name += " seen" // another method may have a parameter of this name
	}
	t := a.pool.Var(fmt.Sprintf("%s@%d", name, at), base.Sort())
	a.copies[t] = varCopy{base, at, kind}
	return t
}

// renumber returns the substitution that moves copies to other calls.
func (a *wordAsker) renumber(vars []*term.Term, to func(at int) int) map[*term.Term]*term.Term {
	sub := map[*term.Term]*term.Term{}
	for _, v := range vars {
		if c, ok := a.copies[v]; ok && c.at >= 0 {
			sub[v] = a.copy(c.base, to(c.at), c.kind)
		}
	}
	return sub
}

// conjuncts flattens conjunctions; constants true are left out.
func conjuncts(ts ...*term.Term) []*term.Term {
	var out []*term.Term
	var walk func(t *term.Term)
	walk = func(t *term.Term) {
		switch {
		case t.Op() == term.OpAnd:
			for _, x := range t.Args() {
				walk(x)
			}
		case !t.IsTrue() && !slices.Contains(out, t):
			out = append(out, t)
		}
	}
	for _, t := range ts {
		walk(t)
	}
	return out
}

// groups splits conjuncts into groups that share no variables, in order of
// their first members.
func groups(conj []*term.Term) [][]*term.Term {
	owner := map[*term.Term]int{} // variable -> conjunct
	root := make([]int, len(conj))
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for i, t := range conj {
		root[i] = i
		for _, v := range term.FreeVars(t) {
			if j, ok := owner[v]; ok {
				x, y := find(i), find(j)
				root[max(x, y)] = min(x, y)
			} else {
				owner[v] = i
			}
		}
	}
	var out [][]*term.Term
	number := map[int]int{}
	for i, t := range conj {
		r := find(i)
		k, ok := number[r]
		if !ok {
			k = len(out)
			number[r] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], t)
	}
	return out
}

// sat decides a conjunction. An answer that was not found is Unknown with its
// reason; errors are an exhausted budget or a failure.
func (a *wordAsker) sat(ctx context.Context, ts ...*term.Term) (solve.Result, error) {
	out := solve.Result{Verdict: solve.Sat, Model: term.Model{}}
	for _, g := range groups(conjuncts(ts...)) {
		r, err := a.satGroup(ctx, g)
		if err != nil || r.Verdict == solve.Unsat {
			return r, err
		}
		if r.Verdict == solve.Unknown {
			out = r // a later group may still be a contradiction
		}
		if out.Verdict == solve.Sat {
			for v, x := range r.Model {
				out.Model[v] = x
			}
		}
	}
	return out, nil
}

func (a *wordAsker) satGroup(ctx context.Context, g []*term.Term) (solve.Result, error) {
	if len(g) == 1 && g[0].IsFalse() {
		return solve.Result{Verdict: solve.Unsat}, nil
	}
	vars := term.FreeVars(g...)
	sub := a.renumber(vars, a.dense(vars))
	moved := a.pool.SubstituteAll(g, sub)
	slices.SortFunc(moved, func(x, y *term.Term) int { return cmp.Compare(x.ID(), y.ID()) })
	var key []byte
	for _, t := range moved {
		key = binary.LittleEndian.AppendUint32(key, t.ID())
	}
	r, ok := a.answers[string(key)]
	if ok {
		a.hits++
	} else {
		if err := a.step(moved...); err != nil {
			return solve.Result{}, err
		}
		var err error
		if r, err = a.solver.Check(ctx, moved...); err != nil {
			return solve.Result{}, err
		}
		a.answers[string(key)] = r
	}
	if r.Verdict != solve.Sat {
		return solve.Result{Verdict: r.Verdict, Reason: r.Reason}, nil
	}
	m := term.Model{}
	for _, v := range vars {
		w := v
		if sub[v] != nil {
			w = sub[v]
		}
		m[v] = r.Model[w]
	}
	return solve.Result{Verdict: solve.Sat, Model: m}, nil
}

// dense numbers the calls of variables from zero, in order.
func (a *wordAsker) dense(vars []*term.Term) func(int) int {
	var at []int
	for _, v := range vars {
		if c, ok := a.copies[v]; ok && c.at >= 0 {
			at = append(at, c.at)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	return func(i int) int {
		k, _ := slices.BinarySearch(at, i)
		return k
	}
}

// step is a unit of the budget for a question, and more for a large one.
func (a *wordAsker) step(ts ...*term.Term) error {
	a.work++
	a.asked++
	for _, t := range ts {
		a.work += term.Size(t) / sizeOfQuestion
	}
	return a.overspent()
}

// charge counts the work of the solvers, inside a question.
func (a *wordAsker) charge(context.Context) error { return a.overspent() }

// overspent counts the work of the solvers. It is an error if that is more than allowed.
func (a *wordAsker) overspent() error {
	if a.work += a.meter.More(); a.work > a.limit {
		return &explore.BudgetError{What: "solver questions", Limit: a.limit}
	}
	return nil
}

// hidden reports whether a variable is a choice that the client does not see.
func (a *wordAsker) hidden(v *term.Term) bool { return a.copies[v].kind == choiceCopy }

// existsForall asks for values of the seen variables, and of the choices of
// the first condition, such that it holds and no choices make one of the
// others hold. Each condition has its own choices.
func (a *wordAsker) existsForall(ctx context.Context, holds []*term.Term, fails [][]*term.Term) (solve.Result, error) {
	first := a.pool.And(holds...)
	var none []*term.Term
	quantified := false
	for _, f := range fails {
		t := a.pool.And(f...)
		if slices.ContainsFunc(term.FreeVars(t), a.hidden) {
			quantified = true
		}
		none = append(none, a.pool.Not(t))
	}
	if !quantified {
		return a.sat(ctx, append(slices.Clone(holds), none...)...)
	}
	// Rename the choices of the first condition: they are not those of the rest.
	sub := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(first) {
		if a.hidden(v) {
			sub[v] = a.pool.Var("\x00own "+v.Name(), v.Sort())
		}
	}
	formula := a.pool.And(append([]*term.Term{a.pool.Substitute(first, sub)}, none...)...)
	var exist, forall []*term.Term
	for _, v := range term.FreeVars(formula) {
		if a.hidden(v) {
			forall = append(forall, v)
		} else {
			exist = append(exist, v)
		}
	}
	// It is asked in rounds, with copies of the formula.
	a.work += roundsOfQuestion * term.Size(formula) / sizeOfQuestion
	if err := a.step(); err != nil {
		return solve.Result{}, err
	}
	r, err := solve.ExistsForall(ctx, a.pool, a.propose, a.refute, exist, forall, formula, 100)
	if err == nil && r.Verdict == solve.Unknown && r.Reason == "" {
		r.Reason = "a question about choices was not decided"
	}
	return r, err
}

// ask is sat for package-wide helpers: what is not decided is an error.
func (a *wordAsker) ask(ctx context.Context, ts ...*term.Term) (solve.Result, error) {
	r, err := a.sat(ctx, ts...)
	if err == nil && r.Verdict == solve.Unknown {
		err = &solve.UndecidedError{Reason: r.Reason}
	}
	return r, err
}
