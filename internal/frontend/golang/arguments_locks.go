// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds mutexes that are free whenever a call begins, for arguments.go. A call that
// locks one goes on at once then, in every state, and what it locks and unlocks decides nothing.
// A mutex is free if every function that locks it gives it back on all ways on which it
// returns, and nobody else has it. If some code recovers, a call may also go on after a panic:
// then it must be given back by a deferred call.

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// isFree reports whether a call locks or unlocks a mutex that is free whenever a call of the
// component begins.
func (c *compiler) isFree(i ssa.CallInstruction) bool {
	k, ok := lockCallOf(i)
	if !ok {
		return false
	}
	at := lockIn(k.addr)
	if at == nil {
		return false
	}
	free, known := c.freeLocks[at]
	if !known {
		if c.freeLocks == nil {
			c.freeLocks = map[location]bool{}
		}
		p := newProver(c, calls{}, nil)
		free = true
		for _, fn := range c.reach.fns {
			free = free && p.givesBack(fn, at)
		}
		c.freeLocks[at] = free
	}
	return free
}

// lockIn returns the variable or field of a mutex that clients cannot name, or nil.
func lockIn(addr ssa.Value) location {
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

// givesBack reports whether a function holds no mutex of a variable or field any more that it
// locked, when it returns, and hands none to others.
func (p *prover) givesBack(fn *ssa.Function, at location) bool {
	list, ok := lockCallsIn(fn, at)
	if !ok || slices.ContainsFunc(list, func(k lockCall) bool { return strings.HasPrefix(k.name, "Try") || k.name == "RLocker" }) {
		return false
	}
	if len(list) == 0 {
		return true
	}
	for _, k := range list {
		if !p.sameAddress(k.addr, list[0].addr) || k.name != list[0].name && strings.Replace(k.name, "Unlock", "Lock", 1) != strings.Replace(list[0].name, "Unlock", "Lock", 1) {
			return false // of two objects, or in two ways
		}
	}
	return p.holdsNone(fn, list)
}

// holdsNone follows a function on all ways, with all that may be so of one mutex.
func (p *prover) holdsNone(fn *ssa.Function, list []lockCall) bool {
	to := map[ssa.Instruction]bool{} // locked
	var later *ssa.Defer
	for _, k := range list {
		d, deferred := k.instr.(*ssa.Defer)
		switch {
		case deferred && (later != nil || !k.unlocks()):
			return false
		case deferred:
			later = d
		default:
			to[k.instr] = !k.unlocks()
		}
	}
	if later == nil && p.c.recovers() {
		return false
	}
	const free, held = 1, 2
	run := func(b *ssa.BasicBlock, s int, end func(s int)) int {
		for _, i := range b.Instrs {
			if locks, ok := to[i]; ok {
				if s = free; locks {
					s = held
				}
			}
			switch i.(type) {
			case *ssa.RunDefers:
				if later != nil && precedes(later, pointAt(i)) {
					s = free
				}
			case *ssa.Return:
				end(s)
			}
		}
		return s
	}
	state := make([]int, len(fn.Blocks))
	state[0] = free
	for work := []*ssa.BasicBlock{fn.Blocks[0]}; len(work) > 0; {
		b := work[0]
		work = work[1:]
		out := run(b, state[b.Index], func(int) {})
		for _, s := range b.Succs {
			if state[s.Index]|out != state[s.Index] {
				state[s.Index] |= out
				work = append(work, s)
			}
		}
	}
	fine := true
	for _, b := range fn.Blocks {
		if state[b.Index] != 0 {
			run(b, state[b.Index], func(s int) { fine = fine && s == free })
		}
	}
	// After a panic that was recovered the function returns, with what was deferred by then.
	if later != nil && p.c.recovers() {
		for _, k := range list {
			if !k.unlocks() && !directlyAfter(later, k.instr) {
				return false
			}
		}
	}
	return fine
}

// directlyAfter reports whether nothing that may panic is between two instructions.
func directlyAfter(d *ssa.Defer, lock ssa.Instruction) bool {
	if d.Block() != lock.Block() {
		return false
	}
	after := false
	for _, i := range d.Block().Instrs {
		switch {
		case i == lock:
			after = true
		case i == ssa.Instruction(d):
			return after
		case after:
			switch i.(type) {
			case *ssa.FieldAddr, *ssa.DebugRef:
			default:
				return false
			}
		}
	}
	return false
}

// recovers reports whether some code that is reached recovers.
func (c *compiler) recovers() bool {
	if c.recoversAny == nil {
		found := false
		for _, fn := range c.reach.fns {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if call, ok := i.(ssa.CallInstruction); ok {
						if f, ok := call.Common().Value.(*ssa.Builtin); ok && f.Name() == "recover" {
							found = true
						}
					}
				}
			}
		}
		c.recoversAny = &found
	}
	return *c.recoversAny
}
