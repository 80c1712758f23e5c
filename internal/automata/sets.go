// SPDX-License-Identifier: Apache-2.0

package automata

// This file gives finite sets of states small numbers, for subset constructions.
// The members of all sets lie one after the other in one slice, found through an
// open-addressing table of set numbers. A Go map keyed by the bytes of a set
// was not taken: it keeps every set twice and allocates a string for each.

import (
	"math"
	"slices"
)

// Sets numbers sets of non-negative int32s 0, 1, 2, ... in the order in which they
// are first seen. The zero value holds no set and is ready to use. Not safe for
// concurrent use.
type Sets struct {
	elems  []int32
	end    []int   // by set number: where its members end in elems
	single []int32 // by element e: 1 + the number of {e}, 0 if not seen
	table  []int32 // 1 + set number, 0 if free; a power of two long, at most half full
	used   int     // entries of table
}

// maxSingle bounds the elements that get the array look-up of singletons, so that
// a set of few huge numbers does not cost a huge array.
const maxSingle = 1 << 24

// Len returns the number of sets.
func (s *Sets) Len() int { return len(s.end) }

// Bytes is how much the sets take in memory, without what slices have in reserve.
func (s *Sets) Bytes() int {
	return 4*(len(s.elems)+len(s.single)+len(s.table)) + 8*len(s.end)
}

// Set returns the members of set id in increasing order. The caller must not
// change them; they stay valid as more sets are added.
func (s *Sets) Set(id int32) []int32 {
	start := 0
	if id > 0 {
		start = s.end[id-1]
	}
	return s.elems[start:s.end[id]:s.end[id]]
}

// ID returns the number of set, which must be strictly increasing. It keeps no
// reference to set.
func (s *Sets) ID(set []int32) int32 {
	if len(set) == 1 && uint32(set[0]) < maxSingle {
		e := set[0]
		if int(e) >= len(s.single) {
			s.single = append(s.single, make([]int32, int(e)+1-len(s.single))...)
		}
		if s.single[e] == 0 {
			s.single[e] = 1 + s.add(set)
		}
		return s.single[e] - 1
	}
	if 2*(s.used+1) > len(s.table) {
		s.grow()
	}
	mask := uint64(len(s.table) - 1)
	i := hashSet(set) & mask
	for ; s.table[i] != 0; i = (i + 1) & mask {
		if id := s.table[i] - 1; slices.Equal(s.Set(id), set) {
			return id
		}
	}
	id := s.add(set)
	s.table[i] = id + 1
	s.used++
	return id
}

func (s *Sets) add(set []int32) int32 {
	for i, e := range set {
		if e < 0 || i > 0 && set[i-1] >= e {
			panic("automata.Sets: the members of a set must be non-negative and strictly increasing")
		}
	}
	if len(s.end) == math.MaxInt32 {
		panic("automata.Sets: too many sets")
	}
	s.elems = append(s.elems, set...)
	s.end = append(s.end, len(s.elems))
	return int32(len(s.end) - 1)
}

func (s *Sets) grow() {
	old := s.table
	s.table = make([]int32, max(16, 2*len(old)))
	mask := uint64(len(s.table) - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		i := hashSet(s.Set(e-1)) & mask
		for s.table[i] != 0 {
			i = (i + 1) & mask
		}
		s.table[i] = e
	}
}

// hashSet mixes the members in order, one multiplication and shift each.
func hashSet(set []int32) uint64 {
	h := uint64(len(set))
	for _, e := range set {
		h = mix(h ^ uint64(uint32(e)))
	}
	return h
}

// mix is a bijection of 64-bit words each of whose output bits depends on most
// input bits, the low ones included, since tables use the low bits.
func mix(h uint64) uint64 {
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>32
}
