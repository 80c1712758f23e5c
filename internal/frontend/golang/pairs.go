// SPDX-License-Identifier: Apache-2.0

package golang

// This file knows of functions that are not followed whether they return a value or an
// error, never both, by their returns: "return nil, err" and "return x, nil".

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// maxPairs bounds the calls that are looked at.
const maxPairs = 8

// isEither reports whether of the first and the last result of a function one is nil, wherever
// it returns.
func (c *compiler) isEither(fn *ssa.Function, depth int) bool {
	res := fn.Signature.Results()
	n := res.Len()
	if n < 2 || depth > maxPairs || len(fn.Blocks) == 0 || fn.Recover != nil || !isErrorType(res.At(n-1).Type()) || !(isPointer(res.At(0).Type()) || types.IsInterface(res.At(0).Type())) {
		return false
	}
	if either, ok := c.either[fn]; ok {
		return either
	}
	c.either[fn] = false // a function that calls itself
	returned := false
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		returned = true
		first, last := ret.Results[0], ret.Results[n-1]
		if !isNilConst(first) && !isNilConst(last) && !c.isEitherOf(first, last, n, depth) {
			return false
		}
	}
	c.either[fn] = returned
	return returned
}

// isEitherOf reports whether two values are the first and the last result of a call of such a
// function.
func (c *compiler) isEitherOf(first, last ssa.Value, n, depth int) bool {
	x, ok := first.(*ssa.Extract)
	y, also := last.(*ssa.Extract)
	if !ok || !also || x.Tuple != y.Tuple || x.Index != 0 || y.Index != n-1 {
		return false
	}
	call, ok := x.Tuple.(*ssa.Call)
	if !ok {
		return false
	}
	g := call.Call.StaticCallee()
	return g != nil && g.Signature.Results().Len() == n && c.isEither(g, depth+1)
}

// valueOrError assumes that for what a function returned.
func (f *frame) valueOrError(fn *ssa.Function, out []value) []value {
	n := len(out)
	if n < 2 || !f.m.Reachable() || out[0].missing != "" || out[n-1].missing != "" || !f.c.isEither(fn, 0) {
		return out
	}
	w := f.c.w
	f.m.Assume(w.Pool.Or(w.Pool.Eq(f.ref(out[0]), w.Nil()), w.Pool.Eq(f.ref(out[n-1]), w.Nil())))
	return out
}
