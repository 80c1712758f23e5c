// SPDX-License-Identifier: Apache-2.0

package golang

import "testing"

// TestTold checks that coarse programs, which do not follow what the code of told.txtar tests, know that what is
// tested is what is returned.
func TestTold(t *testing.T) {
	testCoarse(t, "testdata/types/told.txtar", Subject{Package: "m/p", Type: "T"}, Options{Errors: []string{"message p: closed"}, level: &level{results: true}})
}
