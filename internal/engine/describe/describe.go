// SPDX-License-Identifier: Apache-2.0

package describe

// This file describes a set of points (argument tuples, states) by a readable
// formula that tells it from other points. It is a two-level minimization:
// variables that do not matter are dropped, then the members are covered by
// cubes of literals. Each cube is a prime implicant found by taking all
// literals that hold at a member and dropping as many as possible, least
// readable first. Points that are neither member nor non-member are don't-cares,
// so the formula is right on the given points and says nothing about others.
//
// Quine-McCluskey on bits was not taken: its cubes are right but mean nothing
// to a reader of the source.

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// Describe returns a formula over vars that holds at points[i] iff member[i].
// Points that occur twice must agree. The conditions are tried as literals.
func Describe(p *prog.Program, vars []*prog.Var, conds []*term.Term, points [][]uint64, member []bool) string {
	in := make([][]int32, len(points))
	for i, m := range member {
		if m {
			in[i] = []int32{1}
		}
	}
	return newDescriber(p, vars, conds, points, in).formula(member)
}

// A describer knows the points and literals for several sets over them.
type describer struct {
	prog   *prog.Program
	vars   []*prog.Var // that are left
	Points [][]uint64  // distinct, projected on vars
	class  []int       // of distinct points: which sets they are in
	of     []int       // original point -> distinct point
	runs   [][]int     // by variable and distinct point: the run of its value; see prime.go
	kept   order       // literals, bounds kept rather than inequalities
	other  order       // and the other way round
	work   int         // steps of covering that were taken
}

type bitset []uint64

