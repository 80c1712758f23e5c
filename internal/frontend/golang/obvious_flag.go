// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves that a field is not nil where a flag is not set. Objects have the one or the
// other from the beginning, and the flag is never taken back:
//
//	func (w *Writer) raw() *entry        { return &entry{header: &header{raw: true}} }
//	func (w *Writer) packed() *entry     { return &entry{header: &header{}, sum: newSum()} }
//	func (e *entry) Write(p []byte)      { if !e.raw { e.sum.Write(p) } ... }
//
// The flag is in the object itself or, as here, in one that it has a pointer to since it was made. That
// is an implication between two fields, where fieldNotNil is about one; others were not met.

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A flag is a field that is true or false, of the object at hand or of one that a field of it leads to.
type flag struct {
	via *types.Var // nil: of the object itself
	is  *types.Var
}

// flaggedNotNil reports whether a field is not nil because a flag is not set at a point.
func (p *prover) flaggedNotNil(a *ssa.FieldAddr, at point) bool {
	f := fieldVar(a)
	n := p.structOf(f, deref(a.X.Type()))
	if n == nil {
		return false
	}
	for b := at.b; b != nil; b = b.Idom() {
		for _, i := range b.Instrs {
			if p.steps++; p.steps > p.limit {
				return false
			}
			u, ok := i.(*ssa.UnOp)
			if !ok || u.Op != token.MUL || !isBool(u.Type()) || !p.decides(u, false, at) {
				continue
			}
			g, of := p.flagOf(u, n)
			if of == nil || !p.sameAddress(of, a.X) {
				continue
			}
			if p.once(fact{kind: fieldFact, v: [2]any{f, g}}, func() bool { return p.setOr(f, &g, n) }) {
				return true
			}
		}
	}
	return false
}

// flagOf returns the flag of an object of a type that a value is, and the object.
func (p *prover) flagOf(u *ssa.UnOp, n *types.Named) (g flag, of ssa.Value) {
	a, ok := u.X.(*ssa.FieldAddr)
	if !ok || p.structOf(fieldVar(a), deref(a.X.Type())) == nil {
		return flag{}, nil
	}
	g.is = fieldVar(a)
	if types.Identical(deref(a.X.Type()), n) {
		return g, a.X
	}
	_, via := fieldLoad(a.X)
	if via == nil || !types.Identical(deref(via.X.Type()), n) || p.structOf(fieldVar(via), n) == nil {
		return flag{}, nil
	}
	g.via = fieldVar(via)
	return g, via.X
}

// structOf returns the type that a field is of, if only its package sets the field.
func (p *prover) structOf(f *types.Var, in types.Type) *types.Named {
	n, ok := types.Unalias(in).(*types.Named)
	if !ok || n.TypeArgs().Len() > 0 || n.TypeParams().Len() > 0 || f.Pkg() == nil || !p.ownField(f, n) || n.Obj().Pkg() != f.Pkg() || n.Obj().Parent() != f.Pkg().Scope() {
		return nil
	}
	return n
}

// setOr reports whether all objects of a type have a field that is not nil, or if there is one, a flag that is set.
func (p *prover) setOr(f *types.Var, g *flag, n *types.Named) bool {
	s := p.packageScan(f.Pkg())
	if s == nil {
		return false
	}
	if p.clientMakes(n, s) && (g != nil || !p.isWhole(n)) {
		return false
	}
	all := s
	s = p.confined(n, s)
	if (!p.c.l.owns(f.Pkg()) || s == all) && !p.away {
		// Clients may have called whatever the package exports, and hand over what that made: calls count that no call of the alphabet makes.
		before := p.trusted
		p.trusted = f.Pkg()
		defer func() { p.trusted = before }()
	}
	u := s.fields[f]
	if u == nil || u.taken || len(u.stores) == 0 || g != nil && (!p.isFlag(*g, s) || overwritten(s, f) || overwritten(s, g.is)) {
		return false
	}
	made := []*types.Named{n}
	if g != nil && g.via != nil {
		to, ok := namedPointer(g.via.Type())
		if !ok {
			return false
		}
		made = append(made, to) // one whose flag is not set, all the same
	}
	for _, t := range slices.Concat(s.zeros, s.global) {
		for _, n := range made {
			if len(pathsTo(t, n, 0)) > 0 {
				return false
			}
		}
	}
	early := map[*ssa.Store]bool{}
	for _, a := range s.allocs {
		for _, path := range pathsTo(deref(a.Type()), n, 0) {
			first := map[*ssa.Store]bool{}
			switch {
			case path == nil:
				return false
			case p.initialized(a, path, f, first):
				maps.Copy(early, first)
			case g == nil || !p.flagged(a, path, *g):
				return false
			}
		}
	}
	for _, st := range u.stores {
		if !early[st] && !p.notNil(st.Val, pointAt(st)) {
			return false
		}
	}
	return true
}

