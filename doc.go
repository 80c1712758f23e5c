// SPDX-License-Identifier: Apache-2.0

// Package interlock reads the code of a component and synthesizes its temporal
// interface: the automaton of exactly those call sequences that do not drive
// the component into an error.
//
// [Synthesize] takes a component in the text form of open programs and returns
// a [typestate.Interface], which is also the content of an interface file. What
// the words mean (allowed, forbidden, safe, permissive, tight) is defined in
// package typestate; the text form and the file format are specified in
// doc/format.md, the blind spots listed in doc/limits.md.
//
// The command interlock does the same from the command line.
package interlock
