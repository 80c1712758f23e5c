// SPDX-License-Identifier: Apache-2.0

package golang

// This file keeps together what belongs together in programs that do not follow everything. Code tests what it returns,
// "if err != nil { return err }": where err is not followed, the test would be one choice and what is
// returned another, and a method could return nil on the way of an error. So
//
//   - in a block that a test of a value leads to, the value is what the test says;
//   - of what a value is made of a part may be known: that it is not nil, or the length of a slice;
//   - a value that is tested twice, or tested and handed on, is chosen where it is made, and the tests are
//     tests of that choice.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// ofKnown is a condition of which nothing is followed but what it tests: a boolean, or a value that is compared
// with nil; nil if that is not followed either.
func (f *frame) ofKnown(v ssa.Value) *term.Term {
	known := func(v ssa.Value) *term.Term {
		if x, ok := f.vals[v]; ok && x.missing == "" && len(x.t) > 0 {
			return x.t[0]
		}
		return nil
	}
	p := f.c.w.Pool
	switch v := v.(type) {
	case *ssa.UnOp:
		if t := f.ofKnown(v.X); t != nil && v.Op == token.NOT {
			return p.Not(t)
		}
	case *ssa.BinOp:
		x, equal := comparedWithNil(v)
		if x == nil {
			break
		}
		t := known(x)
		if leaves := f.c.leaves(x.Type()); t == nil || len(leaves) == 0 || !leaves[0].ref {
			return nil
		}
		is := p.Eq(t, f.c.w.Nil())
		if !equal {
			is = p.Not(is)
		}
		return is
	}
	if t := known(v); t != nil && t.Sort().Kind == term.BoolKind {
		return t
	}
	return nil
}

// comparedWithNil is the value that a comparison compares with nil, and whether it asks if it is nil.
func comparedWithNil(b *ssa.BinOp) (x ssa.Value, equal bool) {
	if b.Op != token.EQL && b.Op != token.NEQ {
		return nil, false
	}
	switch {
	case isNilConst(b.Y):
		x = b.X
	case isNilConst(b.X):
		x = b.Y
	}
	return x, b.Op == token.EQL
}

// What the branches on the way to a block say of a value: that it is nil or false, or not.
type testedAs uint8

const (
	notTested testedAs = iota
	testedZero
	testedNotZero
)

// tested says what is known of a value in a block because of a branch that leads there.
func tested(v ssa.Value, at *ssa.BasicBlock) testedAs {
	for b := at; b != nil; b = b.Idom() {
		if len(b.Preds) != 1 {
			continue
		}
		p := b.Preds[0]
		i, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
		if !ok || p.Succs[0] == p.Succs[1] {
			continue
		}
		if x, zero := testOf(i.Cond); x == v {
			if zero == (b == p.Succs[0]) {
				return testedZero
			}
			return testedNotZero
		}
	}
	return notTested
}

// testOf is the value that a condition tests, and whether it holds if that is nil or false.
func testOf(cond ssa.Value) (x ssa.Value, zero bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			x, zero = testOf(c.X)
			return x, !zero
		}
	case *ssa.BinOp:
		if x, equal := comparedWithNil(c); x != nil {
			return x, equal
		}
	}
	return cond, false
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// guessOnce chooses a value that is not followed where it is made, so that all who test or return it mean
// the same.
func (f *frame) guessOnce(instr ssa.Instruction) {
	v, ok := instr.(ssa.Value)
	if !ok || !f.c.isCoarse() || !f.c.isTold(v) {
		return
	}
	clean := f.clean
	f.clean = !f.c.rel.mayBeWanted(v)
	f.vals[v] = f.anyValue(f.path+"/"+v.Name()+"/told", v.Type(), lower.Unmodelled)
	f.clean = clean
}

// isTold reports whether branches test a value more than once, or test it and hand it on.
func (c *compiler) isTold(v ssa.Value) bool {
	told, ok := c.told[v]
	if ok {
		return told
	}
	told = tellable(v) && v.Referrers() != nil && (isBool(v.Type()) || len(c.leaves(v.Type())) == 1 && c.leaves(v.Type())[0].ref)
	if told {
		tests, uses := countUses(v)
		told = tests > 1 || tests == 1 && uses > 0
	}
	c.told[v] = told
	return told
}

// tellable reports whether a value is what is read or what a call returns.
func tellable(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Call:
		_, tuple := v.Type().(*types.Tuple)
		return !tuple
	case *ssa.UnOp:
		return v.Op == token.MUL
	case *ssa.Extract, *ssa.TypeAssert, *ssa.Lookup:
		_, tuple := v.Type().(*types.Tuple)
		return !tuple
	}
	return false
}

// countUses counts the branches that test a value, and what hands it on.
func countUses(v ssa.Value) (tests, uses int) {
	for _, u := range *v.Referrers() {
		switch u := u.(type) {
		case *ssa.If:
			tests++
		case *ssa.UnOp, *ssa.BinOp:
			if x, _ := testOf(u.(ssa.Value)); x != v {
				continue
			}
			for _, w := range *u.(ssa.Value).Referrers() {
				if _, ok := w.(*ssa.If); ok {
					tests++
				}
			}
		case *ssa.Return, *ssa.Phi, *ssa.Store:
			uses++
		}
	}
	return tests, uses
}

// missing is a value that is not followed, where it is used in a block.
func (f *frame) missing(v ssa.Value, at *ssa.BasicBlock) value {
	if isBool(v.Type()) {
		x, zero := testOf(v)
		if is := tested(x, at); is != notTested {
			return value{typ: v.Type(), t: []*term.Term{f.c.w.Pool.Bool(zero == (is == testedZero))}}
		}
		if t := f.ofKnown(v); t != nil {
			return value{typ: v.Type(), t: []*term.Term{t}}
		}
	}
	solid := f.c.alwaysSolid(v, map[ssa.Value]bool{})
	switch is := tested(v, at); {
	case is == notTested || isBool(v.Type()):
	case is == testedZero:
		return f.c.zero(v.Type())
	default:
		solid = true
	}
	return value{typ: v.Type(), missing: f.path + "/" + v.Name(), clean: f.c.isCoarse() && !f.c.rel.mayBeWanted(v), solid: solid, length: lengthOf(v)}
}
