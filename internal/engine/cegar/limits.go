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
	// rankShare is for all searches for rankings that find none. After that no ranking is looked for.
	rankShare = 16
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
	// rankingRefinements is how many refinements an attempt to find a ranking counts as, where these are bounded.
	rankingRefinements = 3
	// lateTries is how many refinements a method gets before a condition on the state alone divides its calls, and
	// lateChain how many predicates of one chain: so many states are better than registers.
	lateTries = 4
	lateChain = 16
)

// Predicates.
const (
	// MaxPredicates bounds the predicates of an abstraction that are found one by one: there may be as many abstract states as sets of them.
	MaxPredicates = 32
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
	// maxCandidates bounds the relations that are tried at a loop head. Each round of dropping some costs a question for each block.
	maxCandidates = 160
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
	// maxCombinations bounds the sets one member of L steps to. The number may multiply with each abstract state of the member.
	maxCombinations = 16
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

// Registers.
const (
	// maxRegisterAtoms bounds the comparisons with registers in the guards of one method, of which each may double the classes of its
	// arguments; maxRegisters bounds the registers.
	maxRegisterAtoms = 4
	maxRegisters     = 6
	// stateSplits is how often the arguments of a method are split by the value that a state variable has in one word, before it
	// becomes a register.
	stateSplits = 4
	// wholeCubes bounds the cubes of a condition under which a call errs that divides its arguments as a whole.
	wholeCubes = 12
	// updateClasses is from how many classes of arguments on a method is not divided because of what registers are given.
	updateClasses = 8
	// maxGiven bounds the expressions that may be the value of a register after a call, before those that results give: each is a proof for
	// each edge of the call.
	maxGiven = 12
	// samePaths bounds the ways on which two terms are found to be equal.
	samePaths = 8
	// fewBits is the width from which values are too many to be told apart, manyBits that from which they are where
	// no argument is compared with them: those of a byte are not, to explore them costs next to nothing.
	fewBits  = 5
	manyBits = 9
)

// Registers instead of states.
const (
	// ToldApart is the number of states up to which a component, or its table, has no registers instead of states. To
	// explore them costs next to nothing, and a person can read them.
	ToldApart = 64
	// SightStates is how many states and sets are explored before predicates are tried where a register is in
	// sight: they may have a small table all the same. They take some milliseconds.
	SightStates = 1 << 14
	// SightShare is the part of the budget, one of so many, that predicates have then before other engines, and SightSteps
	// what they have at least, if the budget is that large.
	SightShare = 16
	SightSteps = 1 << 18
)

// Rankings.
const (
	// maxRankings bounds the rankings that are looked for in one method; each attempt costs up to some hundred questions.
	maxRankings = 12
	// maxRankDepth bounds the components of a ranking function: loops are rarely nested deeper.
	maxRankDepth = 4
	// rankRounds is how far a call is followed to see what its loops do.
	rankRounds = 64
	// rankWidth is the width of the components of a ranking function: that of the widest variable.
	rankWidth = 64
	// maxMeasures bounds the terms of which ranking functions are made; each costs a question for each block of the loops.
	maxMeasures = 80
	// longRun is for how many blocks a run that is looked at should stay in the loops: one question for each number of them.
	longRun = 3
	// maxStaying bounds the ways through loops that are looked at.
	maxStaying = 16
)
