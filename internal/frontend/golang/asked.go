// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which calls of other code may return one of the component's own errors that are under study. Others can
// name an exported package variable, and a writer below may be of the same package and closed. By convention
// they return such an error only where the component asks for it: where what the call returns is compared
// with something, in registers and local variables, by the function itself, by one that it is given to, or by one that
// it is returned to. What is put into an object first, and compared later, is not asked for: there it is
// the component's own error that the code looks for.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// maxAsked bounds the values that are looked at for one call.
const maxAsked = 200

// asks reports whether code compares what a call returns with errors.
func (r *reach) asks(call ssa.Value) bool {
	if r.asked == nil {
		r.asked = map[ssa.Value]bool{}
	}
	yes, ok := r.asked[call]
	if !ok {
		yes = (&asking{r, map[ssa.Value]bool{}}).of(call)
		r.asked[call] = yes
	}
	return yes
}

type asking struct {
	*reach
	seen map[ssa.Value]bool
}

func (a *asking) of(v ssa.Value) bool {
	_, tuple := v.Type().(*types.Tuple)
	if a.seen[v] || v.Referrers() == nil || !tuple && !types.IsInterface(v.Type()) {
		return false
	}
	a.seen[v] = true
	if len(a.seen) > maxAsked {
		return true // nobody knows
	}
	for _, u := range *v.Referrers() {
		if a.by(u, v) {
			return true
		}
	}
	return false
}

// by reports whether an instruction compares a value, or hands it to one that does.
func (a *asking) by(u ssa.Instruction, v ssa.Value) bool {
	switch u := u.(type) {
	case *ssa.Extract:
		return a.of(u)
	case *ssa.Phi, *ssa.ChangeInterface, *ssa.TypeAssert:
		return a.of(u.(ssa.Value))
	case *ssa.BinOp:
		other := u.Y
		if other == v {
			other = u.X
		}
		return (u.Op == token.EQL || u.Op == token.NEQ) && a.mayBeOwn(other)
	case *ssa.Store:
		if u.Val != v {
			return false
		}
		switch u.Addr.(type) {
		case *ssa.Alloc, *ssa.FreeVar:
			return a.cell(u.Addr)
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global: // an object
		default:
			return true // it may be a local variable of a caller
		}
	case *ssa.Return:
		for k, x := range u.Results {
			if x == v && a.returned(u.Parent(), k) {
				return true
			}
		}
	case ssa.CallInstruction:
		return a.given(u, v)
	}
	return false
}

// mayBeOwn reports whether what is compared with may be an error under study of the component's package.
func (a *asking) mayBeOwn(x ssa.Value) bool {
	if load, ok := x.(*ssa.UnOp); ok && load.Op == token.MUL {
		if g, ok := load.X.(*ssa.Global); ok {
			e := a.c.sentinel(g)
			return e == nil && a.c.l.owns(g.Pkg.Pkg) || e != nil && a.c.l.owns(e.pkg) && a.c.wantsReturn(e)
		}
	}
	if m, ok := x.(*ssa.MakeInterface); ok {
		return a.c.l.owns(houseOf(m.X.Type()))
	}
	return !isNilConst(x)
}

// cell reports whether code compares what is in a local variable, also if function literals see it.
func (a *asking) cell(x ssa.Value) bool {
	if a.seen[x] || x.Referrers() == nil {
		return false
	}
	a.seen[x] = true
	for _, u := range *x.Referrers() {
		switch u := u.(type) {
		case *ssa.UnOp:
			if u.Op == token.MUL && a.of(u) {
				return true
			}
		case *ssa.MakeClosure:
			for k, b := range u.Bindings {
				if fn := u.Fn.(*ssa.Function); b == x && k < len(fn.FreeVars) && a.cell(fn.FreeVars[k]) {
					return true
				}
			}
		}
	}
	if v, ok := x.(*ssa.FreeVar); ok {
		for k, w := range v.Parent().FreeVars {
			for _, m := range a.closures[v.Parent()] {
				if w == v && a.cell(m.Bindings[k]) {
					return true
				}
			}
		}
	}
	return false
}

// returned reports whether callers of a function compare a result.
func (a *asking) returned(fn *ssa.Function, k int) bool {
	for _, call := range a.callers[fn] {
		v := call.Value()
		if v == nil {
			continue
		}
		if _, tuple := v.Type().(*types.Tuple); !tuple {
			if a.of(v) {
				return true
			}
			continue
		}
		for _, u := range *v.Referrers() {
			if e, ok := u.(*ssa.Extract); ok && e.Index == k && a.of(e) {
				return true
			}
		}
	}
	return false
}

