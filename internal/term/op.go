// SPDX-License-Identifier: Apache-2.0

package term

// This file lists the operators. The rest of QF_BV is expressed in them by the
// constructors of Pool. ULe and SLe are part of the language, but the
// constructors write a <= b as !(b < a), so that an order and its negation share
// an atom.

// An Op is the operator of a term. Bit-vector operators have the total
// semantics of SMT-LIB (division by zero gives all ones, remainder by zero the
// dividend, shifts by the width or more give zero or the sign).
type Op uint8

const (
	OpInvalid Op = iota

	OpConst // val
	OpVar   // name

	OpNot // bool
	OpAnd // bool, n-ary
	OpOr  // bool, n-ary
	OpIte // bool, any, any
	OpEq  // any, any: bool (on bools: equivalence)

	OpBVNot
	OpBVAnd // n-ary
	OpBVOr  // n-ary
	OpBVXor // n-ary
	OpNeg
	OpAdd // n-ary
	OpMul // n-ary
	OpUDiv
	OpURem
	OpSDiv
	OpSRem
	OpShl
	OpLShr
	OpAShr
	OpULt // bool
	OpULe
	OpSLt
	OpSLe
	OpConcat  // high, low
	OpExtract // val.Hi..val.Lo
	OpZeroExt // val.Lo more bits
	OpSignExt // val.Lo more bits
)

var opNames = [...]string{
	OpInvalid: "invalid", OpConst: "const", OpVar: "var",
	OpNot: "not", OpAnd: "and", OpOr: "or", OpIte: "ite", OpEq: "=",
	OpBVNot: "bvnot", OpBVAnd: "bvand", OpBVOr: "bvor", OpBVXor: "bvxor",
	OpNeg: "bvneg", OpAdd: "bvadd", OpMul: "bvmul",
	OpUDiv: "bvudiv", OpURem: "bvurem", OpSDiv: "bvsdiv", OpSRem: "bvsrem",
	OpShl: "bvshl", OpLShr: "bvlshr", OpAShr: "bvashr",
	OpULt: "bvult", OpULe: "bvule", OpSLt: "bvslt", OpSLe: "bvsle",
	OpConcat: "concat", OpExtract: "extract", OpZeroExt: "zero_extend", OpSignExt: "sign_extend",
}

// String is the name of the operator in SMT-LIB.
func (op Op) String() string {
	if int(op) < len(opNames) {
		return opNames[op]
	}
	return "invalid"
}
