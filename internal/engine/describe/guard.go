// SPDX-License-Identifier: Apache-2.0

package describe

// This file divides arguments into guards. A DIVISION lists the classes of the
// arguments of one method (or of its results): conditions that are disjoint, cover
// everything and hold for something. It begins with one class, and is split where
// a verdict depends on it.
//
// Where to split is found by the COFACTOR WALK: from a concrete word that errs to
// one that does not, the values of one call are exchanged at a time, the rest
// stays as it is. Where the verdict flips, it is the exchanged call that decides,
// and the condition on its own values in that context (everything else a
// constant, choices projected away) divides its class: one end of the step is
// inside and the other outside, so both parts have members. This is the
// refinement of X-PSYCO (Howar, Giannakopoulou, Rakamaric, "Hybrid learning:
// interface generation through static, dynamic, and symbolic analysis",
// ISSTA 2013). The projections of PSYCO (Giannakopoulou, Rakamaric, Raman,
// "Symbolic learning of component interfaces", SAS 2012), which drop the
// conjuncts about other calls or join all erring paths, are not used: the
// first make guards that are wrong, the second miss guards that exist.
//
// A split need not be the best one to be right: whatever the classes are, verdicts
// are proved for all members. So a condition may be cut short where it would take
// too long to find all of it.
//
// A condition that compares the values of the exchanged call with those of another
// call has constants of the context in it. No finite division may suffice then;
// related says between which variables.
//
// Conditions are terms over the parameters and, if a division has any, over
// KNOWN variables of the state, whose values a client can tell from the calls it
// made.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// An asker decides a conjunction. What it cannot decide is an error.
type asker func(ctx context.Context, ts ...*term.Term) (solve.Result, error)

// A Class is a set of values of some variables.
type Class struct {
	Id   int // of no other class, also none that was split
	Base int // of the first classes, the one of which it is a part
	Cond *term.Term
}

// A Division divides the values of variables.
type Division struct {
	vars    []*prog.Var // parameters or results of a method
	known   []*prog.Var // other variables that conditions may mention
	Classes []Class
	ids     *int // the last id given
}

// NewDivision is the division into the given classes, or into one.
func NewDivision(pool *term.Pool, ids *int, vars, known []*prog.Var, conds ...*term.Term) *Division {
	p := &Division{vars: vars, known: known, ids: ids}
	if len(conds) == 0 {
		conds = []*term.Term{pool.True()}
	}
	for k, c := range conds {
		p.add(k, c)
	}
	return p
}

func (p *Division) add(base int, cond *term.Term) {
	*p.ids++
	p.Classes = append(p.Classes, Class{*p.ids, base, cond})
}

// Clone is a copy that splits do not change.
func (p *Division) Clone() *Division {
	c := *p
	c.Classes = slices.Clone(p.Classes)
	return &c
}

// Split divides class k by a condition, and reports false if one part would have
// no members. The parts get new ids; the part outside the condition comes last.
func (p *Division) Split(ctx context.Context, pool *term.Pool, ask asker, k int, cond *term.Term) (bool, error) {
	in := pool.And(p.Classes[k].Cond, cond)
	out := pool.And(p.Classes[k].Cond, pool.Not(cond))
	for _, part := range []*term.Term{in, out} {
		if part.IsFalse() {
			return false, nil
		}
		r, err := ask(ctx, part)
		if err != nil || r.Verdict != solve.Sat {
			return false, err
		}
	}
	base := p.Classes[k].Base
	p.Classes = slices.Delete(slices.Clone(p.Classes), k, k+1)
	p.add(base, in)
	p.add(base, out)
	return true, nil
}

// of returns the class that holds in a model, or -1.
func (p *Division) of(m term.Model) int {
	return slices.IndexFunc(p.Classes, func(c Class) bool { return term.Holds(c.Cond, m) })
}

// check returns an error if the classes overlap, leave something out, or have no
// members.
func (p *Division) check(ctx context.Context, pool *term.Pool, ask asker) error {
	question := func(want solve.Verdict, problem string, t *term.Term) error {
		r, err := ask(ctx, t)
		if err == nil && r.Verdict != want {
			err = fmt.Errorf("internal error: %s", problem)
		}
		return err
	}
	none := pool.True()
	for i, c := range p.Classes {
		none = pool.And(none, pool.Not(c.Cond))
		if err := question(solve.Sat, "a guard holds for no arguments", c.Cond); err != nil {
			return err
		}
		for _, d := range p.Classes[:i] {
			if err := question(solve.Unsat, "guards overlap", pool.And(c.Cond, d.Cond)); err != nil {
				return err
			}
		}
	}
	return question(solve.Unsat, "guards do not cover all arguments", none)
}

// Flip walks from a model of which holds is true to one of which it is false,
// giving the variables of one group after the other their values there. It
// returns the group that decides and the last model before it. Variables in no
// group are for holds to choose.
func Flip(ctx context.Context, groups [][]*term.Term, from, to term.Model, holds func(ctx context.Context, m term.Model) (bool, error)) (int, term.Model, error) {
	at := term.Model{}
	for _, g := range groups {
		for _, v := range g {
			at[v] = from[v]
		}
	}
	for k, g := range groups {
		next := term.Model{}
		same := true
		for v, x := range at {
			next[v] = x
		}
		for _, v := range g {
			same = same && next[v] == to[v]
			next[v] = to[v]
		}
		if same {
			continue
		}
		ok, err := holds(ctx, next)
		if err != nil {
			return 0, nil, err
		}
		if !ok {
			return k, at, nil
		}
		at = next
	}
	return -1, nil, nil
}

