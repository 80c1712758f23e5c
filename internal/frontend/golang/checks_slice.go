// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers programs of chosen checks of the run time: what these depend on
// and nothing else (see relevance.go for how that is found). A check is chosen for a method: the
// same code inlined in another method is not checked there, and its runs that err
// are cut. That is no loss: a run that errs ends, and whether there are such runs is
// asked of that method in a program of its own.

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A selection is checks by the method or constructor that they are looked at in.
type selection map[string]map[ssa.Instruction]bool

func (s selection) add(method string, i ssa.Instruction) {
	if s[method] == nil {
		s[method] = map[ssa.Instruction]bool{}
	}
	s[method][i] = true
}

// instrs returns the chosen checks of all methods.
func (s selection) instrs() map[ssa.Instruction]bool {
	all := map[ssa.Instruction]bool{}
	for _, list := range s {
		for i := range list {
			all[i] = true
		}
	}
	return all
}

// newCheckSlice computes what is relevant to the chosen checks alone.
func newCheckSlice(c *compiler, from calls) *relevance {
	r := emptyRelevance(c.reach, from)
	r.alone = true
	for _, fn := range r.fns {
		r.findEscapes(fn)
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				// What ends the process ends a run; a panic does anyway.
				if _, panics := i.(*ssa.Panic); !panics && !r.aside[fn] && c.isSite(r.reach, i, false) {
					r.happen(i)
				}
			}
		}
		if !returns(fn) && !r.entries[fn] {
			r.call(fn) // code after a call of it does not run
		}
	}
	for _, fn := range slices.Concat(from.makers, from.chains) {
		for k := range fn.Signature.Results().Len() {
			r.returned(fn, k)
		}
	}
	r.chosenChecks(c)
	r.settle()
	return r
}

// chosenChecks makes the chosen checks relevant.
func (r *relevance) chosenChecks(c *compiler) {
	if len(c.checking) == 0 {
		return
	}
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if c.checking[i] {
					r.checkAt(i)
				}
			}
		}
	}
}

// checkAt makes relevant what a check tests, and whether control gets there. What
// the instruction does or yields otherwise may not be relevant.
func (r *relevance) checkAt(i ssa.Instruction) {
	r.later(func() {
		r.controls(i.Block())
		r.call(i.Parent())
		need := func(list ...ssa.Value) {
			for _, v := range list {
				r.need(v)
			}
		}
		switch i := i.(type) {
		case *ssa.FieldAddr:
			need(i.X)
		case *ssa.UnOp:
			need(i.X)
		case *ssa.Store:
			need(i.Addr)
		case *ssa.IndexAddr:
			need(i.X, i.Index)
		case *ssa.Index:
			need(i.X, i.Index)
		case *ssa.Lookup:
			need(i.X, i.Index)
		case *ssa.Slice:
			need(i.X, i.Low, i.High, i.Max)
		case *ssa.SliceToArrayPointer:
			need(i.X)
		case *ssa.MakeSlice:
			need(i.Len, i.Cap)
		case *ssa.BinOp:
			need(i.Y)
			if r.comparesInterfaces(i) {
				need(i.X)
			}
		case *ssa.TypeAssert:
			need(i.X)
		case *ssa.MapUpdate:
			need(i.Map)
			if r.hashesInterface(i.Map) {
				need(i.Key)
			}
		case *ssa.Call:
			if v := r.notNilIn(i); v != nil {
				need(v)
				return
			}
			r.checkedCall(i)
		case ssa.CallInstruction:
			r.checkedCall(i)
		default:
			r.happen(i)
		}
	})
}

// checkedCall is about a call that has to be lowered for its check.
func (r *relevance) checkedCall(i ssa.CallInstruction) {
	r.happen(i)
	call := i.Common()
	r.callee(i, r.need)
	for _, x := range call.Args {
		r.need(x)
	}
	if g := r.known[i]; g != nil && r.c.touches(g) {
		for _, l := range r.atomicAt(i) {
			r.locate1(l)
		}
	}
	if b, ok := call.Value.(*ssa.Builtin); ok && b.Name() == "close" {
		r.locate1(channels{})
	}
}

// notNilIn returns the value that must not be nil, if the check of a call is no more than that:
// the function, the value of the interface, or the receiver of a method that is not
// followed and that dereferences it first.
func (r *reach) notNilIn(i *ssa.Call) ssa.Value {
	if _, builtin := i.Call.Value.(*ssa.Builtin); builtin {
		return nil
	}
	g := i.Call.StaticCallee()
	switch {
	case i.Call.IsInvoke() || g == nil:
		return i.Call.Value
	case r.testsReceiver(i, g) && !(r.c.mayPanic(g, 4) && r.mayBeGiven(i, g)):
		return i.Call.Args[0]
	}
	return nil
}

// testsReceiver reports whether a call is of such a method, from another package: what packages
// hand to their own methods is theirs.
func (r *reach) testsReceiver(i ssa.CallInstruction, g *ssa.Function) bool {
	own := r.c.l.owns(packageOf(g)) || packageOf(g) == packageOf(i.Parent()) && i.Parent().Synthetic == ""
	if own || r.c.replaced(g) || r.c.isIntrinsic(g) {
		return false
	}
	yes, itself := r.dereferences(g, 4)
	return yes && (len(r.targets[i]) == 0 || !itself)
}

