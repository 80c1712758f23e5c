// SPDX-License-Identifier: Apache-2.0

package corpus

import "os"

// Loops is how many random inputs a test tries: more in continuous integration, few under the race
// detector.
func Loops(usual, ci int) int {
	switch {
	case Race:
		return max(3, usual/12)
	case os.Getenv("CI") == "true":
		return ci
	}
	return usual
}
