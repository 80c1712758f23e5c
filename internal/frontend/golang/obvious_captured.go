// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves that variables which function literals see are not nil: something was
// stored before the literal came to be, and nothing else that is stored there, by the function
// or by its literals, is nil. A store after which the function calls nothing any more does
// not matter to its literals, if nobody keeps them: a return of nil for a named result.

import (
	"golang.org/x/tools/go/ssa"
)

// capturedNotNil reports whether what a function literal reads in a variable of a
// function around it is not nil.
func (p *prover) capturedNotNil(v *ssa.FreeVar) bool {
	made := p.closures[v.Parent()]
	if len(made) == 0 {
		return false
	}
	return p.once(fact{kind: capturedFact, v: v}, func() bool {
		for n, x := range v.Parent().FreeVars {
			if x != v {
				continue
			}
			for _, m := range made {
				switch b := m.Bindings[n].(type) {
				case *ssa.Alloc:
					if !p.variableNotNil(b, pointAt(m), true) {
						return false
					}
				case *ssa.FreeVar:
					if !p.capturedNotNil(b) {
						return false
					}
				default:
					return false
				}
			}
		}
		return true
	})
}

// variableNotNil reports whether a variable is not nil at a point, whatever happens in
// between. last: stores do not matter after which nothing is called.
func (p *prover) variableNotNil(a *ssa.Alloc, at point, last bool) bool {
	set := false
	for _, r := range *a.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(a) && precedes(st, at) {
			set = true
		}
	}
	if !set {
		return false
	}
	k := 0
	if last {
		k = 1
	}
	return p.once(fact{kind: capturedFact, v: a, k: k}, func() bool {
		return p.neverNil(a, false, 0) || last && unkept(a, 0) && p.neverNil(a, true, 0)
	})
}

// unkept reports whether the function literals that see a variable run only while its function does: they are
// called or deferred, there or by functions that they are given to.
func unkept(v ssa.Value, depth int) bool {
	for _, r := range *v.Referrers() {
		m, ok := r.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		if depth > 6 || !onlyRuns(m, 0) {
			return false
		}
		for n, x := range m.Bindings {
			if x == v && !unkept(m.Fn.(*ssa.Function).FreeVars[n], depth+1) {
				return false
			}
		}
	}
	return true
}

// onlyRuns reports whether a function value is only called, by the function that has it or one that it hands it to.
func onlyRuns(v ssa.Value, depth int) bool {
	if depth > 4 || v.Referrers() == nil {
		return false
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Call, *ssa.Defer:
			call := r.(ssa.CallInstruction).Common()
			g := call.StaticCallee()
			for k, a := range call.Args {
				if a == v && (g == nil || len(g.Blocks) == 0 || k >= len(g.Params) || !onlyRuns(g.Params[k], depth+1)) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// neverNil reports whether everything that is stored in a variable is not nil.
func (p *prover) neverNil(v ssa.Value, last bool, depth int) bool {
	if depth > 6 {
		return false
	}
	for _, r := range *v.Referrers() {
		if p.steps++; p.steps > p.limit {
			return false
		}
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if r.Addr != v || !p.notNil(r.Val, pointAt(r)) && !(last && depth == 0 && isLast(r)) {
				return false
			}
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			for n, x := range r.Bindings {
				if x == v && !p.neverNil(fn.FreeVars[n], last, depth+1) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// isLast reports whether a function calls nothing after a store.
func isLast(st *ssa.Store) bool {
	calls := func(list []ssa.Instruction) bool {
		for _, i := range list {
			switch i := i.(type) {
			case *ssa.RunDefers:
				return true
			case ssa.CallInstruction:
				if _, builtin := i.Common().Value.(*ssa.Builtin); !builtin {
					return true
				}
			}
		}
		return false
	}
	at := pointAt(st)
	if calls(at.b.Instrs[at.n:]) {
		return false
	}
	found := false
	reachable(at.b, func(b *ssa.BasicBlock) { found = found || calls(b.Instrs) })
	return !found
}
