// SPDX-License-Identifier: Apache-2.0

package translate

// This file translates calls.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// arguments converts the arguments of a call.
func (x *method) arguments(args []expr, d classfile.Descriptor) []string {
	out := make([]string, len(args))
	for k := range args {
		out[k] = x.convertType(args[k], d.Params[k])
	}
	return out
}

// call emits a call of a Go function that gives an exception and perhaps a result, which it pushes.
func (x *method) call(function string, args []string, result classfile.Type) *expr {
	text := function + "(" + strings.Join(args, ", ") + ")"
	callee := function[strings.LastIndexByte(function, '.')+1:]
	quiet := x.quiet[callee]
	end := func() {
		if quiet {
			return
		}
		x.callee = callee
		x.emit("if exc != nil {")
		x.throw("")
		x.emit("}")
		x.callee = ""
	}
	if result == "V" {
		x.emit("%s = %s", map[bool]string{true: "_", false: "exc"}[quiet], text)
		end()
		return nil
	}
	goT := x.goType(result)
	t := x.temp(goT)
	x.emit("%s, %s = %s", map[bool]string{true: "_", false: "exc"}[quiet], t, text)
	end()
	v := flow.OfType(result)
	e := expr{text: t, goT: x.goValue(v, x.receiver), value: v}
	if wide := widen(result, t); wide != t {
		w := x.temp("int32")
		x.emit("%s = %s", w, wide)
		e.text = w
	}
	x.push(e)
	return &x.stack[len(x.stack)-1]
}

func (x *method) invoke(in *classfile.Instr) (ended bool, err error) {
	ref := in.Const.Member
	d, _ := classfile.ParseDescriptor(ref.Descriptor)
	args := x.popN(len(d.Params))
	if in.Op == classfile.Invokestatic {
		return false, x.invokeStatic(in, args, d)
	}
	object := x.pop()
	if object.value.Kind == flow.Fresh {
		return false, x.construct(in, object, args, d)
	}
	if done, err := x.invokeHandle(in, object, args, d); done || err != nil {
		return false, err
	}
	if !x.nonNull(&object) {
		return true, nil
	}
	if strings.HasPrefix(ref.Owner, "[") {
		if ref.Name == "clone" {
			v := flow.Value{Kind: flow.Ref, Class: ref.Owner}
			x.result(v, x.convert(object, v)+".clone()").nonnull = true
			return false, nil
		}
		ref.Owner = hierarchy.Object
	}
	target := x.world.Method(ref.Owner, ref.Name, ref.Descriptor)
	if target != nil {
		x.export(target)
	}
	if in.Op == classfile.Invokespecial {
		return false, x.invokeSpecial(ref, target, object, args, d)
	}
	if target != nil && target.Is(classfile.Static) {
		return false, x.unsupported("%s is static", ref)
	}
	return false, x.invokeVirtual(ref, target, object, args, d)
}

func (x *method) invokeStatic(in *classfile.Instr, args []expr, d classfile.Descriptor) error {
	ref := in.Const.Member
	if done, err := x.invokeHandle(in, expr{}, args, d); done || err != nil {
		return err
	}
	if x.options.Errors != nil && ref.Owner == threadClass && ref.Name == "currentThread" {
		x.oneThread = true
		x.result(flow.OfType(d.Result), "&threadObject").nonnull = true
		return nil
	}
	if f := x.prelude.statics[ref.Owner+"."+ref.Name+":"+ref.Descriptor]; f != "" {
		if f == "arraycopy" && x.options.Errors != nil && args[0].goT == args[2].goT && strings.HasPrefix(args[0].goT, "*Array[") {
			ints := make([]string, 5)
			for _, k := range []int{1, 3, 4} {
				ints[k] = x.operand(args[k], flow.Int)
			}
			if !x.nonNull(&args[0]) || !x.nonNull(&args[2]) {
				return nil
			}
			if x.isInternal(arrayIndex) {
				x.emit("copy(%s.data[%s:%s+%s], %s.data[%s:%s+%s])", args[2].text, ints[3], ints[3], ints[4], args[0].text, ints[1], ints[1], ints[4])
				return nil
			}
			x.call("copyArray", []string{args[0].text, ints[1], args[2].text, ints[3], ints[4]}, d.Result)
			return nil
		}
		e := x.call(f, x.arguments(args, d), d.Result)
		if e != nil && ref.Name == "valueOf" {
			e.nonnull = ref.Owner != "java/lang/String"
		}
		return nil
	}
	target := x.world.Method(ref.Owner, ref.Name, ref.Descriptor)
	if target != nil && x.follows(target.Class.Name) {
		if !target.Is(classfile.Static) {
			return x.unsupported("%s is not static", ref)
		}
		x.touchHere(target.Class.Name)
		t := x.copyOf("", target)
		x.calls = append(x.calls, t.copyKey)
		x.call(t.goName, x.arguments(args, d), d.Result)
		return nil
	}
	x.call(x.asked(ref, ref.String(), x.signature(d, arguments(d)), "environment"), x.arguments(args, d), d.Result)
	return nil
}

