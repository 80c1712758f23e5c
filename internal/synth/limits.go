// SPDX-License-Identifier: Apache-2.0

package synth

// Limits of the embedded solver, in conflicts of the search for one answer. A thousand take some milliseconds.
const (
	solverConflicts = 100_000   // of engines and the judge
	quickConflicts  = 1_000     // of attempts that something else takes the place of
	codeConflicts   = 4_000     // of engines, for programs of code: another program follows
	verifyConflicts = 1_000_000 // of Verify: nothing follows
)

// Limits of the judge, in steps of the enumeration: a fraction of a second each.
const (
	codeEnumeration = 1 << 20 // of a program of code, of which there are many for one type
	secondSteps     = 1 << 20 // where a certificate did not decide
)

// hornSteps bounds a question to Spacer in z3's own steps, of which there are some
// millions in a second.
const hornSteps = 6_000_000

// The check of one certificate of a program of code makes at most certificateTerms terms, and its solvers
// do the part of the effort that certificateShare says, one of so many.
const (
	certificateTerms = 300_000
	certificateShare = 16
)

// Weights of what an effort counts, in terms that are made: they take about as long.
const (
	propagations = 64 // of solvers, that are worth one
	rewrites     = 64 // of terms that are looked at in substitutions
)
