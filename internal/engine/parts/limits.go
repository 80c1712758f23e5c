// SPDX-License-Identifier: Apache-2.0

package parts

const (
	// maxProduct bounds the states of a product if the budget does not. Beyond it there is a ProductError.
	maxProduct = 1 << 16

	// maxProductLabel bounds the length of a label of a product state. A longer label is left out.
	maxProductLabel = 120
)
