// SPDX-License-Identifier: Apache-2.0

package golang

// This file says whether errors from elsewhere may be errors under study of the component's package where no call is
// asked for one (asked.go): somebody may put them where the component finds them.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// isNeverTheirs reports whether an error from elsewhere is none of the component's own that are under study, nor has one
// within: no call of code that is not followed is asked for one, was given one or memory to put one into, or returns something else than an error that
// has one in it; clients hand over nothing that may be an error, nor choose one for a field, functions that others may call take and return none, and no error of the component says itself
// what it is.
func (r *reach) isNeverTheirs() bool {
	if r.theirErrors == 0 {
		r.theirErrors = 2
		if r.c.unwraps() || r.mayGetErrors() {
			r.theirErrors = 1
		}
	}
	return r.theirErrors == 2
}

func (r *reach) mayGetErrors() bool {
	of := emptyRelevance(r, r.c.from)
	of.coarse = newCoarseState(0)
	w := of.wanting(false)
	if len(w.keepers) > 0 {
		return true
	}
	handed := func(fn *ssa.Function) bool {
		for k, p := range fn.Params {
			if !(k == 0 && fn.Signature.Recv() != nil) && !r.c.empty[p] && w.mayHaveOne(p.Type()) {
				return true
			}
		}
		return false
	}
	if slices.ContainsFunc(r.c.from.chosen, w.mayHaveOne) || slices.ContainsFunc(slices.Concat(r.c.from.methods, r.c.from.makers, r.c.from.chains), handed) {
		return true
	}
	u := newOthers(r)
	runByOthers := func(fn *ssa.Function) bool {
		return u.isOwn(fn) && (handed(fn) || w.mayHaveOne(fn.Signature.Results()))
	}
	for _, fn := range r.fns {
		if slices.ContainsFunc(slices.Concat(r.handed(fn), r.handedTo(fn)), runByOthers) {
			return true
		}
	}
	if slices.ContainsFunc(r.callbacks, runByOthers) {
		return true
	}
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if u.isDead(i) {
					break
				}
				switch i := i.(type) {
				case ssa.CallInstruction:
					if isBuiltin(i, "recover") {
						return true // what was recovered may be any value of a panic
					}
					if g := i.Common().StaticCallee(); !isAnyBuiltin(i) && (len(r.targets[i]) == 0 || u.open[i]) && (g == nil || !quiet[nameOf(g)]) && w.mayReturn(i) {
						return true
					}
				case *ssa.UnOp:
					if i.Op == token.ARROW && w.mayHaveOne(i.Type()) {
						return true // a goroutine may have sent what a call returned
					}
				case *ssa.Select:
					if w.mayHaveOne(i.Type()) {
						return true
					}
				case *ssa.FieldAddr:
					if r.c.l.owns(packageOf(fn)) && w.isTheirs(fieldVar(i)) {
						return true
					}
				case *ssa.Field:
					if r.c.l.owns(packageOf(fn)) && w.isTheirs(i.X.Type().Underlying().(*types.Struct).Field(i.Field)) {
						return true
					}
				}
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Global); ok && fn.Synthetic != "package initializer" && r.c.l.owns(g.Pkg.Pkg) && r.c.sentinel(g) == nil && w.mayHaveOne(g.Type()) {
						return true // clients, or functions that are no calls, may have put one there
					}
				}
			}
		}
	}
	return false
}

// isTheirs reports whether an error may be in a field of objects of others: calls that made these did not return it.
func (w *wanting) isTheirs(f *types.Var) bool {
	return (f.Pkg() == nil || !w.c.l.owns(f.Pkg())) && w.carries(f.Type())
}

// mayReturn reports whether a call of code that is not followed may hand an error under study back.
func (w *wanting) mayReturn(call ssa.CallInstruction) bool {
	if w.any(call.Common().Args) {
		return true // it was given one
	}
	args := call.Common().Args
	if n := len(args); n > 0 && isListed(args[n-1]) {
		args = slices.Concat(args[:n-1], variadic(args[n-1]))
	}
	for _, x := range args {
		if slices.ContainsFunc(w.boxedIn(x), w.mayPutOne) {
			return true
		}
	}
	v := call.Value()
	if v == nil {
		return false
	}
	for r := range call.Common().Signature().Results().Variables() {
		if !types.IsInterface(r.Type()) && w.mayHaveOne(r.Type()) {
			return true // one may be in it
		}
	}
	return len(w.targets[call]) == 0 && w.carries(v.Type()) && w.asks(call)
}

// boxedIn are the types that a value may have, within an interface if it is one.
func (w *wanting) boxedIn(x ssa.Value) []types.Type {
	if m, ok := x.(*ssa.MakeInterface); ok {
		return []types.Type{m.X.Type()}
	}
	i, ok := x.Type().Underlying().(*types.Interface)
	if !ok || isNilConst(x) {
		return []types.Type{x.Type()}
	}
	var list []types.Type
	for _, t := range w.boxes {
		if types.Implements(t, i) {
			list = append(list, t)
		}
	}
	return list
}

// mayPutOne reports whether code that is not followed may put an error under study where a value of a type leads to.
func (w *wanting) mayPutOne(t types.Type) bool { return w.pointsTo(t, w.mayHaveOne) }

// mayHaveOne reports whether the component's code may find an error in a value of a type, where others have put it: in fields that the package can
// name. (What functions in it return, calls of these do.)
func (w *wanting) mayHaveOne(t types.Type) bool {
	return meets(t, func(t types.Type) bool {
		return types.IsInterface(t) && w.carries(t) || types.Implements(t, errorInterface)
	}, w.isNamed)
}
