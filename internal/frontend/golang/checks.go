// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds the checks of the run time in the code that lowering may inline, and
// sorts out those that are known on SSA not to fail.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// checksRunTime reports whether an instruction may panic, or end the process, by a check of
// the run time or of package sync, or by code that is not followed; direct are the
// functions between which and the client nothing stands.
func (r *reach) checksRunTime(i ssa.Instruction, direct map[*ssa.Function]bool) bool {
	switch i := i.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Index, *ssa.Slice, *ssa.SliceToArrayPointer, *ssa.MakeSlice, *ssa.Store, *ssa.MapUpdate, *ssa.Send:
		return true
	case *ssa.UnOp:
		return i.Op == token.MUL
	case *ssa.Lookup:
		_, isMap := i.X.Type().Underlying().(*types.Map)
		return !isMap || r.hashesInterface(i.X)
	case *ssa.BinOp:
		return r.checksNumber(i) || r.comparesInterfaces(i)
	case *ssa.TypeAssert:
		return !i.CommaOk
	case *ssa.Select:
		for _, s := range i.States {
			if s.Dir == types.SendOnly {
				return true
			}
		}
	case *ssa.Go:
		return false
	case ssa.CallInstruction:
		return r.checksCall(i, direct)
	}
	return false
}

func (r *reach) checksNumber(i *ssa.BinOp) bool {
	b, ok := i.X.Type().Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return false
	}
	switch i.Op {
	case token.QUO, token.REM:
		return true
	case token.SHL, token.SHR:
		return !isUnsigned(i.Y.Type())
	}
	return false
}

func (r *reach) checksCall(i ssa.CallInstruction, direct map[*ssa.Function]bool) bool {
	call := i.Common()
	if b, ok := call.Value.(*ssa.Builtin); ok {
		return b.Name() == "close" || b.Name() == "ssa:wrapnilchk"
	}
	if call.IsInvoke() {
		return true
	}
	g := call.StaticCallee()
	switch {
	case g == nil:
		return true
	case r.c.isIntrinsic(g):
		switch nameOf(g) {
		case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock", "(*sync.RWMutex).RUnlock", "(*sync.WaitGroup).Add", "(*sync.WaitGroup).Done", "(*sync/atomic.Value).Store":
			return true
		}
		return false
	case len(r.targets[i]) == 0 && !r.c.replaced(g):
		// It is not followed, which is a matter of the run if it may panic for
		// something that the component is part of.
		if r.c.mayPanic(g, 4) && (r.mayBeGiven(i, g) || direct[i.Parent()]) {
			return true
		}
	}
	// A method that dereferences its receiver panics if that is nil.
	return inPlace(i) && r.testsReceiver(i, g)
}

// inPlace reports whether a call takes place where it stands.
func inPlace(i ssa.CallInstruction) bool {
	_, ok := i.(*ssa.Call)
	return ok
}

// unlocksOther reports whether a call of a method of an interface may unlock a mutex that the component's package has put into one, and
// its function has not locked it before.
func (p *prover) unlocksOther(i ssa.CallInstruction) bool {
	call := i.Common()
	lock, ok := map[string]string{"Unlock": "Lock", "RUnlock": "RLock"}[call.Method.Name()]
	iface, _ := call.Value.Type().Underlying().(*types.Interface)
	if !ok || !slices.ContainsFunc(p.boxes, func(t types.Type) bool {
		e := deref(t)
		return e != nil && houseOf(e) != nil && houseOf(e).Path() == "sync" && types.Implements(t, iface)
	}) {
		return false
	}
	users := call.Value.Referrers()
	if users == nil {
		return true // of a constant
	}
	for _, u := range *users {
		if c, ok := u.(*ssa.Call); ok && c.Call.IsInvoke() && c.Call.Value == call.Value && c.Call.Method.Name() == lock &&
			(c.Block() == i.Block() && slices.Index(c.Block().Instrs, ssa.Instruction(c)) < slices.Index(i.Block().Instrs, ssa.Instruction(i)) ||
				c.Block() != i.Block() && c.Block().Dominates(i.Block())) {
			return false
		}
	}
	return true
}

