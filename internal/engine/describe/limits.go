// SPDX-License-Identifier: Apache-2.0

package describe

// This file has the limits that decide which texts and conditions are found. None of them changes a verdict by
// itself: what is not described is printed as it is, and what is not divided stays unknown.

const (
	// MaxLabel bounds labels, in bytes. A longer label is left out.
	MaxLabel = 120

	// MaxGuardTuples bounds the values that are enumerated for one division, maxRegisterTuples with those of registers: no
	// other engine has these guards, so that nothing is gained by spending a second on a text. Beyond it a guard is
	// minimized by its comparisons, so that its text may differ from that of a finite engine.
	MaxGuardTuples    = 1 << 16
	maxRegisterTuples = 1 << 12

	// maxGuardAtoms and maxGuardCubes bound a minimization by comparisons: of comparisons, and of combinations of their
	// truth values. Beyond them a guard is printed as the engine built it.
	maxGuardAtoms = 24
	maxGuardCubes = 1 << 12

	// fewCubes and manyCubes bound the cubes of a cofactor: a few are tried for it and for its negation, and then many
	// for it. Each cube costs a question for each of its literals. A condition that has more is cut short, so that a
	// class is split more often.
	fewCubes  = 6
	manyCubes = 24
)
