// SPDX-License-Identifier: Apache-2.0

package term

// This file computes terms under a model. Most evaluations are of small terms
// and millions of them happen, so the first few hundred nodes are visited by
// plain recursion without remembering anything; a term that turns out larger is
// evaluated again node by node in the order of IDs, which is independent of its
// depth and linear in the number of distinct nodes.

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Eval is the value of t under m. Variables that m does not mention are zero.
func Eval(t *Term, m Model) Value {
	e := evaluator{m: m, fuel: 400}
	if v, ok := e.eval(t); ok {
		return v
	}
	memo := make(map[*Term]Value)
	var args []Value
	postorder([]*Term{t}, func(t *Term) {
		args = args[:0]
		for _, a := range t.args {
			args = append(args, memo[a])
		}
		memo[t] = e.node(t, args)
	})
	return memo[t]
}

// Holds is the value of a boolean term.
func Holds(t *Term, m Model) bool { return Eval(t, m) == one }

// Vars are the variables of the model, the oldest first.
func (m Model) Vars() []*Term {
	return slices.SortedFunc(maps.Keys(m), func(a, b *Term) int {
		return cmp.Or(byID(a, b), strings.Compare(a.name, b.name))
	})
}

// String is the model on one line, numbers read as signed: x=-1 b=true.
func (m Model) String() string {
	var parts []string
	for _, v := range m.Vars() {
		parts = append(parts, v.name+"="+FormatValue(v.sort, m[v], true))
	}
	return strings.Join(parts, " ")
}

type evaluator struct {
	m    Model
	fuel int
}

// eval gives up when the fuel is used up. Depth is bounded by the fuel.
func (e *evaluator) eval(t *Term) (v Value, ok bool) {
	if e.fuel--; e.fuel < 0 {
		return Value{}, false
	}
	var buf [4]Value
	args := buf[:0]
	if t.op == OpIte {
		c, ok := e.eval(t.args[0])
		if !ok {
			return Value{}, false
		}
		if c == one {
			return e.eval(t.args[1])
		}
		return e.eval(t.args[2])
	}
	for _, a := range t.args {
		v, ok := e.eval(a)
		if !ok {
			return Value{}, false
		}
		args = append(args, v)
	}
	return e.node(t, args), true
}

// node is the value of t, given those of its arguments.
func (e *evaluator) node(t *Term, args []Value) Value {
	if t.op == OpVar {
		return e.m[t]
	}
	return apply(t, args)
}

// apply is the value of a term that is not a variable, given those of its
// arguments. It is the definition of the operators.
func apply(t *Term, args []Value) Value {
	w := t.sort.Width
	switch t.op {
	case OpConst:
		return t.val
	case OpNot:
		return args[0].xor(one)
	case OpIte:
		if args[0] == one {
			return args[1]
		}
		return args[2]
	case OpEq:
		return BoolValue(args[0] == args[1])
	case OpBVNot:
		return args[0].not(w)
	case OpNeg:
		return args[0].neg(w)
	case OpAnd, OpOr, OpBVAnd, OpBVOr, OpBVXor, OpAdd, OpMul:
		v := args[0]
		for _, x := range args[1:] {
			v = apply2(t.op, v, x, w)
		}
		return v
	case OpConcat:
		return args[0].shl(uint(t.args[1].sort.Width)).or(args[1])
	case OpExtract:
		return args[0].extract(int(t.val.Hi), int(t.val.Lo))
	case OpZeroExt:
		return args[0]
	case OpSignExt:
		return args[0].sext(t.args[0].sort.Width).trunc(w)
	}
	return apply2(t.op, args[0], args[1], t.args[0].sort.Width)
}

// apply2 applies an operator to two operands of the given width.
func apply2(op Op, v, x Value, width int) Value {
	switch op {
	case OpAnd, OpBVAnd:
		return v.and(x)
	case OpOr, OpBVOr:
		return v.or(x)
	case OpBVXor:
		return v.xor(x)
	case OpAdd:
		return v.add(x, width)
	case OpMul:
		return v.mul(x, width)
	case OpUDiv:
		q, _ := v.udivrem(x, width)
		return q
	case OpURem:
		_, r := v.udivrem(x, width)
		return r
	case OpSDiv:
		q, _ := v.sdivrem(x, width)
		return q
	case OpSRem:
		_, r := v.sdivrem(x, width)
		return r
	case OpShl:
		return v.shlBy(x, width)
	case OpLShr:
		return v.lshrBy(x)
	case OpAShr:
		return v.ashrBy(x, width)
	case OpULt:
		return BoolValue(v.ult(x))
	case OpULe:
		return BoolValue(!x.ult(v))
	case OpSLt:
		return BoolValue(v.slt(x, width))
	case OpSLe:
		return BoolValue(!x.slt(v, width))
	}
	panic("term: operator " + op.String() + " has no value")
}
