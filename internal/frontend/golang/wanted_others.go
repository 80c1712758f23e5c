// SPDX-License-Identifier: Apache-2.0

package golang

// This file says what code that is not followed does to the flow of errors under study (wanted_flow.go): which
// errors it is given, which of its objects keep them, and what of that its calls may return, or lead
// back to.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// given reports whether code that is not followed is given an error under study, or
// an object that was given one.
func (w *wanting) given(i ssa.CallInstruction) bool {
	if w.givenDirectly(i) {
		return true
	}
	for _, x := range i.Common().Args {
		if w.keepers[w.id(x.Type())] || w.leads(x.Type(), 0) {
			return true
		}
		switch u := x.Type().Underlying().(type) {
		case *types.Map:
			if w.elements[w.element('k', u.Key())] || w.elements[w.element('v', u.Elem())] {
				return true
			}
		case *types.Chan:
			if w.elements[w.element('c', u.Elem())] {
				return true
			}
		}
	}
	return false
}

// givenDirectly is given for errors that are arguments, or elements of slices that are.
func (w *wanting) givenDirectly(i ssa.CallInstruction) bool {
	args := i.Common().Args
	if w.any(args) || w.any(variadic(lastOf(args))) {
		return true
	}
	return slices.ContainsFunc(args, func(x ssa.Value) bool {
		u, ok := x.Type().Underlying().(*types.Slice)
		return ok && w.elements[w.element('s', u.Elem())] && !isNilConst(x) && !isListed(x)
	})
}

// isListed reports whether a slice is made of arguments that stand in a call, so that variadic has all of
// its elements.
func isListed(x ssa.Value) bool {
	s, ok := x.(*ssa.Slice)
	if !ok {
		return false
	}
	a, ok := s.X.(*ssa.Alloc)
	return ok && a.Comment == "varargs" && len(variadic(x)) > 0
}

// keep notes which objects of others may keep an error that they are given: those that are
// given with it, and those that the call returns.
func (w *wanting) keep(i ssa.CallInstruction) {
	call := i.Common()
	if !w.unfollowed(i) {
		// In a coarse program it may be all the same.
		for _, x := range call.Args {
			if e := deref(x.Type()); e != nil && w.c.l.isForeign(e) && w.any(call.Args) {
				mark(w, w.keepers, w.id(x.Type()))
			}
		}
		return
	}
	e := w.effects[i]
	receivers := len(call.Args) - call.Signature().Params().Len()
	objects := objectsOf(call)
	given := false
	for k, x := range call.Args {
		keeps := e == nil || e.changes || e.kept[k-receivers]
		if !w.is(x) || !w.carries(unboxed(x).Type()) {
			if t := unboxed(x).Type(); keeps && !types.IsInterface(t) && w.brings(t, 0) {
				mark(w, w.lent, w.id(t))
			}
			continue
		}
		given = true
		if t := unboxed(x).Type(); keeps && !types.Implements(t, errorInterface) {
			if _, ok := t.Underlying().(*types.Struct); ok {
				mark(w, w.lent, w.id(t)) // it may come back, with what is in it
			}
		}
		for _, o := range objects {
			if _, function := o.Type().(*types.Signature); keeps && o != x && !function {
				w.keeps(o.Type())
			}
		}
	}
	if v := i.Value(); v != nil && given {
		for _, t := range resultTypes(v.Type()) {
			w.keeps(t)
		}
	}
}

// unboxed is the value in an interface that is made of it.
func unboxed(x ssa.Value) ssa.Value {
	if m, ok := x.(*ssa.MakeInterface); ok {
		return m.X
	}
	return x
}

// keeps notes that objects of a type may have an error under study. Others of the same package
// may be tied to them, as the two ends of a pipe are.
func (w *wanting) keeps(t types.Type) {
	if !w.isKeeper(t) {
		return
	}
	mark(w, w.keepers, w.id(t))
	if pkg := houseOf(t); pkg != nil && !w.c.l.owns(pkg) {
		mark(w, w.houses, pkg)
	}
}

// isGiven reports whether a value may be an object that was given an error under study, or
// one that is tied to it.
func (w *wanting) isGiven(x ssa.Value) bool {
	return w.keepers[w.id(x.Type())] || w.houses[houseOf(x.Type())]
}

