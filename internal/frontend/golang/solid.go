// SPDX-License-Identifier: Apache-2.0

package golang

// This file says what is known of values that are not followed, from the instructions that make them alone.

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// isSolid reports whether a value is never nil because of the instruction that makes it.
func isSolid(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.Function, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global:
		return true
	}
	return false
}

// returnsSolid reports whether a result of a function is never nil: every return returns a value that is not nil by
// the way it is made. A function that recovers may return its zero results. Of functions of other packages only what they declare
// is taken to be known, here as elsewhere.
func (c *compiler) returnsSolid(fn *ssa.Function, k int) bool {
	key := resultAt{fn, k}
	if is, ok := c.solid[key]; ok {
		return is
	}
	c.solid[key] = false // of recursion nothing is known
	if len(fn.Blocks) == 0 || fn.Recover != nil || !c.l.owns(packageOf(fn)) || c.replaced(fn) {
		return false
	}
	returns := false
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			if !c.alwaysSolid(r.Results[k], map[ssa.Value]bool{}) {
				return false
			}
			returns = true
		}
	}
	c.solid[key] = returns
	return returns
}

// alwaysSolid reports whether a value is never nil because of the instructions that make it.
func (c *compiler) alwaysSolid(v ssa.Value, seen map[ssa.Value]bool) bool {
	if isSolid(v) || seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !c.alwaysSolid(e, seen) {
				return false
			}
		}
		return true
	case *ssa.ChangeInterface:
		return c.alwaysSolid(v.X, seen)
	case *ssa.ChangeType:
		return c.alwaysSolid(v.X, seen)
	case *ssa.Call:
		g := v.Call.StaticCallee()
		return g != nil && g.Signature.Results().Len() == 1 && c.returnsSolid(g, 0)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		if !ok {
			return false
		}
		g := call.Call.StaticCallee()
		return g != nil && c.returnsSolid(g, v.Index)
	}
	return false
}

// lengthOf is the length of a slice, and one more, if the instruction that makes it says so; else 0.
func lengthOf(v ssa.Value) int {
	number := func(v ssa.Value) (int, bool) {
		k, ok := v.(*ssa.Const)
		if !ok || k.Value == nil || k.Value.Kind() != constant.Int {
			return 0, false
		}
		n, exact := constant.Int64Val(k.Value)
		return int(n), exact && n >= 0 && n < 1<<40
	}
	if _, slice := v.Type().Underlying().(*types.Slice); !slice {
		return 0
	}
	switch v := v.(type) {
	case *ssa.MakeSlice:
		if n, ok := number(v.Len); ok {
			return n + 1
		}
	case *ssa.Slice:
		low := 0
		if v.Low != nil {
			n, ok := number(v.Low)
			if !ok {
				return 0
			}
			low = n
		}
		if v.High == nil {
			if e := deref(v.X.Type()); e != nil {
				if a, ok := e.Underlying().(*types.Array); ok && int64(low) <= a.Len() {
					return int(a.Len()) - low + 1
				}
			}
			return 0
		}
		if high, ok := number(v.High); ok && low <= high {
			return high - low + 1
		}
	}
	return 0
}
