// SPDX-License-Identifier: Apache-2.0

package ladder

import "github.com/interlock-go/interlock/internal/frontend/golang"

// The series of slices that are tried of one program. Each takes about as long as all before it.
var (
	depths = append(settledDepths[:len(settledDepths):len(settledDepths)],
		golang.Depth{Sites: 4, Results: 4}, golang.Depth{Sites: -1, Results: -1}, golang.Depth{Sites: -1, Results: golang.Numbers})
	// settledDepths are those in which everything is decided if it is in any with checks of the run time.
	settledDepths = []golang.Depth{{Sites: 0, Results: 0}, {Sites: 1, Results: 0}, {Sites: 1, Results: 1, Plain: true}, {Sites: 2, Results: 3, Plain: true},
		{Sites: 1, Results: 1}, {Sites: 2, Results: 1}, {Sites: 2, Results: 3}}
	coverDepths    = []golang.Depth{{Sites: 0}, {Sites: 1}}  // for one check
	favourDepths   = []golang.Depth{{Sites: 1}, {Sites: -1}} // for checks with favoured calls
	favouredDepths = []golang.Depth{{Sites: -1, Results: 0}, {Sites: -1, Results: 1, Plain: true}, {Sites: -1, Results: 3, Plain: true}}
)

// Budgets of one program. Components of code are decided soon or not at all.
const (
	depthShare       = 128     // the part of the budget of the type, one of so many
	completeShare    = 32      // of one from which nothing is left out
	coverBudget      = 1 << 12 // steps for one check: some ten milliseconds
	favourBudget     = 1 << 17 // steps with favoured calls: below a second
	codeRefinements  = 8       // how often engines try to refine the verdicts of one method
	coverRefinements = 3
)

// How many programs are tried.
const (
	// maxStuck is how many programs may be too much for the engines before only the
	// complete one is left to try, with numbers too if it is complete.
	maxStuck     = 3
	coverSites   = 60  // checks that are looked at in a component
	coverEdges   = 300 // edges of a program that is made for one check; twice as many with favoured calls
	maxFavoured  = 4   // checks that are looked at together
	favourRounds = 3   // how often some of them are left out
)

// The effort of a type with the default budget, in terms that are made: some ten seconds. The others are parts of it,
// one of so many.
const (
	typeEffort   = 1_000_000
	coverShare   = 8 // for checks that are in one program with explicit errors
	checksShare  = 3 // for checks on their own
	opaqueShare  = 4 // for the opaque program, which is asked where the others have used up theirs
	leftOutShare = 8 // for a type of which methods are left out: it is lowered several times before
)

// Weights of what an effort counts, in terms that are made: they take about as long.
const (
	lowerWork     = 12 // for an edge of a pass of lowering
	sliceWork     = 2  // for an edge, when a smaller program is made of a program
	analysisSteps = 2  // of the analysis of a lowered program, that are worth one
)

// Answers are compared along words of decisionDepth calls; certainty is what a word is worth in which everything is
// decided.
const (
	decisionDepth = 6
	certainty     = 1 << 40
)
