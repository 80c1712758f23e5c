// SPDX-License-Identifier: Apache-2.0

package classfile

import (
	"fmt"
	"strings"
)

// A Type is a field descriptor: "I", "[J", "Ljava/lang/String;"; of results also "V".
type Type string

// Slots is how many entries of the operand stack or of the locals a value takes.
func (t Type) Slots() int {
	switch t {
	case "V":
		return 0
	case "J", "D":
		return 2
	}
	return 1
}

// Reference reports whether values of the type are references.
func (t Type) Reference() bool { return t != "" && (t[0] == 'L' || t[0] == '[') }

// Array reports whether values of the type are arrays.
func (t Type) Array() bool { return t != "" && t[0] == '[' }

// Elem is the type of the elements of an array.
func (t Type) Elem() Type { return t[1:] }

// Class is the internal name of a reference type as a constant of kind class has it:
// "java/lang/String", and for arrays the descriptor itself.
func (t Type) Class() string {
	if t.Array() {
		return string(t)
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(t), "L"), ";")
}

// ClassType is the type of references to a class by its internal name.
func ClassType(name string) Type {
	if strings.HasPrefix(name, "[") {
		return Type(name)
	}
	return Type("L" + name + ";")
}

var primitives = map[Type]string{
	"B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long", "S": "short", "Z": "boolean", "V": "void",
}

// String is the type as Java source has it, with "." in names of packages and
// of nested classes "$" as in the file.
func (t Type) String() string {
	switch {
	case t.Array():
		return t.Elem().String() + "[]"
	case t.Reference():
		return strings.ReplaceAll(t.Class(), "/", ".")
	}
	if s := primitives[t]; s != "" {
		return s
	}
	return fmt.Sprintf("?%s", string(t))
}

// A Descriptor is the type of a method.
type Descriptor struct {
	Params []Type
	Result Type
}

// Slots is how many locals the parameters take, without the receiver.
func (d Descriptor) Slots() int {
	n := 0
	for _, p := range d.Params {
		n += p.Slots()
	}
	return n
}

// maxDimensions is what the format allows.
const maxDimensions = 255

// cutType takes the first field descriptor off a text.
func cutType(s string) (t Type, rest string, ok bool) {
	dims := 0
	for dims < len(s) && s[dims] == '[' {
		dims++
	}
	if dims == len(s) || dims > maxDimensions {
		return "", "", false
	}
	end := dims + 1
	switch s[dims] {
	case 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z':
	case 'L':
		k := strings.IndexByte(s, ';')
		if k <= dims+1 || !className(s[dims+1:k]) {
			return "", "", false
		}
		end = k + 1
	default:
		return "", "", false
	}
	return Type(s[:end]), s[end:], true
}

// ParseType reads a field descriptor.
func ParseType(s string) (Type, bool) {
	t, rest, ok := cutType(s)
	return t, ok && rest == ""
}

// ParseDescriptor reads a method descriptor.
func ParseDescriptor(s string) (d Descriptor, ok bool) {
	rest, ok := strings.CutPrefix(s, "(")
	for ok && !strings.HasPrefix(rest, ")") {
		var t Type
		if t, rest, ok = cutType(rest); ok {
			d.Params = append(d.Params, t)
		}
	}
	if !ok {
		return Descriptor{}, false
	}
	if rest = rest[1:]; rest == "V" {
		d.Result = "V"
		return d, true
	}
	d.Result, ok = ParseType(rest)
	return d, ok
}

// className reports whether a text may be the internal name of a class: names
// between slashes, none of them empty.
func className(s string) bool {
	if s == "" || strings.ContainsAny(s, ".;[") {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" {
			return false
		}
	}
	return true
}

// unqualified reports whether a text may be the name of a field or, but for the two
// special ones, of a method.
func unqualified(s string, method bool) bool {
	if method && (s == "<init>" || s == "<clinit>") {
		return true
	}
	return s != "" && !strings.ContainsAny(s, ".;[/") && (!method || !strings.ContainsAny(s, "<>"))
}