// obvious reports whether a check cannot fail, for a reason that can be seen in the
// code.
func (p *prover) obvious(i ssa.Instruction) bool {
	at := pointAt(i)
	notNil := func(v ssa.Value) bool { return p.prove(func() bool { return p.notNil(v, at) }) }
	pointer := func(v ssa.Value) bool { return deref(v.Type()) == nil || notNil(v) }
	switch i := i.(type) {
	case *ssa.FieldAddr:
		return notNil(i.X)
	case *ssa.UnOp:
		return notNil(i.X)
	case *ssa.Store:
		return notNil(i.Addr)
	case *ssa.IndexAddr:
		return pointer(i.X) && p.prove(func() bool { return p.inBounds(i.X, i.Index, at) })
	case *ssa.Index:
		return p.prove(func() bool { return p.inBounds(i.X, i.Index, at) })
	case *ssa.Lookup:
		if _, isMap := i.X.Type().Underlying().(*types.Map); isMap {
			return false
		}
		return p.prove(func() bool { return p.inBounds(i.X, i.Index, at) })
	case *ssa.Slice:
		return pointer(i.X) && p.prove(func() bool { return p.sliceable(i, at) })
	case *ssa.SliceToArrayPointer:
		n := deref(i.Type()).Underlying().(*types.Array).Len()
		l, k := p.length(i.X)
		return p.prove(func() bool { return p.le(bound{}, l, k-n, at) })
	case *ssa.MakeSlice:
		n, k := p.normal(i.Len)
		m, j := p.normal(i.Cap)
		return p.prove(func() bool {
			return p.le(bound{}, n, k, at) && (i.Len == i.Cap || p.le(n, m, j-k, at))
		})
	case *ssa.BinOp:
		if i.Op == token.EQL || i.Op == token.NEQ {
			return false
		}
		if i.Op == token.QUO || i.Op == token.REM {
			return p.prove(func() bool { return p.notZero(i.Y, at) })
		}
		n, k := p.normal(i.Y)
		return p.prove(func() bool { return p.le(bound{}, n, k, at) })
	case *ssa.MapUpdate:
		return notNil(i.Map) && !p.hashesInterface(i.Map)
	case *ssa.TypeAssert:
		return p.prove(func() bool { return p.asserted(i, at) })
	case ssa.CallInstruction:
		call := i.Common()
		if b, ok := call.Value.(*ssa.Builtin); ok {
			return b.Name() == "ssa:wrapnilchk" && notNil(call.Args[0])
		}
		if call.IsInvoke() && p.unlocksOther(i) {
			return false
		}
		if call.IsInvoke() || call.StaticCallee() == nil {
			return notNil(call.Value)
		}
		if c, ok := i.(*ssa.Call); ok {
			if v := p.notNilIn(c); v != nil {
				return notNil(v)
			}
		}
		if k, ok := lockCallOf(i); ok && k.unlocks() {
			return p.prove(func() bool { return p.lockHeld(k) })
		}
		if nameOf(call.StaticCallee()) == "(*sync/atomic.Value).Store" {
			// All values that are stored there are of one type.
			m, ok := call.Args[1].(*ssa.MakeInterface)
			in := p.lockOf(call.Args[0])
			return ok && in != nil && p.prove(func() bool { return p.onlyHolds(in, m.X.Type()) })
		}
	}
	return false
}

