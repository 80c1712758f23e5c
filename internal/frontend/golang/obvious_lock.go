// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves that a mutex is locked where it is unlocked. It is if every
// function of the package that unlocks the mutexes of one variable or field has
// locked the same one before, on every way, and does not unlock it twice: code that is
// called in between cannot unlock it without locking it first, which would block for
// ever. That is a discipline of the whole package, so one place that does not keep it
// spoils the proof for all.

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
func lockOf(addr ssa.Value) location {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		if f := fieldVar(a); !f.Exported() {
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
	at := lockOf(k.addr)
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
	if s == nil {
		return false
	}
	for _, fn := range s.fns {
		var calls []lockCall
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if st, ok := i.(*ssa.Store); ok && overwrites(st, at) {
					return false
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
						return false // somebody else gets the mutex
					}
					if _, isGo := i.(*ssa.Go); isGo {
						return false
					}
					calls = append(calls, k)
				}
			}
		}
		for _, k := range calls {
			if k.unlocks() && !p.balanced(fn, k, calls) {
				return false
			}
		}
	}
	return true
}

// overwrites reports whether a store copies an object with the field.
func overwrites(st *ssa.Store, at location) bool {
	if _, fresh := st.Addr.(*ssa.Alloc); fresh {
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

// balanced reports whether a function has locked what it unlocks, and has not
// unlocked it since.
func (p *prover) balanced(fn *ssa.Function, k lockCall, calls []lockCall) bool {
	_, deferred := k.instr.(*ssa.Defer)
	var lock ssa.Instruction
	locks := strings.Replace(k.name, "Unlock", "Lock", 1)
	for _, l := range calls {
		if l.name == locks && p.sameAddress(l.addr, k.addr) && precedes(l.instr, before(k.instr)) {
			if _, isCall := l.instr.(*ssa.Call); isCall && (lock == nil || precedes(lock, before(l.instr))) {
				lock = l.instr
			}
		}
	}
	if lock == nil {
		return false
	}
	for _, l := range calls {
		if l.instr == k.instr || !l.unlocks() {
			continue
		}
		_, other := l.instr.(*ssa.Defer)
		if deferred || other {
			return false // it runs at the end, whatever happened before
		}
		if p.between(lock, k.instr, l.instr) {
			return false
		}
	}
	if deferred {
		// Once: not in a loop.
		return !p.c.loopBlocks(fn)[k.instr.Block()]
	}
	// The way from the lock leads here once.
	return !p.between(lock, k.instr, k.instr)
}

// between reports whether an instruction may run between two others, of which the
// first dominates the second, without the first running again.
func (p *prover) between(from, to, x ssa.Instruction) bool {
	// Forward from the first, up to the first again.
	after := map[*ssa.BasicBlock]bool{}
	start := before(from)
	n := before(x).n
	here := false
	if x.Block() == start.b && n > start.n {
		here = true
	}
	var work []*ssa.BasicBlock
	work = append(work, start.b.Succs...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if after[b] || b == start.b {
			continue
		}
		after[b] = true
		work = append(work, b.Succs...)
	}
	if !here && !after[x.Block()] {
		return false
	}
	// And from there to the second.
	end := before(to)
	if x.Block() == end.b && n < end.n && (end.b != start.b || n > start.n) {
		return true
	}
	seen := map[*ssa.BasicBlock]bool{}
	for work = append(work[:0], x.Block().Succs...); len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == end.b && (b != start.b || end.n < start.n) {
			return true
		}
		if seen[b] || b == start.b {
			continue
		}
		seen[b] = true
		work = append(work, b.Succs...)
	}
	return false
}
