// SPDX-License-Identifier: Apache-2.0

package term

// This file walks terms: free variables, size, substitution and copying to
// another pool. Walks keep their own stack; formulas of long paths are too deep
// to trust to recursion.

import "slices"

// postorder calls visit once for every distinct subterm of ts, arguments before
// the terms they occur in, left to right.
func postorder(ts []*Term, visit func(*Term)) {
	// Most terms are small: a list says which were seen, until it is long.
	var room [16]*Term
	few := room[:0]
	var many map[*Term]bool
	first := func(t *Term) bool {
		if many == nil {
			if slices.Contains(few, t) {
				return false
			}
			if len(few) < cap(few) {
				few = append(few, t)
				return true
			}
			many = make(map[*Term]bool, 4*len(few))
			for _, x := range few {
				many[x] = true
			}
		}
		if many[t] {
			return false
		}
		many[t] = true
		return true
	}
	type frame struct {
		t *Term
		i int // the next argument
	}
	var stack []frame
	for _, t := range ts {
		if !first(t) {
			continue
		}
		if len(t.args) == 0 {
			visit(t)
			continue
		}
		stack = append(stack, frame{t, 0})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.i == len(f.t.args) {
				visit(f.t)
				stack = stack[:len(stack)-1]
				continue
			}
			a := f.t.args[f.i]
			f.i++
			switch {
			case !first(a):
			case len(a.args) == 0:
				visit(a)
			default:
				stack = append(stack, frame{a, 0})
			}
		}
	}
}

// FreeVars are the variables of ts in the order of their first occurrence, read
// from left to right.
func FreeVars(ts ...*Term) []*Term {
	var vars []*Term
	postorder(ts, func(t *Term) {
		if t.op == OpVar {
			vars = append(vars, t)
		}
	})
	return vars
}

// Size is the number of distinct subterms of t, itself included.
func Size(t *Term) int {
	n := 0
	postorder([]*Term{t}, func(*Term) { n++ })
	return n
}

// Substitute replaces subterms of t, all at once: replacements are not searched
// again. A subterm that contains a replaced one and is itself a key is replaced
// as a whole. Replacements must have the sort of what they replace.
func (p *Pool) Substitute(t *Term, m map[*Term]*Term) *Term {
	if len(m) == 0 {
		return t
	}
	return p.SubstituteAll([]*Term{t}, m)[0]
}

// SubstituteAll is Substitute on several terms, which share the work on common
// subterms.
func (p *Pool) SubstituteAll(ts []*Term, m map[*Term]*Term) []*Term {
	memo := make(map[*Term]*Term)
	// A term without one of the keys inside stays what it is. One that is older than all keys has
	// none, nor has one that has no variable of theirs, or not all of the only key's.
	oldest, some, all := ^uint32(0), uint64(0), uint64(0)
	for from, to := range m {
		needSame("Substitute", from, to)
		memo[from] = to
		oldest, some = min(oldest, from.id), some|from.vars
		if from.vars == 0 {
			some = ^uint64(0) // a constant
		}
		if len(m) == 1 {
			all = from.vars
		}
	}
	without := func(t *Term) bool {
		return t.id < oldest || t.vars&some == 0 && some != ^uint64(0) || all&^t.vars != 0
	}
	out := make([]*Term, len(ts))
	for i, t := range ts {
		out[i] = p.rewrite(t, memo, without, func(t *Term) *Term { return t })
	}
	return out
}

// Import builds t, a term of any pool, in p.
func (p *Pool) Import(t *Term) *Term {
	return p.rewrite(t, make(map[*Term]*Term), nothingStays, func(t *Term) *Term {
		if t.op == OpVar {
			return p.Var(t.name, t.sort)
		}
		return p.Const(t.sort, t.val)
	})
}

func nothingStays(*Term) bool { return false }

// rewrite builds t again from rewritten arguments. Terms in memo are already
// rewritten; results are added to it. Those that stay are what they were.
func (p *Pool) rewrite(t *Term, memo map[*Term]*Term, stays func(*Term) bool, leaf func(*Term) *Term) *Term {
	rewritten := func(t *Term) *Term {
		if r := memo[t]; r != nil {
			return r
		}
		if stays(t) {
			return t
		}
		return nil
	}
	if r := rewritten(t); r != nil {
		return r
	}
	stack := []*Term{t}
	var args []*Term
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		if memo[t] != nil {
			stack = stack[:len(stack)-1]
			continue
		}
		p.rewrites++
		args = append(args[:0], t.args...)
		ready := true
		for i, a := range slices.Backward(args) {
			if args[i] = rewritten(a); args[i] == nil {
				stack = append(stack, a)
				ready = false
			}
		}
		if !ready {
			continue
		}
		stack = stack[:len(stack)-1]
		switch {
		case len(args) == 0:
			memo[t] = leaf(t)
		case slices.Equal(args, t.args):
			memo[t] = t
		default:
			memo[t] = p.Apply(t, args)
		}
	}
	return memo[t]
}

// Apply builds the operator of t, with its indices, on other arguments of the
// same sorts (not necessarily terms of the same pool as t).
func (p *Pool) Apply(t *Term, args []*Term) *Term {
	switch t.op {
	case OpNot:
		return p.Not(args[0])
	case OpAnd:
		return p.And(args...)
	case OpOr:
		return p.Or(args...)
	case OpIte:
		return p.Ite(args[0], args[1], args[2])
	case OpEq:
		return p.Eq(args[0], args[1])
	case OpBVNot:
		return p.BVNot(args[0])
	case OpBVAnd:
		return p.BVAnd(args...)
	case OpBVOr:
		return p.BVOr(args...)
	case OpBVXor:
		return p.BVXor(args...)
	case OpNeg:
		return p.Neg(args[0])
	case OpAdd:
		return p.Add(args...)
	case OpMul:
		return p.Mul(args...)
	case OpUDiv:
		return p.UDiv(args[0], args[1])
	case OpURem:
		return p.URem(args[0], args[1])
	case OpSDiv:
		return p.SDiv(args[0], args[1])
	case OpSRem:
		return p.SRem(args[0], args[1])
	case OpShl:
		return p.Shl(args[0], args[1])
	case OpLShr:
		return p.LShr(args[0], args[1])
	case OpAShr:
		return p.AShr(args[0], args[1])
	case OpULt:
		return p.ULt(args[0], args[1])
	case OpULe:
		return p.ULe(args[0], args[1])
	case OpSLt:
		return p.SLt(args[0], args[1])
	case OpSLe:
		return p.SLe(args[0], args[1])
	case OpConcat:
		return p.Concat(args...)
	case OpExtract:
		return p.Extract(int(t.val.Hi), int(t.val.Lo), args[0])
	case OpZeroExt:
		return p.ZeroExt(int(t.val.Lo), args[0])
	case OpSignExt:
		return p.SignExt(int(t.val.Lo), args[0])
	}
	panic("term.Apply: not an operator: " + t.op.String())
}
