// SPDX-License-Identifier: Apache-2.0

// Package registers finds variables of a component whose values a client can know, and divides calls by comparisons with them.
//
// The facts come in this order: comparisons of arguments with variables of the state because of which words err, which become registers
// (registers.go); proofs that after each edge of the pairs a client knows their values (known.go); and whether a register is in sight before anything is
// explored (sight.go). Refinement asks for registers, and the interface has them with their updates.
package registers