// isFlag reports whether a flag is never taken back, and the pointer that leads there is set in objects that are
// being made, and not afterwards.
func (p *prover) isFlag(g flag, s *fieldScan) bool {
	u := s.fields[g.is]
	if u == nil || u.taken {
		return false
	}
	for _, st := range u.stores {
		if c, ok := st.Val.(*ssa.Const); !ok || c.Value == nil || !constant.BoolVal(c.Value) {
			return false
		}
	}
	if g.via == nil {
		return true
	}
	v := s.fields[g.via]
	if v == nil || v.taken {
		return false
	}
	for _, st := range v.stores {
		a, ok := st.Addr.(*ssa.FieldAddr).X.(*ssa.Alloc)
		if !ok || !p.initialized(a, nil, g.via, map[*ssa.Store]bool{}) || p.setAgain(a, g.via) {
			return false
		}
	}
	return true
}

// overwritten reports whether code assigns to whole objects that have a field and that others may have.
func overwritten(s *fieldScan, f *types.Var) bool {
	for _, fn := range s.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				st, ok := i.(*ssa.Store)
				if !ok {
					continue
				}
				if a, ok := st.Addr.(*ssa.Alloc); ok && !a.Heap {
					continue
				}
				if slices.Contains(fieldsOf(st.Val.Type(), nil), location(f)) {
					return true
				}
			}
		}
	}
	return false
}

// setAgain reports whether a field of a new object may be set after something else was done with the object.
func (p *prover) setAgain(a *ssa.Alloc, f *types.Var) bool {
	var sets, uses []ssa.Instruction
	for _, r := range *a.Referrers() {
		if fa, ok := r.(*ssa.FieldAddr); ok {
			for _, q := range *fa.Referrers() {
				if st, ok := q.(*ssa.Store); ok && st.Addr == ssa.Value(fa) && fieldVar(fa) == f {
					sets = append(sets, st)
				}
			}
			continue
		}
		if _, debug := r.(*ssa.DebugRef); !debug {
			uses = append(uses, r)
		}
	}
	for _, st := range sets {
		for _, u := range uses {
			if mayFollow(u, st) {
				return true
			}
		}
	}
	return false
}

// flagged reports whether a new object has a flag set before anything is done with it.
func (p *prover) flagged(a *ssa.Alloc, path []int, g flag) bool {
	if g.via == nil {
		return p.initialized(a, path, g.is, map[*ssa.Store]bool{})
	}
	if len(path) > 0 || !p.initialized(a, path, g.via, map[*ssa.Store]bool{}) {
		return false
	}
	for _, r := range *a.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok || fieldVar(fa) != g.via {
			continue
		}
		for _, q := range *fa.Referrers() {
			st, ok := q.(*ssa.Store)
			if !ok || st.Addr != ssa.Value(fa) {
				continue
			}
			if to, ok := st.Val.(*ssa.Alloc); !ok || !p.initialized(to, nil, g.is, map[*ssa.Store]bool{}) {
				return false
			}
		}
	}
	return true
}
