// SPDX-License-Identifier: Apache-2.0

package golang

// This file is about numbers in tables that never change: package variables that are not exported, whose elements are
// constants, and which are only read. What holds of all elements holds of each; and of two elements at a fixed distance, as
// generated code has them,
//
//	return _Kind_name[_Kind_index[i]:_Kind_index[i+1]]
//
// what holds of all such pairs.

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
)

// maxTable bounds the elements of a table.
const maxTable = 1 << 12

// leByTable is about elements of tables: a <= b + c.
func (p *prover) leByTable(a, b bound, c int64) bool {
	if a.len || b.len {
		return false
	}
	x, i := p.element(a.v)
	y, j := p.element(b.v)
	switch {
	case x != nil && b.v == nil:
		for _, n := range x {
			if n > c {
				return false
			}
		}
		return true
	case a.v == nil && y != nil:
		for _, n := range y {
			if -n > c {
				return false
			}
		}
		return true
	case x == nil || y == nil || &x[0] != &y[0]:
		return false
	}
	n, k, fits := p.index(i, len(x))
	m, l, fits2 := p.index(j, len(y))
	if !fits || !fits2 || !p.sameNumber(n, m) {
		return false
	}
	for t := range x {
		if u := int64(t) + l - k; u >= 0 && u < int64(len(y)) && x[t]-y[u] > c {
			return false
		}
	}
	return true
}

// element returns the table that a value is an element of, and the index; nil if there is none.
func (p *prover) element(v ssa.Value) ([]int64, ssa.Value) {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil, nil
	}
	at, ok := load.X.(*ssa.IndexAddr)
	if !ok {
		return nil, nil
	}
	g, ok := at.X.(*ssa.Global)
	if !ok {
		return nil, nil
	}
	return p.tableOf(g), at.Index
}

// index returns an index of a table as another number and a constant, and whether the sum stays in the range of its type.
func (p *prover) index(v ssa.Value, length int) (bound, int64, bool) {
	sum, ok := v.(*ssa.BinOp)
	if !ok || sum.Op != token.ADD {
		n, k := p.normal(v)
		return n, k, true
	}
	d, exact := numberOf(sum.Y)
	b, basic := sum.Type().Underlying().(*types.Basic)
	if !exact || !basic || d < 0 || d > maxTable {
		n, k := p.normal(v)
		return n, k, true
	}
	limit := int64(1)<<min(width(b)-1, 32) - 1
	n, k := p.normal(sum.X)
	return n, k + d, int64(length)+d <= limit
}

// isTable reports whether only the code of its package names a variable.
func (p *prover) isTable(g *ssa.Global) bool {
	return !token.IsExported(g.Name()) && !(g.Pkg == p.c.l.pkg && p.c.l.isLinked(g.Name()))
}

// tableOf returns the elements of a package variable that never changes; nil if it is no table.
func (p *prover) tableOf(g *ssa.Global) []int64 {
	if t, ok := p.tables[g]; ok {
		return t
	}
	if p.tables == nil {
		p.tables = map[*ssa.Global][]int64{}
	}
	p.tables[g] = nil
	a, ok := deref(g.Type()).Underlying().(*types.Array)
	if !ok || a.Len() == 0 || a.Len() > maxTable || !isInteger(a.Elem()) || !p.isTable(g) {
		return nil
	}
	u := p.c.uses(g)
	if u.changed || u.unknown || len(u.initial) != 1 {
		return nil
	}
	// It is put together in a variable of the initialization.
	first, ok := u.initial[""].(*ssa.UnOp)
	if !ok || first.Op != token.MUL {
		return nil
	}
	local, ok := first.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	t := make([]int64, a.Len())
	for _, r := range *local.Referrers() {
		at, ok := r.(*ssa.IndexAddr)
		if !ok {
			if _, debug := r.(*ssa.DebugRef); !debug && r != ssa.Instruction(first) {
				return nil
			}
			continue
		}
		k, exact := numberOf(at.Index)
		if !exact || k < 0 || k >= a.Len() {
			return nil
		}
		for _, r := range *at.Referrers() {
			st, ok := r.(*ssa.Store)
			if !ok || st.Addr != ssa.Value(at) {
				return nil
			}
			if t[k], exact = numberOf(st.Val); !exact {
				return nil
			}
		}
	}
	p.tables[g] = t
	return t
}

// numberOf is a constant as a number.
func numberOf(v ssa.Value) (int64, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	n, exact := constant.Int64Val(c.Value)
	return n, exact && n <= math.MaxInt64/4 && n >= -math.MaxInt64/4
}
