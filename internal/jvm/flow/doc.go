// SPDX-License-Identifier: Apache-2.0

// Package flow divides the code of a method into basic blocks and infers the types of
// locals and of the operand stack before each: an abstract interpretation over the
// types of values, as the verifier of a virtual machine does it, but without its stack maps,
// which old class files lack and which say less.
//
// A Value is the type of one entry. Longs and doubles are one entry of the stack here,
// and two locals of which the second is Top. A Body is a method with its blocks; Frame is
// the state before a block. What is joined to no common type is Top.
package flow
