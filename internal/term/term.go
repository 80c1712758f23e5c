// SPDX-License-Identifier: Apache-2.0

package term

// Kind tells the three kinds of sorts apart.
type Kind uint8

const (
	BoolKind Kind = iota + 1
	BitVecKind
	EnumKind
)

// An Enum is a finite sort with named values; its identity is the pointer.
type Enum struct {
	Name   string
	Values []string
}

// A Sort is the type of a term. Sorts are comparable with ==.
type Sort struct {
	Kind  Kind
	Width int   // of a bit-vector, 1..128
	Enum  *Enum // of an enum
}

// A Value is a constant of some sort: a bool is 0 or 1, an enum its index, a
// bit-vector its bits, zero-extended. Values are comparable with ==.
type Value struct{ Hi, Lo uint64 }

// A Model gives values to variables. Its keys are variable terms.
type Model map[*Term]Value

// A Term is an immutable hash-consed expression. Equal terms of one Pool are
// the same pointer.
type Term struct {
	op   Op
	id   uint32
	sort Sort
	name string // of a variable
	val  Value  // of a constant; of extract: Hi, Lo bit; of extensions: Lo = number of bits
	args []*Term
}
