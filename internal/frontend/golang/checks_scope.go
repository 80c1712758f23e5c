// SPDX-License-Identifier: Apache-2.0

package golang

// This file says whose checks count. Code of other packages that is given nothing of the
// component does not panic by convention (environment). Short functions are followed all
// the same, and so are their own checks: a slice that the component makes too short
// for encoding/binary is its error. What such functions call in turn is the environment's.

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// counted returns the functions that calls of some functions may run and whose checks
// count, in order.
func (r *reach) counted(entries []*ssa.Function) []*ssa.Function {
	const (
		alien = iota + 1 // code of another package that is given nothing
		part             // of the component
	)
	rank := map[running]int{}
	found := map[*ssa.Function]bool{}
	var order []*ssa.Function
	var work []running
	enter := func(in running, n int) {
		if len(rank) > maxRunning {
			in = running{fn: in.fn}
		}
		if _, reached := r.abroad[in.fn]; !reached || rank[in] >= n {
			return
		}
		if !found[in.fn] {
			found[in.fn] = true
			order = append(order, in.fn)
		}
		rank[in] = n
		work = append(work, in)
	}
	for _, fn := range entries {
		enter(running{fn: fn}, part)
	}
	for len(work) > 0 {
		in := work[0]
		fn := in.fn
		work = work[1:]
		if rank[in] == alien {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				for _, to := range r.callees(in, call) {
					if pkg := packageOf(to.fn); r.c.l.owns(pkg) || pkg == nil || !r.c.l.owns(packageOf(fn)) || r.mayBeGiven(call, to.fn) {
						enter(to, part)
					} else {
						enter(to, alien)
					}
				}
			}
		}
	}
	return order
}

// directly returns the functions that run without code of the component's package
// between them and the client: promoted methods, methods of objects of other packages.
func (r *reach) directly(entries []*ssa.Function) map[*ssa.Function]bool {
	seen := map[*ssa.Function]bool{}
	for work := append([]*ssa.Function{}, entries...); len(work) > 0; {
		fn := work[0]
		work = work[1:]
		if seen[fn] || r.c.l.owns(packageOf(fn)) && fn.Synthetic == "" {
			continue
		}
		seen[fn] = true
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok {
					work = append(work, r.targets[call]...)
				}
			}
		}
	}
	return seen
}

// blamed reports whether what a check tests depends on an answer that the environment
// gives during the same call, on every way: then a run in which it fails is the
// environment's fault.
func (p *prover) blamed(i ssa.Instruction) bool {
	if p.c.o.BlameAny {
		return false
	}
	answer := func(list ...ssa.Value) bool {
		for _, v := range list {
			if v != nil && p.prove(func() bool { return p.answered(v) || p.fromPool(v) }) {
				return true
			}
		}
		return false
	}
	switch i := i.(type) {
	case *ssa.FieldAddr:
		return answer(i.X)
	case *ssa.UnOp:
		return answer(i.X)
	case *ssa.Store:
		return answer(i.Addr)
	case *ssa.IndexAddr:
		return answer(i.X, i.Index)
	case *ssa.Index:
		return answer(i.X, i.Index)
	case *ssa.Lookup:
		return answer(i.X, i.Index)
	case *ssa.Slice:
		return answer(i.X, i.Low, i.High, i.Max)
	case *ssa.MakeSlice:
		return answer(i.Len, i.Cap)
	case *ssa.BinOp:
		return answer(i.Y)
	case *ssa.TypeAssert:
		return answer(i.X)
	case *ssa.Call:
		if v := p.notNilIn(i); v != nil {
			return answer(v)
		}
	}
	return false
}

// answered reports whether a value is computed from an answer of the environment that
// was given during the same call, whatever way control took. Values in memory are not
// followed, except for what an answer itself leads to.
func (p *prover) answered(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Const, *ssa.Global, *ssa.Function, *ssa.Alloc, *ssa.Builtin, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeClosure:
		return false
	}
	return p.once(fact{kind: answerFact, v: v}, func() bool {
		any := func(list ...ssa.Value) bool {
			for _, x := range list {
				if x != nil && p.answered(x) {
					return true
				}
			}
			return false
		}
		switch v := v.(type) {
		case *ssa.Phi:
			for _, e := range v.Edges {
				if e != ssa.Value(v) && !p.answered(e) {
					return false
				}
			}
			return true
		case *ssa.Parameter:
			fn := v.Parent()
			if !p.entries[fn] && len(p.callers[fn]) == 0 && p.isCallback(fn) {
				return fn.Signature.Recv() == nil || v != fn.Params[0] // whoever calls it answers for that
			}
			return p.everyArgument(v, p.answered)
		case *ssa.Call:
			if b, ok := v.Call.Value.(*ssa.Builtin); ok {
				switch b.Name() {
				case "len", "cap", "min", "max", "append":
					return any(v.Call.Args...)
				}
				return false
			}
			return p.isAnswer(v)
		case *ssa.Extract:
			switch t := v.Tuple.(type) {
			case *ssa.Call:
				return p.isAnswer(t)
			case *ssa.TypeAssert:
				return p.answered(t.X)
			case *ssa.Lookup:
				return p.answered(t.X)
			case *ssa.UnOp:
				return t.Op == token.ARROW
			case *ssa.Next:
				if r, ok := t.Iter.(*ssa.Range); ok {
					return p.answered(r.X)
				}
			}
			return false
		case *ssa.UnOp:
			return v.Op == token.ARROW || p.answered(v.X)
		case *ssa.BinOp:
			return any(v.X, v.Y)
		case *ssa.Convert:
			return p.answered(v.X)
		case *ssa.ChangeType:
			return p.answered(v.X)
		case *ssa.ChangeInterface:
			return p.answered(v.X)
		case *ssa.TypeAssert:
			return p.answered(v.X)
		case *ssa.Slice:
			return any(v.X, v.Low, v.High)
		case *ssa.FieldAddr:
			// The environment may hand back an object of the component.
			return !p.c.ownType(v.X.Type()) && p.answered(v.X)
		case *ssa.Field:
			return !p.c.ownType(v.X.Type()) && p.answered(v.X)
		case *ssa.IndexAddr:
			return !p.c.ownType(v.X.Type()) && any(v.X, v.Index)
		case *ssa.Index:
			return !p.c.ownType(v.X.Type()) && any(v.X, v.Index)
		case *ssa.Lookup:
			return !p.c.ownType(v.X.Type()) && any(v.X, v.Index)
		}
		return false
	})
}

