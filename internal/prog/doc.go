// SPDX-License-Identifier: Apache-2.0

// Package prog holds open programs: the form in which every component, from
// whatever language, reaches the engines.
//
// # Terms of art
//
// An open program has scalar state variables, constructors and methods. A call
// of a method starts with the current state, the arguments in the parameters,
// and zero in results and locals. It follows the method's control-flow
// automaton: locations joined by edges, each an assignment, an assume, or a
// havoc. A run ends by returning (it reaches Exit), by erring (it reaches the
// location of an error site), or not at all: it diverges (runs for ever) or is
// stuck (no edge is enabled). Runs that do not end are ignored.
//
// A havoc gives a variable any value of its type; its origin tells whether the
// environment answers or the component chooses by itself. A client sees
// neither: all it sees are the results of its calls.
//
// An error site may be blamed on the environment; a run that reaches such a
// site is not an error of the client.
//
// # Text form
//
// Parse reads the text form (files ending in .open, specified in
// doc/format.md), Print writes it, and the two agree: parsing what was printed
// gives an Equal program, for every automaton in canonical form (Canonical).
// ParseExpr and FormatExpr do the same for single expressions.
//
// # Reference interpreter
//
// Interp enumerates all runs. It is the oracle that engines are tested
// against, so it is plain rather than fast, and answers *BudgetError rather
// than guess.
package prog