// asserted reports whether a type assertion holds: the value was made of the type, comes
// out of a container or of objects that hold such values, or the same assertion was tested.
func (p *prover) asserted(i *ssa.TypeAssert, at point) bool {
	if _, toInterface := i.AssertedType.Underlying().(*types.Interface); toInterface {
		if types.Implements(i.X.Type(), i.AssertedType.Underlying().(*types.Interface)) && p.notNil(i.X, at) {
			return true
		}
	}
	x := i.X
	for {
		c, ok := x.(*ssa.ChangeInterface)
		if !ok {
			break
		}
		x = c.X
	}
	if m, ok := x.(*ssa.MakeInterface); ok {
		if types.Identical(m.X.Type(), i.AssertedType) {
			return true
		}
		iface, ok := i.AssertedType.Underlying().(*types.Interface)
		return ok && types.Implements(m.X.Type(), iface)
	}
	if p.contained(x, i.AssertedType, at) || p.bornAs(x, i.AssertedType) || types.IsInterface(i.AssertedType) && p.claimed(x, "", i.AssertedType) {
		return true
	}
	for _, r := range *i.X.Referrers() {
		t, ok := r.(*ssa.TypeAssert)
		if !ok || t == i || !types.Identical(t.AssertedType, i.AssertedType) {
			continue
		}
		if !t.CommaOk {
			if precedes(t, at) {
				return true
			}
			continue
		}
		for _, u := range *t.Referrers() {
			if e, ok := u.(*ssa.Extract); ok && e.Index == 1 && p.decides(e, true, at) {
				return true
			}
		}
	}
	return false
}

// trivial reports whether there is nothing to check: an address of something that
// exists, a constant index.
func trivial(i ssa.Instruction) bool {
	exists := func(v ssa.Value) bool {
		switch v.(type) {
		case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global, *ssa.FreeVar:
			return true
		}
		return false
	}
	switch i := i.(type) {
	case *ssa.FieldAddr:
		return exists(i.X)
	case *ssa.UnOp:
		return exists(i.X)
	case *ssa.Store:
		return exists(i.Addr)
	case *ssa.IndexAddr:
		_, constant := i.Index.(*ssa.Const)
		return exists(i.X) && constant
	case *ssa.Slice:
		return exists(i.X) && i.Low == nil && i.High == nil && i.Max == nil
	case *ssa.BinOp:
		_, constant := i.Y.(*ssa.Const)
		return constant
	case *ssa.MakeSlice:
		_, constant := i.Len.(*ssa.Const)
		return constant && i.Len == i.Cap
	}
	return false
}

// describe says what a check is about, as lowering does.
func (r *reach) describe(i ssa.Instruction) (kind, message string) {
	const nilPointer = "invalid memory address or nil pointer dereference"
	kind, message = "runtime", nilPointer
	switch i := i.(type) {
	case *ssa.IndexAddr, *ssa.Index, *ssa.Lookup:
		message = "index out of range"
	case *ssa.Slice:
		message = "slice bounds out of range"
	case *ssa.SliceToArrayPointer:
		message = "slice to array: length too small"
	case *ssa.MakeSlice:
		message = "makeslice: len out of range"
	case *ssa.BinOp:
		message = "negative shift amount"
		switch i.Op {
		case token.QUO, token.REM:
			message = "integer divide by zero"
		case token.EQL, token.NEQ:
			message = incomparableText
		}
	case *ssa.TypeAssert:
		message = "interface conversion"
	case *ssa.MapUpdate:
		message = "assignment to entry in nil map"
	case *ssa.Send, *ssa.Select:
		message = "send on closed channel"
	case ssa.CallInstruction:
		call := i.Common()
		if b, ok := call.Value.(*ssa.Builtin); ok {
			if b.Name() == "close" {
				message = "close of closed channel"
			}
			break
		}
		g := call.StaticCallee()
		if c, ok := i.(*ssa.Call); call.IsInvoke() || g == nil || ok && r.notNilIn(c) != nil {
			break
		}
		switch nameOf(g) {
		case "(*sync.Mutex).Unlock":
			return "fatal", "sync: unlock of unlocked mutex"
		case "(*sync.RWMutex).Unlock":
			return "fatal", "sync: Unlock of unlocked RWMutex"
		case "(*sync.RWMutex).RUnlock":
			return "fatal", "sync: RUnlock of unlocked RWMutex"
		case "(*sync.WaitGroup).Add", "(*sync.WaitGroup).Done":
			return "panic", "sync: negative WaitGroup counter"
		case "(*sync/atomic.Value).Store":
			return "panic", storesOther
		}
		return "panic", "call of " + g.RelString(r.c.l.pkg.Pkg) + " is not followed and may panic"
	}
	return kind, "runtime error: " + message
}
