// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
)

// sums are components that count how much there is, which a client is not told: it matters only
// whether there is anything.
var sums = []counting{
	{"writer", `component Writer
state n int64 = 0, closed bool = false
method write(k uint4) (ok bool) {
	var done uint6
	done = any
	assume done <= uint6(k) + 30
	ok = any
	assume !ok || done == uint6(k) + 30
	assume n + int64(done) >= n
	n = n + int64(done)
}
method close() (ok bool) {
	if closed { error "twice" }
	closed = true
	var done uint6
	done = any
	assume done <= 22
	ok = any
	assume !ok || done == 22
	assume n + int64(done) >= n
	n = n + int64(done)
}
method offset(p int64) {
	if n != 0 { error "late" }
	if p < 0 { error "negative" }
	n = p
}
`, true},
	// The same in a loop.
	{"pieces", `component Pieces
state n int64 = 0, left int64 = 0
invariant left >= 0
method add() { assume left < 3; left = left + 1 }
method flush() {
	while left > 0 {
		var done uint2
		done = any
		assume n + int64(done) >= n
		n = n + int64(done)
		left = left - 1
	}
	assume n + 22 >= n
	n = n + 22
}
method first() { if n != 0 { error "late" } }
`, true},
	// What is added may be negative: there is no order.
	{"both", `component Both
state n int64 = 0
method move() { var d int4; d = any; n = n + int64(d) }
method first() { if n != 0 { error "moved" } }
`, true},
	// Sums wrap around.
	{"wraps", `component Wraps
state n int8 = 0
method add(k int8) { if k <= 0 { error "k" }; var d int8; d = any; assume d >= 0 && d <= k; n = n + d }
method first() { if n != 0 { error "late" } }
`, true},
}

func TestSums(t *testing.T) { testCountings(t, sums, 8, 12) }
