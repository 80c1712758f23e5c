// SPDX-License-Identifier: Apache-2.0

package predabs

// This file holds the limits of the abstraction. A SHARE is the part of the budget, one of so many, that something may take.

const (
	// MaxPreds bounds the predicates of an abstraction: each has a bit in every abstract state, and may double their number.
	MaxPreds = 512
	// maxOpen bounds the predicates that may all be open where the solver does not know their values. What a call may do is unknown for more.
	maxOpen = 6
)

// What must happen.
const (
	// mustShare is for one question about choices, and mustRounds is how many proposals are refuted in it. What takes more is not certain.
	mustShare  = 64
	mustRounds = 64
)

// Unrolled runs. What must happen is not known of longer ones, unless they have rankings.
const (
	// maxUnroll bounds the rounds in which a run may go more than one way: the formula grows by all blocks in each.
	maxUnroll = 6
	// maxFurther is that bound for witnesses, if there is no shorter one.
	maxFurther = 40
	// maxForced bounds all rounds: those in which a run cannot go more than one way, because loops count with known numbers, add little.
	maxForced = 128
	// maxUnrolled bounds the values that are computed in all: formulas of more are of no use.
	maxUnrolled = 1 << 18
)

// Predicates that errors need (needed.go).
const (
	// neededShare is for the search for them. What was found by then is taken.
	neededShare = 8
	// maxNeeded bounds these predicates, and maxNeededSize each of them.
	maxNeeded     = 8
	maxNeededSize = 8
)

// What loops count by (ranking.go).
const ()

// Classes of arguments and results.
const (
	// maxSplits bounds the splits in all: each explores all pairs again.
	maxSplits = 160
	// MaxClasses bounds the classes of the arguments or results of one method: each costs an effect in each abstract state.
	MaxClasses = 40
)
