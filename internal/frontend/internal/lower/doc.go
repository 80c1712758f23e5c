// SPDX-License-Identifier: Apache-2.0

// Package lower makes open programs of code with objects. A front end walks the
// code of its language and drives a [Method], which emits a control-flow
// automaton over scalars; this package knows about places, references, choices
// of the environment and approximations, and about no language.
//
// # Places and references
//
// A [Place] is an abstract object: an allocation in one inlining context, a
// global, a function, an error value. A reference is a value of one enum whose
// values are nil, outside (every object that is not a place) and the places.
// Each scalar of a place is a [Cell]: a variable of its own. A load through a
// reference is a case split over the places that it may hold.
//
// What a reference may hold is not known before everything has been lowered, so
// lowering is repeated: each pass uses the sets of the pass before, and the
// passes end when no set grows (Andersen's inclusion-based points-to analysis,
// with inlining as context; the transfer functions are the emitted code itself).
// Objects that are allocated repeatedly are one place for the most recent one
// and one summary for all older ones (recency abstraction: Balakrishnan, Reps,
// "Recency-abstraction for heap-allocated storage", SAS 2006).
//
// A separate register code between front end and emitter was not chosen: it
// would repeat what the front ends' own intermediate forms already are.
//
// # After emission
//
// Two questions are asked about what influences what (flow.go): which errors
// are decided by an answer that the environment gave during the same call
// (blame), and which depend on something that was only approximated. Then
// everything that no error site can depend on is removed (slice.go), and what is
// left is made small (tidy.go).
package lower
