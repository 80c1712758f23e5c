// SPDX-License-Identifier: Apache-2.0

// Package interlock reads the code of a component and infers its temporal interface: the automaton of exactly those call
// sequences that do not drive the component into an error.
//
//	c, err := interlock.LoadGoType(ctx, interlock.LoadConfig{}, "bufio.Scanner", interlock.GoOptions{})
//	r, err := interlock.Infer(ctx, c, nil)
//	m, err := r.Interface.Monitor()
//
// A [Component] comes from [LoadGoType] or [LoadGo], or, in the text form of open programs, from [ParseProgram]. [Infer]
// returns a [Report] with the [typestate.Interface], which is also the content of an interface file, and with what is
// known of it and how. [Verify] checks such a file against the component. Package typestate has what can be done with an
// interface: step, monitor, walk, compare, read and write; [Formats] shows it in others.
//
// A verdict that is not decided is unknown in the interface, with the reason. Without an interface the error is a
// [*RefusedError] (it cannot be done so, with what to do instead), a [*BudgetError] (the limits did not suffice), or that
// of the context. Limits are counted in steps that are the same on every machine.
//
// What the words mean (allowed, forbidden, safe, permissive, tight) is defined in package typestate; the text form and the
// file format are specified in doc/format.md, the blind spots listed in doc/limits.md. The command interlock does the same
// from the command line.
package interlock
