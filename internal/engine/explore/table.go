// SPDX-License-Identifier: Apache-2.0

package explore

// This file packs states into machine words and numbers them. A variable never
// straddles two words; bit 0 of word 0 tells whether the object is constructed.

import (
	"github.com/interlock-go/interlock/internal/prog"
)

// A Bit is one bit of a packed state: a boolean variable in the sense of the
// papers that know only booleans.
type Bit struct {
	Var   *prog.Var // nil for the bit that tells whether the object is constructed
	Index int       // bit of the variable
	word  int
	shift int
}

type field struct {
	word, shift, bits int
}

type table struct {
	fields []field
	width  int // words per state
	words  []uint64
	slots  []int32 // open addressing; -1 empty
	n      int
}

const constructedBit = 1

func newTable(vars []*prog.Var) *table {
	t := &table{width: 1}
	used := 1
	for _, v := range vars {
		b := bitsFor(v.Type)
		if used+b > 64 {
			t.width++
			used = 0
		}
		t.fields = append(t.fields, field{t.width - 1, used, b})
		used += b
	}
	t.slots = make([]int32, 1<<10)
	for i := range t.slots {
		t.slots[i] = -1
	}
	return t
}

// pack appends the packed state to dst.
func (t *table) pack(dst, values []uint64, constructed bool) []uint64 {
	at := len(dst)
	for range t.width {
		dst = append(dst, 0)
	}
	for i, f := range t.fields {
		dst[at+f.word] |= values[i] << f.shift
	}
	if constructed {
		dst[at] |= constructedBit
	}
	return dst
}

// unpack writes the values of the state variables to dst.
func (t *table) unpack(packed []uint64, dst []uint64) {
	for i, f := range t.fields {
		dst[i] = packed[f.word] >> f.shift & mask(f.bits)
	}
}

func (t *table) at(id int32) []uint64 {
	return t.words[int(id)*t.width : (int(id)+1)*t.width]
}

func hash(packed []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range packed {
		h = (h ^ w) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h ^ h>>29
}

// intern returns the number of the packed state, giving it the next one if it
// is new.
func (t *table) intern(packed []uint64) int32 {
	if 4*t.n >= 3*len(t.slots) {
		t.grow()
	}
	m := uint64(len(t.slots) - 1)
probe:
	for h := hash(packed) & m; ; h = (h + 1) & m {
		id := t.slots[h]
		if id < 0 {
			id = int32(t.n)
			t.slots[h] = id
			t.n++
			t.words = append(t.words, packed...)
			return id
		}
		have := t.words[int(id)*t.width:]
		for i, w := range packed {
			if have[i] != w {
				continue probe
			}
		}
		return id
	}
}

func (t *table) grow() {
	t.slots = make([]int32, 2*len(t.slots))
	for i := range t.slots {
		t.slots[i] = -1
	}
	m := uint64(len(t.slots) - 1)
	for id := range t.n {
		h := hash(t.at(int32(id))) & m
		for t.slots[h] >= 0 {
			h = (h + 1) & m
		}
		t.slots[h] = int32(id)
	}
}

// project numbers the states by the bits that mask keeps: of gives each state
// its number, count is how many there are.
func (t *table) project(mask []uint64) (of []int32, count int) {
	classes := &table{width: t.width, slots: make([]int32, 1<<10)}
	for i := range classes.slots {
		classes.slots[i] = -1
	}
	of = make([]int32, t.n)
	key := make([]uint64, t.width)
	for s := range of {
		for i, w := range t.at(int32(s)) {
			key[i] = w & mask[i]
		}
		of[s] = classes.intern(key)
	}
	return of, classes.n
}
