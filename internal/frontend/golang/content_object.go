// SPDX-License-Identifier: Apache-2.0

package golang

// This file says whose fields those of an object are that the environment has just
// returned: a number or text that is read there is part of the answer. The object must be the
// environment's own. It is if the component's package never makes one of its type, nor
// writes the field, and if the call was given numbers and texts only: then it cannot have been
// handed in by anybody. References in such an object stay values that are not modelled: they
// may lead back to what a client owns.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// answerField is what the field of an object is computed from that the environment
// returned during the call; nil: that is not known.
func (f *frame) answerField(i *ssa.FieldAddr) lower.From {
	c := f.c
	if c.isCoarse() {
		return nil
	}
	n, ok := namedPointer(i.X.Type())
	if !ok || n.Obj().Pkg() == nil || c.l.owns(n.Obj().Pkg()) {
		return nil
	}
	call, _ := resultAtCall(i.X)
	if call == nil || call.Call.StaticCallee() == nil || !c.answers[f.key(call)] || !c.neverMade(n) {
		return nil
	}
	for _, a := range call.Call.Args {
		if !plain(a.Type()) {
			return nil
		}
	}
	v := f.val(i.X)
	if v.missing != "" || v.at != nil || len(v.t) == 0 || v.t[0].IsConst() {
		return nil
	}
	return lower.From{v.t[0]}
}

// plain reports whether values of a type lead to no object with fields.
func plain(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Slice:
		return plain(u.Elem())
	case *types.Array:
		return plain(u.Elem())
	}
	return false
}

// neverMade reports whether the component's package makes no object of a type of another
// package, and changes none.
func (c *compiler) neverMade(n *types.Named) bool {
	if r, ok := c.unmade[n]; ok {
		return r
	}
	if c.unmade == nil {
		c.unmade = map[*types.Named]bool{}
	}
	has := func(t types.Type) bool { return t != nil && len(pathsTo(t, n, 0)) > 0 }
	makes := func(i ssa.Instruction) bool {
		switch i := i.(type) {
		case *ssa.Alloc:
			return has(deref(i.Type()))
		case *ssa.MakeSlice:
			return has(i.Type().Underlying().(*types.Slice).Elem())
		case *ssa.Store:
			for a := i.Addr; ; {
				if has(deref(a.Type())) {
					return true
				}
				x, ok := a.(*ssa.FieldAddr)
				if !ok {
					return false
				}
				a = x.X
			}
		case *ssa.Convert:
			return isUnsafe(i.X.Type()) && has(deref(i.Type()))
		case *ssa.FieldAddr:
			// Its address may be given to somebody who writes there.
			if !has(deref(i.X.Type())) {
				return false
			}
			for _, r := range *i.Referrers() {
				switch r.(type) {
				case *ssa.UnOp, *ssa.DebugRef, *ssa.FieldAddr:
				default:
					return true
				}
			}
		}
		return false
	}
	fine := true
	for _, pkg := range c.l.own() {
		for _, m := range pkg.Members {
			if g, ok := m.(*ssa.Global); ok && has(deref(g.Type())) {
				fine = false
			}
		}
		for _, fn := range c.l.functionsOf()[pkg.Pkg] {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					fine = fine && !makes(i)
				}
			}
		}
	}
	c.unmade[n] = fine
	return fine
}

// answersWith notes that an any value which was read from such an object is part of the
// answer.
func (f *frame) answersWith(key string, l leaf, a *address, x *term.Term) {
	if len(a.answer) == 0 || x.IsConst() || l.ref && !(l.of != nil && isSlice(l.of) && plain(l.of)) {
		return
	}
	f.m.Computed(f.m.Local(key, "any", l.typ), a.answer)
}
