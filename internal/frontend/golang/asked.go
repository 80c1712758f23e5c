// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which calls of other code may return one of the component's own errors that are under study. Others can
// name an exported package variable, and a writer below may be of the same package and closed. By convention
// they return such an error only where the component ASKS for it: where what the call returns, or what has that in it, is
// compared with something, by the function itself, by one that it is given to, or by one that it is returned to, as far as it is
// in registers, local variables, and objects that these functions make. What is put into an object that was there before, and
// compared later, is not asked for: there it is the component's own error that the code looks for.
//
// What code does with a value that is not known here counts as asking.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// maxAsked bounds the values that are looked at for one call.
const maxAsked = 2000

// An askedFor is what code compares of what comes from a call.
type askedFor struct {
	yes      bool
	asserted []types.Type // that what was returned was asserted to have on the way
	memory   []ssa.Value  // arguments: what may have been put there is compared
}

// asks reports whether code compares what comes from a call with errors.
func (r *reach) asks(call ssa.CallInstruction) bool { return r.askedOf(call).yes }

func (r *reach) askedOf(call ssa.CallInstruction) *askedFor {
	if r.asked == nil {
		r.asked = map[ssa.CallInstruction]*askedFor{}
	}
	found := r.asked[call]
	if found != nil {
		return found
	}
	found = &askedFor{}
	r.asked[call] = found
	follow := func(do func(a *asking)) bool {
		a := &asking{reach: r, found: found, seen: map[askedValue]bool{}, objects: map[askedValue]bool{}}
		do(a)
		found.yes = found.yes || a.yes
		return a.yes
	}
	if v := call.Value(); v != nil {
		follow(func(a *asking) { a.of(v, false) })
	}
	args := call.Common().Args
	for _, x := range slices.Concat(args, variadic(lastOf(args))) {
		if x == nil || isAnyBuiltin(call) {
			continue
		}
		x = unboxed(x)
		switch x.Type().Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map, *types.Chan:
			if r.mayLead(x.Type()) && follow(func(a *asking) { a.put(x, false) }) {
				found.memory = append(found.memory, x)
			}
		case *types.Struct, *types.Array:
			if r.mayPut(x.Type()) {
				found.yes, found.memory = true, append(found.memory, x)
			}
		}
	}
	return found
}

// An asking follows a value forward, and what has it in it.
type asking struct {
	*reach
	found   *askedFor
	yes     bool
	seen    map[askedValue]bool
	objects map[askedValue]bool // into which it was put
}

type askedValue struct {
	ssa.Value
	wrapped bool // another error is compared instead, but for errors.Is
}

func (a *asking) of(v ssa.Value, wrapped bool) {
	x := askedValue{v, wrapped}
	if _, ok := v.(*ssa.Range); a.seen[x] || v.Referrers() == nil || !ok && !a.mayLead(v.Type()) {
		return
	}
	a.seen[x] = true
	if len(a.seen) > maxAsked {
		a.yes = true // nobody knows
		return
	}
	for _, u := range *v.Referrers() {
		a.by(u, v, wrapped)
	}
}

// mayLead reports whether a value of a type may be an error, or lead to one.
func (r *reach) mayLead(t types.Type) bool {
	if r.leads == nil {
		r.leads = map[types.Type]bool{}
	}
	yes, ok := r.leads[t]
	if !ok {
		yes = meets(t, func(t types.Type) bool { return types.IsInterface(t) || types.Implements(t, errorInterface) }, nil)
		r.leads[t] = yes
	}
	return yes
}

// mayPut reports whether a value of a type has pointers in it to where an error may be put.
func (r *reach) mayPut(t types.Type) bool { return r.pointsTo(t, r.mayLead) }

// pointsTo reports whether something holds of a pointer, or the like, that code which is not followed finds in a value of a type.
func (r *reach) pointsTo(t types.Type, holds func(t types.Type) bool) bool {
	return meets(t, func(t types.Type) bool {
		switch t.Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map, *types.Chan:
			return holds(t)
		}
		return false
	}, r.isNamed)
}

// isNamed reports whether other code or the package can name a field.
func (r *reach) isNamed(f *types.Var) bool {
	return f.Exported() || f.Embedded() || r.c.l.owns(f.Pkg())
}

