// SPDX-License-Identifier: Apache-2.0

// Package cegar is the engine for components whose states cannot be enumerated: it determinizes a modal predicate abstraction
// and refines it on conflicts until every call is allowed, forbidden, or given up for a reason.
//
// A Run is one attempt. It explores pairs (package pairs) up to the first conflict (cegar.go), and asks its refiners in order (refine.go): each
// has a file refine_*.go that says when it applies and why it makes progress, by predicates (package predicates), rankings (package loops), registers
// (package registers), or classes of arguments and results (split.go). Calls that err at the end of loops (ends.go), surely fail (sure.go), and edges
// that can always be taken (tight.go) come after that, and then the interface (build.go, merge.go) with its certificate (certify.go).
//
// A new refiner is a type in a file of its own and a line in newRefiners.
package cegar