// houseOf is the package of a type with a name, or of the one that a pointer is to; nil for
// interfaces, which all packages have values of.
func houseOf(t types.Type) *types.Package {
	if e := deref(t); e != nil {
		t = e
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || types.IsInterface(t) {
		return nil
	}
	return n.Obj().Pkg()
}

// unfollowed reports whether a call may be of code that is not followed and of which nothing
// is known but contracts.
func (r *reach) unfollowed(i ssa.CallInstruction) bool {
	call := i.Common()
	if _, builtin := call.Value.(*ssa.Builtin); builtin || r.known[i] != nil {
		return false
	}
	g := call.StaticCallee()
	if g != nil && isAtomic(g) {
		return false
	}
	if r.isCut(i) {
		return true
	}
	if known, ok := r.resolved(call); ok && known.closed {
		return false
	}
	return len(r.targets[i]) == 0 || g == nil && r.effects[i] != nil
}

// isCut reports whether a call may be of code that is there and yet the environment's.
func (r *reach) isCut(i ssa.CallInstruction) bool {
	return slices.ContainsFunc(r.targets[i], func(fn *ssa.Function) bool { return r.c.cut[fn] })
}

// resultTypes are the types of the results of a call.
func resultTypes(t types.Type) []types.Type {
	tuple, ok := t.(*types.Tuple)
	if !ok {
		return []types.Type{t}
	}
	var all []types.Type
	for v := range tuple.Variables() {
		all = append(all, v.Type())
	}
	return all
}

// objectsOf are the values that a call is given, with the one whose method it is, or the
// function if that is a value.
func objectsOf(call *ssa.CallCommon) []ssa.Value {
	if call.StaticCallee() == nil {
		return append([]ssa.Value{call.Value}, call.Args...)
	}
	return call.Args
}

// isKeeper reports whether objects of a type are of others and may keep what they are given:
// they are structs of other packages or behind pointers to these, behind interfaces that are no
// errors, or what functions have captured.
func (w *wanting) isKeeper(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return u.NumMethods() > 0 && !types.Implements(t, errorInterface)
	case *types.Signature:
		return true
	case *types.Struct:
		return w.c.l.isForeign(t)
	}
	e := deref(t)
	return e != nil && w.c.l.isForeign(e)
}

// mayReturnKept reports whether a call of code that is not followed may return an error under
// study, or what leads to one, that an object of its arguments was given before, or that it gets
// from functions and methods that it is given.
func (w *wanting) mayReturnKept(call *ssa.Call) bool {
	results := resultTypes(call.Type())
	if !w.unfollowed(call) {
		return slices.ContainsFunc(results, w.carries) && w.runsMaker(call)
	}
	if w.mayLeadBack(call, results) {
		return true
	}
	if !w.isOfHouse(call) && !slices.ContainsFunc(objectsOf(&call.Call), w.isGiven) && !w.isGivenMaker(call) && !w.runsMaker(call) {
		return false
	}
	return slices.ContainsFunc(results, w.carries)
}

// isOfHouse reports whether a call is of a function, or of a method of an interface, of a package of which some object was given
// an error under study: its variables, and what is in such an interface, may be tied to it, as a context is to the function that cancels it.
func (w *wanting) isOfHouse(call *ssa.Call) bool {
	if call.Call.IsInvoke() {
		n, ok := types.Unalias(call.Call.Value.Type()).(*types.Named)
		return ok && n.Obj().Pkg() != nil && w.houses[n.Obj().Pkg()]
	}
	g := call.Call.StaticCallee()
	return g != nil && packageOf(g) != nil && w.houses[packageOf(g)]
}

// mayLeadBack reports whether something that leads to errors under study and was given to
// others may come back by a call: as what it is, or in an interface from which the function takes it.
func (w *wanting) mayLeadBack(call *ssa.Call, results []types.Type) bool {
	if len(w.lent) == 0 {
		return false
	}
	boxed := false
	for _, t := range results {
		if w.lent[w.id(t)] {
			return true
		}
		boxed = boxed || types.IsInterface(t)
	}
	if !boxed {
		return false
	}
	for _, b := range call.Parent().Blocks {
		for _, i := range b.Instrs {
			if a, ok := i.(*ssa.TypeAssert); ok && w.lent[w.id(a.AssertedType)] {
				return true
			}
		}
	}
	return false
}

// isGivenMaker reports whether a call is given a function, or an object made an interface for
// it with a method, that returns errors under study.
func (w *wanting) isGivenMaker(call *ssa.Call) bool {
	for _, x := range call.Call.Args {
		switch x := unconverted(x).(type) {
		case *ssa.MakeClosure:
			if w.gives(x.Fn.(*ssa.Function)) {
				return true
			}
		case *ssa.Function:
			if w.gives(x) {
				return true
			}
		case *ssa.MakeInterface:
			set := w.c.l.prog.MethodSets.MethodSet(x.X.Type())
			for m := range x.Type().Underlying().(*types.Interface).Methods() {
				if sel := set.Lookup(m.Pkg(), m.Name()); sel != nil {
					if fn := w.c.l.prog.MethodValue(sel); fn != nil && w.gives(fn) {
						return true
					}
				}
			}
		}
	}
	return false
}

// runsMaker reports whether a call may run a function of the component's package that returns
// errors under study.
func (w *wanting) runsMaker(call ssa.CallInstruction) bool {
	return slices.ContainsFunc(w.reach.callingBack().runs(call), w.gives)
}