// by follows a value through an instruction.
func (a *asking) by(u ssa.Instruction, v ssa.Value, wrapped bool) {
	switch u := u.(type) {
	case *ssa.DebugRef, *ssa.Panic:
	case *ssa.MakeInterface:
		a.of(u, true)
	case *ssa.TypeAssert:
		if !types.IsInterface(u.AssertedType) {
			a.found.asserted = append(a.found.asserted, u.AssertedType)
			wrapped = false
		}
		a.of(u, wrapped)
	case *ssa.BinOp:
		other := u.Y
		if other == v {
			other = u.X
		}
		a.yes = a.yes || (u.Op == token.EQL || u.Op == token.NEQ) && !wrapped && !isPointer(v.Type()) && a.mayBeOwn(other)
	case *ssa.Store:
		if u.Val == v {
			a.put(u.Addr, wrapped)
		}
	case *ssa.MapUpdate:
		if u.Key == v {
			a.yes = true // keys are compared
		}
		if u.Value == v {
			a.put(u.Map, wrapped)
		}
	case *ssa.Send:
		if u.X == v {
			a.put(u.Chan, wrapped)
		}
	case *ssa.Select:
		for _, s := range u.States {
			if s.Send == v {
				a.put(s.Chan, wrapped)
			}
		}
		a.of(u, wrapped)
	case *ssa.Lookup:
		a.yes = a.yes || u.Index == v
		a.of(u, false)
	case *ssa.Return:
		for k, x := range u.Results {
			if x == v {
				a.returned(u.Parent(), k, wrapped)
			}
		}
	case *ssa.MakeClosure:
		for k, b := range u.Bindings {
			if b == v {
				a.of(u.Fn.(*ssa.Function).FreeVars[k], wrapped)
			}
		}
	case ssa.CallInstruction:
		a.given(u, v, wrapped)
	case *ssa.Extract, *ssa.Phi, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.UnOp, *ssa.Slice, *ssa.Range, *ssa.Next:
		a.of(u.(ssa.Value), wrapped)
	case *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index:
		a.of(u.(ssa.Value), false) // a part
	default:
		x, ok := u.(ssa.Value)
		a.yes = a.yes || !ok || a.mayLead(x.Type())
	}
}

// put is that a value is put into an object, or where a pointer leads to. One that was there before is not followed.
func (a *asking) put(x ssa.Value, wrapped bool) {
	at := askedValue{x, wrapped}
	if e := deref(x.Type()); a.objects[at] || e != nil && a.c.named != nil && types.Identical(e, a.c.named) {
		return // it is the component
	}
	a.objects[at] = true
	switch x := x.(type) {
	case *ssa.Const, *ssa.Global:
	case *ssa.FieldAddr:
		a.put(x.X, wrapped)
	case *ssa.IndexAddr:
		a.put(x.X, wrapped)
	case *ssa.Slice:
		a.put(x.X, wrapped)
	case *ssa.UnOp:
		switch x.X.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global:
			a.put(x.X, wrapped)
		default:
			a.yes = true
		}
	case *ssa.Phi:
		for _, e := range x.Edges {
			a.put(e, wrapped)
		}
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.Extract, *ssa.TypeAssert:
		a.of(x, wrapped)
	case *ssa.Call:
		for _, y := range x.Call.Args {
			if types.Identical(y.Type(), x.Type()) {
				a.put(y, wrapped) // it may be the same
			}
		}
		a.of(x, wrapped)
	case *ssa.FreeVar:
		for k, w := range x.Parent().FreeVars {
			for _, m := range a.closures[x.Parent()] {
				if w == x {
					a.put(m.Bindings[k], wrapped)
				}
			}
		}
		a.of(x, wrapped)
	case *ssa.Parameter: // or it is the client's
		for k, p := range x.Parent().Params {
			for _, call := range a.callers[x.Parent()] {
				if arg := argumentOf(call.Common(), x.Parent(), k); p == x && arg != nil {
					a.put(arg, wrapped)
				}
			}
		}
		a.of(x, wrapped)
	default:
		a.yes = true
	}
}

