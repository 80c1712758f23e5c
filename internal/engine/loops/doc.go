// SPDX-License-Identifier: Apache-2.0

// Package loops finds invariants and rankings of loops.
//
// The facts come in this order: what a method compares and counts by (relations.go, rank_counts.go); sets of relations that every round
// preserves (invariant.go); and rankings, conditions under which a call errs however many rounds its loops take (rank.go, rank_invariant.go,
// rank_measure.go). AlwaysGoesOn says of an effect that a run can always go on, for calls that err if their loops end (ending.go). Predicates
// that refute traces through loops ask for invariants, and refinement asks for rankings.
package loops
