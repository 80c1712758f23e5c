// SPDX-License-Identifier: Apache-2.0

package term

// This file prints terms for people: Go's operators, precedence and
// conversions, every bit-vector read as a signed integer, so that x < y is the
// signed order and x <u y the unsigned one. Normal forms are undone where they
// would read oddly: !(a < b) prints as a >= b, a + -1*b as a - b. A term that
// would be long because of sharing is printed with let; nobody reads those, but
// logs must not explode.

import (
	"fmt"
	"strconv"
	"strings"
)

// Precedences of Go's operators; higher binds tighter.
const (
	precOr = iota + 1
	precAnd
	precCmp
	precAdd
	precMul
	precUnary
)

// String is t in infix notation for people.
func (t *Term) String() string {
	var pr printer
	if treeSize(t, printTree) >= printTree {
		return pr.lets(t)
	}
	pr.expr(t, 0)
	return pr.String()
}

// printTree is the number of nodes up to which a term is printed as a tree;
// printDepth bounds the nesting of larger ones.
const (
	printTree  = 2000
	printDepth = 200
)

// treeSize counts nodes with repetition, up to a limit.
func treeSize(t *Term, limit int) int {
	n := 0
	stack := []*Term{t}
	for len(stack) > 0 && n < limit {
		t := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], t.args...)
		n++
	}
	return n
}

type printer struct {
	strings.Builder
	names map[*Term]string // of subterms printed before
}

// lets prints shared and deep subterms first, each with a name.
func (pr *printer) lets(t *Term) string {
	uses := make(map[*Term]int)
	postorder([]*Term{t}, func(t *Term) {
		for _, a := range t.args {
			uses[a]++
		}
	})
	pr.names = make(map[*Term]string)
	depth := make(map[*Term]int)
	postorder([]*Term{t}, func(s *Term) {
		d := 0
		for _, a := range s.args {
			d = max(d, depth[a]+1)
		}
		// A negation stays with its argument: together they print as one.
		if s != t && len(s.args) > 0 && s.op != OpNot && (uses[s] > 1 || d > printDepth) {
			name := "$" + strconv.Itoa(len(pr.names)+1)
			pr.WriteString("let " + name + " = ")
			pr.expr(s, 0)
			pr.WriteString("; ")
			pr.names[s] = name
			d = 0
		}
		depth[s] = d
	})
	pr.expr(t, 0)
	return pr.String()
}

// expr prints t, in parentheses if it binds less tightly than prec.
func (pr *printer) expr(t *Term, prec int) {
	if name, ok := pr.names[t]; ok {
		pr.WriteString(name)
		return
	}
	switch t.op {
	case OpConst:
		pr.WriteString(FormatValue(t.sort, t.val, true))
	case OpVar:
		pr.WriteString(t.name)
	case OpNot:
		pr.not(t.args[0], prec)
	case OpAnd:
		pr.nary(t.args, " && ", precAnd, prec)
	case OpOr:
		pr.nary(t.args, " || ", precOr, prec)
	case OpIte:
		pr.call("ite", t.args...)
	case OpEq:
		pr.binary(t.args[0], " == ", t.args[1], precCmp, prec)
	case OpSLt:
		pr.order(t.args[0], t.args[1], " < ", " > ", prec)
	case OpULt:
		pr.order(t.args[0], t.args[1], " <u ", " >u ", prec)
	case OpSLe:
		pr.order(t.args[0], t.args[1], " <= ", " >= ", prec)
	case OpULe:
		pr.order(t.args[0], t.args[1], " <=u ", " >=u ", prec)
	case OpBVNot:
		pr.WriteByte('^')
		pr.expr(t.args[0], precUnary)
	case OpNeg:
		pr.WriteByte('-')
		pr.expr(t.args[0], precUnary)
	case OpBVAnd:
		pr.nary(t.args, " & ", precMul, prec)
	case OpBVOr:
		pr.nary(t.args, " | ", precAdd, prec)
	case OpBVXor:
		pr.nary(t.args, " ^ ", precAdd, prec)
	case OpMul:
		pr.nary(t.args, "*", precMul, prec)
	case OpAdd:
		pr.sum(t, prec)
	case OpUDiv:
		pr.unsigned(t.args[0], " /u ", t.args[1], precMul, prec)
	case OpURem:
		pr.unsigned(t.args[0], " %u ", t.args[1], precMul, prec)
	case OpSDiv:
		pr.binary(t.args[0], " / ", t.args[1], precMul, prec)
	case OpSRem:
		pr.binary(t.args[0], " % ", t.args[1], precMul, prec)
	case OpShl:
		pr.binary(t.args[0], " << ", t.args[1], precMul, prec)
	case OpLShr:
		pr.binary(t.args[0], " >>u ", t.args[1], precMul, prec)
	case OpAShr:
		pr.binary(t.args[0], " >> ", t.args[1], precMul, prec)
	case OpConcat:
		var parts []*Term
		for t.op == OpConcat && pr.names[t] == "" {
			parts = append(parts, t.args[0])
			t = t.args[1]
		}
		pr.call("concat", append(parts, t)...)
	case OpExtract:
		if t.val.Lo == 0 {
			pr.call("int"+strconv.Itoa(t.sort.Width), t.args[0])
			return
		}
		pr.expr(t.args[0], precUnary)
		fmt.Fprintf(pr, "[%d:%d]", t.val.Hi, t.val.Lo)
	case OpZeroExt:
		fmt.Fprintf(pr, "int%d(", t.sort.Width)
		pr.call("uint"+strconv.Itoa(t.args[0].sort.Width), t.args[0])
		pr.WriteByte(')')
	case OpSignExt:
		pr.call("int"+strconv.Itoa(t.sort.Width), t.args[0])
	default:
		pr.call(t.op.String(), t.args...)
	}
}

