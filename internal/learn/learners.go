// SPDX-License-Identifier: Apache-2.0

package learn

// This file lists the learners. It is a function, so that nobody can change the
// list.

// Learners returns all learners, the oldest first.
func Learners() []Learner {
	return []Learner{
		{"lstar", "observation table (Angluin 1987; Rivest and Schapire 1993)", LStar},
		{"ttt", "discrimination tree with short discriminators (Isberner, Howar, Steffen 2014)", TTT},
		{"lsharp", "observation tree and apartness (Vaandrager, Garhewal, Rot, Wißmann 2022)", LSharp},
	}
}
