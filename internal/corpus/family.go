// SPDX-License-Identifier: Apache-2.0

package corpus

// This file generates the scalable components of Beyer, Henzinger and Singh,
// "Algorithms for interface synthesis" (CAV 2007). The paper counts boolean
// variables; here k booleans that belong together are one variable uintk, whose
// bits an engine may hide one by one. Where the paper leaves a detail open, the
// doc comment says what was chosen. L is the number of states of the
// interface.

import (
	"fmt"
	"math/bits"
	"strings"
)

// A Family is a component that grows with k.
type Family struct {
	Name   string
	Doc    string
	Min    int                // smallest k
	Max    int                // largest k that the types allow
	Source func(k int) string // the component in the text form
	States func(k int) int    // number of states of its interface
}

// Families lists the families in a fixed order.
func Families() []Family {
	constant := func(n int) func(int) int { return func(int) int { return n } }
	return []Family{
		{"Stack", "sizes 0 to 2^k, push fails when full", 1, 63, Stack, func(k int) int { return 1<<k + 1 }},
		{"StackSaturating", "sizes 0 to 2^k-1, push saturates", 1, 64, StackSaturating, func(k int) int { return 1 << k }},
		{"ListIterator", "k bits of location and of last location", 2, 64, ListIterator, constant(2)},
		{"ServerTableEntry", "k irrelevant bits of server id", 1, 64, ServerTableEntry, constant(3)},
		{"PipedOutputStream", "k irrelevant bits of buffer, connect has two results", 1, 64, PipedOutputStream, constant(2)},
		{"SeparationA", "up-down counter over 2^(k-1) values: the direct algorithm wins", 2, 64, SeparationA, func(k int) int { return 1 << (k - 1) }},
		{"SeparationB", "one value among 2^(k-1) matters: learning wins", 2, 64, SeparationB, constant(2)},
		{"SeparationC", "log k bits matter: abstraction wins", 2, 64, SeparationC, func(k int) int { return 1 << log2(k) }},
	}
}

func log2(k int) int { return bits.Len(uint(k)) - 1 }

// expand replaces $N, where N is a name, by its value.
func expand(text string, values ...any) string {
	var pairs []string
	for k := 0; k < len(values); k += 2 {
		pairs = append(pairs, "$"+values[k].(string), fmt.Sprint(values[k+1]))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Stack is a stack of maximal size 2^k whose push fails when it is full. The
// paper leaves overflow open. L = 2^k + 1.
func Stack(k int) string {
	return expand(`component Stack
state size uint$W = 0
method push() {
	if size == $FULL { error "stack is full" }
	size++
}
method pop() {
	if size == 0 { error "stack is empty" }
	size--
}
method peek() { if size == 0 { error "stack is empty" } }
`, "W", k+1, "FULL", uint64(1)<<k)
}

// StackSaturating is a stack whose push changes nothing at size 2^k - 1.
// L = 2^k.
func StackSaturating(k int) string {
	return expand(`component Stack
state size uint$W = 0
method push() { if size != $MAX { size++ } }
method pop() {
	if size == 0 { error "stack is empty" }
	size--
}
method peek() { if size == 0 { error "stack is empty" } }
`, "W", k, "MAX", ones(k))
}

// ListIterator moves a location lc cyclically over the codes other than the
// invalid one (all ones); next and prev copy it to lp before they move and
// always succeed; remove and add make lp invalid. About 3·2^k states can be
// reached. L = 2, but hiding a single bit of lp loses it.
func ListIterator(k int) string {
	return expand(`component ListIterator
const invalid = $ONES
state lp uint$W = invalid, lc uint$W = 0
method next() {
	lp = lc
	if lc == invalid - 1 { lc = 0 } else { lc++ }
}
method prev() {
	lp = lc
	if lc == 0 { lc = invalid - 1 } else { lc-- }
}
method remove() {
	if lp == invalid { error "no current element" }
	lp = invalid
}
method add() { lp = invalid }
`, "W", k, "ONES", ones(k))
}

// ServerTableEntry has two bits of phase and k bits of a server id that every
// call changes and no guard reads. L = 3; 3·2^k states can be reached.
func ServerTableEntry(k int) string {
	return expand(`component ServerTableEntry
const idle = 0
const activated = 1
const running = 2
state phase uint2 = idle, id uint$W = 0
method activate() { id++; phase = activated }
method register() {
	id++
	if phase != activated { error "INTERNAL" }
}
method registerPorts() {
	id++
	if phase == activated { phase = running }
}
method install() {
	id++
	if phase != running { error "INTERNAL" }
}
method uninstall() {
	id++
	if phase != running { error "INTERNAL" }
	phase = idle
}
method holdDown() { id++; phase = idle }
`, "W", k)
}

// PipedOutputStream has a flag and k bits of buffer: write counts it up, flush
// clears it. The two results of connect are the environment's; connect on a
// connected stream fails, which the paper leaves open. L = 2; 2^k + 1 states
// can be reached.
func PipedOutputStream(k int) string {
	return expand(`component PipedOutputStream
state connected bool = false, buffer uint$W = 0
method connect() (ok bool) {
	if connected { error "already connected" }
	ok = any
	connected = ok
}
method write() {
	if !connected { error "pipe not connected" }
	buffer++
}
method flush() { buffer = 0 }
method close() { }
`, "W", k)
}

// SeparationA counts up and down over N = 2^(k-1) values and fails at both
// ends. L = N. (The figure of the paper counts the error bit as one of k.)
func SeparationA(k int) string {
	return expand(`component SeparationA
state s uint$W = 0
method f1() {
	if s == $MAX { error "past the end" }
	s++
}
method f2() {
	if s == 0 { error "before the start" }
	s--
}
`, "W", k-1, "MAX", ones(k-1))
}

// SeparationB runs through N = 2^(k-1) values and never back to 0, where alone
// f2 fails. L = 2, but hiding any bit makes some other value look like 0.
func SeparationB(k int) string {
	return expand(`component SeparationB
state s uint$W = 0
method f1() { if s == $MAX { s = 1 } else { s++ } }
method f2() {
	if s == 0 { error "at rest" }
	s = 0
}
`, "W", k-1, "MAX", ones(k-1))
}

// SeparationC is SeparationA on l = floor(log2 k) bits beside a counter of the
// remaining k-1-l bits that every call steps. L = 2^l.
func SeparationC(k int) string {
	l := log2(k)
	rest, step := "", ""
	if r := k - 1 - l; r > 0 {
		rest, step = fmt.Sprintf(", c uint%d = 0", r), "\n\tc++"
	}
	return expand(`component SeparationC
state s uint$W = 0$REST
method f1() {$STEP
	if s == $MAX { error "past the end" }
	s++
}
method f2() {$STEP
	if s == 0 { error "before the start" }
	s--
}
`, "W", l, "MAX", ones(l), "REST", rest, "STEP", step)
}

// ones is 2^k - 1.
func ones(k int) uint64 { return ^uint64(0) >> (64 - k) }
