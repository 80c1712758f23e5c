// SPDX-License-Identifier: Apache-2.0

package automata

// This file holds what the tests of this package compare with: enumerations of
// all small automata and all short words, random automata by seed, and the
// textbook algorithms written without any cleverness.

import (
	"fmt"
	"iter"
	"math/rand/v2"
)

// words yields all words of up to max letters, shortest first, in letter order.
// The slice is reused.
func words(letters, max int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for n := 0; n <= max && (n == 0 || letters > 0); n++ {
			w := make([]int, n)
			for {
				if !yield(w) {
					return
				}
				i := n - 1
				for ; i >= 0; i-- {
					if w[i]++; w[i] < letters {
						break
					}
					w[i] = 0
				}
				if i < 0 {
					break
				}
			}
		}
	}
}

// allDFAs yields every complete automaton of n states whose verdicts are among
// out. The automaton is reused.
func allDFAs(n, letters int, out ...Verdict) iter.Seq[*DFA] {
	return func(yield func(*DFA) bool) {
		d := &DFA{Letters: letters, Next: make([]int32, n*letters), Out: make([]Verdict, n)}
		digits := make([]int, n*letters+n)
		for {
			for i := range d.Next {
				d.Next[i] = int32(digits[i])
			}
			for s := range d.Out {
				d.Out[s] = out[digits[n*letters+s]]
			}
			if !yield(d) {
				return
			}
			i := 0
			for ; i < len(digits); i++ {
				base := n
				if i >= n*letters {
					base = len(out)
				}
				if digits[i]++; digits[i] < base {
					break
				}
				digits[i] = 0
			}
			if i == len(digits) {
				return
			}
		}
	}
}

func randomDFA(r *rand.Rand, n, letters int, out ...Verdict) *DFA {
	d := &DFA{Letters: letters, Next: make([]int32, n*letters), Out: make([]Verdict, n)}
	for i := range d.Next {
		d.Next[i] = int32(r.IntN(n))
	}
	for s := range d.Out {
		d.Out[s] = out[r.IntN(len(out))]
	}
	return d
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func clone(d *DFA) *DFA {
	return &DFA{d.Letters, append([]int32{}, d.Next...), append([]Verdict{}, d.Out...)}
}

func show(d *DFA) string { return fmt.Sprintf("{%d %v %v}", d.Letters, d.Next, d.Out) }

// bruteClasses returns, by filling the table of distinguishable pairs, the number
// of classes among the reachable states.
func bruteClasses(d *DFA) int {
	n := d.States()
	apart := make([][]bool, n)
	for s := range apart {
		apart[s] = make([]bool, n)
		for t := range n {
			apart[s][t] = d.Out[s] != d.Out[t]
		}
	}
	for changed := true; changed; {
		changed = false
		for s := range n {
			for t := range n {
				for x := range d.Letters {
					if !apart[s][t] && apart[d.Step(int32(s), x)][d.Step(int32(t), x)] {
						apart[s][t] = true
						changed = true
					}
				}
			}
		}
	}
	reached := make([]bool, n)
	reached[0] = true
	for range n {
		for s := range n {
			for x := range d.Letters {
				if reached[s] {
					reached[d.Step(int32(s), x)] = true
				}
			}
		}
	}
	classes := 0
	for s := range n {
		if !reached[s] {
			continue
		}
		classes++
		for t := range s {
			if reached[t] && !apart[s][t] {
				classes--
				break
			}
		}
	}
	return classes
}

// bruteSeparate returns the shortlex-least word of up to max letters that differs.
func bruteSeparate(a, b *DFA, max int, differ func(word []int) bool) ([]int, bool) {
	for w := range words(a.Letters, max) {
		if differ(w) {
			return append([]int{}, w...), true
		}
	}
	return nil, false
}

func verdict(d *DFA, w []int) Verdict { return d.Out[d.Run(w)] }

var everyVerdict = []Verdict{Unknown, Accept, Reject, Impossible}
