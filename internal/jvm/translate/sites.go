// SPDX-License-Identifier: Apache-2.0

package translate

// This file tells apart where exceptions are made that a client is to avoid. Each such place makes exceptions of a Go type of its own,
// which embeds that of their class: a door knows by the type where an exception comes from.

import (
	"path"
	"slices"
	"strconv"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
)

// Errors say which exceptions a client is to avoid.
type Errors struct {
	// Classes are internal names; their subclasses count too.
	Classes []string
	// Site, if it is not nil, chooses among the places that make such exceptions. Then those of the environment do not count.
	Site func(s Site) bool
}

// A Site is a place in the code that makes exceptions.
type Site struct {
	Class   string // of the exception, internal name
	In      string // class whose code it is, internal name
	Method  string
	File    string // java/util/ArrayList.java
	Line    int    // or 0
	Message string // if it is constant
	// Check: an instruction fails, there is no throw.
	Check bool
}

// Position is the file and the line, as far as these are known.
func (s Site) Position() string {
	if s.Line == 0 {
		return s.File
	}
	return s.File + ":" + strconv.Itoa(s.Line)
}

// isAsked reports whether exceptions of a class may be ones that a client is to avoid.
func (u *unit) isAsked(class string) bool {
	return u.options.Errors != nil && slices.ContainsFunc(u.options.Errors.Classes, func(c string) bool { return u.world.Subtype(class, c) })
}

// sourceFile is the file of a class, with its package.
func sourceFile(c *classfile.Class) string {
	source := c.Source
	if source == "" {
		source = simple(c.Name) + ".class"
	}
	return path.Join(c.Package(), source)
}

// siteType is the Go type of the exceptions of a class that the code at hand makes here.
func (x *method) siteType(class, message string, check bool) string {
	name := x.exception(class)
	if !x.isAsked(class) {
		return name
	}
	m := x.method()
	s := Site{Class: class, In: m.Class.Name, Method: m.Name, File: sourceFile(m.Class), Line: x.line, Message: message, Check: check}
	if f := x.options.Errors.Site; f != nil && !f(s) {
		return name
	}
	// Copies of one method have sites of one number.
	k := slices.Index(x.unit.sites, s)
	if k < 0 {
		k = len(x.unit.sites)
		x.unit.sites = append(x.unit.sites, s)
		x.siteTypes = append(x.siteTypes, x.names.unique("site", strconv.Itoa(k), "site_"+strconv.Itoa(k+1)))
	}
	x.translated.sites = append(x.translated.sites, k)
	return x.siteTypes[k]
}

// messageIn is the constant string among the arguments of a constructor of an exception that is its message, or "".
func messageIn(args []expr, d classfile.Descriptor) string {
	for k, p := range d.Params {
		if p == "Ljava/lang/String;" {
			if e := args[k]; e.known != nil && e.known.text != nil {
				return *e.known.text
			}
			return ""
		}
	}
	return ""
}
