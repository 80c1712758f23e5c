// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves bounds that a function asks for and its callers have asked for before:
//
//	if b.Len() > 40 {
//		b.Truncate(37) // panics if its argument is more than b.Len()
//	}
//
// A function that only reads (onlyReads) returns the same again for the same arguments, as long as nobody writes where it
// reads. So what it returns in Truncate is what it returned in the caller, if nothing between the call there and the call of
// Truncate writes there, nor anything between the beginning of Truncate and the call in it. What is to be shown of it and of
// parameters is then shown at each call of Truncate, of what was returned there and of the arguments.
//
// All calls must be known (onlyCalledHere): who calls Truncate may answer for the argument, but not for the object.

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// leByAgain is about bounds of which one is what a function returns that only reads, and the other a parameter or zero.
func (p *prover) leByAgain(a, b bound, c int64) bool {
	call := askedBy(a)
	if call == nil {
		call = askedBy(b)
	}
	if call == nil {
		return false
	}
	fn, g := call.Parent(), call.Call.StaticCallee()
	if g == nil || len(g.FreeVars) > 0 || !p.located[fn] || !p.onlyCalledHere(fn) {
		return false
	}
	for _, x := range []bound{a, b} {
		if _, ok := x.v.(*ssa.Parameter); !ok && x.v != nil && x.v != ssa.Value(call) {
			return false
		}
	}
	for _, x := range call.Call.Args {
		if _, ok := x.(*ssa.Parameter); !ok {
			return false
		}
	}
	reads, ok := p.onlyReads(g)
	if !ok || !p.unwrittenBefore(call, reads) {
		return false
	}
	p.round++
	defer func() { p.round-- }()
	for _, from := range slices.Concat(p.callers[fn], p.earlyCalls(fn)) {
		site, plain := from.(*ssa.Call)
		if !plain || !p.located[site.Parent()] || !p.askedBefore(site, fn, call, reads, func(first *ssa.Call) bool {
			at := func(x bound) (bound, int64, bool) {
				if x.v == ssa.Value(call) {
					n, k := p.normal(first)
					return n, k, true
				}
				return p.argument(site, fn, x)
			}
			x, j, ok1 := at(a)
			y, k, ok2 := at(b)
			return ok1 && ok2 && p.le(x, y, c+k-j, pointAt(site))
		}) {
			return false
		}
	}
	return true
}

// askedBy is the call that a bound is what it returns; nil: there is none.
func askedBy(x bound) *ssa.Call {
	call, ok := x.v.(*ssa.Call)
	if !ok || x.len || call.Call.IsInvoke() {
		return nil
	}
	return call
}

// askedBefore reports whether something holds of a call that returned, before a call of a function, what another call
// returns in that function.
func (p *prover) askedBefore(site *ssa.Call, fn *ssa.Function, call *ssa.Call, reads []location, holds func(first *ssa.Call) bool) bool {
	same := func(first *ssa.Call) bool {
		if first.Call.StaticCallee() != call.Call.StaticCallee() || !precedes(first, pointAt(site)) {
			return false
		}
		for k, x := range call.Call.Args {
			if y := argumentFor(site, fn, x); y == nil || !p.sameOperand(first.Call.Args[k], y) {
				return false
			}
		}
		return !slices.ContainsFunc(reads, func(l location) bool { return !p.unchanged(segment{first, site, l}) })
	}
	for _, b := range site.Parent().Blocks {
		if b != site.Block() && !b.Dominates(site.Block()) {
			continue
		}
		for _, i := range b.Instrs {
			if p.steps++; p.steps > p.limit {
				return false
			}
			if first, ok := i.(*ssa.Call); ok && same(first) && holds(first) {
				return true
			}
		}
	}
	return false
}

// unwrittenBefore reports whether nothing between the beginning of a function and an instruction writes one of some locations.
func (p *prover) unwrittenBefore(i ssa.Instruction, list []location) bool {
	quiet := func(instrs []ssa.Instruction) bool {
		for _, x := range instrs {
			if p.steps++; p.steps > p.limit {
				return false
			}
			if slices.ContainsFunc(list, func(l location) bool { return p.mayWriteAt(x, l) }) {
				return false
			}
		}
		return true
	}
	if !quiet(i.Block().Instrs[:pointAt(i).n]) {
		return false
	}
	// The block itself is among those before it if it is in a loop.
	seen := map[*ssa.BasicBlock]bool{}
	for work := slices.Clone(i.Block().Preds); len(work) > 0; {
		b := work[0]
		work = work[1:]
		if seen[b] {
			continue
		}
		seen[b] = true
		if len(seen) > maxSegment || b == b.Parent().Recover || !quiet(b.Instrs) {
			return false
		}
		work = append(work, b.Preds...)
	}
	return true
}
