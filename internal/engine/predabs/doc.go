// SPDX-License-Identifier: Apache-2.0

// Package predabs is modal predicate abstraction: what a call may do and what it must do from a set of states that is given by truth values of
// predicates. An Abstraction answers these questions one at a time, with a solver, and remembers the answers; the engines that refine
// it (packages cegar and papers) decide which predicates it has. It also follows calls as formulas (Unrolled), knows what loops count by, and
// which ranking functions make them end.
package predabs
