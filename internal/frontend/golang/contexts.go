// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which functions a call may run, told apart by the functions that it gives away.
//
//	once.Do(load)                      // runs load,
//	once.Do(func() { panic("late") })  // and this one does not
//
// What the call of f in the body of Do may call is, for the code as a whole, every function that is
// ever given to a Do. Of one call it is the function that this call gives: a parameter has one value
// as long as its function runs. So functions are looked at once for each choice of the functions that their
// callers give them by name or as literals, or pass on from parameters of their own (call strings of the
// arguments that are functions; Shivers, PLDI 1988, has the question). What comes from elsewhere,
// out of a variable or from code that is not followed, is any of the targets, and so is everything when there are
// too many choices.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

const (
	maxGivenFunctions = 2     // parameters that are told apart
	maxRunning        = 4_000 // functions with what they are given
)

// A running is a function that runs, with the functions that it was given: as the first of its
// parameters that are functions; nil: any.
type running struct {
	fn    *ssa.Function
	given [maxGivenFunctions]*ssa.Function
}

// callees returns what a call may run, in a function that runs.
func (r *reach) callees(in running, call ssa.CallInstruction) []running {
	targets := r.targets[call]
	if p, ok := call.Common().Value.(*ssa.Parameter); ok && !call.Common().IsInvoke() {
		if g := in.value(p); g != nil && slices.Contains(targets, g) {
			targets = []*ssa.Function{g}
		}
	}
	var all []running
	for _, g := range targets {
		to := running{fn: g}
		if call.Common().StaticCallee() == g {
			n := 0
			for k, p := range g.Params {
				if _, ok := p.Type().Underlying().(*types.Signature); !ok || n == maxGivenFunctions {
					continue
				}
				to.given[n] = in.value(argumentOf(call.Common(), g, k))
				n++
			}
		}
		all = append(all, to)
	}
	return all
}

// value is the function that a value is; nil: any.
func (in running) value(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		return v
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.ChangeType:
		return in.value(v.X)
	case *ssa.Parameter:
		if v.Parent() != in.fn {
			return nil
		}
		n := 0
		for _, p := range in.fn.Params {
			if _, ok := p.Type().Underlying().(*types.Signature); !ok {
				continue
			}
			if n == maxGivenFunctions {
				return nil
			}
			if p == v {
				return in.given[n]
			}
			n++
		}
	}
	return nil
}

// under returns the functions that calls of some functions may run, in order.
func (r *reach) under(fns []*ssa.Function) []*ssa.Function {
	seen := map[running]bool{}
	found := map[*ssa.Function]bool{}
	var all []*ssa.Function
	var work []running
	for _, fn := range fns {
		work = append(work, running{fn: fn})
	}
	for len(work) > 0 {
		in := work[0]
		work = work[1:]
		if len(seen) > maxRunning {
			in = running{fn: in.fn}
		}
		if _, reached := r.abroad[in.fn]; seen[in] || !reached {
			continue
		}
		seen[in] = true
		if !found[in.fn] {
			found[in.fn] = true
			all = append(all, in.fn)
		}
		for _, b := range in.fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok {
					work = append(work, r.callees(in, call)...)
				}
			}
		}
	}
	return all
}
