// SPDX-License-Identifier: Apache-2.0

package prelude

// This file makes the exceptions that models throw. A translation replaces it: there they are of the classes that
// it declares.

type vmError struct{ Throwable }

func (e *vmError) Error() string { return "" }

func newNullPointer() error            { return &vmError{} }
func newNegativeArraySize() error      { return &vmError{} }
func newArrayStore() error             { return &vmError{} }
func newArrayIndexOutOfBounds() error  { return &vmError{} }
func newStringIndexOutOfBounds() error { return &vmError{} }
func newClassCast() error              { return &vmError{} }
func newIndexOutOfBounds() error       { return &vmError{} }
