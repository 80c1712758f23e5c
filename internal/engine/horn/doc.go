// SPDX-License-Identifier: Apache-2.0

// Package horn writes what an interface claims as constrained Horn clauses, for provers of that kind, and reads the invariants that
// they find.
package horn
