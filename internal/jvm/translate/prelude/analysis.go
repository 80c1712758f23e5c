// SPDX-License-Identifier: Apache-2.0

package prelude

// This file models methods for analyses alone: they say less than Java does of messages, of the types of elements, and of texts.

//java:analysis java/util/Objects.checkIndex:(II)I
func checkIndex(index, length int32) (exc error, res int32) {
	if index < 0 || index >= length {
		return newIndexOutOfBounds(), 0
	}
	return nil, index
}

//java:analysis java/util/Objects.checkIndex:(JJ)J
func checkIndexLong(index, length int64) (exc error, res int64) {
	if index < 0 || index >= length {
		return newIndexOutOfBounds(), 0
	}
	return nil, index
}

//java:analysis java/util/Objects.checkFromToIndex:(III)I
func checkFromToIndex(from, to, length int32) (exc error, res int32) {
	if from < 0 || from > to || to > length {
		return newIndexOutOfBounds(), 0
	}
	return nil, from
}

//java:analysis java/util/Objects.checkFromIndexSize:(III)I
func checkFromIndexSize(from, size, length int32) (exc error, res int32) {
	if from < 0 || size < 0 || length < 0 || size > length-from {
		return newIndexOutOfBounds(), 0
	}
	return nil, from
}

//java:analysis java/util/Arrays.copyOf:([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;
func copyOfClass(a *Array[Object], n int32, c *Class) (exc error, res *Array[Object]) {
	return copyOf(a, n)
}

//java:analysis java/util/Arrays.copyOf:([Ljava/lang/Object;I)[Ljava/lang/Object;
func copyOfArray(a *Array[Object], n int32) (exc error, res *Array[Object]) { return copyOf(a, n) }

//java:analysis java/util/Arrays.copyOf:([BI)[B
func copyOfBytes(a *Array[int8], n int32) (exc error, res *Array[int8]) { return copyOf(a, n) }

//java:analysis java/util/Arrays.copyOf:([CI)[C
func copyOfChars(a *Array[uint16], n int32) (exc error, res *Array[uint16]) { return copyOf(a, n) }

//java:analysis java/util/Arrays.copyOf:([II)[I
func copyOfInts(a *Array[int32], n int32) (exc error, res *Array[int32]) { return copyOf(a, n) }

//java:analysis java/util/Arrays.copyOf:([JI)[J
func copyOfLongs(a *Array[int64], n int32) (exc error, res *Array[int64]) { return copyOf(a, n) }

func copyOf[T any](a *Array[T], n int32) (exc error, res *Array[T]) {
	b := &Array[T]{elem: a.elem, data: make([]T, n)}
	copy(b.data, a.data)
	return nil, b
}
