// SPDX-License-Identifier: Apache-2.0

package predicates

// Limits of the package.
const (
	// Max bounds the predicates of an abstraction that are found one by one: there may be as many abstract states as sets of them.
	Max = 32
	// maxHeadPreds bounds the predicates of one loop head: there may be as many nodes of an effect as sets of them.
	maxHeadPreds = 16
	// maxFlagCases bounds the predicates that one is taken apart into.
	maxFlagCases = 8
	// maxChain bounds the predicates of one shape that were found one by one; half as many of those that relate variables, which
	// no progression meets. Each explores all pairs again.
	maxChain = 12
	// maxProgression bounds those that are added at once.
	maxProgression = 300
	// maxShape bounds the terms whose shapes are compared: written out, a larger one may be exponentially larger.
	maxShape = 40
	// chased is how many equations about one variable make it a counter.
	chased = 3
)
