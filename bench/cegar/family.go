// SPDX-License-Identifier: Apache-2.0

package main

// This file holds the families: components in which one thing grows and all
// else stays. The growing thing should cost nothing (width, irrelevant
// variables, irrelevant loops) or is what the interface is about (flags).

import (
	"fmt"
	"strings"
)

// A family is a sequence of components.
type family struct {
	name, doc string
	sizes     []int
	quick     []int // a part of sizes
	source    func(n int) string
	states    func(n int) int
	flat      bool // solver calls must not depend on the size
}

func always(n int) func(int) int { return func(int) int { return n } }

func families() []family {
	widths, variables, bodies := []int{8, 16, 24, 32, 48, 64}, []int{0, 1, 10, 50, 100, 200}, []int{1, 2, 4, 8, 16, 32}
	return []family{
		{"two locks", "width of the integers", widths, []int{8, 64}, twoLocks, always(3), true},
		{"reentrant lock", "width of the integers", widths, []int{8, 64}, reentrant, always(2), true},
		// At 8 bits no register is looked for, and the cost is another one.
		{"iterator", "width of the integers", widths, []int{16, 64}, iterator, always(2), true},
		{"guarded", "width of the integers", widths, []int{8, 64}, guarded, always(2), true},
		{"never read", "irrelevant variables", variables, []int{0, 50}, neverRead, always(3), true},
		{"read by each other", "irrelevant variables", variables, []int{0, 50}, readByEachOther, always(3), true},
		{"seen in results", "irrelevant variables", variables, []int{0, 50}, seenInResults, always(3), false},
		{"long body", "statements in an irrelevant loop", bodies, []int{1, 8}, longLoop, always(2), true},
		{"nested", "irrelevant loops, each in the one before", []int{1, 2, 3, 4, 6, 8}, []int{1, 3}, nestedLoops, always(2), false},
		{"flags", "independent flags", []int{1, 2, 3, 4, 5, 6}, []int{1, 3}, flags, func(n int) int { return 1 << n }, false},
	}
}

func sized(text string, w int) string { return strings.ReplaceAll(text, "$W", fmt.Sprint(w)) }

// twoLocks is P2 of Henzinger, Jhala, Majumdar (FSE 2005).
func twoLocks(w int) string {
	return sized(`component TwoLocks
state a int$W = 0, x int$W = 0
method acq() { if a == 0 { a = any; assume a != 0 } }
method acq_x() { if a == 0 { a = any; x = any; assume a != 0 && x != 0 } }
method read() { if a == 0 { error "not held" } }
method write() { if x == 0 { error "not held for writing" } }
method rel() { a = 0; x = 0 }
`, w)
}

func reentrant(w int) string {
	return sized(`component Reentrant
state n int$W = 0
method lock() { assume n < 100; n++ }
method unlock() (free bool) { if n <= 0 { error "not locked" }; n--; return n == 0 }
`, w)
}

// iterator is JIST's ListItr with a bound that construction fixes.
func iterator(w int) string {
	return sized(`component Iterator
state cursor int$W = 0, lastRet int$W = -1, size int$W = 0
constructor New(n int$W) { assume n >= 0; size = n }
method next() (ok bool) {
	if cursor >= size { return false }
	lastRet = cursor
	cursor++
	return true
}
method previous() (ok bool) {
	if cursor <= 0 { return false }
	cursor--
	lastRet = cursor
	return true
}
method remove() {
	if lastRet < 0 { error "no element" }
	if lastRet < cursor { cursor-- }
	size--
	lastRet = -1
}
method set() { if lastRet < 0 { error "no element" } }
`, w)
}

func guarded(w int) string {
	return sized(`component Guarded
state open bool = false, limit int$W = 0
method start(n int$W) { if open { error "twice" }; if n <= 0 { error "bad limit" }; open = true; limit = n }
method read(k int$W) { if !open { error "closed" }; if k < 0 || k > 100 { error "bad length" } }
method stop() { if !open { error "closed" }; open = false }
`, w)
}

// among makes the component of two locks with n more variables; change is what
// each method does to variable k.
func among(n int, change func(k int) string) string {
	var state, body strings.Builder
	for k := range n {
		fmt.Fprintf(&state, ", v%d int32 = %d", k, k)
		fmt.Fprintf(&body, "\t%s\n", change(k))
	}
	text := twoLocks(32)
	text = strings.Replace(text, "x int32 = 0", "x int32 = 0"+state.String(), 1)
	return strings.ReplaceAll(text, "() { ", "() {\n"+body.String()+"\t")
}

func neverRead(n int) string {
	return among(n, func(k int) string { return fmt.Sprintf("v%d = any", k) })
}

// readByEachOther has variables that are tested and depend on each other, but
// on which nothing else depends.
func readByEachOther(n int) string {
	return among(n, func(k int) string {
		return fmt.Sprintf("if v%d > %d { v%d = v%d + 1 }", k, k, k, (k+1)%n)
	})
}

// seenInResults has variables that a client can see, one method for each ten, but
// that say nothing about errors.
func seenInResults(n int) string {
	text := readByEachOther(n)
	var b strings.Builder
	b.WriteString(text)
	for k := 0; k < n; k += 10 {
		fmt.Fprintf(&b, "method see%d() (r bool) { return v%d > 3 }\n", k, k)
	}
	return b.String()
}

// session is a component whose work is done in a loop that no error depends on.
func session(body string) string {
	return `component Session
state open bool = false, sum int32 = 0
method start() { if open { error "twice" }; open = true }
method add(k int32) {
	if !open { error "closed" }
	var i int32 = 0
` + body + `}
method stop() { if !open { error "closed" }; open = false }
`
}

func longLoop(n int) string {
	var b strings.Builder
	b.WriteString("\twhile i < k {\n\t\ti++\n")
	for k := range n {
		fmt.Fprintf(&b, "\t\tif sum > %d { sum = sum + i } else { sum = sum - %d }\n", k, k)
	}
	b.WriteString("\t}\n")
	return session(b.String())
}

func nestedLoops(n int) string {
	var b strings.Builder
	in := "\t"
	for k := 1; k < n; k++ {
		fmt.Fprintf(&b, "%svar i%d int32 = 0\n%swhile i%d < k {\n%s\ti%d++\n", in, k, in, k, in, k)
		in += "\t"
	}
	fmt.Fprintf(&b, "%swhile i < k { i++; sum = sum + i }\n", in)
	for k := 1; k < n; k++ {
		in = in[1:]
		fmt.Fprintf(&b, "%s}\n", in)
	}
	return session(b.String())
}

// flags has n flags, each with its three methods.
func flags(n int) string {
	var b strings.Builder
	b.WriteString("component Flags\nstate ")
	for k := range n {
		if k > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "f%d int32 = 0", k)
	}
	b.WriteString("\n")
	for k := range n {
		fmt.Fprintf(&b, "method set%d() { f%d = 1 }\nmethod clear%d() { f%d = 0 }\nmethod use%d() { if f%d == 0 { error \"flag %d\" } }\n", k, k, k, k, k, k, k)
	}
	return b.String()
}
