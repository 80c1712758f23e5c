// SPDX-License-Identifier: Apache-2.0

package describe

// This file writes the classes of a division as conditions that people read and
// the text form and package typestate read back. Where the values can be
// enumerated, they are, and the finite engines' description is used, so that equal
// guards are equal texts whichever engine found them. Otherwise the conditions are
// minimized as functions of the comparisons they are made of, those of the code
// first: two-level minimization over the combinations of truth values that can
// happen, the others being don't-cares. Every text is read back and compared with
// its class by the solver.

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A GuardPrinter writes conditions over variables.
type GuardPrinter struct {
	Prog   *prog.Program
	Solver solve.Solver // with nothing asserted
	Vars   []*prog.Var
	// keep are the variables that can matter; the others are zero.
	Keep func(v *prog.Var) bool
	// code are conditions that the reader knows.
	Code []*term.Term
	// registers says that there are registers among the variables.
	Registers bool
}

// Texts writes the conditions of disjoint classes. Values of none of them are
// don't-cares.
func (g *GuardPrinter) Texts(ctx context.Context, classes []*term.Term) ([]string, error) {
	if len(classes) == 1 {
		return []string{"true"}, nil
	}
	limit := MaxGuardTuples
	if g.Registers {
		limit = maxRegisterTuples
	}
	if points := Enumerate(g.Vars, g.Keep, limit); points != nil {
		return g.enumerated(points, classes), nil
	}
	out, err := g.byAtoms(ctx, classes)
	if err != nil {
		return nil, err
	}
	for i, t := range classes {
		text := ""
		if out != nil {
			text = out[i]
		}
		// What is printed must be what is meant.
		back, err := prog.ParseExprAs(g.Prog, g.Vars, text, prog.Type{Sort: term.BoolSort})
		same := false
		if err == nil {
			r, err := g.Solver.Check(ctx, g.Prog.Pool.Xor(back, t), g.Prog.Pool.Or(classes...))
			if err != nil {
				return nil, err
			}
			same = r.Verdict == solve.Unsat
		}
		if out == nil {
			out = make([]string, len(classes))
		}
		if !same {
			out[i] = prog.FormatExpr(g.Prog, g.Vars, t)
		}
	}
	return out, nil
}

// Enumerate lists all values of the variables in order of their codes, the first
// variable slowest; nil if there are more than limit. Those not kept are zero.
func Enumerate(vars []*prog.Var, keep func(v *prog.Var) bool, limit int) [][]uint64 {
	total := 1
	size := make([]uint64, len(vars))
	for i, v := range vars {
		n := 1
		if keep(v) {
			n = v.Type.Size()
		}
		if n > limit || total*n > limit {
			return nil
		}
		total *= n
		size[i] = uint64(n)
	}
	out := make([][]uint64, 0, total)
	cur := make([]uint64, len(vars))
	for {
		out = append(out, slices.Clone(cur))
		i := len(cur) - 1
		for ; i >= 0; i-- {
			if cur[i]++; cur[i] < size[i] {
				break
			}
			cur[i] = 0
		}
		if i < 0 {
			return out
		}
	}
}

func (g *GuardPrinter) enumerated(points [][]uint64, classes []*term.Term) []string {
	var of []int
	var care [][]uint64
	m := term.Model{}
	for _, pt := range points {
		for j, v := range g.Vars {
			m[v.Term] = term.Value{Lo: pt[j]}
		}
		if k := slices.IndexFunc(classes, func(t *term.Term) bool { return term.Holds(t, m) }); k >= 0 {
			care, of = append(care, pt), append(of, k)
		}
	}
	points = care
	out := make([]string, len(classes))
	member := make([]bool, len(points))
	for k := range classes {
		for i := range points {
			member[i] = of[i] == k
		}
		out[k] = Describe(g.Prog, g.Vars, g.Code, points, member)
	}
	return out
}

// byAtoms minimizes the classes as functions of their comparisons; nil if there
// are too many.
func (g *GuardPrinter) byAtoms(ctx context.Context, classes []*term.Term) ([]string, error) {
	used := AtomsOf(classes...)
	atoms := slices.DeleteFunc(slices.Clone(g.Code), func(t *term.Term) bool { return !slices.Contains(used, t) })
	for _, t := range used {
		if !slices.Contains(atoms, t) {
			atoms = append(atoms, t)
		}
	}
	out, err := g.byThese(ctx, classes, atoms)
	if again := g.thirds(atoms); out != nil && !slices.Equal(again, atoms) {
		// What is neither above nor below is equal: the shorter text wins.
		other, wrong := g.byThese(ctx, classes, again)
		for i := range other {
			if len(other[i]) < len(out[i]) {
				out[i] = other[i]
			}
		}
		err = cmp.Or(err, wrong)
	}
	return out, err
}

