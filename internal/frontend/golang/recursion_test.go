// SPDX-License-Identifier: Apache-2.0

package golang

import "testing"

// TestRecursionCoarse checks that a recursive call in a coarse program does what the code of the function may do, and not
// what others might do with what it is given.
func TestRecursionCoarse(t *testing.T) {
	testCoarse(t, "testdata/recursion.txtar", Subject{Package: "m/chain", Type: "Link"}, Options{Errors: []string{"panic"}, level: &level{steps: 1}})
}
