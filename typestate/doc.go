// SPDX-License-Identifier: Apache-2.0

// Package typestate holds temporal interfaces of components: the files they
// are kept in, their canonical form, and what they answer about calls.
//
// # Definitions
//
// A COMPONENT has constructors and methods. A call with concrete arguments
// returns a result, or errs, or does not return. What it does may depend on the
// answers of the component's environment and on choices hidden inside it; the
// client chooses only the method and the arguments, and sees only results.
//
// A CALL is a method together with a GUARD, a constraint on its arguments. The
// guards of one method partition its arguments, so a method with concrete
// arguments is always exactly one call.
//
// An OUTCOME is a class of results. The outcomes of one method partition its
// results.
//
// A WORD is a sequence of calls with arguments and observed outcomes that
// begins with a constructor. It is REALIZABLE if some run of the component
// shows it. A call is FORBIDDEN after a realizable word if some run that shows
// the word can err in the call, and ALLOWED otherwise.
//
// An INTERFACE is a deterministic automaton over calls and outcomes. In each
// state each call has one VERDICT, which speaks of every argument that
// satisfies the guard and of every realizable word that reaches the state:
//
//	allowed   no run errs
//	fails     forbidden, and no run returns
//	may-fail  forbidden, but some run may return
//	unknown   not decided; there is a reason
//
// An allowed or unknown call has an EDGE for each outcome that may happen in
// the state. An outcome without an edge CANNOT HAPPEN there: this is proved,
// and the interface says nothing about what would follow. An allowed call
// without any edge never returns.
//
// An interface is SAFE if every "allowed" is true, and PERMISSIVE if every
// "fails" and "may-fail" is: a client that keeps to a safe interface never
// errs, and a permissive one keeps it from nothing harmless. It is TIGHT if
// every edge is realizable after every word that reaches its source. It is
// MINIMAL if no interface with fewer states gives all realizable words the same
// verdicts, the two forbidden ones taken as one. Which of these hold, how that is
// known, and how many cells are open, is in its [Guarantees].
//
// # Use
//
// [Interface.Monitor] follows an object while a program uses it. [Interface.Walk] lists all cells.
//
// [Read] and [Write] are strict and canonical: equal interfaces are equal
// bytes. [Interface.Step] makes one step, [Interface.Accepts] judges a word with
// concrete arguments, [Compare] finds a shortest word on which two interfaces
// disagree. The zero value of every answer is "unknown".
//
// An Interface is plain data. Functions that take one expect it to be valid
// ([Interface.Validate]), as it is after Read; on one that is not they do not
// panic, except Core, but their answers mean nothing.
package typestate
