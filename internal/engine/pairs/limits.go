// SPDX-License-Identifier: Apache-2.0

package pairs

// Limits of the package.
const (
	// maxCombinations bounds the sets one member of L steps to. The number may multiply with each abstract state of the member.
	maxCombinations = 16
)
