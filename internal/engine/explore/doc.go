// SPDX-License-Identifier: Apache-2.0

// Package explore represents the states of a component for the engines.
//
// This is the explicit representation. Definitions:
//
// A CONCRETE STATE is a valuation of the state variables that matter (see
// slice.go), packed into machine words and numbered in the order of discovery.
//
// A CALL is a method, or a constructor, with a class of argument tuples. All
// tuples of a class behave alike in every reachable state: same results, same
// successors, same error sites. So one of them, the representative, stands for
// the class.
//
// A LETTER is a call with a tuple of result values: what a client observes of
// one call that returns.
//
// A BEHAVIOUR of a call in a state is a set of edges: (letter, next state) for
// every run that returns, and an error edge for every site at which a run errs.
// Runs that do not return leave no edge.
package explore
