// SPDX-License-Identifier: Apache-2.0

package golang

// This file knows addresses that are given away as numbers. A system call, assembly or C gets
//
//	syscall.Syscall(trap, fd, uintptr(unsafe.Pointer(&stat)), 0)
//
// and may write there, although what it is given is a number. By the rules of package unsafe the
// conversion is part of the call, so the conversion counts as the write. A number that is only
// compared, kept, or made a pointer again is none of that: nobody may use it as an address later.
//
// The code that the go command generates for calls of C gives the address of the first parameter, and C finds
// the others behind it, and puts the results behind these. So a function that gives the address of a
// parameter away is one without a Go body.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// isNumbered reports whether a conversion makes an address a number that is given to a call.
func (c *compiler) isNumbered(i *ssa.Convert) bool {
	b, ok := i.Type().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uintptr && isUnsafe(i.X.Type()) && c.isGivenNumber(i, map[ssa.Value]bool{})
}

func (c *compiler) isGivenNumber(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || v.Referrers() == nil {
		return false
	}
	seen[v] = true
	for _, u := range *v.Referrers() {
		switch u := u.(type) {
		case ssa.CallInstruction:
			if _, builtin := u.Common().Value.(*ssa.Builtin); builtin {
				continue
			}
			if g := u.Common().StaticCallee(); g != nil && isAtomic(g) {
				continue
			}
			return true
		case *ssa.BinOp:
			switch u.Op {
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				continue
			}
			if c.isGivenNumber(u, seen) {
				return true
			}
		case *ssa.Convert:
			if !isUnsafe(u.Type()) && c.isGivenNumber(u, seen) {
				return true
			}
		case *ssa.ChangeType, *ssa.Phi:
			if c.isGivenNumber(u.(ssa.Value), seen) {
				return true
			}
		}
	}
	return false
}

// isForC reports whether a function gives the address of a parameter away as a number.
func (c *compiler) isForC(fn *ssa.Function) bool {
	yes, ok := c.forC[fn]
	if ok {
		return yes
	}
	if c.forC == nil {
		c.forC = map[*ssa.Function]bool{}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if i, ok := i.(*ssa.Convert); ok && c.isNumbered(i) {
				yes = yes || slices.ContainsFunc(numbered(i), func(v ssa.Value) bool {
					a, ok := v.(*ssa.Alloc)
					return ok && holdsParameter(a)
				})
			}
		}
	}
	c.forC[fn] = yes
	return yes
}

// numbered returns the values that such a conversion gives away: the pointers, and all parameters
// if one points to one.
func numbered(i *ssa.Convert) (all []ssa.Value) {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Convert:
			visit(v.X)
			return
		case *ssa.ChangeType:
			visit(v.X)
			return
		case *ssa.Phi:
			for _, e := range v.Edges {
				visit(e)
			}
			return
		case *ssa.Const:
			return
		case *ssa.Alloc:
			if holdsParameter(v) {
				for _, p := range v.Parent().Params {
					all = append(all, p)
				}
			}
		}
		all = append(all, v)
	}
	visit(i.X)
	return all
}

// holdsParameter reports whether a variable is a parameter.
func holdsParameter(a *ssa.Alloc) bool {
	for _, u := range *a.Referrers() {
		if s, ok := u.(*ssa.Store); ok && s.Addr == ssa.Value(a) {
			if _, ok := s.Val.(*ssa.Parameter); ok {
				return true
			}
		}
	}
	return false
}

// numberWrites returns the locations that may be written by such a conversion.
func (r *reach) numberWrites(i *ssa.Convert) []location {
	var all []location
	for _, x := range numbered(i) {
		if deref(x.Type()) != nil {
			all = append(all, r.parts(x)...)
			continue
		}
		if !isUnsafe(x.Type()) {
			continue // contents are not followed
		}
		// An address of something that became one elsewhere.
		for _, t := range r.hidden {
			e := deref(t)
			if e == nil {
				continue
			}
			if _, ok := e.Underlying().(*types.Struct); ok {
				all = fieldsOf(e, all)
			} else {
				all = append(all, r.pointed(e))
			}
		}
	}
	return all
}

// giveNumber lets code that is not followed change what an address leads to that it is given as a
// number.
func (f *frame) giveNumber(i *ssa.Convert) {
	if !f.c.isNumbered(i) {
		return
	}
	key := f.key(i) + "/number"
	if f.c.isCoarse() {
		all := map[location]bool{}
		for _, l := range f.c.reach.numberWrites(i) {
			if l = f.c.rel.find(l); f.c.rel.locs[l] {
				all[l] = true
			}
		}
		f.spoilLocations(all, key)
		return
	}
	for _, x := range numbered(i) {
		if refers(x.Type()) {
			f.spoil(f.val(x), key)
		}
	}
}

// numbersKey is the place of the addresses of objects as numbers.
const numbersKey = "addresses"

func (c *compiler) numbers() *lower.Place {
	p := c.w.Place(numbersKey, func() *lower.Place { return &lower.Place{Name: "address of "} })
	c.w.Hold(p)
	return p
}

// number is the address of the component, or of a part of it, as a number: which one is not known, but it is not
// zero, and the same in all calls. Objects that keep it find out that they are copies. That objects do not move is
// a convention of such code.
func (f *frame) number(ref *term.Term, to []leaf) (*term.Term, bool) {
	c, w := f.c, f.c.w
	h := w.Holds(ref)
	if h.Outside || len(h.Places) != 1 || h.Places[0].Root() != c.receiverPlace() || len(to) != 1 || to[0].typ.Sort.Kind != term.BitVecKind || to[0].typ.Sort.Width != 64 {
		return nil, false
	}
	at := number{h.Places[0].Root().Name + h.Places[0].Path(), to[0]}
	if !slices.ContainsFunc(c.numbered, func(n number) bool { return n.name == at.name }) {
		c.numbered = append(c.numbered, at)
		w.Grow()
	}
	p := w.Pool
	n := f.m.Cell(c.numbers(), at.name, at.leaf.typ).Term
	return p.Ite(p.Eq(ref, w.Nil()), p.Int(64, 0), n), true
}

// A number is an address that some code asks for as a number.
type number struct {
	name string
	leaf leaf
}

// addressed chooses the addresses of a component that is made.
func (c *compiler) addressed(f *frame) {
	for _, n := range c.numbered {
		cell := f.m.Cell(c.numbers(), n.name, n.leaf.typ)
		f.m.Set(cell, f.any(n.name+"/address", n.leaf, lower.Unmodelled))
		f.m.Assume(c.w.Pool.Ne(cell.Term, c.w.Pool.Int(64, 0)))
	}
}