// arguments are names for parameters that have none.
func arguments(d classfile.Descriptor) []string {
	out := make([]string, len(d.Params))
	for k := range out {
		out[k] = fmt.Sprintf("p_arg%d", k)
	}
	return out
}

// asked is environment for a call in the code at hand.
func (x *method) asked(ref classfile.Member, key, signature, reason string) string {
	x.asks = append(x.asks, outsideCall{of: Name{ref.Owner, ref.Name, ref.Descriptor}, reason: reason})
	return x.environment(ref, key, signature, reason)
}

// environment is a function of the environment that stands for a method.
func (u *unit) environment(ref classfile.Member, key, signature, reason string) string {
	name := ref.Name
	if name == "<init>" {
		name = "new"
	}
	goName := u.names.unique("function", key, simple(ref.Owner)+"_"+name)
	u.outside.add(outside{goName, signature, Name{ref.Owner, ref.Name, ref.Descriptor}, reason, ""})
	return goName
}

// construct translates the call of a constructor, which makes the object here: at the instruction new there was none.
func (x *method) construct(in *classfile.Instr, object expr, args []expr, d classfile.Descriptor) error {
	ref := in.Const.Member
	class := object.value.Class
	made := flow.Value{Kind: flow.Ref, Class: class}
	var text string
	switch f := x.prelude.news[class+":"+ref.Descriptor]; {
	case f != "":
		x.call(f, x.arguments(args, d), classfile.ClassType(class))
		text = x.pop().text
	case x.follows(class):
		target := x.world.Method(class, "<init>", ref.Descriptor)
		if target == nil || target.Class.Name != class {
			return x.unsupported("constructor %s does not exist", ref)
		}
		x.makeObject(class)
		if x.isThrowable(class) {
			x.makes = append(x.makes, class)
		}
		t := x.copyOf(class, target)
		x.calls = append(x.calls, t.copyKey)
		struct1 := x.structName(class)
		if x.isThrowable(class) {
			struct1 = x.siteType(class, messageIn(args, d), false)
		}
		o := x.temp("*" + struct1)
		x.emit("%s = &%s{}", o, struct1)
		x.call(o+"."+t.goName, x.arguments(args, d), "V")
		text = x.convertMade(o, class)
	case x.isThrowable(class):
		text = x.makeException(class, args, d)
	default:
		signature := x.signature(d, arguments(d))
		signature += ", res " + x.reference(class) + ")"
		signature = strings.Replace(signature, "(exc error), res", "(exc error, res", 1)
		x.call(x.asked(ref, ref.String(), signature, "environment"), x.arguments(args, d), classfile.ClassType(class))
		text = x.pop().text
	}
	e := expr{text: text, goT: x.goValue(made, x.receiver), value: made, nonnull: true}
	for k := range x.stack {
		if x.stack[k].value == object.value {
			x.stack[k] = e
		}
	}
	for k, v := range slices.Clone(x.locals) {
		if v == object.value {
			x.store(k, e)
		}
	}
	return nil
}

// convertMade is a new object as a reference to its class.
func (x *method) convertMade(o, class string) string {
	goT := x.reference(class)
	if x.types[o] == goT {
		return o
	}
	t := x.temp(goT)
	x.emit("%s = %s", t, o)
	return t
}

