// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds blocks that no run reaches because a condition is a constant: in code that asks whether
// the machine has an instruction, and in constructors that a user writes without the arguments
// which may be left out. New(w) of func New(w io.Writer, options ...Option) is given no options: the loop that
// applies them is not entered, and what they might do is not done.
//
// A variadic parameter is LEFT OUT if every constructor that is asked for calls its function without it
// and no code that can be reached mentions the function: then all that calls it is what the user wrote.

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// reaches finds the code that can be reached from the calls, without what only arguments that are left out
// could lead to.
func (c *compiler) reaches(from calls, makers []maker) *reach {
	entries := slices.Concat(from.methods, from.makers, from.chains)
	r := newReach(c, entries)
	if c.leaveOut(r, from, makers); len(c.empty) > 0 {
		r = newReach(c, entries)
	}
	return r
}

// leaveOut finds the parameters that are left out.
func (c *compiler) leaveOut(r *reach, from calls, makers []maker) {
	var fns []*ssa.Function
	given := map[*ssa.Function]bool{}
	for _, k := range makers {
		for _, s := range k.steps {
			if s.fn == nil || !s.fn.Signature.Variadic() {
				continue
			}
			fns = append(fns, s.fn)
			if !s.args[len(s.args)-1].leftOut {
				given[s.fn] = true
			}
		}
	}
	if len(fns) == 0 {
		return
	}
	for _, fn := range from.methods {
		given[fn] = true
	}
	for _, g := range r.fns {
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					if fn, ok := (*op).(*ssa.Function); ok {
						given[fn] = true
					}
				}
			}
		}
	}
	c.empty = map[*ssa.Parameter]bool{}
	for _, fn := range fns {
		if len(r.callers[fn]) == 0 && !given[fn] && len(fn.Params) > 0 {
			c.empty[fn.Params[len(fn.Params)-1]] = true
		}
	}
}

// deadBlocks returns the blocks of a function that no run reaches because conditions are constants. What panics
// there is no reason to follow who calls it.
func (c *compiler) deadBlocks(fn *ssa.Function) map[*ssa.BasicBlock]bool {
	if !slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool { return c.constantWay(b) != nil }) {
		return nil
	}
	live := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if b == nil || live[b] {
			return
		}
		live[b] = true
		if to := c.constantWay(b); to != nil {
			visit(to)
			return
		}
		for _, to := range b.Succs {
			visit(to)
		}
	}
	visit(fn.Blocks[0])
	visit(fn.Recover)
	dead := map[*ssa.BasicBlock]bool{}
	for _, b := range fn.Blocks {
		if !live[b] {
			dead[b] = true
		}
	}
	return dead
}

// constantWay is where a block goes whose condition is a constant; nil: it has none.
func (c *compiler) constantWay(b *ssa.BasicBlock) *ssa.BasicBlock {
	if len(b.Instrs) == 0 {
		return nil
	}
	i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	v := c.constantOf(i.Cond)
	switch {
	case v == nil || v.Kind() != constant.Bool:
		return nil
	case constant.BoolVal(v):
		return b.Succs[0]
	}
	return b.Succs[1]
}

// constantOf is the value of a bool or an integer that is a constant, or is one because a parameter is left
// out; nil: it is none.
func (c *compiler) constantOf(v ssa.Value) constant.Value {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value
	case *ssa.Call:
		if (isBuiltin(v, "len") || isBuiltin(v, "cap")) && c.isLeftOut(v.Call.Args[0]) {
			return constant.MakeInt64(0)
		}
	case *ssa.BinOp:
		return c.constantTest(v)
	}
	return nil
}

func (c *compiler) isLeftOut(v ssa.Value) bool {
	p, ok := v.(*ssa.Parameter)
	return ok && c.empty[p]
}

// constantTest is the value of a comparison if it is a constant because a parameter is left out.
func (c *compiler) constantTest(v *ssa.BinOp) constant.Value {
	if len(c.empty) == 0 {
		return nil
	}
	if v.Op == token.EQL || v.Op == token.NEQ {
		if c.isLeftOut(v.X) && isNilConst(v.Y) || c.isLeftOut(v.Y) && isNilConst(v.X) {
			return constant.MakeBool(v.Op == token.EQL)
		}
	}
	y := c.constantOf(v.Y)
	if y == nil || y.Kind() != constant.Int {
		return nil
	}
	switch v.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return nil
	}
	if x := c.constantOf(v.X); x != nil && x.Kind() == constant.Int {
		return constant.MakeBool(constant.Compare(x, v.Op, y))
	}
	// A loop whose first round is not made: nothing else gives the counter a value.
	if v.Op == token.LSS && constant.Sign(y) <= 0 && startsAtZero(v.X) {
		return constant.MakeBool(false)
	}
	return nil
}

// startsAtZero reports whether a value is zero where it is met first, and later only what a round of the
// loop makes of it: the counter of "for i := range x", or of "for i := 0; ...; i++".
func startsAtZero(v ssa.Value) bool {
	first := int64(0)
	if add, ok := v.(*ssa.BinOp); ok { // that of range begins before the first
		if !isOne(add.Y) || add.Op != token.ADD {
			return false
		}
		v, first = add.X, -1
	}
	phi, ok := v.(*ssa.Phi)
	if !ok {
		return false
	}
	for k, e := range phi.Edges {
		if n, ok := e.(*ssa.Const); ok && n.Value != nil && n.Value.Kind() == constant.Int {
			if i, exact := constant.Int64Val(n.Value); !exact || i != first {
				return false
			}
			continue
		}
		if add, ok := e.(*ssa.BinOp); !ok || add.Op != token.ADD || add.X != ssa.Value(phi) || !isOne(add.Y) || !phi.Block().Dominates(phi.Block().Preds[k]) {
			return false
		}
	}
	return true
}

func isOne(v ssa.Value) bool {
	n, ok := v.(*ssa.Const)
	if !ok || n.Value == nil || n.Value.Kind() != constant.Int {
		return false
	}
	i, exact := constant.Int64Val(n.Value)
	return exact && i == 1
}
