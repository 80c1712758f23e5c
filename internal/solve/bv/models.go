// SPDX-License-Identifier: Apache-2.0

package bv

// This file answers questions from models of earlier ones. Of the two sides of a
// branch one always holds in the model of the path before it; evaluating it
// there is much cheaper than searching. Values are remembered per model and term,
// so evaluating a question costs its new terms only.

import (
	"maps"

	"github.com/interlock-go/interlock/internal/term"
)

// keepModels is the number of models that are remembered.
const keepModels = 6

// A model is an assignment with the values of terms under it.
type model struct {
	vars term.Model
	val  []term.Value // by number of the term
	have []bool
	// The first good assertions hold. If stuck, the next one does not.
	good  int
	stuck bool
}

// popped forgets what is known about assertions from n on.
func (m *model) popped(n int) {
	if m.good >= n {
		m.good, m.stuck = n, false
	}
}

// satisfies says whether the stack and the assumptions hold in m.
func (s *Solver) satisfies(m *model, assumptions []*term.Term) bool {
	for m.good < len(s.stack) && !m.stuck {
		if s.eval(m, s.stack[m.good].t).Lo == 0 {
			m.stuck = true
		} else {
			m.good++
		}
	}
	if m.stuck {
		return false
	}
	for _, t := range assumptions {
		if s.eval(m, t).Lo == 0 {
			return false
		}
	}
	return true
}

// fromModels looks for a remembered model of the question, the last used first.
func (s *Solver) fromModels(assumptions []*term.Term) (term.Model, bool) {
	for i, m := range s.models {
		if s.satisfies(m, assumptions) {
			copy(s.models[1:i+1], s.models[:i])
			s.models[0] = m
			return maps.Clone(m.vars), true
		}
	}
	return nil, false
}

// remember keeps a model in place of the one that was not used for longest.
func (s *Solver) remember(vars term.Model) {
	m := &model{}
	if len(s.models) == keepModels {
		m = s.models[keepModels-1]
		clear(m.have)
	} else {
		s.models = append(s.models, nil)
	}
	m.vars, m.good, m.stuck = maps.Clone(vars), 0, false
	copy(s.models[1:], s.models)
	s.models[0] = m
}

// eval is the value of t in m. A variable that m does not have becomes zero there.
func (s *Solver) eval(m *model, t *term.Term) term.Value {
	n := s.enc.num(t)
	if int(n) < len(m.have) && m.have[n] {
		return m.val[n]
	}
	stack := append(s.evalStack[:0], t)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		n := s.enc.num(t)
		if int(n) >= len(m.have) {
			k := max(len(s.enc.terms), 2*len(m.have))
			m.have = append(m.have, make([]bool, k-len(m.have))...)
			m.val = append(m.val, make([]term.Value, k-len(m.val))...)
		}
		if m.have[n] {
			stack = stack[:len(stack)-1]
			continue
		}
		args := t.Args()
		ready := true
		for i := len(args) - 1; i >= 0; i-- {
			if k := s.enc.num(args[i]); int(k) >= len(m.have) || !m.have[k] {
				stack = append(stack, args[i])
				ready = false
			}
		}
		if !ready {
			continue
		}
		stack = stack[:len(stack)-1]
		m.val[n] = s.apply(m, t)
		m.have[n] = true
	}
	s.evalStack = stack
	return m.val[n]
}

// apply computes one operator from the values of its arguments. Words of more
// than 64 bits are left to the evaluator of terms.
func (s *Solver) apply(m *model, t *term.Term) term.Value {
	switch t.Op() {
	case term.OpConst:
		return t.Value()
	case term.OpVar:
		v, ok := m.vars[t]
		if !ok {
			m.vars[t] = v
		}
		return v
	}
	args := t.Args()
	arg := func(i int) term.Value { return m.val[s.enc.num(args[i])] }
	truth := func(b bool) term.Value { return term.BoolValue(b) }
	switch t.Op() {
	case term.OpNot:
		return truth(arg(0).Lo == 0)
	case term.OpAnd, term.OpOr:
		stop := uint64(0)
		if t.Op() == term.OpOr {
			stop = 1
		}
		for i := range args {
			if arg(i).Lo == stop {
				return term.Value{Lo: stop}
			}
		}
		return term.Value{Lo: 1 - stop}
	case term.OpEq:
		return truth(arg(0) == arg(1))
	case term.OpIte:
		if arg(0).Lo != 0 {
			return arg(1)
		}
		return arg(2)
	}
	width := args[0].Sort().Width
	if width > 64 || t.Sort().Width > 64 {
		return term.Eval(t, m.vars)
	}
	x := arg(0).Lo
	var y uint64
	if len(args) > 1 {
		y = arg(1).Lo
	}
	mask := ^uint64(0) >> (64 - t.Sort().Bits())
	signed := func(u uint64) int64 { return int64(u<<(64-width)) >> (64 - width) }
	num := func(u uint64) term.Value { return term.Value{Lo: u & mask} }
	switch t.Op() {
	case term.OpBVNot:
		return num(^x)
	case term.OpNeg:
		return num(-x)
	case term.OpBVAnd, term.OpBVOr, term.OpBVXor, term.OpAdd, term.OpMul:
		for i := 1; i < len(args); i++ {
			z := arg(i).Lo
			switch t.Op() {
			case term.OpBVAnd:
				x &= z
			case term.OpBVOr:
				x |= z
			case term.OpBVXor:
				x ^= z
			case term.OpAdd:
				x += z
			case term.OpMul:
				x *= z
			}
		}
		return num(x)
	case term.OpUDiv:
		if y == 0 {
			return num(mask)
		}
		return num(x / y)
	case term.OpURem:
		if y == 0 {
			return num(x)
		}
		return num(x % y)
	case term.OpShl:
		return num(x << min(y, 64))
	case term.OpLShr:
		return num(x >> min(y, 64))
	case term.OpAShr:
		return num(uint64(signed(x) >> min(y, 64)))
	case term.OpULt:
		return truth(x < y)
	case term.OpULe:
		return truth(x <= y)
	case term.OpSLt:
		return truth(signed(x) < signed(y))
	case term.OpSLe:
		return truth(signed(x) <= signed(y))
	case term.OpConcat:
		return num(x<<args[1].Sort().Width | y)
	case term.OpExtract:
		_, lo := t.Extract()
		return num(x >> lo)
	case term.OpZeroExt:
		return num(x)
	case term.OpSignExt:
		return num(uint64(signed(x)))
	}
	return term.Eval(t, m.vars) // signed division
}
