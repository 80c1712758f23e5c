// SPDX-License-Identifier: Apache-2.0

package solve

// This file enumerates the models of a question as seen through predicates, the
// step that predicate abstraction is made of. A solver that can do better than
// to ask, block the answer and ask again has a method for it.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// A Lit3 is a predicate's part in a cube. The zero value is Any.
type Lit3 uint8

const (
	Any Lit3 = iota
	True
	False
)

func (l Lit3) String() string {
	switch l {
	case True:
		return "1"
	case False:
		return "0"
	}
	return "-"
}

// A Projector is a Solver with an enumeration of its own. [Project] uses it.
type Projector interface {
	Project(ctx context.Context, pool *term.Pool, assumptions, preds []*term.Term, f func(cube []Lit3) bool) error
}

// An UndecidedError says that a question in the course of a larger one was
// answered Unknown.
type UndecidedError struct{ Reason string }

func (e *UndecidedError) Error() string { return "undecided: " + e.Reason }

// Project calls f with cubes over preds, one value for each, that together cover
// exactly the combinations of truth values that preds can have when the stack and
// the assumptions hold. Cubes do not overlap. The cube is f's to keep. When f
// returns false, no more cubes are sought. The error is an [*UndecidedError] if a
// question was answered Unknown; the cubes before it are right but not all.
//
// Terms are built in pool.
func Project(ctx context.Context, pool *term.Pool, s Solver, assumptions, preds []*term.Term, f func(cube []Lit3) bool) error {
	if p, ok := s.(Projector); ok {
		return p.Project(ctx, pool, assumptions, preds, f)
	}
	return enumerate(ctx, pool, s, assumptions, preds, f)
}

// enumerate is Project by Check alone.
func enumerate(ctx context.Context, pool *term.Pool, s Solver, assumptions, preds []*term.Term, f func(cube []Lit3) bool) error {
	s.Push()
	defer s.Pop()
	for {
		r, err := s.Check(ctx, assumptions...)
		if err != nil {
			return err
		}
		switch r.Verdict {
		case Unsat:
			return nil
		case Unknown:
			return &UndecidedError{r.Reason}
		}
		cube := make([]Lit3, len(preds))
		block := make([]*term.Term, len(preds))
		for i, p := range preds {
			if term.Holds(p, r.Model) {
				cube[i], block[i] = True, pool.Not(p)
			} else {
				cube[i], block[i] = False, p
			}
		}
		if !f(cube) {
			return nil
		}
		s.Assert(pool.Or(block...))
	}
}

// ExistsForall asks for values of exist such that the formula holds for all values
// of forall, by counterexamples (Solar-Lezama et al. 2006; Janota and
// Marques-Silva 2011): one solver proposes values that do for the
// counterexamples so far, the other looks for a new one. The solvers must have no
// assertions, and have none afterwards. The formula has no other variables than
// exist and forall.
//
// A counterexample is used twice: as it is, and with terms over exist in place of
// the values (see [Generalize]). So "some x is not equal to any y + 1" is refuted at
// once, however many values there are. And when some have been found, one is looked
// for that is a counterexample to the last few proposals at the same time: where many
// values refute a proposal, the next one is likely to refute that one only, and a value
// that refutes them all is likely to refute the rest.
//
// Sat comes with values of exist, Unsat has no core. More than the given number of
// counterexamples is Unknown; 0 is no limit, and then it may take as many as
// forall has values.
func ExistsForall(ctx context.Context, pool *term.Pool, propose, refute Solver, exist, forall []*term.Term, formula *term.Term, rounds int) (Result, error) {
	bound := make(map[*term.Term]bool)
	for _, v := range exist {
		bound[v] = true
	}
	for _, v := range forall {
		if bound[v] {
			panic("solve.ExistsForall: " + v.Name() + " is bound twice")
		}
		bound[v] = true
	}
	for _, v := range term.FreeVars(formula) {
		if !bound[v] {
			panic("solve.ExistsForall: " + v.Name() + " is not bound")
		}
	}
	fix := func(vars []*term.Term, m term.Model) map[*term.Term]*term.Term {
		sub := make(map[*term.Term]*term.Term, len(vars))
		for _, v := range vars {
			sub[v] = pool.Const(v.Sort(), m[v])
		}
		return sub
	}
	propose.Push()
	defer propose.Pop()
	var refuted []*term.Term // that the last proposals do not do
	for round := 0; ; round++ {
		r, err := propose.Check(ctx)
		if err != nil || r.Verdict != Sat {
			r.Core = nil
			return r, err
		}
		witness := make(term.Model, len(exist))
		for _, v := range exist {
			witness[v] = r.Model[v]
		}
		fails := pool.Not(pool.Substitute(formula, fix(exist, witness)))
		r, err = refute.Check(ctx, fails)
		if err != nil {
			return Result{}, err
		}
		switch r.Verdict {
		case Unsat:
			return Result{Verdict: Sat, Model: witness}, nil
		case Unknown:
			return r, nil
		}
		if rounds > 0 && round >= rounds {
			return Result{Reason: fmt.Sprintf("no answer within %d counterexamples", rounds)}, nil
		}
		refuted = append(refuted[max(0, len(refuted)-maxTogether+1):], fails)
		if round >= maxTogether {
			all, err := refute.Check(ctx, refuted...)
			if err != nil {
				return Result{}, err
			}
			if all.Verdict == Sat {
				r = all
			}
		}
		values := fix(forall, r.Model)
		propose.Assert(pool.Substitute(formula, values))
		if Generalize(pool, values, exist, witness) {
			propose.Assert(pool.Substitute(formula, values))
		}
	}
}

// maxTogether is how many proposals one counterexample is sought for.
const maxTogether = 4

// Generalize puts terms over vars, whose values are given, in place of constants
// with the same values, and reports whether it did: a variable that has the value,
// else, for an integer, the first of its sort and the difference. Where some choice
// must fit other values, the one that fits them all is likely to be such a term.
func Generalize(pool *term.Pool, constants map[*term.Term]*term.Term, vars []*term.Term, values term.Model) bool {
	some := false
	byAge := slices.SortedFunc(maps.Keys(constants), func(a, b *term.Term) int { return cmp.Compare(a.ID(), b.ID()) })
	for _, v := range byAge {
		c := constants[v]
		if v.Sort().Kind == term.BoolKind || !c.IsConst() {
			continue
		}
		var t *term.Term
		for _, e := range vars {
			if e.Sort() != v.Sort() {
				continue
			}
			if values[e] == c.Value() {
				t = e
				break
			}
			if t == nil && v.Sort().Kind == term.BitVecKind {
				t = pool.Add(e, pool.Sub(c, pool.Const(v.Sort(), values[e])))
			}
		}
		if t != nil {
			constants[v], some = t, true
		}
	}
	return some
}
