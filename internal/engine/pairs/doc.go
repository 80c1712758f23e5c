// SPDX-License-Identifier: Apache-2.0

// Package pairs determinizes a predicate abstraction: a pair says what may be current after a word, and of which sets of abstract states one is.
//
// A Graph has the pairs that were found, with their verdicts and successors. The facts come in this order: what a call does from a pair (Judge,
// Successor; pairs.go), the words to pairs, and abstract traces of words (trace.go). Refinement asks for traces, and interfaces are
// written from graphs. Which pairs are explored is for those who ask.
package pairs
