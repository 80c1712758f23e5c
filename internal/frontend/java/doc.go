// SPDX-License-Identifier: Apache-2.0

// Package java reads Java classes: it finds a class, translates it with what belongs to its component to a Go package in memory
// (internal/jvm/translate), has the front end for Go lower that, and turns the interface that is found back into one of the class.
//
// # In which order
//
//  1. find.go finds the class by the name that a user writes, in jars and directories and in a JDK.
//  2. errors.go reads what the client is to avoid: classes of exceptions, places that throw, messages.
//  3. compile.go translates and lowers. Functions of the environment count as those of another package; native methods of the
//     component's classes have no body and no contract, so nothing is known of what they do.
//  4. names.go gives Java names to calls, parameters, outcomes, labels, positions and reasons; rename.go applies them to an
//     interface.
//
// The conventions of the front end that are about Go's ways of making objects and returning errors do not apply to the text of a translation:
// its functions give the exception first. Those that do apply are listed in Java's words (conventions.go).
package java