// not prints the negation of t.
func (pr *printer) not(t *Term, prec int) {
	if _, named := pr.names[t]; !named {
		switch t.op {
		case OpEq:
			a, b := t.args[0], t.args[1]
			if b.op == OpConst && b.sort.Kind == EnumKind && len(b.sort.Enum.Values) == 2 {
				other := b.sort.Enum.Values[1-b.val.Lo]
				pr.paren(precCmp, prec, func() {
					pr.expr(a, precAdd)
					pr.WriteString(" == " + other)
				})
				return
			}
			pr.binary(a, " != ", b, precCmp, prec)
			return
		case OpSLt:
			pr.notLess(t.args[0], t.args[1], " >= ", " <= ", prec)
			return
		case OpULt:
			pr.notLess(t.args[0], t.args[1], " >=u ", " <=u ", prec)
			return
		}
	}
	pr.WriteByte('!')
	pr.expr(t, precUnary)
}

// notLess prints !(a < b) as a >= b or b <= a: a constant goes to the right,
// otherwise the older term to the left, which is mostly as it was written.
func (pr *printer) notLess(a, b *Term, ge, le string, prec int) {
	if a.op == OpConst || b.op != OpConst && b.id < a.id {
		pr.compare(b, le, a, prec)
		return
	}
	pr.compare(a, ge, b, prec)
}

// order prints a < b, or b > a if a is constant.
func (pr *printer) order(a, b *Term, op, flipped string, prec int) {
	if a.op == OpConst && b.op != OpConst {
		a, b, op = b, a, flipped
	}
	pr.compare(a, op, b, prec)
}

// compare prints an order.
func (pr *printer) compare(a *Term, op string, b *Term, prec int) {
	if strings.HasSuffix(op, "u ") {
		pr.unsigned(a, op, b, precCmp, prec)
		return
	}
	pr.binary(a, op, b, precCmp, prec)
}

// unsigned prints a binary operator that reads its operands as unsigned, and so
// a constant among them.
func (pr *printer) unsigned(a *Term, op string, b *Term, own, prec int) {
	operand := func(t *Term, prec int) {
		if t.op == OpConst {
			pr.WriteString(FormatValue(t.sort, t.val, false))
			return
		}
		pr.expr(t, prec)
	}
	pr.paren(own, prec, func() {
		operand(a, own+1)
		pr.WriteString(op)
		operand(b, own+1)
	})
}

func (pr *printer) binary(a *Term, op string, b *Term, own, prec int) {
	pr.paren(own, prec, func() {
		left := own
		if own == precCmp {
			left++ // comparing comparisons without parentheses confuses
		}
		pr.expr(a, left)
		pr.WriteString(op)
		pr.expr(b, own+1)
	})
}

func (pr *printer) nary(ts []*Term, op string, own, prec int) {
	pr.paren(own, prec, func() {
		for i, t := range ts {
			if i > 0 {
				pr.WriteString(op)
			}
			pr.expr(t, own+1)
		}
	})
}

// sum prints what is added before what is subtracted.
func (pr *printer) sum(t *Term, prec int) {
	pr.paren(precAdd, prec, func() {
		var plus, minus []*Term
		for _, a := range t.args {
			if pr.subtracted(a) {
				minus = append(minus, a)
			} else {
				plus = append(plus, a)
			}
		}
		for i, a := range plus {
			if i > 0 {
				pr.WriteString(" + ")
			}
			pr.expr(a, precMul)
		}
		for i, a := range minus {
			switch {
			case i == 0 && len(plus) == 0:
				pr.expr(a, precUnary)
			case a.op == OpNeg:
				pr.WriteString(" - ")
				pr.expr(a.args[0], precMul+1)
			case a.op == OpConst:
				pr.WriteString(" - " + pr.magnitude(a))
			default: // a product with a negative constant
				pr.WriteString(" - " + pr.magnitude(a.args[0]))
				for _, f := range a.args[1:] {
					pr.WriteByte('*')
					pr.expr(f, precMul+1)
				}
			}
		}
	})
}

// subtracted says whether a summand is printed after a minus sign.
func (pr *printer) subtracted(t *Term) bool {
	if _, named := pr.names[t]; named {
		return false
	}
	switch t.op {
	case OpNeg:
		return true
	case OpMul:
		t = t.args[0]
	}
	// The smallest number has no positive counterpart.
	return t.op == OpConst && t.val.bit(t.sort.Width-1) && t.val != minSigned(t.sort.Width)
}

// magnitude is minus a negative constant.
func (pr *printer) magnitude(k *Term) string {
	return FormatValue(k.sort, k.val.neg(k.sort.Width), true)
}

func (pr *printer) call(f string, args ...*Term) {
	pr.WriteString(f + "(")
	for i, a := range args {
		if i > 0 {
			pr.WriteString(", ")
		}
		pr.expr(a, 0)
	}
	pr.WriteByte(')')
}

func (pr *printer) paren(own, prec int, body func()) {
	if own < prec {
		pr.WriteByte('(')
		defer pr.WriteByte(')')
	}
	body()
}