// given reports whether a function that is given a value compares it.
func (a *asking) given(call ssa.CallInstruction, v ssa.Value) bool {
	if g := call.Common().StaticCallee(); g != nil {
		switch nameOf(g) {
		case "errors.Is":
			return call.Common().Args[0] == v && a.mayBeOwn(call.Common().Args[1])
		case "fmt.Errorf":
			return call.Value() != nil && a.of(call.Value())
		}
	}
	for _, fn := range a.targets[call] {
		for k, p := range fn.Params {
			if argumentOf(call.Common(), fn, k) == v && a.of(p) {
				return true
			}
		}
	}
	return false
}

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
	open := map[ssa.CallInstruction]bool{}
	for _, call := range r.open {
		open[call] = true
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
					if g := i.Common().StaticCallee(); !isAnyBuiltin(i) && (len(r.targets[i]) == 0 || open[i]) && (g == nil || !quiet[nameOf(g)]) && w.mayReturn(i) {
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
					// What objects of others have in them, the calls that made them did not return.
					if f := fieldVar(i); (f.Pkg() == nil || !r.c.l.owns(f.Pkg())) && r.c.l.owns(packageOf(fn)) && w.carries(f.Type()) {
						return true
					}
				}
			}
		}
	}
	return false
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
	return len(w.targets[call]) == 0 && w.carries(v.Type()) && (w.asks(v) || isContained(v))
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
func (w *wanting) mayPutOne(t types.Type) bool {
	return meets(t, func(t types.Type) bool {
		switch t.Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map, *types.Chan:
			return w.mayHaveOne(t)
		}
		return false
	}, w.isNamed)
}

// isNamed reports whether the package can name a field.
func (w *wanting) isNamed(f *types.Var) bool {
	return f.Exported() || f.Embedded() || w.c.l.owns(f.Pkg())
}

// mayHaveOne reports whether the component's code may find an error in a value of a type, where others have put it: in fields that the package can
// name. (What functions in it return, calls of these do.)
func (w *wanting) mayHaveOne(t types.Type) bool {
	return meets(t, func(t types.Type) bool {
		return types.IsInterface(t) && w.carries(t) || types.Implements(t, errorInterface)
	}, w.isNamed)
}

// isContained reports whether what a call returns is put into a container, as variadic arguments are.
func isContained(v ssa.Value) bool {
	seen := map[ssa.Value]bool{}
	var listed func(v ssa.Value) bool
	listed = func(v ssa.Value) bool {
		if seen[v] || v.Referrers() == nil {
			return false
		}
		seen[v] = true
		return slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
			switch use := use.(type) {
			case *ssa.Extract, *ssa.ChangeInterface, *ssa.Phi:
				return listed(use.(ssa.Value))
			case *ssa.Store:
				_, yes := use.Addr.(*ssa.IndexAddr)
				return yes && use.Val == v
			case *ssa.MapUpdate, *ssa.Send:
				return true
			}
			return false
		})
	}
	return listed(v)
}

// isOwnWanted reports whether a reference can only be to an error under study of the component's package.
func (c *compiler) isOwnWanted(h lower.Holds) bool {
	return !h.Outside && len(h.Places) > 0 && !slices.ContainsFunc(h.Places, func(q *lower.Place) bool {
		e, ok := q.Data.(*errorValue)
		return !ok || !c.l.owns(e.pkg) || !c.wantsReturn(e)
	})
}

// notOwnErrors leaves the errors under study out that the call at hand does not return by convention.
func (f *frame) notOwnErrors(places []*lower.Place) []*lower.Place {
	c := f.c
	call, ok := f.instr.(*ssa.Call)
	if c.isCoarse() || !ok || c.reach == nil {
		return places // of coarse programs wanted_flow.go says it
	}
	var all []*lower.Place
	for _, p := range places {
		if e, ok := p.Data.(*errorValue); ok && c.l.owns(e.pkg) && c.wantsReturn(e) && c.compared[p.Key] && !c.escaped[p.Key] && !c.reach.asks(call) {
			c.convention(conventionErrors)
			continue
		}
		all = append(all, p)
	}
	return all
}

// mayName reports whether a call of code that is not followed may return an error under study that
// others can name.
func (w *wanting) mayName(i *ssa.Call) bool {
	if _, builtin := i.Call.Value.(*ssa.Builtin); builtin {
		return false
	}
	if g := i.Call.StaticCallee(); g != nil && w.c.l.owns(packageOf(g)) {
		return true
	}
	if w.asks(i) {
		return true
	}
	w.c.convention(conventionErrors)
	return false
}
