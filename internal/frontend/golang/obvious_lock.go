// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves that a mutex is locked where it is unlocked. It is if every
// function of the package that unlocks the mutexes of one variable or field has
// locked the same one before, on every way, and not unlocked it since: then each
// activation gives back only what it holds itself. That is a discipline of the whole
// package, so one place that does not keep it spoils the proof for all.

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A lockCall is a call of Lock, Unlock, RLock or RUnlock.
type lockCall struct {
	instr ssa.CallInstruction
	addr  ssa.Value
	name  string // of the method
}

func lockCallOf(i ssa.Instruction) (lockCall, bool) {
	call, ok := i.(ssa.CallInstruction)
	if !ok {
		return lockCall{}, false
	}
	g := call.Common().StaticCallee()
	if g == nil || len(call.Common().Args) == 0 {
		return lockCall{}, false
	}
	name := nameOf(g)
	if !strings.HasPrefix(name, "(*sync.Mutex).") && !strings.HasPrefix(name, "(*sync.RWMutex).") {
		return lockCall{}, false
	}
	return lockCall{call, call.Common().Args[0], g.Name()}, true
}

func (k lockCall) unlocks() bool { return k.name == "Unlock" || k.name == "RUnlock" }

// lockOf returns the variable or field that an address is of; nil if clients, or
// code that is not looked at, may have the mutex too.
func (p *prover) lockOf(addr ssa.Value) location {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		f, in := fieldVar(a), deref(a.X.Type())
		if !f.Exported() {
			return f
		}
		// Embedded in a type of which nobody else has objects, or only locks.
		if n, ok := types.Unalias(in).(*types.Named); ok && p.ownField(f, in) && p.unboxed(n) {
			return f
		}
	case *ssa.Global:
		if a.Object() != nil && !a.Object().Exported() {
			return a
		}
	}
	return nil
}

// lockHeld reports whether a call of Unlock or RUnlock finds the mutex locked.
func (p *prover) lockHeld(k lockCall) bool {
	at := p.lockOf(k.addr)
	if at == nil {
		return false
	}
	if r, ok := p.locks[at]; ok {
		return r
	}
	var pkg *types.Package
	switch at := at.(type) {
	case *types.Var:
		pkg = at.Pkg()
	case *ssa.Global:
		pkg = at.Pkg.Pkg
	}
	p.locks[at] = p.disciplined(pkg, at)
	return p.locks[at]
}

// disciplined reports whether all functions of a package lock what they unlock.
func (p *prover) disciplined(pkg *types.Package, at location) bool {
	s := p.packageScan(pkg)
	if s == nil || p.promotesUnseen(at, s) {
		return false
	}
	for _, fn := range s.fns {
		if p.neverCalled(fn, at) {
			continue
		}
		calls, ok := lockCallsIn(fn, at)
		if !ok {
			return false
		}
		for _, k := range calls {
			if k.unlocks() && !p.balanced(fn, k, calls) {
				return false
			}
		}
	}
	return true
}

// neverCalled reports whether a function is a wrapper of a promoted method of an embedded mutex that lockOf
// knows to be in a type of which nobody else has objects, and no interface does.
func (p *prover) neverCalled(fn *ssa.Function, at location) bool {
	f, ok := at.(*types.Var)
	if !ok || !f.Exported() || !isMethodWrapper(fn) || fn.Signature.Recv() == nil {
		return false
	}
	t := fn.Signature.Recv().Type()
	if e := deref(t); e != nil {
		t = e
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.TypeArgs().Len() == 0 && p.hidden(n) && p.unboxed(n)
}

// lockCallsIn returns the calls of a function on the mutexes of a variable or field; ok is false if
// it overwrites one, or somebody else gets it.
func lockCallsIn(fn *ssa.Function, at location) (calls []lockCall, ok bool) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if st, ok := i.(*ssa.Store); ok && overwrites(st, at) {
				return nil, false
			}
			for _, op := range i.Operands(nil) {
				if *op == nil || !isLockAddress(*op, at) {
					continue
				}
				k, ok := lockCallOf(i)
				if !ok || k.addr != *op {
					if _, debug := i.(*ssa.DebugRef); debug {
						continue
					}
					return nil, false
				}
				if _, isGo := i.(*ssa.Go); isGo {
					return nil, false
				}
				calls = append(calls, k)
			}
		}
	}
	return calls, true
}

// overwrites reports whether a store copies an object with the field.
func overwrites(st *ssa.Store, at location) bool {
	base := st.Addr
	for {
		a, ok := base.(*ssa.FieldAddr)
		if !ok {
			break
		}
		base = a.X
	}
	if _, fresh := base.(*ssa.Alloc); fresh {
		return false
	}
	var holds func(t types.Type, depth int) bool
	holds = func(t types.Type, depth int) bool {
		s, ok := t.Underlying().(*types.Struct)
		if !ok || depth > 8 {
			return false
		}
		for i := range s.NumFields() {
			if fieldAt(s, i) == at || holds(s.Field(i).Type(), depth+1) {
				return true
			}
		}
		return false
	}
	return holds(st.Val.Type(), 0)
}

func isLockAddress(v ssa.Value, at location) bool {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return location(fieldVar(v)) == at
	case *ssa.Global:
		return location(v) == at
	}
	return false
}

// balanced reports whether a function holds what it unlocks: a forward analysis of
// whether it has locked the mutex and not unlocked it since, on all ways.
func (p *prover) balanced(fn *ssa.Function, k lockCall, calls []lockCall) bool {
	locks := strings.Replace(k.name, "Unlock", "Lock", 1)
	change := map[ssa.Instruction]bool{} // to whether it is held
	var deferred []*ssa.Defer
	for _, l := range calls {
		if l.name != locks && l.name != k.name || !p.sameAddress(l.addr, k.addr) {
			continue
		}
		if d, ok := l.instr.(*ssa.Defer); ok {
			if l.name == locks || len(deferred) > 0 || p.c.loopBlocks(fn)[d.Block()] {
				return false
			}
			deferred = append(deferred, d)
			continue
		}
		change[l.instr] = l.name == locks
	}
	fine := true
	run := func(b *ssa.BasicBlock, held bool) bool {
		for _, i := range b.Instrs {
			if to, ok := change[i]; ok {
				fine = fine && (to || held)
				held = to
			}
			if _, ok := i.(*ssa.RunDefers); ok && len(deferred) > 0 {
				// Every way here has deferred it, or none.
				switch d := deferred[0]; {
				case precedes(d, pointAt(i)):
					fine = fine && held
					held = false
				case reaches(d.Block(), b):
					fine = false
				}
			}
		}
		return held
	}
	const unknown, not, yes = 0, 1, 2
	state := make([]int, len(fn.Blocks))
	state[0] = not
	for work := []*ssa.BasicBlock{fn.Blocks[0]}; len(work) > 0; {
		b := work[0]
		work = work[1:]
		out := not
		if run(b, state[b.Index] == yes) {
			out = yes
		}
		for _, s := range b.Succs {
			next := out
			if state[s.Index] != unknown {
				next = min(next, state[s.Index])
			}
			if next != state[s.Index] {
				state[s.Index] = next
				work = append(work, s)
			}
		}
	}
	fine = true
	for _, b := range fn.Blocks {
		if state[b.Index] != unknown {
			run(b, state[b.Index] == yes)
		}
	}
	return fine
}

// reaches reports whether there is a way from one block to another.
func reaches(from, to *ssa.BasicBlock) bool {
	found := from == to
	reachable(from, func(b *ssa.BasicBlock) { found = found || b == to })
	return found
}