// makeException makes an exception of a class that is not followed. Its message is the first string that its constructor
// takes, its cause the first exception.
func (x *method) makeException(class string, args []expr, d classfile.Descriptor) string {
	x.makes = append(x.makes, class)
	var parts []string
	for k, p := range d.Params {
		switch {
		case p == "Ljava/lang/String;" && !slices.ContainsFunc(parts, func(s string) bool { return strings.HasPrefix(s, "message") }):
			parts = append(parts, "message: "+x.convertType(args[k], p))
		case p.Reference() && x.isThrowable(p.Class()) && !slices.ContainsFunc(parts, func(s string) bool { return strings.HasPrefix(s, "cause") }):
			parts = append(parts, "cause: "+x.convertType(args[k], p))
		}
	}
	if !slices.ContainsFunc(parts, func(s string) bool { return strings.HasPrefix(s, "message") }) && len(args) > 0 {
		parts = append(parts, "message: unknownMessage(nil)")
	}
	t := x.temp("error")
	name := x.exception(class)
	literal := name + "{}"
	if len(parts) > 0 {
		literal = name + "{Throwable: Throwable{" + strings.Join(parts, ", ") + "}}"
	}
	if at := x.siteType(class, messageIn(args, d), false); at != name {
		literal = at + "{" + name + ": " + literal + "}"
	}
	literal = "&" + literal
	x.emit("%s = %s", t, literal)
	return t
}

// invokeSpecial translates calls of constructors of superclasses, of methods of superclasses and of private methods.
func (x *method) invokeSpecial(ref classfile.Member, target *classfile.Method, object expr, args []expr, d classfile.Descriptor) error {
	switch {
	case ref.Owner == hierarchy.Object && ref.Name == "<init>":
		return nil
	case ref.Owner == hierarchy.Throwable && ref.Name == "<init>":
		for k, p := range d.Params {
			switch p {
			case "Ljava/lang/String;":
				x.emit("this.message = %s", x.convertType(args[k], p))
			case "Ljava/lang/Throwable;":
				x.emit("this.cause = %s", x.convertType(args[k], p))
			}
		}
		return nil
	case object.value.This && x.isThrowable(x.receiver) && ref.Name == "toString" && (target == nil || x.opaque(target.Class.Name)):
		x.call("plainText", []string{"this"}, d.Result)
		return nil
	case object.value.This && x.isThrowable(x.receiver) && x.prelude.methods["Throwable"][x.virtualName(member{ref.Name, ref.Descriptor})] && (target == nil || x.opaque(target.Class.Name)):
		x.call("this.Throwable."+x.virtualName(member{ref.Name, ref.Descriptor}), x.arguments(args, d), d.Result)
		return nil
	case target == nil || x.opaque(target.Class.Name):
		return x.invokeObject(ref, object, args, d)
	case !x.follows(target.Class.Name):
		if ref.Name == "<init>" {
			return x.unsupported("the constructor of the superclass %s, which is not followed", classfile.ClassType(ref.Owner))
		}
		return x.invokeVirtual(ref, target, object, args, d)
	case target.Is(classfile.Abstract):
		return x.unsupported("a call of the abstract method %s", ref)
	case object.value.This:
		if ref.Name != "<init>" && !target.Is(classfile.Private) && !x.world.IsInterface(ref.Owner) {
			// The method is searched from the superclass of the class that has this code (JVMS invokespecial).
			if own := x.method().Class; ref.Owner != own.Name && x.world.Subtype(own.Name, ref.Owner) && own.Super != ref.Owner {
				if m := x.world.Method(own.Super, ref.Name, ref.Descriptor); m != nil && x.follows(m.Class.Name) {
					target = m
				}
			}
		}
		t := x.copyOf(x.receiver, target)
		x.calls = append(x.calls, t.copyKey)
		x.call("this."+t.goName, x.arguments(args, d), d.Result)
		return nil
	}
	return x.invokeVirtual(ref, target, object, args, d)
}

