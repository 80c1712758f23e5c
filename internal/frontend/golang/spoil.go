// SPDX-License-Identifier: Apache-2.0

package golang

// This file lets code that is not followed change what it can reach.

import (
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// spoilShared lets code of the component's package that is not followed change what
// it can reach without being given it: package variables and what has escaped.
func (f *frame) spoilShared(key string) {
	for _, p := range f.c.w.Places() {
		_, global := p.Data.(*ssa.Global)
		typ, ok := p.Type.(types.Type)
		if !global && !f.c.escaped[p.Key] || p.Summary || p.Const || !ok {
			continue
		}
		switch p.Data.(type) {
		case nil, *ssa.Global:
		default:
			continue
		}
		for _, l := range f.c.leaves(typ) {
			if f.c.keeps(l) && f.mayWrite(p, l) {
				f.havocCell(p, l, key)
			}
		}
	}
}

// mayWrite reports whether the code at hand that is not followed may write a scalar
// of an object.
func (f *frame) mayWrite(p *lower.Place, l leaf) bool {
	if f.c.isBorn(l.in) {
		return false
	}
	if g, ok := p.Root().Data.(*ssa.Global); ok && f.left != nil && !f.c.mayRunWriter(f.left, g) {
		return false
	}
	if f.writes == nil {
		return true
	}
	if g, ok := p.Data.(*ssa.Global); ok && l.in == nil {
		return f.c.reach.all(f.writes)[f.c.reach.find(g)]
	}
	return f.c.reach.writesLeaf(f.writes, l)
}

// wanted reports whether some result of the call at hand is relevant.
func (f *frame) wanted(sig *types.Signature) bool {
	if f.c.rel == nil || f.site == nil {
		return true
	}
	for k := range sig.Results().Len() {
		if f.c.rel.needs[resultOf{f.site, k}] {
			return true
		}
	}
	return false
}

// spoil lets somebody change everything that a value leads to. Who is given a function can
// call it: of what the function sees, that changes what its code may write. An object that was given
// up may lead to every object that has escaped, since whatever is stored there has.
func (f *frame) spoil(v value, key string) { f.spoilAs(v, key, true) }

// spoilMet does that where somebody has the value already.
func (f *frame) spoilMet(v value, key string) { f.spoilAs(v, key, false) }

func (f *frame) spoilAs(v value, key string, now bool) {
	type visited struct {
		key string
		by  *modified
	}
	seen := map[visited]bool{}
	if v.missing != "" {
		return
	}
	all, within := f.writes, false // it is what a function sees that gives nothing of that away
	// visit looks at what a reference leads to; direct is set if it is given away here, rather than met where something was given
	// away before (see grown.go).
	var visit func(t *term.Term, l leaf, direct bool)
	beyond := func(t types.Type) {
		for _, s := range f.c.beyond(t) {
			for _, q := range f.anywhere(s.typ) {
				if f.c.mayBeBeyond(q, s) {
					visit(f.c.w.RefOf(q), leaf{ref: true, of: s.typ}, false)
				}
			}
		}
	}
	// bound does something with the references that a function has bound, which it changes as it writes.
	bound := func(d closure, do func(n int, l leaf)) {
		by, in := f.writes, within
		if all == nil && !within {
			f.writes, within = f.c.reach.effectsOf(d.fn), !returnsReferences(d.fn)
		}
		for n, b := range d.binds {
			for _, l := range f.c.leaves(b) {
				if l.ref {
					do(n, l)
				}
			}
		}
		f.writes, within = by, in
	}
	visit = func(t *term.Term, l leaf, direct bool) {
		if direct || f.left != nil { // what is left out is code of the component
			f.c.gives(t)
		}
		if now {
			f.give(t, l.of)
		}
		h := f.c.w.Holds(t)
		if containerKind(l.of) != "" {
			beyond(l.of)
		}
		if _, slice := l.of.Underlying().(*types.Slice); slice {
			return
		}
		for _, p := range f.c.sameAs(h, l.of) {
			at := visited{p.Key, f.writes}
			if seen[at] {
				continue
			}
			if p.Summary {
				// What was put there has escaped.
				seen[at] = true
				typ, ok := p.Type.(types.Type)
				if !ok {
					continue
				}
				if d, ok := f.c.olderClosure(p); ok {
					bound(d, func(_ int, bl leaf) {
						for _, q := range f.c.placesOf(bl.of) {
							visit(f.c.w.RefOf(q), bl, true)
						}
					})
					continue
				}
				for _, cl := range f.c.leaves(typ) {
					if !cl.ref || cl.of == nil || !f.c.keeps(cl) {
						continue
					}
					for _, q := range f.anywhere(cl.of) {
						visit(f.c.w.RefOf(q), cl, false)
					}
				}
				beyond(typ)
				continue
			}
			seen[at] = true
			if typ, ok := p.Type.(types.Type); ok && p.Data == nil {
				for _, a := range arraysIn(typ, nil) {
					beyond(a)
				}
			}
			if f.c.follows(p) {
				f.c.met(f.c.w.RefOf(p))
			}
			if d, ok := p.Data.(closure); ok {
				bound(d, func(n int, bl leaf) { visit(f.m.Cell(p, "#"+strconv.Itoa(n)+bl.path, bl.typ).Term, bl, true) })
				continue
			}
			if p.Const {
				continue
			}
			if !f.c.follows(p) {
				// What it leads to is given away too.
				if t, ok := p.Type.(types.Type); ok {
					for _, cl := range f.c.leaves(t) {
						if cl.ref && f.c.keeps(cl) {
							visit(f.m.Cell(p, cl.path, cl.typ).Term, cl, p.Data != nil)
						}
					}
				}
				f.c.giveUp(p)
				continue
			}
			typ, _ := p.Type.(types.Type)
			if typ == nil {
				continue
			}
			what := typeName(typ)
			switch typ.Underlying().(type) {
			case *types.Map:
				f.havocCell(p, leaf{path: lenPath, typ: intType, nat: true}, key)
				continue
			case *types.Chan:
				// Only its own package closes it, unless it is given away to be closed.
				if f.c.reach.callbacksClose() {
					f.havocCell(p, leaf{path: closedPath, typ: boolType}, key)
				}
				continue
			}
			f.c.w.Approximate(f.m.Pos(), "%s is given to code that is not followed", what)
			for _, cl := range f.c.leaves(typ) {
				if !f.c.keeps(cl) {
					continue
				}
				if cl.ref {
					visit(f.m.Cell(p, cl.path, cl.typ).Term, cl, p.Data != nil)
				}
				switch {
				case !f.mayWrite(p, cl):
				case f.c.isGrown(cl.in, f.left):
					f.grow(p, cl, key)
				default:
					f.havocCell(p, cl, key)
				}
			}
		}
	}
	ts := f.terms(v)
	for k, l := range f.c.leaves(v.typ) {
		if l.ref && k < len(ts) {
			visit(ts[k], l, now)
		}
	}
}

// returnsReferences reports whether a function may return something that leads to objects.
func returnsReferences(fn *ssa.Function) bool {
	res := fn.Signature.Results()
	for k := range res.Len() {
		if _, basic := res.At(k).Type().Underlying().(*types.Basic); !basic || isUnsafe(res.At(k).Type()) {
			return true
		}
	}
	return false
}

// havocCell gives a cell any value.
func (f *frame) havocCell(p *lower.Place, l leaf, key string) {
	cell := f.m.Cell(p, l.path, l.typ)
	clean := f.clean // of the value at hand, not of what is written
	f.clean = f.c.neverCarries(p, l)
	x := f.any(key+"/spoil/"+p.Key+l.path, l, lower.Unmodelled)
	f.clean = clean
	f.m.Set(cell, x)
}

// neverCarries reports whether a scalar is in a location of a coarse program in which no error under study can be.
func (c *compiler) neverCarries(p *lower.Place, l leaf) bool {
	if !c.isCoarse() {
		return false
	}
	in := l.in
	if g, ok := p.Data.(*ssa.Global); ok && in == nil {
		in = g
	}
	if v := c.variables[p.Key]; v != nil && in == nil {
		in = v
	}
	return in != nil && !c.rel.coarse.carries[c.rel.find(in)]
}