// returned follows a result of a function to its callers.
func (a *asking) returned(fn *ssa.Function, k int, wrapped bool) {
	for _, call := range a.callers[fn] {
		v := call.Value()
		if v == nil {
			continue
		}
		if _, tuple := v.Type().(*types.Tuple); !tuple {
			a.of(v, wrapped)
			continue
		}
		for _, u := range *v.Referrers() {
			if e, ok := u.(*ssa.Extract); !ok {
				a.by(u, v, wrapped)
			} else if e.Index == k {
				a.of(e, wrapped)
			}
		}
	}
}

// given follows a value into a call. (Calls of code that is not followed are looked at by themselves.)
func (a *asking) given(call ssa.CallInstruction, v ssa.Value, wrapped bool) {
	common := call.Common()
	result := call.Value()
	back := func(wrapped bool) {
		if result != nil {
			a.of(result, wrapped)
		}
	}
	if b, ok := common.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "copy":
			if common.Args[1] == v {
				a.put(common.Args[0], wrapped)
			}
		case "append", "ssa:wrapnilchk":
			back(wrapped)
		}
		return
	}
	if common.IsInvoke() && common.Value == v && common.Method.Name() == "Is" {
		a.yes = true
	}
	g := common.StaticCallee()
	if g != nil {
		switch nameOf(g) {
		case "errors.Is":
			other := common.Args[0]
			if other == v {
				other = common.Args[1]
			}
			a.yes = a.yes || a.mayBeOwn(other)
			return
		case "errors.As":
			if target, ok := common.Args[1].(*ssa.MakeInterface); ok {
				if e := deref(target.X.Type()); e != nil && !types.IsInterface(e) {
					a.found.asserted = append(a.found.asserted, e)
				}
				a.put(target.X, false)
			} else {
				a.yes = true
			}
			return
		case "fmt.Errorf", "errors.Join":
			back(true)
			return
		}
	}
	if g != nil && isAtomic(g) && common.Args[0] != v {
		a.put(common.Args[0], wrapped)
	}
	if g != nil && len(a.targets[call]) == 0 {
		for _, t := range resultTypes(common.Signature().Results()) {
			if !types.IsInterface(t) {
				a.found.asserted = append(a.found.asserted, t)
			}
		}
		back(false)
	}
	for _, fn := range a.targets[call] {
		for k, p := range fn.Params {
			if argumentOf(common, fn, k) == v {
				a.of(p, wrapped)
			}
		}
	}
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

// soil notes that what a value of a type leads to may be errors under study that others have put there.
func (w *wanting) soil(t types.Type) {
	m := meeting{seen: map[types.Type]bool{}, most: maxTypes, through: w.isNamed}
	m.do = func(t types.Type) {
		element := func(kind rune, t types.Type) {
			if w.carries(t) {
				mark(w, w.elements, w.element(kind, t))
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			if element('s', u.Elem()); w.carries(u.Elem()) {
				mark(w, w.locs, w.find(w.pointed(u.Elem())))
			}
		case *types.Slice:
			element('s', u.Elem())
		case *types.Array:
			element('s', u.Elem())
		case *types.Map:
			element('k', u.Key())
			element('v', u.Elem())
		case *types.Chan:
			element('c', u.Elem())
		case *types.Struct:
			for k := range u.NumFields() {
				if f := u.Field(k); w.isNamed(f) && w.carries(f.Type()) {
					mark(w, w.locs, w.find(fieldAt(u, k)))
				}
			}
		}
	}
	m.visit(t)
}

// soilBy notes what a call of code that is not followed may return, or put where it was told to, if it hands out an error under study that
// others can name.
func (w *wanting) soilBy(i *ssa.Call) {
	found := w.askedOf(i)
	if !found.yes {
		return
	}
	for _, t := range slices.Concat(found.asserted, resultTypes(i.Type())) {
		if !types.IsInterface(t) {
			w.soil(t)
		}
	}
	for _, x := range found.memory {
		w.soil(x.Type())
		for _, l := range w.parts(x) {
			if v, ok := l.(*types.Var); !ok || w.carries(v.Type()) {
				mark(w, w.locs, w.find(l))
			}
		}
	}
}
