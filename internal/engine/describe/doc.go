// SPDX-License-Identifier: Apache-2.0

// Package describe finds readable conditions. Given points with sets that they belong to, it returns labels and guards
// (Describe, PredicateFormula); given formulas and a solver, it divides arguments and results into classes (Division), eliminates
// variables, and prints guards as a client reads them (GuardPrinter). Engines ask it when they know what is true and
// look for words; it knows programs and solvers, and no Problem.
package describe
