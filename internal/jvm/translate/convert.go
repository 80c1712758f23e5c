// SPDX-License-Identifier: Apache-2.0

package translate

// This file converts between the Go types of one Java value. A nil pointer becomes a nil interface.

import (
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// convertType converts an entry of the stack to what a descriptor says.
func (x *method) convertType(e expr, t classfile.Type) string {
	v := flow.OfType(t)
	text := x.convert(e, v)
	switch t {
	case "B", "C", "S":
		if e.known != nil && e.known.integer != nil {
			n := *e.known.integer
			if t == "B" && n == int64(int8(n)) || t == "C" && n == int64(uint16(n)) || t == "S" && n == int64(int16(n)) {
				return text
			}
			text = x.operand(e, flow.Int)
		}
		return primitives[t] + "(" + text + ")"
	}
	return text
}

// convert converts an entry of the stack to a type. It may emit statements.
func (x *method) convert(e expr, want flow.Value) string {
	switch want.Kind {
	case flow.Bool:
		switch {
		case e.value.Kind == flow.Bool:
			return e.text
		case e.text == "0":
			return "false"
		case e.text == "1":
			return "true"
		}
		return "(" + e.text + " != 0)"
	case flow.Bit, flow.Int:
		if e.value.Kind == flow.Bool {
			return "bitOf(" + e.text + ")"
		}
		return e.text
	case flow.Ref:
		return x.convertReference(e, want)
	}
	return e.text
}

// classOf is the class of an entry of the stack, where the receiver is of the class of the copy.
func (x *method) classOf(v flow.Value) string {
	if v.This {
		return x.receiver
	}
	return v.Class
}

func (x *method) convertReference(e expr, want flow.Value) string {
	goT := x.goValue(want, x.receiver)
	switch {
	case e.value.Kind == flow.Null:
		return "nil"
	case e.goT == goT:
		return e.text
	case goT == "error":
		t := x.temp(goT)
		x.emit("%s = errorOf(%s)", t, e.text)
		return t
	case e.goT == "error":
		if goT != "Object" && want.Class != serializable {
			x.fail("an exception as an object of %v", classfile.ClassType(want.Class))
		}
		e.text, e.goT, e.value.Class = "objectOf("+e.text+")", "Object", hierarchy.Object
		if goT == "Object" {
			return e.text
		}
	case x.world.Subtype(x.classOf(e.value), want.Class) && !strings.HasPrefix(goT, "*"):
		if e.nonnull || !strings.HasPrefix(e.goT, "*") {
			return e.text
		}
		t := x.temp(goT)
		x.emit("%s = nil", t)
		x.emit("if %s != nil {", e.text)
		x.emit("%s = %s", t, e.text)
		x.emit("}")
		return t
	}
	t := x.temp(goT)
	if strings.HasPrefix(e.goT, "*") && !e.nonnull {
		x.emit("%s = nil", t)
		x.emit("if %s != nil {", e.text)
		x.emit("%s, _ = any(%s).(%s)", t, e.text, goT)
		x.emit("}")
		return t
	}
	x.emit("%s, _ = any(%s).(%s)", t, e.text, goT)
	return t
}

// serializable is the only interface besides those of its class that an exception has as an object.
const serializable = "java/io/Serializable"

// isInstance is a Go expression that tells whether an object is one of a class. It may emit statements.
func (x *method) isInstance(e expr, class string) string {
	if e.value.Kind == flow.Null {
		return "false"
	}
	have := x.classOf(e.value)
	if x.world.Subtype(have, class) {
		if e.nonnull || e.value.This {
			return "true"
		}
		return e.text + " != nil"
	}
	if strings.HasPrefix(e.goT, "*") && !strings.HasPrefix(e.goT, "*Array[") && !strings.HasPrefix(class, "[") {
		return "false" // all objects of a pointer type are of its class
	}
	t := x.temp("bool")
	if x.isThrowable(class) {
		text := e.text
		if e.goT != "error" {
			text = "errorOf(" + e.text + ")"
		}
		if class == hierarchy.Throwable {
			return text + " != nil"
		}
		x.emit("_, %s = any(%s).(%s)", t, text, x.interfaceName(class))
		return t
	}
	for _, d := range x.objects.all {
		if class != serializable && class != hierarchy.Object && x.isThrowable(d) && x.world.Subtype(d, class) {
			x.fail("an exception that implements %v", classfile.ClassType(class))
		}
	}
	text := "any(" + e.text + ")"
	if e.goT == "error" {
		text = "any(objectOf(" + e.text + "))"
	}
	goT := x.reference(class)
	elem := classfile.Type(class)
	if !elem.Array() || primitives[elem.Elem()] != "" || elem.Elem().Class() == hierarchy.Object {
		x.emit("_, %s = %s.(%s)", t, text, goT)
		return t
	}
	a := x.temp(goT)
	x.emit("%s, %s = %s.(%s)", a, t, text, goT)
	x.emit("if %s {", t)
	x.emit("%s = %s != nil && arrayInstance(%s.elem, %q)", t, a, a, string(elem.Elem()))
	x.emit("}")
	return t
}

// cast translates checkcast.
func (x *method) cast(class string) {
	e := x.pop()
	if e.value.Kind == flow.Null || e.value.This || x.world.Subtype(x.classOf(e.value), class) {
		x.push(e)
		return
	}
	text := x.isInstance(e, class)
	null := e.text + " == nil"
	switch text {
	case "true":
	case "false":
		x.check("!("+null+")", classCast)
	default:
		if e.nonnull {
			x.check("!("+text+")", classCast)
		} else {
			x.check("!("+null+") && !("+text+")", classCast)
		}
	}
	v := flow.Value{Kind: flow.Ref, Class: class}
	out := expr{text: x.convert(e, v), goT: x.goValue(v, x.receiver), value: v, nonnull: e.nonnull}
	if x.types[out.text] == "" || out.text == e.text {
		out.local = e.local
	}
	x.push(out)
}
