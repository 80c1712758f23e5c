// SPDX-License-Identifier: Apache-2.0

package golang

// This file deals with components that are parts of other objects:
//
//	func Pipe() (*Reader, *Writer) {
//		w := &Writer{r: Reader{done: make(chan struct{})}}
//		return &w.r, w
//	}
//
// If no code but the constructor gets at the part by way of the whole, the part is taken for an object of
// its own. Otherwise it is a component that is not followed (unknownObject), and where an
// object that is not known has a part of its type, that may be the component.

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// isApart reports whether a part of an object that a constructor makes can be taken for an object
// of its own, as in "return &pair.reader, pair": no code but the constructor gets at the part by way of the whole.
func (c *compiler) isApart(k *maker, p *lower.Place) bool {
	whole, ok := p.Root().Type.(types.Type)
	if !ok || k.site != nil || strings.Count(p.Path(), ".") != 1 {
		return false
	}
	s, ok := whole.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	makes := map[*ssa.Function]bool{}
	for i := range k.steps {
		makes[k.steps[i].fn] = true
	}
	isWhole := func(t types.Type) bool { return t != nil && types.Identical(t.Underlying(), s) }
	for _, fn := range c.reach.fns {
		if makes[fn] {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					if *op != nil && (isWhole((*op).Type()) || isWhole(deref((*op).Type()))) {
						return false
					}
				}
			}
		}
	}
	return true
}

// partOf is the address of a field, if that may be the component: of an object that is not known.
func (f *frame) partOf(v value, key string) value {
	c, w := f.c, f.c.w
	if !c.isPart || c.named == nil || v.at == nil || !types.Identical(v.at.elem, c.named) || !v.at.element && !w.Holds(v.at.ref).Outside {
		return v
	}
	ref := f.pointer(v.at)
	is := f.any(key+"/part", leaf{typ: boolType}, lower.Unmodelled)
	return value{typ: v.typ, t: []*term.Term{w.Pool.Ite(w.Pool.And(is, w.Pool.Eq(ref, w.Outside())), w.RefOf(c.receiverPlace()), ref)}}
}

// storesAround lets a write of a whole object that is not known change the component, which may be a part of it.
func (f *frame) storesAround(a *address, h lower.Holds) {
	c := f.c
	if !c.isPart || c.named == nil || !f.m.Reachable() || !h.Outside && !a.element || types.Identical(a.elem, c.named) || !hasPart(a.elem, c.named, 0) {
		return
	}
	key := "around"
	yes, no := f.m.Branch(f.any(key, leaf{typ: boolType}, lower.Unmodelled))
	f.m.Continue(yes)
	for _, l := range c.leaves(c.named) {
		if c.keeps(l) {
			f.havocCell(c.receiverPlace(), l, key)
		}
	}
	f.m.Join(f.m.Here(), no)
}

// hasPart reports whether values of a type have parts of another one.
func hasPart(t, part types.Type, depth int) bool {
	if types.Identical(t, part) || depth > 6 {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if hasPart(f.Type(), part, depth+1) {
				return true
			}
		}
	case *types.Array:
		return hasPart(u.Elem(), part, depth+1)
	}
	return false
}
