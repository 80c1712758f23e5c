// SPDX-License-Identifier: Apache-2.0

package loops

// Limits of the package. A SHARE is the part of the budget, one of so many, that something may take.
const (
	// rankShare is for all searches for rankings that find none. After that no ranking is looked for.
	rankShare = 16
	// rankingRefinements is how many refinements an attempt to find a ranking counts as, where these are bounded.
	rankingRefinements = 3
	// MaxCandidates bounds the relations that are tried at a loop head. Each round of dropping some costs a question for each block.
	MaxCandidates = 160
	// maxRankings bounds the rankings that are looked for in one method; each attempt costs up to some hundred questions.
	maxRankings = 12
	// maxRankDepth bounds the components of a ranking function: loops are rarely nested deeper.
	maxRankDepth = 4
	// rankRounds is how far a call is followed to see what its loops do.
	rankRounds = 64
	// RankWidth is the width of the components of a ranking function: that of the widest variable.
	RankWidth = 64
	// maxMeasures bounds the terms of which ranking functions are made; each costs a question for each block of the loops.
	maxMeasures = 80
	// longRun is for how many blocks a run that is looked at should stay in the loops: one question for each number of them.
	longRun = 3
	// maxStaying bounds the ways through loops that are looked at.
	maxStaying = 16
	// maxSteps bounds the different constants that one method counts with which are looked at.
	maxSteps = 4
	// maxLowBits bounds the low bits that a candidate speaks of: for each number of them there are as many candidates as they have values.
	maxLowBits = 3
)
