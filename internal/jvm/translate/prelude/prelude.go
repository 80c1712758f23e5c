// SPDX-License-Identifier: Apache-2.0

// Package prelude is Go text that is put in front of each translation of a class: the classes that
// are modelled and not translated, and the checks that instructions make.
//
// It is a package so that the Go tool chain checks it; nothing imports it. A comment that begins with "java:"
// binds a declaration to Java:
//
//	//java:class NAME             a type is the model of a class
//	//java:virtual NAME:TYPE      a method overrides this one
//	//java:static CLASS.NAME:TYPE a function is this static method
//	//java:field CLASS.NAME       a variable is this static field, which is final and not null
//	//java:new CLASS:TYPE         a function makes an object with this constructor
//
// Functions and methods that model Java methods return the exception first. The functions of environment.go are
// declared without their bodies when a translation is analysed: what they compute is unknown then.
package prelude

// Object is java.lang.Object. Exceptions are not objects: see thrown.
//
//java:class java/lang/Object
type Object interface {
	class() *Class
	M_equals(o Object) (exc error, res bool)
	M_hashCode() (exc error, res int32)
	M_toString() (exc error, res *String)
}

// A plainObject is an object of class Object itself. It has a field because Go may give
// objects of no size one address.
type plainObject struct{ _ byte }

var plainObjectClass = &Class{"java.lang.Object"}

func (o *plainObject) class() *Class { return plainObjectClass }

func (o *plainObject) M_equals(p Object) (exc error, res bool) { return nil, Object(o) == p }

func (o *plainObject) M_hashCode() (exc error, res int32) { return nil, identityHash(o) }

func (o *plainObject) M_toString() (exc error, res *String) { return nil, unknownText(o) }

//java:new java/lang/Object:()V
func newObject() (exc error, res Object) { return nil, &plainObject{} }

// Class is a class as an object.
//
//java:class java/lang/Class
type Class struct{ name string }

func (c *Class) class() *Class { return classClass }

var classClass = &Class{"java.lang.Class"}

//java:virtual equals:(Ljava/lang/Object;)Z
func (c *Class) M_equals(o Object) (exc error, res bool) { return nil, Object(c) == o }

//java:virtual hashCode:()I
func (c *Class) M_hashCode() (exc error, res int32) { return nil, identityHash(c) }

//java:virtual toString:()Ljava/lang/String;
func (c *Class) M_toString() (exc error, res *String) { return nil, unknownText(c) }

//java:virtual getName:()Ljava/lang/String;
func (c *Class) M_getName() (exc error, res *String) { return nil, &String{text: c.name} }

// desiredAssertionStatus: assertions are off, as they are by default.
//
//java:virtual desiredAssertionStatus:()Z
func (c *Class) M_desiredAssertionStatus() (exc error, res bool) { return nil, false }

// An Array is an array; elem is the descriptor of its elements. All arrays of references have
// elements of type Object here.
type Array[T any] struct {
	elem string
	data []T
}

var arrayClass = &Class{"array"}

func (a *Array[T]) class() *Class { return arrayClass }

func (a *Array[T]) M_equals(o Object) (exc error, res bool) { return nil, Object(a) == o }

func (a *Array[T]) M_hashCode() (exc error, res int32) { return nil, identityHash(a) }

func (a *Array[T]) M_toString() (exc error, res *String) { return nil, unknownText(a) }

func (a *Array[T]) clone() *Array[T] {
	b := &Array[T]{elem: a.elem, data: make([]T, len(a.data))}
	copy(b.data, a.data)
	return b
}

func copyArray[T any](src *Array[T], from int32, dst *Array[T], to int32, n int32) error {
	if from < 0 || to < 0 || n < 0 || int64(from)+int64(n) > int64(len(src.data)) || int64(to)+int64(n) > int64(len(dst.data)) {
		return newArrayIndexOutOfBounds()
	}
	copy(dst.data[to:to+n], src.data[from:from+n])
	return nil
}

//java:static java/lang/System.arraycopy:(Ljava/lang/Object;ILjava/lang/Object;II)V
func arraycopy(src Object, from int32, dst Object, to int32, n int32) (exc error) {
	if src == nil || dst == nil {
		return newNullPointer()
	}
	switch s := src.(type) {
	case *Array[Object]:
		if d, ok := dst.(*Array[Object]); ok {
			return copyArray(s, from, d, to, n)
		}
	case *Array[bool]:
		if d, ok := dst.(*Array[bool]); ok {
			return copyArray(s, from, d, to, n)
		}
	case *Array[int8]:
		if d, ok := dst.(*Array[int8]); ok {
			return copyArray(s, from, d, to, n)
		}
	case *Array[uint16]:
		if d, ok := dst.(*Array[uint16]); ok {
			return copyArray(s, from, d, to, n)
		}
	case *Array[int16]:
		if d, ok := dst.(*Array[int16]); ok {
			return copyArray(s, from, d, to, n)
		}
	case *Array[int32]:
		if d, ok := dst.(*Array[int32]); ok {
			return copyArray(s, from, d, to, n)
		}
	case *Array[int64]:
		if d, ok := dst.(*Array[int64]); ok {
			return copyArray(s, from, d, to, n)
		}
	case *Array[float32]:
		if d, ok := dst.(*Array[float32]); ok {
			return copyArray(s, from, d, to, n)
		}
	case *Array[float64]:
		if d, ok := dst.(*Array[float64]); ok {
			return copyArray(s, from, d, to, n)
		}
	}
	return newArrayStore()
}

//java:static java/util/Arrays.copyOf:([Ljava/lang/Object;I)[Ljava/lang/Object;
func copyOfObjects(a *Array[Object], n int32) (exc error, res *Array[Object]) {
	if a == nil {
		return newNullPointer(), nil
	}
	if n < 0 {
		return newNegativeArraySize(), nil
	}
	b := &Array[Object]{elem: a.elem, data: make([]Object, n)}
	copy(b.data, a.data)
	return nil, b
}

// Arithmetic as the machine does it.

func bitOf(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

func compareLongs(a, b int64) int32 {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// compareFloats gives nan if one of its arguments is no number.
func compareFloats[T float32 | float64](a, b T, nan int32) int32 {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	if a == b {
		return 0
	}
	return nan
}

// toInt and toLong convert to the nearest number there is; what is no number becomes 0.
func toInt(a float64) int32 {
	if a != a {
		return 0
	}
	if a >= 2147483647 {
		return 2147483647
	}
	if a <= -2147483648 {
		return -2147483648
	}
	return int32(a)
}

func toLong(a float64) int64 {
	if a != a {
		return 0
	}
	if a >= 9223372036854775807 {
		return 9223372036854775807
	}
	if a <= -9223372036854775808 {
		return -9223372036854775808
	}
	return int64(a)
}

// zeroReal is 0: with it Go computes the numbers that it has no constants for.
var zeroReal float64
