// SPDX-License-Identifier: Apache-2.0

// Package predicates finds predicates for an abstraction: those that refute an abstract trace which the component does not have, and those that make
// a run certain.
//
// The facts come in this order: the blocks of a trace and the first that the component cannot take (path.go); invariants, where that is in a loop (loop.go);
// or the conditions under which a step of a run is certain (prove.go); then the atoms of either, and fewer of them (finder.go). What is about one word
// only is generalized before it becomes a predicate: orders of sums (order.go), chains (chain.go), bounds of counters (widen.go), cases of flags (cases.go).
package predicates
