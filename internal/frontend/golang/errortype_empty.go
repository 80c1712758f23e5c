// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which messages an error of a type of its own has only if it is empty. A list of errors often says
//
//	func (l list) Error() string {
//		if len(l) == 0 {
//			return "no errors"
//		}
//		...
//	}
//
// and is returned as an error only if it is not empty, or with something in it. The length of a slice or a string is a part of the value: what is put into an
// interface keeps the one that it had there, whatever others do to its elements or to the variable that it came from. So if every way
// to the place where the code makes an interface of a value takes a branch that says it is not empty, or the value was made with elements, the method Error of what is in that
// interface does not take a branch that says its receiver is empty. Lengths of maps and channels change later, and so
// does what pointers lead to: of these nothing is said. What others put into interfaces is no error that the code made.

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// isFilled reports whether a value is a slice or a string that is not empty wherever an interface is made of it: a branch says so, or
// the instruction that makes it. A value that only gets another type keeps its length.
func isFilled(m *ssa.MakeInterface) bool {
	for x := m.X; ; {
		if saysEmpty(x, m.Block(), false) || hasElements(x) {
			return true
		}
		c, ok := x.(*ssa.ChangeType)
		if !ok {
			return false
		}
		x = c.X
	}
}

// hasElements reports whether a slice is made with elements, or elements that stand in the code are appended to it.
func hasElements(x ssa.Value) bool {
	if lengthOf(x) > 1 {
		return true
	}
	call, ok := x.(*ssa.Call)
	if !ok {
		return false
	}
	f, ok := call.Call.Value.(*ssa.Builtin)
	return ok && f.Name() == "append" && len(call.Call.Args) == 2 && lengthOf(call.Call.Args[1]) > 1
}

// ofEmpty reports whether a block of a method is reached only if its receiver is empty.
func ofEmpty(fn *ssa.Function, b *ssa.BasicBlock) bool { return saysEmpty(fn.Params[0], b, true) }

// saysEmpty reports whether every way to a block takes a branch that says whether a slice or a string is empty, and that it is so.
// A register that is tested on every way to a block is not assigned again between the test and the block: who assigns it
// comes by the test again.
func saysEmpty(x ssa.Value, b *ssa.BasicBlock, empty bool) bool {
	switch u := x.Type().Underlying().(type) {
	case *types.Slice:
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			return false
		}
	default:
		return false
	}
	if x.Referrers() == nil {
		return false
	}
	for _, r := range *x.Referrers() {
		call, ok := r.(*ssa.Call)
		if !ok {
			continue
		}
		if f, ok := call.Call.Value.(*ssa.Builtin); !ok || f.Name() != "len" {
			continue
		}
		for _, u := range *call.Referrers() {
			test, ok := u.(*ssa.BinOp)
			if !ok {
				continue
			}
			yes, known := testsZero(test, call)
			for _, u := range *test.Referrers() {
				i, ok := u.(*ssa.If)
				if !ok || !known {
					continue
				}
				way, other := i.Block().Succs[0], i.Block().Succs[1]
				if yes != empty {
					way, other = other, way
				}
				if way != other && edgeDominates(i.Block(), way, point{b: b}) {
					return true
				}
			}
		}
	}
	return false
}

// testsZero reports whether a comparison of a length with a constant says that it is zero, or if not so, that it is not; known is false if it says neither.
// A comparison that is false says the opposite of one that is true only if it divides all lengths into zero and the others.
func testsZero(test *ssa.BinOp, length ssa.Value) (zero, known bool) {
	op, other := test.Op, test.Y
	if test.Y == length {
		other = test.X
		switch op {
		case token.LSS:
			op = token.GTR
		case token.GTR:
			op = token.LSS
		case token.LEQ:
			op = token.GEQ
		case token.GEQ:
			op = token.LEQ
		}
	}
	k, ok := other.(*ssa.Const)
	if !ok || k.Value == nil || k.Value.Kind() != constant.Int {
		return false, false
	}
	n, exact := constant.Int64Val(k.Value)
	if !exact {
		return false, false
	}
	switch {
	case op == token.EQL && n == 0, op == token.LEQ && n == 0, op == token.LSS && n == 1:
		return true, true
	case op == token.NEQ && n == 0, op == token.GTR && n == 0, op == token.GEQ && n == 1:
		return false, true
	}
	return false, false
}