// invokeVirtual translates calls of methods that the class of the object selects.
func (x *method) invokeVirtual(ref classfile.Member, target *classfile.Method, object expr, args []expr, d classfile.Descriptor) error {
	m := member{ref.Name, ref.Descriptor}
	class := x.classOf(object.value)
	if x.opaque(ref.Owner) && ref.Owner != hierarchy.Object && !x.isThrowable(ref.Owner) && !x.isObjectFinal(ref, target) {
		return x.invokeModel(ref, object, args, d)
	}
	if x.isObjectFinal(ref, target) || object.goT == "error" || x.isThrowable(ref.Owner) {
		return x.invokeObject(ref, object, args, d)
	}
	owner := ref.Owner
	if target != nil && target.Is(classfile.Private) {
		owner = target.Class.Name
	}
	if strings.HasPrefix(object.goT, "*") && !strings.HasPrefix(object.goT, "*Array[") && !x.opaque(class) && x.world.Subtype(class, owner) {
		if t := x.need(class, owner, m); t != nil {
			x.calls = append(x.calls, t.copyKey)
		}
		x.noteOrdinal(ref, object, x.call(object.text+"."+x.selected(class, owner, m), x.arguments(args, d), d.Result))
		return nil
	}
	v := flow.Value{Kind: flow.Ref, Class: owner}
	recv := x.convert(object, v)
	if strings.HasPrefix(x.goValue(v, x.receiver), "*") {
		return x.invokeVirtual(ref, target, expr{text: recv, goT: x.goValue(v, x.receiver), value: v, nonnull: true}, args, d)
	}
	name := x.selected(owner, owner, m)
	if !(owner == hierarchy.Object && x.isObjectMethod(m)) {
		x.demand(owner, m)
	}
	x.sends = append(x.sends, virtualCall{owner, m})
	if x.options.Errors != nil {
		x.asks = append(x.asks, outsideCall{of: Name{owner, m.name, m.descriptor}, reason: "environment", virtual: true})
		x.noteOrdinal(ref, object, x.call(x.dispatched(owner, m), append([]string{recv}, x.arguments(args, d)...), d.Result))
		return nil
	}
	x.noteOrdinal(ref, object, x.call(recv+"."+name, x.arguments(args, d), d.Result))
	return nil
}

// noteOrdinal keeps the enum constant whose number a call gives.
func (x *method) noteOrdinal(ref classfile.Member, object expr, result *expr) {
	if ref.Name == "ordinal" && ref.Descriptor == "()I" && x.world.Subtype(ref.Owner, "java/lang/Enum") {
		result.known = &special{ordinal: &object}
	}
}

// selected is the Go name of the method that a call of a member of a class runs on an object of a class.
func (u *unit) selected(class, owner string, m member) string {
	declared := u.world.Method(owner, m.name, m.descriptor)
	if declared == nil {
		return u.virtualName(m)
	}
	if declared.Is(classfile.Private) {
		return u.methodName(class, declared)
	}
	return u.virtualName(m)
}

// invokeModel translates a call of a method of a class that the prelude models.
func (x *method) invokeModel(ref classfile.Member, object expr, args []expr, d classfile.Descriptor) error {
	v := flow.Value{Kind: flow.Ref, Class: ref.Owner}
	recv := x.convert(object, v)
	m := member{ref.Name, ref.Descriptor}
	x.needModelled(ref.Owner, m)
	e := x.call(recv+"."+x.virtualName(m), x.arguments(args, d), d.Result)
	if e == nil {
		return nil
	}
	switch {
	case ref.Owner == "java/lang/String" && ref.Name == "hashCode":
		object.text, object.goT, object.value = recv, "*String", v
		e.known = &special{hashOf: &object}
	case ref.Owner == "java/lang/StringBuilder" && (ref.Name == "append" || ref.Name == "toString"):
		e.nonnull = x.prelude.methods["StringBuilder"][x.virtualName(m)]
	}
	return nil
}

// isObjectFinal reports whether a call is of a method that java/lang/Object declares, other than those that its Go
// interface has.
func (x *method) isObjectFinal(ref classfile.Member, target *classfile.Method) bool {
	if target != nil {
		return target.Class.Name == hierarchy.Object && !x.isObjectMethod(member{ref.Name, ref.Descriptor})
	}
	switch ref.Name + ref.Descriptor {
	case "getClass()Ljava/lang/Class;", "notify()V", "notifyAll()V", "wait()V", "wait(J)V", "wait(JI)V":
		return true
	}
	return ref.Owner == hierarchy.Object && !x.isObjectMethod(member{ref.Name, ref.Descriptor})
}

