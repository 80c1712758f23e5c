// SPDX-License-Identifier: Apache-2.0

// Package classpath finds class files: in directories, in single files, in jars
// (with the releases of multi-release jars), in jmods, and in the file lib/modules
// of a Java runtime.
//
// A Source answers for one of these, a Path for several in order, of which the first
// that has a class wins. Names are internal ones: java/util/ArrayList$ListItr. What a
// source has is listed in sorted order, so that whoever walks it does the same on every
// machine. OpenJDK opens an installed runtime or JDK.
//
// A source that does not have a class answers NotFound; all other errors mean that
// the file or directory cannot be read as what it says it is, and name it.
package classpath