// keepMade notes the objects of others that may keep errors under study which functions of the
// component's package return that they run. It reports whether there are more of them.
func (w *wanting) keepMade(fns []*ssa.Function) bool {
	before := len(w.keepers) + len(w.houses) + len(w.soiled)
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok && w.runsMaker(call) {
					for _, o := range objectsOf(call.Common()) {
						t := unboxed(o).Type()
						w.keeps(t)
						if e := deref(t); e != nil && w.c.l.isForeign(e) {
							w.soiled[w.id(e)] = true
						}
					}
				}
			}
		}
	}
	return len(w.keepers)+len(w.houses)+len(w.soiled) > before
}

// brings reports whether a value of a type that comes from where values are not followed may, in three steps,
// be an error under study that was put there, or lead to one.
func (w *wanting) brings(t types.Type, depth int) bool {
	if depth > 3 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Interface, *types.Struct, *types.Array:
		return w.carries(t) || w.leadsWithin(t, depth)
	case *types.Slice:
		return w.elements[w.element('s', u.Elem())] || refers(u.Elem()) && !types.IsInterface(u.Elem()) && w.brings(u.Elem(), depth+1)
	case *types.Map:
		return w.elements[w.element('k', u.Key())] || w.elements[w.element('v', u.Elem())]
	case *types.Chan:
		return w.elements[w.element('c', u.Elem())]
	case *types.Signature:
		return slices.ContainsFunc(w.reach.values, func(fn *ssa.Function) bool {
			return types.Identical(noReceiver(fn.Signature), noReceiver(u)) && w.gives(fn)
		})
	}
	return w.leadsWithin(t, depth)
}

// leadsWithin reports whether fields of a struct, or of the one that a pointer is to, may be
// errors under study, or lead to them.
func (w *wanting) leadsWithin(t types.Type, depth int) bool {
	if e := deref(t); e != nil {
		if w.carries(t) {
			return true // an error type
		}
		t = e
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for k := range s.NumFields() {
		v := s.Field(k).Type()
		if w.carries(v) && w.locs[w.find(fieldAt(s, k))] {
			return true
		}
		if _, within := v.Underlying().(*types.Struct); within {
			// Its fields have locations, as if they were fields of the outer one.
			if w.leadsWithin(v, depth) {
				return true
			}
			continue
		}
		if !types.IsInterface(v) && depth < 3 && w.brings(v, depth+1) {
			return true
		}
	}
	return false
}

// isForeign reports whether a type is one with a name of another package.
func (l *loaded) isForeign(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && !l.owns(n.Obj().Pkg())
}

// leads reports whether others find errors under study in what a value of a type leads to:
// in exported fields, or those of their own types.
func (w *wanting) leads(t types.Type, depth int) bool {
	if e := deref(t); e != nil {
		t = e
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || depth > 3 {
		return false
	}
	for k := range s.NumFields() {
		v := s.Field(k)
		if !v.Exported() && w.c.l.owns(v.Pkg()) {
			continue
		}
		if w.carries(v.Type()) && w.locs[w.find(fieldAt(s, k))] || w.leads(v.Type(), depth+1) {
			return true
		}
	}
	return false
}

// gives reports whether a function may return an error under study.
func (w *wanting) gives(fn *ssa.Function) bool {
	for k := range fn.Signature.Results().Len() {
		if w.results[resultAt{fn, k}]&anywhere != 0 {
			return true
		}
		for n, p := range fn.Params {
			if w.params[p] && w.results[resultAt{fn, k}]>>(n+1)&1 != 0 {
				return true
			}
		}
	}
	return false
}

// mayGet reports whether code that is not followed is given something through which it
// may get errors under study: objects with methods, and functions, that return them.
func (w *wanting) mayGet(call ssa.CallInstruction) bool {
	methods := func(t types.Type) bool {
		set := w.c.l.prog.MethodSets.MethodSet(t)
		for k := range set.Len() {
			if fn := w.c.l.prog.MethodValue(set.At(k)); fn != nil && w.gives(fn) {
				return true
			}
		}
		return false
	}
	for _, x := range call.Common().Args {
		switch u := x.Type().Underlying().(type) {
		case *types.Interface:
			if m, ok := x.(*ssa.MakeInterface); ok {
				if methods(m.X.Type()) {
					return true
				}
				continue
			}
			if u.NumMethods() == 0 {
				continue // something of the client's
			}
			for _, b := range w.boxes {
				if types.Implements(b, u) && methods(b) {
					return true
				}
			}
		case *types.Pointer, *types.Struct:
			if w.mayBeOwn(x.Type(), 0) && methods(x.Type()) {
				return true
			}
		case *types.Signature:
			for _, fn := range w.reach.values {
				if types.Identical(noReceiver(fn.Signature), noReceiver(u)) && w.gives(fn) {
					return true
				}
			}
		case *types.Slice:
			for _, y := range variadic(x) {
				if m, ok := y.(*ssa.MakeInterface); ok && methods(m.X.Type()) {
					return true
				}
			}
		}
	}
	return false
}