// invokeObject translates calls of methods of java/lang/Object and java/lang/Throwable.
func (x *method) invokeObject(ref classfile.Member, object expr, args []expr, d classfile.Descriptor) error {
	o := flow.Value{Kind: flow.Ref, Class: hierarchy.Object}
	t := flow.Value{Kind: flow.Ref, Class: hierarchy.Throwable}
	exception := object.goT == "error" || object.value.This && x.isThrowable(x.receiver)
	if object.value.This && x.isThrowable(x.receiver) {
		object.goT, object.value, object.text = "error", t, "error(this)"
	}
	switch key := ref.Name + ref.Descriptor; {
	case key == "getClass()Ljava/lang/Class;":
		if object.value.This || strings.HasPrefix(object.goT, "*") && !x.opaque(object.value.Class) && !strings.HasPrefix(object.value.Class, "[") {
			x.push(x.classExpr(x.classOf(object.value)))
			return nil
		}
		class := x.convert(object, o) + ".class()"
		if x.options.Errors != nil {
			class = "classOf(" + x.convert(object, o) + ")"
		}
		x.result(flow.Value{Kind: flow.Ref, Class: "java/lang/Class"}, class).nonnull = true
	case key == "notify()V", key == "notifyAll()V", key == "finalize()V":
	case key == "equals(Ljava/lang/Object;)Z":
		x.result(flow.Value{Kind: flow.Bool}, x.same(object, args[0]))
	case key == "hashCode()I":
		x.result(flow.Value{Kind: flow.Int}, "identityHash("+x.convert(object, o)+")")
	case exception:
		return x.invokeThrowable(ref, object, args, d)
	case key == "toString()Ljava/lang/String;":
		x.result(flow.Value{Kind: flow.Ref, Class: "java/lang/String"}, "unknownText("+x.convert(object, o)+")")
	case key == "clone()Ljava/lang/Object;" && object.value.This:
		if !x.world.Subtype(x.receiver, "java/lang/Cloneable") {
			x.emit("exc = &%s{}", x.exception("java/lang/CloneNotSupportedException"))
			x.emit("if exc != nil {")
			x.throw("java/lang/CloneNotSupportedException")
			x.emit("}")
		}
		c := x.temp("*" + x.structName(x.receiver))
		x.emit("%s = &%s{}", c, x.structName(x.receiver))
		x.emit("*%s = *this", c)
		x.push(expr{text: x.convertMade2(c), goT: "Object", value: o, nonnull: true})
	default:
		signature := x.signature(d, arguments(d))
		signature = "(o Object" + map[bool]string{true: ", ", false: ""}[len(d.Params) > 0] + signature[1:]
		f := x.asked(classfile.Member{Owner: ref.Owner, Name: ref.Name, Descriptor: ref.Descriptor}, "on an object "+ref.String(), signature, "environment")
		x.call(f, append([]string{x.convert(object, o)}, x.arguments(args, d)...), d.Result)
	}
	return nil
}

func (x *method) convertMade2(c string) string {
	t := x.temp("Object")
	x.emit("%s = %s", t, c)
	return t
}

// invokeThrowable translates calls of methods of exceptions.
func (x *method) invokeThrowable(ref classfile.Member, object expr, args []expr, d classfile.Descriptor) error {
	e := object.text
	target := x.world.Method(ref.Owner, ref.Name, ref.Descriptor)
	model := target == nil || x.opaque(target.Class.Name)
	thrown := flow.Value{Kind: flow.Ref, Class: hierarchy.Throwable}
	switch key := ref.Name; {
	case !model && x.follows(target.Class.Name):
		recv := x.temp(x.interfaceName(target.Class.Name))
		x.emit("%s, _ = %s.(%s)", recv, e, x.types[recv])
		m := member{ref.Name, ref.Descriptor}
		x.demand(target.Class.Name, m)
		x.sends = append(x.sends, virtualCall{target.Class.Name, m})
		x.call(recv+"."+x.selected(target.Class.Name, target.Class.Name, m), x.arguments(args, d), d.Result)
	case !model:
		signature := x.signature(d, arguments(d))
		signature = "(o error" + map[bool]string{true: ", ", false: ""}[len(d.Params) > 0] + signature[1:]
		x.call(x.asked(ref, "on an exception "+ref.String(), signature, "environment"), append([]string{e}, x.arguments(args, d)...), d.Result)
	case key == "getMessage" || key == "getLocalizedMessage":
		x.call("messageOf", []string{e}, d.Result)
	case key == "getCause":
		x.call("causeOf", []string{e}, d.Result)
	case key == "toString":
		x.call("textOf", []string{e}, d.Result)
	case key == "initCause":
		x.result(thrown, fmt.Sprintf("setCause(%s, %s)", e, x.convert(args[0], thrown))).nonnull = true
	case key == "fillInStackTrace":
		object.nonnull = true
		x.push(object)
	case key == "addSuppressed", key == "setStackTrace", key == "printStackTrace":
	default:
		signature := x.signature(d, arguments(d))
		signature = "(o error" + map[bool]string{true: ", ", false: ""}[len(d.Params) > 0] + signature[1:]
		x.call(x.asked(ref, "on an exception "+ref.String(), signature, "environment"), append([]string{e}, x.arguments(args, d)...), d.Result)
	}
	return nil
}

// threadClass is the class of threads, of which a component is used by one.
const threadClass = "java/lang/Thread"
