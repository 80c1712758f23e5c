// SPDX-License-Identifier: Apache-2.0

package golang

// This file is about values that meet at a join, of which a test after the join says by
// which way control came there:
//
//	var x *T; var err error
//	if a { x, err = f() } else { x, err = g() }
//	if err != nil { return }
//	x.m()
//
//	if h.large() { buf = make([]byte, 24) } else { buf = make([]byte, 16) }
//	if h.large() { buf[20] = 1 }
//
// A way is out of the question if it was taken by a condition that is the other way round where
// the value is used, or if it would have given another variable of the same join a value
// that it does not have there. Conditions are the same if they are the same value, or compare
// the same ones, or call a function without effects again and nothing between wrote what it
// reads. Splitting code at joins (Bodik and Anik, POPL 1998, "path-sensitive value-flow analysis")
// was not chosen: what one join says is enough for the code that people write.

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// maxTruths bounds the conditions that are looked at on both sides of a join, maxPure the
// instructions of a function that is called twice.
const (
	maxTruths = 16
	maxPure   = 24
)

// A truth is a condition that has a value, for a branch.
type truth struct {
	cond ssa.Value
	is   bool
	by   *ssa.If
}

// truths are the conditions that decide that control is at a point, the nearest first.
func (p *prover) truths(at point) []truth {
	var list []truth
	add := func(b *ssa.BasicBlock) {
		if len(b.Instrs) == 0 {
			return
		}
		branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || b.Succs[0] == b.Succs[1] {
			return
		}
		for k, to := range b.Succs {
			if edgeDominates(b, to, at) {
				c, is := branch.Cond, k == 0
				for {
					not, ok := c.(*ssa.UnOp)
					if !ok || not.Op != token.NOT {
						break
					}
					c, is = not.X, !is
				}
				list = append(list, truth{c, is, branch})
			}
		}
	}
	if at.b == nil {
		return nil
	}
	if at.to != nil {
		add(at.b)
	}
	for b := at.b.Idom(); b != nil && len(list) < maxTruths; b = b.Idom() {
		if p.steps++; p.steps > p.limit {
			return nil
		}
		add(b)
	}
	return list
}

// A join is one way to the values that meet somewhere, and what is known where they are used.
type join struct {
	phi   *ssa.Phi
	k     int
	from  point   // on the way
	known []truth // where the value is used
}

// ways calls do for each way by which control may have come to a join whose value is used at a
// point, and reports whether it holds for all of them.
func (p *prover) ways(v *ssa.Phi, at point, do func(j join) bool) bool {
	b := v.Block()
	var known []truth
	if at.b != nil && b.Dominates(at.b) {
		for _, t := range p.truths(at) {
			if b.Dominates(t.by.Block()) {
				known = append(known, t)
			}
		}
	}
	for k := range v.Edges {
		pred := b.Preds[k]
		j := join{v, k, point{pred, len(pred.Instrs), b}, known}
		if len(known) > 0 && !p.possible(j) {
			continue
		}
		if !do(j) {
			return false
		}
	}
	return true
}

// possible reports whether control may have come by a way.
func (p *prover) possible(j join) bool {
	for _, t := range j.known {
		if v, is, ok := j.beside(t); ok && p.otherwise(v, is, j.from) || p.excludes(j, t) {
			return false
		}
	}
	for _, before := range p.truths(j.from) {
		if j.phi.Block().Dominates(before.by.Block()) {
			continue // of an earlier round
		}
		for _, t := range j.known {
			if t.is != before.is && p.sameCondition(before.cond, t.cond) {
				return false
			}
		}
	}
	return true
}

// excludes reports whether numbers that came by a way are not as a comparison after the join says of them:
//
//	for n < limit { ... if found { break }; n++ }
//	if n == limit { return }
//
// Behind that, control came by the break: by the other way n was the limit.
func (p *prover) excludes(j join, t truth) bool {
	cmp, ok := t.cond.(*ssa.BinOp)
	if !ok || !isInteger(cmp.X.Type()) || isUnsigned(cmp.X.Type()) {
		return false
	}
	of := func(v ssa.Value) (bound, int64, bool) {
		if q, ok := v.(*ssa.Phi); ok && q.Block() == j.phi.Block() {
			v = q.Edges[j.k]
		} else if !p.outlives(v, j.phi.Block()) {
			return bound{}, 0, false
		}
		n, k := p.normal(v)
		return n, k, true
	}
	x, i, ok1 := of(cmp.X)
	y, k, ok2 := of(cmp.Y)
	if !ok1 || !ok2 {
		return false
	}
	op := cmp.Op
	if !t.is {
		op = opposite(op)
	}
	return p.contradicts(x, i, op, y, k, j.from)
}

