// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves type assertions on fields whose objects are known by where they are made
// (points-to sets of allocation sites: Andersen 1994).
//
//	func New(w io.Writer) *Writer { return &Writer{out: &counter{w: bufio.NewWriter(w)}} }
//	func (w *Writer) Flush() error { return w.out.w.(*bufio.Writer).Flush() }
//
// Other counters hold other writers. But everything that the package stores into the field out was made
// in New, and a counter has in its field w what it was born with (born.go): what New stores there, before
// anybody else has the object.
//
// A pointer in a field that is not exported, whose address is not taken and whose struct is not seen as one
// of another type, was stored there by the package, or it is nil; a copy of the whole struct has it from another one. That
// it is nil is another check, which comes first.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxSiteSteps bounds the fields and joins on the way to where an object is made.
const maxSiteSteps = 4

// bornAs reports whether a value is loaded from a field in which all objects that it may be of have a
// value of a type, since they were made.
func (p *prover) bornAs(v ssa.Value, t types.Type) bool {
	load, f := fieldLoad(v)
	if load == nil {
		return false
	}
	field := fieldVar(f)
	if p.reach.born == nil {
		p.reach.born = p.reach.bornFields()
	}
	if !p.reach.born[field] {
		return false
	}
	sites, ok := p.sitesOf(f.X, 0)
	if !ok || len(sites) == 0 {
		return false
	}
	for _, a := range sites {
		if !p.initialized(a, nil, field, map[*ssa.Store]bool{}) {
			return false
		}
		for _, r := range *a.Referrers() {
			switch r := r.(type) {
			case *ssa.Store:
				if r.Addr == ssa.Value(a) {
					return false // as another object is
				}
			case *ssa.FieldAddr:
				for _, u := range *r.Referrers() {
					st, ok := u.(*ssa.Store)
					if !ok || fieldVar(r) != field {
						continue
					}
					if m, ok := st.Val.(*ssa.MakeInterface); !ok || !types.Identical(m.X.Type(), t) {
						return false
					}
				}
			}
		}
	}
	return true
}

// sitesOf returns where the object that a pointer is to may have been made; ok is false if that is not
// known. Nil is left out.
func (p *prover) sitesOf(v ssa.Value, depth int) (sites []*ssa.Alloc, ok bool) {
	if p.steps++; depth > maxSiteSteps || p.steps > p.limit {
		return nil, false
	}
	all := func(list ...ssa.Value) bool {
		for _, x := range list {
			more, ok := p.sitesOf(x, depth+1)
			if !ok {
				return false
			}
			sites = append(sites, more...)
		}
		return true
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		return []*ssa.Alloc{v}, true
	case *ssa.Const:
		return nil, v.IsNil()
	case *ssa.Phi:
		ok = all(v.Edges...)
		return sites, ok
	case *ssa.UnOp:
		load, f := fieldLoad(v)
		if load == nil {
			return nil, false
		}
		field := fieldVar(f)
		n, named := types.Unalias(deref(f.X.Type())).(*types.Named)
		if !named || field.Exported() || field.Pkg() != p.c.l.pkg.Pkg || n.TypeArgs().Len() > 0 || n.TypeParams().Len() > 0 {
			return nil, false
		}
		s := p.packageScan(field.Pkg())
		if s == nil || s.fields[field] == nil || s.fields[field].taken {
			return nil, false
		}
		holds := func(t types.Type) bool {
			if e := deref(t); e != nil {
				t = e
			}
			return len(pathsTo(t, n, 0)) > 0
		}
		if slices.ContainsFunc(s.converted, func(c [2]types.Type) bool { return holds(c[0]) || holds(c[1]) }) {
			return nil, false
		}
		var list []ssa.Value
		for _, st := range s.fields[field].stores {
			list = append(list, st.Val)
		}
		ok = all(list...)
		return sites, ok
	}
	return nil, false
}
