// SPDX-License-Identifier: Apache-2.0

package explore

// This file has the limits of exploration. Beyond each of them it ends with a BudgetError or a TooWideError, and another
// engine has to decide.

const (
	// MaxBytes bounds what exploration stores, in bytes. They are counted, not measured, so that the same input ends the
	// same way everywhere; the process takes two to three times as many, because slices grow.
	MaxBytes = 1 << 30

	// maxDomain bounds the values enumerated for one choice or argument tuple. Each value of each is run from each state.
	maxDomain = 1 << 16

	// maxSteps bounds the steps of all runs of one call from one state.
	maxSteps = 1 << 20

	// maxEdges bounds the edges of a component, which are numbered by 32 bits.
	maxEdges = 1<<32 - 1<<20

	// stepsPerState is how many steps of runs the budget has for each state: calls that loop may take
	// more of them from each state than from the one before.
	stepsPerState = 256

	// maxSmallResults bounds the tuples of bools and enums that get letters without being seen. A method with more of
	// them costs one exploration, to find the results that occur.
	maxSmallResults = 256

	// maxChunk is how many states one worker expands at a time, waveCalls bounds the calls whose runs are stored before
	// they are merged: calls with many tuples of arguments are run from few states at a time. They cost memory only.
	maxChunk  = 256
	waveCalls = 1 << 22
)
