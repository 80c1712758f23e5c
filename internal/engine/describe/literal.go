// SPDX-License-Identifier: Apache-2.0

package describe

// This file makes the literals that formulas are built of: comparisons of one variable with the values that points
// have, and conditions of the code.

import (
	"slices"
	"strconv"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A literal holds at a set of points.
type literal struct {
	text  string
	class int
	of    int // index of the only variable it speaks of, or -1
	about comparison
	run   int // that the value of the variable is compared with
	holds bitset
}

// Classes of literals, from the first to be dropped to the last.
const (
	litEqual = iota // integer = constant
	litApart        // integer != constant
	litBound        // integer <= or >= constant
	litEnum         // enum = value
	litOther        // enum != value
	litCode         // a condition of the code
	litBool         // a boolean variable
)

// Size bounds the work of making literals: points times literals.
func (d *describer) Size() int {
	literals := 0
	for j, v := range d.vars {
		switch v.Type.Sort.Kind {
		case term.BoolKind:
			literals += 2
		case term.EnumKind:
			literals += 2 * len(v.Type.Sort.Enum.Values)
		default:
			values := map[uint64]bool{}
			for _, pt := range d.Points {
				values[pt[j]] = true
			}
			literals += 4 * len(values)
		}
	}
	return literals * len(d.Points)
}

// Literals prepares the literals.
func (d *describer) Literals(conds []*term.Term) {
	n := len(d.Points)
	d.runs = make([][]int, len(d.vars))
	l := &literals{points: n}
	for j, v := range d.vars {
		at := func(i int) uint64 { return d.Points[i][j] }
		name := d.name(v)
		d.runs[j] = make([]int, n)
		for i := range n { // of integers, below
			d.runs[j][i] = int(at(i))
		}
		switch v.Type.Sort.Kind {
		case term.BoolKind:
			l.add(name, litBool, j, equalTo, 1, func(i int) bool { return at(i) != 0 })
			l.add("!"+name, litBool, j, equalTo, 0, func(i int) bool { return at(i) == 0 })
		case term.EnumKind:
			for k := range v.Type.Sort.Enum.Values {
				x := uint64(k)
				l.add(name+" == "+d.value(v, x), litEnum, j, equalTo, k, func(i int) bool { return at(i) == x })
				l.add(name+" != "+d.value(v, x), litOther, j, apartFrom, k, func(i int) bool { return at(i) != x })
			}
		default:
			d.integerLiterals(l, j)
		}
	}
	for _, c := range conds {
		d.conditionLiterals(l, c)
	}
	// A literal equivalent to a more readable one is of no use.
	lits := l.list
	slices.SortStableFunc(lits, func(a, b literal) int { return a.class - b.class })
	d.kept = d.order(lits)
	lits = slices.Clone(lits)
	slices.SortStableFunc(lits, func(a, b literal) int { return swapClass(a.class) - swapClass(b.class) })
	d.other = d.order(lits)
}

// A literals lists literals that hold at some of the points and not at all of them.
type literals struct {
	points int
	list   []literal
}

// add adds a literal, unless it holds everywhere or nowhere.
func (l *literals) add(text string, class, of int, about comparison, run int, holds func(i int) bool) {
	b := newBitset(l.points)
	some, all := false, true
	for i := range l.points {
		if holds(i) {
			b.set(i)
			some = true
		} else {
			all = false
		}
	}
	if some && !all {
		l.list = append(l.list, literal{text, class, of, about, run, b})
	}
}

// integerLiterals adds comparisons of an integer variable with the ends of its runs, and numbers the runs of the points.
func (d *describer) integerLiterals(l *literals, j int) {
	v := d.vars[j]
	at := func(i int) uint64 { return d.Points[i][j] }
	name := d.name(v)
	less := func(a, b uint64) bool { return a < b }
	if v.Type.Signed {
		w := v.Type.Sort.Width
		less = func(a, b uint64) bool { return signed(a, w) < signed(b, w) }
	}
	runs := d.runsOf(j, less)
	for i := range d.Points {
		d.runs[j][i], _ = slices.BinarySearchFunc(runs, at(i), func(r run, x uint64) int {
			switch {
			case less(r.last, x):
				return -1
			case less(x, r.first):
				return 1
			}
			return 0
		})
	}
	for k := range runs {
		r, down := runs[k], runs[len(runs)-1-k]
		if r.first == r.last {
			text := d.value(v, r.first)
			l.add(name+" == "+text, litEqual, j, equalTo, k, func(i int) bool { return at(i) == r.first })
			l.add(name+" != "+text, litApart, j, apartFrom, k, func(i int) bool { return at(i) != r.first })
		}
		// Tight bounds first: they are dropped first.
		l.add(name+" <= "+d.value(v, r.last), litBound, j, atMost, k, func(i int) bool { return !less(r.last, at(i)) })
		l.add(name+" >= "+d.value(v, down.first), litBound, j, atLeast, len(runs)-1-k, func(i int) bool { return !less(at(i), down.first) })
	}
}

// conditionLiterals adds a condition of the code and its negation.
func (d *describer) conditionLiterals(l *literals, c *term.Term) {
	text := prog.FormatExpr(d.prog, d.vars, c)
	if !OverVars(c, d.vars) || len(text) > MaxLabel {
		return // also keeps out "let", which does not go with "&&"
	}
	m := term.Model{}
	truth := make([]bool, len(d.Points))
	for i := range d.Points {
		for j, v := range d.vars {
			m[v.Term] = term.Value{Lo: d.Points[i][j]}
		}
		truth[i] = term.Eval(c, m).Bool()
	}
	of := -1
	if free := term.FreeVars(c); len(free) == 1 {
		of = slices.IndexFunc(d.vars, func(v *prog.Var) bool { return v.Term == free[0] })
	}
	l.add(text, litCode, of, noComparison, 0, func(i int) bool { return truth[i] })
	l.add(prog.FormatExpr(d.prog, d.vars, d.prog.Pool.Not(c)), litCode, of, noComparison, 0, func(i int) bool { return !truth[i] })
}

// A run is a maximal interval of values of one variable that no set tells
// apart: exchanging one for the other never changes which sets a point is in.
type run struct{ first, last uint64 }

func (d *describer) runsOf(j int, less func(a, b uint64) bool) []run {
	// The behaviour of a value: the points that have it, without it.
	behaviour := map[uint64][]string{}
	keep := make([]bool, len(d.vars))
	for i := range keep {
		keep[i] = i != j
	}
	var values []uint64
	for i, pt := range d.Points {
		if behaviour[pt[j]] == nil {
			values = append(values, pt[j])
		}
		behaviour[pt[j]] = append(behaviour[pt[j]], projected(pt, keep)+strconv.Itoa(d.class[i]))
	}
	slices.SortFunc(values, func(a, b uint64) int {
		switch {
		case less(a, b):
			return -1
		case less(b, a):
			return 1
		}
		return 0
	})
	var runs []run
	for i, v := range values {
		slices.Sort(behaviour[v])
		if i > 0 && slices.Equal(behaviour[v], behaviour[values[i-1]]) {
			runs[len(runs)-1].last = v
			continue
		}
		runs = append(runs, run{v, v})
	}
	return runs
}

func signed(x uint64, width int) int64 { return int64(x<<(64-width)) >> (64 - width) }

func swapClass(c int) int {
	switch c {
	case litApart:
		return litBound
	case litBound:
		return litApart
	}
	return c
}
