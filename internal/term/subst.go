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
	var many termSet
	first := func(t *Term) bool {
		if many.slots == nil {
			if slices.Contains(few, t) {
				return false
			}
			if len(few) < cap(few) {
				few = append(few, t)
				return true
			}
			for _, x := range few {
				many.add(x)
			}
		}
		return many.add(t)
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

// A termSet is a set of terms, of any pools: a table with open addressing by ID, at most half full.
type termSet struct {
	slots []*Term // the length is a power of two
	n     int
}

// add reports whether the term was not there before.
func (s *termSet) add(t *Term) bool {
	if 2*s.n >= len(s.slots) {
		old := s.slots
		s.slots = make([]*Term, max(128, 4*len(old)))
		for _, x := range old {
			if x != nil {
				s.slots[s.slot(x)] = x
			}
		}
	}
	i := s.slot(t)
	if s.slots[i] != nil {
		return false
	}
	s.slots[i] = t
	s.n++
	return true
}

// slot is where the term is, or would be.
func (s *termSet) slot(t *Term) uint32 {
	last := uint32(len(s.slots) - 1)
	i := t.id * 0x9e3779b1 >> 7 & last
	for s.slots[i] != nil && s.slots[i] != t {
		i = (i + 1) & last
	}
	return i
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
	memo := p.newMemo()
	// A term without one of the keys inside stays what it is. One that is older than all keys has
	// none, nor has one that has no variable of theirs, or not all of the only key's.
	oldest, some, all := ^uint32(0), uint64(0), uint64(0)
	for from, to := range m {
		needSame("Substitute", from, to)
		memo.put(from, to)
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
	return p.rewrite(t, p.newMemo(), nothingStays, func(t *Term) *Term {
		if t.op == OpVar {
			return p.Var(t.name, t.sort)
		}
		return p.Const(t.sort, t.val)
	})
}

func nothingStays(*Term) bool { return false }

// A memo says what terms are rewritten to. Terms of the pool are in the table of the pool, by ID, if that counts in
// this round; others are in a map. There is one memo at a time: nothing that builds terms rewrites others.
type memo struct {
	p      *Pool
	others map[*Term]*Term
}

// A memoEntry is the ID of what a term is rewritten to, in a round.
type memoEntry struct{ round, to uint32 }

// newMemo is an empty memo; the one before is not used any more.
func (p *Pool) newMemo() *memo {
	if p.memoRound++; p.memoRound == 0 { // all entries are of no round
		clear(p.memo)
		p.memoRound = 1
	}
	return &memo{p: p}
}

func (p *Pool) has(t *Term) bool { return int(t.id) < len(p.terms) && p.terms[t.id] == t }

// get is what a term is rewritten to; nil: that is not known.
func (m *memo) get(t *Term) *Term {
	p := m.p
	if int(t.id) < len(p.memo) && p.memo[t.id].round == p.memoRound && p.terms[t.id] == t {
		return p.terms[p.memo[t.id].to]
	}
	return m.others[t]
}

func (m *memo) put(t, r *Term) {
	p := m.p
	if !p.has(t) || !p.has(r) {
		if m.others == nil {
			m.others = map[*Term]*Term{}
		}
		m.others[t] = r
		return
	}
	if int(t.id) >= len(p.memo) {
		p.memo = append(p.memo, make([]memoEntry, len(p.terms)-len(p.memo))...)
	}
	p.memo[t.id] = memoEntry{p.memoRound, r.id}
}

// rewrite builds t again from rewritten arguments. Terms in memo are already
// rewritten; results are added to it. Those that stay are what they were.
func (p *Pool) rewrite(t *Term, memo *memo, stays func(*Term) bool, leaf func(*Term) *Term) *Term {
	rewritten := func(t *Term) *Term {
		if r := memo.get(t); r != nil {
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
		if memo.get(t) != nil {
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
			memo.put(t, leaf(t))
		case slices.Equal(args, t.args):
			memo.put(t, t)
		default:
			memo.put(t, p.Apply(t, args))
		}
	}
	return memo.get(t)
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
