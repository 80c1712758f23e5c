// SPDX-License-Identifier: Apache-2.0

package term

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
