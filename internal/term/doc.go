// SPDX-License-Identifier: Apache-2.0

// Package term is the expression language of the project: typed, immutable,
// hash-consed terms over booleans, bit-vectors and finite enums.
//
// Terms of art:
//
//   - A [Sort] is the type of a term: bool, a bit-vector of 1 to 128 bits, or an
//     enum. A bit-vector has no sign; operators have one.
//   - A [Term] is a variable, a constant or an operator applied to terms. The
//     operators are those of SMT-LIB's QF_BV logic with its total semantics,
//     reduced to a few; the constructors of [Pool] offer the rest.
//   - A [Pool] builds terms and owns them. Building is hash-consing: two terms
//     of one pool that look the same are the same pointer.
//   - Building also simplifies. A constructor returns a term with the same
//     value under every [Model] as the operator it is named after, in a normal
//     form: arguments of commutative operators sorted by age (the ID of a term
//     is its age in its pool) and without duplicates, sums as linear
//     combinations, products with one leading constant, equations with common
//     summands cancelled, a <= b as the negation of b < a. Building a term
//     again from its own arguments gives the same term.
//   - A normal form is not a canonical form: equal terms may still be different
//     pointers. Deciding is the business of a solver.
//   - A [Model] gives values to variables; [Eval] computes a term under it.
//
// Two printers exist: [Term.String] for people (Go's operators, numbers read as
// signed) and [WriteSMT] for solvers. [Reader] reads SMT-LIB 2 scripts.
package term