// byThese minimizes the classes as functions of some comparisons, of which they are made.
func (g *GuardPrinter) byThese(ctx context.Context, classes, atoms []*term.Term) ([]string, error) {
	pool := g.Prog.Pool
	if len(atoms) > maxGuardAtoms {
		return nil, nil
	}
	var points [][]uint64
	var add func(pt []uint64, cube []solve.Lit3)
	add = func(pt []uint64, cube []solve.Lit3) {
		if len(points) > maxGuardCubes {
			return
		}
		if len(pt) == len(cube) {
			points = append(points, slices.Clone(pt))
			return
		}
		l := cube[len(pt)]
		if l != solve.True {
			add(append(pt, 0), cube)
		}
		if l != solve.False {
			add(append(pt, 1), cube)
		}
	}
	// Asked one by one: a solver's own way to enumerate is made for many easy
	// predicates, and these are few and may multiply.
	err := solve.Project(ctx, pool, struct{ solve.Solver }{g.Solver}, nil, atoms, func(cube []solve.Lit3) bool {
		add(nil, cube)
		return len(points) <= maxGuardCubes
	})
	var gaveUp *solve.UndecidedError
	if errors.As(err, &gaveUp) || len(points) > maxGuardCubes {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// The order in which a solver finds them must not matter.
	slices.SortFunc(points, slices.Compare)
	vars := make([]*prog.Var, len(atoms))
	for i, t := range atoms {
		vars[i] = &prog.Var{Name: prog.FormatExpr(g.Prog, g.Vars, t), Type: prog.Type{Sort: term.BoolSort}, Term: t}
	}
	var of []int
	var care [][]uint64
	for _, pt := range points {
		sub := map[*term.Term]*term.Term{}
		for j, a := range atoms {
			sub[a] = pool.Bool(pt[j] != 0)
		}
		if k := slices.IndexFunc(classes, func(t *term.Term) bool { return pool.Substitute(t, sub).IsTrue() }); k >= 0 {
			care, of = append(care, pt), append(of, k)
		}
	}
	out := make([]string, len(classes))
	for k := range classes {
		in := make([]bool, len(care))
		for i := range care {
			in[i] = of[i] == k
		}
		out[k] = PredicateFormula(g.Prog, g.Vars, vars, care, in)
	}
	return out, nil
}

// thirds returns, where a value is compared with a constant in two ways, the comparisons
// that are missing of above, equal and below, and then all: equations first.
func (g *GuardPrinter) thirds(atoms []*term.Term) (out []*term.Term) {
	type pair struct {
		value, constant *term.Term
		signed          bool
	}
	var pairs []pair
	ways := map[pair]int{}
	for _, t := range atoms {
		switch t.Op() {
		case term.OpSLt, term.OpSLe, term.OpULt, term.OpULe:
		default:
			continue
		}
		a, b := t.Args()[0], t.Args()[1]
		if a.IsConst() {
			a, b = b, a
		}
		if !b.IsConst() {
			continue
		}
		p := pair{a, b, t.Op() == term.OpSLt || t.Op() == term.OpSLe}
		if ways[p]++; ways[p] == 1 {
			pairs = append(pairs, p)
		}
	}
	pool := g.Prog.Pool
	for _, p := range pairs {
		less := pool.ULt
		if p.signed {
			less = pool.SLt
		}
		is := pool.Eq(p.value, p.constant)
		if ways[p] == 1 && !slices.Contains(atoms, is) {
			continue
		}
		for _, t := range []*term.Term{is, less(p.value, p.constant), less(p.constant, p.value)} {
			if t.Op() == term.OpNot {
				t = t.Args()[0]
			}
			if !t.IsConst() && !slices.Contains(atoms, t) && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	if len(pairs) == 0 {
		return atoms
	}
	isEquation := func(t *term.Term) bool { return t.Op() == term.OpEq }
	all := append(out, atoms...)
	rest := slices.DeleteFunc(slices.Clone(all), isEquation)
	return append(slices.DeleteFunc(all, func(t *term.Term) bool { return !isEquation(t) }), rest...)
}

// formatLiteral writes a comparison. One of two variables is written with the one
// first that is listed first, a parameter before a register.
func formatLiteral(p *prog.Program, vars []*prog.Var, t *term.Term) string {
	at := func(x *term.Term) int { return slices.IndexFunc(vars, func(v *prog.Var) bool { return v.Term == x }) }
	c, op := t, [2]string{">", ">="}
	if t.Op() == term.OpNot {
		c, op = t.Args()[0], [2]string{"<=", "<"}
	}
	k := slices.Index([]term.Op{term.OpSLt, term.OpSLe, term.OpULt, term.OpULe}, c.Op())
	if k < 0 {
		return prog.FormatExpr(p, vars, t)
	}
	a, b := c.Args()[0], c.Args()[1]
	if !a.IsVar() || !b.IsVar() || at(a) < at(b) {
		return prog.FormatExpr(p, vars, t)
	}
	return prog.FormatExpr(p, vars, b) + " " + op[k%2] + " " + prog.FormatExpr(p, vars, a)
}
