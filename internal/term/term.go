// SPDX-License-Identifier: Apache-2.0

package term

// This file declares sorts, values and terms. A term is a plain struct with an
// operator and arguments rather than one Go type per operator: the few places
// that care about operators switch on [Op], everything else walks arguments.

import (
	"fmt"
	"math/bits"
	"strconv"
)

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

	next *Term // in the pool's hash chain; read and written only by the pool
	hash uint32

	filter uint64 // of a conjunction or disjunction: that of its arguments
	vars   uint64 // has a bit of each variable inside; one bit may be of several
}

// BoolSort is the sort of booleans.
var BoolSort = Sort{Kind: BoolKind}

// BV is the sort of bit-vectors of the given width, 1..128.
func BV(width int) Sort {
	if width < 1 || width > MaxWidth {
		panic(fmt.Sprintf("term.BV: width %d is not in 1..%d", width, MaxWidth))
	}
	return Sort{Kind: BitVecKind, Width: width}
}

// EnumOf is the sort of the values of e, of which there must be at least one.
func EnumOf(e *Enum) Sort {
	if len(e.Values) == 0 {
		panic("term.EnumOf: enum " + e.Name + " has no values")
	}
	return Sort{Kind: EnumKind, Enum: e}
}

// Bits is the number of bits that encode a value of the sort: 1 for bool, the
// width of a bit-vector, and for an enum as many as its largest index needs,
// at least 1.
func (s Sort) Bits() int {
	switch s.Kind {
	case BoolKind:
		return 1
	case BitVecKind:
		return s.Width
	case EnumKind:
		return max(1, bits.Len(uint(len(s.Enum.Values)-1)))
	}
	return 0
}

// Valid says whether v is a value of the sort.
func (s Sort) Valid(v Value) bool {
	if s.Kind == EnumKind {
		return v.Hi == 0 && v.Lo < uint64(len(s.Enum.Values))
	}
	return v == v.trunc(s.Bits())
}

// String writes the sort for people: bool, bv8, or the name of the enum.
func (s Sort) String() string {
	switch s.Kind {
	case BoolKind:
		return "bool"
	case BitVecKind:
		return "bv" + strconv.Itoa(s.Width)
	case EnumKind:
		return s.Enum.Name
	}
	return "invalid"
}

// Op is the operator of t.
func (t *Term) Op() Op { return t.op }

// Sort is the type of t.
func (t *Term) Sort() Sort { return t.sort }

// Args are the arguments of t. The caller must not change them.
func (t *Term) Args() []*Term { return t.args }

// Name is the name of a variable, otherwise empty.
func (t *Term) Name() string { return t.name }

// ID is the age of t in its pool: arguments have smaller IDs than the terms
// they occur in.
func (t *Term) ID() uint32 { return t.id }

// IsVar says whether t is a variable.
func (t *Term) IsVar() bool { return t.op == OpVar }

// IsConst says whether t is a constant.
func (t *Term) IsConst() bool { return t.op == OpConst }

// Value is the value of a constant. It panics on other terms.
func (t *Term) Value() Value {
	if t.op != OpConst {
		panic("term.Value: not a constant: " + t.String())
	}
	return t.val
}

// Const is the value of t if it is a constant.
func (t *Term) Const() (v Value, ok bool) {
	if t.op != OpConst {
		return Value{}, false
	}
	return t.val, true
}

// Extract is the highest and lowest bit of an [OpExtract].
func (t *Term) Extract() (hi, lo int) {
	if t.op != OpExtract {
		panic("term.Extract: not an extract: " + t.String())
	}
	return int(t.val.Hi), int(t.val.Lo)
}

// ExtBits is the number of bits that an [OpZeroExt] or [OpSignExt] adds.
func (t *Term) ExtBits() int {
	if t.op != OpZeroExt && t.op != OpSignExt {
		panic("term.ExtBits: not an extension: " + t.String())
	}
	return int(t.val.Lo)
}

// IsTrue says whether t is the constant true.
func (t *Term) IsTrue() bool { return t.op == OpConst && t.sort == BoolSort && t.val == one }

// IsFalse says whether t is the constant false.
func (t *Term) IsFalse() bool { return t.op == OpConst && t.sort == BoolSort && t.val != one }