// everyArgument reports whether something holds of what a parameter is in all calls; clients make none.
func (p *prover) everyArgument(v *ssa.Parameter, holds func(x ssa.Value) bool) bool {
	fn := v.Parent()
	if p.entries[fn] || len(p.callers[fn]) == 0 {
		return false
	}
	for _, call := range p.callers[fn] {
		if x := argumentFor(call, fn, v); x == nil || !holds(x) {
			return false
		}
	}
	return true
}

// fromPool reports whether a value is an object of another package that comes out of a pool during the same call, or something that only such an object
// leads to, by fields that its package sets.
func (p *prover) fromPool(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Phi, *ssa.Parameter, *ssa.Extract, *ssa.UnOp, *ssa.FieldAddr, *ssa.TypeAssert:
	default:
		return false
	}
	return p.once(fact{kind: poolFact, v: v}, func() bool {
		switch v := v.(type) {
		case *ssa.Phi:
			for _, e := range v.Edges {
				if e != ssa.Value(v) && !p.fromPool(e) {
					return false
				}
			}
			return true
		case *ssa.Parameter:
			return p.everyArgument(v, p.fromPool)
		case *ssa.Extract:
			t, ok := v.Tuple.(*ssa.TypeAssert)
			return ok && v.Index == 0 && p.pooled(t)
		case *ssa.TypeAssert:
			return p.pooled(v)
		case *ssa.UnOp:
			_, ok := v.X.(*ssa.FieldAddr)
			return ok && v.Op == token.MUL && !p.mayBeOwn(v.Type(), 0) && p.fromPool(v.X)
		case *ssa.FieldAddr:
			return p.theirField(v) && p.fromPool(v.X)
		}
		return false
	})
}

// pooled reports whether an object comes out of a pool and is not the component's: which one that is, and what others did to
// it, is the environment's choice.
func (p *prover) pooled(t *ssa.TypeAssert) bool {
	call, ok := t.X.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil || nameOf(call.Call.StaticCallee()) != "(*sync.Pool).Get" {
		return false
	}
	n, ok := namedPointer(t.AssertedType)
	return ok && !p.c.l.owns(n.Obj().Pkg())
}

// theirField reports whether a field is one of an object of another package which only that sets.
func (p *prover) theirField(a *ssa.FieldAddr) bool {
	n, ok := namedPointer(a.X.Type())
	f := fieldVar(a)
	return ok && !f.Exported() && f.Pkg() != nil && !p.c.l.owns(n.Obj().Pkg()) && !p.c.l.owns(f.Pkg())
}

// isAnswer reports whether the results of a call are the environment's: code that is not
// followed and not of the component's package, and that does not compute them from
// what it is given alone.
func (p *prover) isAnswer(call *ssa.Call) bool {
	if len(p.targets[call]) > 0 || p.reach.known[call] != nil {
		return false
	}
	g := call.Call.StaticCallee()
	if g != nil && (p.c.l.owns(packageOf(g)) || packageOf(g) == nil) {
		return false
	}
	if e := p.effects[call]; e != nil && (e.pure || e.stored) {
		return false
	}
	if call.Call.IsInvoke() {
		// A method of the client's own object, or of one that it gave; not of a value
		// that the component has made.
		return p.effects[call] != nil && len(p.candidates(&call.Call)) == 0
	}
	if g == nil {
		return len(p.candidates(&call.Call)) == 0
	}
	// A function that is given nothing to compute from asks somebody else.
	return p.asks(g)
}

// asks reports whether a function of another package reads what is not given to it: it
// calls a method of an interface or a system call. Others compute.
func (p *prover) asks(fn *ssa.Function) bool {
	if r, ok := p.asking[fn]; ok {
		return r
	}
	seen := map[*ssa.Function]bool{}
	var visit func(g *ssa.Function, depth int) bool
	visit = func(g *ssa.Function, depth int) bool {
		if seen[g] || depth > 6 {
			return false
		}
		seen[g] = true
		if len(g.Blocks) == 0 {
			pkg := packageOf(g)
			return pkg != nil && (pkg.Path() == "syscall" || pkg.Path() == "internal/runtime/syscall")
		}
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if h := call.Common().StaticCallee(); h != nil && visit(h, depth+1) {
					return true
				}
			}
		}
		return false
	}
	p.asking[fn] = visit(fn, 0)
	return p.asking[fn]
}
