// SPDX-License-Identifier: Apache-2.0

package registers

// Limits of the package. A SHARE is the part of the budget, one of so many, that something may take.
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
