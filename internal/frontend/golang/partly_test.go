// SPDX-License-Identifier: Apache-2.0

package golang

import "testing"

// TestPartly checks that coarse programs decide tests of parameters in the calls that give constants for them, and only there.
func TestPartly(t *testing.T) {
	testCoarse(t, "testdata/types/partly.txtar", Subject{Package: "m/p", Type: "T"}, Options{Errors: []string{"message p: too long"}, level: &level{results: true}})
}
