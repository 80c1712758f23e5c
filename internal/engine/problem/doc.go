// SPDX-License-Identifier: Apache-2.0

// Package problem is what engines are asked and how they refuse: a program with the
// ways to go about it (Problem), the counts that go with an answer (Stats), the errors that mean "undecided" or "not by this
// engine", and what budgets cost. It is a leaf, so that engines need not know each other.
package problem
