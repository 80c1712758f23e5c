// SPDX-License-Identifier: Apache-2.0

// Package check holds Go clients against interfaces: it says which calls on tracked objects fail in every state that the
// object may be in. It knows typestate and go/ssa; it reads no files and has no global state.
//
// # Words
//
// A PROTOCOL is an interface compiled for this purpose. An OBJECT is a value of a type that has a protocol, named by its
// ROOT: the SSA value that it comes from (an allocation, the result of a call, a parameter, a phi). Of each object a TRACK
// says at each point in which states it may be. The states are an over-approximation: where aliasing, other code or
// goroutines may have changed an object, states are added, never removed. A FINDING is a call that fails in all of them.
//
// An object is EXCLUSIVE if only the code at hand can change it, SHARED if other code may at any time: then its states are
// closed under all calls of the protocol. An object whose states are not known, whatever calls follow, is LOST: its exported
// fields were assigned, or it is shared and its protocol does not have all methods of the type.
//
// A call's outcome is not known when it returns. Each state after a call carries the EVENT (the call and the outcome) that
// led to it, until the next call on the object; a branch on a result of the call removes the states whose outcome contradicts it.
//
// # Facts, in the order in which they are computed
//
//  1. [Compile] makes protocols of interfaces.
//  2. Roots of the values of a function (roots.go), without regard to flow.
//  3. The tracks at the start of each block, as a fixpoint (flow.go, transfer.go, branch.go).
//  4. The SUMMARY of a function (summary.go): for each parameter the exits by state at the entry, or the methods that may be
//     called on it through an interface; for each result where it comes from. Callers ask for it; recursive functions have none.
//  5. Findings, in a last pass over blocks that are reached (findings.go), which leaves out calls whose failure the client
//     expects (excuse.go).
//
// Package analyzer asks, and carries summaries between packages.
package check
