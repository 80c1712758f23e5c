// SPDX-License-Identifier: Apache-2.0

package golang

// This file adds to coarse programs (coarse.go) what costs nothing: branches beyond the
// limit whose conditions are computed from constants, from errors in package variables, from parameters for which all calls
// give constants, or some of them do, and from state that is followed anyway.
//
//	func (r *Reader) ReadLine() ([]byte, error) { return r.readLine(-1) }
//	func (r *Reader) readLine(limit int) ([]byte, error) {
//		for {
//			...
//			if limit >= 0 && n > limit {
//				return nil, errTooLong
//			}
//		}
//	}
//
// Functions are followed from each of their calls, so a test of limit is decided in ReadLine. In a method that gives
// readLine a number which it has computed, the number is beyond the limit, and so any one: the test goes
// either way there, as it would if it were not relevant. To keep more never takes away a run: what is not
// followed is any value, whatever else is followed.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// testsOfKnown makes branches relevant that are beyond the limit and test nothing but what is
// followed anyway: they cost nothing.
func (r *relevance) testsOfKnown() {
	for _, fn := range r.fns {
		if !r.coarse.inline[fn] && !r.entries[fn] {
			continue
		}
		for _, b := range fn.Blocks {
			if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && !r.instrs[i] && r.isKnownTest(i.Cond, 0) {
				r.knownTest(i)
			}
		}
	}
	r.settle()
	// Last, so that a parameter of which more is needed is followed to all arguments by then.
	for _, fn := range r.fns {
		if !r.coarse.inline[fn] {
			continue
		}
		for _, b := range fn.Blocks {
			if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && !r.instrs[i] {
				if given := r.givenIn(i.Cond, 0); len(given) > 0 {
					r.free(func() {
						for _, p := range given {
							r.need(p)
						}
					})
					r.instrs[i] = true
					r.at1(0, func() { r.need(i.Cond) })
				}
			}
		}
	}
	r.settle()
}

// givenIn returns the parameters that a value is computed from, if it is from nothing else but constants, and
// some call gives a constant for each.
func (r *relevance) givenIn(v ssa.Value, depth int) []*ssa.Parameter {
	switch v := v.(type) {
	case *ssa.BinOp:
		if depth > 6 {
			return nil
		}
		x, y := r.givenIn(v.X, depth+1), r.givenIn(v.Y, depth+1)
		if _, ok := v.X.(*ssa.Const); !ok && len(x) == 0 {
			return nil
		}
		if _, ok := v.Y.(*ssa.Const); !ok && len(y) == 0 {
			return nil
		}
		return append(x, y...)
	case *ssa.UnOp:
		if v.Op == token.NOT && depth <= 6 {
			return r.givenIn(v.X, depth+1)
		}
	case *ssa.Parameter:
		if r.isGivenConstant(v, depth+1) {
			return []*ssa.Parameter{v}
		}
	}
	return nil
}

// knownTest makes such a branch relevant.
func (r *relevance) knownTest(i *ssa.If) {
	if r.instrs[i] {
		return
	}
	r.instrs[i] = true
	r.at1(0, func() {
		r.knownPhis(i.Cond, 0)
		r.need(i.Cond)
	})
}

// knownPhis makes the variables of a known test relevant that have several values, with
// what decides between these, and not what decides whether it comes to that.
func (r *relevance) knownPhis(v ssa.Value, depth int) {
	if depth > 6 {
		return
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		r.knownPhis(v.X, depth+1)
		r.knownPhis(v.Y, depth+1)
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok {
			r.knownVariable(a, depth+1)
		}
		r.knownPhis(v.X, depth+1)
	case *ssa.Phi:
		if r.instrs[v] && !r.isPartly(v) {
			return
		}
		r.instrs[v] = true
		for _, e := range v.Edges {
			r.knownPhis(e, depth+1)
			r.need(e)
		}
		for _, i := range r.deciders(v) {
			r.knownTest(i)
		}
	}
}

