// SPDX-License-Identifier: Apache-2.0

package golang

// This file makes calls relevant because of what they call. A function that calls a
// function it is given is called for many reasons: only those calls of it matter that give
// it something relevant. Otherwise all that a package does under a lock is relevant as soon
// as anything is, if it has a function that takes the lock and calls another.

import "golang.org/x/tools/go/ssa"

// happenFor makes relevant that a call takes place because it may call a function.
func (r *relevance) happenFor(i ssa.CallInstruction, fn *ssa.Function) {
	k := calledParameter(i)
	if k < 0 {
		r.happen(i)
		return
	}
	if !r.happens[i] {
		r.passed[i] = true
		r.happen(i)
	}
	helper := i.Parent()
	r.caught(helper)
	for _, call := range r.callers[helper] {
		if g := literal(argumentOf(call.Common(), helper, k)); g == nil || g == fn {
			r.happen(call)
		}
	}
}

// calledParameter is the number of the parameter that a call calls, or -1.
func calledParameter(i ssa.CallInstruction) int {
	p, ok := i.Common().Value.(*ssa.Parameter)
	if !ok || i.Common().IsInvoke() {
		return -1
	}
	for k, q := range i.Parent().Params {
		if p == q {
			return k
		}
	}
	return -1
}

// literal is the function that a value is, if that is plain, or nil.
func literal(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		return v
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	}
	return nil
}
