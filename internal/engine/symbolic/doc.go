// SPDX-License-Identifier: Apache-2.0

// Package symbolic learns interfaces over guarded calls by symbolic execution, to a depth or, with a prover, for all words.
//
// A teacher runs words symbolically (exec, ask) and splits calls where verdicts depend on arguments (judge); a learner makes a
// conjecture of the answers (teach); the interface is written and simplified (build, merge, simplify); and the proof for
// words of any length starts from it (prove).
package symbolic
