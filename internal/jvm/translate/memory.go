// SPDX-License-Identifier: Apache-2.0

package translate

// This file translates access to fields and arrays.

import (
	"fmt"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// element translates access to elements and lengths of arrays.
func (x *method) element(in *classfile.Instr) (ended bool, err error) {
	var value, index expr
	op := in.Op
	stores := op >= classfile.Iastore && op <= classfile.Sastore
	if stores {
		value = x.pop()
	}
	if op != classfile.Arraylength {
		index = x.pop()
	}
	array := x.pop()
	if x.chooseEnum(in, array, index) {
		return false, nil
	}
	if !x.nonNull(&array) {
		return true, nil
	}
	class := x.classOf(array.value)
	if !strings.HasPrefix(class, "[") {
		v := flow.Value{Kind: flow.Ref, Class: arrayOf(op)}
		array.text, array.goT, array.value, class = x.convert(array, v), x.goValue(v, x.receiver), v, v.Class
	}
	if op == classfile.Arraylength {
		x.result(flow.Value{Kind: flow.Int}, "int32(len("+array.text+".data))")
		return false, nil
	}
	i := x.operand(index, flow.Int)
	x.check(fmt.Sprintf("%s < 0 || int(%s) >= len(%s.data)", i, i, array.text), arrayIndex)
	elem := classfile.Type(class).Elem()
	place := fmt.Sprintf("%s.data[%s]", array.text, i)
	object := flow.Value{Kind: flow.Ref, Class: hierarchy.Object}
	switch {
	case stores && elem.Reference():
		x.emit("%s = %s", place, x.convert(value, object))
	case stores:
		x.emit("%s = %s", place, x.convertType(value, elem))
	case elem.Reference():
		t := x.temp("Object")
		x.emit("%s = %s", t, place)
		v := flow.OfType(elem)
		x.push(expr{text: x.convert(expr{text: t, goT: "Object", value: object}, v), goT: x.goValue(v, x.receiver), value: v})
	default:
		x.result(flow.OfType(elem), widen(elem, place))
	}
	return false, nil
}

// widen turns a value of a small type into one of the stack.
func widen(t classfile.Type, text string) string {
	switch t {
	case "B", "C", "S":
		return "int32(" + text + ")"
	}
	return text
}

// arrayOf is the type of an array that an instruction takes, if its operand says less.
func arrayOf(op classfile.Op) string {
	types := [...]string{"[I", "[J", "[F", "[D", "[Ljava/lang/Object;", "[B", "[C", "[S"}
	switch {
	case op >= classfile.Iastore && op <= classfile.Sastore:
		return types[op-classfile.Iastore]
	case op >= classfile.Iaload && op <= classfile.Saload:
		return types[op-classfile.Iaload]
	}
	return "[Ljava/lang/Object;"
}

// makeArray is the Go expression for a new array.
func (x *method) makeArray(class, n string) string {
	elem := classfile.Type(class).Elem()
	goT := strings.TrimPrefix(x.reference(class), "*")
	data := goT[len("Array[") : len(goT)-1]
	return fmt.Sprintf("&%s{elem: %q, data: make([]%s, %s)}", goT, string(elem), data, n)
}

func (x *method) newArray(in *classfile.Instr) {
	v, _, _ := x.body.Result(in, nil, nil)
	if in.Op != classfile.Multianewarray {
		n := x.operand(x.pop(), flow.Int)
		x.check(n+" < 0", negativeSize)
		x.result(v, x.makeArray(v.Class, n)).nonnull = true
		return
	}
	sizes := make([]string, in.Int)
	for k := len(sizes) - 1; k >= 0; k-- {
		sizes[k] = x.operand(x.pop(), flow.Int)
	}
	for _, n := range sizes {
		x.check(n+" < 0", negativeSize)
	}
	t := x.multiArray(v.Class, sizes)
	x.push(expr{text: t, goT: x.goValue(v, x.receiver), value: v, nonnull: true})
}

// multiArray emits loops that make an array of arrays.
func (x *method) multiArray(class string, sizes []string) string {
	a := x.temp(x.reference(class))
	x.emit("%s = %s", a, x.makeArray(class, sizes[0]))
	if len(sizes) > 1 {
		i := x.temp("int32")
		x.emit("for %s = 0; %s < %s; %s++ {", i, i, sizes[0], i)
		inner := x.multiArray(class[1:], sizes[1:])
		x.emit("%s.data[%s] = %s", a, i, inner)
		x.emit("}")
	}
	return a
}

// field translates access to fields.
func (x *method) field(in *classfile.Instr) (ended bool, err error) {
	ref := in.Const.Member
	t := classfile.Type(ref.Descriptor)
	c, f := x.world.Field(ref.Owner, ref.Name, ref.Descriptor)
	static := in.Op == classfile.Getstatic || in.Op == classfile.Putstatic
	if f == nil && x.follows(ref.Owner) && x.complete(ref.Owner) {
		return false, x.unsupported("field %s does not exist", ref)
	}
	var value expr
	if in.Op == classfile.Putstatic || in.Op == classfile.Putfield {
		value = x.pop()
	}
	if static {
		if f != nil && f.Flags&classfile.Static == 0 {
			return false, x.unsupported("field %s is not static", ref)
		}
		x.staticField(in, c, f, value)
		return false, nil
	}
	object := x.pop()
	if !x.nonNull(&object) {
		return true, nil
	}
	if f == nil || !x.follows(c.Name) {
		owner := classfile.ClassType(ref.Owner)
		recv := x.convertType(object, owner)
		if in.Op == classfile.Getfield {
			x.result(flow.OfType(t), widen(t, fmt.Sprintf("%s(%s)", x.accessor(ref, "get", "(o "+x.goType(owner)+") "+x.goType(t)), recv)))
		} else {
			x.emit("%s(%s, %s)", x.accessor(ref, "set", "(o "+x.goType(owner)+", v "+x.goType(t)+")"), recv, x.convertType(value, t))
		}
		return false, nil
	}
	get, set := x.instanceField(object, c, f)
	if in.Op == classfile.Getfield {
		x.result(flow.OfType(t), widen(t, get))
		return false, nil
	}
	x.emit("%s", set(x.convertType(value, t)))
	return false, nil
}

// complete reports whether all superclasses of a class are known.
func (u *unit) complete(class string) bool {
	for n := class; n != hierarchy.Object; n = u.world.Super(n) {
		if c := u.world.Class(n); c == nil {
			return false
		}
	}
	return true
}

// instanceField is how a field of an object that is not null is read and written.
func (x *method) instanceField(object expr, c *classfile.Class, f *classfile.Field) (get string, set func(value string) string) {
	name := x.fieldName(c, f)
	class := x.classOf(object.value)
	if strings.HasPrefix(object.goT, "*") && !x.opaque(class) {
		if x.world.Subtype(class, c.Name) {
			place := object.text + "." + name
			return place, func(v string) string { return place + " = " + v }
		}
	}
	recv := ""
	if x.isThrowable(c.Name) {
		recv = x.temp(x.interfaceName(c.Name))
		x.emit("%s, _ = any(%s).(%s)", recv, x.convert(object, flow.Value{Kind: flow.Ref, Class: hierarchy.Throwable}), x.types[recv])
	} else {
		v := flow.Value{Kind: flow.Ref, Class: c.Name}
		recv = x.convert(object, v)
		if strings.HasPrefix(x.goValue(v, x.receiver), "*") {
			place := recv + "." + name
			return place, func(v string) string { return place + " = " + v }
		}
	}
	l := x.accessors[c.Name]
	if l == nil {
		l = &list[*classfile.Field]{}
		x.accessors[c.Name] = l
	}
	l.add(f)
	return fmt.Sprintf("%s.get_%s()", recv, name), func(v string) string { return fmt.Sprintf("%s.set_%s(%s)", recv, name, v) }
}

// accessor is a function of the environment for a field of a class that is not followed.
func (u *unit) accessor(ref classfile.Member, verb, signature string) string {
	goName := u.names.unique("function", verb+" "+ref.String(), verb+"_"+simple(ref.Owner)+"_"+ref.Name)
	u.outside.add(outside{goName, signature, Name{ref.Owner, ref.Name, ref.Descriptor}, "environment", ""})
	return goName
}

func (x *method) staticField(in *classfile.Instr, c *classfile.Class, f *classfile.Field, value expr) {
	ref := in.Const.Member
	t := classfile.Type(ref.Descriptor)
	if f != nil && x.follows(c.Name) {
		x.touchHere(c.Name)
		x.statics.add(staticField{c.Name, f})
		name := x.staticName(c.Name, f)
		if in.Op == classfile.Putstatic {
			if values, _ := x.presetsOf(c.Name); x.method().Name == "<clinit>" && values[presetField{c.Name, f.Name, string(f.Type)}] != "" {
				return // it has this value from the start
			}
			x.emit("%s = %s", name, x.convertType(value, t))
			return
		}
		v := flow.OfType(t)
		if flow.MayBeHandle(t) {
			v.From = ref.Owner + "." + ref.Name
		}
		e := x.result(v, widen(t, name))
		if t == "[I" {
			if cases := x.enumCases(c, f); cases != nil {
				e.known = &special{cases: cases}
			}
		}
		return
	}
	if in.Op == classfile.Putstatic {
		x.emit("%s(%s)", x.accessor(ref, "set", "(v "+x.goType(t)+")"), x.convertType(value, t))
		return
	}
	if name := x.prelude.fields[ref.Owner+"."+ref.Name]; name != "" {
		x.push(expr{text: name, goT: x.goType(t), value: flow.OfType(t), nonnull: true})
		return
	}
	if class := boxedType(ref); class != "" {
		x.push(x.classExpr(class))
		return
	}
	x.result(flow.OfType(t), widen(t, x.accessor(ref, "get", "() "+x.goType(t))+"()"))
}

// boxedType is the primitive type whose class a static field of a box holds (Integer.TYPE), or "".
func boxedType(ref classfile.Member) string {
	if ref.Name != "TYPE" {
		return ""
	}
	return map[string]string{"java/lang/Integer": "int", "java/lang/Long": "long", "java/lang/Short": "short", "java/lang/Byte": "byte",
		"java/lang/Character": "char", "java/lang/Boolean": "boolean", "java/lang/Float": "float", "java/lang/Double": "double", "java/lang/Void": "void"}[ref.Owner]
}

func (u *unit) staticName(class string, f *classfile.Field) string {
	return u.names.unique("static", class+"."+f.Name+":"+string(f.Type), "static_"+simple(class)+"_"+f.Name)
}