// Eliminate removes variables that a conjunction defines by an equation, other than
// those that are kept: some value of h makes h == t && f true iff f with t for h is.
func Eliminate(pool *term.Pool, formula *term.Term, keep func(v *term.Term) bool) *term.Term {
	for {
		conjuncts := []*term.Term{formula}
		if formula.Op() == term.OpAnd {
			conjuncts = formula.Args()
		}
		var h, t *term.Term
		for _, c := range conjuncts {
			if c.Op() != term.OpEq {
				continue
			}
			if h, t = definition(pool, c.Args()[0], c.Args()[1], keep); h == nil {
				h, t = definition(pool, c.Args()[1], c.Args()[0], keep)
			}
			if h != nil {
				break
			}
		}
		if h == nil {
			return formula
		}
		formula = pool.Substitute(formula, map[*term.Term]*term.Term{h: t})
	}
}

// definition solves a == b for a variable of a that is not kept.
func definition(pool *term.Pool, a, b *term.Term, keep func(v *term.Term) bool) (h, t *term.Term) {
	summands := []*term.Term{a}
	if a.Op() == term.OpAdd {
		summands = a.Args()
	}
	for i, x := range summands {
		if !x.IsVar() || keep(x) {
			continue
		}
		rest := slices.Delete(slices.Clone(summands), i, i+1)
		if slices.Contains(term.FreeVars(append(rest, b)...), x) {
			continue
		}
		t = b
		for _, r := range rest {
			t = pool.Sub(t, r)
		}
		return x, t
	}
	return nil, nil
}

// AtomsOf lists the comparisons and boolean variables that formulas are made of,
// in order of first occurrence.
func AtomsOf(formulas ...*term.Term) []*term.Term {
	var atoms []*term.Term
	for t := range Subterms(formulas...) {
		if t.Sort().Kind != term.BoolKind || t.IsConst() {
			continue
		}
		switch t.Op() {
		case term.OpNot, term.OpAnd, term.OpOr, term.OpIte:
			continue
		case term.OpEq:
			if t.Args()[0].Sort().Kind == term.BoolKind {
				continue
			}
		}
		atoms = append(atoms, t)
	}
	return atoms
}

// dataVars lists the variables on whose values a term depends, given how its
// conditions fall out.
func dataVars(t *term.Term) []*term.Term {
	var out []*term.Term
	seen := map[*term.Term]bool{}
	var walk func(t *term.Term)
	walk = func(t *term.Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		args := t.Args()
		switch {
		case t.IsVar():
			out = append(out, t)
		case t.Op() == term.OpIte:
			args = args[1:]
		}
		for _, a := range args {
			walk(a)
		}
	}
	walk(t)
	return out
}

// Related returns the variables with given values that a comparison of the formula
// compares with one of vars, if cond has what became of it: fixing them made
// constants that the code does not have. at is a model of the formula with the
// given values. A comparison that goes by way of a choice is found by the constant:
// one that the formula does not have and that is the value of a variable.
func Related(pool *term.Pool, formula *term.Term, vars []*term.Term, values term.Model, cond *term.Term, at term.Model) []*term.Term {
	var out []*term.Term
	used := AtomsOf(cond)
	mine := func(v *term.Term) bool { return slices.Contains(vars, v) }
	for _, atom := range AtomsOf(formula) {
		if !slices.ContainsFunc(dataVars(atom), mine) {
			continue
		}
		if !term.Holds(atom, at) {
			atom = pool.Not(atom)
		}
		lits := implicant(pool, atom, at)
		if len(lits) == 0 {
			continue
		}
		// The comparison with its conditions resolved comes last.
		plain := AtomsOf(lits[len(lits)-1])
		if len(plain) == 0 {
			continue
		}
		fixed := map[*term.Term]*term.Term{}
		for _, v := range term.FreeVars(plain[0]) {
			if !mine(v) {
				fixed[v] = pool.Const(v.Sort(), at[v])
			}
		}
		inst := AtomsOf(pool.Substitute(plain[0], fixed))
		if len(inst) == 0 || !slices.Contains(used, inst[0]) {
			continue
		}
		for _, v := range dataVars(plain[0]) {
			if _, ok := values[v]; ok && !mine(v) && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	own := numbersIn(formula)
	for _, k := range numbersIn(cond) {
		if slices.Contains(own, k) {
			continue
		}
		for _, v := range values.Vars() {
			if v.Sort() == k.Sort() && values[v] == k.Value() && !mine(v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// numbersIn lists the integer constants in a term.
func numbersIn(t *term.Term) []*term.Term {
	var out []*term.Term
	for x := range Subterms(t) {
		if x.IsConst() && x.Sort().Kind == term.BitVecKind {
			out = append(out, x)
		}
	}
	return out
}
