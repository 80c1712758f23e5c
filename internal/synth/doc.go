// SPDX-License-Identifier: Apache-2.0

// Package synth synthesizes the interface of one open program.
//
// A PROGRAM is the parsed text with the interfaces it uses (uses.go). A STRATEGY says how: engine, conventions, what to
// keep. A TASK is a strategy with what one program may spend. Task.Synthesize runs an engine; then, if asked, another
// prover finds the invariants (spacer.go); then the judge checks the certificate, or follows all runs (judge.go). Only what
// the judge has checked is called proved. At last the guarantees are limited to those of the used interfaces.
//
// Task.Decompose does the same for parts of a program (parts.go). Verify checks an interface that exists (verify.go); it
// asks no engine.
//
// An EFFORT counts the steps of several tasks together: those for the programs that are lowered from one type, which
// package ladder chooses. A budget that runs out is an *UndecidedError.
package synth
