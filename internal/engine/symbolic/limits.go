// SPDX-License-Identifier: Apache-2.0

package symbolic

// This file has the limits of symbolic execution and learning. What lies beyond one is unknown, with that reason.

const (
	// maxRounds bounds the blocks of one path of a call that has loops. Beyond it the variables that a loop
	// changes are forgotten, and verdicts that depend on them are unknown.
	maxRounds = 16

	// maxCases bounds the paths that one block is split into. Beyond it states stay conditional terms: more words
	// lead to different nodes.
	maxCases = 64

	// maxRewrites bounds the substitutions of all calls that are followed.
	maxRewrites = 4_000_000

	// maxLeaves bounds the leaves of a node. What follows a word with more of them is unknown.
	maxLeaves = 512

	// maxGuards bounds the guards of one method, maxRefinements the refinements of the alphabet. Each of them makes
	// learning compare all words anew. Beyond them a call whose verdict depends on arguments is unknown.
	maxGuards      = 40
	maxRefinements = 400

	// maxPairs bounds the pairs of one comparison if no depth is given: a deeper one is not tried.
	maxPairs = 1 << 11

	// maxSeeds bounds the predicates that an abstraction is started with. More of them are not used at all.
	maxSeeds = 24

	// relationBits is how many bits of other calls' values a guard may depend on:
	// a few are enumerated by splitting again and again.
	relationBits = 4

	// sizeOfQuestion is how large a term may be until it counts as one question more;
	// an exists-forall question counts for roundsOfQuestion of its size.
	sizeOfQuestion   = 128
	roundsOfQuestion = 16
)
