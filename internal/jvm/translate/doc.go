// SPDX-License-Identifier: Apache-2.0

// Package translate turns a Java class, with the classes that belong to its component, into one Go
// package whose runs are those of the class.
//
// Class begins with the constructors and the methods of a component and translates what they may
// call: rapid type analysis, where a virtual call leads to the methods of the classes that the translated
// code makes objects of. Code that the hierarchy.Boundary does not follow is the environment: functions and
// interfaces without bodies.
//
// # The Go package
//
// A class that objects are made of is a struct with the fields of all its superclasses. It has a copy of each
// method that it inherits, so that calls on the receiver have one target. A reference is a pointer to
// the struct if no subclass has objects, else an interface. An exception is an error, the first result of every
// method; it is no Object. An array is an *Array, strings and boxes are structs of the prelude.
//
// A method has a label for each block, variables for locals and for entries of the operand stack at the
// ends of blocks, and checks in place of the exceptions that instructions throw. Before every line stands
// a comment that gives file and line of the Java source.
//
// # Terms
//
// A copy is a method translated for one class of its receiver. A wrapper is a function or method for one call of the
// component's interface; its results tell the outcomes apart. A model is Go code of the prelude in place of a Java class.
package translate
