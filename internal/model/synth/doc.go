// SPDX-License-Identifier: Apache-2.0

// Package synth finds the interface of a labelled transition system over a subset of its
// actions (Giannakopoulou and Păsăreanu, FASE 2009), exactly.
//
// # Definitions
//
// The VISIBLE actions are those of the interface. The others are hidden: they happen any
// number of times between the visible ones, and no client sees them. The projection of a trace
// is its visible actions. A word over the visible actions is ILLEGAL if some trace with that
// projection leads to the error, or a prefix of the word is illegal. A word that is the
// projection of no trace cannot happen; it is legal, or, if Tight is set, impossible.
//
// What the client knows after a word is the SET of states in which traces with that projection
// end, hidden steps included. The interface is the minimal automaton over sets. Matching single
// states, as the paper's second oracle does, masks traces: FASE-2 in its errata is an example.
//
// # Order of facts
//
//	view.go      states that lead to each other by hidden steps become one; states that matter
//	sets.go      the sets after each word, on demand
//	learn.go     the alternative: a learner asks about words, and a search of pairs
//	             (state of its conjecture, set) with antichains is its equivalence oracle
//	build.go     the typestate.Interface of an automaton
//	annotate.go  fails or may fail, reasons, shortest witnesses: a search of pairs
//	             (state of the interface, state of the component)
//
// Nothing here says that the result is proved: package judge checks it against the system.
package synth
