// SPDX-License-Identifier: Apache-2.0

package java

// This file says in Java's words what is assumed: by the front end for Go about the text of the translation, and by the translation
// about the class. Conventions about things that the text has not are left out.

import (
	"maps"
	"slices"
	"strings"
)

// inJava are the conventions of the front end for Go, by their first word. An empty text: it says nothing of a class.
var inJava = map[string]string{
	"lengths":       "",
	"no-wrap":       "", // lengths have 31 bits, and sums of them 64
	"pointer-error": "", // of makers, which give an object or an exception
	"receiver":      "",
	"boxes":         "",
	"constructor":   "",
	"made":          "",
	"handed":        "",
	"reflection":    "",
	"iterators":     "",
	"goroutines":    "",
	"chain":         "",
	"errors":        "",
	"fields":        "fields: the client changes the object only through calls",
	"package":       "static: nothing but the calls changes the static fields of the classes that are followed",
	"environment":   "environment: code that is not followed returns, blocks, or throws what it declares or the component catches",
	"loops":         "loops: loops end in which something changes, and calls of code that is not followed return",
	"itself":        "itself: an argument of an interface or of class Object, or what other code returns as one, is not the object itself",
	"layers":        "layers: an object of another class is not built on itself",
	"whole":         "whole: objects that clients and other code give were made by constructors of their classes",
	"entrusted":     "entrusted: objects that the client gave to a constructor are changed by calls only, and by code that is given them during calls",
	"elsewhere":     "elsewhere: objects that code makes which no call leads to do not change others than those they are given",
	"world":         "world: constructors that may throw do so for some state of the environment",
}

// conventions are those of an interface in Java's words, with what the translation assumes.
func (n *names) conventions(list []string) []string {
	out := map[string]bool{}
	for _, text := range list {
		first, _, _ := strings.Cut(text, ":")
		said, known := inJava[first]
		switch {
		case !known:
			out[n.text(text)] = true
		case said != "":
			out[said] = true
		}
	}
	for _, text := range n.t.Assumptions {
		out["translation: "+text] = true
	}
	out["no-wrap: numbers of type int that are counted up or down by small steps do not overflow"] = true
	out["internal: elements of arrays that code accesses are there, and references in fields that it follows are not null, where no error asked for says otherwise"] = true
	out["arguments: an argument of a class that is followed is an object that no earlier call was given"] = true
	return slices.Sorted(maps.Keys(out))
}
