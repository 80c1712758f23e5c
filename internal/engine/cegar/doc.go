// SPDX-License-Identifier: Apache-2.0

// Package cegar is the engine for components whose states cannot be enumerated: it determinizes a modal predicate abstraction
// and refines it on conflicts until every call is allowed, forbidden, or given up for a reason.
//
// A Run is one attempt. The facts come in this order: pairs of abstract states and their verdicts (pairs.go), conflicts and the traces that show
// them (refine.go, word.go, trace.go, split.go, path.go, loop.go, chain.go), what refutes a trace or divides the arguments (prove.go, order.go, sure.go, cases.go), rankings of
// loops (rank*.go), registers (registers*.go), and then the interface (build.go, merge.go, tight.go) with its certificate
// (certify.go).
package cegar