// What a condition says of a variable.
type saying uint8

const (
	isTrue saying = iota + 1
	isFalse
	isNil
	isSomething
)

// beside is what a condition says of the value that another variable of the join got by the way.
func (j join) beside(t truth) (ssa.Value, saying, bool) {
	of := func(v ssa.Value) (ssa.Value, bool) {
		q, ok := v.(*ssa.Phi)
		if !ok || q.Block() != j.phi.Block() {
			return nil, false
		}
		return q.Edges[j.k], true
	}
	if v, ok := of(t.cond); ok {
		if t.is {
			return v, isTrue, true
		}
		return v, isFalse, true
	}
	b, ok := t.cond.(*ssa.BinOp)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return nil, 0, false
	}
	x := b.X
	if isNilConst(x) {
		x = b.Y
	} else if !isNilConst(b.Y) {
		return nil, 0, false
	}
	v, ok := of(x)
	if t.is == (b.Op == token.EQL) {
		return v, isNil, ok
	}
	return v, isSomething, ok
}

// otherwise reports whether a value is not what is said of it, at a point.
func (p *prover) otherwise(v ssa.Value, is saying, at point) bool {
	switch is {
	case isTrue, isFalse:
		if c, ok := v.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Bool {
			return constant.BoolVal(c.Value) != (is == isTrue)
		}
		return p.decides(v, is == isFalse, at)
	case isNil:
		return p.notNil(v, at)
	case isSomething:
		return isNilConst(v) || v.Referrers() != nil && p.isNil(v, at)
	}
	return false
}

// joined reports whether what came by a way is not nil, because of what came along with it.
func (p *prover) joined(j join) bool {
	e, ok := j.phi.Edges[j.k].(*ssa.Extract)
	if !ok {
		return false
	}
	for _, t := range j.known {
		v, is, ok := j.beside(t)
		if !ok {
			continue
		}
		x, ok := v.(*ssa.Extract)
		if ok && x.Tuple == e.Tuple && p.alongside(e, x, is) {
			return true
		}
	}
	return false
}

// eitherNotNil reports whether one of two values, the second of which is an error, is not nil: one of
// them never is, or both are results of one call, or that holds on each way to where they meet.
func (p *prover) eitherNotNil(x, err ssa.Value, at point) bool {
	if p.notNil(x, at) || p.notNil(err, at) {
		return true
	}
	v, ok1 := x.(*ssa.Phi)
	w, ok2 := err.(*ssa.Phi)
	switch {
	case ok1 && ok2:
		if v.Block().Dominates(w.Block()) {
			v = w // the later one
		}
	case ok1:
		// The error was there before.
	case ok2:
		v = w
	default:
		a, ok1 := x.(*ssa.Extract)
		e, ok2 := err.(*ssa.Extract)
		if !ok1 || !ok2 || a.Tuple != e.Tuple {
			return false
		}
		call, ok := a.Tuple.(*ssa.Call)
		return ok && a.Index < e.Index && e.Index == lastResult(call) && p.callPair(call, a.Index)
	}
	b := v.Block()
	return p.once(fact{kind: eitherFact, v: [2]ssa.Value{x, err}, at: at}, func() bool {
		for k, pred := range b.Preds {
			y, e := x, err
			if q, ok := y.(*ssa.Phi); ok && q.Block() == b {
				y = q.Edges[k]
			} else if !p.outlives(y, b) {
				return false
			}
			if q, ok := e.(*ssa.Phi); ok && q.Block() == b {
				e = q.Edges[k]
			} else if !p.outlives(e, b) {
				return false
			}
			if !p.eitherNotNil(y, e, point{pred, len(pred.Instrs), b}) {
				return false
			}
		}
		return true
	})
}

// outlives reports whether a value was computed before a block whose beginning is reached.
func (p *prover) outlives(v ssa.Value, b *ssa.BasicBlock) bool {
	i, ok := v.(ssa.Instruction)
	return !ok || i.Block() != b && i.Block().Dominates(b)
}

// alongside reports whether a value is not nil if another one that comes with it is as said.
func (p *prover) alongside(e, x *ssa.Extract, is saying) bool {
	switch t := e.Tuple.(type) {
	case *ssa.Lookup:
		return e.Index == 0 && x.Index == 1 && is == isTrue && p.holdsNoNil(t.X, false)
	case *ssa.TypeAssert:
		return e.Index == 0 && x.Index == 1 && is == isTrue && (types.IsInterface(t.AssertedType) || p.boxNotNil(t.AssertedType))
	case *ssa.Call:
		n := lastResult(t)
		return is == isNil && x.Index == n && e.Index < n && isErrorType(t.Call.Signature().Results().At(n).Type()) && p.callPair(t, e.Index)
	}
	return false
}

