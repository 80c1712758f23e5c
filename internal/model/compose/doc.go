// SPDX-License-Identifier: Apache-2.0

// Package compose verifies systems of components piece by piece (Cobleigh, Giannakopoulou,
// Păsăreanu, TACAS 2003).
//
// # Definitions
//
// <A> M <P>: no run of M that keeps to A violates P. A and P are automata over their own
// alphabets; runs that leave A are not runs, and a run violates P if it leaves P. A component's own
// errors count as violations. DISCHARGE of A on an environment: <true> ENV <A>.
//
// The rule ASYM: <A> M1 <P> and <true> M2 || ... || Mn <A> give <true> M1 || ... || Mn <P>. The
// weakest A is the interface of M1 || P over the actions that M1 or P shares with the others
// (package synth). It is exact: if it is not discharged, the system violates P.
//
// # Order of facts
//
//	check.go    <A> M <P> and discharge: a breadth-first search of a composition
//	verify.go   the rule for n components: the assumption for each is the property for the rest
//	learn.go    the alternative: L* with both oracles of TACAS 2003, which may stop earlier
//	trace.go    counterexamples of the whole: put together from those of the pieces, then a shortest
//
// Every assumption is checked by package judge, and every counterexample is replayed by its
// interpreter, before it is reported.
package compose
