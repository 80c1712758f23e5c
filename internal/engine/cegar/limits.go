// SPDX-License-Identifier: Apache-2.0

package cegar

// This file holds the limits of the engine. What exceeds one is unknown, or is looked for in another way. A SHARE is the part of the budget, one of
// so many, that something may take.

// Shares of the budget.
const (
	// refinedShare is for refinement. In the rest, what the predicates found so far do not decide is unknown.
	refinedShare = 2
	// unrefinedShare is kept to write the interface in an attempt that refines nothing.
	unrefinedShare = 4
	// fewerShare is for one exploration with fewer predicates after the budget of refinement ran out, so that there is an answer.
	fewerShare = 4
	// writeShare is for what is asked when the interface is written: whether calls surely fail, its witnesses and its certificate.
	writeShare = 2
	// refineShare is for one refinement. A conflict that needs more is given up.
	refineShare = 8
	// sureShare is for the question which calls surely fail. If it is not enough, none is said to.
	sureShare = 4
	// looseShare is for loose edges. Those that are left stay, and the interface is not called tight.
	looseShare = 8
)

// Refinements.
const (
	// refinedMethods is how many times as many refinements there are in all as one method gets, where these are bounded.
	refinedMethods = 3
	// plainBudget is how many times the budget an attempt has that only asks what may happen, and plainRefinements how many times as many refinements: a
	// question takes less than those of what must happen, and a refinement takes few.
	plainBudget      = 4
	plainRefinements = 3
	// lateTries is how many refinements a method gets before a condition on the state alone divides its calls, and
	// lateChain how many predicates of one chain: so many states are better than registers.
	lateTries = 4
	lateChain = 16
)

// Predicates.
const (
	// maxLoose bounds the edges that are given up before the rest is, and maxLooseSize the predicates that edges are made certain by. Larger
	// ones are about one word, not about a state.
	maxLoose     = 16
	maxLooseSize = 100
	// fewPredicates is how many predicates labels are chosen from without looking for those that tell states apart first. Formulas of
	// more are minimized slowly.
	fewPredicates = 24
)

// Pairs.
const (
	// maxPartial is the number of pairs of an interface with unknown verdicts above which it is made again with fewer predicates: one
	// that follows a counter for some thousand steps and then does not know says nothing more than one that follows it for ten.
	maxPartial = 256
	// maxSure bounds the families per pair, on average, that surely have a current state, beside sureFamilies.
	maxSure      = 4
	sureFamilies = 16
)

// Classes of arguments and results.
const (
	// A relation is followed for twice as many splits as its variables have values, if these are at most fewValues, and for wideRelation otherwise.
	fewValues    = 16
	wideRelation = 6
	// quietRounds bounds the counterexamples in the question for arguments that do not err.
	quietRounds = 200
)