// derefsItself reports whether a method dereferences its receiver in its own code, before it calls
// anything: where the method is followed, that is a check of its own. Otherwise first is what it
// calls first.
func derefsItself(g *ssa.Function) (yes bool, first *ssa.Call) {
	for _, i := range g.Blocks[0].Instrs {
		switch i := i.(type) {
		case *ssa.FieldAddr:
			yes = i.X == ssa.Value(g.Params[0])
		case *ssa.UnOp:
			yes = i.Op == token.MUL && i.X == ssa.Value(g.Params[0])
		case ssa.CallInstruction:
			first, _ = i.(*ssa.Call)
			return false, first
		}
		if yes {
			return true, nil
		}
	}
	return false, nil
}

// dereferences reports whether a method dereferences its receiver before it does anything
// else that can be seen, or calls another one on it that does; itself: in its own code.
func (r *reach) dereferences(g *ssa.Function, depth int) (yes, itself bool) {
	recv := g.Signature.Recv()
	if recv == nil || deref(recv.Type()) == nil || len(g.Blocks) == 0 || depth == 0 {
		return false, false
	}
	itself, first := derefsItself(g)
	if itself || first == nil {
		return itself, itself
	}
	if h := first.Call.StaticCallee(); h != nil && len(first.Call.Args) > 0 && first.Call.Args[0] == ssa.Value(g.Params[0]) {
		yes, _ = r.dereferences(h, depth-1)
	}
	return yes, false
}

// testOnly lowers the check of a call that is not relevant otherwise, and reports
// whether it was one.
func (f *frame) testOnly(instr ssa.Instruction) bool {
	i, ok := instr.(*ssa.Call)
	if !ok || f.c.rel == nil || f.c.rel.instrs[i] {
		return false
	}
	v := f.c.reach.notNilIn(i)
	if v == nil {
		return false
	}
	f.refCheck(f.ref(f.val(v)), i.Pos())
	return true
}

// excluded reports whether the check of the instruction at hand is not looked at: it
// cannot fail, or it is a matter of another program. Runs in which it fails are cut
// then. Where somebody recovers, it is a way to go on.
func (f *frame) excluded() bool {
	c := f.c
	switch {
	case c.certain[f.instr]:
		return true
	case c.isChosen(f) || c.rel == nil && c.selected == nil:
		return false
	case c.rel == nil:
		return !f.isCaught()
	}
	if !c.rel.checked[f.fn] {
		return true
	}
	return !f.isCaught()
}

// isCaught reports whether somebody recovers from panics here, or may go on with others in their place: a
// deferred call that is run for a panic may panic itself, and what was deferred before it is run then.
func (f *frame) isCaught() bool { return f.catching() != nil }

// isChosen reports whether the check at hand is chosen.
func (c *compiler) isChosen(f *frame) bool { return c.selected[f.m.M.Name][f.instr] }

// An unseen is whether a call that is not followed may panic for a reason that the component is part
// of, or is what the client called.
type unseen int

const (
	unseenNever unseen = iota
	unseenCheck        // it is a matter of coverage
	unseenError        // code of the component's package panics there
)

// mayPanicUnseen says that of a call. What the code would follow but for a limit is a matter of the
// program with the explicit errors as far as these go, and of the programs of checks; what it does not
// follow is a check like others. Where everything is lowered, recursive calls of code of other packages are the environment's.
func (f *frame) mayPanicUnseen(fn *ssa.Function, args, binds []value) unseen {
	c := f.c
	limit := c.reach != nil && f.site != nil && len(c.reach.targets[f.site]) > 0
	if limit && (c.rel != nil || c.l.owns(packageOf(fn))) && f.followsChecks(fn) {
		return unseenCheck
	}
	if c.rel != nil && c.kinds.checks() {
		if limit == c.alone || !limit && !c.isChosen(f) {
			return unseenNever
		}
	}
	if limit {
		if may := c.reach.sitesUnder(fn); may == unseenError || c.rel != nil {
			return may
		}
	}
	if (f.given(args, binds) || f.direct()) && c.mayPanic(fn, 4) {
		return unseenCheck
	}
	return unseenNever
}

// sitesUnder says whether a function that is reached, or one that it calls, has a site of an explicit
// error.
func (r *reach) sitesUnder(fn *ssa.Function) unseen {
	if known, ok := r.unseen[fn]; ok {
		return known
	}
	found := unseenNever
	for _, g := range r.under([]*ssa.Function{fn}) {
		as := unseenCheck
		if r.c.l.owns(packageOf(g)) {
			as = unseenError
		}
		for _, b := range g.Blocks {
			if as > found && slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool { return r.c.isSite(r, i, false) }) {
				found = as
			}
		}
	}
	if r.unseen == nil {
		r.unseen = map[*ssa.Function]unseen{}
	}
	r.unseen[fn] = found
	return found
}

// followsChecks reports whether a function that is not followed, or one that it
// calls, has checks that were chosen for the method at hand.
func (f *frame) followsChecks(fn *ssa.Function) bool {
	mine := f.c.selected[f.m.M.Name]
	if len(mine) == 0 {
		return false
	}
	for _, g := range f.c.reach.under([]*ssa.Function{fn}) {
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				if mine[i] {
					return true
				}
			}
		}
	}
	return false
}
