// SPDX-License-Identifier: Apache-2.0

package translate

// This file gives Go types to Java types.

import (
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

var primitives = map[classfile.Type]string{
	"Z": "bool", "B": "int8", "C": "uint16", "S": "int16", "I": "int32", "J": "int64", "F": "float32", "D": "float64",
}

// goType is the Go type of fields, parameters and results.
func (u *unit) goType(t classfile.Type) string {
	if s := primitives[t]; s != "" {
		return s
	}
	return u.reference(t.Class())
}

// goValue is the Go type of a variable for a local or an entry of the stack, or "" if none is needed.
func (u *unit) goValue(v flow.Value, receiver string) string {
	switch v.Kind {
	case flow.Bit, flow.Int:
		return "int32"
	case flow.Bool:
		return "bool"
	case flow.Long:
		return "int64"
	case flow.Float:
		return "float32"
	case flow.Double:
		return "float64"
	case flow.Ref:
		if v.This {
			return "*" + u.structName(receiver)
		}
		return u.reference(v.Class)
	}
	return ""
}

// reference is the Go type of references to a class, or to an array by its descriptor.
func (u *unit) reference(class string) string {
	s, ok := u.references[class]
	if !ok {
		s = u.newReference(class)
		u.references[class] = s // what changes it needs another pass
	}
	return s
}

func (u *unit) newReference(class string) string {
	if t := classfile.Type(class); t.Array() {
		if e := primitives[t.Elem()]; e != "" {
			return "*Array[" + e + "]"
		}
		return "*Array[Object]"
	}
	switch {
	case class == hierarchy.Object:
		return "Object"
	case u.isThrowable(class):
		return "error"
	case u.opaque(class):
		return "*" + u.prelude.classes[class]
	case u.isLeaf(class):
		return "*" + u.structName(class)
	}
	return u.interfaceName(class)
}

// isLeaf reports whether all objects of a class that are known are of the class itself.
func (u *unit) isLeaf(class string) bool {
	if !u.objects.seen[class] || u.isThrowable(class) {
		return false
	}
	for _, d := range u.objects.all {
		if d != class && u.world.Subtype(d, class) {
			return false
		}
	}
	return true
}

// structName is the Go type of the objects of a class.
func (u *unit) structName(class string) string {
	if u.opaque(class) && class != hierarchy.Throwable {
		return u.prelude.classes[class]
	}
	return u.names.class(class)
}

// interfaceName is the Go interface of a class or interface. It is declared with those of its supertypes.
func (u *unit) interfaceName(class string) string {
	if class == hierarchy.Object {
		return "Object"
	}
	if u.isThrowable(class) {
		u.catchable.add(class)
		for _, s := range u.world.Supertypes(class) {
			if s != class && u.isThrowable(s) {
				u.catchable.add(s)
			}
		}
		return u.names.unique("interface", class, "Is_"+simple(class))
	}
	for _, s := range u.world.Supertypes(class) {
		if s != hierarchy.Object {
			u.types.add(s)
		}
	}
	return u.interfaceIdent(class)
}

func (u *unit) interfaceIdent(class string) string {
	if u.isThrowable(class) {
		return u.names.unique("interface", class, "Is_"+simple(class))
	}
	c := u.world.Class(class)
	if c != nil && !c.Is(classfile.Interface) && u.follows(class) {
		return u.names.unique("interface", class, "I_"+simple(class))
	}
	return u.names.class(class)
}

// marker is the method that only subtypes of a class have.
func (u *unit) marker(class string) string {
	return u.names.unique("marker", class, "Mark_"+simple(class)) // exported: other packages have implementations
}

// signature is the Go type of a method without "func": parameters and results.
func (u *unit) signature(d classfile.Descriptor, params []string) string {
	var b strings.Builder
	b.WriteByte('(')
	for k, p := range d.Params {
		if k > 0 {
			b.WriteString(", ")
		}
		b.WriteString(params[k] + " " + u.goType(p))
	}
	b.WriteString(") (exc error")
	if d.Result != "V" {
		b.WriteString(", res " + u.goType(d.Result))
	}
	b.WriteByte(')')
	return b.String()
}

// fieldName is the Go name of a field: its own unless a superclass has one of that name.
func (u *unit) fieldName(c *classfile.Class, f *classfile.Field) string {
	u.fields[f] = c
	own := unexported(f.Name)
	for _, prefix := range []string{"M_", "m_", "get_", "set_", "is_", "init_", "super_", "Call_", "asObject", "message", "cause"} {
		if strings.HasPrefix(own, prefix) {
			own += "_f"
			break
		}
	}
	if own == "class" || own == "base" || own == "object" {
		own += "_f"
	}
	for n := c.Super; n != ""; n = u.world.Super(n) {
		s := u.world.Class(n)
		if s == nil {
			break
		}
		for k := range s.Fields {
			if s.Fields[k].Flags&classfile.Static == 0 && unexported(s.Fields[k].Name) == unexported(f.Name) {
				return own + "_" + identifier(simple(c.Name))
			}
		}
	}
	for k := range c.Fields { // two names of a class that become one
		if g := &c.Fields[k]; g == f {
			break
		} else if unexported(g.Name) == unexported(f.Name) {
			own += "_" + identifier(string(f.Type))
		}
	}
	return own
}
