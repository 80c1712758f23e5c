// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves that fields are nil, or not nil, where the callers of a function have tested them:
//
//	func (t *T) Wait() {
//		if t.h != nil {
//			t.waitForHandle() // panics if t.h == nil
//		}
//	}
//
// A field of an object that a function is given is, when the function begins, what it is at the call: there is nothing
// between. So it is (not) nil at the beginning if it is so at every call. At a point of a function it is so if on each
// way back from there code stored such a value, or tested the field, before anything may have written a field of this name, in
// whatever object; or if a way leads to the beginning of the function, and the object was given to that, and it is
// so there.
//
// All calls must be known, not only all arguments: who calls a function may answer for what it hands over, but not
// for what is in an object that somebody gave it. So the function has a name that only its package can use, and no code makes a
// value of it, or of a method that it is: then only code of the package calls it, by its name or
// by way of an interface, and such calls are seen. A function of a package that is not the component's may have any name: if others
// call it, then for themselves, and what it does then is not followed. Calls that are not made where they are written (defer, go) are no proof.
//
// Around a loop, and in functions that call themselves, the proof is an induction over the steps of a run, as everywhere here.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A passed is a field of what a value points to; null: it is asked whether it is nil.
type passed struct {
	of    ssa.Value
	field int
	null  bool
}

// passedField reports whether what a load reads is nil, or is not: a field of an object that the function is given.
func (p *prover) passedField(v ssa.Value, null bool) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	a, ok := load.X.(*ssa.FieldAddr)
	if !ok || !p.located[load.Parent()] {
		return false
	}
	if _, given := a.X.(*ssa.Parameter); !given || !p.onlyCalledHere(load.Parent()) {
		return false
	}
	l := p.at(a)
	return l != nil && p.passedAt(passed{a.X, a.Field, null}, l, pointAt(load))
}

// passedAt is about a point of a function.
func (p *prover) passedAt(f passed, l location, at point) bool {
	return p.once(fact{kind: passedFact, v: f, at: at}, func() bool {
		is := func(addr ssa.Value) bool {
			a, ok := addr.(*ssa.FieldAddr)
			return ok && a.X == f.of && a.Field == f.field
		}
		for n := at.n - 1; n >= 0; n-- {
			if p.steps++; p.steps > p.limit {
				return false
			}
			switch i := at.b.Instrs[n].(type) {
			case *ssa.Store:
				if is(i.Addr) {
					return f.null && isNilConst(i.Val) || !f.null && p.notNil(i.Val, at)
				}
			case *ssa.UnOp:
				if i.Op == token.MUL && is(i.X) && (f.null && p.isNil(i, at) || !f.null && p.testedHere(i, at)) {
					return true
				}
			}
			if p.mayWriteAt(at.b.Instrs[n], l) {
				return false
			}
		}
		if len(at.b.Preds) == 0 {
			// Where a function goes on that recovers, anything may have happened.
			return at.b.Index == 0 && p.passedTo(f, l)
		}
		if !p.definedBefore(f.of, at.b) {
			return false
		}
		for _, b := range at.b.Preds {
			if !p.passedAt(f, l, point{b, len(b.Instrs), at.b}) {
				return false
			}
		}
		return true
	})
}

// passedTo is about the beginning of a function that is given the object.
func (p *prover) passedTo(f passed, l location) bool {
	q, ok := f.of.(*ssa.Parameter)
	if !ok || !p.onlyCalledHere(q.Parent()) {
		return false
	}
	fn := q.Parent()
	for _, call := range slices.Concat(p.callers[fn], p.earlyCalls(fn)) {
		x := argumentFor(call, fn, q)
		if _, plain := call.(*ssa.Call); x == nil || !plain || !types.Identical(x.Type(), q.Type()) || !p.located[call.Parent()] {
			return false
		}
		if !p.passedAt(passed{x, f.field, f.null}, l, pointAt(call)) {
			return false
		}
	}
	return true
}

// onlyCalledHere reports whether all calls of a function that are followed are seen, also those by the environment: there are none.
func (p *prover) onlyCalledHere(fn *ssa.Function) bool { return p.onlyCalled(fn) && p.isHere(fn) }

// isHere reports whether a function has a name that only its package can use, if that is the component's, and no code makes a value of it.
func (p *prover) isHere(fn *ssa.Function) bool {
	obj := fn.Object()
	if obj == nil || obj.Exported() && p.c.l.owns(packageOf(fn)) {
		return false
	}
	if p.valued == nil {
		p.valued = map[types.Object]bool{}
		for _, g := range p.reach.values {
			p.valued[g.Object()] = true // also of what is made of a method: t.m, T.m
		}
	}
	return !p.valued[obj]
}
