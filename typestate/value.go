// SPDX-License-Identifier: Apache-2.0

package typestate

import (
	"math/big"
	"strconv"
)

// A Value is what a [Monitor] is told of an argument or of a result. The zero value says nothing.
type Value struct {
	kind valueKind
	n    uint64 // the bits of an integer; 1 is true; of a name whether Nil made it
	name string
}

type valueKind uint8

const (
	notTold valueKind = iota
	truthValue
	signedValue
	unsignedValue
	nameValue
)

// Bool is a truth value.
func Bool(b bool) Value {
	if b {
		return Value{kind: truthValue, n: 1}
	}
	return Value{kind: truthValue}
}

// Int is a signed integer.
func Int(n int64) Value { return Value{kind: signedValue, n: uint64(n)} }

// Uint is an unsigned integer.
func Uint(n uint64) Value { return Value{kind: unsignedValue, n: n} }

// Named is a value that has a name: one of an enum.
func Named(name string) Value { return Value{kind: nameValue, name: name} }

// Nil says of an error, or of another reference, whether it is nil.
func Nil(is bool) Value {
	if is {
		return Value{kind: nameValue, n: isNil, name: "nil"}
	}
	return Value{kind: nameValue, n: isNotNil, name: "non-nil"}
}

// What Value.n says of a name. The last bit says whether it is nil.
const (
	notNamed = 0 // Named made it
	isNil    = 1
	isNotNil = 2
)

// text is the value as it is written in a step.
func (v Value) text() string {
	switch v.kind {
	case truthValue:
		return strconv.FormatBool(v.n == 1)
	case signedValue:
		return strconv.FormatInt(int64(v.n), 10)
	case unsignedValue:
		return strconv.FormatUint(v.n, 10)
	}
	return v.name
}

// integer returns an integer value as it is, without a width.
func (v Value) integer() (value, bool) {
	switch v.kind {
	case signedValue:
		return value{n: big.NewInt(int64(v.n))}, true
	case unsignedValue:
		return value{n: new(big.Int).SetUint64(v.n)}, true
	}
	return value{}, false
}
