// SPDX-License-Identifier: Apache-2.0

// Package judge checks an interface against a labelled transition system. It knows nothing of
// how interfaces are found and shares no code with package synth: what both have in common is
// the system and the interface.
//
// # Claims
//
// The calls of the interface are the visible actions; the others are hidden and happen any number
// of times. The judge decides, each with a shortest counterexample:
//
//	safe        no word that the interface allows is the projection of an erring trace:
//	            a search of pairs (state of the interface, state of the system)
//	full        every word that it forbids is one: a search of pairs (state of the
//	            interface, set of all states in which traces with the projection end), of which
//	            only minimal sets count: if a set has an erring trace, so has a larger one
//	permissive  every word that it forbids and that can happen is one: likewise, with all sets
//	tight       every edge is the projection of a trace, after every word that reaches it;
//	            likewise, with sets
//	cells       a call that fails never returns; every witness is a trace
//
// An answer that was not reached is unknown, the zero value.
package judge