// sameCondition reports whether a condition that was computed first has the value of another
// one, whenever that is computed later.
func (p *prover) sameCondition(first, later ssa.Value) bool {
	if first == later {
		return true
	}
	a, ok1 := first.(ssa.Instruction)
	b, ok2 := later.(ssa.Instruction)
	if !ok1 || !ok2 || a.Parent() != b.Parent() || !precedes(a, pointAt(b)) {
		return false
	}
	if p.steps++; p.steps > p.limit {
		return false
	}
	switch x := first.(type) {
	case *ssa.BinOp:
		y, ok := later.(*ssa.BinOp)
		return ok && x.Op == y.Op && p.sameOperand(x.X, y.X) && p.sameOperand(x.Y, y.Y)
	case *ssa.UnOp:
		y, ok := later.(*ssa.UnOp)
		if ok && x.Op == y.Op && x.Op != token.MUL && x.Op != token.ARROW {
			return p.sameOperand(x.X, y.X)
		}
	case *ssa.Call:
		y, ok := later.(*ssa.Call)
		return ok && p.sameCall(x, y)
	}
	return scalar(first.Type()) && p.sameValue(first, later)
}

// sameOperand is about values of conditions.
func (p *prover) sameOperand(first, later ssa.Value) bool {
	if x, ok := first.(*ssa.Const); ok {
		y, ok := later.(*ssa.Const)
		if !ok || !types.Identical(x.Type(), y.Type()) || (x.Value == nil) != (y.Value == nil) {
			return false
		}
		return x.Value == nil || constant.Compare(x.Value, token.EQL, y.Value)
	}
	if p.sameCondition(first, later) {
		return true
	}
	_, ok := first.(*ssa.FieldAddr)
	return ok && p.sameAddress(first, later)
}

// sameCall reports whether a call returns what an earlier one returned: the function only reads, and
// nothing between the two wrote there.
func (p *prover) sameCall(first, later *ssa.Call) bool {
	if f, ok := first.Call.Value.(*ssa.Builtin); ok {
		g, ok := later.Call.Value.(*ssa.Builtin)
		return ok && f.Name() == g.Name() && (f.Name() == "len" || f.Name() == "cap") && p.sameOperand(first.Call.Args[0], later.Call.Args[0])
	}
	g := first.Call.StaticCallee()
	if g == nil || g != later.Call.StaticCallee() || len(first.Call.Args) != len(later.Call.Args) || len(g.FreeVars) > 0 {
		return false
	}
	for k, x := range first.Call.Args {
		if !p.sameOperand(x, later.Call.Args[k]) {
			return false
		}
	}
	reads, ok := p.onlyReads(g)
	if !ok {
		return false
	}
	for _, l := range reads {
		if !p.unchanged(segment{first, later, l}) {
			return false
		}
	}
	return true
}

// onlyReads returns the locations that a small function reads, if that is all it does but compute:
// it calls nothing, allocates nothing and waits for nothing.
func (p *prover) onlyReads(g *ssa.Function) (reads []location, ok bool) {
	if len(g.Blocks) == 0 || !p.located[g] || g.Recover != nil {
		return nil, false
	}
	n := 0
	for _, b := range g.Blocks {
		for _, i := range b.Instrs {
			if n++; n > maxPure {
				return nil, false
			}
			switch i := i.(type) {
			case *ssa.DebugRef, *ssa.If, *ssa.Jump, *ssa.Return, *ssa.BinOp, *ssa.FieldAddr, *ssa.Field, *ssa.Phi, *ssa.Convert, *ssa.ChangeType, *ssa.Extract:
			case *ssa.UnOp:
				switch i.Op {
				case token.ARROW:
					return nil, false
				case token.MUL:
					l := p.at(i.X)
					if l == nil || !scalar(i.Type()) {
						return nil, false
					}
					reads = append(reads, l)
				}
			case *ssa.Call:
				f, builtin := i.Call.Value.(*ssa.Builtin)
				if !builtin || f.Name() != "len" && f.Name() != "cap" {
					return nil, false
				}
				switch i.Call.Args[0].Type().Underlying().(type) {
				case *types.Slice, *types.Basic, *types.Array:
				default:
					return nil, false // it is in memory
				}
			default:
				return nil, false
			}
		}
	}
	return reads, true
}
