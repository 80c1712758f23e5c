// SPDX-License-Identifier: Apache-2.0

// Package diff says what a client of a component may no longer do, what it newly may, and what errs differently,
// from the interfaces of two versions. It is a reader: it sees two interfaces and nothing else.
//
// Definitions.
//
// A CHANGE is a call that differs in the same way in some pairs of cells that a word gets to in both versions. Its
// PLACES are those pairs, by what the states mean, each with a shortest word. Changes come in four kinds:
//
//	lost       the old version allows the call, the new one forbids it
//	gained     the reverse
//	errs       both forbid it, but one fails and the other may fail, or the errors have other messages
//	undecided  it is unknown in one version: said, and never counted
//
// Methods and constructors that one version does not have are REMOVED or ADDED. A removed one is a loss if the old
// version allows it somewhere. What could not be compared is a reason. Positions in the source are no difference.
//
// [Of] makes a [Report]; the writers put it into the words of a release note.
package diff
