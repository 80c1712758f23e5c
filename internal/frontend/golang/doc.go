// SPDX-License-Identifier: Apache-2.0

// Package golang reads Go types: it loads a package from source with
// go/packages, takes its SSA form (go/ssa), and lowers the exported methods and
// the constructors of a type to an open program.
//
// Everything the component's own package does that errors can depend on
// (relevance.go) is inlined as far as the limits of call.go allow; other packages are the environment, except for short functions
// and for those that are given an object of the component. What is not modelled
// exactly is recorded with its position, and whether an error site hangs on such
// a guess is known (package lower), so that a guess never becomes a claim.
package golang
