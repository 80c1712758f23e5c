// SPDX-License-Identifier: Apache-2.0

package cli

// This file sets the garbage collector for commands that run once.

import (
	"os"
	"runtime/debug"
)

// Loaded code stays, and is much larger than what commands allocate later. With the
// usual settings the collector scans it again and again, which costs a third of the time of a
// small command. With these the heap may grow to five times what is in use, until the limit.
const (
	collectAt   = 400 // percent
	memoryLimit = 2 << 30
)

// SetCollector makes the garbage collector run less often, unless the variables GOGC and
// GOMEMLIMIT of the environment say how often.
func SetCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
