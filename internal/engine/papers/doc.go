// SPDX-License-Identifier: Apache-2.0

// Package papers holds two published algorithms over predicate abstraction as they were described, made exact where they were not: the
// abstraction by given predicates of JIST, and the two abstractions of "Permissive interfaces".
package papers
