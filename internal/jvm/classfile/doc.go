// SPDX-License-Identifier: Apache-2.0

// Package classfile reads Java class files, versions 45 (Java 1.0.2) to 69
// (Java 25), as the Java Virtual Machine Specification, chapter 4, defines them.
//
// Parse gives a Class: its constant pool resolved to Go values, fields, methods,
// and the attributes that say something about behaviour, names or positions. What
// a Class keeps of its file are strings and numbers; nothing refers to the bytes.
// Attributes that only tools need (annotations, stack maps, module tables) are
// skipped, but their lengths are checked.
//
// The code of a method is decoded on demand: Code.Decode gives its instructions with
// resolved operands, and Code.Heights the height of the operand stack before each,
// which is how the reader checks itself: a decoder that is wrong about one opcode
// is wrong about heights soon after.
//
// A file that breaks the format is an *Error with its name and an offset. The reader
// never panics and never allocates more than the size of the file warrants.
package classfile
