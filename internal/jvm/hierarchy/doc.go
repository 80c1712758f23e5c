// SPDX-License-Identifier: Apache-2.0

// Package hierarchy knows how the classes of a class path are related: supertypes,
// which field or method a reference resolves to, which method a virtual call selects.
//
// A World loads classes when they are asked for, and keeps them. A class that the class
// path does not have is missing, which is no error: code may name classes that it never
// uses. A file that cannot be read is one, see World.Err. Names are internal ones.
//
// A Boundary says which classes of a world belong to a component, so that their code is
// followed, and which are its environment.
package hierarchy