// deciders returns the branches that decide which value a variable has that has several.
func (r *relevance) deciders(v *ssa.Phi) (all []*ssa.If) {
	add := func(b *ssa.BasicBlock) {
		if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	before := r.controllers(v.Block())
	for _, p := range v.Block().Preds {
		add(p)
		for _, c := range r.controllers(p) {
			if !slices.Contains(before, c) {
				add(c)
			}
		}
	}
	return all
}

// isKnownTest reports whether a value is computed from constants and locations that are
// followed, in objects that the function has.
func (r *relevance) isKnownTest(v ssa.Value, depth int) bool {
	if depth > 6 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.BinOp:
		return r.isKnownTest(v.X, depth+1) && r.isKnownTest(v.Y, depth+1)
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return r.isKnownTest(v.X, depth+1)
		}
		if a, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			return r.locs[r.find(a)] || r.isKnownVariable(a, depth+1)
		}
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL {
			return r.c.sentinel(g) != nil
		}
		a, ok := v.X.(*ssa.FieldAddr)
		if !ok || v.Op != token.MUL || !r.locs[r.find(r.at(a))] {
			return false
		}
		x := a.X
		for {
			a, ok := x.(*ssa.FieldAddr) // of a struct within
			if !ok {
				break
			}
			x = a.X
		}
		_, param := x.(*ssa.Parameter)
		_, alloc := x.(*ssa.Alloc)
		return param || alloc
	case *ssa.Parameter:
		return r.isGivenConstants(v, depth+1)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !r.isKnownTest(e, depth+1) {
				return false
			}
		}
		for _, i := range r.deciders(v) {
			if !r.instrs[i] && !r.isKnownTest(i.Cond, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// isKnownVariable reports whether all that is written to a variable that function literals
// see is known, and when.
func (r *relevance) isKnownVariable(a *ssa.Alloc, depth int) bool {
	if _, basic := deref(a.Type()).Underlying().(*types.Basic); !basic || depth > 6 || len(r.writes[r.find(a)]) > 4 {
		return false
	}
	for _, i := range r.writes[r.find(a)] {
		store, ok := i.(*ssa.Store)
		if !ok || !r.isKnownTest(store.Val, depth+1) {
			return false
		}
		for _, c := range r.controllers(store.Block()) {
			if i, ok := c.Instrs[len(c.Instrs)-1].(*ssa.If); ok && !r.instrs[i] && !r.isKnownTest(i.Cond, depth+1) {
				return false
			}
		}
	}
	return true
}

// knownVariable makes what is written to such a variable relevant.
func (r *relevance) knownVariable(a *ssa.Alloc, depth int) {
	l := r.find(a)
	if r.locs[l] {
		return
	}
	r.locs[l] = true
	for _, i := range r.writes[l] {
		for _, c := range r.controllers(i.Block()) {
			if i, ok := c.Instrs[len(c.Instrs)-1].(*ssa.If); ok {
				r.knownTest(i)
			}
		}
		if store, ok := i.(*ssa.Store); ok {
			r.knownPhis(store.Val, depth+1)
		}
		r.happen(i)
	}
}

// isGivenConstants reports whether all calls give a constant for a parameter, perhaps by way
// of parameters of their own.
func (r *relevance) isGivenConstants(p *ssa.Parameter, depth int) bool {
	fn := p.Parent()
	if _, basic := p.Type().Underlying().(*types.Basic); !basic || depth > 6 || r.entries[fn] || len(r.callers[fn]) == 0 {
		return false
	}
	for _, call := range r.callers[fn] {
		switch x := argumentOf(call.Common(), fn, indexOf(p)).(type) {
		case *ssa.Const:
		case *ssa.Parameter:
			if !r.isGivenConstants(x, depth+1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isGivenConstant reports whether some call gives a constant for a parameter, perhaps by way of a
// parameter of its own.
func (r *relevance) isGivenConstant(p *ssa.Parameter, depth int) bool {
	fn := p.Parent()
	if _, basic := p.Type().Underlying().(*types.Basic); !basic || depth > 6 || r.entries[fn] {
		return false
	}
	return slices.ContainsFunc(r.callers[fn], func(call ssa.CallInstruction) bool {
		switch x := argumentOf(call.Common(), fn, indexOf(p)).(type) {
		case *ssa.Const:
			return true
		case *ssa.Parameter:
			return r.isGivenConstant(x, depth+1)
		}
		return false
	})
}
