// SPDX-License-Identifier: Apache-2.0

package lts

// This file minimizes systems modulo strong bisimilarity, by splitting classes of
// states by the classes that their edges reach until nothing changes (Kanellakis and
// Smolka, 1983). The splits of a round are found by sorting signatures, so a round costs
// the number of edges; the number of rounds is at most that of states and in
// practice the depth of the system.

import (
	"encoding/binary"
	"slices"
)

// Minimize merges states that are strongly bisimilar.
func (s *System) Minimize() *System {
	if s.Initial == Error {
		return s
	}
	n := s.States()
	class := make([]int32, n)
	classes := 1
	for {
		next := make([]int32, n)
		number := map[string]int32{}
		var signature []Edge
		var text []byte
		for state := range int32(n) {
			signature = signature[:0]
			for _, e := range s.Edges(state) {
				if e.To != Error {
					e.To = class[e.To]
				}
				signature = append(signature, e)
			}
			slices.SortFunc(signature, compareEdges)
			text = binary.LittleEndian.AppendUint32(text[:0], uint32(class[state]))
			for _, e := range slices.Compact(signature) {
				text = binary.LittleEndian.AppendUint32(text, uint32(e.Action))
				text = binary.LittleEndian.AppendUint32(text, uint32(e.To))
			}
			k, ok := number[string(text)]
			if !ok {
				k = int32(len(number))
				number[string(text)] = k
			}
			next[state] = k
		}
		if class = next; len(number) == classes {
			break
		}
		classes = len(number)
	}
	b := NewBuilder(s.Alphabet...)
	seen := make([]bool, classes)
	for state := range int32(n) {
		if seen[class[state]] {
			continue
		}
		seen[class[state]] = true
		for _, e := range s.Edges(state) {
			if e.To == Error {
				b.Fail(class[state], e.Action, s.Why(state, e.Action))
				continue
			}
			b.Edge(class[state], e.Action, class[e.To])
		}
	}
	return b.System(s.Name, class[s.Initial])
}
