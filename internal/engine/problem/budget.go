// SPDX-License-Identifier: Apache-2.0

package problem

// DefaultBudget is the number of steps an engine may take if the problem does
// not say: component states, sets of states, pairs of the checks.
const DefaultBudget = 8 << 20

// CallSteps is how many steps one call may take for each state of the budget: where one
// call has many more runs than there may be states, exploration is not the way.
const CallSteps = 16

// A question costs questionCost steps of the budget, and each questionWork that the solver
// does as much again.
const (
	QuestionCost = 32
	QuestionWork = 1 << 11
)

// Questions is how many questions a budget allows.
func (p *Problem) Questions() int {
	return max(1, p.Budget/QuestionCost)
}
