// SPDX-License-Identifier: Apache-2.0

// Package words writes words of calls as formulas over initial values, arguments and choices, and has the interpreter confirm
// their models.
//
// A word is a list of calls with their outcomes, and a last call that errs or ends otherwise. The facts come in this order: the formula
// of each step, with its own copies of variables (compose.go), what it says of states and results between steps (words.go), and a concrete
// run (replay.go). Refinement asks whether words happen, and interfaces have the runs as witnesses.
package words
