// SPDX-License-Identifier: Apache-2.0

package main

// This file holds the families: components in which one thing grows and all else stays.

import (
	"fmt"
	"strings"
)

// A family is a sequence of components.
type family struct {
	name, grows string
	limits      string // what the cost grows with
	sizes       []int
	quick       int // how many of the sizes are measured with -quick
	partition   bool
	source      func(n int) string
}

func families() []family {
	return []family{
		{"locks, -partition", "locks", "one part for each lock", []int{4, 8, 16, 32, 64}, 2, true, locks},
		{"counter", "limit 2^n", "registers above 64 states", []int{4, 8, 12, 16, 20, 24, 28, 32}, 8, false, counter},
		{"bounded buffer", "capacity 2^n", "registers above 64 states", []int{4, 8, 12, 16, 20}, 5, false, boundedBuffer},
		{"ring", "capacity 2^n", "registers above 64 states", []int{4, 8, 12, 16, 20}, 2, false, ring},
		{"flags", "flags of int64", "2^n states are the interface", []int{1, 2, 4, 6, 8, 10, 12, 14, 16}, 3, false, flags},
		{"phases", "predicates on one variable", "n states are the interface", []int{2, 4, 8, 16, 24, 32}, 3, false, phases},
		{"subsets", "bits of a hidden history", "2^n sets of states", []int{2, 4, 6, 8, 10, 12, 14}, 4, false, subsets},
		{"methods", "methods", "cells: methods times states", []int{10, 20, 40, 80, 160}, 2, false, methods},
	}
}

func locks(n int) string {
	var b strings.Builder
	b.WriteString("component Locks\n")
	for k := range n {
		fmt.Fprintf(&b, "state held%d bool = false\n", k)
		fmt.Fprintf(&b, "method lock%d() { if held%d { error \"twice\" }; held%d = true }\n", k, k, k)
		fmt.Fprintf(&b, "method unlock%d() { if !held%d { error \"not held\" }; held%d = false }\n", k, k, k)
	}
	return b.String()
}

func counter(n int) string {
	return fmt.Sprintf(`component Counter
state n uint64 = 0
method inc() { if n == %d { error "limit" }; n = n + 1 }
method dec() { if n == 0 { error "zero" }; n = n - 1 }
`, uint64(1)<<n)
}

func boundedBuffer(n int) string {
	return fmt.Sprintf(`component Buffer
state used int32 = 0
method put() { if used >= %d { error "full" }; used = used + 1 }
method get() { if used <= 0 { error "empty" }; used = used - 1 }
method clear() { used = 0 }
`, 1<<n)
}

// ring keeps its two ends, and how many elements are between them.
func ring(n int) string {
	return fmt.Sprintf(`component Ring
state head int32 = 0, tail int32 = 0, used int32 = 0
method put() {
	if used == %[1]d { error "full" }
	used = used + 1
	tail = tail + 1
	if tail == %[1]d { tail = 0 }
}
method get() {
	if used == 0 { error "empty" }
	used = used - 1
	head = head + 1
	if head == %[1]d { head = 0 }
}
`, 1<<n)
}

func flags(n int) string {
	var b strings.Builder
	b.WriteString("component Flags\n")
	for k := range n {
		fmt.Fprintf(&b, "state f%d int64 = 0\n", k)
		fmt.Fprintf(&b, "method set%d() { f%d = 1 }\nmethod clear%d() { f%d = 0 }\nmethod use%d() { if f%d == 0 { error \"flag %d\" } }\n", k, k, k, k, k, k, k)
	}
	return b.String()
}

// phases has one variable with n values, each of which another call needs.
func phases(n int) string {
	var b strings.Builder
	b.WriteString("component Phases\nstate phase int64 = 0\n")
	for k := range n {
		fmt.Fprintf(&b, "method to%d() { phase = %d }\nmethod in%d() { if phase != %d { error \"not in %d\" } }\n", k, 1000*k, k, 1000*k, k)
	}
	return b.String()
}

// subsets marks places at a hidden choice, and marks move on, so that a client knows a set of the marks that may be there: the
// n-th call before the last decides, and no two sets are alike.
func subsets(n int) string {
	return fmt.Sprintf(`component Subsets
state at uint8 = 0
method a() { if at == %[1]d { stop }; if at > 0 { at++ } else { choice { at = 1 } or { skip } } }
method b() { if at == %[1]d { stop }; if at > 0 { at++ } }
method c() { if at == %[1]d { error "marked" } }
`, n)
}

func methods(n int) string {
	var b strings.Builder
	b.WriteString("component Methods\nstate open bool = false, kind int32 = 0\n")
	for k := range n {
		switch k % 4 {
		case 0:
			fmt.Fprintf(&b, "method open%d() { if open { error \"open\" }; open = true; kind = %d }\n", k, k%3)
		case 1:
			fmt.Fprintf(&b, "method close%d() { if !open { error \"closed\" }; open = false }\n", k)
		case 2:
			fmt.Fprintf(&b, "method use%d() { if !open || kind != %d { error \"kind\" } }\n", k, k%3)
		case 3:
			fmt.Fprintf(&b, "method see%d() (is bool) { return open && kind == %d }\n", k, k%3)
		}
	}
	return b.String()
}
