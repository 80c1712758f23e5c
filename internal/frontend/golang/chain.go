// SPDX-License-Identifier: Apache-2.0

package golang

// This file has what is special about objects that nothing makes but calls on other
// objects, such as a debug/dwarf.IntType, which Data.Type returns, and for which
// nobody has named a chain of calls. How these calls err is the protocol of other
// types: by convention they succeed. A chain that the user names is different: its
// errors are those of a constructor.

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

const conventionChain = "chain: the calls on other objects that lead to the component succeed; how they err is the protocol of these"

// sited returns whether error sites of a function count: not if only the calls that
// lead to the component reach it, or those that are opaque (opaque.go).
func (r *reach) sited(from calls) func(fn *ssa.Function) bool {
	if len(from.chains) == 0 && len(r.c.opaque) == 0 {
		return func(*ssa.Function) bool { return true }
	}
	seen := map[*ssa.Function]bool{}
	var work []*ssa.Function
	enter := func(fn *ssa.Function) {
		if !seen[fn] {
			seen[fn] = true
			work = append(work, fn)
		}
	}
	// An opaque call that another call makes has arguments that the client did not give.
	for _, fn := range slices.Concat(from.methods, from.makers) {
		if r.c.opaque[fn] == nil {
			enter(fn)
		}
	}
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok {
					for _, g := range r.targets[call] {
						enter(g)
					}
				}
			}
		}
	}
	return func(fn *ssa.Function) bool { return seen[fn] }
}
