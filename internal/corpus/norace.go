// SPDX-License-Identifier: Apache-2.0

//go:build !race

package corpus

// Race is set under the race detector. It looks for races, not for wrong answers,
// and makes everything many times slower: tests with many inputs take few then.
const Race = false