func newBitset(n int) bitset    { return make(bitset, (n+63)/64) }
func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) and(o bitset) {
	for i := range b {
		b[i] &= o[i]
	}
}
func (b bitset) andNot(o bitset) {
	for i := range b {
		b[i] &^= o[i]
	}
}
func (b bitset) first() int {
	for i, w := range b {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// newDescriber drops the variables that no class depends on and prepares the
// literals. in[i] is the sorted list of sets that point i is in; points of
// equal lists form a class.
func newDescriber(p *prog.Program, vars []*prog.Var, conds []*term.Term, points [][]uint64, in [][]int32) *describer {
	d := DropVariables(p, vars, points, in)
	d.Literals(conds)
	return d
}

// DropVariables is newDescriber without the literals, whose size is that of the
// points left, times the values that integers have there.
func DropVariables(p *prog.Program, vars []*prog.Var, points [][]uint64, in [][]int32) *describer {
	d := &describer{prog: p}
	class := make([]int, len(points))
	lists := map[string]int{}
	var key []byte
	for i, list := range in {
		key = key[:0]
		for _, s := range list {
			key = binary.LittleEndian.AppendUint32(key, uint32(s))
		}
		id, ok := lists[string(key)]
		if !ok {
			id = len(lists)
			lists[string(key)] = id
		}
		class[i] = id
	}
	keep := make([]bool, len(vars))
	for i := range keep {
		keep[i] = true
	}
	// Try to drop integers first, then enums, then bools, later ones first.
	var order []int
	for _, kind := range []term.Kind{term.BitVecKind, term.EnumKind, term.BoolKind} {
		for i := len(vars) - 1; i >= 0; i-- {
			if vars[i].Type.Sort.Kind == kind {
				order = append(order, i)
			}
		}
	}
	for _, i := range order {
		keep[i] = false
		if !functional(points, class, keep) {
			keep[i] = true
		}
	}
	ids := map[string]int{}
	d.of = make([]int, len(points))
	for i, v := range vars {
		if keep[i] {
			d.vars = append(d.vars, v)
		}
	}
	for i, pt := range points {
		k := projected(pt, keep)
		id, ok := ids[k]
		if !ok {
			id = len(d.Points)
			ids[k] = id
			var q []uint64
			for j, x := range pt {
				if keep[j] {
					q = append(q, x)
				}
			}
			d.Points = append(d.Points, q)
			d.class = append(d.class, class[i])
		}
		d.of[i] = id
	}
	return d
}

func projected(pt []uint64, keep []bool) string {
	b := make([]byte, 0, 8*len(pt))
	for j, x := range pt {
		if keep[j] {
			b = strconv.AppendUint(b, x, 36)
			b = append(b, ',')
		}
	}
	return string(b)
}

// functional reports whether the kept coordinates determine the class.
func functional(points [][]uint64, class []int, keep []bool) bool {
	have := map[string]int{}
	for i, pt := range points {
		k := projected(pt, keep)
		if c, ok := have[k]; !ok {
			have[k] = class[i]
		} else if c != class[i] {
			return false
		}
	}
	return true
}

// name and value write a variable and a value of it as expressions: names that
// are no identifiers are quoted, enum values that are not unique qualified.
func (d *describer) name(v *prog.Var) string { return prog.FormatExpr(d.prog, d.vars, v.Term) }

func (d *describer) value(v *prog.Var, x uint64) string {
	if v.Type.Sort.Kind == term.EnumKind {
		return prog.FormatExpr(d.prog, d.vars, d.prog.Pool.Const(v.Type.Sort, term.Value{Lo: x}))
	}
	return FormatValue(v.Type, x)
}

// OverVars reports whether a term speaks of the given variables only.
func OverVars(t *term.Term, vars []*prog.Var) bool {
	free := term.FreeVars(t)
	for _, x := range free {
		if !slices.ContainsFunc(vars, func(v *prog.Var) bool { return v.Term == x }) {
			return false
		}
	}
	return len(free) > 0
}

// formula describes the members.
// formula describes a set.
func (d *describer) formula(member []bool) string {
	text, _ := d.FormulaWithin(math.MaxInt, member)
	return text
}

// FormulaWithin describes a set, unless the describer has then taken more steps than the limit.
func (d *describer) FormulaWithin(limit int, member []bool) (text string, ok bool) {
	in, out := newBitset(len(d.Points)), newBitset(len(d.Points))
	for i, m := range member {
		if m {
			in.set(d.of[i])
		} else {
			out.set(d.of[i])
		}
	}
	if out.first() < 0 {
		return "true", true
	}
	if in.first() < 0 {
		return "false", true
	}
	// Two orders of dropping: bounds are kept rather than inequalities, or
	// the other way round. The shorter formula wins.
	a, ok := d.cover(&d.kept, in, out, limit)
	if !ok {
		return "", false
	}
	b, ok := d.cover(&d.other, in, out, limit)
	if ok && len(b) < len(a) {
		return b, true
	}
	return a, ok
}

// cover writes a formula that holds at the points of in and at none of out, unless that takes too many steps.
func (d *describer) cover(o *order, in, out bitset, limit int) (text string, ok bool) {
	lits := o.lits
	type cube struct {
		lits []int
		has  bitset
	}
	var cubes []cube
	left := slices.Clone(in)
	for {
		at := left.first()
		if at < 0 {
			break
		}
		if d.work > limit {
			return "", false
		}
		kept := d.prime(o, at, out)
		has, c := newBitset(len(d.Points)), d.conjoin(lits, kept)
		for i := range d.Points {
			if in.has(i) && c.holds(i) {
				has.set(i)
			}
		}
		left.andNot(has)
		cubes = append(cubes, cube{kept, has})
	}
	// Drop cubes that the others cover.
	for i := len(cubes) - 1; i >= 0 && len(cubes) > 1; i-- {
		if d.work += len(cubes) * len(in); d.work > limit {
			return "", false
		}
		rest := slices.Clone(cubes[i].has)
		for j := range cubes {
			if j != i {
				rest.andNot(cubes[j].has)
			}
		}
		if rest.first() < 0 {
			cubes = slices.Delete(cubes, i, i+1)
		}
	}
	var parts []string
	for _, c := range cubes {
		parts = append(parts, d.conjunction(lits, c.lits))
	}
	return strings.Join(parts, " || "), true
}

// conjunction writes a cube, most readable literals first. Several literals
// that pin a variable to one of its values become an equation.
func (d *describer) conjunction(lits []literal, cube []int) string {
	slices.SortStableFunc(cube, func(a, b int) int { return lits[b].class - lits[a].class })
	var conj []string
	done, tried := map[int]bool{}, map[int]bool{}
	for _, i := range cube {
		l := lits[i]
		if done[l.of] {
			continue
		}
		text := l.text
		if l.of >= 0 && !tried[l.of] && d.vars[l.of].Type.Sort.Kind != term.BoolKind {
			tried[l.of] = true
			if v, ok := d.pinned(lits, cube, l.of); ok {
				done[l.of] = true
				text = d.name(d.vars[l.of]) + " == " + d.value(d.vars[l.of], v)
			}
		}
		if strings.Contains(text, "||") && len(cube) > 1 {
			text = "(" + text + ")"
		}
		conj = append(conj, text)
	}
	return strings.Join(conj, " && ")
}

// pinned returns the only value of a variable, among those of the points, at
// which all literals of the cube about it hold.
func (d *describer) pinned(lits []literal, cube []int, of int) (v uint64, ok bool) {
	cube = slices.DeleteFunc(slices.Clone(cube), func(i int) bool { return lits[i].of != of })
	if len(cube) < 2 {
		return 0, false
	}
	c := d.conjoin(lits, cube)
	for k, pt := range d.Points {
		if !c.holds(k) {
			continue
		}
		if ok && v != pt[of] {
			return 0, false
		}
		v, ok = pt[of], true
	}
	return v, ok
}

// Subterms lists the subterms of some terms, each once, a term before its arguments.
func Subterms(terms ...*term.Term) iter.Seq[*term.Term] {
	return func(yield func(*term.Term) bool) {
		seen := map[*term.Term]bool{}
		var walk func(t *term.Term) bool
		walk = func(t *term.Term) bool {
			if seen[t] {
				return true
			}
			seen[t] = true
			if !yield(t) {
				return false
			}
			for _, a := range t.Args() {
				if !walk(a) {
					return false
				}
			}
			return true
		}
		for _, t := range terms {
			if !walk(t) {
				return
			}
		}
	}
}

// Conditions lists the comparisons and boolean variables in the code of m.
func Conditions(methods ...*prog.Method) []*term.Term {
	var exprs, out []*term.Term
	for _, m := range methods {
		for _, e := range m.Edges {
			exprs = append(exprs, e.Exprs...)
		}
	}
	for t := range Subterms(exprs...) {
		switch t.Op() {
		case term.OpEq, term.OpULt, term.OpULe, term.OpSLt, term.OpSLe:
			if t.Args()[0].Sort().Kind != term.BoolKind {
				out = append(out, t)
			}
		}
	}
	return out
}

// GoConditions lists the conditions in the code of m that are written in Go's
// own operators. A guard is read by clients that know no others: not total
// division, not if-then-else, not joining of bits.
func GoConditions(m *prog.Method) []*term.Term {
	return slices.DeleteFunc(Conditions(m), func(t *term.Term) bool { return !InGo(t) })
}

// InGo reports whether a term is written in Go's own operators.
func InGo(t *term.Term) bool {
	args := t.Args()
	switch t.Op() {
	case term.OpIte, term.OpConcat:
		return false
	case term.OpExtract:
		// Bits are shifted down and converted; only those of a shift are written otherwise.
		if _, lo := t.Extract(); lo > 0 && (args[0].Op() == term.OpLShr || args[0].Op() == term.OpAShr) {
			return false
		}
	case term.OpUDiv, term.OpURem, term.OpSDiv, term.OpSRem:
		if v, ok := args[1].Const(); !ok || v == (term.Value{}) {
			return false
		}
	}
	return !slices.ContainsFunc(args, func(a *term.Term) bool { return !InGo(a) })
}
